//! Statistical maps over the runs of a study, and their labels.

use super::annual::{self, Event};
use super::quantile::quantile;
use crate::engine::clock::Clock;
use crate::output::colour::quantities::{ANNUAL_PROBABILITY, PROBABILITY, RETURN_PERIOD};
use crate::output::colour::{NODATA, Scale};
use crate::output::format::Downsampling;
use crate::output::layers::{self, DepthRounding, Layer, MAX_DEPTH};

/// First parts of the file names of exceedances of a depth.
const SHARE: &str = "probability_above_";
const ANNUAL: &str = "annual_probability_above_";
const PERIOD: &str = "return_period_above_";

/// Statistic of a cell's values in all runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// Weighted share of the runs whose value is above a depth (m).
    Probability(f64),
    /// Annual probability that the value exceeds a depth (m).
    AnnualProbability(f64),
    /// Return period (years) of the most frequent event whose value is above a depth (m).
    ReturnPeriod(f64),
    /// Mean, weighted by run.
    Mean,
    /// Greatest value of any run.
    Greatest,
    /// Least value of any run.
    Least,
    /// A percentile (0 to 100).
    Percentile(f64),
}

/// A map over runs on the same grid.
#[derive(Clone, Copy, Debug)]
pub struct Aggregate {
    /// Layer on which the map is based.
    pub layer: &'static Layer,
    /// Statistic that it shows.
    pub statistic: Statistic,
}

impl Aggregate {
    /// Returns all maps of a layer; exceedance probabilities, for these depths (m), only of the
    /// maximum depth.
    pub fn all(layer: &'static Layer, depths: &[f64], percentiles: &[f64]) -> Vec<Aggregate> {
        let depths = if layer.key == MAX_DEPTH.key { depths } else { &[] };
        let mut all = Self::each(layer, depths, Statistic::Probability);
        all.push(Aggregate { layer, statistic: Statistic::Mean });
        all.extend(Self::extremes(layer));
        all.extend(Self::each(layer, percentiles, Statistic::Percentile));
        all
    }

    /// Returns all maps of a layer over runs with return periods. They are not a sample, so there
    /// are no means and percentiles; `is_whole` is set if no event is missing.
    pub fn annual(layer: &'static Layer, depths: &[f64], is_whole: bool) -> Vec<Aggregate> {
        let depths = if layer.key == MAX_DEPTH.key && is_whole { depths } else { &[] };
        let mut all = Self::each(layer, depths, Statistic::AnnualProbability);
        all.extend(Self::each(layer, depths, Statistic::ReturnPeriod));
        all.extend(Self::extremes(layer));
        all
    }

    fn extremes(layer: &'static Layer) -> [Aggregate; 2] {
        [Statistic::Greatest, Statistic::Least].map(|statistic| Aggregate { layer, statistic })
    }

    fn each(layer: &'static Layer, of: &[f64], statistic: fn(f64) -> Statistic) -> Vec<Aggregate> {
        of.iter().map(|number| Aggregate { layer, statistic: statistic(*number) }).collect()
    }

    /// Returns the file name without its extension.
    pub fn stem(&self) -> String {
        let key = self.layer.key;
        match self.statistic {
            Statistic::Probability(depth) => format!("{SHARE}{depth}m"),
            Statistic::AnnualProbability(depth) => format!("{ANNUAL}{depth}m"),
            Statistic::ReturnPeriod(depth) => format!("{PERIOD}{depth}m"),
            Statistic::Mean => format!("{key}_mean"),
            Statistic::Greatest => format!("{key}_max"),
            Statistic::Least => format!("{key}_min"),
            Statistic::Percentile(percentile) => format!("{key}_p{percentile}"),
        }
    }

    /// Returns `true` if a name is a possible [`Aggregate::stem`].
    pub fn is_stem(name: &str) -> bool {
        let number = |text: &str| text.parse::<f64>().is_ok();
        let depths = [SHARE, ANNUAL, PERIOD].into_iter();
        let mut depths = depths.filter_map(|start| name.strip_prefix(start)?.strip_suffix('m'));
        let of_layer = |rest: &str| {
            matches!(rest, "_mean" | "_max" | "_min") || rest.strip_prefix("_p").is_some_and(number)
        };
        let mut keys = layers::keys().into_iter();
        depths.any(number) || keys.any(|key| name.strip_prefix(key).is_some_and(of_layer))
    }

    /// Returns the description of the band, for runs with such a clock.
    pub fn description(&self, clock: &Clock) -> String {
        let name = (self.layer.long_name)(clock);
        match self.statistic {
            Statistic::Probability(depth) => format!("probability of water deeper than {depth} m"),
            Statistic::AnnualProbability(depth) => {
                format!("annual exceedance probability of {depth} m of water")
            }
            Statistic::ReturnPeriod(depth) => {
                format!("return period of the first event with more than {depth} m of water")
            }
            Statistic::Mean => format!("mean of the {name} over the runs"),
            Statistic::Greatest => format!("greatest {name} of the runs"),
            Statistic::Least => format!("least {name} of the runs"),
            Statistic::Percentile(p) => format!("percentile {p} of the {name} over the runs"),
        }
    }

    /// Returns the name of the mapped quantity, for runs with such a clock; the statistic is its
    /// [`Aggregate::choice`].
    pub fn quantity(&self, clock: &Clock) -> String {
        match self.statistic {
            Statistic::Probability(_) => "probability of flooding".into(),
            Statistic::AnnualProbability(_) => "annual exceedance probability of flooding".into(),
            Statistic::ReturnPeriod(_) => "return period of first flooding".into(),
            _ => (self.layer.long_name)(clock).into(),
        }
    }

    /// Returns the name of the statistic, to choose among the maps of a quantity.
    pub fn choice(&self) -> String {
        match self.statistic {
            Statistic::Probability(depth)
            | Statistic::AnnualProbability(depth)
            | Statistic::ReturnPeriod(depth) => format!("deeper than {depth} m"),
            Statistic::Mean => "mean".into(),
            Statistic::Greatest => "greatest".into(),
            Statistic::Least => "least".into(),
            Statistic::Percentile(percentile) => format!("percentile {percentile}"),
        }
    }

    /// Returns the unit of the band, for runs with such a clock.
    pub fn unit(&self, clock: &Clock) -> &'static str {
        match self.statistic {
            Statistic::Probability(_) | Statistic::AnnualProbability(_) => "",
            Statistic::ReturnPeriod(_) => "years",
            _ => (self.layer.unit)(clock),
        }
    }

    /// Returns the colour scale.
    pub fn scale(&self) -> &'static Scale {
        match self.statistic {
            Statistic::Probability(_) => &PROBABILITY,
            Statistic::AnnualProbability(_) => &ANNUAL_PROBABILITY,
            Statistic::ReturnPeriod(_) => &RETURN_PERIOD,
            _ => self.layer.scale,
        }
    }

    /// Returns how overviews are computed.
    pub fn downsampling(&self) -> Downsampling {
        match self.statistic {
            Statistic::Probability(_) | Statistic::AnnualProbability(_) => Downsampling::Mean,
            Statistic::ReturnPeriod(_) => Downsampling::Nearest,
            _ => self.layer.downsampling,
        }
    }

    /// Computes the statistic of a cell from its values and the weights of their runs, in ascending
    /// order if [`Aggregate::needs_order`]; annual ones from the runs' `events` instead, whose
    /// values have the same order; `rounding` is the resolution of depths. [`NODATA`] if no event
    /// floods the cell.
    ///
    /// # Panics
    /// If `values` is empty.
    pub fn of(&self, values: &[(f32, f64)], events: &[Event], rounding: DepthRounding) -> f32 {
        let total = || values.iter().map(|(_, weight)| weight).sum::<f64>();
        let bare = || values.iter().map(|(value, _)| *value);
        // Water of exactly that depth, rounded to a grain, is not above it.
        let above = |limit: f64| {
            let limit = rounding.threshold(limit);
            move |at: usize| values[at].0 > limit
        };
        match self.statistic {
            Statistic::Probability(limit) => {
                let above = (0..values.len()).filter(|at| above(limit)(*at));
                (above.fold(0.0, |sum, at| sum + values[at].1) / total()) as f32
            }
            Statistic::AnnualProbability(limit) => annual::probability(events, above(limit)) as f32,
            Statistic::ReturnPeriod(limit) => {
                annual::first(events, above(limit)).map_or(NODATA, |years| years as f32)
            }
            Statistic::Mean => {
                let sum: f64 =
                    values.iter().map(|(value, weight)| f64::from(*value) * weight).sum();
                (sum / total()) as f32
            }
            Statistic::Greatest => bare().fold(f32::NEG_INFINITY, f32::max),
            Statistic::Least => bare().fold(f32::INFINITY, f32::min),
            Statistic::Percentile(percentile) => quantile(values, percentile / 100.0),
        }
    }

    /// Returns `true` if values must be sorted.
    pub fn needs_order(&self) -> bool {
        matches!(self.statistic, Statistic::Percentile(_))
    }
}
