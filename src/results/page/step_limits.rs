//! Table of the places that limited the run's steps, for the page.

use super::{Table, show_place};
use crate::observer::quality::figure::percent;
use crate::observer::time_step_limiter::{LimitingCell, StepLimits};

/// Returns a row for each place; `show` formats a time (s) of the run. `None` if nothing limited
/// any step.
pub fn table(held: &StepLimits, show: &dyn Fn(f64) -> String) -> Option<Table> {
    let row = |place: &LimitingCell| {
        let [x, y] = show_place(place.at);
        vec![
            x,
            y,
            percent(place.share),
            place.by.words().into(),
            format!("{:.2} s", place.step_s),
            show(place.time_s),
            format!("{:.2} m", place.depth_m),
            format!("{:.2} m/s", place.speed_m_s),
        ]
    };
    let head =
        vec!["x", "y", "share", "limited by", "shortest step", "time", "depth then", "speed then"];
    Table::of(head, held.places.iter().map(row))
}
