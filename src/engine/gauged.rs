//! Diagnostics at gauges, from every state of a run: greatest depth, its time, and greatest speed.
//!
//! As for [cell diagnostics](crate::cell_diagnostics), the state is recorded at the start of each
//! step and once more at the end of the run. So no state is missed, and the velocities around a
//! cell are complete even if tiles step alternately. The CUDA twin is `kernels/gauge.cu`.

use crate::cell_diagnostics::{NEVER, RowFlow, StateTime};
use crate::hazard;
use serde::{Deserialize, Serialize};

/// Recorded state of a gauge.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[repr(C)]
pub struct GaugeState {
    /// Most water at the end of any step, or at the start of the run (grains).
    pub most: i32,
    /// Time of its first occurrence (s, or steps), or [`NEVER`].
    pub time: f32,
    /// Greatest speed (m/s); 0 if the solver has no velocities.
    pub speed: f32,
}

impl Default for GaugeState {
    /// State before anything was recorded.
    fn default() -> GaugeState {
        GaugeState { most: 0, time: NEVER, speed: 0.0 }
    }
}

impl GaugeState {
    /// Records the gauge's cell: `most` is its greatest [`Field::MaxDepth`](crate::field::Field) so
    /// far, `water` its current water (grains), `edges` the velocities across its edges west, east,
    /// north and south (m/s), [complete](crate::crossed_sides::CrossedSides::complete), if
    /// available.
    pub fn record(&mut self, now: StateTime, water: i32, most: i32, edges: Option<[f32; 4]>) {
        if most > self.most {
            // Water that rose within a step reached this depth at its end, which is the start of
            // this one.
            (self.most, self.time) = (most, now.time);
        }
        let Some([west, east, north, south]) = edges else { return };
        let flow = RowFlow { along: &[west, east], before: &[north], after: &[south] };
        let speed = hazard::speed(water as f32 * now.metres, flow.size(0));
        if speed > self.speed {
            self.speed = speed;
        }
    }

    /// Returns `true` if a run at time `now` (s, or steps) can have recorded this state.
    pub fn is_sound(&self, now: f64) -> bool {
        let seen = self.most > 0 && self.time >= 0.0 && f64::from(self.time) <= now;
        // A time is stored as f32, and may be rounded up.
        let seen = seen || self.most > 0 && self.time == now as f32;
        let nothing = self.most == 0 && self.time == NEVER;
        (seen || nothing) && self.speed.is_finite() && self.speed >= 0.0
    }
}

/// Gauges of a run, in the order of [`Problem::gauges`](crate::backend::Problem::gauges).
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Gauges {
    /// Cells of the gauges, row-major over the grid.
    pub cells: Vec<usize>,
    /// Recorded state of each gauge.
    pub states: Vec<GaugeState>,
}

impl Gauges {
    /// Creates gauges in some cells, with nothing recorded yet.
    pub fn new(cells: &[usize]) -> Gauges {
        Gauges { cells: cells.to_vec(), states: vec![GaugeState::default(); cells.len()] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_time_of_the_deepest_water_and_the_greatest_speed_are_kept() {
        let mut gauge = GaugeState::default();
        let at = |time| StateTime::new(time, time, 0.001);
        // A film has no speed, and what has drained keeps its maximum.
        for (time, water, most, u) in [(0.0, 5, 5, 9.0), (1.0, 30, 30, 2.0), (2.0, 20, 30, 4.0)] {
            gauge.record(at(time), water, most, Some([u, u, 0.0, 0.0]));
        }
        assert_eq!(gauge, GaugeState { most: 30, time: 1.0, speed: 4.0 });
        gauge.record(at(3.0), 20, 30, Some([3.0, 3.0, 4.0, 4.0]));
        gauge.record(at(4.0), 20, 30, None);
        assert_eq!(gauge, GaugeState { most: 30, time: 1.0, speed: 5.0 });
    }

    #[test]
    fn water_that_is_there_at_the_start_is_deepest_then() {
        let mut gauge = GaugeState::default();
        gauge.record(StateTime::new(0.0, 1.0, 0.001), 40, 40, None);
        gauge.record(StateTime::new(1.0, 2.0, 0.001), 30, 40, None);
        assert_eq!((gauge.most, gauge.time), (40, 0.0));
    }

    #[test]
    fn only_what_a_run_can_have_seen_is_sound() {
        let good = GaugeState { most: 7, time: 3.0, speed: 0.5 };
        assert!(good.is_sound(3.0) && GaugeState::default().is_sound(0.0));
        assert!(GaugeState { time: 0.1, ..good }.is_sound(0.1));
        for bad in [
            GaugeState { most: -1, ..good },
            GaugeState { most: 0, ..good },
            GaugeState { time: 3.5, ..good },
            GaugeState { time: NEVER, ..good },
            GaugeState { time: f32::NAN, ..good },
            GaugeState { speed: f32::INFINITY, ..good },
            GaugeState { speed: -1.0, ..good },
        ] {
            assert!(!bad.is_sound(3.0), "{bad:?}");
        }
    }
}
