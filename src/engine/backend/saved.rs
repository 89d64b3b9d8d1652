//! The state of a run as lines of 32-bit values, from which another backend can resume.
//!
//! Everything else follows from the inputs (bed, flags, kinds of ground), from the current step
//! (its rain), or from the saved values (active tiles).

use super::{Backend, FluxStatistics, Problem};
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::BoundaryVolumes;
use crate::gauged::GaugeState;
use crate::ledger::Ledger;
use crate::run_diagnostics::Extremes;
use serde::{Deserialize, Serialize};

/// Returns the size of all lines of a problem's state (bytes).
pub fn bytes(problem: &Problem) -> u64 {
    let grid = (problem.grid.columns, problem.grid.rows);
    let numbers = |field: Field| field.shape(grid).0 * field.shape(grid).1;
    4 * problem.kept().into_iter().map(numbers).sum::<usize>() as u64
}

/// Source of the lines of a saved state: each call fills the next line.
pub type Lines<'a> = dyn FnMut(&mut [u32]) -> Result<()> + 'a;

/// State of a run apart from its fields.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Sums {
    /// Mass balance of the run (grains).
    #[serde(with = "crate::sums")]
    pub ledger: Ledger,
    /// Flux statistics of the run.
    pub crossed: FluxStatistics,
    /// Run diagnostics: greatest speed and others.
    pub watch: Extremes,
    /// State of each link.
    pub links: Vec<LinkState>,
    /// Inflow and outflow of the ledger per port.
    #[serde(rename = "booked")]
    pub port_volumes: BoundaryVolumes,
    /// State of each gauge.
    pub gauges: Vec<GaugeState>,
}

impl Sums {
    /// Collects the current sums of a run.
    pub fn of(backend: &dyn Backend) -> Result<Sums> {
        Ok(Sums {
            ledger: backend.ledger(),
            crossed: backend.flux_statistics(),
            watch: backend.extremes(),
            links: backend.link_states()?,
            port_volumes: backend.boundary_volumes()?,
            gauges: backend.gauge_states()?,
        })
    }

    /// Returns the ledger so far, without the stored water, which is counted again.
    pub fn before(&self) -> Ledger {
        Ledger { stored: 0, ..self.ledger }
    }
}

/// A state from which a run resumes.
pub struct Resumed<'a> {
    /// State apart from its fields; the stored water in the ledger is ignored.
    pub sums: Sums,
    /// Fields of the state: [`Problem::kept`], or fewer fields in the same order. Missing fields
    /// have their initial values.
    pub fields: Vec<Field>,
    /// Lines of the fields, one after the other.
    pub lines: &'a mut Lines<'a>,
}

impl Resumed<'_> {
    /// Returns `true` if it includes the water, which then replaces the problem's initial water.
    pub(crate) fn has_water(&self) -> bool {
        self.fields.contains(&Field::Water)
    }

    /// Reads every line of its fields on a grid of (columns, rows) and passes it on with its field
    /// and number.
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
