//! Quantities with units, as written on the command line, in scenario files and in tables.
//!
//! Everything is converted to SI here: metres, seconds, m³/s. A bare number is SI, except for rain:
//! SI would be m/s, which nobody means, and a forgotten unit would be catastrophic.

mod length;
mod memory;
mod per;
pub mod quantity;
mod rain;
mod rate;
mod time;
mod unit;
mod volume;

pub use length::{parse_depth, parse_level, parse_loss};
pub use memory::parse_bytes;
pub use per::Per;
pub use rain::{RainUnit, parse_rain, parse_rain_amount, parse_rain_unit, rain_units};
pub use rate::{Rate, parse_capacity, parse_decay, parse_evaporation, parse_flow};
pub use time::{is_clock_form, parse_duration};
pub use unit::{goes_on_after, header_unit, unit_after};
pub use volume::parse_volume;
