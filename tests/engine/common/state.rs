//! Runs a case, and reads its state.

use super::Case;
use inundate_engine::backend::cpu::{self, CpuOptions};
use inundate_engine::backend::{Backend, FluxStatistics, Problem};
use inundate_engine::clock::{Clock, TimeStepping};
use inundate_engine::field::{Field, FieldLocation, bits_mut};
use inundate_engine::forcing::link::LinkState;
use inundate_engine::forcing::ports::BoundaryVolumes;
use inundate_engine::gauged::GaugeState;
use inundate_engine::grid::Grid;
use inundate_engine::ledger::Ledger;
use inundate_engine::run_diagnostics::Maxima;
use inundate_engine::simulation::Simulation;
use inundate_engine::snapshot::Snapshot;
use inundate_engine::solver::edge::EdgeField;

/// Makes the thread of a test do all of its work itself, unless it belongs to a pool: grids are
/// small, the tests fill the processors, and waking another thread for every step takes longer than
/// the step. Interaction of threads is tested in `same_bits`, which has its own pools.
pub fn alone() {
    if rayon::current_thread_index().is_none() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        // It stays the thread's pool until the thread ends.
        std::mem::forget(pool.expect("a pool"));
    }
}

impl Case {
    /// Returns the problem for a backend.
    pub fn problem(&self) -> Problem {
        Problem {
            grid: Grid {
                dx: self.cell.0,
                dy: self.cell.1,
                ..Grid::plain(self.columns, self.rows, 10.0)
            },
            bed: self.stored_bed(),
            initial: self.initial.clone(),
            solver: self.solver.solver(self.neighbourhood, Some(self.alpha)),
            neighbourhood: self.neighbourhood,
            open: self.open,
            forcing: self.forcing.clone(),
            grain: self.grain,
            arrival: self.grain.from_depth(self.arrival).expect("it fits"),
            roughness: self.roughness.clone(),
            subgrid: self.subgrid.clone(),
            losses: self.losses.clone(),
            cell_diagnostics: self.cell_diagnostics.clone(),
            gauges: self.gauges.iter().copied().filter(|&cell| self.is_inside(cell)).collect(),
            keeps_discharge: self.keeps_discharge,
        }
    }

    /// Returns the distance over which a cell influences the new state under its solver [cells].
    pub fn reach(&self) -> usize {
        self.solver.solver(self.neighbourhood, None).reach()
    }

    /// Returns the run before its first step.
    pub fn start(&self, options: CpuOptions) -> Simulation {
        alone();
        self.start_on(cpu::open(self.problem(), options))
    }

    /// Returns the run before its first step, on a backend created for its problem.
    pub fn start_on(&self, backend: impl Backend + 'static) -> Simulation {
        alone();
        Simulation::new(Box::new(backend), self.clock())
    }

    /// Returns a clock without an end.
    pub fn clock(&self) -> Clock {
        if self.solver.is_timed() {
            Clock::adaptive(1e15, self.longest, self.solver.safety())
        } else {
            Clock::steps(u64::MAX >> 12)
        }
    }

    /// Returns the state after some steps.
    pub fn run(&self, steps: u64, options: CpuOptions) -> State {
        let mut simulation = self.start(options);
        simulation.advance(steps).expect("a run that stays shallow");
        simulation.backend.conclude(simulation.clock.now()).expect("the final state");
        self.state(&simulation)
    }

    /// Advances a run by some steps, and returns its state.
    pub fn after(&self, steps: u64, run: &mut Simulation) -> State {
        run.advance(steps).expect("a run that stays shallow");
        self.state(run)
    }

    /// Returns a snapshot to continue a run from.
    pub fn snapshot(&self, simulation: &Simulation) -> Snapshot {
        Snapshot::of(simulation, &self.problem()).expect("a state that can be read")
    }

    /// Reads the full state of a run.
    pub fn state(&self, simulation: &Simulation) -> State {
        let backend = &*simulation.backend;
        let cells = self.bed.len();
        let (mut water, mut most) = (vec![0; cells], vec![0; cells]);
        let mut arrival = vec![0.0; cells];
        for row in 0..self.rows {
            let cells = row * self.columns..(row + 1) * self.columns;
            let read = |field: Field, to: &mut [u32]| backend.read(field, row, to).expect("a row");
            read(Field::Water, bits_mut(&mut water[cells.clone()]));
            read(Field::MaxDepth, bits_mut(&mut most[cells.clone()]));
            read(Field::Arrival, bits_mut(&mut arrival[cells]));
        }
        // Reading single cells must give the same values as reading rows.
        let some: Vec<usize> = (0..cells).step_by(7).chain((0..cells).rev().step_by(11)).collect();
        let places: Vec<_> = some.iter().map(|at| (at % self.columns, at / self.columns)).collect();
        let mut single = vec![0i32; some.len()];
        for (field, rows) in [(Field::Water, &water), (Field::MaxDepth, &most)] {
            backend.read_places(field, &places, bits_mut(&mut single)).expect("cells");
            assert!(some.iter().zip(&single).all(|(&cell, &grains)| rows[cell] == grains));
        }
        let mut diagnostics = Vec::new();
        let mut bits = vec![0; self.columns];
        let problem = self.problem();
        let mut fields: Vec<Field> = problem.fields();
        fields.sort_by_key(|f| [Field::Rained, Field::Ground].iter().position(|g| g == f));
        let named = [Field::Water, Field::MaxDepth, Field::Arrival, Field::Bed, Field::Roughness];
        // Levels exist only within a step.
        let passing = [Field::Level, Field::LevelPerDepth];
        let recorded = |f: &Field| {
            f.row().place == FieldLocation::Cell && !named.contains(f) && !passing.contains(f)
        };
        for field in fields.into_iter().filter(recorded) {
            for row in 0..self.rows {
                if field == Field::Rained {
                    bits.fill(0);
                } else {
                    backend.read(field, row, &mut bits).expect("a field");
                }
                let inside = |column: &usize| self.is_inside(row * self.columns + column);
                diagnostics.extend((0..self.columns).filter(inside).map(|column| bits[column]));
            }
        }
        for field in EdgeField::ALL.into_iter().filter(|&field| problem.saves(field)) {
            for axis in [0, 1] {
                let mut line = vec![0.0; self.columns + 1 - axis];
                for row in 0..self.rows + axis {
                    let to = bits_mut(&mut line);
                    backend.read(Field::edge(field, axis), row, to).expect("a line");
                    let places = (0..line.len()).rev().step_by(3).map(|place| (place, row));
                    let places: Vec<_> = places.collect();
                    let (mut single, edges) = (vec![0; places.len()], Field::edge(field, axis));
                    backend.read_places(edges, &places, &mut single).expect("edges");
                    let same = |(place, q): (&(usize, usize), &u32)| *q == line[place.0].to_bits();
                    assert!(places.iter().zip(&single).all(same));
                    diagnostics.extend(line.iter().map(|q| q.to_bits()));
                }
            }
        }
        State {
            water,
            most,
            diagnostics,
            arrival: arrival.into_iter().map(f32::to_bits).collect(),
            ledger: backend.ledger(),
            wet_cells: backend.wet_cells(),
            crossed: backend.flux_statistics(),
            extremes: {
                let watch = backend.extremes();
                (watch.maxima, watch.times.map(f64::to_bits))
            },
            links: {
                let states = backend.link_states().expect("links");
                let bits = |s: &LinkState| (s.forward, s.back, s.carry.to_bits(), s.on);
                states.iter().map(bits).collect()
            },
            port_volumes: backend.boundary_volumes().expect("what went through ports"),
            gauges: {
                let states = backend.gauge_states().expect("gauges");
                let bits = |s: &GaugeState| (s.most, s.time.to_bits(), s.speed.to_bits());
                states.iter().map(bits).collect()
            },
            control: match simulation.clock.time_stepping {
                TimeStepping::Equal { .. } => None,
                TimeStepping::Adaptive { control, .. } => {
                    let bits = [control.free, control.rate, control.epoch_rate].map(f32::to_bits);
                    Some((control.time.to_bits(), bits, control.taken))
                }
            },
        }
    }
}

/// State of a run; equal only if every bit is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Water per cell [grains].
    pub water: Vec<i32>,
    /// Maximum water so far [grains].
    pub most: Vec<i32>,
    /// Bits of every plane in the domain, and of the saved discharges and velocities.
    pub diagnostics: Vec<u32>,
    /// Bits of the arrival times.
    pub arrival: Vec<u32>,
    pub ledger: Ledger,
    pub wet_cells: usize,
    pub crossed: FluxStatistics,
    /// Maxima of speed and other quantities, and bits of their times.
    pub extremes: (Maxima, [u64; 3]),
    /// Bits of the time, the step and the step limit of the flow, for a solver with physical time.
    pub control: Option<(u64, [u32; 3], u32)>,
    /// Volumes carried forward and back by every link [grains], bits of the carried fraction, and
    /// whether it runs.
    pub links: Vec<(u64, u64, u64, bool)>,
    /// Inflow and outflow by port.
    pub port_volumes: BoundaryVolumes,
    /// For every gauge, the maximum water [grains], and bits of its time and of the greatest speed
    /// [m/s].
    pub gauges: Vec<(i32, u32, u32)>,
}

impl State {
    /// Returns the water in all cells [grains].
    pub fn stored(&self) -> i128 {
        self.water.iter().map(|&w| i128::from(w)).sum()
    }

    /// Asserts equality, and describes the difference, where `assert_eq` would print a thousand
    /// cells.
    pub fn assert_is(&self, expected: &State, name: impl Fn() -> String) {
        let cell = (0..self.water.len()).find(|&c| self.water[c] != expected.water[c]);
        assert_eq!(cell, None, "{}: the first cell whose water differs", name());
        assert!(self.most == expected.most, "{}: maxima", name());
        assert!(self.arrival == expected.arrival, "{}: arrivals", name());
        let record =
            (0..self.diagnostics.len()).find(|&n| self.diagnostics[n] != expected.diagnostics[n]);
        let bits = record.map(|n| [self.diagnostics[n], expected.diagnostics[n]]);
        assert_eq!(
            record,
            None,
            "{}: planes, discharges and velocities, bits {bits:x?} of {}",
            name(),
            self.diagnostics.len()
        );
        assert_eq!(self.ledger, expected.ledger, "{}", name());
        assert_eq!(self.port_volumes, expected.port_volumes, "{}: ports", name());
        assert_eq!(self.control, expected.control, "{}: control", name());
        assert_eq!(self.crossed, expected.crossed, "{}: what crossed edges", name());
        assert_eq!(self.extremes, expected.extremes, "{}: the greatest values", name());
        assert_eq!(self.links, expected.links, "{}: links", name());
        assert_eq!(self.gauges, expected.gauges, "{}: gauges", name());
        assert_eq!(self.wet_cells, expected.wet_cells, "{}: wet cells", name());
    }
}
