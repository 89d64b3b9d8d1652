//! What watches a run on the way: its progress, what is asked for at gauges and the like, what is greatest, and the maps.

use crate::engine::simulation::{Observer, Simulation};
use crate::error::Result;
use crate::observer::greatest::{Greatest, Maxima};
use crate::observer::holds::StepHeld;
use crate::observer::progress::Progress;
use crate::observer::series::MapSeries;
use crate::observer::watch::Watch;
use crate::output::folder::OutputFolder;
use crate::output::layers::Maps;
use crate::output::results::{Results, Writing};
use crate::output::watch::{Accounts, Records};
use crate::scenario::Facts;
use std::sync::Arc;

/// The observers of a run.
pub struct Observers {
    progress: Progress,
    watch: Watch,
    maxima: Maxima,
    series: Option<MapSeries>,
    /// No maps, of a run that writes none on the way.
    results: Results,
}

/// What was noted on the way.
pub struct Recorded {
    /// What was greatest, where and when.
    pub greatest: Vec<Greatest>,
    /// What held its steps.
    pub step_held: Option<StepHeld>,
    /// The maps on the way.
    pub results: Results,
}

impl Observers {
    /// Those of a run before its first step, or before those that it goes on with.
    pub fn start(
        facts: &Facts,
        maps: &Arc<Maps>,
        folder: &Arc<OutputFolder>,
        simulation: &Simulation,
        (writing, results): (Writing, Results),
        quiet: bool,
    ) -> Result<Observers> {
        let clock = &simulation.clock;
        let grain = facts.flow.grain;
        let progress = Progress::new(facts.domain_cells, facts.grid.cell_area(), grain, quiet);
        let series = |every: f64, writing: Writing| {
            let writing = (writing, results.clone());
            MapSeries::new(every, &facts.layers, folder.clone(), maps.clone(), clock, writing)
        };
        Ok(Observers {
            progress: progress.since(clock),
            series: facts.output_every.map(|every| series(every, writing)),
            watch: Watch::start(&facts.watched, &facts.grid, grain, clock, &*simulation.backend)?,
            maxima: Maxima::new(facts, maps.clone(), clock),
            results,
        })
    }

    /// All of them, in the order in which checkpoints have what they remember.
    pub fn all(&mut self) -> Vec<&mut dyn Observer> {
        let Observers { progress, watch, maxima, series, .. } = self;
        let mut all: Vec<&mut dyn Observer> = vec![progress, watch, maxima];
        all.extend(series.as_mut().map(|series| series as &mut dyn Observer));
        all
    }

    /// From now on those who bring and take water are these.
    pub fn follow(&mut self, accounts: &Accounts) {
        self.watch.follow(accounts);
    }

    /// What was noted, when the last step is done.
    pub fn conclude(&mut self, simulation: &Simulation) -> Result<Recorded> {
        let (greatest, step_held) =
            self.maxima.conclude(&simulation.clock, &*simulation.backend)?;
        let series = self.series.take();
        let results = series.map_or_else(|| self.results.clone(), |series| series.results);
        Ok(Recorded { greatest, step_held, results })
    }

    /// What was noted at gauges, sections and of the balance.
    pub fn records(&self) -> &Records {
        &self.watch.records
    }
}
