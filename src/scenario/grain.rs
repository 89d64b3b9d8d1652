//! Choice of the grain, the resolution of the water depth.

use super::options::GrainChoice;
use crate::engine::forcing::RateLayer;
use crate::engine::grains::Grain;
use crate::engine::grid::Bed;
use crate::error::{Error, Result};
use crate::units::Metre;
use rayon::prelude::*;

/// Chooses the grain: as given, or for `auto` fine unless water is `expected` (m) to exceed half
/// the greatest depth of a fine grain. `requested` (m) is the greatest depth that the scenario
/// itself sets.
///
/// # Errors
/// If the grain cannot hold `requested`.
pub fn choose(choice: GrainChoice, requested: Metre, expected: Metre) -> Result<Grain> {
    let grain = match choice {
        GrainChoice::Fine => Grain::Fine,
        GrainChoice::Coarse => Grain::Coarse,
        GrainChoice::Auto if expected > Grain::Fine.deepest() / 2.0 => Grain::Coarse,
        GrainChoice::Auto => Grain::Fine,
    };
    if requested > grain.deepest() {
        let error = Error::input(format!(
            "the scenario puts {requested:.1} m of water in a cell at once, more than the {:.0} m that {} allows",
            grain.deepest(),
            if grain == Grain::Fine { "--grain fine" } else { "even --grain coarse" },
        ));
        return Err(error.hint(if requested <= Grain::Coarse.deepest() {
            "use --grain coarse (or auto), or shorter steps if a source brings it"
        } else {
            "check the heights of the DEM and their unit, the depths and levels, and the sources"
        }));
    }
    Ok(grain)
}

/// Water this far above the highest ground is a wrong unit (m).
const ABOVE: Metre = 1000.0;

/// Refuses a depth `requested` (m) that would be far above the highest ground; `relief` (m) is the
/// height of the highest ground above the lowest.
pub fn check_asked(requested: Metre, relief: Metre) -> Result<()> {
    if requested <= relief + ABOVE {
        return Ok(());
    }
    Err(Error::input(format!(
        "the scenario puts {requested:.1} m of water in a cell at once, which is more than {ABOVE} m above the highest ground of the DEM"
    ))
    .hint("check the units of depths and levels, and the heights of the DEM"))
}

/// Message about water that is counted in coarse grains.
pub enum GrainNote {
    /// A cell can hold the expected depth.
    Fits(String),
    /// No cell can hold the expected depth.
    TooDeep(String),
}

/// Returns a message if water is `expected` (m) to be so deep that it is counted in coarse grains.
pub fn note(grain: Grain, expected: Metre) -> Option<GrainNote> {
    let deepest = Grain::Coarse.deepest();
    let deep = format!("if all water ran to the lowest ground, it would be {expected:.0} m deep");
    let note = if expected <= deepest {
        GrainNote::Fits(format!(
            "{deep}; depths are kept to 2^-17 m, which allows {deepest:.0} m (--grain fine keeps them to 2^-24 m, up to 128 m)"
        ))
    } else {
        GrainNote::TooDeep(format!(
            "{deep}, and no cell holds more than {deepest:.0} m: the run fails if one gets deeper; check the units of rain and sources"
        ))
    };
    (grain == Grain::Coarse).then_some(note)
}

/// Returns the depth (m) that rain and sources add by `end` (s, or steps), spread over the domain.
pub fn mean_depth(rates: &[RateLayer], bed: &Bed, end: f64) -> Metre {
    let cells = bed.domain_cells();
    rates.iter().map(|layer| layer.total(cells, end)).sum::<f64>() / cells.max(1) as f64
}

/// Estimates the greatest depth to come (m): the depth if all water, `mean` (m) over the domain,
/// has run to the lowest ground. A pit in higher ground may get deeper.
pub fn depth_at_the_bottom(bed: &Bed, mean: Metre) -> Metre {
    const CLASSES: usize = 4096;
    let Some((lowest, highest)) = bed.range() else { return mean };
    let class = (f64::from(highest) - f64::from(lowest)) / Bed::PER_METRE / CLASSES as f64;
    if class == 0.0 {
        return mean;
    }
    let of = |levels: &[i32]| {
        let mut counts = vec![0u64; CLASSES];
        for &level in levels.iter().filter(|&&level| level != Bed::OUTSIDE) {
            let height = (f64::from(level) - f64::from(lowest)) / Bed::PER_METRE;
            counts[((height / class) as usize).min(CLASSES - 1)] += 1;
        }
        counts
    };
    let both = |mut one: Vec<u64>, other: Vec<u64>| {
        one.iter_mut().zip(other).for_each(|(count, more)| *count += more);
        one
    };
    let counts = bed.levels.par_chunks(1 << 20).map(of).reduce(|| vec![0; CLASSES], both);
    // Fill class by class: raising the level by a step takes its height times the number of cells
    // under water.
    let total: u64 = counts.iter().sum();
    let mut left = mean * total as f64;
    let mut under = 0;
    for (index, count) in counts.into_iter().enumerate() {
        under += count;
        let needed = under as f64 * class;
        if needed >= left {
            return index as f64 * class + left / under as f64;
        }
        left -= needed;
    }
    CLASSES as f64 * class + left / total as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn water_in_a_wedge_stands_as_geometry_says() {
        // A plane from 0 to 100 m: a mean depth of m fills it to √(2 · 100 · m).
        let bed = Bed::from_metres((0..10_000).map(|i| f64::from(i) * 0.01));
        let depth = depth_at_the_bottom(&bed, 2.0);
        assert!((depth - 20.0).abs() < 0.1, "{depth}");
        assert_eq!(depth_at_the_bottom(&Bed::from_metres([5.0, 5.0]), 1.5), 1.5);
    }

    #[test]
    fn the_grain_follows_the_expected_depth_unless_chosen() {
        let choose = |choice, requested, expected| choose(choice, requested, expected).ok();
        assert_eq!(choose(GrainChoice::Auto, 1.0, 63.0), Some(Grain::Fine));
        assert_eq!(choose(GrainChoice::Auto, 1.0, 65.0), Some(Grain::Coarse));
        assert_eq!(choose(GrainChoice::Fine, 1.0, 65.0), Some(Grain::Fine));
        assert_eq!(choose(GrainChoice::Fine, 130.0, 130.0), None);
        assert_eq!(choose(GrainChoice::Auto, 12_000.0, 12_000.0), Some(Grain::Coarse));
        assert_eq!(choose(GrainChoice::Coarse, 17_000.0, 17_000.0), None);
    }
}
