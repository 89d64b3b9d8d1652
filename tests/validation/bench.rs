//! What a case reports: figures with their limits, and curves for the plots.

use crate::engine::{self, Run};
use crate::problem::name_and_order;
use crate::setup::Setup;

/// The timed rules, and the second order of the first.
pub const SHALLOW: &str = "shallow-water";
pub const SECOND: &str = "shallow-water 2";
pub const INERTIAL: &str = "inertial";
pub const MANNING: &str = "aqua-manning";

/// All of them, in the order of the tables.
pub const RULES: [&str; 4] = [SHALLOW, SECOND, INERTIAL, MANNING];

/// A figure, or why there is none.
#[derive(Clone)]
pub struct Outcome {
    /// Letter of the case it belongs to.
    pub case: &'static str,
    pub rule: &'static str,
    pub metric: String,
    pub value: f64,
    /// The most that the value may be; none where it is only reported.
    pub limit: Option<f64>,
    /// What other models do, or what the figure is made of.
    pub peers: String,
    pub not_run: Option<String>,
}

impl Outcome {
    /// Whether the limit is kept, if there is one. NaN keeps none.
    pub fn passes(&self) -> bool {
        match self.limit {
            Some(limit) => self.value <= limit,
            None => true,
        }
    }

    /// Adds what other models do, or what the figure is made of.
    pub fn peers(&mut self, peers: impl Into<String>) {
        self.peers = peers.into();
    }
}

/// How a curve is drawn.
#[derive(Clone, Copy, PartialEq)]
pub enum Pen {
    Rule(&'static str),
    /// The same rule on a finer or coarser grid.
    RuleThin(&'static str),
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

/// Where a case with one rule reports to.
pub struct Bench {
    /// All of it, rather than what fits into a few seconds.
    pub full: bool,
    pub case: &'static str,
    pub rule: &'static str,
    pub outcomes: Vec<Outcome>,
    pub curves: Vec<Curve>,
    runs: usize,
    /// The largest volume error of any run so far [grains, or m³: it must be 0].
    volume_error: f64,
}

impl Bench {
    pub fn new(full: bool, case: &'static str, rule: &'static str) -> Bench {
        let (outcomes, curves) = (Vec::new(), Vec::new());
        Bench { full, case, rule, outcomes, curves, runs: 0, volume_error: 0.0 }
    }

    /// What holds for this rule, of what holds for each of [`RULES`].
    pub fn of<T: Copy>(&self, each: [T; 4]) -> T {
        let place = RULES.iter().position(|rule| *rule == self.rule);
        each[place.expect("one of the timed rules")]
    }

    /// A figure that may be `limit` at the most.
    pub fn check(&mut self, metric: impl Into<String>, value: f64, limit: f64) -> &mut Outcome {
        self.add(metric.into(), value, Some(limit))
    }

    /// A figure that may be `limit` at the most, or is only reported where there is none.
    pub fn judge(
        &mut self,
        metric: impl Into<String>,
        value: f64,
        limit: Option<f64>,
    ) -> &mut Outcome {
        self.add(metric.into(), value, limit)
    }

    /// A figure without a limit.
    pub fn note(&mut self, metric: impl Into<String>, value: f64) -> &mut Outcome {
        self.add(metric.into(), value, None)
    }

    /// A figure that belongs to another case but comes of this one's runs.
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
        let (case, rule) = (self.case, self.rule);
        let peers = String::new();
        self.outcomes.push(Outcome { case, rule, metric, value, limit, peers, not_run: None });
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

    /// Options of the command line that choose the rule.
    pub fn options(&self) -> Vec<&'static str> {
        let (name, order) = name_and_order(self.rule);
        match order {
            1 => vec!["--rule", name],
            _ => vec!["--rule", name, "--order", "2"],
        }
    }

    /// Starts this bench's rule on a setup.
    pub fn start(&self, setup: &Setup) -> Run {
        Run::start(setup, self.rule)
    }

    /// Takes a run's volume into account.
    pub fn tally(&mut self, run: &Run) {
        self.runs += 1;
        self.volume_error = self.volume_error.max(run.error().unsigned_abs() as f64);
    }

    /// Takes the volume [m³] into account that a run through the command line has lost or found.
    pub fn tally_volume(&mut self, error: f64) {
        self.runs += 1;
        self.volume_error = crate::metrics::largest([self.volume_error, error.abs()]);
    }

    /// Takes a run's volume into account, and does it again on the GPU, if there is one, for the same bits.
    pub fn finish(&mut self, name: &str, run: Run) {
        self.tally(&run);
        if !self.full {
            return;
        }
        if let Some(twin) = engine::on_gpu(&run) {
            let (ours, theirs) = (run.grains(), twin.grains());
            let different = ours.iter().zip(&theirs).filter(|(a, b)| a != b).count();
            self.check(
                format!("{name}: cells whose final water differs on the GPU"),
                different as f64,
                0.0,
            );
            self.note(format!("{name}: wall time, CPU one core [s]"), run.wall());
            self.note(format!("{name}: wall time, GPU [s]"), twin.wall());
        }
    }

    /// The check that every case makes, of the runs since the last.
    pub fn close(&mut self) {
        if self.runs > 0 {
            let metric = format!("volume error, largest of {} runs", self.runs);
            self.check(metric, self.volume_error, 0.0);
        }
        (self.runs, self.volume_error) = (0, 0.0);
    }
}
