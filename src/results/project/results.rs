//! The rasters that a run wrote, as layers of a project.

use super::{Group, MapLayer, MapLayerKind, ProjectInputs, layer, unless_empty};
use crate::output::extents::after;
use crate::output::format::USUAL;
use crate::output::layers::{LAYERS, MAX_DEPTH};
use crate::output::project::time::Animation;
use crate::output::project::{Role, Style};
use crate::output::results::Map;
use crate::words::capital;

/// Returns the groups of a run's maps, one of final maps and one for each series; and the animation
/// for the temporal controller.
pub fn groups(run: &ProjectInputs) -> (Vec<Group>, Option<Animation>) {
    let shown = |map: &Map| {
        let after = map.time.map_or(String::new(), |time| after(run.clock, time));
        // The classes in the legend have the unit.
        let title = format!("{}{after}", capital(&map.about));
        let style = Style::Ramp(run.results.ramp(map));
        layer(&map.name, title, format!("./{}", map.raster()), MapLayerKind::Raster, style)
    };
    let all = &run.results.maps;
    let mut maps: Vec<MapLayer> = all.iter().filter(|map| map.time.is_none()).map(shown).collect();
    // Maps on top of each other hide each other, so only one is shown initially.
    let is_first = |map: &MapLayer| map.source == format!("./{}", USUAL.file(MAX_DEPTH.key));
    let first = maps.iter().position(is_first).unwrap_or(0);
    for (index, map) in maps.iter_mut().enumerate() {
        map.shown = index == first;
    }
    let results = Group::of("Results", Role::Maps, maps);
    let mut groups: Vec<Group> = unless_empty(results).into_iter().collect();
    let mut animation = None;
    for of in LAYERS {
        let is_frame = |map: &&Map| map.layer.key == of.key && map.time.is_some();
        let frames: Vec<&Map> = all.iter().filter(is_frame).collect();
        let Some(first) = frames.first() else { continue };
        let times: Vec<f64> = frames.iter().filter_map(|map| map.time).collect();
        let moments = run.timeline().and_then(|timeline| timeline.frames(&times));
        let (moments, plays) = moments.unzip();
        let mut layers: Vec<MapLayer> = frames.iter().map(|map| shown(map)).collect();
        for (layer, moment) in layers.iter_mut().zip(moments.unwrap_or_default()) {
            layer.during = Some(moment);
        }
        // Collapsed and hidden, to be shown by the temporal controller or a theme.
        let name = format!("{}, series", capital(&first.about));
        groups.push(Group { shown: false, ..Group::aside(name, Role::Series, layers) });
        animation = animation.or(plays);
    }
    (groups, animation)
}
