//! Measures of the difference between two curves.

/// Returns the root mean square of differences.
pub fn rmse(pairs: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    mean(pairs.into_iter().map(|(a, b)| (a - b) * (a - b))).sqrt()
}

/// Returns the mean absolute difference.
pub fn mean_absolute(pairs: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    mean(pairs.into_iter().map(|(a, b)| (a - b).abs()))
}

/// Returns the mean; NaN without values, which no limit allows.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0.0), |(s, n), v| (s + v, n + 1.0));
    sum / count
}

/// Returns the sum; 0 without values.
pub fn total(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().sum()
}

/// Returns the largest value; NaN without values or if any value is NaN.
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    let larger = |a: f64, b: f64| if a.is_nan() || a > b { a } else { b };
    values.into_iter().reduce(larger).unwrap_or(f64::NAN)
}

/// Returns 1 − the efficiency of Nash and Sutcliffe (1970), eq. 3, of (simulated, observed) pairs.
pub fn inefficiency(pairs: &[(f64, f64)]) -> f64 {
    let middle = mean(pairs.iter().map(|pair| pair.1));
    let spread: f64 = pairs.iter().map(|(_, o)| (o - middle) * (o - middle)).sum();
    pairs.iter().map(|(s, o)| (s - o) * (s - o)).sum::<f64>() / spread
}

/// Returns where a curve of (x, y) points first rises to `level`, linear between points; NaN if
/// never.
pub fn rises_to(curve: &[(f64, f64)], level: f64) -> f64 {
    crossing(curve, |y| y >= level, level)
}

/// Returns where a curve first falls below `level`, linear between points; NaN if never.
pub fn falls_to(curve: &[(f64, f64)], level: f64) -> f64 {
    crossing(curve, |y| y < level, level)
}

fn crossing(curve: &[(f64, f64)], beyond: impl Fn(f64) -> bool, level: f64) -> f64 {
    let pair = curve.windows(2).find(|pair| !beyond(pair[0].1) && beyond(pair[1].1));
    match pair {
        Some([(x0, y0), (x1, y1)]) => x0 + (x1 - x0) * (level - y0) / (y1 - y0),
        _ => f64::NAN,
    }
}

/// Returns a curve's value at `x`, linear between points, constant beyond its ends.
pub fn at(curve: &[(f64, f64)], x: f64) -> f64 {
    let after = curve.partition_point(|point| point.0 <= x);
    match (after.checked_sub(1).map(|before| curve[before]), curve.get(after)) {
        (Some((x0, y0)), Some((x1, y1))) => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
        (Some((_, y)), None) => y,
        (None, Some((_, y))) => *y,
        (None, None) => f64::NAN,
    }
}

/// Returns the critical success index of two maps at a depth: cells wet in both over cells wet in
/// either.
pub fn critical_success(a: &[f64], b: &[f64], depth: f64) -> f64 {
    let wet = |pair: &(&f64, &f64)| (*pair.0 >= depth, *pair.1 >= depth);
    let (mut both, mut either) = (0.0, 0.0);
    for pair in a.iter().zip(b) {
        let (a, b) = wet(&pair);
        both += f64::from(u8::from(a && b));
        either += f64::from(u8::from(a || b));
    }
    both / either
}

/// Checks the metrics against values calculated by hand.
pub fn self_check() {
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a}, not {b}");
    near(rmse([(1.0, 4.0), (2.0, 6.0)]), 12.5f64.sqrt());
    near(mean_absolute([(1.0, 4.0), (2.0, 1.0)]), 2.0);
    near(inefficiency(&[(1.0, 0.0), (2.0, 2.0)]), 0.5);
    near(rises_to(&[(0.0, 0.0), (10.0, 1.0), (20.0, 3.0)], 2.0), 15.0);
    near(falls_to(&[(0.0, 3.0), (10.0, 1.0)], 2.0), 5.0);
    near(at(&[(0.0, 0.0), (10.0, 1.0)], 2.0), 0.2);
    near(critical_success(&[1.0, 1.0, 0.0, 0.0], &[1.0, 0.0, 1.0, 0.0], 0.5), 1.0 / 3.0);
    assert!(largest([]).is_nan() && largest([1.0, f64::NAN, 2.0]).is_nan() && mean([]).is_nan());
}
