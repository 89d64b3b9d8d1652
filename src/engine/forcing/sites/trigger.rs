//! What a structure waits for: that the water at a cell stands above a level, or a time. It changes no water; the cell remembers how long
//! ago that came to be, and the structure looks it up ([`Structure::waits`](crate::forcing::structures::Structure::waits)).

use super::{Given, InStep, Placed, Seen, Site, SiteKind, When};
use crate::grains::Grain;
use crate::grid::Bed;
use crate::rule::CudaTwin;
use crate::units::{Metre, Second};

/// Its numbers are how high the water stands over the lowest ground of its cell at the level (grains; [`Trigger::NO_LEVEL`] if it waits
/// for none), and the bits of the time (s; infinite if it waits for none). What is remembered are the bits of the time since (s), 0 before.
pub struct Trigger;

impl Trigger {
    /// More than any water.
    pub const NO_LEVEL: u32 = u32::MAX;

    /// Those of two cells that remember when the water stands above a level (m) in either, or a time (s), over a bed.
    pub fn at(
        cells: [usize; 2],
        (level, time): (Option<Metre>, Option<Second>),
        bed: &Bed,
        grain: Grain,
    ) -> [Placed; 2] {
        let level = level.map(|level| Bed::quantize(level.clamp(-Bed::LIMIT, Bed::LIMIT)));
        let level = level.flatten().map(i64::from);
        cells.map(|cell| {
            let height =
                level.map(|level| (level - i64::from(bed.levels[cell])) * grain.bed_step());
            let numbers = Trigger::numbers(height, time);
            Placed { cell, given: Given { numbers, ..Given::of(SiteKind::Trigger) } }
        })
    }

    /// Its numbers for a height of water over the lowest ground of its cell (grains), or a time.
    pub fn numbers(height: Option<i64>, time: Option<Second>) -> [u32; 2] {
        let height = height.map(|height| height.clamp(0, i64::from(i32::MAX)) as u32);
        let time = time.unwrap_or(f64::INFINITY) as f32;
        [height.unwrap_or(Trigger::NO_LEVEL), time.to_bits()]
    }
}

impl Site for Trigger {
    const ABOUT: &'static str = "a level or a time that a structure waits for";
    const REMEMBERS: bool = true;
    // So that no part of the grid in which time goes on for it is left out of steps because it is dry.
    const BRINGS: bool = true;

    const CUDA: Option<CudaTwin> = Some(CudaTwin {
        name: "Trigger",
        header: "sites/trigger.cuh",
        text: include_str!("../../kernels/sites/trigger.cuh"),
    });

    fn when(_: bool) -> Option<When> {
        Some(When::BeforeFlow)
    }

    fn remembered(given: &Given, seen: Seen, now: &InStep) -> u32 {
        let [height, time] = given.numbers;
        let past = now.step.end - f32::from_bits(time);
        if seen.state != 0 {
            (f32::from_bits(seen.state) + now.step.dt).to_bits()
        } else if past > 0.0 {
            past.to_bits()
        } else if i64::from(seen.stands(now.grain)) > i64::from(height) {
            now.step.dt.to_bits()
        } else {
            0
        }
    }

    #[inline(always)]
    fn change(_: &Given, _: Seen, _: &InStep) -> i64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::step::Step;

    #[test]
    fn it_counts_the_time_since_a_level_or_a_time_and_never_forgets() {
        let grains = |metres: f64| Grain::Fine.from_depth(metres).unwrap();
        let of = |height: Option<i64>, time| Given {
            numbers: Trigger::numbers(height, time),
            ..Given::of(SiteKind::Trigger)
        };
        let after = |given: &Given, depths: &[f64]| {
            let (mut state, mut end) = (0, 0.0);
            for &depth in depths {
                let (increments, levels) = (Vec::new(), Vec::new());
                end += 2.0;
                let step = Step { number: 0, dt: 2.0, start: end - 2.0, end, increments, levels };
                let seen = Seen { water: grains(depth), state, ..Seen::default() };
                state = Trigger::remembered(given, seen, &InStep::of(&step, Grain::Fine));
            }
            f32::from_bits(state)
        };
        let level = of(Some(grains(1.5).into()), None);
        assert_eq!(after(&level, &[0.0, 1.5, 1.4]), 0.0);
        assert_eq!(after(&level, &[0.0, 1.51, 0.2, 0.0]), 6.0);
        let time = of(None, Some(3.5));
        assert_eq!(after(&time, &[9.0]), 0.0);
        assert_eq!(after(&time, &[0.0, 9.0, 0.0]), 2.5);
        assert_eq!(after(&of(Some(-77), None), &[1e-6]), 2.0);
    }
}
