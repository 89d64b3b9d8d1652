//! Round class boundaries: 1, 2, 5 and their powers of ten, multiples of such steps, or round
//! times.

/// Relative tolerance for round values: [`super::Spread`] resolves values to a thousandth.
pub const NEAR: f64 = 2e-3;

/// Maximum length of a ladder.
const MOST_RUNGS: usize = 8;
/// Maximum number of steps between the least and the greatest even value.
const MOST_STEPS: f64 = 6.0;
/// Ratio of greatest to least value from which a ladder is used.
pub const WIDE: f64 = 4.0;

/// Round time spans (s); beyond them, round numbers of days are used.
const TIMES: [f64; 20] = [
    1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0,
    10_800.0, 21_600.0, 43_200.0, 86_400.0, 172_800.0, 432_000.0,
];

/// Returns the round number (1, 2 or 5 times a power of ten) at a rung; three rungs are a power of
/// ten.
fn rung(number: i32) -> f64 {
    let digit = [1, 2, 5][number.rem_euclid(3) as usize];
    // Parsing the digits gives exactly the number that one would write.
    format!("{digit}e{}", number.div_euclid(3)).parse().expect("a number")
}

/// Returns the rung of the greatest round number not above a positive value.
fn rung_below(value: f64) -> i32 {
    let first = 3 * (value.log10().floor() as i32) - 1;
    (first..first + 5).rev().find(|&number| rung(number) <= value).unwrap_or(first)
}

/// Returns the greatest round number not above a positive value.
pub fn at_most(value: f64) -> f64 {
    rung(rung_below(value * (1.0 + NEAR)))
}

/// Returns the least round number not below a positive value.
pub fn at_least(value: f64) -> f64 {
    let below = rung_below(value * (1.0 - NEAR));
    if rung(below) >= value * (1.0 - NEAR) { rung(below) } else { rung(below + 1) }
}

/// Returns round numbers from one not above `low` to one not below `high`, both positive; if there
/// are too many, the least ones are dropped.
pub fn ladder(low: f64, high: f64) -> Vec<f64> {
    let last = rung_below(at_least(high) * (1.0 + NEAR));
    let first = rung_below(at_most(low.min(high)) * (1.0 + NEAR));
    let first = first.min(last - 1).max(last + 1 - MOST_RUNGS as i32);
    (first..=last).map(rung).collect()
}

/// Returns multiples of a round step from one not above `low` to one not below `high`; at least
/// two.
pub fn even(low: f64, high: f64) -> Vec<f64> {
    let span = (high - low).max(1e-6 * high.abs().max(1e-6));
    multiples(low, high, at_least(span / MOST_STEPS))
}

/// Like [`even`], for times (s).
pub fn times(low: f64, high: f64) -> Vec<f64> {
    let least = (high - low) / MOST_STEPS * (1.0 - NEAR);
    let listed = TIMES.into_iter().find(|&step| step >= least);
    let step = match listed {
        _ if least < 1.0 => at_least(least.max(1e-3)),
        Some(step) => step,
        None => 86_400.0 * at_least(least / 86_400.0),
    };
    multiples(low, high, step)
}

fn multiples(low: f64, high: f64, step: f64) -> Vec<f64> {
    // Do not add a step for a negligible deviation.
    let (first, last) = ((low / step + NEAR).floor(), (high / step - NEAR).ceil());
    let last = last.max(first + 1.0);
    let count = (last - first) as usize;
    (0..=count).map(|number| rounded((first + number as f64) * step, step)).collect()
}

/// Rounds a multiple of a step to remove floating-point noise.
pub fn rounded(value: f64, step: f64) -> f64 {
    let decimals = decimals(step);
    let value: f64 = format!("{value:.decimals$}").parse().expect("a number");
    // Avoid negative zero.
    value + 0.0
}

/// Returns the number of decimals of a round step.
pub fn decimals(step: f64) -> usize {
    let shown = step.to_string();
    shown.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ladders_are_round_and_hold_what_they_are_for() {
        assert_eq!(ladder(0.12, 7.0), [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]);
        assert_eq!(ladder(0.1, 5.0), [0.1, 0.2, 0.5, 1.0, 2.0, 5.0]);
        assert_eq!(ladder(0.0999, 5.001), [0.1, 0.2, 0.5, 1.0, 2.0, 5.0], "a thousandth off");
        assert_eq!(ladder(0.001, 40.0), [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(ladder(3.0, 3.0), [2.0, 5.0]);
        assert_eq!(ladder(2.0, 2.0), [1.0, 2.0]);
        for exponent in -9..9 {
            for digit in [1.0, 1.5, 2.0, 3.0, 5.0, 9.9] {
                let value = digit * 10f64.powi(exponent);
                let (below, above) = (at_most(value), at_least(value));
                assert!(below <= value * 1.01 && value <= above * 1.01, "{value}");
                assert!(above / below <= 2.51, "{value}: {below} {above}");
            }
        }
    }

    #[test]
    fn even_values_are_round_and_hold_what_they_are_for() {
        assert_eq!(even(432.3, 469.0), [430.0, 440.0, 450.0, 460.0, 470.0]);
        assert_eq!(even(3.12, 3.41), [3.1, 3.15, 3.2, 3.25, 3.3, 3.35, 3.4, 3.45]);
        assert_eq!(even(5.0, 5.0).len(), 2);
        assert_eq!(even(0.0, 0.0).len(), 2);
        assert_eq!(even(-3.0, 12.0), [-5.0, 0.0, 5.0, 10.0, 15.0]);
    }

    #[test]
    fn times_are_round() {
        let minutes = |low, high| times(60.0 * low, 60.0 * high).iter().map(|t| t / 60.0).collect();
        let of = |low: f64, high: f64| -> Vec<f64> { minutes(low, high) };
        assert_eq!(of(0.0, 107.4), [0.0, 30.0, 60.0, 90.0, 120.0], "1.79 h");
        assert_eq!(of(0.0, 360.0), [0.0, 60.0, 120.0, 180.0, 240.0, 300.0, 360.0]);
        assert_eq!(of(1500.0, 1790.0), [1500.0, 1560.0, 1620.0, 1680.0, 1740.0, 1800.0]);
        assert_eq!(times(0.0, 2.5), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]);
        let days = times(0.0, 86_400.0 * 60.0);
        assert_eq!(
            days.iter().map(|t| t / 86_400.0).collect::<Vec<_>>(),
            [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
        );
        assert!(times(0.0, 0.0).len() >= 2);
    }
}
