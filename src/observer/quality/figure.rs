//! A figure by which a run is judged, with its verdict.

use crate::engine::clock::Clock;
use crate::engine::extremes::Maximum;
use crate::engine::grid::{Grid, Spot};
use serde::Serialize;

/// The unit of a share, 0 to 1.
pub const SHARE: &str = "share";

/// Whether a figure is within its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is.
    Ok,
    /// It is not: what depends on it is not to be trusted.
    Doubtful,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Ok => "ok",
            Verdict::Doubtful => "doubtful",
        }
    }
}

/// Where and when something was greatest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// The middle of its cell.
    #[serde(flatten)]
    pub at: Spot,
    /// Time of the run at the end of the step (s).
    pub time_s: f64,
}

impl Moment {
    /// Where a maximum lies that was reached at a time (s).
    pub fn of(maximum: Maximum, time_s: f64, grid: &Grid) -> Option<Moment> {
        Some(Moment { at: grid.spot(maximum.cell()?), time_s })
    }

    /// For people: `at 578900, 506290 after 42 min`.
    pub fn show(&self, clock: &Clock) -> String {
        format!("at {} after {}", self.place(), clock.show(self.time_s.round()))
    }

    /// The place alone, to the metre, or as finely as degrees need it.
    pub fn place(&self) -> String {
        let Spot { x, y, .. } = self.at;
        let decimals = if x.abs() <= 360.0 && y.abs() <= 360.0 { 5 } else { 0 };
        format!("{x:.decimals$}, {y:.decimals$}")
    }
}

/// A figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is.
    pub what: String,
    /// Its value; shares are 0 to 1.
    pub value: f64,
    /// Its unit; [`SHARE`] for shares, empty for other ratios.
    pub unit: &'static str,
    /// The limit beyond which it is doubtful; none where it is only told.
    pub threshold: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Where and when it was greatest; none for what is of the whole run.
    #[serde(flatten)]
    pub at: Option<Moment>,
    /// What not to trust, why, and what to do; none if it is sound.
    pub sentence: Option<String>,
}

impl Figure {
    /// A share that is doubtful above `threshold`.
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

    /// The same in another unit, with a place and a time.
    pub fn at(self, unit: &'static str, at: Option<Moment>) -> Figure {
        Figure { unit, at, ..self }
    }

    /// The same with what is to be said if it is doubtful.
    pub fn says(mut self, sentence: impl FnOnce(&Figure) -> String) -> Figure {
        if self.is_doubtful() {
            self.sentence = Some(sentence(&self));
        }
        self
    }

    /// Whether it is beyond its limit.
    pub fn is_doubtful(&self) -> bool {
        self.verdict == Verdict::Doubtful
    }

    /// Its value for people, with its unit; a share as a percentage.
    pub fn show(&self) -> String {
        self.show_number(self.value)
    }

    /// Its limit for people; a dash if there is none.
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

/// A share in percent, with the digits that it needs.
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
        let spot = Moment::of(Maximum::new(1, 6), 90.0, &grid).unwrap();
        assert_eq!(spot.at, Spot { x: 25.0, y: 15.0, column: 2, row: 1 });
        assert_eq!(Moment::of(Maximum::default(), 0.0, &grid), None);
        let shares = [0.0, 0.000_2, 0.072, 0.5].map(percent);
        assert_eq!(shares, ["0 %", "less than 0.1 %", "7.2 %", "50 %"]);
        assert!(!Figure::new("speed", 15.0, Some(15.0)).is_doubtful());
        assert!(Figure::new("speed", 15.1, Some(15.0)).is_doubtful());
    }
}
