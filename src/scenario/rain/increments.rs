//! Differences of running totals: the rain that each raster of a series adds.

/// Fraction of the previous total below which the next one counts as a reset.
const RESET: f64 = 0.5;

/// Greatest fall of totals that should rise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GreatestFall {
    /// Index of the pixel or cell.
    pub at: usize,
    pub by: f64,
}

/// Returns the weighted sum of all values that are not missing.
pub(super) fn sum<T: Copy + Into<f64>>(values: &[T], weight: impl Fn(usize) -> f64) -> f64 {
    let of = |(at, value): (usize, &T)| {
        let value: f64 = (*value).into();
        if value.is_nan() { 0.0 } else { value * weight(at) }
    };
    values.iter().enumerate().map(of).sum()
}

/// Returns true if totals restart: their sum falls below half of the previous sum.
pub(super) fn is_reset(before: f64, now: f64) -> bool {
    now < before * RESET
}

/// Returns the greatest value; 0 if there is none.
pub(super) fn greatest<T: Copy + Into<f64>>(values: &[T]) -> f64 {
    values.iter().fold(0.0f64, |most, &value| most.max(value.into()))
}

/// Turns totals into increments over the totals `before`, and stores the totals in `before`. A
/// missing total adds nothing. A total without a previous one is added as a whole if
/// `missing_adds`. A total that falls adds nothing; the greatest fall above `tolerance` is
/// returned. `of` rounds to the precision of the totals.
pub(super) fn take_off<T: Copy + Into<f64>>(
    (now, before): (&mut [T], &mut [T]),
    of: fn(f64) -> T,
    tolerance: f64,
    missing_adds: bool,
) -> Option<GreatestFall> {
    let mut worst: Option<GreatestFall> = None;
    for (at, (now, before)) in now.iter_mut().zip(before).enumerate() {
        let (new, old): (f64, f64) = ((*now).into(), (*before).into());
        if new.is_nan() {
            continue;
        }
        let more = match old.is_nan() {
            true if missing_adds => new,
            true => 0.0,
            false => new - old,
        };
        if more < -tolerance && worst.is_none_or(|worst| -more > worst.by) {
            worst = Some(GreatestFall { at, by: -more });
        }
        if more > 0.0 || old.is_nan() {
            *before = *now;
        }
        *now = of(more.max(0.0));
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_become_what_they_add_and_never_less_than_nothing() {
        let mut before = [0.0, 5.0, 5.0, f64::NAN, 2.0];
        let mut now = [1.5, 4.999, 3.0, 2.0, f64::NAN];
        let fall = take_off((&mut now, &mut before), |value| value, 0.01, true);
        assert_eq!(now[..4], [1.5, 0.0, 0.0, 2.0]);
        assert!(now[4].is_nan());
        assert_eq!(before[..], [1.5, 5.0, 5.0, 2.0, 2.0]);
        assert_eq!(fall, Some(GreatestFall { at: 2, by: 2.0 }));
    }

    #[test]
    fn noise_of_packing_adds_up_to_no_rain() {
        let mut before = [10.0f32];
        let mut added = 0.0;
        for step in 0..100 {
            let mut now = [10.0 + if step % 2 == 0 { 0.004 } else { -0.004 }];
            assert_eq!(take_off((&mut now, &mut before), |value| value as f32, 0.01, false), None);
            added += f64::from(now[0]);
        }
        assert!(added <= 0.0041, "{added}");
    }
}
