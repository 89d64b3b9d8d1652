//! Mass curves: rain as the cumulative depth since some time.

/// Parts of words for "cumulative" in several languages.
const CUMULATIVE: [&str; 4] = ["cumul", "kumul", "accum", "akkum"];
/// Words that may mean cumulative depths or depths per interval.
const TOTALS: [&str; 3] = ["total", "totals", "mass"];
/// Words that mean depths per interval, whatever other words there are.
const IN_INTERVALS: [&str; 8] =
    ["hourly", "daily", "interval", "incremental", "increment", "increments", "per", "minutely"];
/// Maximum decrease that counts as noise of the gauge, as a share of the total.
const NOISE: f64 = 0.02;
/// Maximum total after a reset, as a share of the total before.
const RESET: f64 = 0.25;
/// Minimum number of values; fewer may rise by chance.
const FEWEST: usize = 4;

/// Kind of depths according to the header of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderClaim {
    /// Unknown, or depths per interval.
    Unspecified,
    /// Totals, perhaps per interval.
    Total,
    /// Cumulative depths.
    Cumulative,
}

/// Classifies the header of a column.
pub fn classify_header(header: &str) -> HeaderClaim {
    let lower = header.to_lowercase();
    let name = lower.split(['[', '(']).next().unwrap_or_default();
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    if has(&IN_INTERVALS) {
        HeaderClaim::Unspecified
    } else if has(&["cum"]) || CUMULATIVE.iter().any(|part| lower.contains(part)) {
        HeaderClaim::Cumulative
    } else if has(&TOTALS) {
        HeaderClaim::Total
    } else {
        HeaderClaim::Unspecified
    }
}

/// Mass curve as depths between its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Depths {
    /// Depth from each value to the next; one fewer than values.
    pub depths: Vec<f64>,
    /// Indices of the values at which the total restarts.
    pub resets: Vec<usize>,
    /// Indices of the values slightly below the previous one.
    pub noise: Vec<usize>,
}

/// Computes the differences of a mass curve. After a reset, the new total has fallen since the
/// previous value.
///
/// # Errors
/// The index of a value whose decrease is too large for noise and too small for a reset: the series
/// is not a mass curve.
pub fn differences(totals: &[f64]) -> Result<Depths, usize> {
    let mut found = Depths { depths: Vec::new(), resets: Vec::new(), noise: Vec::new() };
    // A small decrease must be made up before any rain counts.
    let mut highest = totals.first().copied().unwrap_or_default();
    for (at, &total) in totals.iter().enumerate().skip(1) {
        if total >= highest {
            found.depths.push(total - highest);
            highest = total;
        } else if highest - total <= NOISE * highest {
            found.depths.push(0.0);
            found.noise.push(at);
        } else if total <= RESET * highest {
            found.depths.push(total);
            found.resets.push(at);
            highest = total;
        } else {
            return Err(at);
        }
    }
    Ok(found)
}

/// Returns `true` if depths rise like a mass curve although nothing declares it: they decrease only
/// in resets at regular times, and rise between these.
pub fn looks_like(pairs: &[(f64, f64)]) -> bool {
    let mut pairs = pairs;
    // A final 0 ends the rain.
    if let [rest @ .., (_, 0.0)] = pairs {
        pairs = rest;
    }
    let falls: Vec<usize> = (1..pairs.len()).filter(|&at| pairs[at].1 < pairs[at - 1].1).collect();
    if pairs.len() < FEWEST || falls.iter().any(|&at| pairs[at].1 > RESET * pairs[at - 1].1) {
        return false;
    }
    let between: Vec<f64> = falls.windows(2).map(|two| pairs[two[1]].0 - pairs[two[0]].0).collect();
    let is_regular = between.iter().all(|one| (one - between[0]).abs() <= 0.01 * between[0]);
    let starts = std::iter::once(0).chain(falls.iter().copied());
    let ends = falls.iter().copied().chain([pairs.len()]);
    let mut runs = starts.zip(ends).map(|(start, end)| &pairs[start..end]);
    let rises = |run: &[(f64, f64)]| run.windows(2).filter(|two| two[1].1 > two[0].1).count();
    let most = runs.clone().map(rises).max().unwrap_or(0);
    // Between two resets it may be dry. A storm with a single peak is not a mass curve just because
    // it ends.
    let all_rise = runs.all(|run| rises(run) > 0 || run.len() < 2);
    most >= FEWEST - 1 && is_regular && all_rise
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_say_cumulative_are_recognized() {
        for (header, expected) in [
            ("cumulative rain [mm]", HeaderClaim::Cumulative),
            ("Accumulated precipitation (mm)", HeaderClaim::Cumulative),
            ("accum_mm", HeaderClaim::Cumulative),
            ("rain_cum [mm]", HeaderClaim::Cumulative),
            ("rain [mm] (accumulated)", HeaderClaim::Cumulative),
            ("Niederschlag kumuliert [mm]", HeaderClaim::Cumulative),
            ("pluie cumulée [mm]", HeaderClaim::Cumulative),
            ("total rain [mm]", HeaderClaim::Total),
            ("mass [mm]", HeaderClaim::Total),
            ("hourly total [mm]", HeaderClaim::Unspecified),
            ("rain per interval [mm]", HeaderClaim::Unspecified),
            ("accumulation per hour [mm]", HeaderClaim::Unspecified),
            ("rain [mm]", HeaderClaim::Unspecified),
            ("massif rain [mm]", HeaderClaim::Unspecified),
            ("document [mm]", HeaderClaim::Unspecified),
        ] {
            assert_eq!(classify_header(header), expected, "{header}");
        }
    }

    #[test]
    fn differences_make_up_for_noise_and_go_on_after_resets() {
        let depths = |totals: &[f64]| differences(totals).map(|found| found.depths);
        assert_eq!(depths(&[0.0, 5.0, 12.0, 20.0, 25.0]), Ok(vec![5.0, 7.0, 8.0, 5.0]));
        assert_eq!(depths(&[10.0, 9.9, 11.0]), Ok(vec![0.0, 1.0]));
        assert_eq!(depths(&[0.0, 20.0, 1.0, 3.0]), Ok(vec![20.0, 1.0, 2.0]));
        assert_eq!(depths(&[0.0, 20.0, 12.0]), Err(2));
        assert_eq!(depths(&[]), Ok(vec![]));
    }

    #[test]
    fn depths_that_never_fall_look_like_a_mass_curve() {
        let looks = |values: &[f64]| {
            let pairs: Vec<(f64, f64)> =
                values.iter().enumerate().map(|(at, value)| (at as f64, *value)).collect();
            looks_like(&pairs)
        };
        assert!(looks(&[0.0, 2.0, 5.0, 9.0, 9.0, 12.0]));
        assert!(looks(&[0.0, 2.0, 5.0, 9.0, 12.0, 0.0]), "with a line that ends the rain");
        assert!(
            looks(&[1.0, 2.0, 5.0, 9.0, 0.0, 2.0, 2.0, 7.0, 1.0, 3.0, 4.0, 4.0]),
            "with resets"
        );
        assert!(!looks(&[0.0, 2.0, 5.0]), "too short to tell");
        assert!(!looks(&[5.0, 5.0, 5.0, 5.0, 5.0]), "steady rain");
        assert!(!looks(&[0.0, 2.0, 5.0, 9.0, 6.0, 12.0]));
        assert!(!looks(&[0.0, 2.0, 5.0, 9.0, 0.0, 0.0, 0.0]), "a storm that ends");
    }
}
