//! The extents of the flood as layers of a project.

use super::{Group, MapLayer, MapLayerKind, ProjectInputs, layer, unless_empty};
use crate::engine::clock::TimeUnit;
use crate::output::extents::{ABOVE, OF_MAXIMUM, OF_SERIES, SECONDS, STEP, after, symbol};
use crate::output::folder::EXTENTS;
use crate::output::project::{Role, Style};
use crate::output::style;

/// Returns a layer of the features of a table of extents that meet a condition.
pub fn outlines(
    id: &str,
    name: String,
    file: &str,
    table: &str,
    condition: &str,
    number: usize,
) -> MapLayer {
    let source = format!("./{file}|layername={table}|subset={condition}");
    let style = style::of_vectors(MapLayerKind::Polygons, symbol(number), None);
    layer(id, name, source, MapLayerKind::Polygons, Style::Document(style))
}

/// Returns the group of the extents of the maximum, above the maps, and the group of those of a
/// series, which follows the temporal controller.
pub fn groups(run: &ProjectInputs) -> (Option<Group>, Option<Group>) {
    let all = &run.report.extents;
    let greatest = all.iter().filter(|extent| extent.time.is_none()).enumerate();
    let greatest = greatest.map(|(number, extent)| {
        let depth = extent.depth_m;
        let name = format!("Extent of water deeper than {depth} m");
        let id = format!("extent_{}", number + 1);
        outlines(&id, name, EXTENTS, OF_MAXIMUM, &format!("\"{ABOVE}\" = {depth}"), number)
    });
    let greatest = Group::of("Extents", Role::Backdrop, greatest.collect());
    let mut times: Vec<f64> = all.iter().filter_map(|extent| extent.time).collect();
    times.dedup();
    let field = if run.clock.unit == TimeUnit::Seconds { SECONDS } else { STEP };
    let series = times.iter().enumerate().map(|(number, &time)| {
        let name = format!("Extents{}", after(run.clock, time));
        let id = format!("extents_{}", number + 1);
        outlines(&id, name, EXTENTS, OF_SERIES, &format!("\"{field}\" = {time}"), 0)
    });
    let mut series: Vec<MapLayer> = series.collect();
    let moments = run.timeline().and_then(|timeline| timeline.frames(&times));
    for (layer, moment) in series.iter_mut().zip(moments.map_or(Vec::new(), |(all, _)| all)) {
        layer.during = Some(moment);
    }
    let series = Group::aside("Extents, series", Role::Series, series);
    (unless_empty(greatest), unless_empty(Group { shown: false, ..series }))
}
