//! Statistical maps over the runs of a study, and their labels.

use super::quantile::quantile;
use crate::engine::clock::Clock;
use crate::output::colour::Scale;
use crate::output::colour::quantities::PROBABILITY;
use crate::output::layers::{self, Layer, MAX_DEPTH};

/// Statistic of a cell's values in all runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tells {
    /// Weighted share of the runs whose value is above a depth (m).
    Probability(f64),
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
    pub tells: Tells,
}

impl Aggregate {
    /// Returns all maps of a layer; exceedance probabilities, for these depths (m), only of the
    /// maximum depth.
    pub fn all(layer: &'static Layer, depths: &[f64], percentiles: &[f64]) -> Vec<Aggregate> {
        let depths = if layer.key == MAX_DEPTH.key { depths } else { &[] };
        let mut all: Vec<Tells> = depths.iter().map(|depth| Tells::Probability(*depth)).collect();
        all.extend([Tells::Mean, Tells::Greatest, Tells::Least]);
        all.extend(percentiles.iter().map(|percentile| Tells::Percentile(*percentile)));
        all.into_iter().map(|tells| Aggregate { layer, tells }).collect()
    }

    /// Returns the file name without its extension.
    pub fn stem(&self) -> String {
        let key = self.layer.key;
        match self.tells {
            Tells::Probability(depth) => format!("probability_above_{depth}m"),
            Tells::Mean => format!("{key}_mean"),
            Tells::Greatest => format!("{key}_max"),
            Tells::Least => format!("{key}_min"),
            Tells::Percentile(percentile) => format!("{key}_p{percentile}"),
        }
    }

    /// Returns whether a name is a possible [`Aggregate::stem`].
    pub fn is_stem(name: &str) -> bool {
        let number = |text: &str| text.parse::<f64>().is_ok();
        let depth = name.strip_prefix("probability_above_").and_then(|rest| rest.strip_suffix('m'));
        let of_layer = |rest: &str| {
            matches!(rest, "_mean" | "_max" | "_min") || rest.strip_prefix("_p").is_some_and(number)
        };
        let mut keys = layers::keys().into_iter();
        depth.is_some_and(number) || keys.any(|key| name.strip_prefix(key).is_some_and(of_layer))
    }

    /// Returns the description of the band, for runs with such a clock.
    pub fn description(&self, clock: &Clock) -> String {
        let name = (self.layer.long_name)(clock);
        match self.tells {
            Tells::Probability(depth) => format!("probability of water deeper than {depth} m"),
            Tells::Mean => format!("mean of the {name} over the runs"),
            Tells::Greatest => format!("greatest {name} of the runs"),
            Tells::Least => format!("least {name} of the runs"),
            Tells::Percentile(p) => format!("percentile {p} of the {name} over the runs"),
        }
    }

    /// Returns the name of the mapped quantity, for runs with such a clock; the statistic is its
    /// [`Aggregate::choice`].
    pub fn quantity(&self, clock: &Clock) -> String {
        match self.tells {
            Tells::Probability(_) => "probability of flooding".into(),
            _ => (self.layer.long_name)(clock).into(),
        }
    }

    /// Returns the name of the statistic, to choose among the maps of a quantity.
    pub fn choice(&self) -> String {
        match self.tells {
            Tells::Probability(depth) => format!("deeper than {depth} m"),
            Tells::Mean => "mean".into(),
            Tells::Greatest => "greatest".into(),
            Tells::Least => "least".into(),
            Tells::Percentile(percentile) => format!("percentile {percentile}"),
        }
    }

    /// Returns the unit of the band, for runs with such a clock.
    pub fn unit(&self, clock: &Clock) -> &'static str {
        match self.tells {
            Tells::Probability(_) => "",
            _ => (self.layer.unit)(clock),
        }
    }

    /// Returns the colour scale.
    pub fn scale(&self) -> &'static Scale {
        match self.tells {
            Tells::Probability(_) => &PROBABILITY,
            _ => self.layer.scale,
        }
    }

    /// Returns whether overviews are averaged.
    pub fn averages(&self) -> bool {
        self.layer.averages || matches!(self.tells, Tells::Probability(_))
    }

    /// Computes the statistic of a cell from its values and the weights of their runs, in ascending
    /// order if [`Aggregate::needs_order`].
    ///
    /// # Panics
    /// If `values` is empty.
    pub fn of(&self, values: &[(f32, f64)]) -> f32 {
        let total = || values.iter().map(|(_, weight)| weight).sum::<f64>();
        let bare = || values.iter().map(|(value, _)| *value);
        match self.tells {
            Tells::Probability(limit) => {
                // Compare as f32, so that 0.1 from a file is not above 0.1.
                let above = |(value, weight): &(f32, f64)| {
                    if *value > limit as f32 { *weight } else { 0.0 }
                };
                (values.iter().map(above).sum::<f64>() / total()) as f32
            }
            Tells::Mean => {
                let sum: f64 =
                    values.iter().map(|(value, weight)| f64::from(*value) * weight).sum();
                (sum / total()) as f32
            }
            Tells::Greatest => bare().fold(f32::NEG_INFINITY, f32::max),
            Tells::Least => bare().fold(f32::INFINITY, f32::min),
            Tells::Percentile(percentile) => quantile(values, percentile / 100.0),
        }
    }

    /// Returns whether values must be sorted.
    pub fn needs_order(&self) -> bool {
        matches!(self.tells, Tells::Percentile(_))
    }
}
