//! A map on the fine grid, computed from a copy of the state, so that the run may continue.

use super::arrivals::Arrivals;
use super::pools::{Pixels, Pools};
use super::reach::Reach;
use super::{DRY, Strip, rows_of_strip};
use crate::engine::field::{Field, bits_mut};
use crate::engine::grid::Bed;
use crate::engine::hazard;
use crate::error::Result;
use crate::input::fine_ground::FineGround;
use crate::output::layers::read::shown;
use crate::output::layers::{Fine, Layer, NODATA, Now};
use rayon::prelude::*;
use std::sync::Arc;

/// Source data of a map on the fine grid.
pub struct FineMap {
    ground: Arc<FineGround>,
    /// Water level of each cell (2⁻¹⁶ m), [`DRY`] without water.
    levels: Vec<i32>,
    tells: Tells,
}

/// Totals of a map's values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Number of values above a limit.
    pub above: usize,
    /// Sum of all values.
    pub sum: f64,
}

impl Tally {
    /// Adds rows, summed separately and then in order, so that the sum does not depend on the
    /// number of threads.
    pub fn add(&mut self, rows: &[f32], columns: usize, above: f32) {
        let of_row = |row: &[f32]| {
            let open = row.iter().filter(|value| **value != NODATA);
            let higher = open.clone().filter(|value| **value > above).count();
            (higher, open.map(|value| f64::from(*value)).sum::<f64>())
        };
        let rows: Vec<(usize, f64)> = rows.par_chunks(columns).map(of_row).collect();
        for (higher, sum) in rows {
            (self.above, self.sum) = (self.above + higher, self.sum + sum);
        }
    }
}

/// Quantity shown at a pixel.
enum Tells {
    /// Depth of the water over the pixel.
    Depth,
    /// Level of the water.
    Level,
    /// Value of the cell at wet pixels, and the value of dry pixels.
    OfCell(Vec<f32>, f32),
    /// Value of the cell at all pixels.
    Everywhere(Vec<f32>),
    /// Hazard of the depth over the pixel and the cell's speed (m/s), above a minimum depth (m).
    Hazard(Vec<f32>, f32, fn(f32, f32) -> f32),
    /// Arrival time of water.
    Arrival(Arrivals, fn(f64) -> f32),
}

impl FineMap {
    /// Prepares a layer of a run with subgrid tables, in its present state.
    ///
    /// # Errors
    /// If the state cannot be read.
    pub fn of(now: &Now, layer: &Layer, ground: &Arc<FineGround>) -> Result<FineMap> {
        let Now { maps, backend, clock, above } = *now;
        let tables = maps.tables.as_ref().expect("cells with a fine ground have tables");
        let mut water = vec![0; maps.grid.cells()];
        let field = layer.fine.water().unwrap_or(Field::Water);
        backend.read_lines(field, 0, bits_mut(&mut water))?;
        let metres = maps.grain.metres();
        let level = |(cell, water): (usize, &i32)| match water {
            1.. => tables.level_of(cell, *water, metres),
            _ => DRY,
        };
        let levels: Vec<i32> = water.par_iter().enumerate().map(level).collect();
        let of_cells = |layer: &Layer| {
            let mut values = vec![NODATA; maps.grid.cells()];
            now.read(layer, 0, &mut values)?;
            Ok(values)
        };
        let tells = match layer.fine {
            Fine::Depth(_) => Tells::Depth,
            Fine::Level(_) => Tells::Level,
            Fine::OfCell(_, dry) => Tells::OfCell(of_cells(layer)?, dry),
            Fine::Duration => Tells::OfCell(of_cells(layer)?, 0.0),
            Fine::Everywhere => Tells::Everywhere(of_cells(layer)?),
            Fine::Hazard(_, speed, of) => {
                Tells::Hazard(of_cells(speed)?, maps.grain.depth(maps.hazard), of)
            }
            Fine::Arrival => {
                // 0 means the layer of the first arrival depth.
                let above = if above > 0 { above } else { maps.arrival };
                Tells::Arrival(Arrivals::read(maps, backend, above)?, shown(clock.unit))
            }
        };
        Ok(FineMap { ground: ground.clone(), levels, tells })
    }

    /// Returns the approximate memory of a map, excluding the ground (bytes).
    pub fn bytes(ground: &FineGround) -> f64 {
        let (columns, rows) = ground.cells();
        // Levels, cell values and reachability; and a strip of ground and of values, both before
        // and while it is written.
        let strip = rows_of_strip(ground) * ground.ratio * ground.grid.columns;
        ((columns * rows) * 16 + strip * 16) as f64
    }

    /// Returns the number of rows of a strip of the map.
    pub fn rows_of_strip(&self) -> usize {
        rows_of_strip(&self.ground) * self.ground.ratio
    }

    /// Returns a function that computes strips of rows of the map.
    ///
    /// # Errors
    /// If the ground cannot be read.
    pub fn rows(&self) -> Result<impl Fn(usize, usize) -> Result<Vec<f32>>> {
        let everywhere = matches!(self.tells, Tells::Everywhere(_));
        let reach = match everywhere {
            true => Reach::default(),
            false => Reach::of(&self.ground, &self.levels)?,
        };
        Ok(move |first: usize, _: usize| {
            let start = first / self.ground.ratio;
            let (_, rows) = self.ground.cells();
            self.strip(&reach, Strip { start, rows: rows_of_strip(&self.ground).min(rows - start) })
        })
    }

    /// Computes the totals without writing a map.
    ///
    /// # Errors
    /// If the ground cannot be read.
    pub fn tally(&self, above: f32) -> Result<Tally> {
        let (make, mut all) = (self.rows()?, Tally::default());
        for first in (0..self.ground.grid.rows).step_by(self.rows_of_strip()) {
            let values = make(first, self.rows_of_strip())?;
            all.add(&values, self.ground.grid.columns, above);
        }
        Ok(all)
    }

    /// Computes the pixel values of some rows of cells, row-major.
    fn strip(&self, reach: &Reach, strip: Strip) -> Result<Vec<f32>> {
        let FineGround { ratio, grid, .. } = &*self.ground;
        let pixels = strip.read(&self.ground)?;
        let mut values = vec![NODATA; pixels.len()];
        let row = ratio * grid.columns;
        values.par_chunks_mut(row).zip(pixels.par_chunks(row)).enumerate().for_each_init(
            Pools::default,
            |pools, (row, (values, pixels))| {
                for column in 0..grid.columns.div_ceil(*ratio) {
                    let cell = Pixels::of(pixels, grid.columns, column, *ratio);
                    let number = (strip.start + row) * grid.columns.div_ceil(*ratio) + column;
                    self.cell(reach, number, cell, pools, values);
                }
            },
        );
        Ok(values)
    }

    /// Computes the pixel values of a cell.
    fn cell(
        &self,
        reach: &Reach,
        number: usize,
        cell: Pixels,
        pools: &mut Pools,
        values: &mut [f32],
    ) {
        let level = self.levels[number];
        let passing = match &self.tells {
            Tells::Arrival(arrivals, _) if level != DRY => Some(arrivals.of(number, level)),
            _ => None,
        };
        let apart = reach.apart(number);
        if apart.is_some() {
            pools.find(cell, level);
        }
        for row in 0..cell.size.1 {
            let values = &mut values[row * cell.width + cell.first..][..cell.size.0];
            let pixels = values.iter_mut().zip(cell.row(row)).enumerate();
            for (column, (value, &pixel)) in
                pixels.filter(|(_, (_, pixel))| **pixel != Bed::OUTSIDE)
            {
                let is_wet = Pixels::is_below(pixel, level)
                    && apart.is_none_or(|apart| !apart[pools.row(row)[column] as usize - 1]);
                *value = match (&passing, &self.tells) {
                    (Some(passing), Tells::Arrival(arrivals, shown)) if is_wet => {
                        arrivals.at(passing, number, pixel).map_or(NODATA, shown)
                    }
                    _ => self.value(number, is_wet, level, pixel),
                };
            }
        }
    }

    /// Returns the value of a pixel inside the domain.
    fn value(&self, cell: usize, is_wet: bool, level: i32, pixel: i32) -> f32 {
        let depth = || level.wrapping_sub(pixel) as f32 * Bed::STEP;
        match &self.tells {
            Tells::Depth => {
                if is_wet {
                    depth()
                } else {
                    0.0
                }
            }
            Tells::Level if is_wet => (f64::from(level) / Bed::PER_METRE) as f32,
            Tells::Level => NODATA,
            Tells::OfCell(values, dry) => {
                if is_wet {
                    values[cell]
                } else {
                    *dry
                }
            }
            Tells::Everywhere(values) => values[cell],
            Tells::Hazard(speeds, above, of) => match depth() {
                depth if is_wet && depth > *above => of(depth, hazard::speed(depth, speeds[cell])),
                _ => 0.0,
            },
            Tells::Arrival(..) => NODATA,
        }
    }
}
