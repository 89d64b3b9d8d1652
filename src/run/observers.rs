//! Observers of a run: progress, samples at gauges and sections, run diagnostics, and map series.

use super::sewers::{SewerCoupling, SewerProblem};
use crate::engine::simulation::{Observer, Simulation};
use crate::error::Result;
use crate::observer::greatest::{Greatest, GreatestValues};
use crate::observer::progress::Progress;
use crate::observer::series::MapSeries;
use crate::observer::time_step_limiter::StepLimits;
use crate::observer::watch::Watch;
use crate::output::folder::OutputFolder;
use crate::output::layers::Maps;
use crate::output::results::{Results, Writing};
use crate::output::timings::Waits;
use crate::output::watch::{Accounts, Records};
use crate::scenario::Facts;
use crate::scenario::options::Options;
use crate::scenario::sewers::Sewers;
use std::sync::Arc;

/// The observers of a run.
pub struct Observers {
    progress: Progress,
    watch: Watch,
    maxima: GreatestValues,
    series: Option<MapSeries>,
    /// Coupling with the sewer network, until the run concludes.
    pub sewers: Option<SewerCoupling>,
    /// Results without maps, for a run that writes no series.
    results: Results,
}

/// Records of a run.
pub struct RunRecords {
    /// Greatest values with places and times.
    pub greatest: Vec<Greatest>,
    /// Places that limited the time step.
    pub step_held: Option<StepLimits>,
    /// Maps written during the run.
    pub results: Results,
}

impl Observers {
    /// Creates the observers of a run before its first step (or its first step after resuming).
    pub fn start(
        options: &Options,
        facts: &Facts,
        maps: &Arc<Maps>,
        folder: &Arc<OutputFolder>,
        simulation: &Simulation,
        waits: &Waits,
        sewers: Option<(SewerProblem, Arc<Sewers>)>,
    ) -> Result<Observers> {
        let clock = &simulation.clock;
        let grain = facts.flow.grain;
        let results = Results::new(facts.scales(options.style.unwrap_or_default(), clock));
        let progress =
            Progress::new(facts.domain_cells, facts.grid.cell_area(), grain, options.quiet);
        let series = |every: f64| {
            let writing = Writing::new(maps, options.compress.unwrap_or_default(), waits);
            let (folder, maps) = (folder.clone(), maps.clone());
            MapSeries::new(every, &facts.layers, folder, maps, clock, writing, results.clone())
        };
        let sewers = sewers.map(|(problem, plan)| {
            SewerCoupling::start(&plan, problem, facts.watched.every, folder)
        });
        Ok(Observers {
            progress: progress.since(clock),
            series: facts.output_every.map(series),
            watch: Watch::start(&facts.watched, &facts.grid, grain, clock, &*simulation.backend)?,
            maxima: GreatestValues::new(facts, maps.clone(), clock),
            sewers: sewers.transpose()?,
            results,
        })
    }

    /// Returns all observers, in the order of their states in a checkpoint.
    pub fn all(&mut self) -> Vec<&mut dyn Observer> {
        let Observers { progress, watch, maxima, series, sewers, .. } = self;
        let mut all: Vec<&mut dyn Observer> = vec![progress, watch, maxima];
        all.extend(series.as_mut().map(|series| series as &mut dyn Observer));
        all.extend(sewers.as_mut().map(|sewers| sewers as &mut dyn Observer));
        all
    }

    /// Switches to other accounts of sources and sinks.
    pub fn follow(&mut self, accounts: &Accounts) {
        self.watch.follow(accounts);
    }

    /// Returns the records after the last step.
    pub fn conclude(&mut self, simulation: &Simulation) -> Result<RunRecords> {
        let (greatest, step_held) =
            self.maxima.conclude(&simulation.clock, &*simulation.backend)?;
        let series = self.series.take();
        let results = series.map_or_else(|| self.results.clone(), |series| series.results);
        Ok(RunRecords { greatest, step_held, results })
    }

    /// Returns the samples at gauges and sections and of the mass balance.
    pub fn records(&self) -> &Records {
        &self.watch.records
    }
}
