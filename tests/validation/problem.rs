//! Converts a setup with a solver to a problem of the engine.

use crate::setup::{Given, Roughness as Rough, Setup};
use inundate::engine::backend::Problem;
use inundate::engine::boundary::OpenSides;
use inundate::engine::forcing::normal_depth::NormalDepthOutflow;
use inundate::engine::forcing::ports;
use inundate::engine::forcing::series::Series;
use inundate::engine::forcing::sites::trigger::Trigger;
use inundate::engine::forcing::sites::{PlacedSite, SiteKind, SiteParameters};
use inundate::engine::forcing::{Account, Footprint, Forcing, RateLayer, Share, StageBoundary};
use inundate::engine::grains::Grain;
use inundate::engine::grid::{Bed, Grid};
use inundate::engine::neighbourhood::Neighbourhood;
use inundate::engine::roughness::Roughness;
use inundate::engine::solver::{self, SolverInfo};

/// Grain of all runs.
pub const GRAIN: Grain = Grain::Fine;

/// Returns the name and the order in space of one of the bench's solvers.
pub fn name_and_order(solver: &str) -> (&str, u32) {
    match solver.strip_suffix(" 2") {
        Some(name) => (name, 2),
        None => (solver, 1),
    }
}

/// Returns the registry's entry of one of the bench's solvers.
///
/// # Panics
/// If there is none.
pub fn info(solver: &str) -> &'static SolverInfo {
    let (name, order) = name_and_order(solver);
    solver::find_order(name, order).expect("a solver of the registry")
}

/// Returns the problem of a setup with a solver, for a backend.
pub fn problem(setup: &Setup, solver: &str) -> Problem {
    let near = Neighbourhood::VonNeumann;
    let mut grid = Grid::plain(setup.columns, setup.rows, setup.dx);
    (grid.dy, grid.transform[5]) = (setup.dy, -setup.dy);
    grid.transform[3] = setup.rows as f64 * setup.dy;
    let [north, east, south, west] = setup.open;
    let grains = |&depth: &f64| GRAIN.from_depth(depth).expect("a depth that fits");
    let dry = setup.depth.iter().all(|&depth| depth == 0.0);
    Problem {
        grid,
        bed: match &setup.tables {
            None => Bed::from_metres(setup.bed.iter().copied()),
            Some(tables) => Bed { levels: tables.bed.clone(), ..Bed::default() },
        },
        initial: if dry { Vec::new() } else { setup.depth.iter().map(grains).collect() },
        solver: info(solver).solver(near, None),
        neighbourhood: near,
        open: OpenSides { north, east, south, west },
        forcing: forcing(setup),
        grain: GRAIN,
        arrival: GRAIN.from_depth(0.01).expect("a depth that fits"),
        subgrid: setup.tables.clone(),
        roughness: match &setup.roughness {
            Rough::Uniform(n) => Roughness::Uniform(*n as f32),
            Rough::Cells(n) => Roughness::Cells(n.iter().map(|n| *n as f32).collect()),
        },
        losses: None,
        cell_diagnostics: Vec::new(),
        gauges: Vec::new(),
        keeps_discharge: setup.keeps_discharge,
    }
}

fn forcing(setup: &Setup) -> Forcing {
    let footprint = |cells: &Vec<usize>| {
        let mut cells = cells.clone();
        cells.sort_unstable();
        Footprint::Cells(cells.into_iter().map(|cell| (cell, Share::WHOLE)).collect())
    };
    let mut rates = Vec::new();
    for rain in &setup.rain {
        rates.push(RateLayer {
            account: Account::Rain,
            footprint: rain.cells.as_ref().map_or(Footprint::Everywhere, footprint),
            series: Series::new(rain.pieces.clone()),
        });
    }
    for Given { cells, points } in &setup.inflows {
        let area = setup.dx * setup.dy * cells.len() as f64;
        let depths = points.iter().map(|&(t, discharge)| (t, discharge / area)).collect();
        let (account, series) = (Account::Inflow, Series::linear(depths));
        rates.push(RateLayer { account, footprint: footprint(cells), series });
    }
    let held = setup.held.iter().map(|Given { cells, points }| StageBoundary {
        cells: cells.clone(),
        level: Series::linear(points.clone()),
        holders: vec![0; cells.len()],
    });
    let runs_out = setup.runs_out.into_iter().flat_map(|slope| {
        let n = |cell: usize| match &setup.roughness {
            Rough::Uniform(n) => *n as f32,
            Rough::Cells(n) => n[cell] as f32,
        };
        let last = (0..setup.rows).map(|row| setup.cell(setup.columns - 1, row));
        last.map(move |cell| NormalDepthOutflow {
            cell,
            conveyance: NormalDepthOutflow::over_side(slope, n(cell), setup.dx),
            port: ports::EAST,
        })
    });
    let free = runs_out.collect();
    let waits = setup.structures.iter().filter_map(|structure| structure.waits).flatten();
    let given = SiteParameters {
        numbers: Trigger::numbers(None, Some(0.0)),
        ..SiteParameters::of(SiteKind::Trigger)
    };
    let mut sites: Vec<_> = waits.map(|cell| PlacedSite { cell, given }).collect();
    sites.sort_unstable_by_key(|site| site.cell);
    sites.dedup();
    Forcing {
        links: setup.links.clone(),
        rates,
        stage_boundaries: held.collect(),
        free,
        sites,
        structures: setup.structures.clone(),
        tables: setup.law_tables.clone(),
        ..Forcing::default()
    }
}
