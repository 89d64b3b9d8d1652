//! Quantiles of weighted values.

/// Returns the quantile `p` (0 to 1) of values in ascending order with their weights, all above 0.
///
/// Akinshin (2023), *Weighted quantile estimators*, arXiv:2304.07265, the weighted form of Hyndman
/// and Fan's type 7 (1996): the mean of the values, weighted by the overlap of each value's share
/// of the total weight with the window from (h − 1)/n\* to h/n\*, where n\* = (Σw)²/Σw² is Kish's
/// effective size and h = p (n\* − 1) + 1. With equal weights this is linear interpolation at (n −
/// 1) p, the default of numpy and R.
///
/// # Panics
/// If there are no values.
pub fn quantile(sorted: &[(f32, f64)], p: f64) -> f32 {
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    if sorted.iter().all(|(_, weight)| *weight == sorted[0].1) {
        return interpolated(sorted, p);
    }
    let squares: f64 = sorted.iter().map(|(_, weight)| weight * weight).sum();
    let effective = total * total / squares;
    let from = p * (effective - 1.0) / effective;
    let to = (p * (effective - 1.0) + 1.0) / effective;
    let (mut before, mut sum, mut inside) = (0.0, 0.0, 0.0);
    for (value, weight) in sorted {
        let after = before + weight / total;
        let part = (after.min(to) - before.max(from)).max(0.0);
        sum += part * f64::from(*value);
        inside += part;
        before = after;
    }
    // Rounding may lead slightly beyond the values.
    ((sum / inside) as f32).clamp(sorted[0].0, sorted[sorted.len() - 1].0)
}

/// Returns the quantile for equal weights, without rounding errors from the weights.
fn interpolated(sorted: &[(f32, f64)], p: f64) -> f32 {
    let place = (sorted.len() - 1) as f64 * p;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let (low, high) = (f64::from(sorted[below].0), f64::from(sorted[above].0));
    (low + (high - low) * (place - below as f64)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Akinshin's definition (eq. for type 7), by the distribution function of the window.
    fn by_definition(values: &[(f32, f64)], p: f64) -> f64 {
        let total: f64 = values.iter().map(|v| v.1).sum();
        let n = total.powi(2) / values.iter().map(|v| v.1.powi(2)).sum::<f64>();
        let h = p * (n - 1.0) + 1.0;
        let f = |u: f64| (u * n - (h - 1.0)).clamp(0.0, 1.0);
        let mut s = 0.0;
        values
            .iter()
            .map(|(x, w)| {
                let t = s;
                s += w / total;
                f64::from(*x) * (f(s) - f(t))
            })
            .sum()
    }

    #[test]
    fn equal_weights_give_linear_interpolation() {
        // numpy.percentile([1, 2, 4, 8, 16], [0, 10, 25, 50, 90, 95, 100])
        let values = [1.0, 2.0, 4.0, 8.0, 16.0].map(|value| (value, 0.1));
        for (p, expected) in [
            (0.0, 1.0),
            (0.1, 1.4),
            (0.25, 2.0),
            (0.5, 4.0),
            (0.9, 12.8),
            (0.95, 14.4),
            (1.0, 16.0),
        ] {
            assert_eq!(quantile(&values, p), expected);
            assert!((by_definition(&values, p) - f64::from(expected)).abs() < 1e-6);
        }
        assert_eq!(quantile(&[(3.5, 2.0)], 0.7), 3.5);
    }

    #[test]
    fn weights_count() {
        let values = [(0.5, 0.9), (1.0, 0.09), (4.0, 0.01)];
        for p in [0.0, 0.05, 0.5, 0.9, 0.95, 0.99, 1.0] {
            assert!((f64::from(quantile(&values, p)) - by_definition(&values, p)).abs() < 1e-6);
        }
        // In 95 of 100 cases it is no deeper than 1 m.
        assert!((0.5..1.0).contains(&quantile(&values, 0.95)));
        assert!(quantile(&values, 0.05) < quantile(&values, 0.95));
    }
}
