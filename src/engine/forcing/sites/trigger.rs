//! Trigger of a structure: the water level at a cell exceeds a threshold, or a time is reached. It
//! changes no water; the cell remembers when it fired, and the structure reads that
//! ([`Structure::waits`](crate::forcing::structures::Structure::waits)).

use super::rated::Rated;
use super::{CellView, PlacedSite, Site, SiteKind, SiteParameters, StepContext};
use crate::grains::Grain;
use crate::grid::Bed;
use crate::solver::{CudaTwin, cuda_twin};
use crate::units::{Metre, Second};

/// Parameters: the height of the threshold over the cell's lowest ground (grains;
/// [`Trigger::NO_LEVEL`] if there is no threshold), and the bits of the time (s; infinite if there
/// is none). The state is the time at which it fired ([`Trigger::began`]), or 0 before. A stored
/// elapsed time would drift when summed over many steps.
pub struct Trigger;

impl Trigger {
    /// A height above any water.
    pub const NO_LEVEL: u32 = u32::MAX;

    /// Returns the triggers at two cells that fire when the water exceeds a level (m) in the cell,
    /// or at a time (s), over a bed.
    pub fn at(
        cells: [usize; 2],
        level: Option<Metre>,
        time: Option<Second>,
        bed: &Bed,
        grain: Grain,
    ) -> [PlacedSite; 2] {
        let level = level.map(|level| Bed::quantize(level.clamp(-Bed::LIMIT, Bed::LIMIT)));
        let level = level.flatten().map(i64::from);
        cells.map(|cell| {
            let height =
                level.map(|level| (level - i64::from(bed.levels[cell])) * grain.bed_step());
            let numbers = Trigger::numbers(height, time);
            PlacedSite {
                cell,
                given: SiteParameters { numbers, ..SiteParameters::of(SiteKind::Trigger) },
            }
        })
    }

    /// Returns the parameters for a height of water over the cell's lowest ground (grains), or a
    /// time.
    pub fn numbers(height: Option<i64>, time: Option<Second>) -> [u32; 2] {
        let height = height.map(|height| height.clamp(0, i64::from(i32::MAX)) as u32);
        let time = time.unwrap_or(f64::INFINITY) as f32;
        [height.unwrap_or(Trigger::NO_LEVEL), time.to_bits()]
    }

    /// Returns the trigger time from its parameters (s); infinite if there is none.
    pub fn time([_, time]: [u32; 2]) -> Second {
        f64::from(f32::from_bits(time))
    }

    /// Returns the parameters with the time shifted by `elapsed`, the duration of the runs that
    /// this one continues (s): the engine counts trigger times from the start of the first of them.
    pub fn after([height, time]: [u32; 2], elapsed: Second) -> [u32; 2] {
        let time = Trigger::time([height, time]) + elapsed;
        [height, (time as f32).to_bits()]
    }

    /// Returns the time at which the trigger fired, from a cell's state (s); `None` before.
    pub fn began(state: u32) -> Option<f32> {
        (state & !Rated::RUNS != 0).then(|| f32::from_bits(!(state | Rated::RUNS)))
    }

    /// Returns `true` if a run can produce this state.
    pub fn is_plausible(state: u32) -> bool {
        Trigger::began(state).is_none_or(f32::is_finite)
    }

    /// Encodes a time (s) as a cell's state: the inverted bits, so that no time is 0. The lowest
    /// bit is left to a rating curve of the cell.
    pub fn remembers(began: f32) -> u32 {
        !began.to_bits() & !Rated::RUNS
    }
}

impl Site for Trigger {
    const ABOUT: &'static str = "a level or a time that a structure waits for";
    const REMEMBERS: bool = true;
    // Keeps dry parts of the grid from being skipped, so that the time is checked there.
    const BRINGS: bool = true;

    const CUDA: Option<CudaTwin> =
        Some(cuda_twin!("Trigger", "../../kernels/", "sites/trigger.cuh"));

    fn remembered(given: &SiteParameters, seen: CellView, now: &StepContext) -> u32 {
        let [height, time] = given.numbers;
        let time = f32::from_bits(time);
        if Trigger::began(seen.state).is_some() {
            seen.state
        } else if now.step.elapsed[1] > time {
            seen.state | Trigger::remembers(time)
        } else if i64::from(seen.height_of_water(now.grain)) > i64::from(height) {
            seen.state | Trigger::remembers(now.step.elapsed[0])
        } else {
            seen.state
        }
    }

    #[inline(always)]
    fn change(_: &SiteParameters, _: CellView, _: &StepContext) -> i64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::step::{self, Step};
    use crate::forcing::structures::Structure;

    #[test]
    fn it_knows_since_when_a_level_or_a_time_came_to_be_and_never_forgets() {
        let grains = |metres: f64| Grain::Fine.from_depth(metres).unwrap();
        let of = |height: Option<i64>, time| SiteParameters {
            numbers: Trigger::numbers(height, time),
            ..SiteParameters::of(SiteKind::Trigger)
        };
        let after = |given: &SiteParameters, depths: &[f64]| {
            let (mut state, mut end) = (0, 0.0);
            for &depth in depths {
                end += 2.0;
                let step = step::at(0, end - 2.0, 2.0);
                let seen = CellView { water: grains(depth), state, ..CellView::default() };
                state = Trigger::remembered(given, seen, &StepContext::of(&step, Grain::Fine));
            }
            Trigger::began(state)
        };
        let level = of(Some(grains(1.5).into()), None);
        assert_eq!(after(&level, &[0.0, 1.5, 1.4]), None);
        assert_eq!(after(&level, &[0.0, 1.51, 0.2, 0.0]), Some(2.0));
        let time = of(None, Some(3.5));
        assert_eq!(after(&time, &[9.0]), None);
        assert_eq!(after(&time, &[0.0, 9.0, 0.0]), Some(3.5));
        assert_eq!(after(&of(Some(-77), None), &[1e-6]), Some(0.0));
    }

    #[test]
    fn a_cell_may_have_a_rating_curve_too() {
        let step = step::at(0, 4.0, 2.0);
        let mut tables = Vec::new();
        let at = Rated::table(&mut tables, [0.5, 0.2], &[(0.0, 0.0), (1.0, 2.0)]);
        let now = StepContext { tables: &tables, ..StepContext::of(&step, Grain::Fine) };
        let rated = SiteParameters { numbers: [at, 0], ..SiteParameters::of(SiteKind::Rated) };
        let after = |state: u32, depth: f64, time: f64| {
            let water = Grain::Fine.from_depth(depth).unwrap();
            let seen = CellView { water, before: water, state, ..CellView::default() };
            let state = Rated::remembered(&rated, seen, &now);
            let numbers = Trigger::numbers(None, Some(time));
            let waits = SiteParameters { numbers, ..SiteParameters::of(SiteKind::Trigger) };
            Trigger::remembered(&waits, CellView { state, ..seen }, &now)
        };
        // The outlet runs, and nothing has fired; then it has fired, and the outlet runs on at less
        // depth, and stops.
        let runs = after(0, 0.6, 9.0);
        assert_eq!((runs, Trigger::began(runs)), (Rated::RUNS, None));
        let both = after(runs, 0.4, 5.0);
        assert_eq!((both & Rated::RUNS, Trigger::began(both)), (Rated::RUNS, Some(5.0)));
        let stopped = after(both, 0.1, 5.0);
        assert_eq!((stopped & Rated::RUNS, Trigger::began(stopped)), (0, Some(5.0)));
    }

    #[test]
    fn the_time_since_then_does_not_drift_over_many_steps() {
        let given = SiteParameters {
            numbers: Trigger::numbers(Some(0), None),
            ..SiteParameters::of(SiteKind::Trigger)
        };
        // 58 hours of steps of 0.7 s.
        let (steps, dt) = (300_000, 0.7f64);
        let mut state = 0;
        let mut since = 0.0;
        for number in 10..10 + steps {
            let [start, end] = [number, number + 1].map(|number| (number as f64 * dt) as f32);
            let step = Step { end, elapsed: [start, end], ..step::at(number, start, dt as f32) };
            let seen = CellView { water: 1, state, ..CellView::default() };
            let now = StepContext::of(&step, Grain::Fine);
            state = Trigger::remembered(&given, seen, &now);
            since = Structure::since([0, state], &now);
        }
        let exact = steps as f64 * dt;
        assert!((f64::from(since) - exact).abs() < 0.02, "{since} {exact}");
    }
}
