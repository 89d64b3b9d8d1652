//! The engine, for a case: a setup with a rule, run on the CPU, and once more on the GPU.

use crate::setup::{Given, Roughness as Rough, Setup};
use inundate::backend::cpu::{CpuBackend, CpuOptions};
use inundate::backend::cuda::choose::{Processor, choose};
use inundate::backend::cuda::open::{CudaOptions, open};
use inundate::backend::{Backend, Problem, StateLayer};
use inundate::boundary::OpenEdges;
use inundate::clock::Clock;
use inundate::forcing::series::Series;
use inundate::forcing::timeline::Timeline;
use inundate::forcing::{Account, Footprint, Forcing, HeldLevel, RateLayer, Share};
use inundate::grains::Grain;
use inundate::grid::{Bed, Grid};
use inundate::input::dem::{self, DemOptions};
use inundate::ledger::Ledger;
use inundate::neighbourhood::Neighbourhood;
use inundate::roughness::Roughness;
use inundate::rule;
use inundate::scenario::options::Device;
use inundate::simulation::Simulation;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

const GRAIN: Grain = Grain::Fine;
/// No run comes near it [s].
const NEVER: f64 = 1e9;

/// One stop of a run, to be made again.
#[derive(Clone, Copy)]
enum Stop {
    Time(f64),
    Steps(u64),
}

/// A run of a setup.
pub struct Run {
    setup: Setup,
    rule: String,
    simulation: Simulation,
    stops: Vec<Stop>,
    wall: f64,
}

impl Run {
    /// On the CPU, on rayon's current threads.
    pub fn start(setup: &Setup, rule: &str) -> Run {
        let make = |problem| Box::new(CpuBackend::new(problem, CpuOptions::default())) as _;
        Run::on(setup, rule, make)
    }

    /// On the GPU, if there is one.
    pub fn start_on_gpu(setup: &Setup, rule: &str) -> Option<Run> {
        let options = CudaOptions { gpu: gpu().ok()?, ..CudaOptions::default() };
        let make = |problem| Box::new(open(problem, &options).expect("a GPU that works")) as _;
        Some(Run::on(setup, rule, make))
    }

    fn on(setup: &Setup, rule: &str, backend: impl FnOnce(Problem) -> Box<dyn Backend>) -> Run {
        let problem = problem(setup, rule);
        let timeline = Timeline::of(&problem.forcing, GRAIN, &problem.bed);
        let safety = rule::find(rule).expect("a rule of the registry").safety();
        let clock = Clock::paced(NEVER, setup.dt_max as f32, safety);
        let clock = clock.with_safety(setup.step_share as f32);
        let simulation = Simulation { backend: backend(problem), clock, timeline };
        Run { setup: setup.clone(), rule: rule.into(), simulation, stops: Vec::new(), wall: 0.0 }
    }

    /// Runs to a time [s].
    pub fn to(&mut self, time: f64) {
        self.go(Stop::Time(time));
    }

    /// Takes some more steps.
    pub fn more_steps(&mut self, steps: u64) {
        self.go(Stop::Steps(steps));
    }

    fn go(&mut self, stop: Stop) {
        let started = Instant::now();
        let result = match stop {
            Stop::Time(time) => self.simulation.advance_to(time),
            Stop::Steps(steps) => self.simulation.advance(steps),
        };
        result.expect("a case that runs");
        self.stops.push(stop);
        self.wall += started.elapsed().as_secs_f64();
    }

    /// Time now [s].
    pub fn now(&self) -> f64 {
        self.simulation.clock.now()
    }

    pub fn steps(&self) -> u64 {
        self.simulation.clock.done
    }

    /// Seconds that stepping took.
    pub fn wall(&self) -> f64 {
        self.wall
    }

    fn read(&self, layer: StateLayer) -> Vec<i32> {
        let mut grains = vec![0; self.setup.bed.len()];
        for (row, to) in grains.chunks_mut(self.setup.columns).enumerate() {
            self.simulation.backend.read_grains(layer, row, to).expect("a state that can be read");
        }
        grains
    }

    /// Water per cell [grains].
    pub fn grains(&self) -> Vec<i32> {
        self.read(StateLayer::Water)
    }

    /// Depth per cell [m].
    pub fn depths(&self) -> Vec<f64> {
        metres(self.grains())
    }

    /// The greatest depth so far per cell [m].
    pub fn max_depths(&self) -> Vec<f64> {
        metres(self.read(StateLayer::MaxWater))
    }

    /// What has left over open edges [m³].
    pub fn outflow(&self) -> f64 {
        self.ledger().volumes(GRAIN, self.setup.dx * self.setup.dy).of("outflow")
    }

    /// Water not accounted for [grains].
    pub fn error(&self) -> i128 {
        self.ledger().error()
    }

    fn ledger(&self) -> Ledger {
        self.simulation.backend.ledger()
    }

    /// Share of the flow that caps have cut, or want of water.
    pub fn cut_share(&self) -> f64 {
        self.simulation.backend.crossed().share_cut()
    }
}

fn metres(grains: Vec<i32>) -> Vec<f64> {
    grains.into_iter().map(|grains| f64::from(grains) * f64::from(GRAIN.metres())).collect()
}

fn problem(setup: &Setup, rule: &str) -> Problem {
    let near = Neighbourhood::VonNeumann;
    let mut grid = Grid::plain(setup.columns, setup.rows, setup.dx);
    (grid.dy, grid.transform[5]) = (setup.dy, -setup.dy);
    grid.transform[3] = setup.rows as f64 * setup.dy;
    let [north, east, south, west] = setup.open;
    let grains = |&depth: &f64| GRAIN.from_depth(depth).expect("a depth that fits");
    let dry = setup.depth.iter().all(|&depth| depth == 0.0);
    Problem {
        grid,
        bed: Bed::from_metres(setup.bed.iter().copied()),
        initial: if dry { Vec::new() } else { setup.depth.iter().map(grains).collect() },
        rule: rule::find(rule).expect("a rule of the registry").rule(near, None),
        neighbourhood: near,
        open: OpenEdges { north, east, south, west },
        forcing: forcing(setup),
        grain: GRAIN,
        arrival: GRAIN.from_depth(0.01).expect("a depth that fits"),
        roughness: match &setup.roughness {
            Rough::Uniform(n) => Roughness::Uniform(*n as f32),
            Rough::Cells(n) => Roughness::Cells(n.iter().map(|n| *n as f32).collect()),
        },
        losses: None,
        tracks: Vec::new(),
        keeps_discharge: false,
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
    let held = setup.held.iter().map(|Given { cells, points }| HeldLevel {
        cells: cells.clone(),
        level: Series::linear(points.clone()),
    });
    Forcing { rates, held: held.collect(), ..Forcing::default() }
}

/// The number of the GPU, or why there is none.
fn gpu() -> Result<usize, String> {
    match choose(Device::Cuda(None)).map_err(|error| error.to_string())?.what {
        Processor::Gpu(gpu) => Ok(gpu),
        Processor::Cpu => Err("no GPU was chosen".into()),
    }
}

/// Whether there is a GPU, in words.
pub fn gpu_name() -> Option<String> {
    gpu().ok().map(|gpu| format!("CPU and GPU {gpu}"))
}

/// Does a run again on the GPU, stop by stop, if there is one.
pub fn on_gpu(run: &Run) -> Option<Run> {
    /// One run at a time, so that the times told are those of the run.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().expect("no panic");
    let mut twin = Run::start_on_gpu(&run.setup, &run.rule)?;
    for stop in &run.stops {
        twin.go(*stop);
    }
    assert_eq!(twin.steps(), run.steps(), "steps on the GPU");
    Some(twin)
}

/// Terrain as the project reads it.
pub struct Dem {
    pub columns: usize,
    pub rows: usize,
    pub dx: f64,
    pub dy: f64,
    pub west: f64,
    pub north: f64,
    /// [m]; NaN outside the domain.
    pub levels: Vec<f64>,
}

/// Reads a DEM.
pub fn read_dem(path: &Path) -> Result<Dem, String> {
    let dem = dem::read(path, &DemOptions::default()).map_err(|error| error.to_string())?;
    let level = |&z: &i32| if z == Bed::OUTSIDE { f64::NAN } else { f64::from(z) / Bed::PER_METRE };
    Ok(Dem {
        columns: dem.grid.columns,
        rows: dem.grid.rows,
        dx: dem.grid.dx,
        dy: dem.grid.dy,
        west: dem.grid.transform[0],
        north: dem.grid.transform[3],
        levels: dem.bed.levels.iter().map(level).collect(),
    })
}
