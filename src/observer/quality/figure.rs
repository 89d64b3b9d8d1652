//! Quality figures: values with a limit and a verdict.

use crate::engine::clock::Clock;
use crate::engine::grid::{CellLocation, Grid};
use crate::engine::run_diagnostics::Maximum;
use serde::Serialize;

/// Unit of a share, 0 to 1.
pub const SHARE: &str = "share";

/// Verdict of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The value is within its limit.
    Ok,
    /// Beyond its limit: results that depend on it should not be trusted.
    Doubtful,
}

impl Verdict {
    /// Returns the word for the verdict.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Ok => "ok",
            Verdict::Doubtful => "doubtful",
        }
    }
}

/// Place and time of a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlaceAndTime {
    /// Centre of the cell.
    #[serde(flatten)]
    pub at: CellLocation,
    /// Time of the run at the end of the step (s).
    pub time_s: f64,
}

impl PlaceAndTime {
    /// Returns the place of a maximum that was reached at a time (s).
    pub fn of(maximum: Maximum, time_s: f64, grid: &Grid) -> Option<PlaceAndTime> {
        Some(PlaceAndTime { at: grid.spot(maximum.cell()?), time_s })
    }

    /// Formats the place and time, such as `at 578900, 506290 after 42 min`.
    pub fn show(&self, clock: &Clock) -> String {
        format!("at {} after {}", self.place(), clock.show(self.time_s.round()))
    }

    /// Formats the place to the metre, or with enough digits for degrees.
    pub fn place(&self) -> String {
        let CellLocation { x, y, .. } = self.at;
        let decimals = if x.abs() <= 360.0 && y.abs() <= 360.0 { 5 } else { 0 };
        format!("{x:.decimals$}, {y:.decimals$}")
    }
}

/// A quality figure of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Description of the quantity.
    pub what: String,
    /// Value; shares are 0 to 1.
    pub value: f64,
    /// Unit: [`SHARE`] for shares, empty for other ratios.
    pub unit: &'static str,
    /// Limit beyond which the value is doubtful; `None` if the value is only reported.
    pub threshold: Option<f64>,
    /// Verdict on the value.
    pub verdict: Verdict,
    /// Place and time of the maximum; `None` for figures of the whole run.
    #[serde(flatten)]
    pub at: Option<PlaceAndTime>,
    /// Advice on which results not to trust, why, and what to do; `None` if the value is within its
    /// limit.
    pub sentence: Option<String>,
}

impl Figure {
    /// Creates a share that is doubtful above `threshold`.
    pub fn new(what: impl Into<String>, value: f64, threshold: Option<f64>) -> Figure {
        let verdict = match threshold {
            Some(threshold) if value > threshold => Verdict::Doubtful,
            _ => Verdict::Ok,
        };
        Figure {
            what: what.into(),
            value,
            unit: SHARE,
            threshold,
            verdict,
            at: None,
            sentence: None,
        }
    }

    /// Sets the unit, and the place and time.
    pub fn at(self, unit: &'static str, at: Option<PlaceAndTime>) -> Figure {
        Figure { unit, at, ..self }
    }

    /// Adds a sentence that is shown if the figure is doubtful.
    pub fn says(mut self, sentence: impl FnOnce(&Figure) -> String) -> Figure {
        if self.is_doubtful() {
            self.sentence = Some(sentence(&self));
        }
        self
    }

    /// Returns `true` if the value is beyond its limit.
    pub fn is_doubtful(&self) -> bool {
        self.verdict == Verdict::Doubtful
    }

    /// Formats the value with its unit; shares as percentages.
    pub fn show(&self) -> String {
        self.show_number(self.value)
    }

    /// Formats the limit; a dash if there is none.
    pub fn show_threshold(&self) -> String {
        self.threshold.map_or("–".into(), |threshold| self.show_number(threshold))
    }

    fn show_number(&self, value: f64) -> String {
        match self.unit {
            SHARE => percent(value),
            "" => format!("{value:.2}"),
            unit => format!("{value:.2} {unit}"),
        }
    }
}

/// Formats a share as a percentage with suitable precision.
pub fn percent(share: f64) -> String {
    let value = 100.0 * share;
    match value {
        0.0 => "0 %".into(),
        value if value >= 9.95 => format!("{value:.0} %"),
        value if value >= 0.1 => format!("{value:.1} %"),
        _ => "less than 0.1 %".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_middle_of_a_cell_and_numbers_have_the_digits_that_they_need() {
        let grid = Grid::plain(4, 3, 10.0);
        let spot = PlaceAndTime::of(Maximum::new(1, 6), 90.0, &grid).unwrap();
        assert_eq!(spot.at, CellLocation { x: 25.0, y: 15.0, column: 2, row: 1 });
        assert_eq!(PlaceAndTime::of(Maximum::default(), 0.0, &grid), None);
        let shares = [0.0, 0.000_2, 0.072, 0.5].map(percent);
        assert_eq!(shares, ["0 %", "less than 0.1 %", "7.2 %", "50 %"]);
        assert!(!Figure::new("speed", 15.0, Some(15.0)).is_doubtful());
        assert!(Figure::new("speed", 15.1, Some(15.0)).is_doubtful());
    }
}
