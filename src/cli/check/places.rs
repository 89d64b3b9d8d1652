//! Sources, gauges and sections in the output of `check`.

use crate::engine::grid::Grid;
use crate::output::watch::Watched;
use crate::scenario::SourceFacts;
use crate::units::{Metre, show_volume};
use crate::words::counted;
use serde::Serialize;

/// A gauge: its cell and bed level.
#[derive(Serialize)]
pub struct GaugePlace {
    name: String,
    column: usize,
    row: usize,
    /// Bed level of the gauge's cell (m).
    bed_m: Metre,
}

/// A section: its line and the edges that it follows.
#[derive(Serialize)]
pub struct SectionPlace {
    name: String,
    /// Number of cell edges that the section follows.
    edges: usize,
    /// Length of the section's line (m).
    length_m: Metre,
}

/// Returns the gauges of a run.
pub fn gauges(watched: &Watched) -> Vec<GaugePlace> {
    let place = |gauge: &crate::output::watch::Gauge| GaugePlace {
        name: gauge.name.clone(),
        column: gauge.place.0,
        row: gauge.place.1,
        bed_m: gauge.bed,
    };
    watched.gauges.iter().map(place).collect()
}

/// Returns the sections of a run.
pub fn sections(watched: &Watched, grid: &Grid) -> Vec<SectionPlace> {
    let length = |line: &[(f64, f64)]| -> f64 {
        let parts =
            line.windows(2).map(|ends| (ends[1].0 - ends[0].0).hypot(ends[1].1 - ends[0].1));
        parts.sum::<f64>() * grid.metres_per_unit()
    };
    let place = |section: &crate::output::watch::Section| SectionPlace {
        name: section.name.clone(),
        edges: section.stairs.len(),
        length_m: length(&section.line),
    };
    watched.sections.iter().map(place).collect()
}

/// Prints a line for every source; `timed` if steps have a duration.
pub fn print_sources(sources: &[SourceFacts], timed: bool) {
    let unit = if timed { "m³/s" } else { "m³/step" };
    for SourceFacts { name, cells, peak, volume_m3, .. } in sources {
        outln!(
            "source      {} by the end, at most {} {unit} in {}: {name}",
            show_volume(*volume_m3),
            digits(*peak),
            counted(*cells, "cell", "cells")
        );
    }
}

/// Prints a line for every gauge and section.
pub fn print_watched(gauges: &[GaugePlace], sections: &[SectionPlace]) {
    for GaugePlace { name, column, row, bed_m } in gauges {
        outln!("gauge       {name}, in column {column}, row {row}, on {bed_m:.2} m");
    }
    for SectionPlace { name, edges, length_m } in sections {
        let edges = counted(*edges, "cell edge", "cell edges");
        outln!("section     {name}, {length_m:.0} m along {edges}");
    }
}

/// Formats a number with at most four significant digits.
fn digits(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    let decimals = (3.0 - number.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}
