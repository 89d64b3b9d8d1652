//! The whole state of a run in memory: saved, read, changed, and gone on from on any device, also under other forcing.
//!
//! What a checkpoint is on disk. So models are coupled, and observations assimilated: a run is stepped for a while, its state taken,
//! water set or the forcing replaced, and the run goes on. That costs what laying out the grid does, not a run from the start.

use crate::backend::saved::Resumed;
use crate::backend::{Crossed, Problem, open};
use crate::clock::{Beat, Clock};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::extremes::Extremes;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::{Booked, Port};
use crate::gauged::GaugeState;
use crate::grains::{Grain, MAX_WATER};
use crate::grid::{Bed, Grid};
use crate::ledger::Ledger;
use crate::simulation::Simulation;
use crate::time_step::StepControl;

/// A state of a run.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// When it was.
    pub clock: Clock,
    of: Kind,
    ledger: Ledger,
    crossed: Crossed,
    watch: Extremes,
    links: Vec<LinkState>,
    booked: Booked,
    gauges: Vec<GaugeState>,
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
        let backend = &*run.backend;
        let field = |field: Field| Ok((field, run.bits(field)?));
        Ok(Snapshot {
            clock: run.clock.clone(),
            of: Kind::of(problem),
            ledger: backend.ledger(),
            crossed: backend.crossed(),
            watch: backend.extremes(),
            links: backend.links()?,
            booked: backend.booked()?,
            gauges: backend.gauges()?,
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
    /// [`set`](Ledger::set). The next step is as short as a run's first, as no one knows yet how the water will flow.
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
            self.ledger.set += i128::from(grains) - i128::from(before as i32);
            let most = &mut self.bits_mut(Field::Most)[cell];
            let known = *most as i32;
            *most = known.max(grains) as u32;
            if grains > problem.arrival && known <= problem.arrival {
                self.bits_mut(Field::Arrival)[cell] = now.to_bits();
            }
        }
        if let Beat::Adaptive { control, .. } = &mut self.clock.beat {
            *control = StepControl { free: 0.0, rate: 0.0, held: 0.0, taken: 0, ..*control };
        }
        Ok(())
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
        let timeline = problem.timeline();
        let backend = self.with(|saved| open::on(problem, device, Some(saved)))?;
        Ok(Simulation { backend, clock: self.clock.clone(), timeline })
    }

    /// Hands the state to something that reads every number of it.
    pub fn with<T>(&self, to: impl FnOnce(Resumed) -> T) -> T {
        let mut all = self.fields.iter().flat_map(|(_, bits)| bits);
        let mut lines = |to: &mut [u32]| {
            to.iter_mut().zip(&mut all).for_each(|(to, bits)| *to = *bits);
            Ok(())
        };
        let done = to(Resumed {
            ledger: self.ledger,
            crossed: self.crossed,
            watch: self.watch,
            links: self.links.clone(),
            booked: self.booked.clone(),
            gauges: self.gauges.clone(),
            lines: &mut lines,
        });
        debug_assert!(all.next().is_none(), "numbers that were not read");
        done
    }
}
