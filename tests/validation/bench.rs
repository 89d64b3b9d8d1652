//! Report of a case: figures with their limits, and curves for the plots.

use crate::engine::{self, Run};
use crate::problem::name_and_order;
use crate::setup::Setup;

/// The timed solvers, and the first one at second order.
pub const SHALLOW: &str = "shallow-water";
pub const SECOND: &str = "shallow-water 2";
pub const INERTIAL: &str = "inertial";
pub const MANNING: &str = "aqua-manning";

/// All solvers, in the order of the tables.
pub const SOLVERS: [&str; 4] = [SHALLOW, SECOND, INERTIAL, MANNING];

/// A figure, or why there is none.
#[derive(Clone)]
pub struct Outcome {
    /// Letter of its case.
    pub case: &'static str,
    pub solver: &'static str,
    pub metric: String,
    pub value: f64,
    /// Maximum allowed value; `None` if it is only reported.
    pub limit: Option<f64>,
    /// Results of other models, or explanation of the figure.
    pub peers: String,
    pub not_run: Option<String>,
}

impl Outcome {
    /// Returns `true` if the limit is met, or there is none. NaN meets no limit.
    pub fn passes(&self) -> bool {
        match self.limit {
            Some(limit) => self.value <= limit,
            None => true,
        }
    }

    /// Adds results of other models, or an explanation of the figure.
    pub fn peers(&mut self, peers: impl Into<String>) {
        self.peers = peers.into();
    }
}

/// Style of a curve.
#[derive(Clone, Copy, PartialEq)]
pub enum Pen {
    Solver(&'static str),
    /// The solver on a finer or coarser grid.
    SolverThin(&'static str),
    Reference,
    ReferenceDots,
    Limit,
}

/// A curve of one of the case's plots.
#[derive(Clone)]
pub struct Curve {
    pub plot: &'static str,
    pub label: String,
    pub pen: Pen,
    pub points: Vec<(f64, f64)>,
}

/// Collects the report of a case with one solver.
pub struct Bench {
    /// Set to run everything, instead of what takes a few seconds.
    pub full: bool,
    pub case: &'static str,
    pub solver: &'static str,
    pub outcomes: Vec<Outcome>,
    pub curves: Vec<Curve>,
    runs: usize,
    /// Largest volume error of any run so far [grains, or m³; must be 0].
    volume_error: f64,
    /// Cells whose final water volume differs on the GPU, for each run repeated there.
    differing: Vec<(String, usize)>,
}

impl Bench {
    pub fn new(full: bool, case: &'static str, solver: &'static str) -> Bench {
        Bench {
            full,
            case,
            solver,
            outcomes: Vec::new(),
            curves: Vec::new(),
            runs: 0,
            volume_error: 0.0,
            differing: Vec::new(),
        }
    }

    /// Selects the value for this solver from the values for each of [`SOLVERS`].
    pub fn of<T: Copy>(&self, each: [T; 4]) -> T {
        let place = SOLVERS.iter().position(|solver| *solver == self.solver);
        each[place.expect("one of the timed solvers")]
    }

    /// Adds a figure with a maximum of `limit`.
    pub fn check(&mut self, metric: impl Into<String>, value: f64, limit: f64) -> &mut Outcome {
        self.add(metric.into(), value, Some(limit))
    }

    /// Adds a figure with a maximum of `limit`, or without a limit.
    pub fn judge(
        &mut self,
        metric: impl Into<String>,
        value: f64,
        limit: Option<f64>,
    ) -> &mut Outcome {
        self.add(metric.into(), value, limit)
    }

    /// Adds a figure without a limit.
    pub fn note(&mut self, metric: impl Into<String>, value: f64) -> &mut Outcome {
        self.add(metric.into(), value, None)
    }

    /// Adds a figure of another case that results from this case's runs.
    pub fn check_as(
        &mut self,
        case: &'static str,
        metric: impl Into<String>,
        value: f64,
        limit: f64,
    ) {
        self.check(metric, value, limit).case = case;
    }

    pub fn not_run(&mut self, why: String) {
        self.add("all".into(), f64::NAN, None).not_run = Some(why);
    }

    fn add(&mut self, metric: String, value: f64, limit: Option<f64>) -> &mut Outcome {
        let (case, solver) = (self.case, self.solver);
        let peers = String::new();
        self.outcomes.push(Outcome { case, solver, metric, value, limit, peers, not_run: None });
        self.outcomes.last_mut().expect("the one just added")
    }

    pub fn curve(
        &mut self,
        plot: &'static str,
        label: impl Into<String>,
        pen: Pen,
        points: Vec<(f64, f64)>,
    ) {
        self.curves.push(Curve { plot, label: label.into(), pen, points });
    }

    /// Returns the command line options that select the solver.
    pub fn options(&self) -> String {
        match name_and_order(self.solver) {
            (name, 1) => format!("--solver {name}"),
            (name, _) => format!("--solver {name} --order 2"),
        }
    }

    /// Starts this bench's solver on a setup.
    pub fn start(&self, setup: &Setup) -> Run {
        Run::start(setup, self.solver)
    }

    /// Includes a run's volume error.
    pub fn tally(&mut self, run: &Run) {
        self.runs += 1;
        self.volume_error = self.volume_error.max(run.error().unsigned_abs() as f64);
    }

    /// Includes the volume error [m³] of a run through the command line.
    pub fn tally_volume(&mut self, error: f64) {
        self.runs += 1;
        self.volume_error = crate::metrics::largest([self.volume_error, error.abs()]);
    }

    /// Includes a run's volume error, and repeats the run on the GPU, if there is one, to compare
    /// the bits.
    pub fn finish(&mut self, name: &str, run: Run) {
        self.tally(&run);
        if !self.full {
            return;
        }
        if let Some(twin) = engine::on_gpu(&run) {
            let (ours, theirs) = (run.grains(), twin.grains());
            let different = ours.iter().zip(&theirs).filter(|(a, b)| a != b).count();
            self.differing.push((name.into(), different));
            self.note(format!("{name}: wall time, one CPU core [s]"), run.wall());
            self.note(format!("{name}: wall time, GPU [s]"), twin.wall());
        }
    }

    /// Adds the checks of volume and of the GPU's bits that every case makes, for the runs since the
    /// last ones.
    pub fn close(&mut self) {
        if self.runs > 0 {
            let metric = format!("largest volume error in {}", runs(self.runs));
            self.check(metric, self.volume_error, 0.0);
        }
        let repeated = std::mem::take(&mut self.differing);
        if !repeated.is_empty() {
            let runs = runs(repeated.len());
            let metric = format!("cells whose final water volume differs on the GPU, in {runs}");
            let wrong: Vec<_> = repeated.iter().filter(|(_, cells)| *cells > 0).collect();
            let cells: usize = wrong.iter().map(|(_, cells)| cells).sum();
            let names: Vec<_> = wrong.iter().map(|(name, _)| name.as_str()).collect();
            self.check(metric, cells as f64, 0.0).peers(names.join(", "));
        }
        (self.runs, self.volume_error) = (0, 0.0);
    }
}

/// Returns a number of runs in words.
fn runs(count: usize) -> String {
    match count {
        1 => "1 run".into(),
        _ => format!("{count} runs"),
    }
}
