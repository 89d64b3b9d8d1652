//! Water that leaves a cell by a rating curve, a table of discharge by depth: an outlet, a gauge's
//! curve, or a pump that starts at one depth and stops at another.

use super::{CellView, Site, SiteParameters, SiteTiming, StepContext, flags};
use crate::forcing::table::Table;
use crate::solver::{CudaTwin, SolverInfo, cuda_twin};

/// Parameters: the offset of its table of discharges (m³/s) by depth (m), and the bits of 1/the
/// cell's area (m⁻²). Two numbers precede the table: the start depth and the stop depth (m).
pub struct Rated;

impl Rated {
    /// Bit of a cell's state that is set while it runs; a [trigger](super::trigger::Trigger) of the
    /// cell uses the other bits.
    pub const RUNS: u32 = 1;

    /// Appends its table to a run's tables and returns its offset: the start and stop depths (m),
    /// and pairs of depth (m, ascending) and discharge (m³/s).
    pub fn table(tables: &mut Vec<f32>, [start, stop]: [f32; 2], pairs: &[(f32, f32)]) -> u32 {
        let at = tables.len() as u32;
        tables.extend([start, stop]);
        Table::add(tables, pairs);
        at
    }

    /// Returns the depth before the flow (m) if it runs at it.
    fn running_at(given: &SiteParameters, seen: CellView, now: &StepContext) -> Option<f32> {
        let at = given.numbers[0] as usize;
        let before = CellView { water: seen.before, ..seen };
        let depth = now.grain.depth(before.height_of_water(now.grain));
        (depth > now.tables[at + (seen.state & Rated::RUNS) as usize]).then_some(depth)
    }
}

impl Site for Rated {
    const ABOUT: &'static str = "water that leaves by a rating curve";
    const FLAG: u8 = flags::AFTER_FLOW;
    const REMEMBERS: bool = true;

    const CUDA: Option<CudaTwin> = Some(cuda_twin!("Rated", "../../kernels/", "sites/rated.cuh"));

    fn when(solver: &SolverInfo) -> Option<SiteTiming> {
        Some(SiteTiming::of_rate(solver))
    }

    fn remembered(given: &SiteParameters, seen: CellView, now: &StepContext) -> u32 {
        seen.state & !Rated::RUNS | u32::from(Rated::running_at(given, seen, now).is_some())
    }

    #[inline(always)]
    fn change(given: &SiteParameters, seen: CellView, now: &StepContext) -> i64 {
        let [at, per_area] = given.numbers;
        let Some(depth) = Rated::running_at(given, seen, now) else { return 0 };
        let rate = Table { all: now.tables, at: at as usize + 2 }.of(depth);
        let per_area = f32::from_bits(per_area);
        let grains = (rate * per_area) * (now.step.dt * now.grain.per_metre()) + now.phase;
        -i64::from((grains.clamp(0.0, 1e9) as i32).min(seen.water))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::sites::SiteKind;
    use crate::forcing::step;
    use crate::grains::Grain;

    #[test]
    fn it_gives_what_the_table_says_and_starts_and_stops_by_depth() {
        let mut tables = vec![7.0; 3];
        let at = Rated::table(&mut tables, [0.5, 0.2], &[(0.0, 0.0), (1.0, 2.0), (2.0, 8.0)]);
        let step = step::at(0, 0.0, 1.0);
        let now = StepContext { tables: &tables, ..StepContext::of(&step, Grain::Fine) };
        let numbers = [at, 0.01f32.to_bits()];
        let given = SiteParameters { numbers, ..SiteParameters::of(SiteKind::Rated) };
        let step_from = |depth: f64, state: u32| {
            let water = Grain::Fine.from_depth(depth).unwrap();
            let seen = CellView { water, before: water, state, ..CellView::default() };
            let gone = -Rated::change(&given, seen, &now) as f64 / f64::from(1 << 24) / 0.01;
            (gone, Rated::remembered(&given, seen, &now))
        };
        for (depth, state, discharge, then) in [
            (0.4, 0, 0.0, 0),
            (0.6, 0, 1.2, 1),
            (0.4, 1, 0.8, 1),
            (0.2, 1, 0.0, 0),
            (1.5, 1, 5.0, 1),
            (9.0, 1, 8.0, 1),
        ] {
            let (gone, remembered) = step_from(depth, state);
            assert!((gone - discharge).abs() < 1e-4, "{depth}, {state}: {gone}");
            assert_eq!(remembered, then, "{depth}, {state}");
        }
    }
}
