//! Table of the quality figures of a run, for the page.

use super::Table;
use crate::observer::quality::figure::{Figure, PlaceAndTime};
use crate::observer::quality::judge::Quality;

/// Returns a row for every figure; `show` formats a time (s) of the run.
pub fn table(quality: &Quality, show: &dyn Fn(f64) -> String) -> Option<Table> {
    let dash = || "–".to_string();
    let row = |figure: &Figure| {
        vec![
            figure.what.clone(),
            figure.show(),
            figure.at.as_ref().map_or_else(dash, PlaceAndTime::place),
            figure.at.map_or_else(dash, |at| show(at.time_s)),
            figure.show_threshold(),
            figure.verdict.word().into(),
        ]
    };
    let head = vec!["what", "value", "at", "time", "doubtful above", "verdict"];
    Table::of(head, quality.figures().map(row))
}
