//! Flags of a cell of a padded grid, in one byte.

use crate::forcing::ports::Port;

/// The cell is in the domain and receives rain.
pub const INSIDE: u8 = 1;
/// The cell is emptied after every step, as a loss.
pub(crate) const SINK: u8 = 2;
/// The cell is a ghost beyond an open edge and is emptied after every step, as outflow.
pub(crate) const DRAIN: u8 = 4;
/// The water of the cell does not change during the flow: its level is held under a solver with
/// momentum.
pub(crate) const PINNED: u8 = 8;
/// Sites act on the cell after the flow; its maximum and arrival are recorded after that.
pub(crate) const AFTER_FLOW: u8 = 16;

/// Water leaves the cell through a link or an inlet of a sewer: under a solver with momentum, flow
/// that converges there is no shock. Drains, which hold no water by then, use the bit for their side.
pub const INTAKE: u8 = 32;

/// Water crosses the edge of the map in the cell although the grid has no face there
/// ([`crate::crossed_sides`]). Drains use the bit for their side.
pub const CROSSED: u8 = 64;

/// A structure is near enough that the flux across the cell's edges is looked up when its water
/// moves.
pub(crate) const STRUCTURE: u8 = 128;

/// Multiplier of a drain's side, 0 to 3 in the order of [`NAMES`](crate::forcing::ports::NAMES);
/// the product is added to its flag.
pub const SIDE: u8 = 32;

/// Returns the flags of a ghost with a port.
pub(crate) fn drain_of(port: Port) -> u8 {
    DRAIN | (port.trailing_zeros() as u8 * SIDE)
}

/// Returns the port of a ghost from its flags.
pub(crate) fn port_of_drain(flags: u8) -> Port {
    1 << (flags / SIDE % 4)
}
