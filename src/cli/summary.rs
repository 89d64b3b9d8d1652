//! Summary at the end of a run: speed, files, and the mass balance last.

use crate::engine::ledger::{LedgerLine, Side, Term};
use crate::output::results::Map;
use crate::results::report::Report;
use crate::run::Finished;
use crate::units::{show_count, show_duration, show_rain, show_volume};
use crate::words::counted;

/// Maximum line length (characters).
const WIDTH: usize = 80;

/// Prints the summary of a run. `more` comes before the mass balance, which should be seen last.
pub fn print(finished: &Finished, more: &[String]) {
    let Finished { report, out, .. } = finished;
    let calibrated = if report.calibrated { " (by the calibrated step)" } else { "" };
    let time =
        report.simulated_s.map_or(String::new(), |s| format!(", {}{calibrated}", show_duration(s)));
    outln!(
        "{} steps{time} in {:.1} s on {}: {} cell-steps/s",
        report.steps,
        report.wall_s,
        report.device,
        show_count(report.cell_steps_per_s)
    );
    if let (Some((shortest, longest)), Some(share)) = (report.dt_range_s, report.flow_cut_share) {
        let cut = 100.0 * share;
        outln!("time steps of {shortest:.3} to {longest:.3} s; {cut:.2} % of the flow limited");
    }
    outln!("results in {}:", out.display());
    for line in sum_up(&report.maps, &report.outputs) {
        outln!("  {line}");
    }
    if let Some(points) = &report.points {
        let damage = points.damage.as_ref().and_then(|damage| damage.total);
        let damage = damage.map_or(String::new(), |total| format!(", damage {total:.2}"));
        outln!("points: {} of {} were flooded{damage}", points.flooded, points.features);
    }
    for line in more {
        outln!("{line}");
    }
    print_ledger(report);
}

/// Summarizes the files of a run: one line per series, one for the other maps, one for the rest.
/// Styles are not listed.
fn sum_up(maps: &[Map], outputs: &[String]) -> Vec<String> {
    let mut series: Vec<(&str, usize)> = Vec::new();
    for map in maps.iter().filter(|map| map.time.is_some()) {
        match series.iter_mut().find(|(key, _)| *key == map.layer.key) {
            Some((_, count)) => *count += 1,
            None => series.push((map.layer.key, 1)),
        }
    }
    let last: Vec<String> = maps.iter().filter(|map| map.time.is_none()).map(Map::raster).collect();
    let is_map = |name: &str| name.ends_with(".tif") || name.ends_with(".qml");
    let others: Vec<&str> =
        outputs.iter().map(String::as_str).filter(|name| !is_map(name)).collect();
    let many = |count| counted(count, "map", "maps");
    let mut lines: Vec<String> = series
        .iter()
        .map(|(key, count)| format!("{}: {key}_*.tif, with styles (.qml)", many(*count)))
        .collect();
    if !last.is_empty() {
        let names: Vec<&str> = last.iter().map(String::as_str).collect();
        lines.extend(wrapped(&format!("{}: ", many(last.len())), &names));
    }
    lines.extend(wrapped("", &others));
    lines
}

/// Formats names, separated by commas, after a heading, in lines of at most [`WIDTH`] less an
/// indent.
fn wrapped(heading: &str, names: &[&str]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = heading.to_string();
    for (at, name) in names.iter().enumerate() {
        let comma = if at + 1 < names.len() { "," } else { "" };
        let empty = line.trim().is_empty() || line == heading;
        if !empty && line.chars().count() + name.chars().count() + comma.len() + 3 > WIDTH {
            lines.push(line);
            line = " ".repeat(heading.len());
        }
        if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
        line += name;
        line += comma;
    }
    if !names.is_empty() {
        lines.push(line);
    }
    lines
}

fn print_ledger(report: &Report) {
    let volume = &report.volume;
    outln!("mass balance:");
    // Outflows of zero are omitted.
    let worth = |(line, value): &(&LedgerLine, f64)| line.side != Side::Out || *value != 0.0;
    let name = |line: &LedgerLine| format!("{}{}", line.side.sign(), line.about);
    let names = volume.lines().filter(worth).map(|(line, _)| name(line).chars().count());
    let wide = names.max().unwrap_or(0).max(22) + 2;
    for (line, value) in volume.lines().filter(worth) {
        let name = name(line);
        let depth = match (line.term, &report.sewers) {
            (Term::Rain, _) if value > 0.0 => format!("  ({})", show_rain(report.rain_mm)),
            (Term::Inflow, Some(it)) => format!("  (sewers {})", show_volume(it.onto_surface_m3)),
            (Term::Outflow, Some(it)) => format!("  (sewers {})", show_volume(it.into_sewer_m3)),
            _ => String::new(),
        };
        outln!("  {name:<wide$}{:>20}{depth}", show_volume(value));
    }
    outln!("  {:<wide$}{:>20}", "error", format!("{} m³ exactly", volume.error()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::layers::{DEPTH, LAYERS, Layer, VELOCITY_X};

    #[test]
    fn series_are_summed_up_and_lines_fit_a_terminal() {
        let map = |name: String, layer: &'static Layer, time: Option<f64>| Map {
            name,
            layer,
            about: String::new(),
            unit: String::new(),
            time,
            statistics: None,
            picture: None,
            tally: None,
        };
        let on_the_way = |minute: usize| {
            [&DEPTH, &VELOCITY_X]
                .map(|layer| map(format!("{}_{minute}", layer.key), layer, Some(minute as f64)))
        };
        let mut maps: Vec<Map> = (0..48).flat_map(on_the_way).collect();
        maps.extend(LAYERS.iter().map(|layer| map(layer.key.into(), layer, None)));
        let names = ["depth.tif", "depth.qml", "project.qgs", "report.html", "run.json"];
        let lines = sum_up(&maps, &names.map(String::from));
        assert_eq!(lines[0], "48 maps: depth_*.tif, with styles (.qml)");
        assert_eq!(lines[1], "48 maps: velocity_x_*.tif, with styles (.qml)");
        assert!(lines[2].starts_with(&format!("{} maps: depth.tif, level.tif,", LAYERS.len())));
        assert_eq!(lines.last().unwrap(), "project.qgs, report.html, run.json");
        assert!(lines.iter().all(|line| line.chars().count() + 2 <= WIDTH), "{lines:#?}");
        let said = lines.concat();
        assert!(LAYERS.iter().all(|layer| said.contains(&format!("{}.tif", layer.key))));
        let one = map("depth".into(), &DEPTH, None);
        assert_eq!(sum_up(&[one], &["depth.tif".into()]), ["1 map: depth.tif"]);
    }
}
