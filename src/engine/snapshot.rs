//! Complete state of a run in memory: take it, read it, change it and resume from it on any device,
//! also under other forcing.
//!
//! It is the in-memory counterpart of a checkpoint, meant for model coupling and data assimilation:
//! step a run for a while, take its state, set water or replace the forcing, and resume. This costs
//! as much as setting up the grid, not as a run from the start.

use crate::backend::saved::{Resumed, Sums};
use crate::backend::{Problem, open};
use crate::clock::{Clock, TimeStepping};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::field::Field;
use crate::forcing::ports::Port;
use crate::grains::{Grain, MAX_WATER};
use crate::grid::{Bed, Grid};
use crate::simulation::Simulation;
use crate::solver::edge::EdgeField;
use crate::time_step::StepControl;

/// State of a run in memory.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Clock at the time of the state.
    pub clock: Clock,
    of: Kind,
    sums: Sums,
    fields: Vec<(Field, Vec<u32>)>,
}

/// Properties that two problems must share for one to resume from the other's state: everything
/// that defines what its numbers mean.
#[derive(Clone, Debug, PartialEq)]
struct Kind {
    grid: Grid,
    grain: Grain,
    /// The solver, and its order in space.
    solver: (&'static str, u32),
    links: usize,
    gauges: usize,
    ports: Port,
}

impl Kind {
    fn of(problem: &Problem) -> Kind {
        let info = problem.solver.info();
        Kind {
            grid: problem.grid.clone(),
            grain: problem.grain,
            solver: (info.name, info.order),
            links: problem.forcing.links.len(),
            gauges: problem.gauges.len(),
            ports: problem.forcing.ports(),
        }
    }
}

impl Snapshot {
    /// Takes the current state of a problem's run.
    ///
    /// # Errors
    /// If the device fails.
    pub fn of(run: &Simulation, problem: &Problem) -> Result<Snapshot> {
        let field = |field: Field| Ok((field, run.bits(field)?));
        Ok(Snapshot {
            clock: run.clock.clone(),
            of: Kind::of(problem),
            sums: Sums::of(&*run.backend)?,
            fields: problem.kept().into_iter().map(field).collect::<Result<_>>()?,
        })
    }

    /// Returns a field line by line ([`Field::shape`]), as bits; `None` if the run does not keep
    /// it.
    pub fn bits(&self, field: Field) -> Option<&[u32]> {
        let (_, bits) = self.fields.iter().find(|(kept, _)| *kept == field)?;
        Some(bits)
    }

    fn bits_mut(&mut self, field: Field) -> &mut [u32] {
        let found = self.fields.iter_mut().find(|(kept, _)| *kept == field);
        &mut found.expect("every run keeps it").1
    }

    /// Sets the water of cells (index row by row from the north-west, grains). The volume this adds
    /// or removes is booked as the ledger's [`set`](crate::ledger::Ledger::set). The next step is
    /// as short as a run's first, because the new flow is not known yet.
    ///
    /// # Errors
    /// If a cell is outside the domain, or cannot hold that much water; nothing is set then.
    pub fn set_water(&mut self, problem: &Problem, cells: &[(usize, i32)]) -> Result<()> {
        for &(cell, grains) in cells {
            let (column, row) = (cell % problem.grid.columns, cell / problem.grid.columns);
            if problem.bed.levels.get(cell).is_none_or(|&level| level == Bed::OUTSIDE) {
                return Err(Error::input(format!(
                    "water: ({column}, {row}) is not a cell of the domain"
                ))
                .hint("set water in cells that have a bed"));
            }
            if !(0..=MAX_WATER).contains(&grains) {
                return Err(Error::input(format!("water: {grains} grains at ({column}, {row})"))
                    .hint(format!("a cell holds from 0 to {:.0} m", problem.grain.deepest())));
            }
        }
        let now = self.clock.now() as f32;
        for &(cell, grains) in cells {
            let before = std::mem::replace(&mut self.bits_mut(Field::Water)[cell], grains as u32);
            self.sums.ledger.set += i128::from(grains) - i128::from(before as i32);
            let most = &mut self.bits_mut(Field::MaxDepth)[cell];
            let known = *most as i32;
            *most = known.max(grains) as u32;
            if grains > problem.arrival && known <= problem.arrival {
                self.bits_mut(Field::Arrival)[cell] = now.to_bits();
            }
        }
        self.start_anew();
        Ok(())
    }

    /// Sets some values of an edge field by their index, line by line ([`Field::shape`]):
    /// velocities (m/s), or discharges (m²/s) if the solver keeps those.
    ///
    /// # Errors
    /// If the field is not part of the state, if an index is out of range, or if a number is not
    /// finite; nothing is set then.
    pub fn set_flow(&mut self, problem: &Problem, field: Field, to: &[(usize, f32)]) -> Result<()> {
        let goes_on = EdgeField::ALL.into_iter().filter(|&edge| problem.goes_on_from(edge));
        if !goes_on
            .flat_map(|edge| [0, 1].map(|axis| Field::edge(edge, axis)))
            .any(|of| of == field)
        {
            return Err(Error::input(format!(
                "{}: steps do not continue from this flow",
                field.name()
            ))
            .hint("shallow-water continues from velocities, inertial from discharges"));
        }
        let bits = self.bits_mut(field);
        if let Some((at, flow)) =
            to.iter().find(|(at, flow)| *at >= bits.len() || !flow.is_finite())
        {
            return Err(Error::input(format!("{}: {flow} at {at}", field.name()))
                .hint(format!("it has {} numbers, all of them finite", bits.len())));
        }
        to.iter().for_each(|&(at, flow)| bits[at] = flow.to_bits());
        self.start_anew();
        Ok(())
    }

    /// Makes the next step as short as a run's first, because the new flow is not known yet.
    fn start_anew(&mut self) {
        if let TimeStepping::Adaptive { control, .. } = &mut self.clock.time_stepping {
            *control = StepControl { free: 0.0, rate: 0.0, epoch_rate: 0.0, taken: 0, ..*control };
        }
    }

    /// Resumes the run from here on a device. The problem is the original one or differs in its
    /// forcing: it must have the same grid and solver, and as many links, gauges and stage
    /// boundaries.
    ///
    /// # Errors
    /// If the device is not available or lacks memory, or if the state does not belong to such a
    /// problem.
    pub fn go_on(&self, problem: Problem, device: Device) -> Result<Simulation> {
        let same_fields = self.fields.iter().map(|(field, _)| *field).eq(problem.kept());
        if !same_fields || self.of != Kind::of(&problem) {
            return Err(Error::input("the state belongs to another problem").hint(
                "continue with the same grid, grains and solver, and the same number of links, gauges and stage boundaries",
            ));
        }
        let backend = self.with(|saved| open::on(problem, device, Some(saved)))?;
        Ok(Simulation::new(backend, self.clock.clone()))
    }

    /// Passes the state to a reader that must consume every value.
    pub fn with<T>(&self, to: impl FnOnce(Resumed) -> T) -> T {
        let mut all = self.fields.iter().flat_map(|(_, bits)| bits);
        let mut lines = |to: &mut [u32]| {
            to.iter_mut().zip(&mut all).for_each(|(to, bits)| *to = *bits);
            Ok(())
        };
        let fields = self.fields.iter().map(|(field, _)| *field).collect();
        let done = to(Resumed { sums: self.sums.clone(), fields, lines: &mut lines });
        debug_assert!(all.next().is_none(), "numbers that were not read");
        done
    }
}
