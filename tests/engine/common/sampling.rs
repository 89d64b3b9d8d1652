//! Observers of a run between its steps.

use super::Case;
use inundate_engine::backend::{Backend, EdgeAt, Problem, Sample, SampleRequest};
use inundate_engine::cadence::{Cadence, Leg};
use inundate_engine::clock::{Clock, TimeStepping};
use inundate_engine::error::Result;
use inundate_engine::simulation::{Observer, Simulation};
use inundate_engine::solver::edge::EdgeField;

/// Records the states before and after every multiple of an interval.
pub struct SampleRecorder {
    every: f64,
    next: u64,
    /// Set if it takes samples instead of reading the state.
    takes_samples: bool,
    wanted: SampleRequest,
    before: Option<Sample>,
    /// Times, with the samples before and after each.
    pub seen: Vec<(f64, Sample, Sample)>,
    /// Number of samples delivered by the device.
    pub from_device: usize,
}

impl SampleRecorder {
    /// Creates an observer of a problem: water and flow around some cells, ports and links.
    pub fn new(problem: &Problem, every: f64, takes_samples: bool) -> SampleRecorder {
        let mut wanted = SampleRequest { ports: true, links: true, ..SampleRequest::default() };
        let (columns, rows) = (problem.grid.columns, problem.grid.rows);
        for cell in (0..columns * rows).step_by(columns * rows / 23 + 1) {
            let place = (cell % columns, cell / columns);
            wanted.add_water(place);
            for field in EdgeField::ALL.into_iter().filter(|&field| problem.saves(field)) {
                wanted.add_edges(field, EdgeAt::around(place));
            }
        }
        SampleRecorder {
            every,
            next: 1,
            takes_samples,
            wanted,
            before: None,
            seen: Vec::new(),
            from_device: 0,
        }
    }

    fn due(&self) -> f64 {
        self.next as f64 * self.every
    }

    fn add(&mut self, before: &Sample, after: &Sample) {
        assert_eq!(before.number + 1, after.number, "a step lies between them");
        while self.due() <= after.time {
            assert!(self.due() > before.time, "no sample is missing");
            self.seen.push((self.due(), before.clone(), after.clone()));
            self.next += 1;
        }
    }
}

impl Observer for SampleRecorder {
    fn next_sample_time(&self) -> Option<f64> {
        Some(self.due())
    }

    fn sample_request(&self) -> Option<SampleRequest> {
        self.takes_samples.then(|| self.wanted.clone())
    }

    fn next_sample_times(&self, most: usize) -> Vec<f64> {
        (self.next..).take(most).map(|number| number as f64 * self.every).collect()
    }

    fn sampled(&mut self, before: &Sample, after: &Sample) -> Result<()> {
        let known = self.seen.len();
        self.add(before, after);
        self.from_device += self.seen.len() - known;
        Ok(())
    }

    fn before_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        self.before = Some(backend.sample(&self.wanted, clock.done, clock.now())?);
        Ok(())
    }

    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        if let Some(before) = self.before.take() {
            let after = backend.sample(&self.wanted, clock.done, clock.now())?;
            self.add(&before, &after);
        }
        Ok(())
    }
}

/// Observes the state itself, less often.
pub struct StateObserver {
    /// Time of the next observation, and the interval (s).
    pub next: f64,
    pub every: f64,
    due: bool,
}

impl StateObserver {
    /// Creates an observer with an interval.
    pub fn new(every: f64) -> StateObserver {
        StateObserver { next: every, every, due: false }
    }
}

impl Observer for StateObserver {
    fn next_sample_time(&self) -> Option<f64> {
        Some(self.next)
    }

    fn before_step(&mut self, clock: &Clock, _: &dyn Backend) -> Result<()> {
        assert!(clock.now() < self.next);
        self.due = true;
        Ok(())
    }

    fn after_step(&mut self, clock: &Clock, _: &dyn Backend) -> Result<()> {
        if std::mem::take(&mut self.due) {
            while self.next <= clock.now() {
                self.next += self.every;
            }
        }
        assert!(clock.now() < self.next, "no sample is missing");
        Ok(())
    }
}

/// Runs a case to a time with frequent observations, and occasional ones of the state.
pub fn run(
    case: &Case,
    simulation: &mut Simulation,
    (end, every): (f64, f64),
    takes_samples: bool,
) -> Result<SampleRecorder> {
    if let TimeStepping::Adaptive { end: at, .. } = &mut simulation.clock.time_stepping {
        *at = end;
    }
    let mut recorder = SampleRecorder::new(&case.problem(), every, takes_samples);
    let mut states = StateObserver::new(end / 3.0);
    simulation.run_by(
        Leg::WHOLE,
        &mut Cadence::default(),
        &mut [&mut recorder, &mut states],
        |_, _, _, _| Ok(()),
    )?;
    Ok(recorder)
}
