//! Runs a setup with a solver on the engine: on the CPU, and again on the GPU.

use crate::moving::moving;
use crate::problem::{GRAIN, info, problem};
use crate::setup::Setup;
use inundate::engine::backend::cpu::{self, CpuOptions};
use inundate::engine::backend::cuda::device::choose::{Processor, choose};
use inundate::engine::backend::cuda::open::open_from;
use inundate::engine::backend::cuda::options::CudaOptions;
use inundate::engine::backend::saved::Resumed;
use inundate::engine::backend::{Backend, Problem};
use inundate::engine::clock::Clock;
use inundate::engine::field::{Field, bits_mut};
use inundate::engine::grid::Bed;
use inundate::engine::ledger::{Ledger, Term};
use inundate::engine::simulation::Simulation;
use inundate::engine::solver::edge::EdgeField;
use inundate::input::dem::{self, DemOptions};
use inundate::scenario::options::Device;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

/// A time that no run reaches [s].
const NEVER: f64 = 1e9;

/// One stop of a run, recorded for repetition.
#[derive(Clone, Copy)]
enum Stop {
    Time(f64),
    Steps(u64),
}

/// A run of a setup.
pub struct Run {
    setup: Setup,
    solver: String,
    simulation: Simulation,
    stops: Vec<Stop>,
    wall: f64,
}

impl Run {
    /// Starts a run on the CPU, on rayon's current threads.
    pub fn start(setup: &Setup, solver: &str) -> Run {
        Run::on(setup, solver, |problem, saved| {
            let options = CpuOptions::default();
            Box::new(match saved {
                Some(saved) => cpu::open_from(problem, options, Some(saved)).expect("a state"),
                None => cpu::open(problem, options),
            })
        })
    }

    /// Starts a run on the GPU, if there is one.
    pub fn start_on_gpu(setup: &Setup, solver: &str) -> Option<Run> {
        let options = CudaOptions { gpu: gpu().ok()?, ..CudaOptions::default() };
        Some(Run::on(setup, solver, |problem, saved| {
            Box::new(open_from(problem, &options, saved).expect("a GPU that works"))
        }))
    }

    /// Returns the maximum speed in any cell deeper than 0.1 m so far [m/s].
    pub fn greatest_speed(&self) -> f64 {
        f64::from(self.simulation.backend.extremes().maxima.speed.value())
    }

    /// Returns the maximum Froude number in any such cell so far.
    pub fn greatest_froude(&self) -> f64 {
        f64::from(self.simulation.backend.extremes().maxima.froude.value())
    }

    /// Returns the unit discharges [m²/s] over edges: west of each column of a row and east of its
    /// last (axis 0), or north of each row and south of the last (axis 1), row by row.
    pub fn discharges(&self, axis: usize) -> Vec<f64> {
        self.on_edges(EdgeField::Discharge, axis)
    }

    /// Returns the velocities [m/s] on edges, like [`Run::discharges`].
    pub fn velocities(&self, axis: usize) -> Vec<f64> {
        self.on_edges(EdgeField::Velocity, axis)
    }

    fn on_edges(&self, field: EdgeField, axis: usize) -> Vec<f64> {
        let (columns, rows) = (self.setup.columns, self.setup.rows);
        let (width, lines) = if axis == 0 { (columns + 1, rows) } else { (columns, rows + 1) };
        let mut all = vec![0.0; width * lines];
        for (line, to) in all.chunks_mut(width).enumerate() {
            let backend = &self.simulation.backend;
            backend
                .read(Field::edge(field, axis), line, bits_mut(to))
                .expect("a state that can be read");
        }
        all.into_iter().map(f64::from).collect()
    }

    fn on(
        setup: &Setup,
        solver: &str,
        backend: impl FnOnce(Problem, Option<Resumed>) -> Box<dyn Backend>,
    ) -> Run {
        let ours = problem(setup, solver);
        let safety = info(solver).safety() * setup.step_share as f32;
        let clock = Clock::adaptive(NEVER, setup.dt_max as f32, safety);
        let backend = match setup.speed {
            [0.0, 0.0] => backend(ours, None),
            _ => moving(setup, problem(setup, solver), ours, backend),
        };
        let simulation = Simulation::new(backend, clock);
        Run {
            setup: setup.clone(),
            solver: solver.into(),
            simulation,
            stops: Vec::new(),
            wall: 0.0,
        }
    }

    /// Runs to a time [s].
    pub fn to(&mut self, time: f64) {
        self.go(Stop::Time(time));
    }

    /// Takes a number of steps.
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

    /// Returns the current time [s].
    pub fn now(&self) -> f64 {
        self.simulation.clock.now()
    }

    pub fn steps(&self) -> u64 {
        self.simulation.clock.done
    }

    /// Returns the duration of all steps (seconds).
    pub fn wall(&self) -> f64 {
        self.wall
    }

    fn read(&self, field: Field) -> Vec<i32> {
        let mut grains = vec![0; self.setup.bed.len()];
        for (row, to) in grains.chunks_mut(self.setup.columns).enumerate() {
            self.simulation
                .backend
                .read(field, row, bits_mut(to))
                .expect("a state that can be read");
        }
        grains
    }

    /// Returns the water per cell [grains].
    pub fn grains(&self) -> Vec<i32> {
        self.read(Field::Water)
    }

    /// Returns the depth per cell [m].
    pub fn depths(&self) -> Vec<f64> {
        metres(self.grains())
    }

    /// Returns the level of each cell [m]; its bed if it is dry.
    pub fn levels(&self) -> Vec<f64> {
        self.levels_of(&self.grains())
    }

    /// Returns the maximum level so far.
    pub fn max_levels(&self) -> Vec<f64> {
        self.levels_of(&self.read(Field::MaxDepth))
    }

    fn levels_of(&self, grains: &[i32]) -> Vec<f64> {
        let (metres, bed) = (GRAIN.metres(), &self.setup.bed);
        let level = |(cell, &water): (usize, &i32)| match &self.setup.tables {
            Some(tables) => f64::from(tables.level_of(cell, water, metres)) / Bed::PER_METRE,
            None => bed[cell] + f64::from(water) * f64::from(metres),
        };
        grains.iter().enumerate().map(level).collect()
    }

    /// Returns the maximum depth so far per cell [m].
    pub fn max_depths(&self) -> Vec<f64> {
        metres(self.read(Field::MaxDepth))
    }

    /// Returns the volume that each link has moved from its inlet to its outlet, less what came back
    /// [grains].
    pub fn carried(&self) -> Vec<i64> {
        let states = self.simulation.backend.link_states().expect("a state that can be read");
        states.iter().map(|state| state.forward as i64 - state.back as i64).collect()
    }

    /// Returns the outflow over open edges [m³].
    pub fn outflow(&self) -> f64 {
        self.ledger().volumes(GRAIN, self.setup.dx * self.setup.dy).of(Term::Outflow)
    }

    /// Returns the volume error [grains].
    pub fn error(&self) -> i128 {
        self.ledger().error()
    }

    fn ledger(&self) -> Ledger {
        self.simulation.backend.ledger()
    }

    /// Returns the share of the flow that was cut by limiters or by lack of water.
    pub fn cut_share(&self) -> f64 {
        self.simulation.backend.flux_statistics().share_cut()
    }
}

fn metres(grains: Vec<i32>) -> Vec<f64> {
    grains.into_iter().map(|grains| f64::from(grains) * f64::from(GRAIN.metres())).collect()
}

/// Returns the number of the GPU, or why there is none.
fn gpu() -> Result<usize, String> {
    match choose(Device::Cuda(None)).map_err(|error| error.to_string())?.what {
        Processor::Gpu(gpu) => Ok(gpu),
        Processor::Cpu | Processor::Gpus(_) => Err("no GPU was chosen".into()),
    }
}

/// Describes the GPU, if there is one.
pub fn gpu_name() -> Option<String> {
    gpu().ok().map(|gpu| format!("CPU and GPU {gpu}"))
}

/// Repeats a run on the GPU, stop by stop, if there is one.
pub fn on_gpu(run: &Run) -> Option<Run> {
    /// One run at a time, so that measured times are not affected by others.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().expect("no panic");
    let mut twin = Run::start_on_gpu(&run.setup, &run.solver)?;
    for stop in &run.stops {
        twin.go(*stop);
    }
    assert_eq!(twin.steps(), run.steps(), "steps on the GPU");
    Some(twin)
}

/// Terrain as read by the program.
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
    read(path, &DemOptions::default())
}

/// Reads a DEM in local metres.
pub fn read_local_dem(path: &Path) -> Result<Dem, String> {
    read(path, &DemOptions { local_metres: true, ..DemOptions::default() })
}

fn read(path: &Path, options: &DemOptions) -> Result<Dem, String> {
    let dem = dem::read(path, options).map_err(|error| error.to_string())?;
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
