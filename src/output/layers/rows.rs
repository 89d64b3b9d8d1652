//! Rows of layers, many at a time: the lines of the fields that they come from are fetched together, and the rows are worked
//! out by all threads.

use super::domain::Domain;
use super::{Layer, State};
use crate::engine::backend::Backend;
use crate::engine::clock::Clock;
use crate::engine::field::{Field, bits_mut};
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, Grid};
use crate::engine::track::Track;
use crate::error::Result;
use rayon::prelude::*;
use std::cell::RefCell;
use std::ops::Range;

/// About how many cells of a field are fetched together.
const FETCHED_CELLS: usize = 1 << 22;

/// Lines of the fields of a run.
pub trait Lines {
    /// A line of a field (bits).
    fn read(&self, field: Field, line: usize, to: &mut [u32]) -> Result<()>;

    /// A row of grains.
    fn read_grains(&self, field: Field, row: usize, to: &mut [i32]) -> Result<()> {
        self.read(field, row, bits_mut(to))
    }

    /// A line of floats.
    fn read_floats(&self, field: Field, line: usize, to: &mut [f32]) -> Result<()> {
        self.read(field, line, bits_mut(to))
    }
}

/// Lines of a field.
struct Held {
    field: Field,
    first: usize,
    width: usize,
    bits: Vec<u32>,
}

/// Lines of fields that were fetched.
struct Fetched(Vec<Held>);

impl Lines for Fetched {
    fn read(&self, field: Field, line: usize, to: &mut [u32]) -> Result<()> {
        let held = self.0.iter().find(|held| held.field == field);
        let held = held.expect("what a layer reads of its first row it reads of all");
        to.copy_from_slice(&held.bits[(line - held.first) * held.width..][..held.width]);
        Ok(())
    }
}

/// Fetches the lines that go with a stretch of rows when their field is asked for.
struct Fetching<'a> {
    backend: &'a dyn Backend,
    rows: Range<usize>,
    fetched: RefCell<Fetched>,
    /// Memory of the stretch before.
    spare: &'a RefCell<Vec<Vec<u32>>>,
}

impl Lines for Fetching<'_> {
    fn read(&self, field: Field, line: usize, to: &mut [u32]) -> Result<()> {
        let has = self.fetched.borrow().0.iter().any(|held| held.field == field);
        if !has {
            let (width, lines) = field.shape(self.backend.shape());
            let first = self.rows.start;
            // The edges below the last row, too.
            let end = (self.rows.end + 1).min(lines);
            let mut bits = self.spare.borrow_mut().pop().unwrap_or_default();
            bits.resize(width * (end - first), 0);
            self.backend.read_lines(field, first, &mut bits)?;
            self.fetched.borrow_mut().0.push(Held { field, first, width, bits });
        }
        self.fetched.borrow().read(field, line, to)
    }
}

/// What the layers of a run are read with, beside its state.
#[derive(Debug)]
pub struct Maps {
    /// Where they lie.
    pub grid: Grid,
    /// The cells that have values.
    pub domain: Domain,
    /// Grain of the water.
    pub grain: Grain,
    /// The bed, if a layer needs it.
    pub bed: Option<Bed>,
    /// What is recorded for the cells.
    pub tracks: Vec<Track>,
    /// The depth up to which water is no hazard (grains).
    pub hazard: i32,
}

/// A state of a run, to read layers from.
#[derive(Clone, Copy)]
pub struct Now<'a> {
    /// What they are read with.
    pub maps: &'a Maps,
    /// The state.
    pub backend: &'a dyn Backend,
    /// Its clock.
    pub clock: &'a Clock,
    /// The depth above which [`super::ARRIVAL_ABOVE`] is asked for (grains).
    pub above: i32,
}

impl Now<'_> {
    /// Reads rows of a layer from `first` on, one after the other, as many as `to` holds: [`super::NODATA`] where there is
    /// nothing to tell, and outside the domain.
    pub fn read(&self, layer: &Layer, first: usize, to: &mut [f32]) -> Result<()> {
        let spare = RefCell::default();
        let columns = self.maps.grid.columns;
        let step = (FETCHED_CELLS / columns).max(1);
        for (number, to) in to.chunks_mut(step * columns).enumerate() {
            self.read_stretch(layer, first + number * step, to, &spare)?;
        }
        Ok(())
    }

    fn read_stretch(
        &self,
        layer: &Layer,
        first: usize,
        to: &mut [f32],
        spare: &RefCell<Vec<Vec<u32>>>,
    ) -> Result<()> {
        let Now { maps, backend, clock, above } = *self;
        let Maps { grid, domain, grain, bed, tracks, hazard } = maps;
        let rows = first..first + to.len() / grid.columns;
        let read = |lines: &dyn Lines, row: usize, to: &mut [f32]| {
            let (grain, bed, hazard) = (*grain, bed.as_ref(), *hazard);
            let state = State { lines, grain, clock, bed, tracks, above, hazard };
            (layer.read)(&state, row, to)?;
            domain.blank(row, to);
            Ok(())
        };
        let fetching =
            Fetching { backend, rows, fetched: RefCell::new(Fetched(Vec::new())), spare };
        let (to, others) = to.split_at_mut(grid.columns);
        read(&fetching, first, to)?;
        let fetched = fetching.fetched.into_inner();
        let others = others.par_chunks_mut(grid.columns).enumerate();
        others.try_for_each(|(row, to)| read(&fetched, first + 1 + row, to))?;
        spare.borrow_mut().extend(fetched.0.into_iter().map(|held| held.bits));
        Ok(())
    }
}
