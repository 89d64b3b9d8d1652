//! Observers of a run between its steps.

use super::Case;
use inundate_engine::backend::{Backend, EdgeAt, Problem, Sample, SampleRequest};
use inundate_engine::cadence::{Cadence, Leg};
use inundate_engine::clock::{Clock, TimeStepping};
use inundate_engine::error::Result;
use inundate_engine::simulation::{Observer, Simulation};
use inundate_engine::solver::edge::EdgeField;

/// Records the states before and after every multiple of an interval.
pub struct Looks {
    every: f64,
    next: u64,
    /// Set if samples are sufficient.
    content: bool,
    wanted: SampleRequest,
    before: Option<Sample>,
    /// Times, with the samples before and after each.
    pub seen: Vec<(f64, Sample, Sample)>,
    /// Number of observations delivered as samples.
    pub told: usize,
}

impl Looks {
    /// Creates an observer of a problem: water and flow around some cells, ports and links.
    pub fn new(problem: &Problem, every: f64, content: bool) -> Looks {
        let mut wanted = SampleRequest { ports: true, links: true, ..SampleRequest::default() };
        let (columns, rows) = (problem.grid.columns, problem.grid.rows);
        for cell in (0..columns * rows).step_by(columns * rows / 23 + 1) {
            let place = (cell % columns, cell / columns);
            wanted.add_water(place);
            for field in EdgeField::ALL.into_iter().filter(|&field| problem.saves(field)) {
                wanted.add_edges(field, EdgeAt::around(place));
            }
        }
        Looks { every, next: 1, content, wanted, before: None, seen: Vec::new(), told: 0 }
    }

    fn due(&self) -> f64 {
        self.next as f64 * self.every
    }

    fn add(&mut self, before: &Sample, after: &Sample) {
        assert_eq!(before.number + 1, after.number, "a step lies between them");
        while self.due() <= after.time {
            assert!(self.due() > before.time, "no look is left out");
            self.seen.push((self.due(), before.clone(), after.clone()));
            self.next += 1;
        }
    }
}

impl Observer for Looks {
    fn next_sample_time(&self) -> Option<f64> {
        Some(self.due())
    }

    fn sample_request(&self) -> Option<SampleRequest> {
        self.content.then(|| self.wanted.clone())
    }

    fn next_sample_times(&self, most: usize) -> Vec<f64> {
        (self.next..).take(most).map(|number| number as f64 * self.every).collect()
    }

    fn sampled(&mut self, before: &Sample, after: &Sample) -> Result<()> {
        let known = self.seen.len();
        self.add(before, after);
        self.told += self.seen.len() - known;
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
pub struct Rare {
    /// Time of the next observation, and the interval (s).
    pub next: f64,
    pub every: f64,
    due: bool,
}

impl Rare {
    /// Creates an observer with an interval.
    pub fn new(every: f64) -> Rare {
        Rare { next: every, every, due: false }
    }
}

impl Observer for Rare {
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
        assert!(clock.now() < self.next, "no look is left out");
        Ok(())
    }
}

/// Runs a case to a time with frequent observations, and occasional ones of the state.
pub fn run(
    case: &Case,
    simulation: &mut Simulation,
    (end, every): (f64, f64),
    content: bool,
) -> Result<Looks> {
    if let TimeStepping::Adaptive { end: at, .. } = &mut simulation.clock.time_stepping {
        *at = end;
    }
    let mut looks = Looks::new(&case.problem(), every, content);
    let mut rare = Rare::new(end / 3.0);
    simulation.run_by(
        Leg::WHOLE,
        &mut Cadence::default(),
        &mut [&mut looks, &mut rare],
        |_, _, _, _| Ok(()),
    )?;
    Ok(looks)
}
