//! Builds the tables of a grid from a finer one, one row of cells at a time.

use super::cell_table;
use super::channels::{Channels, Section};
use super::edge_table::{EdgeTableBuilder, SHUT};
use super::layout::edge;
use super::pass::Search;
use super::pixels::{FaceOrientation, Pair, Pixels};
use super::tables::{EdgeWords, Tables};
use crate::grid::Bed;
use rayon::prelude::*;

/// Builder of the tables, fed with bands of the fine grid from north to south. It keeps one band in
/// memory.
#[derive(Debug)]
pub struct Builder {
    /// Columns and rows of the fine grid.
    fine: [usize; 2],
    /// Rows of cells done so far.
    made: usize,
    /// The cells of the previous row.
    before: Vec<Pixels>,
    /// The lowest and the highest level so far (2⁻¹⁶ m).
    range: [i32; 2],
    /// Rivers narrower than the cells.
    channels: Channels,
    /// Height of a pixel divided by its width.
    aspect: f64,
    tables: Tables,
}

/// Scratch of a thread that builds edge tables.
type EdgeScratch = (Pair, EdgeTableBuilder);

impl Builder {
    /// Creates a builder for a fine grid of the given columns and rows of pixels, with pixel width
    /// and height (m), of which `ratio` × `ratio` form a cell. Cells that extend beyond the east or
    /// south side have closed pixels there. `is_rough` announces bands with a roughness.
    ///
    /// # Panics
    /// If the grid is empty, or the ratio is 0 or above 512.
    pub fn new(
        [columns, rows]: [usize; 2],
        [width, height]: [f64; 2],
        ratio: usize,
        is_rough: bool,
    ) -> Builder {
        assert!(columns > 0 && rows > 0, "a grid of {columns} x {rows} pixels has no cells");
        assert!((1..=512).contains(&ratio), "{ratio} pixels a cell");
        let cells = [columns, rows].map(|pixels| pixels.div_ceil(ratio));
        let tables = Tables::empty(cells[0], cells[1], ratio, is_rough);
        Builder {
            fine: [columns, rows],
            made: 0,
            before: Vec::new(),
            range: [i32::MAX, i32::MIN],
            channels: Channels::default(),
            aspect: height / width,
            tables,
        }
    }

    /// Adds rivers narrower than the cells.
    pub fn with_channels(self, channels: Channels) -> Builder {
        Builder { channels, ..self }
    }

    /// Sets the uniform Manning's n of the ground (s/m^⅓), with which rivers with their own n are
    /// compared.
    pub fn over_ground(mut self, roughness: f32) -> Builder {
        self.channels.ground_roughness = f64::from(roughness);
        self
    }

    /// Returns the number of fine rows in the next band: `ratio`, or the rest of the grid, which
    /// may be 0.
    pub fn rows_of_band(&self) -> usize {
        self.tables.ratio.min(self.fine[1] - (self.made * self.tables.ratio).min(self.fine[1]))
    }

    /// Processes the next band: [`Builder::rows_of_band`] rows of levels (2⁻¹⁶ m; [`Bed::OUTSIDE`]
    /// where a pixel is closed, by missing data or a building), and of Manning's n (s/m^⅓) unless
    /// it is uniform.
    ///
    /// # Panics
    /// If the number of pixels is wrong, if roughness is given or missing contrary to
    /// [`Builder::new`], or if levels differ by more than [`Bed::RELIEF`].
    pub fn band(&mut self, levels: &[i32], roughness: Option<&[f32]>) {
        let ([fine, _], ratio) = (self.fine, self.tables.ratio);
        let pixels = fine * self.rows_of_band();
        assert!(pixels > 0, "no band is left");
        assert_eq!(levels.len(), pixels, "levels of a band");
        assert_eq!(
            roughness.is_some(),
            !self.tables.roughness.is_empty(),
            "roughness in all bands"
        );
        assert!(roughness.is_none_or(|n| n.len() == pixels), "roughness of a band");

        let (columns, row) = (self.tables.columns, self.made);
        let cut = |column| Pixels::cut(levels, roughness, fine, column * ratio, ratio);
        let cells: Vec<Pixels> = (0..columns).into_par_iter().map(cut).collect();
        self.of_cells(row, &cells);

        let east = |edge: usize| [edge.checked_sub(1), Some(edge)].map(|c| cells.get(c?));
        let east: Vec<EdgeWords> = (0..columns + 1)
            .into_par_iter()
            .map_init(EdgeScratch::default, |scratch, edge| {
                let sections = self.channels.sections(0, row * (columns + 1) + edge);
                let n = self.channels.ground_roughness;
                of_edge(
                    scratch,
                    east(edge),
                    (FaceOrientation::Rows, ratio, self.aspect),
                    (sections, n),
                )
            })
            .collect();
        self.tables.put_edges(0, row * (columns + 1), &east);

        let before = std::mem::take(&mut self.before);
        self.of_south_edges(row, &before, &cells);
        self.before = cells;
        self.made += 1;
    }

    /// Returns the tables after the last band.
    ///
    /// # Panics
    /// If bands are missing.
    pub fn finish(mut self) -> Tables {
        assert_eq!(self.made, self.tables.rows, "bands that came");
        let before = std::mem::take(&mut self.before);
        self.of_south_edges(self.made, &before, &[]);
        self.tables
    }

    /// Builds the tables of a row of cells.
    fn of_cells(&mut self, row: usize, cells: &[Pixels]) {
        let (ratio, from) = (self.tables.ratio, row * self.tables.columns);
        let table = |(at, cell): (usize, &Pixels)| {
            let slots = self.channels.slots(from + at);
            cell_table::with_slots(cell.open(ratio), slots, ratio * ratio)
        };
        let tables: Vec<_> = cells.par_iter().enumerate().map(table).collect();
        self.tables.put_cells(from, &tables);
        let ends = cells.iter().flat_map(|cell| {
            [cell.order.first(), cell.order.last()]
                .map(|end| end.map(|&pixel| cell.level(ratio, pixel)))
        });
        let beds = (0..cells.len()).flat_map(|at| self.channels.slots(from + at));
        for level in ends.flatten().chain(beds.map(|slot| slot.bed)) {
            let [lowest, highest] = &mut self.range;
            (*lowest, *highest) = (level.min(*lowest), level.max(*highest));
        }
        let [lowest, highest] = self.range.map(|level| f64::from(level) / Bed::PER_METRE);
        assert!(highest - lowest <= Bed::RELIEF, "ground from {lowest} to {highest} m");
        for (at, cell) in cells.iter().enumerate() {
            let lowest = self.channels.lowest(from + at).filter(|_| !cell.is_closed());
            self.tables.bed[from + at] = match (cell.bed(ratio), lowest) {
                (bed, Some(lowest)) => bed.min(lowest),
                (bed, None) => bed,
            };
            if let Some(roughness) = self.tables.roughness.get_mut(from + at) {
                *roughness = cell.mean_roughness;
            }
        }
    }

    /// Builds the tables of the edges between two rows of cells, one of which may be beyond the
    /// grid.
    fn of_south_edges(&mut self, row: usize, north: &[Pixels], south: &[Pixels]) {
        let (columns, ratio) = (self.tables.columns, self.tables.ratio);
        let tables: Vec<EdgeWords> = (0..columns)
            .into_par_iter()
            .map_init(EdgeScratch::default, |scratch, column| {
                let sections = self.channels.sections(1, row * columns + column);
                let n = self.channels.ground_roughness;
                let pair = [north.get(column), south.get(column)];
                of_edge(
                    scratch,
                    pair,
                    (FaceOrientation::Columns, ratio, self.aspect),
                    (sections, n),
                )
            })
            .collect();
        self.tables.put_edges(1, row * columns, &tables);
        if let Some(row) = row.checked_sub(1) {
            // By now the edges on all sides of these cells are done.
            let parted =
                north.par_iter().enumerate().map_init(Search::default, |search, (at, cell)| {
                    search.is_parted(cell, ratio, &self.passes(at, row))
                });
            let parted: Vec<bool> = parted.collect();
            self.tables.parted[row * columns..][..columns].copy_from_slice(&parted);
        }
    }

    /// Returns the levels at which water passes from a cell to its open neighbours (2⁻¹⁶ m), lowest
    /// first.
    fn passes(&self, column: usize, row: usize) -> Vec<i32> {
        let tables = &self.tables;
        let (columns, rows) = (tables.columns, tables.rows);
        let cell = row * columns + column;
        // Whether there is a neighbour, which one, and the edge to it.
        let sides = [
            (column > 0, cell.wrapping_sub(1), 0, cell + row),
            (column + 1 < columns, cell + 1, 0, cell + row + 1),
            (row > 0, cell.wrapping_sub(columns), 1, cell),
            (row + 1 < rows, cell + columns, 1, cell + columns),
        ];
        let open =
            sides.iter().filter(|(is, beside, ..)| *is && tables.bed[*beside] != Bed::OUTSIDE);
        let pass = |&(_, _, axis, at): &(bool, usize, usize, usize)| {
            tables.edge(axis, edge::SILL)[at] as i32
        };
        let mut passes: Vec<i32> = open.map(pass).filter(|&pass| pass != i32::MAX).collect();
        passes.sort_unstable();
        passes
    }
}

/// Builds the table of an edge between two cells, one of which may be beyond the grid.
fn of_edge(
    (pair, builder): &mut EdgeScratch,
    cells: [Option<&Pixels>; 2],
    (orientation, ratio, aspect): (FaceOrientation, usize, f64),
    (sections, of_ground): (&[Section], f64),
) -> EdgeWords {
    if !pair.take(cells, orientation, ratio) {
        return SHUT;
    }
    // A missing cell is a mirror image of the other.
    let open = cells.map(|cell| cell.filter(|cell| !cell.is_closed()));
    let roughness = open.map(|cell| cell.map(|cell| cell.mean_roughness));
    let mean = match roughness {
        [Some(a), Some(b)] => 0.5 * (a + b),
        [a, b] => a.or(b).unwrap_or(0.0),
    };
    let aspect = if orientation == FaceOrientation::Rows { aspect } else { 1.0 / aspect };
    let aspect = open.iter().all(Option::is_some).then_some(aspect);
    builder.table(pair, mean, sections, of_ground, aspect)
}

/// Builds the tables of a fine grid of square pixels that is entirely in memory.
pub fn tables(levels: &[i32], roughness: Option<&[f32]>, columns: usize, ratio: usize) -> Tables {
    let size = [columns, levels.len() / columns];
    let mut builder = Builder::new(size, [1.0; 2], ratio, roughness.is_some());
    let bands = levels.chunks(columns * ratio);
    for (at, band) in bands.enumerate() {
        let from = at * columns * ratio;
        builder.band(band, roughness.map(|n| &n[from..from + band.len()]));
    }
    builder.finish()
}
