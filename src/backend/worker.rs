//! Workers: processors with memory of their own, which hold frames of the grid and step them.

use super::canvas::Canvas;
use super::{StateLayer, Step};
use crate::error::Result;
use crate::forcing::{Footprint, Forcing};
use crate::tiling::plan::Rect;
use crate::tiling::visit::{MARGIN, Visit};

/// A cell of a frame into which a layer pours, or that is topped up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pour {
    /// Column in the frame.
    pub column: usize,
    /// Row in the frame.
    pub row: usize,
    /// Whether it is one of the visit's own cells, whose water counts.
    pub own: bool,
    /// The rate layer, if it pours.
    pub layer: usize,
    /// Its share of the layer's rate (2⁻³¹), or the water it is topped up to (grains).
    pub amount: u32,
}

/// What falls into single cells of a visit's frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitForcing {
    /// Cells of rate layers.
    pub pours: Vec<Pour>,
    /// Cells topped up to a depth.
    pub top_ups: Vec<Pour>,
}

impl VisitForcing {
    /// What of a forcing falls into single cells of a visit's frame, on a grid of `columns` columns;
    /// `inside` says which cells of the grid lie in the domain.
    pub fn of(
        forcing: &Forcing,
        visit: &Visit,
        columns: usize,
        inside: impl Fn(usize) -> bool,
    ) -> VisitForcing {
        let place = |cell: usize, layer: usize, amount: u32| {
            let (column, row) = (cell % columns + MARGIN, cell / columns + MARGIN);
            (visit.frame.holds(column, row) && inside(cell)).then(|| Pour {
                column: column - visit.frame.column,
                row: row - visit.frame.row,
                own: visit.own.holds(column, row),
                layer,
                amount,
            })
        };
        let mut here = VisitForcing::default();
        for (layer, rate) in forcing.rates.iter().enumerate() {
            if let Footprint::Cells(cells) = &rate.footprint {
                let places = cells.iter().filter_map(|&(cell, s)| place(cell, layer, s.bits()));
                here.pours.extend(places);
            }
        }
        let top_ups = forcing.top_up.iter();
        here.top_ups
            .extend(top_ups.filter_map(|&(cell, level)| place(cell, 0, level.max(0) as u32)));
        here
    }

    /// Whether nothing falls there.
    pub fn is_empty(&self) -> bool {
        self.pours.is_empty() && self.top_ups.is_empty()
    }
}

/// What a worker counted in a visit's own cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Came as rain, over the whole run (grains).
    pub rain: u64,
    /// Came from sources and inflow cells, over the whole run (grains).
    pub inflow: u64,
    /// Taken by sinks, over the whole run (grains).
    pub losses: u64,
    /// Left over open edges, over the whole run (grains).
    pub outflow: u64,
    /// In the cells when last counted (grains).
    pub stored: u64,
    /// Cells that held water when last counted.
    pub wet: u64,
    /// The step in which water got too deep, if it did.
    pub too_deep: Option<u64>,
}

/// A processor with memory of its own. Its methods may return before the work is done; what is asked of
/// one frame is done in order, and [`Worker::wait`] waits for everything.
///
/// Visits are known by their number in the plan.
pub trait Worker {
    /// Memory for one frame.
    type Frame;

    /// Memory for frames of up to `columns` × `rows` cells.
    fn frame(&mut self, columns: usize, rows: usize) -> Result<Self::Frame>;

    /// Told before the first frame is loaded if frames will come and go: the canvas's arrays stay where
    /// they are.
    fn pin(&mut self, _canvas: &Canvas) {}

    /// Copies a visit's frame from the canvas. What an earlier visit left in the frame must not be
    /// seen: cells beyond the ghosts, which no step computes, stay dry walls through every step.
    fn load(&mut self, frame: &mut Self::Frame, canvas: &Canvas, visit: usize) -> Result<()>;

    /// Takes steps of a loaded frame. In step i it computes `computed[i]` (cells of the canvas), which
    /// lies within what is right after the steps so far.
    fn advance(
        &mut self,
        frame: &mut Self::Frame,
        visit: usize,
        computed: &[Rect],
        steps: &[Step],
    ) -> Result<()>;

    /// Copies the visit's own cells to the canvas, the water to its second array.
    fn store(&mut self, frame: &mut Self::Frame, canvas: &mut Canvas, visit: usize) -> Result<()>;

    /// Counts the water in the visit's own cells.
    fn count(&mut self, frame: &mut Self::Frame, visit: usize) -> Result<()>;

    /// Waits until all is done; the totals of every visit.
    fn wait(&mut self) -> Result<Vec<Totals>>;

    /// Reads the cells of `area` (canvas) of a layer of a frame that holds the whole canvas, row by
    /// row; waits for it.
    fn read(&self, frame: &Self::Frame, layer: Layer, area: Rect, to: &mut [u32]) -> Result<()>;

    /// What it is, for people.
    fn describe(&self) -> String;
}

/// A layer of a frame that can be read back, 32 bits a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Water or its maximum (grains), the bits of an i32.
    Grains(StateLayer),
    /// Arrival time (s, or steps), the bits of an f32.
    Arrival,
}
