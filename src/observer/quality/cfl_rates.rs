//! Computes from a state the CFL rate of each cell, and the process that limits the step there,
//! with the solvers' own step formulas.

use crate::engine::backend::Backend;
use crate::engine::field::{Field, words};
use crate::engine::grid::Bed;
pub use crate::engine::solver::cfl::By;
use crate::engine::solver::cfl::{CflLimit, EdgeState};
use crate::engine::solver::edge::DRY;
use crate::engine::solver::{AnySolver, SolverInfo, SolverKind};
use crate::error::Result;
use crate::output::layers::Maps;
use rayon::prelude::*;
use std::sync::Arc;

/// Cells read per chunk, about, and minimum number of rows: enough for all threads, and small
/// enough to allocate quickly and to stay in the cache.
const READ_CELLS: usize = 1 << 18;
const READ_ROWS: usize = 64;

/// Limit on the step of a cell's eastern and southern edges: the stricter of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CflRate {
    /// 1 / the longest stable step (s⁻¹); 0 if the step is unlimited.
    pub rate: f32,
    /// Process that limits the step.
    pub by: By,
    /// Depth of flow over the edge (m).
    pub depth: f32,
    /// Speed over the edge (m/s).
    pub speed: f32,
}

/// Computes CFL rates from the states of a run.
pub struct CflRates {
    maps: Arc<Maps>,
    solver: AnySolver,
    /// Manning's n, if it is uniform (s/m^⅓).
    roughness: Option<f32>,
}

/// Rows of the fields from which CFL rates are computed.
#[derive(Default)]
struct Lines {
    /// First row, and number of columns.
    first: usize,
    columns: usize,
    water: Vec<u32>,
    bed: Vec<u32>,
    east: Vec<u32>,
    south: Vec<u32>,
    roughness: Vec<u32>,
}

/// Water column of a cell: levels of its bed and its surface (m).
#[derive(Clone, Copy)]
struct Column {
    bed: f64,
    level: f64,
}

impl CflRates {
    /// Creates the CFL rates of a timed solver; `None` for automata. `roughness` is the lowest and
    /// the highest Manning's n of the domain (s/m^⅓).
    pub fn new(
        maps: Arc<Maps>,
        solver: &SolverInfo,
        roughness: Option<(f32, f32)>,
    ) -> Option<Self> {
        let SolverKind::Timed { solver, .. } = solver.kind else { return None };
        let same = roughness.filter(|(low, high)| low == high).map(|(n, _)| n);
        Some(CflRates { maps, solver, roughness: same })
    }

    /// Applies `of_row` to the rates ([`CflRate::rate`]) of every row that may have any, and
    /// returns the results in row order.
    pub fn of_rows<R: Send>(
        &self,
        backend: &dyn Backend,
        of_row: impl Fn(usize, &[f32]) -> R + Sync,
    ) -> Result<Vec<R>> {
        let (columns, rows) = (self.maps.grid.columns, self.maps.grid.rows);
        let step = (READ_CELLS / columns).max(READ_ROWS).min(rows);
        let mut all = Vec::new();
        let mut lines = Lines { columns, ..Lines::default() };
        for first in (0..rows).step_by(step) {
            // Include the row below, which the southern edges of the last row need.
            let end = (first + step + 1).min(rows);
            lines.water.resize((end - first) * columns, 0);
            backend.read_lines(Field::Water, first, &mut lines.water)?;
            let rows = || lines.water.par_chunks(columns).enumerate();
            let is_wet = |(_, row): &(usize, &[u32])| row.iter().any(|&grains| grains != 0);
            let wet = (rows().find_first(is_wet), rows().find_last(is_wet));
            let (Some((top, _)), Some((last, _))) = wet else { continue };
            // The row above the first wet row has an edge to it.
            let (top, last) = (top.saturating_sub(1), (last + 1).min(end - first - 1));
            lines.water.truncate((last + 1) * columns);
            lines.water.drain(..top * columns);
            self.read(backend, first + top, &mut lines)?;
            let own = top..(last + 1).min(step);
            let rows = own.into_par_iter().map(|row| first + row);
            let rows: Vec<R> = rows.map(|row| of_row(row, &self.rates(&lines, row))).collect();
            all.extend(rows);
        }
        Ok(all)
    }

    /// Returns the limit of the eastern and southern edges of a cell (column, row).
    pub fn of_cell(&self, backend: &dyn Backend, (column, row): (usize, usize)) -> Result<CflRate> {
        let (columns, rows) = (self.maps.grid.columns, self.maps.grid.rows);
        let mut lines = Lines { columns, ..Lines::default() };
        lines.water.resize((rows - row).min(2) * columns, 0);
        backend.read_lines(Field::Water, row, &mut lines.water)?;
        self.read(backend, row, &mut lines)?;
        Ok(self.at(&lines, column, row))
    }

    /// Returns the rates of the cells of a row, like [`CflRates::at`] but vectorized.
    fn rates(&self, lines: &Lines, row: usize) -> Vec<f32> {
        let columns = lines.columns;
        if self.solver.remembers().is_none() {
            return (0..columns).map(|column| self.at(lines, column, row).rate).collect();
        }
        let [across, down] = self.lengths();
        let rate = |a: Column, b: Column, flow: f32, lengths: [f32; 2]| {
            // NaN marks cells outside the domain.
            let state = self.state([a, b], [0.0; 2], flow, lengths);
            if state.depth > DRY { self.solver.allows(state).cfl_rate } else { 0.0 }
        };
        let here = self.columns_of(lines, row);
        let place = row - lines.first;
        let east = &words::<f32>(&lines.east)[place * (columns + 1) + 1..];
        let mut rates: Vec<f32> = here
            .windows(2)
            .zip(east)
            .map(|(cells, &flow)| rate(cells[0], cells[1], flow, across))
            .collect();
        rates.push(0.0);
        if (place + 1) * columns < lines.water.len() {
            let below = self.columns_of(lines, row + 1);
            let south = &words::<f32>(&lines.south)[place * columns..];
            let cells = here.iter().zip(&below).zip(south);
            for (found, ((&here, &below), &flow)) in rates.iter_mut().zip(cells) {
                let other = rate(here, below, flow, down);
                *found = if other > *found { other } else { *found };
            }
        }
        rates
    }

    /// Returns the water columns of a row; NaN outside the domain.
    fn columns_of(&self, lines: &Lines, row: usize) -> Vec<Column> {
        let Maps { domain, .. } = &*self.maps;
        let cells = (row - lines.first) * lines.columns..(row - lines.first + 1) * lines.columns;
        let both = lines.bed[cells.clone()].iter().zip(&lines.water[cells]);
        let mut columns: Vec<Column> = both.map(|(&bed, &water)| self.column(bed, water)).collect();
        if !domain.is_all() {
            for (at, column) in columns.iter_mut().enumerate() {
                if !domain.holds((at, row)) {
                    *column = Column { bed: f64::INFINITY, level: f64::INFINITY };
                }
            }
        }
        columns
    }

    /// Reads the fields that go with the water of the rows from `first` on.
    fn read(&self, backend: &dyn Backend, first: usize, lines: &mut Lines) -> Result<()> {
        let rows = lines.water.len() / lines.columns;
        let read = |field: Field, first: usize, to: &mut Vec<u32>| {
            to.resize(rows * field.shape(backend.shape()).0, 0);
            backend.read_lines(field, first, to)
        };
        lines.first = first;
        read(Field::Bed, first, &mut lines.bed)?;
        if let Some(flow) = self.solver.remembers() {
            read(Field::edge(flow, 0), first, &mut lines.east)?;
            // Southern edges are numbered from the edge north of the first row.
            read(Field::edge(flow, 1), first + 1, &mut lines.south)?;
        } else if self.roughness.is_none() {
            read(Field::Roughness, first, &mut lines.roughness)?;
        }
        Ok(())
    }

    /// Returns the limit of the eastern and southern edges of a cell.
    fn at(&self, lines: &Lines, column: usize, row: usize) -> CflRate {
        let Maps { grid, domain, .. } = &*self.maps;
        let east = (column + 1 < grid.columns).then_some((column + 1, row));
        let south = (row + 1 < grid.rows).then_some((column, row + 1));
        let [across, down] = self.lengths();
        let at = |(column, row): (usize, usize)| (row - lines.first) * lines.columns + column;
        let flow =
            |of: &[u32], place: usize| words::<f32>(of).get(place).copied().unwrap_or_default();
        let here = at((column, row));
        let edge = |other: Option<(usize, usize)>, flow: f32, length: [f32; 2]| {
            let there = other.filter(|&other| at(other) < lines.water.len())?;
            let wet = lines.water[here] != 0 || lines.water[at(there)] != 0;
            let inside = wet && domain.holds((column, row)) && domain.holds(there);
            inside.then(|| self.edge(lines, [here, at(there)], flow, length))?
        };
        let east_flow = flow(&lines.east, (row - lines.first) * (lines.columns + 1) + column + 1);
        let cfl_rates =
            [edge(east, east_flow, across), edge(south, flow(&lines.south, here), down)];
        let faster = |a: CflRate, b: CflRate| if b.rate > a.rate { b } else { a };
        cfl_rates.into_iter().flatten().fold(CflRate::default(), faster)
    }

    /// Returns the limit of an edge between two cells; no limit if no water flows there.
    fn edge(
        &self,
        lines: &Lines,
        cells: [usize; 2],
        flow: f32,
        lengths: [f32; 2],
    ) -> Option<CflRate> {
        let n = |cell: usize| match self.roughness {
            Some(n) => n,
            None => words::<f32>(&lines.roughness).get(cell).copied().unwrap_or_default(),
        };
        let columns = cells.map(|cell| self.column(lines.bed[cell], lines.water[cell]));
        let state = self.state(columns, cells.map(n), flow, lengths);
        (state.depth > DRY).then(|| {
            let CflLimit { cfl_rate, by, speed } = self.solver.allows(state);
            CflRate { rate: cfl_rate, by, depth: state.depth, speed }
        })
    }

    /// Returns the state of an edge between two water columns with Manning's n.
    fn state(&self, [a, b]: [Column; 2], n: [f32; 2], flow: f32, lengths: [f32; 2]) -> EdgeState {
        let higher = |a: f64, b: f64| if a > b { a } else { b };
        let donor = if a.level > b.level { a } else { b };
        EdgeState {
            difference: (a.level - b.level) as f32,
            depth: (higher(a.level, b.level) - higher(a.bed, b.bed)) as f32,
            donor: (donor.level - donor.bed) as f32,
            roughness: 0.5 * (n[0] + n[1]),
            flow,
            lengths,
        }
    }

    /// Decodes a water column from the stored bits of its bed and its water.
    fn column(&self, bed: u32, water: u32) -> Column {
        let bed = f64::from(bed as i32) / Bed::PER_METRE;
        Column { bed, level: bed + f64::from(water as i32) * f64::from(self.maps.grain.metres()) }
    }

    /// Returns the length and the width of the eastern and southern edges (m).
    fn lengths(&self) -> [[f32; 2]; 2] {
        let (dx, dy) = (self.maps.grid.dx as f32, self.maps.grid.dy as f32);
        [[dx, dy], [dy, dx]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::case::Case;
    use crate::engine::grid::Grid;
    use crate::engine::solver;
    use crate::output::layers::Domain;

    /// Wide enough that rows are read in two chunks.
    const COLUMNS: usize = 4200;
    const ROWS: usize = 70;

    #[test]
    fn rates_of_rows_are_those_of_single_cells() {
        for (name, holes) in [("shallow-water", false), ("inertial", true), ("aqua-manning", true)]
        {
            let is_hole =
                |column: usize, row: usize| holes && (column * 7 + row * 5).is_multiple_of(31);
            let bed = |column: usize, row: usize| match is_hole(column, row) {
                true => f64::NAN,
                false => 0.3 * ((column * 13 + row * 7) % 17) as f64,
            };
            let depth = |column: usize, row: usize| {
                let dry = row == 3 || is_hole(column, row) || column % 90 > 60;
                if dry { 0.0 } else { 0.05 * ((column + row) % 9) as f64 }
            };
            let case = Case::new(COLUMNS, ROWS, 10.0).bed(bed).water(depth);
            let case = case.solver(name).expect("a timed solver");
            let mut run = case.start().expect("a run");
            run.advance(9).expect("shallow water");
            let level = |cell: usize| match is_hole(cell % COLUMNS, cell / COLUMNS) {
                true => Bed::OUTSIDE,
                false => 0,
            };
            let levels = (0..COLUMNS * ROWS).map(level).collect();
            let grid = Grid::plain(COLUMNS, ROWS, 10.0);
            let bed = Bed { levels, ..Bed::default() };
            let domain = Domain::of(&grid, &bed);
            let grain = run.timeline.grain;
            let maps = Arc::new(Maps::plain(grid, domain, grain));
            let solver = solver::find(name).expect("a solver");
            let cfl_rates =
                CflRates::new(maps, solver, Some((0.03, 0.03))).expect("a timed solver");
            let rows = cfl_rates.of_rows(&*run.backend, |row, rates| (row, rates.to_vec()));
            let rows = rows.expect("a state");
            assert_eq!(rows.len(), ROWS, "{name}");
            let mut any = 0;
            for (row, rates) in rows {
                assert_eq!(rates.len(), COLUMNS);
                for column in (row % 5..COLUMNS).step_by(97).chain([COLUMNS - 1]) {
                    let cfl_rate =
                        cfl_rates.of_cell(&*run.backend, (column, row)).expect("a state");
                    let rate = rates[column];
                    assert_eq!(rate.to_bits(), cfl_rate.rate.to_bits(), "{name}: {column}, {row}");
                    any += usize::from(rate > 0.0);
                }
            }
            assert!(any > 500, "{name}: {any}");
        }
    }
}
