//! Reads many rows of layers at a time: the required lines of fields are fetched together, and the
//! rows are computed in parallel.

use super::domain::Domain;
use super::fine::DividedSides;
use super::{DEPTH, DepthRounding, Fine, Layer, NODATA, Needs, State};
use crate::engine::backend::Backend;
use crate::engine::cell_diagnostics::CellDiagnostic;
use crate::engine::clock::Clock;
use crate::engine::field::{Field, bits_mut};
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, Grid};
use crate::engine::hazard;
use crate::engine::subgrid::tables::Tables;
use crate::error::Result;
use crate::input::dem::fine_ground::FineGround;
use rayon::prelude::*;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// Approximate number of cells of a field fetched together.
const FETCHED_CELLS: usize = 1 << 22;

/// Provides lines of the fields of a run.
pub trait Lines {
    /// Reads a line of a field (bits).
    fn read(&self, field: Field, line: usize, to: &mut [u32]) -> Result<()>;

    /// Reads a row of grains.
    fn read_grains(&self, field: Field, row: usize, to: &mut [i32]) -> Result<()> {
        self.read(field, row, bits_mut(to))
    }

    /// Reads a line of floats.
    fn read_floats(&self, field: Field, line: usize, to: &mut [f32]) -> Result<()> {
        self.read(field, line, bits_mut(to))
    }
}

/// Buffered lines of a field.
struct BufferedField {
    field: Field,
    first: usize,
    width: usize,
    bits: Vec<u32>,
}

/// Buffered lines of several fields.
struct Fetched(Vec<BufferedField>);

impl Lines for Fetched {
    fn read(&self, field: Field, line: usize, to: &mut [u32]) -> Result<()> {
        let held = self.0.iter().find(|held| held.field == field);
        let held = held.expect("what a layer reads of its first row it reads of all");
        to.copy_from_slice(&held.bits[(line - held.first) * held.width..][..held.width]);
        Ok(())
    }
}

/// Fetches the lines for a range of rows when their field is first requested.
struct Fetching<'a> {
    backend: &'a dyn Backend,
    rows: Range<usize>,
    fetched: RefCell<Fetched>,
    /// Buffers reused from the previous range.
    spare: &'a RefCell<Vec<Vec<u32>>>,
}

impl Lines for Fetching<'_> {
    fn read(&self, field: Field, line: usize, to: &mut [u32]) -> Result<()> {
        let has = self.fetched.borrow().0.iter().any(|held| held.field == field);
        if !has {
            let (width, lines) = field.shape(self.backend.shape());
            let first = self.rows.start;
            // Include the edges below the last row.
            let end = (self.rows.end + 1).min(lines);
            let mut bits = self.spare.borrow_mut().pop().unwrap_or_default();
            bits.resize(width * (end - first), 0);
            self.backend.read_lines(field, first, &mut bits)?;
            self.fetched.borrow_mut().0.push(BufferedField { field, first, width, bits });
        }
        self.fetched.borrow().read(field, line, to)
    }
}

/// Everything needed to read layers, besides the state of the run.
#[derive(Debug)]
pub struct Maps {
    /// Grid of the cells.
    pub grid: Grid,
    /// Cells that have values.
    pub domain: Domain,
    /// Grain of the water.
    pub grain: Grain,
    /// Bed, if a layer needs it.
    pub bed: Option<Bed>,
    /// Subgrid tables, if there are any.
    pub tables: Option<Arc<Tables>>,
    /// Fine ground, if maps are drawn on its grid.
    pub fine: Option<Arc<FineGround>>,
    /// Sides across which the water surface on the fine grid does not slope; `None` if it slopes
    /// nowhere.
    pub divided: Option<DividedSides>,
    /// Diagnostics recorded per cell.
    pub cell_diagnostics: Vec<CellDiagnostic>,
    /// Arrival depth of the run (grains).
    pub arrival: i32,
    /// Depth up to which water is not a hazard (grains).
    pub hazard: i32,
}

impl Maps {
    /// Creates the data for a run with only water and what follows from it.
    #[cfg(test)]
    pub fn plain(grid: Grid, domain: Domain, grain: Grain) -> Maps {
        let (bed, tables, fine, divided, cell_diagnostics) = (None, None, None, None, Vec::new());
        Maps {
            grid,
            domain,
            grain,
            bed,
            tables,
            fine,
            divided,
            cell_diagnostics,
            arrival: 0,
            hazard: 0,
        }
    }

    /// Returns the band description of a layer.
    pub fn name_of(&self, layer: &Layer, clock: &Clock) -> String {
        let name = (layer.long_name)(clock);
        match layer.fine.limits().filter(|_| self.fine.is_some()) {
            Some(limits) => format!("{name} ({limits})"),
            None => name.to_string(),
        }
    }

    /// Converts a depth (grains) to steps of levels (2⁻¹⁶ m).
    pub fn steps(&self, grains: i32) -> i32 {
        let metres = f64::from(grains) * f64::from(self.grain.metres());
        (metres * Bed::PER_METRE).round() as i32
    }

    /// Returns the resolution of the depths in the rasters.
    pub fn rounding(&self) -> DepthRounding {
        DepthRounding { grain_m: f64::from(self.grain.metres()), is_fine: self.fine.is_some() }
    }

    /// Returns the grid of the rasters: the fine grid, or else the grid of the cells.
    pub fn raster_grid(&self) -> &Grid {
        self.fine.as_ref().map_or(&self.grid, |ground| &ground.grid)
    }
}

/// State of a run from which layers are read.
#[derive(Clone, Copy)]
pub struct Now<'a> {
    /// Further data for reading.
    pub maps: &'a Maps,
    /// State of the run.
    pub backend: &'a dyn Backend,
    /// Clock of the run.
    pub clock: &'a Clock,
    /// Depth for [`super::ARRIVAL_ABOVE`] (grains).
    pub above: i32,
}

impl Now<'_> {
    /// Reads rows of a layer from `first` on, as many as `to` holds; [`super::NODATA`] for missing
    /// values, and outside the domain.
    pub fn read(&self, layer: &Layer, first: usize, to: &mut [f32]) -> Result<()> {
        let spare = RefCell::default();
        let columns = self.maps.grid.columns;
        let step = (FETCHED_CELLS / columns).max(1);
        for (number, to) in to.chunks_mut(step * columns).enumerate() {
            self.read_stretch(layer, first + number * step, to, &spare)?;
        }
        Ok(())
    }

    /// Reads a layer at the lowest, and therefore deepest, pixel of each cell with a table: rows
    /// from `first` on, as [`Now::read`].
    pub fn read_lowest(&self, layer: &Layer, first: usize, to: &mut [f32]) -> Result<()> {
        let maps = self.maps;
        let (Some(tables), Fine::Depth(field) | Fine::Hazard(field, ..)) =
            (&maps.tables, layer.fine)
        else {
            return self.read(layer, first, to);
        };
        let of_cells = if let Fine::Hazard(_, speed, _) = layer.fine { speed } else { &DEPTH };
        self.read(of_cells, first, to)?;
        let mut water = vec![0; to.len()];
        self.backend.read_lines(field, first, bits_mut(&mut water))?;
        let (metres, shallow) = (maps.grain.metres(), maps.grain.depth(maps.hazard));
        let place = first * maps.grid.columns;
        to.par_iter_mut().zip(&water).enumerate().filter(|(_, (to, _))| **to != NODATA).for_each(
            |(at, (to, &water))| {
                let cell = place + at;
                let height = tables.level_of(cell, water, metres) - tables.bed[cell];
                let depth = height as f32 * Bed::STEP;
                *to = match layer.fine {
                    Fine::Hazard(.., of) if depth > shallow => of(depth, hazard::speed(depth, *to)),
                    Fine::Hazard(..) => 0.0,
                    _ => depth,
                };
            },
        );
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
        let Maps { grid, domain, grain, bed, tables, cell_diagnostics, hazard, .. } = maps;
        let rows = first..first + to.len() / grid.columns;
        let crossed = match layer.needs {
            Needs::Flow => {
                backend.crossed_sides(rows.start * grid.columns..rows.end * grid.columns)
            }
            _ => Vec::new(),
        };
        let read = |lines: &dyn Lines, row: usize, to: &mut [f32]| {
            let (grain, bed, hazard) = (*grain, bed.as_ref(), *hazard);
            let tables = tables.as_deref();
            let crossed = &crossed;
            let state = State {
                lines,
                grain,
                clock,
                bed,
                tables,
                cell_diagnostics,
                crossed,
                above,
                hazard,
            };
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
