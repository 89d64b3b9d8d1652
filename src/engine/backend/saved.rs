//! The state of a run as lines of 32 bits: what is saved of it so that another backend can go on from there.
//!
//! What is not here follows from the inputs (bed, flags, kinds of ground), from the step at hand (its rain),
//! or from what is here (which tiles are wet).

use super::{Backend, Crossed, Plane, Problem, StateLayer};
use crate::error::Result;
use crate::extremes::Extremes;
use crate::forcing::link::LinkState;
use crate::forcing::ports::Booked;
use crate::gauged::GaugeState;
use crate::ledger::Ledger;
use crate::rule::edge::EdgeField;

/// An array of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// Water or its maximum (grains, the bits of an i32).
    Grains(StateLayer),
    /// Arrival time (s, or steps; the bits of an f32).
    Arrival,
    /// A plane.
    Plane(Plane),
    /// Discharges (m²/s) or velocities (m/s) over edges of an axis, as [`Backend::read_flow`] has them (the bits of an
    /// f32).
    Edges(EdgeField, usize),
}

impl Saved {
    /// The arrays that the state of a problem is made of, in the order in which they are saved.
    pub fn arrays(problem: &Problem) -> Vec<Saved> {
        let mut arrays = vec![
            Saved::Grains(StateLayer::Water),
            Saved::Grains(StateLayer::MaxWater),
            Saved::Arrival,
        ];
        let keeps = |plane: &Plane| matches!(plane, Plane::Track(_)) || plane.is_state();
        arrays.extend(problem.planes().into_iter().filter(keeps).map(Saved::Plane));
        for field in EdgeField::ALL.into_iter().filter(|field| problem.saves(*field)) {
            arrays.extend([0, 1].map(|axis| Saved::Edges(field, axis)));
        }
        arrays
    }

    /// Bytes of all arrays of a problem.
    pub fn bytes(problem: &Problem) -> u64 {
        let grid = (problem.grid.columns, problem.grid.rows);
        let numbers = |array: Saved| array.shape(grid).0 * array.shape(grid).1;
        4 * Saved::arrays(problem).into_iter().map(numbers).sum::<usize>() as u64
    }

    /// Numbers of a line and number of lines on a grid of (columns, rows).
    pub fn shape(self, (columns, rows): (usize, usize)) -> (usize, usize) {
        match self {
            Saved::Edges(_, 0) => (columns + 1, rows),
            Saved::Edges(..) => (columns, rows + 1),
            _ => (columns, rows),
        }
    }

    /// Reads a line (bits).
    pub fn read(self, backend: &dyn Backend, line: usize, to: &mut [u32]) -> Result<()> {
        let floats = |to: &mut [u32], read: &dyn Fn(&mut [f32]) -> Result<()>| {
            let mut values = vec![0.0; to.len()];
            read(&mut values)?;
            to.iter_mut().zip(values).for_each(|(to, value)| *to = value.to_bits());
            Ok(())
        };
        match self {
            Saved::Grains(layer) => {
                let mut grains = vec![0; to.len()];
                backend.read_grains(layer, line, &mut grains)?;
                to.iter_mut().zip(grains).for_each(|(to, grains)| *to = grains as u32);
                Ok(())
            }
            Saved::Arrival => floats(to, &|values| backend.read_arrival(line, values)),
            Saved::Plane(plane) => backend.read_plane(plane, line, to),
            Saved::Edges(field, axis) => {
                floats(to, &|values| backend.read_flow(field, axis, line, values))
            }
        }
    }
}

/// Where the lines of a saved state come from: each call fills the next.
pub type Lines<'a> = dyn FnMut(&mut [u32]) -> Result<()> + 'a;

/// A state that a run goes on from.
pub struct Resumed<'a> {
    /// The ledger; what is stored in it does not count.
    pub ledger: Ledger,
    /// What crossed the edges.
    pub crossed: Crossed,
    /// The greatest speed and the like.
    pub watch: Extremes,
    /// Where each link stands.
    pub links: Vec<LinkState>,
    /// What of the ledger went through which port.
    pub booked: Booked,
    /// What is known of each gauge.
    pub gauges: Vec<GaugeState>,
    /// The lines of [`Saved::arrays`], one after the other.
    pub lines: &'a mut Lines<'a>,
}

impl Resumed<'_> {
    /// Reads every line of some arrays on a grid of (columns, rows) and hands it over with its array and number.
    pub fn each_line(
        &mut self,
        arrays: &[Saved],
        grid: (usize, usize),
        mut line: impl FnMut(Saved, usize, &[u32]),
    ) -> Result<()> {
        for &array in arrays {
            let (width, lines) = array.shape(grid);
            let mut bits = vec![0; width];
            for number in 0..lines {
                (self.lines)(&mut bits)?;
                line(array, number, &bits);
            }
        }
        Ok(())
    }

    /// What was brought and taken so far; what is stored is counted anew.
    pub fn before(&self) -> Ledger {
        Ledger { stored: 0, ..self.ledger }
    }
}

/// The floats of some bits.
pub(super) fn floats(bits: &[u32]) -> impl Iterator<Item = f32> + '_ {
    bits.iter().map(|bits| f32::from_bits(*bits))
}
