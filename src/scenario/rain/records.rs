//! Warns of rain above the world records, most likely a wrong unit.
//!
//! The greatest depths on record by duration are those of the WMO (*Guide to Hydrological
//! Practices*, WMO-No. 168; World Weather and Climate Extremes Archive) and of the US National
//! Weather Service's list of world record point precipitation. They lie about the envelope of A. H.
//! Jennings (Monthly Weather Review 78, 1950): about 422 mm · (hours)^0.475.

use super::DAY;
use crate::engine::forcing::{Footprint, RateLayer};
use crate::units::show_duration;
use std::collections::BTreeSet;
use std::sync::Arc;

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;

/// Durations (s) and the greatest measured depths (mm).
const RECORDS: [(f64, f64); 17] = [
    // Barot, Guadeloupe, 1970
    (MINUTE, 38.0),
    // Füssen, 1920
    (8.0 * MINUTE, 126.0),
    // Plumb Point, Jamaica, 1916
    (15.0 * MINUTE, 198.0),
    // Curtea de Argeș, 1889
    (20.0 * MINUTE, 206.0),
    // Holt, Missouri, 1947
    (42.0 * MINUTE, 305.0),
    // Shangdi, Inner Mongolia, 1975
    (HOUR, 401.0),
    // Rockport, West Virginia, 1889
    (130.0 * MINUTE, 483.0),
    // Muduocaidang, Inner Mongolia, 1977
    (6.0 * HOUR, 840.0),
    (10.0 * HOUR, 1400.0),
    // Belouve, La Réunion, 1964
    (18.5 * HOUR, 1689.0),
    // Foc-Foc, La Réunion, 1966
    (DAY, 1825.0),
    // Cherrapunji, 1995
    (2.0 * DAY, 2493.0),
    // Cratère Commerson, La Réunion, 2007 and 1980
    (3.0 * DAY, 3930.0),
    (4.0 * DAY, 4936.0),
    (15.0 * DAY, 6083.0),
    // Cherrapunji, 1861
    (31.0 * DAY, 9300.0),
    (365.0 * DAY, 26461.0),
];

/// Assumed duration (s) of rain that lasts to the end of a shorter run.
const SHORTEST: f64 = 300.0;

/// Returns the record depth for a duration (mm), interpolated linearly in logarithms; proportional
/// to the duration before the first and after the last record.
pub fn record(seconds: f64) -> f64 {
    let (first, last) = (RECORDS[0], RECORDS[RECORDS.len() - 1]);
    if seconds <= first.0 || seconds >= last.0 {
        let (duration, depth) = if seconds <= first.0 { first } else { last };
        return depth * seconds / duration;
    }
    let after = RECORDS.partition_point(|(duration, _)| *duration <= seconds);
    let ((from, low), (to, high)) = (RECORDS[after - 1], RECORDS[after]);
    low * (high / low).powf((seconds / from).ln() / (to / from).ln())
}

/// Returns a warning if rain until `end` (s) exceeds all records.
pub fn question(rain: &[&RateLayer], end: f64) -> Option<String> {
    let horizon = end.max(SHORTEST);
    let worst = places(rain, end).into_iter().filter_map(|cell| worst_at(rain, cell, horizon));
    let (depth, length) = worst.max_by(|a, b| over(*a).total_cmp(&over(*b)))?;
    let peak = 3.6e6 * rain.iter().map(|layer| layer.series.peak()).fold(0.0, f64::max);
    (over((depth, length)) > 1.0).then(|| {
        format!(
            "rain: up to {peak:.0} mm/h, and {depth:.0} mm in {}, is more than ever measured on Earth ({:.0} mm in that time); check its unit",
            show_duration(length),
            record(length)
        )
    })
}

/// Returns the ratio of a depth (mm) in a time (s) to the record.
fn over((depth, length): (f64, f64)) -> f64 {
    depth / record(length)
}

/// Returns the cells with the most rain by the end, or the highest rate.
fn places(rain: &[&RateLayer], end: f64) -> BTreeSet<usize> {
    let mut cells = BTreeSet::new();
    let most = |sums: &[f64]| {
        let best = (0..sums.len()).max_by(|&a, &b| sums[a].total_cmp(&sums[b]));
        best.filter(|&best| sums[best] > 0.0)
    };
    // Layers of one series share their zones.
    let mut sums: Vec<f64> = Vec::new();
    let mut peaks: Vec<f64> = Vec::new();
    let mut zones = None;
    for layer in rain {
        let (total, peak) = (layer.series.total(end), layer.series.peak());
        match &layer.footprint {
            Footprint::Everywhere => {
                cells.insert(0);
            }
            Footprint::Cells(_) => {}
            Footprint::Shares(shares) => {
                sums.resize(shares.len(), 0.0);
                let adds = sums.iter_mut().zip(shares);
                adds.for_each(|(sum, share)| *sum += total * share.fraction());
            }
            Footprint::Zones(zoned) => {
                zones = Some(Arc::clone(&zoned.zones));
                let count = zoned.shares.len();
                sums.resize(count.max(sums.len()), 0.0);
                peaks.resize(count.max(peaks.len()), 0.0);
                for (zone, share) in zoned.shares.iter().enumerate() {
                    if zoned.zones.cells[zone] > 0 {
                        sums[zone] += total * share.fraction();
                        peaks[zone] = f64::max(peaks[zone], peak * share.fraction());
                    }
                }
            }
        }
    }
    for best in [most(&sums), most(&peaks)].into_iter().flatten() {
        let cell = match &zones {
            Some(zones) => zones.of.iter().position(|&zone| zone as usize == best),
            None => Some(best),
        };
        cells.extend(cell);
    }
    cells
}

/// Returns the depth (mm) and duration (s) at a cell with the highest ratio to the record, up to a
/// time.
fn worst_at(rain: &[&RateLayer], cell: usize, horizon: f64) -> Option<(f64, f64)> {
    let share = |layer: &RateLayer| layer.footprint.share(cell).fraction();
    let layers: Vec<(&RateLayer, f64)> =
        rain.iter().map(|layer| (*layer, share(layer))).filter(|(_, share)| *share > 0.0).collect();
    let starts = layers.iter().flat_map(|(layer, _)| layer.series.pieces());
    let mut breaks: Vec<f64> = starts.map(|piece| piece.time).chain([0.0, horizon]).collect();
    breaks.retain(|time| (0.0..=horizon).contains(time));
    breaks.sort_by(f64::total_cmp);
    breaks.dedup();
    // Rain is constant between breaks, so its sum is piecewise linear.
    let fallen = |time: f64| -> f64 {
        1000.0 * layers.iter().map(|(layer, share)| share * layer.series.total(time)).sum::<f64>()
    };
    let sums: Vec<f64> = breaks.iter().map(|&time| fallen(time)).collect();
    let by = |time: f64| {
        let after = breaks.partition_point(|at| *at <= time).clamp(1, breaks.len() - 1);
        let part = (time - breaks[after - 1]) / (breaks[after] - breaks[after - 1]);
        sums[after - 1] + part * (sums[after] - sums[after - 1])
    };
    let mut worst: Option<(f64, f64)> = None;
    for (at, &start) in breaks[..breaks.len() - 1].iter().enumerate() {
        let left = horizon - start;
        let lengths = RECORDS.iter().map(|(length, _)| *length).filter(|length| *length < left);
        for length in lengths.chain([left]) {
            let found = (by(start + length) - sums[at], length);
            if worst.is_none_or(|worst| over(found) > over(worst)) {
                worst = Some(found);
            }
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::forcing::Account;
    use crate::engine::forcing::series::Series;

    #[test]
    fn records_are_met_and_rise() {
        for (duration, depth) in RECORDS {
            assert!((record(duration) / depth - 1.0).abs() < 1e-12, "{duration}");
        }
        let depths: Vec<f64> = (1..3000).map(|at| record(f64::from(at) * 1000.0)).collect();
        assert!(depths.windows(2).all(|pair| pair[0] < pair[1]));
        // Jennings's envelope, within a third.
        for hours in [0.25, 1.0, 6.0, 24.0, 96.0] {
            let envelope = 422.0 * f64::powf(hours, 0.475);
            assert!((record(hours * HOUR) / envelope).ln().abs() < 0.35, "{hours}");
        }
    }

    fn questioned(pairs: &[(f64, f64)], end: f64) -> bool {
        let series = Series::new(pairs.iter().map(|&(t, mm)| (t, mm / 3.6e6)).collect());
        let layer = RateLayer { account: Account::Rain, footprint: Footprint::Everywhere, series };
        question(&[&layer], end).is_some()
    }

    #[test]
    fn what_no_sky_has_held_is_questioned() {
        for (rate, end, expected) in [
            (2000.0, HOUR, true),
            (2000.0, MINUTE, true),
            (20.0, HOUR, false),
            (390.0, HOUR, false),
            (450.0, HOUR, true),
            (100.0, DAY, true),
            (60.0, DAY, false),
            (20_000.0, 10.0, true),
        ] {
            assert_eq!(questioned(&[(0.0, rate)], end), expected, "{rate} mm/h for {end} s");
        }
        // A cloudburst of some minutes in a long run.
        assert!(!questioned(&[(0.0, 0.0), (HOUR, 600.0), (HOUR + 300.0, 0.0)], DAY));
        assert!(questioned(&[(0.0, 0.0), (HOUR, 1500.0), (HOUR + 600.0, 0.0)], DAY));
    }
}
