//! A map on the fine grid, computed from a copy of the state, so that the run may continue.

use super::arrivals::Arrivals;
use super::pools::Pixels;
use super::reach::Reach;
use super::surface::{Connections, DividedSides, Water};
use super::{DRY, Strip, rows_of_strip};
use crate::engine::field::{Field, bits_mut};
use crate::engine::grid::Bed;
use crate::engine::hazard;
use crate::error::Result;
use crate::input::dem::fine_ground::FineGround;
use crate::output::layers::read::shown;
use crate::output::layers::{Fine, Layer, NODATA, Now};
use rayon::prelude::*;
use std::sync::Arc;

/// Source data of a map on the fine grid.
pub struct FineMap {
    ground: Arc<FineGround>,
    /// Water level of each cell (2⁻¹⁶ m), [`DRY`] without water.
    levels: Vec<i32>,
    /// Sides across which the water surface does not slope; `None` if it is level in each cell.
    divided: Option<DividedSides>,
    quantity: PixelQuantity,
}

/// Totals of a map's values.
#[derive(Clone, Copy, Debug, Default)]
pub struct PixelTally {
    /// Number of values above a limit.
    pub above: usize,
    /// Sum of all values.
    pub sum: f64,
}

impl PixelTally {
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
enum PixelQuantity {
    /// Depth of the water over the pixel.
    Depth,
    /// Level of the water.
    Level,
    /// Value of the cell at wet pixels, and the value of dry pixels.
    OfCell(Vec<f32>, f32),
    /// Value of the cell at all pixels.
    Everywhere(Vec<f32>),
    /// Function of the depth over the pixel and the cell's speed (m/s), above a minimum depth (m).
    OfFlow(Vec<f32>, f32, fn(f32, f32) -> f32),
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
        let quantity = match layer.fine {
            Fine::Depth(_) => PixelQuantity::Depth,
            Fine::Level(_) => PixelQuantity::Level,
            Fine::OfCell(_, dry) => PixelQuantity::OfCell(of_cells(layer)?, dry),
            Fine::Duration => PixelQuantity::OfCell(of_cells(layer)?, 0.0),
            Fine::Everywhere => PixelQuantity::Everywhere(of_cells(layer)?),
            Fine::Hazard(_, speed, of) => {
                PixelQuantity::OfFlow(of_cells(speed)?, maps.grain.depth(maps.hazard), of)
            }
            Fine::UnitDischarge(_, speed) => {
                PixelQuantity::OfFlow(of_cells(speed)?, 0.0, |depth, speed| depth * speed)
            }
            Fine::Arrival => {
                // 0 means the layer of the first arrival depth.
                let above = if above > 0 { above } else { maps.arrival };
                PixelQuantity::Arrival(Arrivals::read(maps, backend, above)?, shown(clock.unit))
            }
        };
        let divided = maps.divided.clone().filter(|_| layer.fine.water().is_some());
        Ok(FineMap { ground: ground.clone(), levels, divided, quantity })
    }

    /// Returns the approximate memory of a map, excluding the ground (bytes).
    pub fn bytes(ground: &FineGround) -> f64 {
        let (columns, rows) = ground.cells();
        // Levels, cell values and reachability; and a strip of ground with the row of cells on
        // either side and its pools, and of values, both before and while it is written.
        let row = ground.ratio * ground.grid.columns;
        let strip = rows_of_strip(ground) * row;
        ((columns * rows) * 16 + strip * 16 + (strip + 2 * row) * 8) as f64
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
        let everywhere = matches!(self.quantity, PixelQuantity::Everywhere(_));
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
    pub fn tally(&self, above: f32) -> Result<PixelTally> {
        let (make, mut all) = (self.rows()?, PixelTally::default());
        for first in (0..self.ground.grid.rows).step_by(self.rows_of_strip()) {
            let values = make(first, self.rows_of_strip())?;
            all.add(&values, self.ground.grid.columns, above);
        }
        Ok(all)
    }

    /// Computes the pixel values of some rows of cells, row-major.
    fn strip(&self, reach: &Reach, strip: Strip) -> Result<Vec<f32>> {
        let FineGround { ratio, grid, .. } = &*self.ground;
        let (columns, all) = self.ground.cells();
        // The surface depends on the levels of the neighbours.
        let around = match self.divided {
            Some(_) => {
                let first = strip.start.saturating_sub(1);
                Strip { start: first, rows: (strip.start + strip.rows + 1).min(all) - first }
            }
            None => strip,
        };
        let pixels = around.read(&self.ground)?;
        let connections = self.divided.as_ref().map(|divided| {
            let levels = &self.levels[around.start * columns..][..around.rows * columns];
            let ground = (&pixels[..], grid.columns, *ratio);
            Connections::of(around.start, columns, levels, ground, reach, divided)
        });
        let row = ratio * grid.columns;
        let pixels = &pixels[(strip.start - around.start) * row..];
        let pixels = &pixels[..strip.pixels(&self.ground).1 * grid.columns];
        let mut values = vec![NODATA; pixels.len()];
        values.par_chunks_mut(row).zip(pixels.par_chunks(row)).enumerate().for_each_init(
            Water::default,
            |water, (row, (values, pixels))| {
                for column in 0..columns {
                    let cell = Pixels::of(pixels, grid.columns, column, *ratio);
                    let number = (strip.start + row) * columns + column;
                    let apart = reach.apart(number);
                    match &connections {
                        Some(near) => water.slope(cell, number, *ratio, near, apart),
                        None => water.fill(cell, self.levels[number], apart),
                    }
                    self.cell(number, cell, &water.levels, values);
                }
            },
        );
        Ok(values)
    }

    /// Computes the pixel values of a cell, given the water level over each pixel (2⁻¹⁶ m), NaN
    /// where it is dry.
    fn cell(&self, number: usize, cell: Pixels, water: &[f64], values: &mut [f32]) {
        let level = self.levels[number];
        let passing = match &self.quantity {
            PixelQuantity::Arrival(arrivals, _) if level != DRY => Some(arrivals.of(number, level)),
            _ => None,
        };
        for row in 0..cell.size.1 {
            let values = &mut values[row * cell.width + cell.first..][..cell.size.0];
            let water = &water[row * cell.size.0..][..cell.size.0];
            let pixels = values.iter_mut().zip(cell.row(row)).zip(water);
            for ((value, &pixel), &water) in
                pixels.filter(|((_, pixel), _)| **pixel != Bed::OUTSIDE)
            {
                *value = match (&passing, &self.quantity) {
                    (Some(passing), PixelQuantity::Arrival(arrivals, shown)) if !water.is_nan() => {
                        // When the level of the cell was as far below its greatest one as the
                        // surface must be to reach the pixel.
                        let pixel = pixel - (water - f64::from(level)).round() as i32;
                        arrivals.at(passing, number, pixel).map_or(NODATA, shown)
                    }
                    _ => self.value(number, water, pixel),
                };
            }
        }
    }

    /// Returns the value of a pixel inside the domain.
    fn value(&self, cell: usize, water: f64, pixel: i32) -> f32 {
        let is_wet = !water.is_nan();
        let depth = || (water - f64::from(pixel)) as f32 * Bed::STEP;
        match &self.quantity {
            PixelQuantity::Depth if is_wet => depth(),
            PixelQuantity::Depth => 0.0,
            PixelQuantity::Level if is_wet => (water / Bed::PER_METRE) as f32,
            PixelQuantity::Level => NODATA,
            PixelQuantity::OfCell(values, _) if is_wet => values[cell],
            PixelQuantity::OfCell(_, dry) => *dry,
            PixelQuantity::Everywhere(values) => values[cell],
            PixelQuantity::OfFlow(speeds, above, of) => match depth() {
                depth if is_wet && depth > *above => of(depth, hazard::speed(depth, speeds[cell])),
                _ => 0.0,
            },
            PixelQuantity::Arrival(..) => NODATA,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::grid::Grid;

    /// Creates a map of water levels on cells of 4 × 4 pixels.
    fn levels_over(
        pixels: &[i32],
        columns: usize,
        levels: &[i32],
        divided: Option<DividedSides>,
    ) -> FineMap {
        let folder = tempfile::tempdir().unwrap();
        let grid = Grid::plain(columns, pixels.len() / columns, 1.0);
        let mut writer = FineGround::new(grid, 4, Some(folder.path())).unwrap();
        writer.band(pixels).unwrap();
        let ground = Arc::new(writer.finish());
        FineMap { ground, levels: levels.to_vec(), divided, quantity: PixelQuantity::Level }
    }

    /// Returns the levels (2⁻¹⁶ m), 0 where it is dry.
    fn drawn(map: &FineMap) -> Vec<f64> {
        let reach = Reach::of(&map.ground, &map.levels).unwrap();
        let rows = map.ground.cells().1;
        let values = map.strip(&reach, Strip { start: 0, rows }).unwrap();
        let level = |value: f32| f64::from(value) * Bed::PER_METRE;
        values.into_iter().map(|value| if value == NODATA { 0.0 } else { level(value) }).collect()
    }

    /// Returns the first row of a map of a row of cells over the same ground in every row.
    fn row(ground: &[i32], levels: &[i32], divided: &[(usize, usize)]) -> Vec<f64> {
        let divided = divided.iter().copied().collect();
        let map = levels_over(&ground.repeat(4), ground.len(), levels, Some(divided));
        let all = drawn(&map);
        let (first, others) = all.split_at(ground.len());
        assert!(others.chunks(ground.len()).all(|row| row == first), "{all:?}");
        first.to_vec()
    }

    #[test]
    fn water_slopes_between_the_middles_of_connected_cells() {
        let slope = row(&[1; 12], &[1000, 2000, 4000], &[]);
        let expected = [
            [1000.0, 1000.0, 1125.0, 1375.0],
            [1625.0, 1875.0, 2250.0, 2750.0],
            [3250.0, 3750.0, 4000.0, 4000.0],
        ];
        assert_eq!(slope, expected.concat());
        // Between two cells is a structure; the third one is dry.
        let steps = [[1000.0; 4], [2000.0; 4], [0.0; 4]].concat();
        assert_eq!(row(&[1; 12], &[1000, 2000, DRY], &[(0, 0)]), steps);
        // Without the option, each cell has its level.
        let flat = levels_over(&[1; 48], 12, &[1000, 2000, 4000], None);
        assert_eq!(drawn(&flat)[..12], [[1000.0; 4], [2000.0; 4], [4000.0; 4]].concat());
    }

    #[test]
    fn corners_have_the_mean_of_the_cells_around_them() {
        let ground = [1; 64];
        let all =
            drawn(&levels_over(&ground, 8, &[1000, 2000, 3000, 8000], Some(DividedSides::new())));
        // Beside the middle, all around have a sixteenth of the way to each other left.
        assert_eq!(all[3 * 8 + 3], 1000.0 + 0.75 * (500.0 + 1000.0) + 0.75 * 0.75 * 1000.0);
        // A path around the corner leads from the first cell to the third, but not to the fourth.
        let divided = [(0, 2), (1, 1)].into_iter().collect();
        let all = drawn(&levels_over(&ground, 8, &[1000, 2000, 3000, 8000], Some(divided)));
        assert_eq!(all[4 * 8 + 4..][..4], [8000.0; 4]);
        assert!(all[3 * 8 + 3] < 2000.0 && all[3 * 8 + 4] > 1500.0, "{all:?}");
    }

    #[test]
    fn ponds_beside_a_ridge_are_level_and_ridges_stay_dry() {
        // On the side between two cells, above both levels, and above the lower one.
        for ridge in [5000, 3000] {
            let ground = [1, 1, 1, ridge, 1, 1, 1, 1];
            let expected = [4000.0, 4000.0, 4000.0, 0.0, 1000.0, 1000.0, 1000.0, 1000.0];
            let found = row(&ground, &[4000, 1000], &[]);
            assert_eq!(found[4..], expected[4..], "{found:?}");
            assert_eq!(found[..3], expected[..3], "{found:?}");
            assert_eq!(found[3], if ridge < 4000 { 4000.0 } else { 0.0 });
        }
        // Inside the second cell: the water behind it belongs to the third cell.
        let ground = [1, 1, 1, 1, 1, 9000, 500, 500, 400, 400, 400, 400];
        let found = row(&ground, &[2000, 1000, 800], &[]);
        assert_eq!(found[5], 0.0);
        assert!(found[3] < 2000.0 && found[4] > 1000.0, "the river slopes: {found:?}");
        assert!(found[6] <= 1000.0 && found[7] < 1000.0 && found[8] > 800.0, "{found:?}");
    }

    #[test]
    fn shores_move_with_the_surface_but_not_across_ground_above_it() {
        // A bank at the first cell's end that is higher than its level but lower than the surface.
        let ground = [1, 1, 1, 1100, 1, 1, 1, 1];
        let found = row(&ground, &[1000, 2000], &[]);
        assert_eq!(found[3], 0.0, "the bank divides the cells: {found:?}");
        let mut pixels = ground.repeat(4);
        // A gap in the bank connects the cells; it is flooded from there.
        pixels[3] = 1;
        let all = drawn(&levels_over(&pixels, 8, &[1000, 2000], Some(DividedSides::new())));
        assert_eq!([3, 11, 19, 27].map(|pixel: usize| all[pixel]), [1375.0; 4], "{all:?}");
        // A hollow behind a ridge above the surface stays dry, below the level of none.
        pixels[8 + 2..8 + 4].fill(1300);
        pixels[16 + 2..16 + 4].fill(9000);
        pixels[24 + 2..24 + 4].copy_from_slice(&[9000, 1050]);
        let all = drawn(&levels_over(&pixels, 8, &[1000, 2000], Some(DividedSides::new())));
        assert_eq!([10, 11].map(|pixel: usize| all[pixel]), [0.0, 1375.0]);
        assert_eq!(all[27], 1375.0, "it is beside the second cell's water");
    }

    #[test]
    fn the_surface_does_not_depend_on_strips() {
        let (columns, rows) = (22, 27);
        let random = |number: usize, below: i64| {
            let mixed = (number as u64 + 7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            ((mixed >> 33) as i64 % below) as i32
        };
        for seed in 0..30 {
            let pixel = |at: usize| match random(1000 * seed + at, 1000) {
                height if height < 40 => Bed::OUTSIDE,
                height => height,
            };
            let pixels: Vec<i32> = (0..columns * rows).map(pixel).collect();
            let level = |at: usize| match random(77_000 + 100 * seed + at, 900) {
                level if level < 200 => DRY,
                level => level,
            };
            let levels: Vec<i32> = (0..6 * 7).map(level).collect();
            let map = levels_over(&pixels, columns, &levels, Some(DividedSides::new()));
            let reach = Reach::of(&map.ground, &levels).unwrap();
            let whole = map.strip(&reach, Strip { start: 0, rows: 7 }).unwrap();
            for step in [1, 2, 3] {
                let starts = (0..7).step_by(step);
                let strips = starts.map(|start| Strip { start, rows: step.min(7 - start) });
                let parts: Vec<f32> =
                    strips.flat_map(|strip| map.strip(&reach, strip).unwrap()).collect();
                assert!(parts == whole, "seed {seed}, {step} rows");
            }
            // Water is on open ground below it, and in cells that have water.
            for (at, value) in whole.iter().enumerate().filter(|(_, value)| **value != NODATA) {
                let cell = (at / columns / 4) * 6 + at % columns / 4;
                assert!(levels[cell] != DRY && pixels[at] != Bed::OUTSIDE);
                assert!(f64::from(*value) * Bed::PER_METRE > f64::from(pixels[at]));
            }
        }
    }
}
