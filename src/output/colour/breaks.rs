//! Class breaks of amounts: the usual ones of a quantity, round ones beyond them, and, if there are
//! too many, the most informative ones for the data.

use super::classes::{NEAR, WIDE, even, ladder};

/// Maximum number of classes in a legend besides the unpainted one: more shades are hard to
/// distinguish.
const MOST: usize = 8;

/// Maximum number of classes into which an open last class is divided.
const MOST_BEYOND: usize = 4;

/// Share that the open last class may hold if there are too many classes, so that a deep lake does
/// not use up more of them.
const MOST_OPEN: f64 = 1.0 / 3.0;

/// Returns ascending class breaks for amounts between `low` and `high`. The first class is below
/// the first usual value, the last one is open above the last value. `below` returns the share of
/// the amounts up to a value. If `keep_last` is set, the greatest amounts keep a class of their
/// own, however few there are.
pub fn of(
    usual: &[f64],
    (low, high): (f64, f64),
    keep_last: bool,
    below: &dyn Fn(f64) -> f64,
) -> Vec<f64> {
    let (first, last) = (usual[0], usual[usual.len() - 1]);
    let low = low.clamp(first.min(high), high);
    let mut values = if high < WIDE * low {
        even(low, high)
    } else {
        let beyond = ladder(last, high.max(last)).into_iter().filter(|value| *value > last);
        let all: Vec<f64> = usual.iter().copied().chain(beyond).collect();
        // Do not add a class for a deviation of a thousandth.
        let from = all.iter().rposition(|value| *value <= low * (1.0 + NEAR)).unwrap_or(0);
        all[from..].to_vec()
    };
    values.retain(|value| *value > first && *value < high * (1.0 - NEAR));
    values.insert(0, first);
    thin(&mut values, MOST - 1, high, keep_last, below);
    values
}

/// Returns ascending breaks of an open class above `last`, which is the first of them, for amounts up
/// to `high`: round values, of which the last one is below `high`.
pub fn beyond(last: f64, high: f64, below: &dyn Fn(f64) -> f64) -> Vec<f64> {
    let mut values = ladder(last, high.max(last));
    values.retain(|value| *value > last && *value < high * (1.0 - NEAR));
    values.insert(0, last);
    thin(&mut values, MOST_BEYOND, high, true, below);
    values
}

/// Removes the least informative breaks until at most `most` are left.
fn thin(
    values: &mut Vec<f64>,
    most: usize,
    high: f64,
    keep_last: bool,
    below: &dyn Fn(f64) -> f64,
) {
    while !keep_last && values.len() > most && 1.0 - below(values[values.len() - 2]) <= MOST_OPEN {
        values.pop();
    }
    while values.len() > most {
        // Share of the values in the merged class, times its (logarithmic) width.
        let loss = |&at: &usize| {
            let (from, to) = (values[at - 1], values.get(at + 1).copied().unwrap_or(high));
            (below(to) - below(from)) * (to / from).ln()
        };
        let last = values.len() - usize::from(keep_last);
        let least = (1..last).min_by(|a, b| loss(a).total_cmp(&loss(b)));
        values.remove(least.unwrap_or(values.len() - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: [f64; 7] = [0.05, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0];

    fn flat(_: f64) -> f64 {
        0.0
    }

    #[test]
    fn usual_values_are_taken_as_far_as_the_data_go() {
        assert_eq!(of(&USUAL, (0.02, 0.9), false, &flat), [0.05, 0.1, 0.3, 0.5]);
        assert_eq!(of(&USUAL, (0.02, 7.2), false, &flat), USUAL);
        assert_eq!(of(&USUAL, (0.35, 18.0), false, &flat), [0.05, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0]);
        assert_eq!(of(&USUAL, (3.1, 3.4), false, &flat), [0.05, 3.1, 3.15, 3.2, 3.25, 3.3, 3.35]);
    }

    #[test]
    fn a_deep_lake_takes_few_classes_from_the_flood() {
        // 60 % of the cells are flooded up to 3 m deep, the others are a lake of up to 52 m.
        let below = |value: f64| {
            0.6 * (value / 3.0).min(1.0) + 0.4 * ((value - 10.0) / 42.0).clamp(0.0, 1.0)
        };
        let classes = of(&USUAL, (0.06, 50.0), false, &below);
        assert_eq!(classes.len(), MOST - 1);
        assert!(classes.iter().filter(|value| **value <= 2.0).count() >= 5, "{classes:?}");
        assert!(*classes.last().unwrap() <= 20.0, "{classes:?}");
    }

    #[test]
    fn an_open_class_is_divided_only_far_above_its_bound() {
        for high in [0.0, 1.0, 2.0, 4.9, 5.0] {
            assert_eq!(beyond(2.0, high, &flat), [2.0], "{high}");
        }
        assert_eq!(beyond(2.0, 5.1, &flat), [2.0, 5.0]);
        assert_eq!(beyond(2.0, 20.0, &flat), [2.0, 5.0, 10.0]);
        // Most ratings are below 10.
        let below = |value: f64| if value < 10.0 { 0.1 * value } else { 1.0 };
        assert_eq!(beyond(2.0, 140.0, &below), [2.0, 5.0, 10.0, 100.0]);
    }

    #[test]
    fn the_fastest_few_cells_keep_their_classes() {
        // 99.9 % of the cells are slower than 0.6 m/s.
        let usual = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0];
        let below = |value: f64| if value < 0.6 { value } else { 0.999 };
        let classes = of(&usual, (0.02, 140.0), true, &below);
        assert_eq!((classes.len(), classes.last()), (MOST - 1, Some(&100.0)), "{classes:?}");
        assert_eq!(classes[..4], [0.1, 0.25, 0.5, 1.0], "{classes:?}");
    }
}
