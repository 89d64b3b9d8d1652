//! How long a step each place of a state allows, and what holds it: worked out of the state as it is read, by the formulas by
//! which the rules choose their steps.

use crate::engine::backend::Backend;
use crate::engine::field::{Field, words};
use crate::engine::grains::Grain;
use crate::engine::grid::Bed;
use crate::engine::lanes::Real;
use crate::engine::rule::aqua_manning::AquaManning;
use crate::engine::rule::edge::{Axis, DRY, Edge, EdgeRule};
use crate::engine::rule::inertial::COURANT;
use crate::engine::rule::{AnyRule, RuleInfo, RuleKind};
use crate::error::Result;
use crate::layers::Maps;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// About how many cells are read together, and rows at the least: so many that all threads have some, and so few that memory for
/// them is soon taken, and stays near.
const READ_CELLS: usize = 1 << 18;
const READ_ROWS: usize = 64;

/// Acceleration of gravity (m/s²).
const G: f32 = 9.81;

/// What holds a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Waves run faster than the water: it is deep there.
    #[default]
    Wave,
    /// The water runs faster than waves: it is steep there.
    Water,
    /// With `aqua-manning`: levels would come to tip over.
    Level,
    /// With `aqua-manning`: a cell would give more than it has.
    Supply,
}

impl By {
    /// All of them, each at the place that it has as a number.
    pub const ALL: [By; 4] = [By::Wave, By::Water, By::Level, By::Supply];

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            By::Wave => "waves on deep water",
            By::Water => "fast water",
            By::Level => "a level difference that would reverse",
            By::Supply => "a cell that would run dry",
        }
    }
}

/// What the edges east and south of a cell ask for: the one that asks for the shorter step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// 1 / the longest step (s⁻¹); 0 if any will do.
    pub rate: f32,
    /// What holds it.
    pub by: By,
    /// Depth of flow over the edge (m).
    pub depth: f32,
    /// Speed over it (m/s).
    pub speed: f32,
}

/// Reads paces off states of a run.
pub struct Paces<'a> {
    maps: &'a Maps,
    rule: AnyRule,
    /// Manning's n where it is the same everywhere (s/m^⅓).
    roughness: Option<f32>,
}

/// Lines of the fields that paces follow from.
#[derive(Default)]
struct Lines {
    /// The first row, and columns.
    first: usize,
    columns: usize,
    water: Vec<u32>,
    bed: Vec<u32>,
    east: Vec<u32>,
    south: Vec<u32>,
    roughness: Vec<u32>,
}

/// A column of water: the levels of its ground and of its surface (m).
#[derive(Clone, Copy)]
struct Column {
    bed: f64,
    level: f64,
}

impl<'a> Paces<'a> {
    /// Of the runs of a rule; none of an automaton's. `roughness` is the lowest and the highest in the domain (s/m^⅓).
    pub fn new(maps: &'a Maps, rule: &RuleInfo, roughness: Option<(f32, f32)>) -> Option<Self> {
        let RuleKind::Timed { rule, .. } = rule.kind else { return None };
        let same = roughness.filter(|(low, high)| low == high).map(|(n, _)| n);
        Some(Paces { maps, rule, roughness: same })
    }

    /// What `of_row` makes of the rates ([`Pace::rate`]) of every row that may have any, in the order of rows.
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
            // With the row below the last one's edges.
            let end = (first + step + 1).min(rows);
            lines.water.resize((end - first) * columns, 0);
            backend.read_lines(Field::Water, first, &mut lines.water)?;
            let rows = || lines.water.par_chunks(columns).enumerate();
            let is_wet = |(_, row): &(usize, &[u32])| row.iter().any(|&grains| grains != 0);
            let wet = (rows().find_first(is_wet), rows().find_last(is_wet));
            let (Some((top, _)), Some((last, _))) = wet else { continue };
            // A row above the first that is wet has an edge to it.
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

    /// What the edges east and south of a cell (column, row) ask for.
    pub fn of_cell(&self, backend: &dyn Backend, (column, row): (usize, usize)) -> Result<Pace> {
        let (columns, rows) = (self.maps.grid.columns, self.maps.grid.rows);
        let mut lines = Lines { columns, ..Lines::default() };
        lines.water.resize((rows - row).min(2) * columns, 0);
        backend.read_lines(Field::Water, row, &mut lines.water)?;
        self.read(backend, row, &mut lines)?;
        Ok(self.at(&lines, column, row))
    }

    /// The rates of the cells of a row: those of [`Paces::at`], many at a time.
    fn rates(&self, lines: &Lines, row: usize) -> Vec<f32> {
        let columns = lines.columns;
        let is_inertial = match self.rule {
            AnyRule::ShallowWater(_) | AnyRule::ShallowWater2(_) => false,
            AnyRule::Inertial(_) => true,
            _ => return (0..columns).map(|column| self.at(lines, column, row).rate).collect(),
        };
        let [across, down] = self.maps.grid.inverse_cell();
        let rate = |a: Column, b: Column, flow: f32, inverse_length: f32| {
            let higher = |a: f64, b: f64| if a > b { a } else { b };
            let depth = (higher(a.level, b.level) - higher(a.bed, b.bed)) as f32;
            let speed = if is_inertial { (flow / depth).abs() } else { flow.abs() };
            let rate = (speed + (G * depth).sqrt()) * inverse_length / COURANT;
            // What is no number is where the domain ends.
            if depth > DRY { rate } else { 0.0 }
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

    /// The columns of water of a row. Outside the domain they are no numbers.
    fn columns_of(&self, lines: &Lines, row: usize) -> Vec<Column> {
        let Maps { domain, grain, .. } = self.maps;
        let metres = f64::from(grain.metres());
        let cells = (row - lines.first) * lines.columns..(row - lines.first + 1) * lines.columns;
        let both = lines.bed[cells.clone()].iter().zip(&lines.water[cells]);
        let column = |(&bed, &water): (&u32, &u32)| {
            let bed = f64::from(bed as i32) / Bed::PER_METRE;
            Column { bed, level: bed + f64::from(water as i32) * metres }
        };
        let mut columns: Vec<Column> = both.map(column).collect();
        if !domain.is_all() {
            for (at, column) in columns.iter_mut().enumerate() {
                if !domain.holds((at, row)) {
                    *column = Column { bed: f64::INFINITY, level: f64::INFINITY };
                }
            }
        }
        columns
    }

    /// Reads what goes with the water of rows from `first` on.
    fn read(&self, backend: &dyn Backend, first: usize, lines: &mut Lines) -> Result<()> {
        let rows = lines.water.len() / lines.columns;
        let read = |field: Field, first: usize, to: &mut Vec<u32>| {
            to.resize(rows * field.shape(backend.shape()).0, 0);
            backend.read_lines(field, first, to)
        };
        lines.first = first;
        // Lines of southern edges begin north of the first row.
        let flows = match self.rule {
            AnyRule::ShallowWater(_) | AnyRule::ShallowWater2(_) => {
                Some([Field::VelocityEast, Field::VelocitySouth])
            }
            AnyRule::Inertial(_) => Some([Field::DischargeEast, Field::DischargeSouth]),
            _ => None,
        };
        read(Field::Bed, first, &mut lines.bed)?;
        if let Some([east, south]) = flows {
            read(east, first, &mut lines.east)?;
            read(south, first + 1, &mut lines.south)?;
        } else if self.roughness.is_none() {
            read(Field::Roughness, first, &mut lines.roughness)?;
        }
        Ok(())
    }

    /// What the edges east and south of a cell ask for.
    fn at(&self, lines: &Lines, column: usize, row: usize) -> Pace {
        let Maps { grid, domain, .. } = self.maps;
        let east = (column + 1 < grid.columns).then_some((column + 1, row));
        let south = (row + 1 < grid.rows).then_some((column, row + 1));
        let [across, down] = grid.inverse_cell();
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
        let paces = [
            edge(east, east_flow, [across, down]),
            edge(south, flow(&lines.south, here), [down, across]),
        ];
        let faster = |a: Pace, b: Pace| if b.rate > a.rate { b } else { a };
        paces.into_iter().flatten().fold(Pace::default(), faster)
    }

    /// What an edge between two places of the lines asks for; its inverse length is the first of `lengths` (m⁻¹).
    fn edge(
        &self,
        lines: &Lines,
        cells: [usize; 2],
        flow: f32,
        [inverse_length, inverse_width]: [f32; 2],
    ) -> Option<Pace> {
        let grain = self.maps.grain;
        let of = |cell: usize| {
            let bed = f64::from(lines.bed[cell] as i32) / Bed::PER_METRE;
            let water = f64::from(lines.water[cell] as i32) * f64::from(grain.metres());
            [bed, bed + water, water]
        };
        let [a, b] = cells.map(of);
        let depth = (a[1].max(b[1]) - a[0].max(b[0])) as f32;
        if depth <= DRY {
            return None;
        }
        let wave = (G * depth).sqrt();
        let speed = match self.rule {
            AnyRule::Inertial(_) => (flow / depth).abs(),
            AnyRule::AquaManning(rule) => {
                let lengths = [inverse_length, inverse_width];
                let n = |cell: usize| match self.roughness {
                    Some(n) => n,
                    None => words::<f32>(&lines.roughness)[cell],
                };
                let roughness = 0.5 * (n(cells[0]) + n(cells[1]));
                let giver = if a[1] > b[1] { a[2] } else { b[2] } as f32;
                let difference = (a[1] - b[1]) as f32;
                return Some(by_manning(
                    rule,
                    lengths,
                    grain,
                    [difference, depth, giver, roughness],
                ));
            }
            _ => flow.abs(),
        };
        let by = if speed > wave { By::Water } else { By::Wave };
        Some(Pace { rate: (speed + wave) * inverse_length / COURANT, by, depth, speed })
    }
}

/// What an edge asks for by Manning's equation, as if nothing flowed across its direction: `of_edge` has the level difference, the
/// depth of flow, the depth of the giver (m), and Manning's n (s/m^⅓).
fn by_manning(
    rule: AquaManning,
    [inverse_length, inverse_width]: [f32; 2],
    grain: Grain,
    [difference, depth, giver, roughness]: [f32; 4],
) -> Pace {
    let axis = Axis { dt: 1.0, inverse_length, inverse_width, per_metre: grain.per_metre() };
    let zero = f32::zero();
    let cross = |giver: f32| {
        let edge = Edge {
            difference,
            depth,
            giver,
            roughness,
            transverse: zero,
            discharge: zero,
            behind: zero,
            ahead: zero,
        };
        rule.cross(rule.terms(axis), edge)
    };
    let crossing = cross(giver);
    // Were there water without end, would it ask for as much?
    let by = if cross(f32::MAX).pace == crossing.pace { By::Level } else { By::Supply };
    Pace { rate: crossing.pace, by, depth, speed: crossing.velocity.abs() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::case::Case;
    use crate::engine::grid::Grid;
    use crate::engine::rule;
    use crate::layers::Domain;

    /// So wide that rows are read in two stretches.
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
            let case = case.rule(name).expect("a timed rule");
            let mut run = case.start().expect("a run");
            run.advance(9).expect("shallow water");
            let level = |cell: usize| match is_hole(cell % COLUMNS, cell / COLUMNS) {
                true => Bed::OUTSIDE,
                false => 0,
            };
            let levels = (0..COLUMNS * ROWS).map(level).collect();
            let grid = Grid::plain(COLUMNS, ROWS, 10.0);
            let bed = Bed { levels, blocked: Vec::new(), shut: Vec::new() };
            let domain = Domain::of(&grid, &bed);
            let grain = run.timeline.grain;
            let maps = Maps { grid, domain, grain, bed: None, tracks: Vec::new(), hazard: 0 };
            let rule = rule::find(name).expect("a rule");
            let paces = Paces::new(&maps, rule, Some((0.03, 0.03))).expect("a timed rule");
            let rows = paces.of_rows(&*run.backend, |row, rates| (row, rates.to_vec()));
            let rows = rows.expect("a state");
            assert_eq!(rows.len(), ROWS, "{name}");
            let mut any = 0;
            for (row, rates) in rows {
                assert_eq!(rates.len(), COLUMNS);
                for column in (row % 5..COLUMNS).step_by(97).chain([COLUMNS - 1]) {
                    let pace = paces.of_cell(&*run.backend, (column, row)).expect("a state");
                    let rate = rates[column];
                    assert_eq!(rate.to_bits(), pace.rate.to_bits(), "{name}: {column}, {row}");
                    any += usize::from(rate > 0.0);
                }
            }
            assert!(any > 500, "{name}: {any}");
        }
    }
}
