//! The padded grid: the grid with its margin of ghosts and walls, as whole arrays in host memory,
//! from which frames are loaded and to which they are stored.

mod restore;

pub(crate) use restore::row_of;

use crate::arrays::zeros;
use crate::backend::ground::{GhostBed, bed_cell};
use crate::backend::totals::Totals;
use crate::backend::{FluxStatistics, Problem};
use crate::cell_diagnostics::NEVER;
use crate::crossed_sides::CrossedSides;
use crate::field::{Field, FieldLocation, FieldRole, words, words_mut};
use crate::forcing::Share;
use crate::forcing::ports::{BoundaryVolumes, Port};
pub(crate) use crate::forcing::sites::flags::{
    AFTER_FLOW, DRAIN, PINNED, SIDE, SINK, STRUCTURE, drain_of,
};
pub use crate::forcing::sites::flags::{CROSSED, INSIDE, INTAKE};
use crate::forcing::sites::{SiteKind, SiteTiming};
use crate::forcing::zones::Zones;
use crate::grid::Bed;
use crate::ledger::Ledger;
use crate::run_diagnostics::Extremes;
use crate::subgrid::layout;
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::{MARGIN, on_padded_grid};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Padding (cells) at the end of the CPU frames' arrays and scratch rows, for the last vector of
/// lanes. The padded grid's arrays can grow by this without moving.
pub(crate) const PADDING: usize = 64;

/// Distance (cells) from the edge of a structure within which its flux affects the water, including
/// through the outflow limits of donor cells.
const NEAR: usize = 3;

/// State of the whole grid. Arrays are row-major over the padded grid unless noted otherwise.
#[derive(Debug, Default)]
pub struct PaddedGrid {
    /// Number of columns of the padded grid.
    pub columns: usize,
    /// Number of rows of the padded grid.
    pub rows: usize,
    /// Per cell: [`INSIDE`] and the flags of its sites ([`crate::forcing::sites::flags`]).
    pub flags: Arc<Vec<u8>>,
    /// Fields of the run in table order, except those that live within a step.
    pub fields: Vec<Field>,
    /// Role of each field in the run.
    roles: Vec<FieldRole>,
    /// Current values of each field (bits). The bed is [`Bed::WALL`] outside the ground.
    pub now: Vec<Vec<u32>>,
    /// Second buffers, written by tiles that step alternately: the new state, and diagnostics if
    /// the steps may be rolled back; empty for other fields.
    pub next: Vec<Vec<u32>>,
    /// Share of each rate layer that has one per cell, row-major over the *grid*; empty for others.
    pub shares: Vec<Arc<Vec<Share>>>,
    /// The distinct zone maps of the rate layers, row-major over the *grid*.
    pub zones: Vec<Arc<Zones>>,
    /// Volumes from before this backend, including the initial water (grains).
    pub before: Ledger,
    /// Flux statistics from before this backend.
    pub crossed_before: FluxStatistics,
    /// Run diagnostics from before this backend.
    pub watch_before: Extremes,
    /// Volumes per port from before this backend.
    pub port_volumes_before: BoundaryVolumes,
    /// Cells whose levels are held while water flows, with their ports, in ascending order.
    pub ports: Vec<(usize, Port)>,
    /// Set if it was restored from a saved state, so that discharges may be nonzero from the start.
    pub restored: bool,
    /// Rows whose fields are held; memory of the others is never touched.
    held_rows: Range<usize>,
}

impl PaddedGrid {
    /// Lays out a problem, and takes the shares out of its forcing.
    pub fn new(problem: &mut Problem) -> PaddedGrid {
        let around = GhostBed::of(problem);
        let rows = 0..problem.grid.rows + 2 * MARGIN;
        PaddedGrid::of_rows(problem, &around, rows.clone(), rows)
    }

    /// Lays out only some rows of the padded grid, and the flags of some more. The problem must
    /// have its rasters in these rows, and in two more on either side.
    pub fn of_rows(
        problem: &mut Problem,
        around: &GhostBed,
        held_rows: Range<usize>,
        flagged: Range<usize>,
    ) -> PaddedGrid {
        let shares = problem.forcing.take_shares().into_iter().map(Arc::new).collect();
        let problem = &*problem;
        let zones = problem.forcing.zones();
        let columns = problem.grid.columns + 2 * MARGIN;
        let rows = problem.grid.rows + 2 * MARGIN;
        let fields: Vec<Field> = problem.fields();
        let lives_on = |field: &Field| field.role(problem) != FieldRole::Passing;
        let fields: Vec<Field> = fields.into_iter().filter(lives_on).collect();
        let mut flags = terrain_flags(problem, around, &flagged);
        let ports = mark_sites(problem, &mut flags);
        mark_structures(problem, &mut flags);
        let array = |&field: &Field| first_of(problem, field, around, (columns, rows), &held_rows);
        let now: Vec<Vec<u32>> = fields.iter().map(array).collect();
        let next = vec![Vec::new(); now.len()];
        let initial = initial_water(problem, &flagged);
        PaddedGrid {
            columns,
            rows,
            flags: Arc::new(flags),
            roles: fields.iter().map(|field| field.role(problem)).collect(),
            fields,
            now,
            next,
            shares,
            zones,
            before: Ledger { initial: initial.into(), ..Ledger::default() },
            crossed_before: FluxStatistics::default(),
            watch_before: Extremes::default(),
            port_volumes_before: BoundaryVolumes::default(),
            ports,
            restored: false,
            held_rows,
        }
    }

    /// Returns the index of a field among the padded grid's, if present.
    fn number(&self, field: Field) -> Option<usize> {
        self.fields.iter().position(|held| *held == field)
    }

    /// Returns the current values of a field (bits), if present.
    pub fn find(&self, field: Field) -> Option<&[u32]> {
        self.number(field).map(|number| &self.now[number][..])
    }

    /// Returns the current values of a field (bits).
    ///
    /// # Panics
    /// If the padded grid does not have the field.
    pub fn of(&self, field: Field) -> &[u32] {
        self.find(field).expect("a field of the padded grid")
    }

    /// Drops everything but the flags, which the workers now hold.
    pub(crate) fn let_go(&mut self) {
        (self.now, self.next, self.shares) = Default::default();
        self.zones = Vec::new();
    }

    /// Moves the current values of a field out of the padded grid; the array has spare capacity for
    /// a few more numbers.
    pub(crate) fn give_away(&mut self, field: Field) -> Option<Vec<u32>> {
        self.number(field).map(|number| std::mem::take(&mut self.now[number]))
    }

    /// Allocates second buffers, for tiles that step alternately: the new state is kept apart from
    /// the old one.
    pub(crate) fn take_turns(&mut self) {
        let fields = self.fields.iter().zip(&self.roles).zip(self.now.iter().zip(&mut self.next));
        for ((field, _), (now, next)) in fields.filter(|((_, role), _)| **role == FieldRole::State)
        {
            // Zeros that are never touched cost no time.
            *next = if field.is_of_flow() { zeros(now.len()) } else { now.clone() };
        }
    }

    /// Returns the current water (grains), mutably.
    pub fn water(&mut self) -> &mut [i32] {
        let number = self.number(Field::Water).expect("there is water");
        words_mut(&mut self.now[number])
    }

    /// Returns the buffer to which a stored subdomain writes a field, if the field is kept at all.
    pub fn to(&mut self, field: Field) -> Option<&mut [u32]> {
        let number = self.number(field)?;
        match self.roles[number] {
            FieldRole::State => Some(&mut self.next[number]),
            FieldRole::Diagnostic if self.next[number].is_empty() => Some(&mut self.now[number]),
            FieldRole::Diagnostic => Some(&mut self.next[number]),
            FieldRole::Input | FieldRole::Passing => None,
        }
    }

    /// Also buffers diagnostics until the [swap](PaddedGrid::swap), because the steps may be rolled
    /// back.
    pub(crate) fn hold_diagnostics(&mut self) {
        for number in self.diagnostics() {
            self.next[number] = self.now[number].clone();
        }
    }

    /// Commits the buffered diagnostics of some cells, after steps that will not be rolled back.
    pub(crate) fn take_diagnostics(&mut self, cells: Rect) {
        for number in self.diagnostics().into_iter().filter(|number| !self.next[*number].is_empty())
        {
            for cells in cells.lines(self.columns) {
                self.now[number][cells.clone()].copy_from_slice(&self.next[number][cells]);
            }
        }
    }

    fn diagnostics(&self) -> Vec<usize> {
        (0..self.fields.len())
            .filter(|number| self.roles[*number] == FieldRole::Diagnostic)
            .collect()
    }

    /// Returns `true` if a field is a diagnostic, recorded for a cell only by the subdomain that
    /// owns it.
    pub fn is_diagnostic(&self, field: Field) -> bool {
        self.number(field).is_some_and(|number| self.roles[number] == FieldRole::Diagnostic)
    }

    /// Makes the state after the current steps the current one.
    pub fn swap(&mut self) {
        for (now, next) in self.now.iter_mut().zip(&mut self.next) {
            if !next.is_empty() {
                std::mem::swap(now, next);
            }
        }
    }

    /// Returns the indices of the edge fields.
    pub fn flows(&self) -> impl Iterator<Item = usize> + '_ {
        let over_edges = |number: &usize| self.fields[*number].row().place != FieldLocation::Cell;
        (0..self.fields.len()).filter(over_edges)
    }

    /// Zeroes the flow fields of an inactive tile's cells in the second buffers, which still hold
    /// values from two sweeps ago.
    pub(crate) fn wipe(&mut self, cells: Rect) {
        let PaddedGrid { columns, fields, next, .. } = self;
        let still = fields.iter().zip(next).filter(|(f, next)| f.is_of_flow() && !next.is_empty());
        for (_, next) in still {
            cells.lines(*columns).for_each(|cells| next[cells].fill(0));
        }
    }

    /// Copies the other fields of an inactive tile's cells to the second buffers.
    pub fn keep(&mut self, cells: Rect) {
        let PaddedGrid { columns, fields, now, next, .. } = self;
        let fields = fields.iter().zip(now.iter().zip(next));
        for (_, (now, next)) in fields.filter(|(f, (_, next))| !f.is_of_flow() && !next.is_empty())
        {
            for cells in cells.lines(*columns) {
                next[cells.clone()].copy_from_slice(&now[cells]);
            }
        }
    }

    /// Sums up the current water in some cells of the padded grid.
    pub fn count(&self, cells: Rect) -> Totals {
        let mut totals = Totals::default();
        for cells in cells.lines(self.columns) {
            let water: &[i32] = words(&self.of(Field::Water)[cells]);
            totals.stored += water.iter().map(|&grains| grains as u64).sum::<u64>();
            totals.wet += water.iter().filter(|&&grains| grains > 0).count() as u64;
        }
        totals
    }
}

/// Returns the flags of the terrain: ghosts, open sides and cells of the domain, in the `flagged`
/// rows.
fn terrain_flags(problem: &Problem, around: &GhostBed, flagged: &Range<usize>) -> Vec<u8> {
    let [columns, rows] = [problem.grid.columns, problem.grid.rows].map(|size| size + 2 * MARGIN);
    let mut flags = zeros(columns * rows);
    let flagged_cells = flagged.start * columns..flagged.end * columns;
    let flag_rows = flags[flagged_cells].par_chunks_mut(columns).enumerate();
    flag_rows.map(|(row, flags)| (flagged.start + row, flags)).for_each(|(row, flags)| {
        let beside = |column: usize| {
            let place = [column, row].map(|at| at as isize - MARGIN as isize);
            let cell = bed_cell(problem, around, place);
            cell.map_or(0, |cell| cell.port.map_or(INSIDE, drain_of))
        };
        fill_row(problem, row, flags, |_| INSIDE, beside);
    });
    flags
}

/// Flags the cells of sites, crossed sides and intakes. Returns the ports of the sites that act with the flow, in
/// ascending order of their cells.
fn mark_sites(problem: &Problem, flags: &mut [u8]) -> Vec<(usize, Port)> {
    let columns = problem.grid.columns + 2 * MARGIN;
    let at = |cell: usize| {
        let (column, row) = on_padded_grid(cell, problem.grid.columns);
        row * columns + column
    };
    let mut ports = Vec::new();
    let solver = problem.solver.info();
    for kind in SiteKind::flagged(solver) {
        for site in kind.cells(&problem.forcing) {
            if flags[at(site.cell)] & INSIDE == 0 {
                continue;
            }
            flags[at(site.cell)] |= kind.info().flag;
            if (kind.info().when)(solver) == Some(SiteTiming::WithFlow) && site.given.port != 0 {
                ports.push((at(site.cell), site.given.port));
            }
        }
    }
    ports.sort_unstable();
    for kind in SiteKind::ALL.iter().filter(|kind| kind.info().crosses) {
        for site in kind.cells(&problem.forcing) {
            let at = at(site.cell);
            if flags[at] & INSIDE != 0 && CrossedSides::outer(flags, at, columns).any() {
                flags[at] |= CROSSED;
            }
        }
    }
    for cell in problem.forcing.intakes(problem.solver) {
        flags[at(cell)] |= INTAKE;
    }
    ports
}

/// Flags the cells near structures. Structures in other rows are handled by the ranks that hold
/// them.
fn mark_structures(problem: &Problem, flags: &mut [u8]) {
    let columns = problem.grid.columns + 2 * MARGIN;
    for structure in &problem.forcing.structures {
        let (column, row) = on_padded_grid(structure.cell, problem.grid.columns);
        for row in row - NEAR..=row + 1 + NEAR {
            flags[row * columns..][column - NEAR..=column + 1 + NEAR]
                .iter_mut()
                .for_each(|flags| *flags |= STRUCTURE);
        }
    }
}

/// Returns the water in the cells of the domain in the `flagged` rows at the start (grains).
fn initial_water(problem: &Problem, flagged: &Range<usize>) -> i64 {
    // There is none off the grid.
    let on_grid = |row: usize| row.saturating_sub(MARGIN).min(problem.grid.rows);
    let [first, end] = [flagged.start, flagged.end].map(|row| on_grid(row) * problem.grid.columns);
    let initial = problem.initial.get(first..end).unwrap_or_default().par_iter();
    let levels = problem.bed.levels[first..end].par_iter();
    let inside = |(&grains, &level): (&i32, &i32)| match level {
        Bed::OUTSIDE => 0,
        _ => i64::from(grains),
    };
    initial.zip(levels).map(inside).sum()
}

/// Returns the initial values of a field over a padded grid of (columns, rows).
fn first_of(
    problem: &Problem,
    field: Field,
    around: &GhostBed,
    (columns, rows): (usize, usize),
    held_rows: &Range<usize>,
) -> Vec<u32> {
    // With spare capacity for the padding of a frame.
    let mut cells = zeros(columns * rows + PADDING);
    cells.truncate(columns * rows);
    let grid = (problem.grid.columns, problem.grid.rows);
    let first = field.first(problem);
    // Returns the cell of the grid at a place on the padded grid.
    let cell_at = |row: usize, column: usize| {
        let on_grid = |at: usize, count: usize| (MARGIN..MARGIN + count).contains(&at);
        let here = on_grid(column, grid.0) && on_grid(row, grid.1);
        here.then(|| (row - MARGIN) * grid.0 + column - MARGIN)
    };
    let initial = |cell: usize| match problem.bed.levels[cell] {
        Bed::OUTSIDE => 0,
        _ => problem.initial.get(cell).copied().unwrap_or(0),
    };
    let arrival = |initial: i32| if initial > problem.arrival { 0 } else { NEVER.to_bits() };
    // Values of cells in the domain, which most are.
    let inside = |cell: usize| -> u32 {
        match field {
            Field::Bed => Bed::height(problem.bed.levels[cell], around.datum) as u32,
            Field::Roughness => problem.roughness.of(cell).to_bits(),
            Field::Water | Field::MaxDepth => initial(cell) as u32,
            Field::Arrival => arrival(initial(cell)),
            Field::Table(plane) => {
                let place = [cell % grid.0, cell / grid.0].map(|at| at as isize);
                table_word(problem, around.datum, plane, place, Some(cell))
            }
            _ => first(cell),
        }
    };
    let beside = |row: usize, column: usize| -> u32 {
        let place = [column, row].map(|at| at as isize - MARGIN as isize);
        match field {
            Field::Bed => {
                bed_cell(problem, around, place).map_or(Bed::WALL, |cell| cell.height) as u32
            }
            // Cells beyond walls are never read.
            Field::Roughness => bed_cell(problem, around, place)
                .map_or(1.0, |cell| problem.roughness.of(cell.source))
                .to_bits(),
            Field::Table(plane) => {
                let cell = bed_cell(problem, around, place).map(|cell| cell.source);
                table_word(problem, around.datum, plane, place, cell)
            }
            Field::Water | Field::MaxDepth => 0,
            Field::Arrival => arrival(0),
            _ => cell_at(row, column).map_or(0, &first),
        }
    };
    let is_zero = match field {
        Field::Water | Field::MaxDepth => problem.initial.is_empty(),
        Field::Bed | Field::Roughness | Field::Table(_) => false,
        _ => field.begins_at_zero(problem),
    };
    // Zeros that are never touched cost no time.
    if !is_zero {
        let rows =
            cells[held_rows.start * columns..held_rows.end * columns].par_chunks_mut(columns);
        rows.enumerate().for_each(|(row, cells)| {
            let row = held_rows.start + row;
            fill_row(problem, row, cells, inside, |column| beside(row, column));
        });
    }
    cells
}

/// Returns a word of the tables at a place (column, row) on the grid or beside it, for a cell there
/// or the cell that it is a ghost of. Levels are relative to the datum.
fn table_word(
    problem: &Problem,
    datum: i32,
    plane: usize,
    place: [isize; 2],
    cell: Option<usize>,
) -> u32 {
    let Some(tables) = &problem.subgrid else { return 0 };
    let Some(word) = plane.checked_sub(layout::cell::WORDS) else {
        return cell.map_or(0, |cell| tables.cell(plane)[cell]);
    };
    let (axis, word) = (word / layout::edge::WORDS, word % layout::edge::WORDS);
    match (word, tables.edge_ahead(axis, word, place)) {
        (layout::edge::SILL, Some(sill)) if sill as i32 != i32::MAX => (sill as i32 - datum) as u32,
        (layout::edge::SILL, _) => i32::MAX as u32,
        (_, found) => found.unwrap_or(0),
    }
}

/// Fills a row of the padded grid: domain cells from `inside`, by index on the grid, and all others
/// from `beside`, by column.
fn fill_row<T>(
    problem: &Problem,
    row: usize,
    to: &mut [T],
    inside: impl Fn(usize) -> T,
    beside: impl Fn(usize) -> T,
) {
    let columns = problem.grid.columns;
    let first = row.checked_sub(MARGIN).map_or(usize::MAX, |row| row.saturating_mul(columns));
    let levels = problem.bed.levels.get(first..).and_then(|from| from.get(..columns));
    for (column, to) in to.iter_mut().enumerate() {
        let on_grid = column.checked_sub(MARGIN).and_then(|at| Some((at, *levels?.get(at)?)));
        *to = match on_grid {
            Some((at, level)) if level != Bed::OUTSIDE => inside(first + at),
            _ => beside(column),
        };
    }
}
