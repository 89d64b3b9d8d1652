//! The loop: step, advance the clock, tell the observers.

use crate::backend::{Backend, StateLayer, Step, TooDeep};
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::forcing::Increment;
use crate::forcing::series::Series;
use crate::grains::Grain;

/// Watches a run. Called after every step.
pub trait Observer {
    /// Looks at the state after a step; an error ends the run.
    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()>;
}

/// A run: a state that steps by a clock under its forcing.
pub struct Simulation {
    /// Where the state is.
    pub backend: Box<dyn Backend>,
    /// Time.
    pub clock: Clock,
    /// The rate of every rate layer of the forcing, in the backend's order.
    pub series: Vec<Series>,
    /// Grain of the water.
    pub grain: Grain,
}

impl Simulation {
    /// Runs until the clock's end.
    pub fn run(&mut self, observers: &mut [&mut dyn Observer]) -> Result<()> {
        while !self.clock.is_over() {
            let step = self.next_step();
            self.backend.step(&step).map_err(|TooDeep| self.too_deep())?;
            self.clock.done += 1;
            for observer in observers.iter_mut() {
                observer.after_step(&self.clock, &*self.backend)?;
            }
        }
        Ok(())
    }

    /// Takes `steps` steps without observers.
    pub fn advance(&mut self, steps: u64) -> Result<()> {
        for _ in 0..steps {
            let step = self.next_step();
            self.backend.step(&step).map_err(|TooDeep| self.too_deep())?;
            self.clock.done += 1;
        }
        Ok(())
    }

    fn next_step(&self) -> Step {
        let clock = &self.clock;
        let (start, end) = (clock.now(), clock.time_after(clock.done + 1));
        let increment = |series: &Series| Increment {
            before: series.grains(start, self.grain),
            after: series.grains(end, self.grain),
        };
        Step {
            number: clock.done,
            end: end as f32,
            increments: self.series.iter().map(increment).collect(),
        }
    }

    fn too_deep(&self) -> Error {
        let when = self.clock.show(self.clock.now());
        let deepest = self.grain.deepest();
        let place = self.deepest_place();
        let error =
            Error::run(format!("water got deeper than {deepest:.0} m after {when} ({place})"));
        match self.grain {
            Grain::Fine => error.hint("run it with --grain coarse, which holds depths to 2048 m"),
            Grain::Coarse => error.hint("look for a pit in the DEM or an inflow that is too large"),
        }
    }

    /// Where the water is deepest, for the message.
    fn deepest_place(&self) -> String {
        let (columns, rows) = self.backend.shape();
        let mut row_water = vec![0; columns];
        let mut deepest = (0, 0, 0);
        for row in 0..rows {
            self.backend.read_grains(StateLayer::Water, row, &mut row_water);
            for (column, &water) in row_water.iter().enumerate() {
                deepest = deepest.max((water, column, row));
            }
        }
        let (water, column, row) = deepest;
        format!("deepest: {:.1} m in column {column}, row {row}", self.grain.depth(water))
    }
}
