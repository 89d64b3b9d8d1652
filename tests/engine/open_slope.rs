//! Sheet flow leaves over an open side at the depth that it has on the slope, as if the ground
//! continued beyond the side.

use crate::common;

use common::cover::combinations;
use common::{Case, Variant, every_timed};
use inundate_engine::backend::cpu::{self, CpuOptions};
use inundate_engine::boundary::OpenSides;
use inundate_engine::forcing::normal_depth::NormalDepthOutflow;
use inundate_engine::forcing::ports;
use inundate_engine::roughness::Roughness;

/// Manning's n [s/m^(1/3)].
const N: f64 = 0.035;
/// Rain, 100 mm/h [m/s].
const RAIN: f64 = 0.1 / 3600.0;
const G: f64 = 9.81;
/// Number of cells down the slope.
const LENGTH: usize = 60;

/// Plane that falls towards an open side.
#[derive(Clone, Copy, Debug)]
struct Plane {
    variant: Variant,
    /// Number of the open side, in the order north, east, south, west.
    side: usize,
    slope: f64,
    /// Cell length [m].
    cell: f64,
    /// Number of pixels along a side of a cell, if cells have tables.
    ratio: Option<usize>,
}

impl Plane {
    /// Returns columns and rows of the grid.
    fn size(&self) -> (usize, usize) {
        if self.side.is_multiple_of(2) { (3, LENGTH) } else { (LENGTH, 3) }
    }

    /// Returns the number of cells (or of pixels, `ratio` along a cell) between a cell and the open
    /// side.
    fn away(&self, column: usize, row: usize, ratio: usize) -> usize {
        let (columns, rows) = self.size();
        match self.side {
            0 => row,
            1 => columns * ratio - 1 - column,
            2 => rows * ratio - 1 - row,
            _ => column,
        }
    }

    fn case(&self) -> Case {
        let (columns, rows) = self.size();
        let height = |column: usize, row: usize, ratio: usize| {
            let away = self.away(column, row, ratio) as f64 + 0.5;
            50.0 + self.slope * self.cell * away / ratio as f64
        };
        let case = Case::new(columns, rows, self.variant).cell(self.cell, self.cell);
        let mut case = match self.ratio {
            Some(ratio) => case.finer(ratio, |column, row| height(column, row, ratio)),
            None => case.bed(|column, row| height(column, row, 1)),
        };
        case.open = match self.side {
            0 => OpenSides { north: true, ..OpenSides::CLOSED },
            1 => OpenSides { east: true, ..OpenSides::CLOSED },
            2 => OpenSides { south: true, ..OpenSides::CLOSED },
            _ => OpenSides { west: true, ..OpenSides::CLOSED },
        };
        case.roughness = Roughness::Uniform(N as f32);
        case.longest = 60.0;
        case.rain(RAIN)
    }

    /// Returns the steady unit discharge [m²/s] `away` cells from the open side.
    fn discharge(&self, away: usize) -> f64 {
        (LENGTH - away) as f64 * self.cell * RAIN
    }

    /// Returns the normal depth [m] of that discharge by Manning's equation.
    fn normal(&self, away: usize) -> f64 {
        (self.discharge(away) * N / self.slope.sqrt()).powf(0.6)
    }

    /// Returns the critical depth at the foot [m].
    fn critical(&self) -> f64 {
        (self.discharge(0).powi(2) / G).cbrt()
    }

    /// Returns the steady depths [m] along the middle of the plane, from the open side upwards.
    fn depths(&self, case: &Case) -> Vec<f64> {
        let mut run = case.start(CpuOptions::default());
        run.advance_to(4.0 * self.normal(0) / RAIN + 600.0).expect("shallow water");
        let state = case.state(&run);
        assert_eq!(state.ledger.error(), 0);
        let (columns, _) = self.size();
        let mut depths = vec![0.0; LENGTH];
        for (cell, &grains) in state.water.iter().enumerate() {
            let (column, row) = (cell % columns, cell / columns);
            if [column, row].contains(&1) {
                let away = self.away(column, row, 1);
                depths[away] = f64::from(grains) * f64::from(case.grain.metres());
            }
        }
        depths
    }

    /// Returns the ratios of depth to normal depth, from the open side upwards.
    fn ratios(&self, case: &Case) -> Vec<f64> {
        let depths = self.depths(case).into_iter().enumerate();
        depths.map(|(away, depth)| depth / self.normal(away)).collect()
    }
}

const STEEP: [f64; 4] = [0.05, 0.1, 0.3, 0.6];
const CELLS: [f64; 4] = [2.0, 5.0, 20.0, 50.0];

#[test]
fn sheet_flow_keeps_its_depth_in_the_last_row() {
    let variants: Vec<Variant> = every_timed().collect();
    for choice in combinations(&[variants.len(), 4, STEEP.len(), CELLS.len()], 2) {
        let (slope, cell) = (STEEP[choice[2]], CELLS[choice[3]]);
        let plane =
            Plane { variant: variants[choice[0]], side: choice[1], slope, cell, ratio: None };
        let case = plane.case();
        let ratios = plane.ratios(&case);
        let what = format!("{}, {plane:?}: {:?}", case.name(), &ratios[..5]);
        assert!((0.96..1.01).contains(&ratios[0]), "{what}");
        assert!(ratios[1..5].iter().all(|ratio| (0.99..1.005).contains(ratio)), "{what}");
    }
}

#[test]
fn sheet_flow_over_tables_nearly_keeps_its_depth_in_the_last_row() {
    let variants: Vec<Variant> =
        every_timed().filter(|(solver, _)| solver.knows_tables()).collect();
    for choice in combinations(&[variants.len(), 4, STEEP.len()], 2) {
        let slope = STEEP[choice[2]];
        let plane = Plane {
            variant: variants[choice[0]],
            side: choice[1],
            slope,
            cell: 5.0,
            ratio: Some(5),
        };
        let case = plane.case();
        let ratios = plane.ratios(&case);
        let off = ratios[0] / ratios[1] - 1.0;
        assert!(off.abs() < 0.12, "{}, {plane:?}: {:?}", case.name(), &ratios[..5]);
    }
}

#[test]
fn slow_sheet_flow_draws_down_towards_an_open_side_but_not_below_free_fall() {
    for variant in every_timed() {
        for (slope, above) in [(0.001, 0.9), (0.01, 0.99)] {
            let plane = Plane { variant, side: 2, slope, cell: 20.0, ratio: None };
            let case = plane.case();
            let ratios = plane.ratios(&case);
            let what = format!("{}, slope {slope}: {:?}", case.name(), &ratios[..5]);
            let free_fall = 2.0 / 3.0 * plane.critical() / plane.normal(0);
            assert!(ratios[0] > free_fall && ratios[0] < 0.95, "{free_fall}: {what}");
            assert!(ratios[3] > above && ratios[3] < 1.0, "{what}");
        }
    }
}

#[test]
fn outflow_over_an_open_side_rises_like_a_kinematic_wave() {
    for variant in every_timed() {
        let plane = Plane { variant, side: 2, slope: 0.3, cell: 20.0, ratio: None };
        let case = plane.case();
        let mut run = case.start(CpuOptions::default());
        let equilibrium = plane.discharge(0);
        // Wooding (1965): until the wave from the top arrives, the depth at the foot is the rain so
        // far.
        let arrives = plane.normal(0) / RAIN;
        let solution = |time: f64| {
            let depth = RAIN * time.min(arrives);
            depth.powf(5.0 / 3.0) * plane.slope.sqrt() / N / equilibrium
        };
        let (parts, end) = (40, 1.5 * arrives);
        let every = end / f64::from(parts);
        let (mut squares, mut before) = (0.0, 0.0);
        for part in 0..parts {
            let time = f64::from(part) * every;
            run.advance_to(time + every).expect("shallow water");
            let grains = case.state(&run).ledger.outflow as f64;
            let left = grains * f64::from(case.grain.metres()) * plane.cell / 3.0;
            let discharge = (left - before) / every / equilibrium;
            squares += (discharge - solution(time + 0.5 * every)).powi(2);
            before = left;
        }
        let off = (squares / f64::from(parts)).sqrt();
        assert!(off < 0.015, "{}: {off}", case.name());
    }
}

#[test]
fn sheet_flow_over_an_outflow_slope_keeps_its_depth_in_the_last_row() {
    for variant in every_timed() {
        for (cell, slope) in [(2.0, 0.6), (5.0, 0.3), (20.0, 0.3), (20.0, 0.01), (50.0, 0.6)] {
            let plane = Plane { variant, side: 2, slope, cell, ratio: None };
            let mut case = plane.case();
            case.open = OpenSides::CLOSED;
            let conveyance = NormalDepthOutflow::over_side(slope, N as f32, cell);
            let last = (0..3).map(|column| 3 * (LENGTH - 1) + column);
            let free = last.map(|cell| NormalDepthOutflow { cell, conveyance, port: ports::SOUTH });
            case.forcing.free.extend(free);
            let ratios = plane.ratios(&case);
            let what = format!("{}, {plane:?}: {:?}", case.name(), &ratios[..5]);
            assert!(ratios[..5].iter().all(|ratio| (0.98..1.02).contains(ratio)), "{what}");
        }
    }
}

#[test]
fn sheet_flow_keeps_its_depth_where_part_of_a_side_is_open() {
    for variant in every_timed() {
        for slope in STEEP {
            // Three strips separated by NoData. Only the middle one is open and rained on; the
            // others hold puddles.
            let plane = Plane { variant, side: 2, slope, cell: 5.0, ratio: None };
            let mut case =
                Case::new(5, LENGTH, variant).cell(plane.cell, plane.cell).bed(|i, j| {
                    let away = (LENGTH - 1 - j) as f64 + 0.5;
                    if i % 2 == 0 { 50.0 + slope * plane.cell * away } else { f64::NAN }
                });
            case.open = OpenSides { south: true, ..OpenSides::CLOSED };
            case.roughness = Roughness::Uniform(N as f32);
            let middle: Vec<_> = (0..LENGTH).map(|row| (2, row)).collect();
            let case = case
                .water(|i, j| if i % 4 == 0 && j == LENGTH - 1 { 0.01 } else { 0.0 })
                .source(&middle, &[(0.0, RAIN)]);
            let mut problem = case.problem();
            let last = 5 * (LENGTH - 1);
            problem.bed.shut = vec![last, last + 4];
            let mut run = case.start_on(cpu::open(problem, CpuOptions::default()));
            run.advance_to(4.0 * plane.normal(0) / RAIN + 600.0).expect("shallow water");
            let state = case.state(&run);
            let depth = |column: usize, away: usize| {
                f64::from(state.water[last - 5 * away + column]) * f64::from(case.grain.metres())
            };
            let ratios = [0, 1, 2, 3].map(|away| depth(2, away) / plane.normal(away));
            let what = format!("{}, slope {slope}: {ratios:?}", case.name());
            assert!(ratios.iter().all(|ratio| (0.96..1.01).contains(ratio)), "{what}");
            let puddles = [0, 4].map(|column| state.water[last + column]);
            assert_eq!(puddles, [case.initial[last]; 2], "{what}");
        }
    }
}
