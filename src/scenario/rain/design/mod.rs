//! Design storms: a depth that falls within a duration, with a standard shape.
//!
//! A shape gives the fraction of the depth that has fallen by a time. The rain of an interval is
//! the difference of two such fractions, so the total is exact up to rounding.

mod idf;
mod scs;

use self::idf::Idf;
use crate::engine::forcing::series::Series;
use crate::error::{Error, Result};
use crate::measures::{RainUnit, parse_duration, parse_rain_amount};
use crate::units::{Metre, Second};

/// Prefix of the text of a design storm.
const PREFIX: &str = "design:";
const HOW: &str = "write design:DEPTH/DURATION/SHAPE, for example \"design:100mm/6h/chicago:0.4\"; shapes: uniform, chicago[:r[:e:f]], alternating-block[:interval[:e:f]], scs-1, scs-1a, scs-2, scs-3";
/// Default interval of a hyetograph (s).
const INTERVAL: Second = 300.0;
/// Maximum number of intervals of a storm.
const MOST_INTERVALS: f64 = 1e5;
/// Default position of the peak of a Chicago storm: Keifer and Chu (1957) found 0.375, 0.4 is most
/// common.
const ADVANCEMENT: f64 = 0.4;

/// Design storm.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DesignStorm {
    depth: Metre,
    duration: Second,
    shape: Shape,
    interval: Second,
}

/// Distribution of the depth over the duration.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// Uniform.
    Uniform,
    /// Chicago storm (Keifer and Chu 1957): any period around the peak has the mean intensity of
    /// the IDF curve for its duration. The number is the fraction of the duration before the peak.
    Chicago(f64, Idf),
    /// Alternating blocks of the IDF curve, the largest in the middle and the others alternately to
    /// its right and left (Chow, Maidment and Mays 1988, Applied Hydrology, section 14.4).
    AlternatingBlock(Idf),
    /// Dimensionless curve of 24 h.
    Scs(&'static scs::Curve),
}

impl DesignStorm {
    /// Returns true if a text is meant as a design storm.
    pub fn is_meant_by(text: &str) -> bool {
        text.trim_start().starts_with(PREFIX)
    }

    /// Parses a design storm.
    pub fn parse(text: &str) -> Result<DesignStorm> {
        let wrong = |what: String| Error::input(format!("rain: '{text}': {what}")).hint(HOW);
        let said = text.trim().trim_start_matches(PREFIX);
        let [depth, duration, shape] = said.splitn(3, '/').collect::<Vec<_>>()[..] else {
            return Err(wrong("a design storm needs a depth, a duration and a shape".into()));
        };
        let depth = match parse_rain_amount(depth).map_err(|error| wrong(error.what))? {
            RainUnit::Depth(depth) => depth,
            RainUnit::Rate(_) => return Err(wrong(format!("'{depth}' is a rate, not a depth"))),
        };
        let duration = parse_duration(duration).map_err(|error| wrong(error.what))?;
        let mut words = shape.split(':').map(str::trim);
        let name = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        let mut interval = INTERVAL;
        let (shape, most) = match name {
            "uniform" => (Shape::Uniform, 0),
            "chicago" => {
                let r = match words.first() {
                    None => ADVANCEMENT,
                    Some(word) => {
                        let r = word.parse().ok().filter(|r| (0.0..=1.0).contains(r));
                        r.ok_or_else(|| {
                            wrong(format!(
                                "'{word}' is not a fraction of the duration; the position of the peak is 0 to 1"
                            ))
                        })?
                    }
                };
                (Shape::Chicago(r, Idf::parse(&words, 1).map_err(wrong)?), 3)
            }
            "alternating-block" => {
                if let Some(word) = words.first() {
                    interval = parse_duration(word).map_err(|error| wrong(error.what))?;
                }
                (Shape::AlternatingBlock(Idf::parse(&words, 1).map_err(wrong)?), 3)
            }
            name => match scs::of(name) {
                Some(curve) => (Shape::Scs(curve), 0),
                None => return Err(wrong(format!("'{name}' is not a shape"))),
            },
        };
        if let Some(word) = words.get(most) {
            return Err(wrong(format!("'{word}' is not a parameter of a storm '{name}'")));
        }
        if matches!(shape, Shape::Scs(_)) && duration != scs::DURATION {
            return Err(wrong(format!("a storm '{name}' lasts 24 h")));
        }
        if duration <= 0.0 || interval <= 0.0 || duration / interval > MOST_INTERVALS {
            return Err(wrong(format!(
                "{duration} s cannot be divided into intervals of {interval} s"
            )));
        }
        Ok(DesignStorm { depth, duration, shape, interval })
    }

    /// Returns the rates (m/s) by interval, and 0 after the end. The last interval may be shorter.
    pub fn series(&self) -> Series {
        let count = (self.duration / self.interval - 1e-9).ceil() as usize;
        let time = |at: usize| (at as f64 * self.interval).min(self.duration);
        let parts = match &self.shape {
            Shape::AlternatingBlock(idf) => self.blocks(idf, count),
            shape => {
                let fallen = |at: usize| shape.fallen(time(at), self.duration);
                (0..count).map(|at| fallen(at + 1) - fallen(at)).collect()
            }
        };
        let rate = |(at, part): (usize, f64)| {
            (time(at), self.depth * part.max(0.0) / (time(at + 1) - time(at)))
        };
        let rates = parts.into_iter().enumerate().map(rate);
        Series::new(rates.chain([(self.duration, 0.0)]).collect())
    }

    /// Returns the peak rate (m/s) and the interval of which it is the mean (s).
    pub fn peak(&self) -> (f64, Second) {
        (self.series().peak(), self.interval.min(self.duration))
    }

    /// Returns the fractions of the depth in alternating blocks.
    fn blocks(&self, idf: &Idf, count: usize) -> Vec<f64> {
        let length = |place: usize| {
            let from = place as f64 * self.interval;
            (from + self.interval).min(self.duration) - from
        };
        let mut parts = vec![0.0; count];
        // The middle, then alternately right and left of it; a full side is skipped.
        let middle = (count - 1) / 2;
        let by_turns = (1..=count).flat_map(|by| [middle.checked_add(by), middle.checked_sub(by)]);
        let places = std::iter::once(Some(middle)).chain(by_turns).flatten();
        let places = places.filter(|&place| place < count);
        let mut within = 0.0;
        for place in places {
            // The last interval may be shorter.
            let more = (within + length(place)).min(self.duration);
            parts[place] = (idf.depth(more) - idf.depth(within)) / idf.depth(self.duration);
            within = more;
        }
        parts
    }
}

impl Shape {
    /// Returns the fraction of the depth that has fallen by a time (s).
    fn fallen(&self, time: Second, duration: Second) -> f64 {
        match self {
            Shape::Chicago(r, idf) => {
                let (peak, whole) = (r * duration, idf.depth(duration));
                let part = |share: f64, apart: f64| match share > 0.0 {
                    true => share * idf.depth(apart / share) / whole,
                    false => 0.0,
                };
                match time < peak {
                    true => r - part(*r, peak - time),
                    false => r + part(1.0 - r, time - peak),
                }
            }
            Shape::Scs(curve) => scs::fallen(curve, time),
            Shape::Uniform | Shape::AlternatingBlock(_) => time / duration,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(text: &str) -> Vec<(f64, f64)> {
        let storm = DesignStorm::parse(text).unwrap();
        let series = storm.series();
        let total = series.total(1e9);
        assert!((total - storm.depth).abs() < 1e-12, "{text}: {total}");
        // mm/h
        series.pieces().iter().map(|piece| (piece.time, piece.value * 3.6e6)).collect()
    }

    #[test]
    fn a_chicago_storm_has_the_intensity_of_its_curve_around_its_peak() {
        // i = a·((1 − e)·Tᵉ + f)/(Tᵉ + f)², Chow et al. (1988), equation 14.4.9: at the peak itself
        // a/f.
        let rates = rates("design:60mm/2h/chicago:0.25:0.88:9.04");
        assert_eq!(rates.len(), 25);
        let largest = rates.iter().map(|&(_, rate)| rate).fold(0.0, f64::max);
        let at = rates.iter().position(|&(_, rate)| rate == largest).unwrap();
        assert!(at == 5 || at == 6, "the peak is at 30 min: {at}");
        let e = 0.88f64;
        let a = 60.0 * (120f64.powf(e) + 9.04) / 120.0;
        let momentary = |minutes: f64| {
            let t = minutes.powf(e);
            60.0 * a * ((1.0 - e) * t + 9.04) / (t + 9.04).powi(2)
        };
        // 42.5 min after the peak, in the middle of an interval: T = t/(1 − r).
        let found = rates.iter().find(|&&(time, _)| time == 4200.0).unwrap().1;
        let wanted = momentary(42.5 / 0.75);
        assert!((found / wanted - 1.0).abs() < 2e-3, "{found}, {wanted}");
        // In the interval 20 to 25 min before: T = t/r. It is bent there, so its mean is more than
        // its middle.
        let (found, wanted) = (rates[1].1, momentary(22.5 / 0.25));
        assert!((found / wanted - 1.0).abs() < 1e-2, "{found}, {wanted}");
    }

    #[test]
    fn alternating_blocks_are_those_of_the_worked_example() {
        // Chow et al. (1988), example 14.4.1: Denver, i = 96.6/(T^0.97 + 13.90) in/h, 2 h in blocks
        // of 10 min.
        let inches =
            [0.024, 0.033, 0.050, 0.084, 0.178, 0.693, 0.308, 0.117, 0.064, 0.040, 0.028, 0.021];
        let total: f64 = inches.iter().sum();
        let rates = rates(&format!("design:{total}in/2h/alternating-block:10min:0.97:13.9"));
        for (at, inch) in inches.into_iter().enumerate() {
            let found = rates[at].1 / 25.4 / 6.0;
            assert!((found - inch).abs() < 1.5e-3, "{at}: {found}, {inch}");
        }
    }

    #[test]
    fn a_shorter_block_at_the_end_is_not_the_heaviest() {
        let rates = rates("design:60mm/35min/alternating-block:15min");
        assert!(rates[1].1 > rates[0].1 && rates[1].1 > rates[2].1, "{rates:?}");
    }

    #[test]
    fn an_scs_storm_falls_by_its_curve() {
        let rates = rates("design:100mm/24h/scs-2");
        // 30.6 % of it in the quarter of an hour before noon.
        let of = |time: f64| rates.iter().find(|&&(at, _)| at == time).unwrap().1;
        assert!((of(11.75 * 3600.0) - 30.6 * 4.0).abs() < 1e-6);
        assert!((of(0.0) - 1.1).abs() < 1e-6);
    }

    #[test]
    fn what_is_no_storm_is_told_what_is() {
        for (text, what) in [
            ("design:100mm/6h", "a shape"),
            ("design:100mm/6h/huff", "'huff' is not a shape"),
            ("design:100mm/h/6h/uniform", "'h' is not"),
            ("design:100/6h/uniform", "no unit"),
            ("design:100mm/6h/chicago:1.4", "'1.4' is not a fraction"),
            ("design:100mm/6h/chicago:0.4:0.8", "both"),
            ("design:100mm/6h/scs-2", "lasts 24 h"),
            ("design:100mm/0h/uniform", "cannot be divided"),
            ("design:100mm/6h/uniform:3", "'3' is not a parameter"),
            ("design:100mm/6h/alternating-block:soon", "'soon'"),
        ] {
            let error = DesignStorm::parse(text).unwrap_err().to_string();
            assert!(error.contains(what), "{text}: {error}");
        }
    }
}
