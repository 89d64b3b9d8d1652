//! Step limits from the coming forcing. The CFL limit follows from the flow of the previous step,
//! so it does not account for a source that starts, a stage that jumps, or rain on dry ground;
//! these are known in advance.
//!
//! All sources are combined into a *stair*: an upper bound, piecewise constant in time, on the rate
//! at which any cell gains depth (m/s). A step is limited so that no cell gains more depth than its
//! length allows by the CFL condition ([`AnySolver::cfl_rate_of_depth`]). The limits are computed
//! once, with correctly rounded operations, and passed to the backends. Once the water flows, the
//! CFL limit of the flow is usually stricter (docs/decisions/0023-steps-bounded-by-forcing.md).

use super::series::{Piece, Series};
use super::{Account, Footprint, Forcing, Share, StageBoundary};
use crate::grid::Bed;
use crate::solver::AnySolver;
use crate::time_step::Bound;
use std::collections::BTreeMap;

/// Step length beyond which there is no limit (s).
const LONGEST: f64 = 3600.0;

/// Number of doublings in the stair of a rate that rises from 0.
const DOUBLINGS: i32 = 24;

/// A piecewise constant quantity: start times and values; 0 before the first.
type Stair = Vec<(f64, f64)>;

/// Returns the bounds of a run over a bed.
pub fn of(forcing: &Forcing, bed: &Bed, law: Law) -> Vec<Bound> {
    if !law.solver.info().is_timed() {
        return Vec::new();
    }
    let stages = forcing.stage_boundaries.iter();
    let stages = stages.flat_map(|stage| law.of_level(&stage.level, lowest(stage, bed)));
    let gains = all(stages.chain([of_rates(forcing)]).collect(), f64::max);
    let mut bounds: Vec<Bound> = Vec::new();
    for (time, rate) in gains {
        let longest = law.longest(rate);
        let before = bounds.last().map_or(f64::INFINITY, |bound| bound.longest);
        if longest != before {
            bounds.push(Bound { time, longest });
        }
    }
    bounds
}

/// Relates the depth gained in a step to the step length.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Solver.
    pub solver: AnySolver,
    /// Shorter side of a cell (m).
    pub length: f32,
    /// Minimum of Manning's n (s/m^⅓).
    pub roughness: f32,
}

impl Law {
    /// Returns the longest step (s) that a depth (m) allows.
    fn step(&self, depth: f64) -> f64 {
        let cfl_rate = self.solver.cfl_rate_of_depth(depth as f32, self.length, self.roughness);
        f64::from(self.solver.info().safety()) / f64::from(cfl_rate)
    }

    /// Returns the longest step (s) that the depth gained in it at a rate (m/s) allows; infinite
    /// without a limit.
    pub fn longest(&self, rate: f64) -> f64 {
        let holds = |dt: f64| dt <= self.step(rate * dt);
        if rate <= 0.0 || holds(LONGEST) {
            return f64::INFINITY;
        }
        let (mut holding, mut failing) = (0.0, LONGEST);
        loop {
            let middle = 0.5 * (holding + failing);
            if middle <= holding || middle >= failing {
                return holding;
            }
            if holds(middle) {
                holding = middle;
            } else {
                failing = middle;
            }
        }
    }

    /// Returns the gains of the cells of a stage boundary, above the lowest of their beds (m):
    /// while the stage rises, and before each jump, since the stage of a step is the one at its
    /// end.
    fn of_level(&self, level: &Series, bed: f64) -> Vec<Stair> {
        let mut rises = Stair::new();
        let mut stairs = Vec::new();
        for (piece, end) in with_ends(level) {
            let rate = 2.0 * piece.half_slope;
            rises.push((piece.time, 0.0));
            if rate > 0.0 && end > bed {
                let under = (bed - piece.value).max(0.0);
                rises.push((piece.time + under / rate, rate));
            }
            let jump = level.jump(piece.time);
            let gain = (piece.value - bed).max(0.0) - (piece.value - jump - bed).max(0.0);
            if gain > 0.0 {
                let takes = self.step(gain).min(LONGEST);
                stairs.push(vec![(piece.time - takes, gain / takes), (piece.time, 0.0)]);
            }
        }
        stairs.push(rises);
        stairs
    }
}

/// Returns the lowest bed level of the cells of a stage boundary (m).
fn lowest(stage: &StageBoundary, bed: &Bed) -> f64 {
    let levels = stage.cells.iter().map(|&cell| f64::from(bed.levels[cell]));
    levels.fold(f64::INFINITY, f64::min) / Bed::PER_METRE
}

/// Returns an upper bound on the gain of any cell from rain and sources (m/s): all rain on the map,
/// plus the greatest total of a cell's own sources.
fn of_rates(forcing: &Forcing) -> Stair {
    let mut wide = Vec::new();
    let mut single = Vec::new();
    let is_source = |account| account != Account::Evaporation;
    for (number, layer) in forcing.rates.iter().enumerate().filter(|(_, of)| is_source(of.account))
    {
        let most = |shares: &[Share]| shares.iter().max().map_or(0.0, |share| share.fraction());
        match &layer.footprint {
            Footprint::Everywhere => wide.push(of_series(&layer.series, 1.0)),
            Footprint::Shares(shares) => wide.push(of_series(&layer.series, most(shares))),
            Footprint::Zones(zoned) => wide.push(of_series(&layer.series, most(&zoned.shares))),
            Footprint::Cells(cells) => {
                single.extend(cells.iter().map(|&(cell, share)| (cell, number, share)));
            }
        }
    }
    single.sort_unstable();
    // Cells with the same sources are represented by one, with the greatest share of each source.
    let mut groups: BTreeMap<Vec<usize>, Vec<Share>> = BTreeMap::new();
    for cell in single.chunk_by(|a, b| a.0 == b.0) {
        let layers = cell.iter().map(|&(_, layer, _)| layer).collect();
        let shares = groups.entry(layers).or_insert_with(|| vec![Share::NONE; cell.len()]);
        shares.iter_mut().zip(cell).for_each(|(most, of)| *most = of.2.max(*most));
    }
    let of_group = |(layers, shares): (Vec<usize>, Vec<Share>)| {
        let each = layers.iter().zip(shares);
        let each =
            each.map(|(&layer, share)| of_series(&forcing.rates[layer].series, share.fraction()));
        all(each.collect(), add)
    };
    wide.push(all(groups.into_iter().map(of_group).collect(), f64::max));
    all(wide, add)
}

fn add(a: f64, b: f64) -> f64 {
    a + b
}

/// Returns the pieces of a series, each with the value at its end.
fn with_ends(series: &Series) -> impl Iterator<Item = (&Piece, f64)> {
    let pieces = series.pieces();
    let ends = pieces.iter().skip(1).map(|next| next.time).chain([f64::INFINITY]);
    pieces.iter().zip(ends).map(|(piece, end)| match piece.half_slope {
        0.0 => (piece, piece.value),
        half => (piece, piece.value + 2.0 * half * (end - piece.time)),
    })
}

/// Returns the stair of a share of a rate. Linear pieces become stairs on which the rate doubles or
/// halves from step to step.
fn of_series(series: &Series, share: f64) -> Stair {
    let mut stair = Stair::new();
    for (piece, end) in with_ends(series) {
        let (low, high) = (piece.value.min(end).max(0.0), piece.value.max(end).max(0.0));
        let halves = (1..=DOUBLINGS).map(|n| high / f64::from(1 << n)).take_while(|at| *at > low);
        let when = |value: f64| piece.time + (value - piece.value) / (2.0 * piece.half_slope);
        let mut part: Stair = if piece.value < end {
            halves.map(|half| (when(half), 2.0 * half)).collect()
        } else {
            halves.map(|half| (when(half), half)).collect()
        };
        let first = if piece.value < end {
            part.reverse();
            part.first().map_or(high, |(_, above)| 0.5 * above)
        } else {
            high
        };
        part.insert(0, (piece.time, first));
        stair.extend(part);
    }
    stair.iter_mut().for_each(|(_, rate)| *rate *= share);
    stair
}

/// Combines stairs pairwise.
fn all(mut stairs: Vec<Stair>, with: fn(f64, f64) -> f64) -> Stair {
    while stairs.len() > 1 {
        let pair = |pair: &[Stair]| match pair {
            [a, b] => both(a, b, with),
            alone => alone.concat(),
        };
        stairs = stairs.chunks(2).map(pair).collect();
    }
    stairs.pop().unwrap_or_default()
}

fn both(a: &Stair, b: &Stair, with: fn(f64, f64) -> f64) -> Stair {
    let mut joint = Stair::with_capacity(a.len() + b.len());
    let (mut next, mut now) = ([0, 0], [0.0, 0.0]);
    loop {
        let times = [a.get(next[0]), b.get(next[1])].map(|at| at.map_or(f64::INFINITY, |at| at.0));
        let time = times[0].min(times[1]);
        if time == f64::INFINITY {
            return joint;
        }
        for (which, stair) in [a, b].into_iter().enumerate() {
            while stair.get(next[which]).is_some_and(|at| at.0 <= time) {
                now[which] = stair[next[which]].1;
                next[which] += 1;
            }
        }
        let value = with(now[0], now[1]);
        if joint.last().is_none_or(|last| last.1 != value) {
            joint.push((time, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::RateLayer;
    use crate::neighbourhood::Neighbourhood;
    use crate::solver;

    fn at(stair: &Stair, time: f64) -> f64 {
        let begun = stair.partition_point(|step| step.0 <= time);
        begun.checked_sub(1).map_or(0.0, |last| stair[last].1)
    }

    fn layer(cells: Option<&[(usize, f64)]>, series: Series) -> RateLayer {
        let share = |&(cell, share): &(usize, f64)| (cell, Share::of(share));
        let (account, footprint) = match cells {
            None => (Account::Rain, Footprint::Everywhere),
            Some(cells) => (Account::Inflow, Footprint::Cells(cells.iter().map(share).collect())),
        };
        RateLayer { account, footprint, series }
    }

    fn law(name: &str) -> Law {
        let solver = solver::find(name).expect("a solver").solver(Neighbourhood::VonNeumann, None);
        Law { solver, length: 10.0, roughness: 0.035 }
    }

    fn bounds(law: Law, layer: RateLayer) -> Vec<Bound> {
        let forcing = Forcing { rates: vec![layer], ..Forcing::default() };
        of(&forcing, &Bed::from_metres([0.0]), law)
    }

    #[test]
    fn a_stair_lies_above_its_series_and_less_than_twice_as_high() {
        let points = vec![(10.0, 0.0), (20.0, 4.0), (40.0, 1.0), (50.0, 1.0), (70.0, 0.0)];
        let series = Series::linear(points);
        let stair = of_series(&series, 0.5);
        assert!(stair.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{stair:?}");
        for tenth in 0..900 {
            let time = f64::from(tenth) * 0.1;
            let (rate, step) = (0.5 * series.at(time), at(&stair, time));
            assert!(step >= rate * (1.0 - 1e-12), "{step} at {time} s: {rate}");
            assert!(step <= 2.0 * rate * (1.0 + 1e-12) + 1e-6, "{step} at {time} s: {rate}");
        }
        assert_eq!(at(&of_series(&Series::constant(3.0), 0.5), 7.0), 1.5);
    }

    #[test]
    fn rain_and_the_sources_of_a_cell_add_up_and_the_most_burdened_cell_counts() {
        let pulse = |from, rate| Series::new(vec![(from, rate), (from + 10.0, 0.0)]);
        let rates = vec![
            layer(None, pulse(0.0, 1.0)),
            layer(None, pulse(5.0, 2.0)),
            layer(Some(&[(3, 1.0), (4, 0.5)]), pulse(2.0, 10.0)),
            layer(Some(&[(4, 1.0), (5, 0.25)]), pulse(4.0, 16.0)),
            RateLayer { account: Account::Evaporation, ..layer(None, pulse(0.0, 99.0)) },
        ];
        let gains = of_rates(&Forcing { rates, ..Forcing::default() });
        let expected =
            [(-1.0, 0.0), (1.0, 1.0), (3.0, 11.0), (4.5, 22.0), (6.0, 24.0), (11.0, 23.0)];
        for (time, rate) in expected.into_iter().chain([(13.0, 18.0), (14.5, 2.0), (15.0, 0.0)]) {
            assert_eq!(at(&gains, time), rate, "at {time} s");
        }
    }

    #[test]
    fn a_bound_is_the_longest_step_whose_gain_allows_it() {
        for (name, power) in
            [("shallow-water", 0.5), ("inertial", 0.5), ("aqua-manning", 7.0 / 6.0)]
        {
            let ramp = Series::linear(vec![(0.0, 0.0), (100.0, 0.0), (160.0, 2.0)]);
            let law = law(name);
            let bounds = bounds(law, layer(Some(&[(5, 1.0)]), ramp));
            // No source at first; then the rate doubles from bound to bound.
            let longest: Vec<f64> = bounds.iter().map(|bound| bound.longest).collect();
            assert!(bounds.iter().all(|bound| bound.time >= 100.0), "{bounds:?}");
            assert!(longest.windows(2).all(|pair| pair[0] > pair[1]) && longest.len() > 5);
            let last = longest[longest.len() - 1];
            let cfl_rate = f64::from(law.solver.cfl_rate_of_depth(
                (2.0 * last) as f32,
                law.length,
                law.roughness,
            ));
            assert!(
                (last * cfl_rate / f64::from(law.solver.info().safety()) - 1.0).abs() < 1e-5,
                "{name}: {last} s"
            );
            // The CFL rate is a power of the depth; compare a depth four times as large.
            let cfl_rates = [1.0, 4.0]
                .map(|depth| law.solver.cfl_rate_of_depth(depth, law.length, law.roughness));
            let found = f64::from(cfl_rates[1] / cfl_rates[0]).log(4.0);
            assert!((found - power).abs() < 1e-3, "{name}: {found}");
        }
        assert!(bounds(law("aqua-graph"), layer(None, Series::constant(1.0))).is_empty());
    }

    #[test]
    fn a_level_is_a_gain_above_its_bed_alone_and_a_jump_of_it_before_its_time() {
        let law = law("shallow-water");
        let gains = |level: &Series, bed: f64| all(law.of_level(level, bed), f64::max);
        let rises = Series::linear(vec![(0.0, -2.0), (10.0, -1.0), (30.0, 1.0), (40.0, 0.0)]);
        let found = gains(&rises, 0.0);
        let times = [5.0, 15.0, 19.9, 20.1, 29.9, 35.0, 50.0];
        let rates = [0.0, 0.0, 0.0, 0.1, 0.1, 0.0, 0.0];
        assert_eq!(times.map(|time| at(&found, time)), rates);
        let jumps = Series::new(vec![(0.0, -2.0), (100.0, 3.0), (200.0, 1.0)]);
        let found = gains(&jumps, -0.25);
        let takes = law.step(3.25);
        assert!(takes > 0.8 && takes < 0.9, "{takes} s");
        let times = [50.0, 100.0 - 1.01 * takes, 100.0 - 0.99 * takes, 99.999, 100.0, 199.9];
        let rate = 3.25 / takes;
        assert_eq!(times.map(|time| at(&found, time)), [0.0, 0.0, rate, rate, 0.0, 0.0]);
        // The bound of this gain is the step from which it was derived.
        assert!((law.longest(rate) / takes - 1.0).abs() < 1e-5);
        assert_eq!(gains(&jumps, 5.0).iter().filter(|step| step.1 > 0.0).count(), 0);
    }
}
