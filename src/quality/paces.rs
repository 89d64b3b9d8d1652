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
            By::Level => "levels that would tip over",
            By::Supply => "water that would all leave its cell",
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

impl<'a> Paces<'a> {
    /// Of the runs of a rule; none of an automaton's. `roughness` is the lowest and the highest in the domain (s/m^⅓).
    pub fn new(maps: &'a Maps, rule: &RuleInfo, roughness: Option<(f32, f32)>) -> Option<Self> {
        let RuleKind::Timed { rule, .. } = rule.kind else { return None };
        let same = roughness.filter(|(low, high)| low == high).map(|(n, _)| n);
        Some(Paces { maps, rule, roughness: same })
    }

    /// What `of_row` makes of the paces of every row that may have any, in the order of rows.
    pub fn of_rows<R: Send>(
        &self,
        backend: &dyn Backend,
        of_row: impl Fn(usize, &[Pace]) -> R + Sync,
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
            let rows: Vec<R> = own
                .into_par_iter()
                .map(|row| {
                    let paces: Vec<Pace> =
                        (0..columns).map(|column| self.at(&lines, column, first + row)).collect();
                    of_row(first + row, &paces)
                })
                .collect();
            all.extend(rows);
        }
        Ok(all)
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
