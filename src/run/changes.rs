//! Changes to the water and flow of a run between steps, made by its caller; changes to its forcing
//! are in `forced.rs`.
//!
//! Water that is set has its own mass balance term, `set`.

use super::changeable::Changeable;
use super::{Run, header::Header, lost};
use crate::engine::backend::Problem;
use crate::engine::field::Field;
use crate::engine::forcing::steady;
use crate::engine::simulation::Simulation;
use crate::engine::snapshot::Snapshot;
use crate::error::{Error, Result};

impl Run {
    pub(super) fn changeable(&mut self) -> Result<&mut Changeable> {
        self.changeable.as_mut().ok_or_else(|| {
            Error::input("the run was not started for changes")
                .hint("start it with changes allowed")
        })
    }

    /// Sets the water of cells (grains), numbered row by row from the north-west.
    ///
    /// # Errors
    /// As [`Snapshot::set_water`]; nothing is set then.
    pub fn set_water(&mut self, what: &'static str, cells: &[(usize, i32)]) -> Result<()> {
        if cells.is_empty() {
            return Ok(());
        }
        self.change(what, |state, problem| state.set_water(problem, cells))
    }

    /// Sets velocities (m/s) or discharges (m²/s) at edges, by their indices in the field.
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

    /// Changes a copy of the state and loads it onto the device; an error of `what` leaves the run
    /// unchanged.
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

    /// Reloads the state onto the device with the present forcing, whose layers or footprints have
    /// changed.
    pub(super) fn put_back(&mut self) -> Result<()> {
        let simulation = self.simulation.as_ref().ok_or_else(lost)?;
        let changeable = self.changeable.as_ref().expect("it was asked for");
        let state = Snapshot::of(simulation, &changeable.problem)?;
        self.put(state)
    }

    fn put(&mut self, state: Snapshot) -> Result<()> {
        let changeable = self.changeable.as_ref().expect("it was asked for");
        let (problem, processor) = (changeable.problem.clone(), changeable.processor.again());
        // Free the memory of the previous backend first.
        self.simulation = None;
        let backend = state.with(|state| processor.start(problem, Some(state)))?;
        let mut simulation = Simulation::new(backend, state.clock);
        if let Some(sewers) = &self.observers.sewers {
            sewers.apply(&mut *simulation.backend)?;
        }
        self.simulation = Some(simulation);
        Ok(())
    }

    /// Applies the present series of the problem to the run.
    pub(super) fn force(&mut self) -> Result<()> {
        let timeline = self.changeable()?.problem.timeline();
        self.simulation.as_mut().ok_or_else(lost)?.force(timeline)?;
        self.follow()
    }

    /// Informs the observers that follow sources of the new forcing.
    pub(super) fn follow(&mut self) -> Result<()> {
        let cells = self.facts.domain_cells;
        let changeable = self.changeable.as_ref().expect("it was asked for");
        self.facts.watched.accounts.follow(&changeable.problem.forcing, cells);
        self.observers.follow(&self.facts.watched.accounts);
        Ok(())
    }

    /// Notes in the report which changes were made, and how they affect the final state.
    pub(super) fn report_changes(&mut self) -> Result<()> {
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
            "the run was changed between its steps: {}; the scenario alone does not reproduce it",
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
