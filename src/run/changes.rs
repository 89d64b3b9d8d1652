//! Changes of a run between two steps by whoever steps it: of its water and its flow here, of its forcing in `forced.rs`.
//!
//! Water that is set is a line of the mass balance of its own, `set`.

use super::processor::TakenProcessor;
use super::{Run, header::Header, lost};
use crate::engine::backend::Problem;
use crate::engine::field::Field;
use crate::engine::forcing::steady;
use crate::engine::simulation::Simulation;
use crate::engine::snapshot::Snapshot;
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// What a run must know for its state and its forcing to be changed.
pub struct Changeable {
    /// Its problem with the forcing as it is now, without the water at the start.
    pub(super) problem: Problem,
    /// What it is put on again.
    processor: TakenProcessor,
    /// The rate layer of rain that falls as no layer of the scenario does, once there is one.
    pub(super) own_rain: Option<usize>,
    /// What was changed, and how often.
    pub(super) changed: BTreeMap<&'static str, u64>,
}

impl Changeable {
    /// Of a run of a problem on a processor.
    pub fn new(problem: &Problem, processor: TakenProcessor) -> Changeable {
        let problem = Problem { initial: Vec::new(), ..problem.clone() };
        Changeable { problem, processor, own_rain: None, changed: BTreeMap::new() }
    }
}

impl Run {
    pub(super) fn changeable(&mut self) -> Result<&mut Changeable> {
        self.changeable.as_mut().ok_or_else(|| {
            Error::input("the run was not started to be changed").hint("start it to be changed")
        })
    }

    /// Sets the water of some cells, by their number row by row from the north-west (grains).
    ///
    /// # Errors
    /// As [`Snapshot::set_water`]; nothing is set then.
    pub fn set_water(&mut self, what: &'static str, cells: &[(usize, i32)]) -> Result<()> {
        if cells.is_empty() {
            return Ok(());
        }
        self.change(what, |state, problem| state.set_water(problem, cells))
    }

    /// Sets velocities (m/s) or discharges (m²/s) over some edges, by their places in a field.
    ///
    /// # Errors
    /// As [`Snapshot::set_flow`]; nothing is set then.
    pub fn set_flow(
        &mut self,
        what: &'static str,
        field: Field,
        edges: &[(usize, f32)],
    ) -> Result<()> {
        if edges.is_empty() {
            return Ok(());
        }
        self.change(what, |state, problem| state.set_flow(problem, field, edges))
    }

    /// Changes the state, which is then put back on the device; nothing is changed by an error of `what`.
    fn change(
        &mut self,
        name: &'static str,
        what: impl FnOnce(&mut Snapshot, &Problem) -> Result<()>,
    ) -> Result<()> {
        let simulation = self.simulation.as_ref().ok_or_else(lost)?;
        let changeable = self.changeable.as_mut();
        let changeable = changeable.expect("it is asked for by those who may change");
        let mut state = Snapshot::of(simulation, &changeable.problem)?;
        what(&mut state, &changeable.problem)?;
        *changeable.changed.entry(name).or_default() += 1;
        self.put(state)
    }

    /// Puts the state on the device again under a forcing of other layers, which fall on other cells.
    pub(super) fn put_back(&mut self) -> Result<()> {
        let simulation = self.simulation.as_ref().ok_or_else(lost)?;
        let changeable = self.changeable.as_ref().expect("it was asked for");
        let state = Snapshot::of(simulation, &changeable.problem)?;
        self.put(state)
    }

    fn put(&mut self, state: Snapshot) -> Result<()> {
        let changeable = self.changeable.as_ref().expect("it was asked for");
        let (problem, processor) = (changeable.problem.clone(), changeable.processor.again());
        // The memory of the one before is given back first.
        self.simulation = None;
        let backend = state.with(|state| processor.start(problem, Some(state)))?;
        self.simulation = Some(Simulation::new(backend, state.clock));
        Ok(())
    }

    /// Forces the run by the series of the problem as it is now.
    pub(super) fn force(&mut self) -> Result<()> {
        let timeline = self.changeable()?.problem.timeline();
        self.simulation.as_mut().ok_or_else(lost)?.force(timeline)?;
        self.follow()
    }

    /// Tells those who keep accounts of another forcing.
    pub(super) fn follow(&mut self) -> Result<()> {
        let cells = self.facts.domain_cells;
        let changeable = self.changeable.as_ref().expect("it was asked for");
        self.facts.watched.accounts.follow(&changeable.problem.forcing, cells);
        self.observers.follow(&self.facts.watched.accounts);
        Ok(())
    }

    /// Says in the report what was changed, and what of the state at the end follows from that.
    pub(super) fn tell_of_changes(&mut self) -> Result<()> {
        let end = self.clock()?.end();
        let Some(Changeable { problem, changed, .. }) = &self.changeable else { return Ok(()) };
        if changed.is_empty() {
            return Ok(());
        }
        let times = |(what, count): (&&str, &u64)| match count {
            1 => format!("{what} once"),
            count => format!("{what} {count} times"),
        };
        let all: Vec<String> = changed.iter().map(times).collect();
        let what = format!(
            "the run was changed while it was stepped: {}; the scenario alone gives another",
            all.join(", ")
        );
        self.facts.warnings.push(what);
        self.facts.steady_since = steady::since(&problem.forcing, end);
        if self.at_end.is_some() {
            let header = Header::new(&self.options, &self.command, &self.facts, problem)?;
            self.at_end = Some(header.at_the_end(problem));
        }
        Ok(())
    }
}
