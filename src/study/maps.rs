//! The maps over the runs of a study: what each tells of a cell, and how its file is labelled.

use super::quantile::quantile;
use crate::engine::clock::Clock;
use crate::output::colour::Scale;
use crate::output::colour::quantities::PROBABILITY;
use crate::output::layers::{self, Layer, MAX_DEPTH};

/// What a map tells of a cell's values in all runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tells {
    /// The share of the weight of runs whose value is above a depth (m).
    Probability(f64),
    /// The weighted mean.
    Mean,
    /// The greatest of any run.
    Greatest,
    /// The least of any run.
    Least,
    /// A percentile (0 to 100).
    Percentile(f64),
}

/// A map over runs on the same grid.
#[derive(Clone, Copy, Debug)]
pub struct Aggregate {
    /// The layer that it is of.
    pub layer: &'static Layer,
    /// What it tells.
    pub tells: Tells,
}

impl Aggregate {
    /// All maps of a layer; probabilities, above these depths (m), are of the maximum depth.
    pub fn all(layer: &'static Layer, depths: &[f64], percentiles: &[f64]) -> Vec<Aggregate> {
        let depths = if layer.key == MAX_DEPTH.key { depths } else { &[] };
        let mut all: Vec<Tells> = depths.iter().map(|depth| Tells::Probability(*depth)).collect();
        all.extend([Tells::Mean, Tells::Greatest, Tells::Least]);
        all.extend(percentiles.iter().map(|percentile| Tells::Percentile(*percentile)));
        all.into_iter().map(|tells| Aggregate { layer, tells }).collect()
    }

    /// File name without its ending.
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

    /// Whether a name is one that [`Aggregate::stem`] gives.
    pub fn is_stem(name: &str) -> bool {
        let number = |text: &str| text.parse::<f64>().is_ok();
        let depth = name.strip_prefix("probability_above_").and_then(|rest| rest.strip_suffix('m'));
        let of_layer = |rest: &str| {
            matches!(rest, "_mean" | "_max" | "_min") || rest.strip_prefix("_p").is_some_and(number)
        };
        let mut keys = layers::keys().into_iter();
        depth.is_some_and(number) || keys.any(|key| name.strip_prefix(key).is_some_and(of_layer))
    }

    /// Description of the band, for runs with such a clock.
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

    /// The quantity that it is of, for runs with such a clock: what it tells of it is its [`Aggregate::choice`].
    pub fn quantity(&self, clock: &Clock) -> String {
        match self.tells {
            Tells::Probability(_) => "probability of flooding".into(),
            _ => (self.layer.long_name)(clock).into(),
        }
    }

    /// What it tells, among the maps of its quantity.
    pub fn choice(&self) -> String {
        match self.tells {
            Tells::Probability(depth) => format!("deeper than {depth} m"),
            Tells::Mean => "mean".into(),
            Tells::Greatest => "greatest".into(),
            Tells::Least => "least".into(),
            Tells::Percentile(percentile) => format!("percentile {percentile}"),
        }
    }

    /// Unit of the band, for runs with such a clock.
    pub fn unit(&self, clock: &Clock) -> &'static str {
        match self.tells {
            Tells::Probability(_) => "",
            _ => (self.layer.unit)(clock),
        }
    }

    /// Its colours.
    pub fn scale(&self) -> &'static Scale {
        match self.tells {
            Tells::Probability(_) => &PROBABILITY,
            _ => self.layer.scale,
        }
    }

    /// Whether overviews average.
    pub fn averages(&self) -> bool {
        self.layer.averages || matches!(self.tells, Tells::Probability(_))
    }

    /// What it tells of a cell whose values, with the weights of their runs, are in ascending order if
    /// [`Aggregate::needs_order`].
    ///
    /// # Panics
    /// If there is no value.
    pub fn of(&self, values: &[(f32, f64)]) -> f32 {
        let total = || values.iter().map(|(_, weight)| weight).sum::<f64>();
        let bare = || values.iter().map(|(value, _)| *value);
        match self.tells {
            Tells::Probability(limit) => {
                // As f32, so that 0.1 from a file is not above 0.1.
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

    /// Whether values must be in order.
    pub fn needs_order(&self) -> bool {
        matches!(self.tells, Tells::Percentile(_))
    }
}
