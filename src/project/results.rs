//! The rasters that a run wrote, as layers of a project: what they are is read from the files themselves.

use super::{Group, Kind, MapLayer, layer, unless_empty};
use crate::error::{Error, Result};
use crate::layers::{self, LAYERS, MAX_DEPTH};
use crate::output::folder::OutputFolder;
use crate::output::geotiff;
use crate::output::project::Role;
use crate::output::project::time::{Animation, Timeline};
use crate::words::capital;

/// A map of a series on the way.
struct Frame {
    /// Key of its layer.
    key: &'static str,
    /// What it shows, as its band is called.
    about: String,
    /// Time since the start (s), if steps have a duration.
    time: Option<f64>,
    layer: MapLayer,
}

/// The groups of all rasters among the `files`, one of final maps and one for each series; and what the
/// temporal controller plays.
pub fn groups(
    folder: &OutputFolder,
    files: &[String],
    timeline: Option<Timeline>,
) -> Result<(Vec<Group>, Option<Animation>)> {
    let mut maps = Vec::new();
    let mut frames = Vec::new();
    for file in files {
        let Some(stem) = file.strip_suffix(".tif") else { continue };
        let labels = geotiff::read_labels(&folder.find(file)).map_err(|error| {
            Error::run(format!("cannot read {file} for the QGIS project: {error}"))
        })?;
        let style = std::fs::read_to_string(folder.find(&format!("{stem}.qml"))).ok();
        let name = capital(&labels.description);
        // A rating or a class has none.
        let unit = match labels.unit.as_str() {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let source = format!("./{file}");
        match layers::of_series(stem).map(|layer| layer.key) {
            Some(key) => {
                let time = labels.time.strip_suffix(" s").and_then(|time| time.parse().ok());
                let shown = match time {
                    Some(time) => crate::units::show_duration(time),
                    None => labels.time.clone(),
                };
                let title = format!("{name} after {shown}{unit}");
                let layer = layer(stem, title, source, Kind::Raster, style);
                frames.push(Frame { key, about: name, time, layer });
            }
            None => {
                let name = format!("{name}{unit}");
                maps.push(layer(stem, name, source, Kind::Raster, style));
            }
        }
    }
    // Maps on top of each other hide each other: one is enough to begin with.
    let is_first = |map: &MapLayer| map.source == format!("./{}.tif", MAX_DEPTH.key);
    let first = maps.iter().position(is_first).unwrap_or(0);
    for (index, map) in maps.iter_mut().enumerate() {
        map.shown = index == first;
    }
    let results = Group {
        name: "Results".into(),
        shown: true,
        unfolded: true,
        role: Role::Maps,
        in_legend: true,
        layers: maps,
    };
    let mut groups: Vec<Group> = unless_empty(results).into_iter().collect();
    let mut animation = None;
    for of in LAYERS {
        let own: Vec<Frame> = frames.extract_if(.., |frame| frame.key == of.key).collect();
        if let Some(first) = own.first() {
            let name = format!("{}, series", first.about);
            let (group, plays) = series(name, own, timeline);
            groups.push(group);
            animation = animation.or(plays);
        }
    }
    Ok((groups, animation))
}

/// A series: folded up and hidden, for the temporal controller or its theme to show.
fn series(
    name: String,
    frames: Vec<Frame>,
    timeline: Option<Timeline>,
) -> (Group, Option<Animation>) {
    let times: Option<Vec<f64>> = frames.iter().map(|frame| frame.time).collect();
    let moments = timeline.zip(times).and_then(|(timeline, times)| timeline.frames(&times));
    let (moments, animation) = moments.unzip();
    let mut layers: Vec<MapLayer> = frames.into_iter().map(|frame| frame.layer).collect();
    for (layer, moment) in layers.iter_mut().zip(moments.unwrap_or_default()) {
        layer.during = Some(moment);
    }
    (
        Group { name, shown: false, unfolded: false, role: Role::Series, in_legend: false, layers },
        animation,
    )
}
