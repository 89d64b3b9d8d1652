//! Terms of the mass balance, including the sources of its inflow and outflow.

use super::show_grouped;
use crate::engine::ledger::{Side, Term};
use crate::output::tables::OTHER;
use crate::results::report::Report;
use crate::units::show_rain;

/// Maximum number of lines for sources, and for stage boundaries; run.json has all of them.
const MOST: usize = 20;

/// Sign, description and volume.
pub type Entry = (&'static str, String, String);

/// Returns the lines of the balance that are not 0, and the water that is stored.
pub fn lines(report: &Report) -> Vec<Entry> {
    let mut lines = Vec::new();
    for (line, volume) in report.volume.lines() {
        if volume == 0.0 && line.side != Side::Stored {
            continue;
        }
        let depth = match line.term {
            Term::Rain if volume > 0.0 => format!(" ({})", show_rain(report.rain_mm)),
            _ => String::new(),
        };
        lines.push((line.side.sign(), format!("{}{depth}", line.about), show_grouped(volume)));
        match line.term {
            Term::Inflow => lines.extend(inflow(report)),
            Term::Outflow => lines.extend(outflow(report)),
            _ => {}
        }
    }
    lines
}

/// Divides the inflow by origin, if there is more than one.
fn inflow(report: &Report) -> Vec<Entry> {
    let sources = report.sources.iter();
    let sources = sources.map(|source| (format!("source '{}'", source.name), source.inflow_m3));
    let levels = report.held_levels.iter();
    let levels = levels.map(|level| (format!("stage boundary '{}'", level.name), level.inflow_m3));
    let mut parts = folded(sources.collect(), "sources");
    parts.extend(folded(levels.collect(), "stage boundaries"));
    parts.extend(report.sewers.iter().map(|it| ("sewers".into(), it.onto_surface_m3)));
    parts.extend(report.other_inflow_m3.map(|volume| (OTHER.into(), volume)));
    of_it(parts, report.sewers.is_some())
}

/// Divides the outflow by destination, if there is more than one, or a rating curve.
fn outflow(report: &Report) -> Vec<Entry> {
    let levels = report.held_levels.iter();
    let levels = levels.map(|level| (format!("stage boundary '{}'", level.name), level.outflow_m3));
    let mut parts = folded(levels.collect(), "stage boundaries");
    let ratings = report.ratings.iter();
    let ratings = ratings.map(|it| (format!("rating curve '{}'", it.name), it.outflow_m3));
    parts.extend(folded(ratings.collect(), "rating curves"));
    parts.extend(report.sewers.iter().map(|it| ("sewers".into(), it.into_sewer_m3)));
    let sides = report.open_sides.iter();
    parts.extend(sides.map(|open| (format!("open edge {}", open.side), open.outflow_m3)));
    of_it(parts, !report.ratings.is_empty() || report.sewers.is_some())
}

/// Merges the last of many entries into one.
fn folded(mut parts: Vec<(String, f64)>, what: &str) -> Vec<(String, f64)> {
    if parts.len() > MOST {
        let rest = parts.split_off(MOST - 1);
        let volume = rest.iter().map(|(_, volume)| volume).sum();
        parts.push((format!("{} further {what}", rest.len()), volume));
    }
    parts
}

/// Returns the parts that are not 0, if there are several or even a single one is `telling`.
fn of_it(mut parts: Vec<(String, f64)>, telling: bool) -> Vec<Entry> {
    if parts.len() < 2 && !telling {
        return Vec::new();
    }
    parts.retain(|(_, volume)| *volume != 0.0);
    let line =
        |(name, volume): (String, f64)| ("", format!("– of it {name}"), show_grouped(volume));
    parts.into_iter().map(line).collect()
}
