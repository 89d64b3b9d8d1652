//! The maps over the runs of a study: what each tells of a cell, and how its file is labelled.

use super::quantile::quantile;
use crate::layers::MAX_DEPTH;
use crate::output::style;

/// The style of a probability.
const PROBABILITY: &str = include_str!("styles/probability.qml");

/// A map over runs on the same grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Map {
    /// The share of the weight of runs whose maximum depth is above a depth (m).
    Probability(f64),
    /// The weighted mean of the maximum depth.
    Mean,
    /// The greatest maximum depth of any run.
    Greatest,
    /// The least maximum depth of any run.
    Least,
    /// A percentile (0 to 100) of the maximum depth.
    Percentile(f64),
}

impl Map {
    /// All maps for these depths (m) and percentiles.
    pub fn all(depths: &[f64], percentiles: &[f64]) -> Vec<Map> {
        let mut all: Vec<Map> = depths.iter().map(|depth| Map::Probability(*depth)).collect();
        all.extend([Map::Mean, Map::Greatest, Map::Least]);
        all.extend(percentiles.iter().map(|percentile| Map::Percentile(*percentile)));
        all
    }

    /// File name without its ending.
    pub fn stem(&self) -> String {
        match self {
            Map::Probability(depth) => format!("probability_above_{depth}m"),
            Map::Mean => "max_depth_mean".into(),
            Map::Greatest => "max_depth_max".into(),
            Map::Least => "max_depth_min".into(),
            Map::Percentile(percentile) => format!("max_depth_p{percentile}"),
        }
    }

    /// Description of the band.
    pub fn description(&self) -> String {
        match self {
            Map::Probability(depth) => format!("probability of water deeper than {depth} m"),
            Map::Mean => "mean of the maximum water depth over the runs".into(),
            Map::Greatest => "greatest maximum water depth of the runs".into(),
            Map::Least => "least maximum water depth of the runs".into(),
            Map::Percentile(p) => {
                format!("percentile {p} of the maximum water depth over the runs")
            }
        }
    }

    /// Unit of the band.
    pub fn unit(&self) -> &'static str {
        match self {
            Map::Probability(_) => "",
            _ => "m",
        }
    }

    /// The text of its style for QGIS.
    pub fn style(&self) -> String {
        match self {
            Map::Probability(_) => PROBABILITY.to_string(),
            _ => style::text(MAX_DEPTH.style, None, self.unit()),
        }
    }

    /// What it tells of a cell whose depths (m), with the weights of their runs, are in ascending order if
    /// [`Map::needs_order`].
    ///
    /// # Panics
    /// If there is no depth.
    pub fn of(&self, depths: &[(f32, f64)]) -> f32 {
        let total = || depths.iter().map(|(_, weight)| weight).sum::<f64>();
        let values = || depths.iter().map(|(depth, _)| *depth);
        match *self {
            Map::Probability(limit) => {
                // As f32, so that 0.1 from a file is not above 0.1.
                let above = |(depth, weight): &(f32, f64)| {
                    if *depth > limit as f32 { *weight } else { 0.0 }
                };
                (depths.iter().map(above).sum::<f64>() / total()) as f32
            }
            Map::Mean => {
                let sum: f64 =
                    depths.iter().map(|(depth, weight)| f64::from(*depth) * weight).sum();
                (sum / total()) as f32
            }
            Map::Greatest => values().fold(f32::NEG_INFINITY, f32::max),
            Map::Least => values().fold(f32::INFINITY, f32::min),
            Map::Percentile(percentile) => quantile(depths, percentile / 100.0),
        }
    }

    /// Whether depths must be in order.
    pub fn needs_order(&self) -> bool {
        matches!(self, Map::Percentile(_))
    }
}
