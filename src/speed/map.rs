//! Synthetic maps for the benchmarks.

use crate::engine::backend::Problem;
use crate::engine::boundary::OpenSides;
use crate::engine::forcing::Forcing;
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, Grid};
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::roughness::Roughness;
use crate::engine::solver::AnySolver;
use crate::units::Metre;
use rayon::prelude::*;

/// Share of the cells that are wet on the nearly dry map.
pub const WET_SHARE: f64 = 0.01;

/// Grain of the water on every map.
pub const GRAIN: Grain = Grain::Fine;

/// Drop of the rough slope from row to row (m).
const SLOPE_FALL: Metre = 0.002;
/// Amplitude of the slope's roughness (m).
const ROUGHNESS: Metre = 0.1;

/// A square map with its initial water.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchMap {
    /// A rough slope under 0.2 to 0.3 m of water.
    Wet,
    /// The rough slope, dry except for a deep basin in the middle that covers [`WET_SHARE`] of the
    /// cells.
    Dry,
}

impl BenchMap {
    /// Returns a problem with a solver on a map of `size`² cells, built in parallel on the current
    /// rayon pool.
    pub fn problem(self, size: usize, solver: AnySolver, neighbourhood: Neighbourhood) -> Problem {
        self.repeated(size, 1, solver, neighbourhood)
    }

    /// Like [`BenchMap::problem`], but stacks the map `times` times from north to south, mirroring
    /// every other copy.
    pub fn repeated(
        self,
        size: usize,
        times: usize,
        solver: AnySolver,
        neighbourhood: Neighbourhood,
    ) -> Problem {
        let cells = size * size;
        let fold = |cell: usize| match cell / cells % 2 {
            0 => cell % cells,
            _ => (size - 1 - cell % cells / size) * size + cell % size,
        };
        let level = |cell| {
            let level = self.level(size, fold(cell));
            Bed::quantize(level).expect("a synthetic level is within the limit")
        };
        let water = |cell| GRAIN.from_depth(self.water(size, fold(cell))).unwrap_or(0);
        Problem {
            grid: Grid::plain(size, size * times, 10.0),
            bed: Bed {
                levels: (0..cells * times).into_par_iter().map(level).collect(),
                ..Bed::default()
            },
            initial: (0..cells * times).into_par_iter().map(water).collect(),
            solver,
            neighbourhood,
            open: OpenSides::CLOSED,
            forcing: Forcing::default(),
            grain: GRAIN,
            arrival: GRAIN.from_depth(0.05).unwrap_or(0),
            roughness: Roughness::default(),
            subgrid: None,
            losses: None,
            cell_diagnostics: Vec::new(),
            gauges: Vec::new(),
            keeps_discharge: false,
        }
    }

    /// Number of steps during which every initially wet cell stays wet, except a few rows at the
    /// upper end that drain.
    pub fn most_steps(size: usize) -> u64 {
        16 * size as u64
    }

    fn level(self, size: usize, cell: usize) -> Metre {
        let row = (cell / size) as f64;
        match self {
            BenchMap::Wet => SLOPE_FALL * row + ROUGHNESS * rough(cell),
            BenchMap::Dry => {
                let basin = if in_basin(size, cell) { -10.0 } else { 0.0 };
                SLOPE_FALL * row + ROUGHNESS * rough(cell) + basin
            }
        }
    }

    fn water(self, size: usize, cell: usize) -> Metre {
        match self {
            BenchMap::Dry if !in_basin(size, cell) => 0.0,
            BenchMap::Wet | BenchMap::Dry => 0.2 + 0.1 * rough(cell + 1),
        }
    }
}

/// Returns a fixed pseudorandom number in 0..1 for a cell (Knuth's multiplicative hash).
pub(crate) fn rough(cell: usize) -> f64 {
    f64::from((cell as u32).wrapping_mul(2_654_435_761) >> 8) / 16_777_216.0
}

fn in_basin(size: usize, cell: usize) -> bool {
    let half = (size as f64 * WET_SHARE.sqrt() / 2.0).max(1.0);
    let middle = (size / 2) as f64;
    let (x, y) = ((cell % size) as f64 - middle, (cell / size) as f64 - middle);
    x.abs() < half && y.abs() < half
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backend::cpu::CpuOptions;
    use crate::engine::solver::SOLVERS;
    use crate::speed::target::BenchTarget;

    #[test]
    fn maps_are_as_wet_as_they_say() {
        let solver = SOLVERS[0].solver(Neighbourhood::VonNeumann, None);
        for (map, share) in [(BenchMap::Wet, 1.0), (BenchMap::Dry, WET_SHARE)] {
            let problem = map.problem(200, solver, Neighbourhood::VonNeumann);
            assert_eq!(problem.bed.levels.len(), 40_000);
            let wet = problem.initial.iter().filter(|&&grains| grains > 0).count();
            assert!((wet as f64 / 40_000.0 - share).abs() < 0.002, "{map:?}: {wet}");
        }
    }

    #[test]
    fn a_map_that_is_repeated_has_no_cliff() {
        let solver = SOLVERS[0].solver(Neighbourhood::VonNeumann, None);
        let problem = BenchMap::Wet.repeated(50, 3, solver, Neighbourhood::VonNeumann);
        assert_eq!((problem.grid.rows, problem.bed.levels.len()), (150, 7500));
        let row = |row: usize| &problem.bed.levels[50 * row..50 * (row + 1)];
        assert!(row(49) == row(50) && row(99) == row(100) && row(0) == row(99));
    }

    #[test]
    fn the_wet_map_stays_wet_and_the_dry_one_dry() {
        let size = 64;
        for info in SOLVERS {
            for &neighbourhood in info.neighbourhoods() {
                for (map, least, most) in [(BenchMap::Wet, 0.95, 1.0), (BenchMap::Dry, 0.005, 0.02)]
                {
                    let solver = info.solver(neighbourhood, None);
                    let problem = map.problem(size, solver, neighbourhood);
                    let target = BenchTarget::Cpu(CpuOptions::default());
                    let mut simulation = target.start(problem).unwrap().simulation;
                    simulation.advance(BenchMap::most_steps(size)).unwrap();
                    let wet = simulation.backend.wet_cells() as f64 / (size * size) as f64;
                    assert!((least..=most).contains(&wet), "{map:?} {}: {wet}", info.name);
                }
            }
        }
    }
}
