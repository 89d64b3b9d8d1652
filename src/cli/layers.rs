//! `inundate layers`: the rasters that a run can write.

use super::print_json;
use crate::engine::clock::Clock;
use crate::error::Result;
use crate::output::layers::{DEFAULTS, LAYERS, Layer, Needs, TimeScope};
use serde::Serialize;

#[derive(clap::Args)]
pub struct LayersArgs {
    /// Print JSON on stdout
    #[arg(long)]
    json: bool,
}

/// Serialized facts about a layer.
#[derive(Serialize)]
struct LayerRow {
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    /// Set if the layer is written by default.
    default: bool,
    /// Set if `output_every` also writes a series of it.
    series: bool,
    needs: Option<&'static str>,
}

/// Describes what a layer requires.
pub fn needs(needs: Needs) -> Option<&'static str> {
    match needs {
        Needs::Soil => Some("losses to the ground"),
        needs => needs.is_of_flow().then_some("a solver with physical time"),
    }
}

/// Prints all layers.
pub fn layers(args: &LayersArgs) -> Result<()> {
    let row = |layer: &&Layer| LayerRow {
        name: layer.key,
        unit: (layer.unit)(&Clock::adaptive(1.0, 1.0, 1.0)),
        about: layer.about,
        default: DEFAULTS.iter().any(|default| default.key == layer.key),
        series: layer.scope == TimeScope::Now,
        needs: needs(layer.needs),
    };
    let rows: Vec<LayerRow> = LAYERS.iter().map(row).collect();
    if args.json {
        return print_json(&rows);
    }
    for LayerRow { name, unit, about, default, series, needs } in rows {
        let marks = [
            default.then(|| "default".to_string()),
            series.then(|| "in series".to_string()),
            needs.map(|needs| format!("needs {needs}")),
        ];
        let marks: Vec<String> = marks.into_iter().flatten().collect();
        let more =
            if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
        outln!("{name:<19} {unit:<5} {about}{more}");
    }
    Ok(())
}
