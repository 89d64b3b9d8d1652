//! Maps over the runs of a study, and the QGIS project that shows them.

use super::Study;
use super::check::Checked;
use super::maps::{Aggregate, Statistic};
use super::row::{EXTENTS, EXTENTS_OF_MAPS, EXTENTS_OF_RUNS, MAP};
use crate::engine::clock::Clock;
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::output::colour::{Ramp, Scales};
use crate::output::extents::ABOVE;
use crate::output::format::USUAL;
use crate::output::layers::MAX_DEPTH;
use crate::output::project::{Group, MapLayer, MapLayerKind, Project, Role, Style};
use crate::results::project::{self, Base};
use crate::results::report::VERSION;
use crate::words::capital;
use std::path::Path;

/// Maximum number of runs whose maximum depth is in the project.
const MOST_RUNS: usize = 60;

/// Maps over the runs of a grid.
pub struct Sheets<'a> {
    /// Folder of the maps, relative to the study's.
    pub place: String,
    /// Name among the grids or variants of the study; empty if there is only one.
    pub name: String,
    /// Grid of the runs.
    pub grid: Grid,
    /// Lowest and highest bed level (m).
    pub bed_range: (f64, f64),
    /// A clock with the units of the runs.
    pub clock: Clock,
    /// Value ranges of the colour scales.
    pub scales: Scales,
    /// Maps over the runs.
    pub maps: Vec<Aggregate>,
    /// Depths of the extents in the file beside the maps (m), if there is one.
    pub extents: Vec<f64>,
    /// Runs on the grid.
    pub runs: Vec<&'a Checked<'a>>,
}

impl Sheets<'_> {
    /// Returns the raster of a map, relative to the study's folder.
    pub(super) fn file(&self, map: &Aggregate) -> String {
        format!("{}/{}", self.place, USUAL.file(&map.stem()))
    }

    /// Returns the colour ramp of a map.
    pub(super) fn ramp(&self, map: &Aggregate) -> Ramp {
        self.scales.ramp(map.scale(), map.unit(&self.clock))
    }

    /// Returns the title of a map; the classes in its legend have the unit.
    pub(super) fn name(&self, map: &Aggregate, behind: &str) -> String {
        capital(&map.description(&self.clock)) + behind
    }

    /// Returns the maps of each quantity, under its name.
    pub(super) fn quantities(&self) -> impl Iterator<Item = (String, &[Aggregate])> {
        let of = |map: &Aggregate| map.quantity(&self.clock);
        let parts = self.maps.chunk_by(move |one, next| of(one) == of(next));
        parts.map(move |maps| (capital(&of(&maps[0])), maps))
    }

    /// Returns the maps of depths over the runs.
    pub(super) fn depths(&self) -> impl Iterator<Item = &Aggregate> {
        let is_depth = |map: &&Aggregate| {
            let is_value = !matches!(
                map.statistic,
                Statistic::Probability(_)
                    | Statistic::AnnualProbability(_)
                    | Statistic::ReturnPeriod(_)
            );
            is_value && map.layer.key == MAX_DEPTH.key
        };
        self.maps.iter().filter(is_depth)
    }

    /// Returns the layers of the extents, unticked: of all runs, and of each map of depths.
    /// `behind` ends their names, `number` distinguishes their ids from those of other grids.
    fn outlines(&self, behind: &str, number: usize) -> Vec<MapLayer> {
        let file = format!("{}/{EXTENTS}", self.place);
        let mut layers = Vec::new();
        for (at, depth) in self.extents.iter().enumerate() {
            let condition = format!("\"{ABOVE}\" = {depth}");
            let mut add = |table: &str, what: &str, condition: &str| {
                let name = format!("Deeper than {depth} m, {what}{behind}");
                let id = format!("extent_{number}_{}", layers.len() + 1);
                let layer = project::outlines(&id, name, &file, table, condition, at);
                layers.push(MapLayer { shown: false, ..layer });
            };
            add(EXTENTS_OF_RUNS, "each run", &condition);
            for map in self.depths() {
                let of_map = format!("{condition} AND \"{MAP}\" = '{}'", map.stem());
                add(EXTENTS_OF_MAPS, &format!("{} of the runs", map.choice()), &of_map);
            }
        }
        layers
    }

    /// Returns the DEM of the runs, if it has the grid of the maps.
    pub(super) fn dem(&self) -> Option<&Path> {
        let dem = self.runs.first()?.run.options.dem.as_deref();
        dem.filter(|dem| project::lies_on(dem, &self.grid))
    }
}

/// Returns the title of a study.
pub(super) fn title(study: &Study) -> String {
    study.file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the QGIS project of a study whose files will be in its output folder.
pub fn project(study: &Study, all: &[Sheets], done: usize) -> Result<String> {
    let base = Base::of(&study.out);
    let mut groups = Vec::new();
    let mut below = Vec::new();
    for (number, sheets) in all.iter().enumerate() {
        let behind = match &sheets.name[..] {
            "" => String::new(),
            name => format!(", {name}"),
        };
        let raster = |id: String, name: String, source: String, style: Ramp| {
            project::layer(&id, name, source, MapLayerKind::Raster, Style::Ramp(style))
        };
        let layer = |map: &Aggregate| {
            let source = format!("./{}", sheets.file(map));
            let id = format!("{}_{}", map.stem(), number + 1);
            raster(id, sheets.name(map, &behind), source, sheets.ramp(map))
        };
        let style = sheets.scales.ramp(MAX_DEPTH.scale, "m");
        let of_run = |checked: &&Checked| {
            let (run, key) = (checked.run, MAX_DEPTH.key);
            let source = format!("./{}/{key}.tif", run.folder().to_string_lossy());
            let name = format!("{}: maximum water depth", run.name);
            let layer = raster(format!("run_{}", run.index), name, source, style.clone());
            MapLayer { shown: false, ..layer }
        };
        let wrote = |checked: &&&Checked| checked.wrote(&MAX_DEPTH);
        let runs: Vec<MapLayer> =
            sheets.runs.iter().filter(wrote).take(MOST_RUNS).map(of_run).collect();
        for (at, (name, maps)) in sheets.quantities().enumerate() {
            let mut layers: Vec<MapLayer> = maps.iter().map(layer).collect();
            layers.iter_mut().enumerate().for_each(|(at, layer)| layer.shown = at == 0);
            // One map at a time, across all quantities.
            let (shown, name) = ((number, at) == (0, 0), format!("{name}{behind}"));
            let group = Group::of(name, Role::Choice, layers);
            groups.push(Group { shown, unfolded: shown, ..group });
        }
        groups.push(Group::aside(format!("Runs{behind}"), Role::Aside, runs));
        let outlines = sheets.outlines(&behind, number + 1);
        groups.push(Group::aside(format!("Extents{behind}"), Role::Aside, outlines));
        if let (Some(_), Some(first)) = (sheets.dem(), sheets.runs.first()) {
            let dem = project::Terrain {
                options: &first.run.options,
                grid: &sheets.grid,
                height_unit: first.height_unit,
                bed_range: sheets.bed_range,
            };
            let terrain = project::terrain(&dem, &base, &behind);
            below.extend(terrain.into_iter().map(|group| Group { shown: number == 0, ..group }));
        }
    }
    groups.retain(|group| !group.layers.is_empty());
    groups.push(project::basemap());
    groups.extend(below);
    let first = all.first();
    let project = Project {
        title: format!("Study {}", title(study)),
        report_details: Vec::new(),
        author: None,
        logo: None,
        crs: first.and_then(|sheets| sheets.grid.crs.clone()),
        extent: first.map_or([0.0, 0.0, 1.0, 1.0], |sheets| sheets.grid.extent()),
        metres_per_unit: first.map_or(1.0, |sheets| sheets.grid.metres_per_unit()),
        facts: vec![
            format!("Runs: {done} of {}", study.runs.len()),
            format!("Varied: {}", study.varied.join(", ")),
            VERSION.into(),
        ],
        groups,
        animation: None,
    };
    project.to_xml()
}
