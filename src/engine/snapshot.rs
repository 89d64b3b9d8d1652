//! The whole state of a run in memory: saved, read, changed, and gone on from on any device, also under other forcing.
//!
//! What a checkpoint is on disk. So models are coupled, and observations assimilated: a run is stepped for a while, its state taken,
//! water set or the forcing replaced, and the run goes on. That costs what laying out the grid does, not a run from the start.

use crate::backend::saved::{Resumed, Sums};
use crate::backend::{Problem, open};
use crate::clock::{Beat, Clock};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::field::Field;
use crate::forcing::ports::Port;
use crate::grains::{Grain, MAX_WATER};
use crate::grid::{Bed, Grid};
use crate::rule::edge::EdgeField;
use crate::simulation::Simulation;
use crate::time_step::StepControl;

/// A state of a run.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// When it was.
    pub clock: Clock,
    of: Kind,
    sums: Sums,
    fields: Vec<(Field, Vec<u32>)>,
}

/// What problems must have in common for one to go on from a state of the other: whatever gives its numbers their meaning.
#[derive(Clone, Debug, PartialEq)]
struct Kind {
    grid: Grid,
    grain: Grain,
    /// The rule, and its order in space.
    rule: (&'static str, u32),
    links: usize,
    gauges: usize,
    ports: Port,
}

impl Kind {
    fn of(problem: &Problem) -> Kind {
        let info = problem.rule.info();
        Kind {
            grid: problem.grid.clone(),
            grain: problem.grain,
            rule: (info.name, info.order),
            links: problem.forcing.links.len(),
            gauges: problem.gauges.len(),
            ports: problem.forcing.ports(),
        }
    }
}

impl Snapshot {
    /// The state of a run of a problem now.
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

    /// A field of it, line by line ([`Field::shape`]), as bits; none if the run does not keep it.
    pub fn bits(&self, field: Field) -> Option<&[u32]> {
        let (_, bits) = self.fields.iter().find(|(kept, _)| *kept == field)?;
        Some(bits)
    }

    fn bits_mut(&mut self, field: Field) -> &mut [u32] {
        let found = self.fields.iter_mut().find(|(kept, _)| *kept == field);
        &mut found.expect("every run keeps it").1
    }

    /// Sets the water of some cells (their number row by row from the north-west, grains). What that adds or takes is the ledger's
    /// [`set`](crate::ledger::Ledger::set). The next step is as short as a run's first, as no one knows yet how the water will flow.
    ///
    /// # Errors
    /// If a cell is not in the domain, or cannot hold so much; nothing is set then.
    pub fn set_water(&mut self, problem: &Problem, cells: &[(usize, i32)]) -> Result<()> {
        for &(cell, grains) in cells {
            let (column, row) = (cell % problem.grid.columns, cell / problem.grid.columns);
            if problem.bed.levels.get(cell).is_none_or(|&level| level == Bed::OUTSIDE) {
                return Err(Error::input(format!(
                    "water: ({column}, {row}) is no cell of the domain"
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
            let most = &mut self.bits_mut(Field::Most)[cell];
            let known = *most as i32;
            *most = known.max(grains) as u32;
            if grains > problem.arrival && known <= problem.arrival {
                self.bits_mut(Field::Arrival)[cell] = now.to_bits();
            }
        }
        self.start_anew();
        Ok(())
    }

    /// Sets velocities (m/s) over edges, or discharges (m²/s) by a rule that remembers those: of a field over edges some numbers by their
    /// places, line by line ([`Field::shape`]).
    ///
    /// # Errors
    /// If steps do not go on from the field, if it has no such place, or if a number is not finite; nothing is set then.
    pub fn set_flow(&mut self, problem: &Problem, field: Field, to: &[(usize, f32)]) -> Result<()> {
        let goes_on = EdgeField::ALL.into_iter().filter(|&edge| problem.goes_on_from(edge));
        if !goes_on
            .flat_map(|edge| [0, 1].map(|axis| Field::edge(edge, axis)))
            .any(|of| of == field)
        {
            return Err(Error::input(format!("{}: no flow that steps go on from", field.name()))
                .hint("shallow-water goes on from velocities, inertial from discharges"));
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

    /// The next step is as short as a run's first, as no one knows yet how the water will flow.
    fn start_anew(&mut self) {
        if let Beat::Adaptive { control, .. } = &mut self.clock.beat {
            *control = StepControl { free: 0.0, rate: 0.0, held: 0.0, taken: 0, ..*control };
        }
    }

    /// The run from here on, on a device. The problem is that of the state, or has other forcing: the same number of links, gauges and
    /// held levels on the same grid, by the same rule.
    ///
    /// # Errors
    /// If the device cannot be had or lacks memory, or if the state is not one of such a problem.
    pub fn go_on(&self, problem: Problem, device: Device) -> Result<Simulation> {
        let same_fields = self.fields.iter().map(|(field, _)| *field).eq(problem.kept());
        if !same_fields || self.of != Kind::of(&problem) {
            return Err(Error::input("the state is of another problem").hint(
                "go on with the same grid, grains and rule, and as many links, gauges and held levels",
            ));
        }
        let backend = self.with(|saved| open::on(problem, device, Some(saved)))?;
        Ok(Simulation::new(backend, self.clock.clone()))
    }

    /// Hands the state to something that reads every number of it.
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
