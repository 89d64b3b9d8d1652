//! What was greatest, where and when, as a table of the page.

use super::Table;
use crate::observer::greatest::Greatest;
use crate::words::capital;

/// A row for each; `show` tells a time (s, or steps) of the run. None if nothing ever was wet.
pub fn table(greatest: &[Greatest], show: &dyn Fn(f64) -> String) -> Option<Table> {
    let row = |one: &Greatest| {
        // Degrees need more digits than metres and feet.
        let decimals = if one.x.abs() <= 360.0 && one.y.abs() <= 90.0 { 6 } else { 1 };
        let time = match one.within {
            within if within > 0.0 => {
                format!("{} to {}", show((one.time - within).max(0.0)), show(one.time))
            }
            _ => show(one.time),
        };
        let unit = if one.unit.is_empty() { String::new() } else { format!(" {}", one.unit) };
        vec![
            capital(name(one.layer)),
            format!("{:.2}{unit}", one.value),
            format!("{:.decimals$}", one.x),
            format!("{:.decimals$}", one.y),
            time,
        ]
    };
    let head = vec!["greatest", "value", "x", "y", "time"];
    let rows: Vec<Vec<String>> = greatest.iter().map(row).collect();
    (!rows.is_empty()).then_some(Table { head, rows })
}

/// What the greatest value of a layer is called.
fn name(key: &str) -> &str {
    match key {
        "max_depth" => "depth",
        "max_velocity" => "velocity",
        "max_hazard" => "hazard rating",
        other => other,
    }
}
