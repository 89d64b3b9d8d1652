//! Measures of fit. docs/compare.md has formulas and sources.

use serde::Serialize;

/// Contingency table of two extents: number of cells by state in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Contingency {
    /// Cells wet in both.
    pub hits: u64,
    /// Cells wet in the result only.
    pub false_alarms: u64,
    /// Cells wet in the reference only.
    pub misses: u64,
    /// Cells dry in both.
    pub correct_dry: u64,
}

impl Contingency {
    /// Counts a cell of both extents.
    pub fn add(&mut self, modelled: bool, observed: bool) {
        *match (modelled, observed) {
            (true, true) => &mut self.hits,
            (true, false) => &mut self.false_alarms,
            (false, true) => &mut self.misses,
            (false, false) => &mut self.correct_dry,
        } += 1;
    }

    /// Returns `true` if any cell is wet in either.
    pub fn is_wet(&self) -> bool {
        self.hits + self.false_alarms + self.misses > 0
    }

    /// Computes the scores; each is `None` if it would divide by 0.
    pub fn scores(&self) -> Scores {
        let Contingency { hits, false_alarms, misses, .. } = *self;
        let ratio = |part: u64, of: u64| (of > 0).then(|| part as f64 / of as f64);
        Scores {
            csi: ratio(hits, hits + false_alarms + misses),
            hit_rate: ratio(hits, hits + misses),
            false_alarm_ratio: ratio(false_alarms, hits + false_alarms),
            bias: ratio(hits + false_alarms, hits + misses),
        }
    }
}

/// Scores of an extent, from its [`Contingency`] (Wilks 2011, chapter 8).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// Critical success index: hits / (hits + false alarms + misses).
    pub csi: Option<f64>,
    /// Hits / (hits + misses).
    pub hit_rate: Option<f64>,
    /// False alarms / (hits + false alarms).
    pub false_alarm_ratio: Option<f64>,
    /// Frequency bias: (hits + false alarms) / (hits + misses).
    pub bias: Option<f64>,
}

/// Sums of differences, result − reference.
#[derive(Clone, Copy, Debug, Default)]
pub struct Differences {
    count: u64,
    sum: f64,
    absolute: f64,
    squares: f64,
    greatest: f64,
}

/// Error statistics, in the unit of the compared values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Errors {
    /// Number of compared values.
    pub count: u64,
    /// Root mean square error.
    pub rmse: f64,
    /// Mean absolute error of the pairs.
    pub mae: f64,
    /// Mean difference, result − reference.
    pub mean_difference: f64,
    /// The difference farthest from 0, with its sign.
    pub max_difference: f64,
}

impl Differences {
    /// Adds a difference to the sums.
    pub fn add(&mut self, difference: f64) {
        self.count += 1;
        self.sum += difference;
        self.absolute += difference.abs();
        self.squares += difference * difference;
        if difference.abs() > self.greatest.abs() {
            self.greatest = difference;
        }
    }

    /// Computes the statistics; `None` without differences.
    pub fn errors(&self) -> Option<Errors> {
        let count = self.count as f64;
        (self.count > 0).then(|| Errors {
            count: self.count,
            rmse: (self.squares / count).sqrt(),
            mae: self.absolute / count,
            mean_difference: self.sum / count,
            max_difference: self.greatest,
        })
    }
}

/// Computes mean and (population) standard deviation.
fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (mean, (squares / count).sqrt())
}

/// Returns `true` if a deviation exceeds the rounding error of equal values.
fn varies((mean, deviation): (f64, f64)) -> bool {
    deviation > 1e-12 * mean.abs()
}

/// Computes the Nash–Sutcliffe efficiency (Nash & Sutcliffe 1970); `None` if the reference does not
/// vary.
pub fn nse(modelled: &[f64], observed: &[f64]) -> Option<f64> {
    let about = moments(observed);
    let missed: f64 = modelled.iter().zip(observed).map(|(m, o)| (m - o).powi(2)).sum();
    let spread: f64 = observed.iter().map(|o| (o - about.0).powi(2)).sum();
    varies(about).then(|| 1.0 - missed / spread)
}

/// Kling–Gupta efficiency with its components (Gupta et al. 2009).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Kge {
    /// 1 − √((r − 1)² + (α − 1)² + (β − 1)²).
    pub kge: f64,
    /// Linear correlation coefficient, r.
    pub correlation: f64,
    /// α: standard deviation of the result divided by the reference's.
    pub variability: f64,
    /// β: mean of the result divided by the reference's.
    pub bias: f64,
}

/// Computes the Kling–Gupta efficiency; `None` if either does not vary or the reference's mean is
/// 0.
pub fn kge(modelled: &[f64], observed: &[f64]) -> Option<Kge> {
    let (m, o) = (moments(modelled), moments(observed));
    if !varies(m) || !varies(o) || o.0.abs() <= 1e-12 * o.1 {
        return None;
    }
    let products = modelled.iter().zip(observed).map(|(a, b)| (a - m.0) * (b - o.0));
    let correlation = products.sum::<f64>() / observed.len() as f64 / (m.1 * o.1);
    let (variability, bias) = (m.1 / o.1, m.0 / o.0);
    let parts = [correlation, variability, bias];
    let distance = parts.iter().map(|part| (part - 1.0).powi(2)).sum::<f64>().sqrt();
    Some(Kge { kge: 1.0 - distance, correlation, variability, bias })
}
