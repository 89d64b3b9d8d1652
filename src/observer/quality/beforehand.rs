//! Estimates before a run whether a solver without momentum is adequate, from slopes and
//! discharges.
//!
//! Water is routed down the terrain: pits are filled, each cell drains to the neighbour over which
//! it would overflow first, and passes on the peak of its sources and rain. The flow of a cell is
//! assumed to be normal on the slope ahead of it. Its Froude number is proportional to q^0.1 and
//! S^0.45, so it depends little on the assumed width of the flow.

use super::{DEEP, FAST, limits};
use crate::engine::backend::Problem;
use crate::engine::boundary::OpenSides;
use crate::engine::forcing::{Account, Footprint, RateLayer};
use crate::engine::grid::{Bed, beside};
use crate::observer::quality::figure::percent;
use crate::scenario::Scenario;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Acceleration of gravity (m/s²).
const GRAVITY: f64 = 9.81;

/// Width of a stream divided by the square root of its discharge (s^½/m^½): Lacey (1930).
const WIDTH: f64 = 4.8;

/// Number of cells ahead over which the slope is measured, to suppress the noise of a DEM.
const AHEAD: usize = 5;

/// Grids with more cells than this are subsampled by every second, third, … row and column.
const MOST_CELLS: usize = 4_000_000;

/// Slopes below this count as level (-): still water behind a crest.
const LEVEL: f64 = 1e-5;

/// Expected normal flow of all cells that carry water deeper than [`DEEP`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Total peak inflow (m³/s).
    pub discharge: f64,
    /// Number of cells with such flow.
    pub cells: usize,
    /// Number of cells with a Froude number above [`FAST`].
    pub fast: usize,
    /// Greatest Froude number of their flow.
    pub froude: f64,
}

impl Expected {
    /// Returns the share of the cells with fast flow.
    pub fn share(&self) -> f64 {
        if self.cells == 0 { 0.0 } else { self.fast as f64 / self.cells as f64 }
    }
}

/// Returns a warning if the scenario's solver is unlikely to be adequate.
pub fn warning(scenario: &Scenario) -> Option<String> {
    let info = scenario.problem.solver.info();
    if !info.is_timed() || info.has_momentum() {
        return None;
    }
    let expected = expect(&scenario.problem, scenario.facts.flow.open, scenario.clock.end())?;
    (expected.share() > limits::SHARE_STEEP).then(|| {
        format!(
            "solver: by the slopes of the terrain, its roughness and a peak of {} m³/s, normal flow has a Froude number above {FAST} on about {} of the cells with water deeper than {DEEP} m (greatest {:.1}); {} neglects the momentum of such flow: use --solver shallow-water",
            round(expected.discharge),
            percent(expected.share()),
            expected.froude,
            info.name
        )
    })
}

/// Formats an estimate with three significant digits.
fn round(value: f64) -> String {
    let decimals = (2.0 - value.log10().floor()).clamp(0.0, 3.0) as usize;
    format!("{value:.decimals$}")
}

/// Peak inflow of a problem, routed down its terrain.
pub struct Routed {
    /// Total peak inflow (m³/s).
    pub peak: f64,
    /// Peak flow of each of the cells of `ways` (m³/s).
    discharge: Vec<f64>,
    ways: Ways,
    /// Only every `skip`-th row and column is routed.
    skip: usize,
    /// Distance of the routed cells (m).
    length: f64,
}

/// A cell of the river: one through which at least half of the peak inflow runs.
pub struct RiverCell {
    /// Number of the cell in the grid.
    pub cell: usize,
    /// Greatest fall of the filled bed from one cell to the next downstream, as far as the level of
    /// this cell depends on it (m).
    pub fall: f64,
}

impl Routed {
    /// Routes the peak inflow of a problem that ends at `end` (s) on a raster with open sides;
    /// `None` without inflow by rate.
    pub fn of(problem: &Problem, open: OpenSides, end: f64) -> Option<Routed> {
        let rates = problem.forcing.rates.iter();
        let sources: Vec<&RateLayer> =
            rates.filter(|rate| rate.account != Account::Evaporation).collect();
        let (time, rate) = peak(&sources, problem.bed.domain_cells(), end);
        if rate <= 0.0 {
            return None;
        }
        let grid = &problem.grid;
        let skip = (grid.cells() as f64 / MOST_CELLS as f64).sqrt().ceil().max(1.0) as usize;
        let ways = Ways::lead(problem, open, skip);
        let mut discharge = ways.gather(problem, &sources, time, skip);
        for &cell in ways.order.iter().rev() {
            if let Some(next) = ways.next(cell as usize) {
                discharge[next] += discharge[cell as usize];
            }
        }
        let length = (grid.dx * grid.dy).sqrt() * skip as f64;
        Some(Routed { peak: rate * grid.cell_area(), discharge, ways, skip, length })
    }

    /// Returns the flow of a cell per width (m²/s).
    fn unit(&self, cell: usize) -> f64 {
        let flow = self.discharge[cell];
        flow / self.length.max(WIDTH * flow.sqrt())
    }

    /// Returns the cells of the river, for cells `times` as long as the grid's. The level of a cell
    /// depends on the bed downstream until that has fallen by the energy head of critical flow.
    pub fn river(&self, times: usize, columns: usize) -> Vec<RiverCell> {
        let Routed { ways, skip, .. } = self;
        let level = |cell: usize| f64::from(ways.filled[cell]);
        let after = |cell| (0..times).try_fold(cell, |cell, _| ways.next(cell));
        let fall = |cell: usize| {
            let head = 1.5 * (self.unit(cell).powi(2) / GRAVITY).cbrt();
            let path = std::iter::successors(Some(cell), |&cell| ways.next(cell));
            let near = path.take_while(|&below| level(cell) - level(below) <= head);
            let falls = near.map_while(|from| Some(level(from) - level(after(from)?)));
            falls.fold(0.0, f64::max) / *skip as f64
        };
        let cells =
            (0..self.discharge.len()).filter(|&cell| self.discharge[cell] >= 0.5 * self.peak);
        cells
            .map(|cell| RiverCell { cell: ways.whole(cell, columns, *skip), fall: fall(cell) })
            .collect()
    }
}

/// Estimates the normal flow of a problem that ends at `end` (s) on a raster with open sides;
/// `None` without inflow by rate.
pub fn expect(problem: &Problem, open: OpenSides, end: f64) -> Option<Expected> {
    let routed = Routed::of(problem, open, end)?;
    let Routed { ways, length, .. } = &routed;
    let mut expected = Expected { discharge: routed.peak, cells: 0, fast: 0, froude: 0.0 };
    for &cell in ways.order.iter().rev() {
        let cell = cell as usize;
        let slope = ways.slope(cell, *length);
        if routed.discharge[cell] <= 0.0 || slope < LEVEL {
            continue;
        }
        let unit = routed.unit(cell);
        let n =
            f64::from(problem.roughness.of(ways.whole(cell, problem.grid.columns, routed.skip)));
        let depth = (unit * n / slope.sqrt()).powf(0.6);
        if depth > f64::from(DEEP) {
            let froude = unit / (depth * (GRAVITY * depth).sqrt());
            expected.cells += 1;
            expected.fast += usize::from(froude > f64::from(FAST));
            expected.froude = expected.froude.max(froude);
        }
    }
    Some(expected)
}

/// Returns the time (s) of the greatest total inflow, and that inflow (m/s, summed over cells).
fn peak(rates: &[&RateLayer], domain: usize, end: f64) -> (f64, f64) {
    let breaks = rates.iter().flat_map(|rate| rate.series.pieces()).map(|piece| piece.time);
    let areas: Vec<f64> = rates.iter().map(|rate| rate.cells(domain)).collect();
    let at = |time: f64| -> f64 {
        rates.iter().zip(&areas).map(|(rate, area)| rate.series.at(time) * area).sum()
    };
    let times = breaks.filter(|time| *time < end).map(|time| (time, at(time)));
    times.fold((0.0, 0.0), |best, now| if now.1 > best.1 { now } else { best })
}

/// Flow paths over every `skip`-th cell.
struct Ways {
    columns: usize,
    /// Cell to which each cell drains; itself if the water leaves there.
    to: Vec<u32>,
    /// Level of the filled terrain (m).
    filled: Vec<f32>,
    /// Cells in order of their levels, from the outlets upwards.
    order: Vec<u32>,
}

impl Ways {
    /// Routes water to the open sides, sinks and stage boundaries, or else to the lowest cell.
    fn lead(problem: &Problem, open: OpenSides, skip: usize) -> Ways {
        let grid = &problem.grid;
        let (columns, rows) = (grid.columns.div_ceil(skip), grid.rows.div_ceil(skip));
        let bed = |cell: usize| {
            let (row, column) = (cell / columns * skip, cell % columns * skip);
            problem.bed.levels[row * grid.columns + column]
        };
        let mut ways = Ways {
            columns,
            to: vec![u32::MAX; columns * rows],
            filled: vec![0.0; columns * rows],
            order: Vec::new(),
        };
        let mut heap = BinaryHeap::new();
        let small =
            |cell: usize| (cell / grid.columns / skip) * columns + cell % grid.columns / skip;
        let held = problem.forcing.stage_boundaries.iter().flat_map(|held| &held.cells);
        let leaves = held.chain(&problem.forcing.sinks).map(|&cell| small(cell));
        let free = problem.forcing.free.iter().map(|free| small(free.cell));
        let rim = (0..columns * rows).filter(|&cell| {
            let (row, column) = (cell / columns, cell % columns);
            (row == 0 && open.north)
                || (row + 1 == rows && open.south)
                || (column == 0 && open.west)
                || (column + 1 == columns && open.east)
        });
        let mut outlets: Vec<usize> = rim.chain(leaves).chain(free).collect();
        outlets.retain(|&cell| bed(cell) != Bed::OUTSIDE);
        if outlets.is_empty() {
            let inside = (0..columns * rows).filter(|&cell| bed(cell) != Bed::OUTSIDE);
            outlets.extend(inside.min_by_key(|&cell| bed(cell)));
        }
        for cell in outlets {
            if ways.to[cell] == u32::MAX {
                ways.to[cell] = cell as u32;
                heap.push(Reverse((bed(cell), cell as u32)));
            }
        }
        while let Some(Reverse((level, cell))) = heap.pop() {
            ways.order.push(cell);
            ways.filled[cell as usize] = (f64::from(level) / Bed::PER_METRE) as f32;
            for near in beside(cell as usize, (columns, rows)) {
                if ways.to[near] == u32::MAX && bed(near) != Bed::OUTSIDE {
                    ways.to[near] = cell;
                    heap.push(Reverse((bed(near).max(level), near as u32)));
                }
            }
        }
        ways
    }

    /// Converts a cell number to the full grid.
    fn whole(&self, cell: usize, columns: usize, skip: usize) -> usize {
        cell / self.columns * skip * columns + cell % self.columns * skip
    }

    fn next(&self, cell: usize) -> Option<usize> {
        Some(self.to[cell] as usize).filter(|&next| next != cell)
    }

    /// Returns the slope of the filled terrain along the path ahead of a cell (-), for cells of
    /// `length` (m).
    fn slope(&self, cell: usize, length: f64) -> f64 {
        let (mut last, mut steps) = (cell, 0);
        while let Some(next) = self.next(last).filter(|_| steps < AHEAD) {
            (last, steps) = (next, steps + 1);
        }
        let fall = f64::from(self.filled[cell]) - f64::from(self.filled[last]);
        if steps == 0 { 0.0 } else { fall / (steps as f64 * length) }
    }

    /// Returns the local inflow of each cell at a time (m³/s).
    fn gather(&self, problem: &Problem, rates: &[&RateLayer], time: f64, skip: usize) -> Vec<f64> {
        let grid = &problem.grid;
        let mut brings = vec![0.0; self.to.len()];
        for rate in rates {
            let value = rate.series.at(time) * grid.cell_area();
            if value == 0.0 {
                continue;
            }
            if let Footprint::Cells(cells) = &rate.footprint {
                for (cell, share) in cells {
                    let (row, column) = (cell / grid.columns / skip, cell % grid.columns / skip);
                    brings[row * self.columns + column] += value * share.fraction();
                }
                continue;
            }
            for (small, sum) in brings.iter_mut().enumerate() {
                let cell = self.whole(small, grid.columns, skip);
                let share = rate.footprint.share(cell).fraction();
                *sum += value * share * (skip * skip) as f64;
            }
        }
        brings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::forcing::Forcing;
    use crate::engine::forcing::series::Series;
    use crate::engine::grid::Grid;
    use crate::engine::neighbourhood::Neighbourhood;
    use crate::engine::solver::AnySolver;
    use crate::engine::solver::inertial::Inertial;

    /// A plane 60 cells long that falls eastward, with a river of 12 m³/s along its western side.
    fn plane(slope: f64) -> Expected {
        let grid = Grid::plain(60, 6, 10.0);
        let levels = (0..grid.cells()).map(|cell| 100.0 - (cell % 60) as f64 * 10.0 * slope);
        let bed = Bed::from_metres(levels);
        let cells = (0..6).map(|row| (row * 60, crate::engine::forcing::Share::WHOLE)).collect();
        let series = Series::constant(2.0 / 100.0);
        let rates = vec![RateLayer {
            account: Account::Inflow,
            footprint: Footprint::Cells(cells),
            series,
        }];
        let problem = Problem {
            grid,
            bed,
            initial: Vec::new(),
            solver: AnySolver::Inertial(Inertial),
            neighbourhood: Neighbourhood::VonNeumann,
            open: OpenSides::default(),
            forcing: Forcing { rates, ..Forcing::default() },
            grain: crate::engine::grains::Grain::Fine,
            arrival: 1,
            roughness: crate::engine::roughness::Roughness::Uniform(0.03),
            subgrid: None,
            losses: None,
            cell_diagnostics: Vec::new(),
            gauges: Vec::new(),
            keeps_discharge: false,
        };
        let open = OpenSides { east: true, ..OpenSides::default() };
        expect(&problem, open, 100.0).unwrap()
    }

    #[test]
    fn the_froude_number_is_that_of_normal_flow() {
        // Each cell carries 2 m³/s on its 10 m, which is wider than Lacey's stream: q = 0.2 m²/s, h
        // = (q·n/√S)^0.6, F = q/√(g·h³).
        for (slope, froude, fast) in [(0.001, 0.285, false), (0.02, 1.097, true)] {
            let expected = plane(slope);
            assert!((expected.discharge - 12.0).abs() < 1e-9);
            assert!((expected.froude - froude).abs() < 0.003, "{expected:?}");
            assert_eq!(expected.share() > 0.9, fast, "{expected:?}");
        }
    }
}
