//! Builds the QGIS project of a finished run: results above the terrain, and the inputs.

mod extents;
mod features;
mod inputs;
mod path;
mod results;
mod terrain;

use crate::engine::clock::{Clock, TimeUnit};
use crate::error::Result;
use crate::output::features::{FEATURES, FeatureTable, NAME};
use crate::output::project::time::{DEFAULT_START, Timeline};
use crate::output::project::{Group, MapLayer, MapLayerKind, Project, Role, Style};
use crate::output::results::Results;
use crate::output::style;
use crate::results::headline::{self, show_round};
use crate::results::report::{Report, VERSION};
use crate::scenario::Facts;
use crate::scenario::options::Options;
use crate::units::show_duration;
use crate::words::capital;
pub use extents::outlines;
use features::SORTS;
pub use features::{are_expected as expects_features, tables as features};
pub use path::Base;
use std::path::Path;
pub use terrain::{Terrain, group as terrain, lies_on};

/// Inputs of a project.
pub struct ProjectInputs<'a> {
    /// Options of the run.
    pub options: &'a Options,
    /// Facts about the run.
    pub facts: &'a Facts,
    /// Clock of the run.
    pub clock: &'a Clock,
    /// Report of the run.
    pub report: &'a Report,
    /// Maps that the run wrote.
    pub results: &'a Results,
    /// Set if the layer of points was written.
    pub has_points_layer: bool,
}

/// Name of the group for a basemap, with instructions.
pub const BASEMAP: &str = "Basemap (drag one in here from Browser > XYZ Tiles)";

/// Returns the project of a run in a folder, with the given tables of [`FEATURES`].
///
/// # Errors
/// If a layer's style is not valid XML, which is a defect of this program.
pub fn to_xml(folder: &Path, run: &ProjectInputs, tables: &[FeatureTable]) -> Result<String> {
    let base = Base::of(folder);
    let (results, animation) = results::groups(run);
    let (outlines, outlines_series) = extents::groups(run);
    let above = inputs::group(&run.facts.inputs, run.has_points_layer, &base);
    let dem = Terrain {
        options: run.options,
        grid: run.facts.dem_grid(),
        height_unit: run.facts.height_unit,
        bed_range: run.facts.bed_range,
    };
    let below = terrain(&dem, &base, "");
    let project = Project {
        title: run.report.title.clone(),
        report_details: headline::report_details(run.facts),
        author: run.facts.report_details.author.clone(),
        logo: run.facts.report_details.logo.clone(),
        crs: run.facts.grid.crs.clone(),
        extent: run.facts.map_grid().extent(),
        metres_per_unit: run.facts.grid.metres_per_unit(),
        facts: run.lines(),
        groups: features_group(tables)
            .into_iter()
            .chain(above)
            .chain(outlines)
            .chain(results)
            .chain(outlines_series)
            .chain([basemap()])
            .chain(below)
            .collect(),
        animation,
    };
    project.to_xml()
}

/// Returns the group of the gauges, sections and other features that the run was given.
fn features_group(tables: &[FeatureTable]) -> Option<Group> {
    let sort = |table: &FeatureTable| SORTS.iter().find(|sort| sort.table == table.name);
    let shown = |table: &FeatureTable| {
        let sort = sort(table)?;
        let kinds = features::kinds(table);
        let style = match kinds.is_empty() {
            true => style::of_vectors(table.kind, sort.look, Some(NAME)),
            false => style::of_kinds(&kinds, NAME),
        };
        let source = format!("./{FEATURES}|layername={}", table.name);
        let id = format!("features_{}", table.name);
        Some(layer(&id, sort.title.into(), source, table.kind, Style::Document(style)))
    };
    let layers = tables.iter().filter_map(shown).collect();
    unless_empty(Group::of("Features", Role::Backdrop, layers))
}

/// Returns the placeholder group for a basemap, between the maps and the ground.
pub fn basemap() -> Group {
    Group::aside(BASEMAP, Role::Backdrop, Vec::new())
}

impl ProjectInputs<'_> {
    /// Returns the lines of text on a sheet.
    fn lines(&self) -> Vec<String> {
        let Facts { grid, flow, start, .. } = self.facts;
        let time = match self.clock.unit {
            TimeUnit::Seconds => format!("Simulated: {}", show_duration(self.clock.now())),
            TimeUnit::Steps => format!("Simulated: {} steps", self.clock.taken()),
        };
        let dem = self.options.dem.as_deref().and_then(Path::file_name).unwrap_or_default();
        let [dx, dy] = [grid.dx, grid.dy].map(|side| (1e3 * side).round() / 1e3);
        let mut lines = vec![time];
        lines.extend(
            start.as_ref().map(|start| format!("From: {}", start.strftime("%Y-%m-%d %H:%M %:z"))),
        );
        let water = headline::water(self.report).into_iter();
        lines.extend(
            water.map(|(volume, what)| format!("{}: {}", capital(what), show_round(volume))),
        );
        lines.extend([
            format!("Volume error: {} m³, exactly", self.report.volume.error()),
            format!("Solver: {}", flow.solver),
            format!("Terrain: {}", dem.to_string_lossy()),
            format!("Cells: {} × {} of {} × {} m", grid.columns, grid.rows, dx, dy),
        ]);
        lines.extend(
            self.facts.fine.as_ref().map(|fine| format!("Pixels in a cell: {0} × {0}", fine.ratio)),
        );
        lines.extend(headline::crs_name(grid).map(|name| format!("CRS: {name}")));
        lines.push(VERSION.into());
        lines
    }

    /// Returns the timeline of its maps; `None` if steps have no duration or no series was
    /// requested.
    fn timeline(&self) -> Option<Timeline> {
        let every = self.facts.output_every.filter(|_| self.clock.unit == TimeUnit::Seconds)?;
        let start = self.facts.start.as_ref().map_or(DEFAULT_START, jiff::Zoned::timestamp);
        Some(Timeline { start, every })
    }
}

/// Creates a layer that is ticked, always shown, and in the project's CRS.
pub fn layer(id: &str, name: String, source: String, kind: MapLayerKind, style: Style) -> MapLayer {
    MapLayer {
        // QGIS replaces an id of fewer than ten letters.
        id: format!("inundate_{id}"),
        name,
        source,
        kind,
        style,
        shown: true,
        nodata: None,
        crs: None,
        during: None,
    }
}

/// Returns the group unless it is empty.
fn unless_empty(group: Group) -> Option<Group> {
    (!group.layers.is_empty()).then_some(group)
}
