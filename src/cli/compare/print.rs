//! Prints statistics as tables.

use super::{Comparison, Figures, MapStatistics};
use crate::results::compare::maps::Cells;
use crate::results::compare::metrics::{Contingency, Errors, Scores};
use crate::results::compare::{points, series};
use crate::units::show_duration;

/// Maximum number of points listed; `--json` has all of them.
const LISTED: usize = 40;

/// Heading of the scores of an extent.
const SCORES: &str =
    " wet from        hits false alarms      misses dry in both     CSI hit rate  FA ratio    bias";

pub fn print(comparison: &Comparison) {
    let (result, with) = (comparison.result.display(), comparison.with.display());
    match &comparison.figures {
        Figures::Depth(maps) => {
            outln!("{result} against the depths of {with}{}", warped(maps));
            print_agreement(maps);
            print_depths(maps);
            print_map(maps);
        }
        Figures::Extent(maps) => {
            outln!("{result} against the extent of {with}{}", warped(maps));
            print_extents(maps);
            print_map(maps);
        }
        Figures::Points(figures) => {
            outln!("{result} against the {}s of {with}", figures.quantity);
            print_points(figures);
        }
        Figures::Series(figures) => {
            outln!("{result} against {with}");
            print_series(figures);
        }
    }
}

fn warped(maps: &MapStatistics) -> &'static str {
    if maps.warped { ", brought onto the result's grid" } else { "" }
}

/// Formats a number with three decimals, or a dash if it is undefined.
fn number(value: Option<f64>) -> String {
    value.map_or("-".into(), |value| format!("{value:.3}"))
}

fn print_cells(maps: &MapStatistics) {
    let Cells { grid, compared, missing_in_result, missing_in_other } = maps.cells;
    outln!(
        "cells compared: {compared} of {grid} (no value: {missing_in_result} in the result, {missing_in_other} more in the other)"
    );
}

/// Prints how far the extents of two results agree, of which neither is an observation.
fn print_agreement(maps: &MapStatistics) {
    print_cells(maps);
    outln!("\nextent, in cells");
    outln!(" wet from wet in both only in result  only in other dry in both  overlap area ratio");
    for at in &maps.thresholds {
        let Contingency { hits, false_alarms, misses, correct_dry } = at.cells;
        let wet = format!("{} m", at.threshold_m);
        let [csi, bias] = [at.scores.csi, at.scores.bias].map(number);
        outln!(
            "{wet:>9} {hits:>11} {false_alarms:>14} {misses:>14} {correct_dry:>11} {csi:>8} {bias:>10}"
        );
    }
}

/// Prints how well an extent matches an observed one.
fn print_extents(maps: &MapStatistics) {
    print_cells(maps);
    outln!("\nextent\n{SCORES}");
    for at in &maps.thresholds {
        let Contingency { hits, false_alarms, misses, correct_dry } = at.cells;
        let Scores { csi, hit_rate, false_alarm_ratio, bias } = at.scores;
        let wet = format!("{} m", at.threshold_m);
        let [csi, rate, ratio, bias] = [csi, hit_rate, false_alarm_ratio, bias].map(number);
        outln!(
            "{wet:>9} {hits:>11} {false_alarms:>12} {misses:>11} {correct_dry:>11} {csi:>7} {rate:>8} {ratio:>9} {bias:>7}"
        );
    }
}

fn print_map(maps: &MapStatistics) {
    if let Some(path) = &maps.difference {
        outln!("\nmap of the difference: {}", path.display());
    }
}

fn print_depths(maps: &MapStatistics) {
    outln!("\ndepth [m], result - other");
    outln!(" wet from   cells wet in      number     RMSE      MAE     mean  largest");
    for at in &maps.thresholds {
        for (place, errors) in [("both", &at.wet_in_both), ("either", &at.wet_in_either)] {
            let figure = |of: fn(&Errors) -> f64| number(errors.as_ref().map(of));
            outln!(
                "{:>9} {place:>14} {:>11} {:>8} {:>8} {:>8} {:>8}",
                format!("{} m", at.threshold_m),
                errors.map_or(0, |errors| errors.count),
                figure(|errors| errors.rmse),
                figure(|errors| errors.mae),
                figure(|errors| errors.mean_difference),
                figure(|errors| errors.max_difference)
            );
        }
    }
}

fn print_errors(errors: &Errors, unit: &str) {
    line("RMSE", errors.rmse, unit);
    line("MAE", errors.mae, unit);
    line("mean difference", errors.mean_difference, unit);
    line("largest difference", errors.max_difference, unit);
}

fn line(name: &str, value: impl Into<Option<f64>>, unit: &str) {
    let value =
        value.into().map_or("not defined".into(), |value: f64| format!("{value:.4} {unit}"));
    outln!("  {name:<20}{}", value.trim_end());
}

fn print_points(figures: &points::Figures) {
    outln!(
        "points compared: {} ({} where the result is dry, {} left out)\n",
        figures.errors.count,
        figures.dry,
        figures.outside
    );
    outln!("{:>12} {:>12} {:>12}   point", "observed [m]", "result [m]", "difference");
    for point in figures.points.iter().take(LISTED) {
        let modelled = point.modelled.map_or("dry".into(), |value| format!("{value:.3}"));
        let (observed, difference) = (point.observed, number(point.difference));
        outln!("{observed:>12.3} {modelled:>12} {difference:>12}   {}", point.name);
    }
    if figures.points.len() > LISTED {
        outln!("  and {} more: --json lists them all", figures.points.len() - LISTED);
    }
    outln!("");
    print_errors(&figures.errors, "m");
}

fn print_series(figures: &series::Figures) {
    let time = |value: f64| match figures.time_unit {
        "s" if value < 0.0 => format!("-{}", show_duration(-value)),
        "s" => show_duration(value),
        unit => format!("{value} {unit}"),
    };
    let unit = &figures.unit;
    outln!(
        "times compared: {} of the reference, from {} to {} ({} more are not covered)",
        figures.errors.count,
        time(figures.period.0),
        time(figures.period.1),
        figures.not_covered
    );
    print_errors(&figures.errors, unit);
    line("NSE", figures.nse, "");
    line("KGE", figures.kge.map(|kge| kge.kge), "");
    if let Some(kge) = &figures.kge {
        line("  correlation r", kge.correlation, "");
        line("  variability α", kge.variability, "");
        line("  bias β", kge.bias, "");
    }
    let peak = &figures.peak;
    let share = peak.relative_error.map_or(String::new(), |e| format!(" ({:+.1} %)", 100.0 * e));
    line("peak", peak.modelled, unit);
    line("peak, reference", peak.observed, unit);
    outln!("  {:<20}{:+.4} {unit}{share}", "peak error", peak.error);
    outln!(
        "  {:<20}{}",
        "timing of the peak",
        match peak.timing_error {
            0.0 => "at the same time".into(),
            late if late > 0.0 => format!("{} late", time(late)),
            early => format!("{} early", time(-early)),
        }
    );
}
