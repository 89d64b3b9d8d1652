//! Shared code of the property tests: a builder of small cases, and the slow reference in f64.
//!
//! Every test file is a separate crate and uses a part of this.
#![allow(dead_code, unused_imports)]

pub mod all_features;
pub mod contract;
pub mod cover;
pub mod diagnostics;
pub mod edge_contract;
pub mod finer;
pub mod host_worker;
pub mod links;
pub mod momentum;
pub mod momentum_contract;
pub mod sampling;
pub mod scatter;
mod state;
pub mod strips;
pub mod threads;
#[path = "../../tier.rs"]
pub mod tier;
pub mod twin;

pub use state::State;

use inundate_engine::boundary::OpenSides;
use inundate_engine::cell_diagnostics::CellDiagnostic;
use inundate_engine::forcing::normal_depth::NormalDepthOutflow;
use inundate_engine::forcing::ports;
use inundate_engine::forcing::series::Series;
use inundate_engine::forcing::sites::rated::Rated;
use inundate_engine::forcing::sites::sewer_inlet::InletNumbers;
use inundate_engine::forcing::sites::trigger::Trigger;
use inundate_engine::forcing::sites::{PlacedSite, SiteKind, SiteParameters};
use inundate_engine::forcing::structures::{Structure, StructureKind};
use inundate_engine::forcing::zones::{Zoned, Zones};
use inundate_engine::forcing::{Account, Footprint, Forcing, RateLayer, Share, StageBoundary};
use inundate_engine::grains::Grain;
use inundate_engine::grid::Bed;
use inundate_engine::losses::Losses;
use inundate_engine::neighbourhood::Neighbourhood;
use inundate_engine::roughness::Roughness;
use inundate_engine::solver::{SOLVERS, SolverInfo};
use inundate_engine::subgrid::build::Builder;
use inundate_engine::subgrid::tables::Tables;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Own random number generator (xorshift64*), so that cases never change.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Returns a number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

/// A solver with a neighbourhood.
pub type Variant = (&'static SolverInfo, Neighbourhood);

/// Returns every registered solver with every neighbourhood that it supports, so that a solver
/// added to the registry is tested automatically.
pub fn every_case() -> impl Iterator<Item = Variant> {
    SOLVERS
        .iter()
        .flat_map(|&solver| solver.neighbourhoods().iter().map(move |&near| (solver, near)))
}

/// Returns the automata: their steps have no duration.
pub fn every_automaton() -> impl Iterator<Item = Variant> {
    every_case().filter(|(solver, _)| !solver.is_timed())
}

/// Returns the solvers with physical time.
pub fn every_timed() -> impl Iterator<Item = Variant> {
    every_case().filter(|(solver, _)| solver.is_timed())
}

/// Builder of a small run.
#[derive(Clone)]
pub struct Case {
    pub columns: usize,
    pub rows: usize,
    /// Row-major levels [m]; NaN outside the domain.
    pub bed: Vec<f64>,
    /// Row-major [grains].
    pub initial: Vec<i32>,
    pub solver: &'static SolverInfo,
    pub alpha: f32,
    pub neighbourhood: Neighbourhood,
    pub open: OpenSides,
    pub forcing: Forcing,
    pub grain: Grain,
    /// Arrival depth [m].
    pub arrival: f64,
    /// Width and height of a cell [m].
    pub cell: (f64, f64),
    pub roughness: Roughness,
    /// Subgrid tables of the cells; the bed of a cell is its lowest ground.
    pub subgrid: Option<Arc<Tables>>,
    pub losses: Option<Losses>,
    pub cell_diagnostics: Vec<CellDiagnostic>,
    /// Cells with gauges, if in the domain.
    pub gauges: Vec<usize>,
    pub keeps_discharge: bool,
    /// Maximum step of a solver with physical time [s].
    pub longest: f32,
}

impl Case {
    /// Creates a flat, dry and closed case.
    pub fn new(columns: usize, rows: usize, (solver, neighbourhood): Variant) -> Case {
        Case {
            columns,
            rows,
            bed: vec![0.0; columns * rows],
            initial: vec![0; columns * rows],
            solver,
            alpha: solver.default_alpha(neighbourhood).unwrap_or(1.0),
            neighbourhood,
            open: OpenSides::CLOSED,
            forcing: Forcing::default(),
            grain: Grain::Fine,
            arrival: 0.01,
            cell: (10.0, 10.0),
            roughness: Roughness::default(),
            subgrid: None,
            losses: None,
            cell_diagnostics: Vec::new(),
            gauges: Vec::new(),
            keeps_discharge: false,
            longest: 10.0,
        }
    }

    /// Sets the width and height of a cell [m].
    pub fn cell(mut self, width: f64, height: f64) -> Case {
        self.cell = (width, height);
        self
    }

    /// Sets a random roughness of every cell [s/m^(1/3)].
    pub fn uneven_roughness(mut self, low: f64, high: f64, seed: u64) -> Case {
        let mut random = Random::new(seed);
        let cells = (0..self.bed.len()).map(|_| random.between(low, high) as f32);
        self.roughness = Roughness::Cells(cells.collect());
        self
    }

    /// Adds cells with a held level [m], linear between times.
    pub fn stage(mut self, cells: &[(usize, usize)], points: &[(f64, f64)]) -> Case {
        let mut cells: Vec<usize> =
            cells.iter().map(|&(column, row)| row * self.columns + column).collect();
        cells.sort_unstable();
        let holders = vec![self.forcing.ports() - ports::SIDES; cells.len()];
        let level = Series::linear(points.to_vec());
        self.forcing.stage_boundaries.push(StageBoundary { cells, level, holders });
        self
    }

    /// Adds cells that drain at normal depth over one side of 10 m, with a bed slope. Some are
    /// booked to the south, some to a corner.
    pub fn runs_out(mut self, cells: &[(usize, usize)], slope: f64) -> Case {
        for &(column, row) in cells {
            let conveyance = NormalDepthOutflow::over_side(slope, 0.03, 10.0);
            let (cell, both) = (row * self.columns + column, (column + row) % 2 == 0);
            let port = if both { ports::SOUTH | ports::EAST } else { ports::SOUTH };
            self.forcing.free.push(NormalDepthOutflow { cell, conveyance, port });
        }
        self.forcing.free.sort_unstable_by_key(|free| free.cell);
        self
    }

    /// Adds cells that drain by a curve with 5 m³/s at a depth of a metre, from 2 cm on until 1 cm.
    pub fn rated(mut self, cells: &[(usize, usize)]) -> Case {
        let curve = [(0.0, 0.0), (1.0, 5.0)];
        let table = Rated::table(&mut self.forcing.tables, [0.02, 0.01], &curve);
        let given = SiteParameters {
            numbers: [table, 0.01f32.to_bits()],
            ..SiteParameters::of(SiteKind::Rated)
        };
        let cells = cells.iter().map(|&(column, row)| row * self.columns + column);
        // Sites with a state must be on different cells.
        let triggers = self.forcing.sites.iter_mut();
        for trigger in triggers.filter(|site| cells.clone().any(|cell| cell == site.cell)) {
            trigger.given = given;
        }
        let there: Vec<usize> = self.forcing.sites.iter().map(|site| site.cell).collect();
        let cells = cells.filter(|cell| !there.contains(cell));
        self.forcing.sites.extend(cells.map(|cell| PlacedSite { cell, given }));
        self
    }

    /// Adds inlets of a sewer: by turns one that drains, one that spills, one that is drowned, and
    /// an outfall.
    pub fn sewer_inlets(mut self, cells: &[(usize, usize)]) -> Case {
        let first = self.forcing.ports().max(ports::SIDES);
        for (number, &(column, row)) in cells.iter().enumerate() {
            let (head, release) = [(-2.0, 0.0), (1.5, 0.0), (0.4, 0.0), (0.0, 0.05)][number % 4];
            let inlet = InletNumbers {
                crest: 0.001,
                orifice: 0.75,
                weir: 3.3,
                head,
                idle_head: head - 0.01,
                rise: 1.5,
                release,
            };
            let numbers = [self.forcing.tables.len() as u32, 0.01f32.to_bits()];
            self.forcing.tables.extend(inlet.to_table());
            let port = first + number as u32;
            let given =
                SiteParameters { port, numbers, ..SiteParameters::of(SiteKind::SewerInlet) };
            self.forcing.sites.push(PlacedSite { cell: row * self.columns + column, given });
        }
        self
    }

    /// Adds cells that drain at normal depth if the solver has physical time.
    pub fn runs_out_if_timed(self, cells: &[(usize, usize)]) -> Case {
        if self.solver.is_timed() { self.runs_out(cells, 0.01) } else { self }
    }

    /// Sets the bed level [m] by column and row.
    pub fn bed(mut self, level: impl FnMut(usize, usize) -> f64) -> Case {
        self.bed = self.each_cell(level);
        self
    }

    /// Sets hills of 2 m every eight cells with 5 cm of random relief, above `base` [m].
    pub fn hills(self, base: f64, seed: u64) -> Case {
        let mut random = Random::new(seed);
        let across = self.columns / 8 + 2;
        let knots: Vec<f64> =
            (0..across * (self.rows / 8 + 2)).map(|_| random.between(0.0, 2.0)).collect();
        self.bed(|column, row| {
            let (i, j) = (column / 8, row / 8);
            let (s, t) = ((column % 8) as f64 / 8.0, (row % 8) as f64 / 8.0);
            let knot = |i, j| knots[j * across + i];
            let north = knot(i, j) * (1.0 - s) + knot(i + 1, j) * s;
            let south = knot(i, j + 1) * (1.0 - s) + knot(i + 1, j + 1) * s;
            base + north * (1.0 - t) + south * t + random.between(0.0, 0.05)
        })
    }

    /// Turns a share of the cells into NoData.
    pub fn holes(mut self, share: f64, seed: u64) -> Case {
        let mut random = Random::new(seed);
        for level in &mut self.bed {
            if random.unit() < share {
                *level = f64::NAN;
            }
        }
        self
    }

    /// Sets the initial water [m] by column and row.
    pub fn water(mut self, depth: impl FnMut(usize, usize) -> f64) -> Case {
        let depths = self.each_cell(depth);
        let grains = |depth| self.grain.from_depth(depth).expect("a depth that fits");
        self.initial = depths.into_iter().map(grains).collect();
        self
    }

    /// Sets a lake up to a level [m], exact to the grain, with dry land above it.
    pub fn lake(mut self, level: f64) -> Case {
        let per_step = f64::from(self.grain.per_metre()) / Bed::PER_METRE;
        let surface = Bed::quantize(level).expect("a level that fits");
        let depth = |&z: &i32| match z {
            Bed::OUTSIDE => 0,
            z => (f64::from((surface - z).max(0)) * per_step) as i32,
        };
        self.initial = self.stored_bed().levels.iter().map(depth).collect();
        self
    }

    /// Sets ponds of up to `deepest` [m] on a third of the cells; the rest is dry.
    pub fn ponds(self, deepest: f64, seed: u64) -> Case {
        let mut random = Random::new(seed);
        self.water(|_, _| (random.between(-2.0, 1.0) * deepest).max(0.0))
    }

    /// Adds uniform rain [m per step].
    pub fn rain(mut self, rate: f64) -> Case {
        self.forcing.rates.push(RateLayer {
            account: Account::Rain,
            footprint: Footprint::Everywhere,
            series: Series::constant(rate),
        });
        self
    }

    /// Adds rain [m per step] with a random share in each cell.
    pub fn uneven_rain(mut self, rate: f64, seed: u64) -> Case {
        let mut random = Random::new(seed);
        let shares = (0..self.bed.len()).map(|_| Share::of(random.between(-0.3, 1.0)));
        self.forcing.rates.push(RateLayer {
            account: Account::Rain,
            footprint: Footprint::Shares(shares.collect()),
            series: Series::constant(rate),
        });
        self
    }

    /// Adds rain in frames [m per step, or per second] on zones of `size` cells, each frame lasting
    /// until the next one's time, with a random share in every zone. The third frame is dry.
    pub fn zoned_rain(mut self, rate: f64, times: &[f64], size: (usize, usize), seed: u64) -> Case {
        let mut random = Random::new(seed);
        let across = self.columns.div_ceil(size.0);
        let count = across * self.rows.div_ceil(size.1);
        let zone = |cell: usize| {
            let (column, row) = (cell % self.columns, cell / self.columns);
            (row / size.1 * across + column / size.0) as u32
        };
        let of = (0..self.bed.len()).map(zone).collect();
        let zones = std::sync::Arc::new(Zones::new(of, count, &self.stored_bed()));
        for (frame, times) in times.windows(2).enumerate() {
            let shares = (0..count).map(|_| Share::of(random.between(-0.3, 1.0))).collect();
            let rate = if frame == 2 { 0.0 } else { rate * (1.0 + frame as f64) };
            self.forcing.rates.push(RateLayer {
                account: Account::Rain,
                footprint: Footprint::Zones(Zoned::new(&zones, shares)),
                series: Series::new(vec![(times[0], rate), (times[1], 0.0)]),
            });
        }
        self
    }

    /// Adds a source over some cells [m per step], constant from each step number to the next.
    pub fn source(mut self, cells: &[(usize, usize)], pieces: &[(f64, f64)]) -> Case {
        let mut cells: Vec<_> = cells
            .iter()
            .map(|&(column, row)| (row * self.columns + column, Share::WHOLE))
            .collect();
        cells.sort_unstable();
        self.forcing.rates.push(RateLayer {
            account: Account::Inflow,
            footprint: Footprint::Cells(cells),
            series: Series::new(pieces.to_vec()),
        });
        self
    }

    /// Adds a cell topped up to a depth [m] each step.
    pub fn top_up(mut self, column: usize, row: usize, depth: f64) -> Case {
        let grains = self.grain.from_depth(depth).expect("a depth that fits");
        let cell = row * self.columns + column;
        self.forcing.top_up.push((cell, grains));
        self.forcing.top_up.sort_unstable();
        self
    }

    /// Adds a cell emptied each step.
    pub fn sink(mut self, column: usize, row: usize) -> Case {
        self.forcing.sinks.push(row * self.columns + column);
        self.forcing.sinks.sort_unstable();
        self
    }

    /// Adds structures of every kind on some of the edges, with crests of up to half a metre above
    /// the lower bed, and laws with the capacity of plain structures on a part of the edge.
    pub fn structures(mut self, share: f64, seed: u64) -> Case {
        let mut random = Random::new(seed);
        let mut triggers = BTreeMap::new();
        for cell in 0..self.bed.len() {
            for axis in [0, 1] {
                if random.unit() >= share || !self.is_inside(cell) {
                    continue;
                }
                let kind =
                    StructureKind::ALL[self.forcing.structures.len() % StructureKind::ALL.len()];
                let crest = self.bed[cell] + random.between(-0.2, 0.5);
                let share = random.between(0.1, 1.0) as f32;
                let numbers = kind.sample(share, &mut self.forcing.tables);
                let by = if axis == 0 { 1 } else { self.columns };
                // Only in the west, so that chunks without water can be left out elsewhere.
                let west = cell % self.columns < self.columns / 3 && cell + by < self.bed.len();
                let waits = kind.info().waits && west && self.is_inside(cell + by);
                let waits = waits.then_some([cell, cell + by]);
                for cell in waits.into_iter().flatten() {
                    let time = (cell % 2 == 0).then_some(3.0);
                    let height =
                        (cell % 2 == 1).then(|| i64::from(self.grain.from_depth(0.2).unwrap()));
                    let numbers = Trigger::numbers(height, time);
                    let given = SiteParameters { numbers, ..SiteParameters::of(SiteKind::Trigger) };
                    triggers.insert(cell, PlacedSite { cell, given });
                }
                let detour = random.between(1.0, 1.5) as f32;
                let structure = Structure { cell, axis, kind, crest, numbers, detour, waits };
                self.forcing.structures.push(structure);
            }
        }
        self.forcing.sites.extend(triggers.into_values());
        self
    }

    pub fn open(mut self, open: OpenSides) -> Case {
        self.open = open;
        self
    }

    pub fn alpha(mut self, alpha: f32) -> Case {
        self.alpha = alpha;
        self
    }

    /// Selects the coarse grain; must be called before adding water.
    pub fn coarse(mut self) -> Case {
        self.grain = Grain::Coarse;
        self
    }

    /// Sets finer ground in the cells [m], by column and row of pixels, with `ratio` pixels per
    /// cell along a side; NaN is outside the ground.
    pub fn finer(mut self, ratio: usize, level: impl Fn(usize, usize) -> f64) -> Case {
        let (columns, rows) = (self.columns * ratio, self.rows * ratio);
        let pixels = (0..columns * rows).map(|at| level(at % columns, at / columns));
        let levels = Bed::from_metres(pixels).levels;
        let pixel = [self.cell.0, self.cell.1];
        let mut builder = Builder::new([columns, rows], pixel, ratio, false);
        levels.chunks(columns * ratio).for_each(|band| builder.band(band, None));
        let tables = builder.finish();
        let metres = |&level: &i32| match level {
            Bed::OUTSIDE => f64::NAN,
            level => f64::from(level) / Bed::PER_METRE,
        };
        self.bed = tables.bed.iter().map(metres).collect();
        self.subgrid = Some(Arc::new(tables));
        self
    }

    /// Returns the bed as stored in the engine.
    pub fn stored_bed(&self) -> Bed {
        Bed::from_metres(self.bed.iter().copied())
    }

    pub fn is_inside(&self, cell: usize) -> bool {
        self.bed[cell].is_finite()
    }

    pub fn domain_cells(&self) -> usize {
        (0..self.bed.len()).filter(|&c| self.is_inside(c)).count()
    }

    /// Returns a name for messages.
    pub fn name(&self) -> String {
        format!("{}, {}", self.solver.label(), self.neighbourhood)
    }

    fn each_cell(&self, mut value: impl FnMut(usize, usize) -> f64) -> Vec<f64> {
        (0..self.columns * self.rows)
            .map(|cell| value(cell % self.columns, cell / self.columns))
            .collect()
    }
}
