//! The state of a run as lines of 32 bits: what is saved of it so that another backend can go on from there.
//!
//! What is not here follows from the inputs (bed, flags, kinds of ground), from the step at hand (its rain),
//! or from what is here (which tiles are wet).

use super::{Backend, Crossed, Problem};
use crate::error::Result;
use crate::extremes::Extremes;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::Booked;
use crate::gauged::GaugeState;
use crate::ledger::Ledger;
use serde::{Deserialize, Serialize};

/// Bytes of all lines of a problem's state.
pub fn bytes(problem: &Problem) -> u64 {
    let grid = (problem.grid.columns, problem.grid.rows);
    let numbers = |field: Field| field.shape(grid).0 * field.shape(grid).1;
    4 * problem.kept().into_iter().map(numbers).sum::<usize>() as u64
}

/// Where the lines of a saved state come from: each call fills the next.
pub type Lines<'a> = dyn FnMut(&mut [u32]) -> Result<()> + 'a;

/// What is known of a run beside its cells.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Sums {
    /// The ledger (grains).
    #[serde(with = "crate::sums")]
    pub ledger: Ledger,
    /// What crossed edges, and how it flowed.
    pub crossed: Crossed,
    /// The greatest speed and the like.
    pub watch: Extremes,
    /// Where each link stands.
    pub links: Vec<LinkState>,
    /// What of the ledger's inflow and outflow went through which port.
    pub booked: Booked,
    /// What is known of each gauge.
    pub gauges: Vec<GaugeState>,
}

impl Sums {
    /// Those of a run now.
    pub fn of(backend: &dyn Backend) -> Result<Sums> {
        Ok(Sums {
            ledger: backend.ledger(),
            crossed: backend.crossed(),
            watch: backend.extremes(),
            links: backend.links()?,
            booked: backend.booked()?,
            gauges: backend.gauges()?,
        })
    }

    /// What was brought and taken so far; what is stored is counted anew.
    pub fn before(&self) -> Ledger {
        Ledger { stored: 0, ..self.ledger }
    }
}

/// A state that a run goes on from.
pub struct Resumed<'a> {
    /// What is known of it beside its cells; what is stored in the ledger does not count.
    pub sums: Sums,
    /// The fields that it has: those of [`Problem::kept`]; or fewer, in the same order. What others hold is what they do at the
    /// start of a run.
    pub fields: Vec<Field>,
    /// The lines of these fields, one after the other.
    pub lines: &'a mut Lines<'a>,
}

impl Resumed<'_> {
    /// Whether it has the water, too, in the place of the problem's water at the start.
    pub(crate) fn has_water(&self) -> bool {
        self.fields.contains(&Field::Water)
    }

    /// Reads every line of its fields on a grid of (columns, rows) and hands it over with its field and number.
    pub(crate) fn each_line(
        &mut self,
        grid: (usize, usize),
        mut line: impl FnMut(Field, usize, &[u32]) -> Result<()>,
    ) -> Result<()> {
        for &field in &self.fields {
            let (width, lines) = field.shape(grid);
            let mut bits = vec![0; width];
            for number in 0..lines {
                (self.lines)(&mut bits)?;
                line(field, number, &bits)?;
            }
        }
        Ok(())
    }
}
