//! The maps of a scenario: which layers are written, and what must be noted for them.

use super::options::{DEFAULT_ARRIVAL_DEPTH, Options, Quantity};
use crate::engine::grains::Grain;
use crate::engine::losses::Losses;
use crate::engine::rule::RuleInfo;
use crate::engine::track::Track;
use crate::error::{Error, Result};
use crate::layers::{self, Chosen};
use crate::units;

/// The most depths at which arrivals are told.
const MOST_ARRIVALS: usize = 6;

/// What a run writes maps of.
pub struct Maps {
    /// The layers.
    pub chosen: Chosen,
    /// What must be noted for them.
    pub tracks: Vec<Track>,
}

impl Maps {
    /// The maps that the options ask for; `arrivals` are the [`arrival_depths`].
    pub fn of(
        options: &Options,
        rule: &RuleInfo,
        losses: &Option<Losses>,
        grain: Grain,
        arrivals: &[f64],
    ) -> Result<Maps> {
        let layers = layers::choose(&options.layers, rule.is_timed(), losses.is_some())?;
        let grains = |depth: &f64| arrival_grains(*depth, grain);
        let above = arrivals.iter().map(grains).collect::<Result<Vec<i32>>>()?;
        let tracks = layers::tracks(&layers, above[0], &above[1..]);
        Ok(Maps { chosen: Chosen { layers, arrivals: arrivals[1..].to_vec() }, tracks })
    }
}

/// The depths that count as arrival (m): at least one, no two the same.
pub fn arrival_depths(options: &Options) -> Result<Vec<f64>> {
    let Some(Quantity(text)) = &options.arrival_depth else {
        return Ok(vec![DEFAULT_ARRIVAL_DEPTH]);
    };
    let mut depths = Vec::new();
    for part in text.split(',') {
        let depth = units::parse_depth(part).map_err(|error| error.of("arrival_depth"))?;
        if depths.contains(&depth) {
            return Err(Error::input(format!("arrival_depth: {depth} m is there twice"))
                .hint("give each depth once"));
        }
        depths.push(depth);
    }
    if depths.len() > MOST_ARRIVALS {
        let count = depths.len();
        return Err(Error::input(format!("arrival_depth: {count} depths are too many"))
            .hint(format!("give up to {MOST_ARRIVALS}")));
    }
    Ok(depths)
}

/// A depth of arrival in grains.
pub fn arrival_grains(depth: f64, grain: Grain) -> Result<i32> {
    grain.from_depth(depth).ok_or_else(|| {
        Error::input(format!("arrival_depth: {depth} m is deeper than any water can get"))
    })
}
