//! What shows a study: its QGIS project and its page.

use super::Study;
use super::check::Checked;
use super::maps::Aggregate;
use super::points::OverPoints;
use super::row::{MAPS, Row, TABLE};
use super::runs;
use crate::engine::clock::Clock;
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::output::colour::{Ramp, Scales};
use crate::output::format::USUAL;
use crate::output::layers::MAX_DEPTH;
use crate::output::project::{Group, MapLayer, MapLayerKind, Project, Role, Style};
use crate::results::headline::grouped;
use crate::results::page::{StudyGrid, StudyMap, StudyPage, StudyQuantity, study_html};
use crate::results::project::{self, Base};
use crate::results::report::VERSION;
use crate::units::show_duration;
use crate::words::{capital, counted};
use std::path::Path;

/// So many runs have their maximum depth in the project.
const MOST_RUNS: usize = 60;

/// The maps over the runs of a grid.
pub struct Sheets<'a> {
    /// The folder of the maps, relative to the study's.
    pub place: String,
    /// The grid.
    pub grid: Grid,
    /// Lowest and highest bed level (m).
    pub bed_range: (f64, f64),
    /// A clock like that of the runs.
    pub clock: Clock,
    /// What the colours follow.
    pub scales: Scales,
    /// The maps.
    pub maps: Vec<Aggregate>,
    /// The runs.
    pub runs: Vec<&'a Checked<'a>>,
}

impl Sheets<'_> {
    /// What a map shows, with its unit.
    fn name(&self, map: &Aggregate, behind: &str) -> String {
        let name = capital(&map.description(&self.clock));
        match map.unit(&self.clock) {
            "" => format!("{name}{behind}"),
            unit => format!("{name}{behind} ({unit})"),
        }
    }

    /// The maps of each quantity, under its name.
    fn quantities(&self) -> impl Iterator<Item = (String, &[Aggregate])> {
        let of = |map: &Aggregate| map.quantity(&self.clock);
        let parts = self.maps.chunk_by(move |one, next| of(one) == of(next));
        parts.map(move |maps| (capital(&of(&maps[0])), maps))
    }

    /// The DEM of the runs, if it lies where the maps are.
    fn dem(&self) -> Option<&Path> {
        let dem = self.runs.first()?.run.options.dem.as_deref();
        dem.filter(|dem| project::lies_on(dem, &self.grid))
    }
}

/// The name of a study.
fn title(study: &Study) -> String {
    study.file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The project of a study whose files will lie in its output folder.
pub fn project(study: &Study, all: &[Sheets], done: usize) -> Result<String> {
    let base = Base::of(&study.out);
    let mut groups = Vec::new();
    let mut below = Vec::new();
    for (number, sheets) in all.iter().enumerate() {
        let behind = match all.len() {
            1 => String::new(),
            _ => format!(", grid {}", number + 1),
        };
        let raster = |id: String, name: String, source: String, style: Ramp| {
            project::layer(&id, name, source, MapLayerKind::Raster, Style::Ramp(style))
        };
        let layer = |map: &Aggregate| {
            let style = sheets.scales.ramp(map.scale(), map.unit(&sheets.clock));
            let source = format!("./{}/{}.tif", sheets.place, map.stem());
            let id = format!("{}_{}", map.stem(), number + 1);
            raster(id, sheets.name(map, &behind), source, style)
        };
        let style = sheets.scales.ramp(MAX_DEPTH.scale, "m");
        let of_run = |checked: &&Checked| {
            let (run, key) = (checked.run, MAX_DEPTH.key);
            let source = format!("./{}/{key}.tif", run.folder().to_string_lossy());
            let name = format!("{}: maximum water depth (m)", run.name);
            let layer = raster(format!("run_{}", run.index), name, source, style.clone());
            MapLayer { shown: false, ..layer }
        };
        let wrote = |checked: &&&Checked| {
            let past = checked.state.past();
            past.is_some_and(|past| past.outputs.iter().any(|name| name == "max_depth.tif"))
        };
        let runs: Vec<MapLayer> =
            sheets.runs.iter().filter(wrote).take(MOST_RUNS).map(of_run).collect();
        for (at, (name, maps)) in sheets.quantities().enumerate() {
            let mut layers: Vec<MapLayer> = maps.iter().map(layer).collect();
            layers.iter_mut().enumerate().for_each(|(at, layer)| layer.shown = at == 0);
            // One map at a time, of all quantities.
            let (shown, name) = ((number, at) == (0, 0), format!("{name}{behind}"));
            let group = Group::of(name, Role::Choice, layers);
            groups.push(Group { shown, unfolded: shown, ..group });
        }
        groups.push(Group::aside(format!("Runs{behind}"), Role::Aside, runs));
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
        imprint: Vec::new(),
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

/// The page of a study whose maps lie in a folder.
pub fn page(
    study: &Study,
    staged: &Path,
    all: &[Sheets],
    rows: &[Row],
    points: &OverPoints,
    warnings: &[String],
) -> Result<String> {
    let done = rows.iter().filter(|row| row.status == "done").count();
    let deepest = rows.iter().filter_map(|row| row.max_depth_m).fold(0.0, f32::max);
    let mut highlights = vec![
        (format!("{done} of {}", rows.len()), "runs are done".to_string()),
        (format!("{deepest:.2} m"), "greatest depth of any run".into()),
    ];
    let longest = rows.iter().filter_map(|row| row.simulated_s).fold(0.0, f64::max);
    if longest > 0.0 {
        highlights.push((show_duration(longest), "simulated, by the longest".into()));
    }
    highlights.extend(points.expected_annual_damage.iter().map(|expected| {
        let of = match &expected.variant[..] {
            "" => String::new(),
            name => format!(" of {name}"),
        };
        (grouped(&format!("{:.0}", expected.total)), format!("expected annual damage{of}"))
    }));
    let grids = all.iter().enumerate().map(|(number, sheets)| StudyGrid {
        heading: match all.len() {
            1 => "Maps over the runs".into(),
            _ => {
                let runs = counted(sheets.runs.len(), "run", "runs");
                format!("Maps over the {runs} on grid {}", number + 1)
            }
        },
        grid: sheets.grid.clone(),
        dem: sheets.dem(),
        quantities: sheets
            .quantities()
            .map(|(title, maps)| StudyQuantity {
                title,
                ramp: sheets.scales.ramp(maps[0].scale(), maps[0].unit(&sheets.clock)),
                averages: maps[0].averages(),
                maps: maps
                    .iter()
                    .map(|map| StudyMap {
                        choice: capital(&map.choice()),
                        title: sheets.name(map, ""),
                        raster: staged.join(&sheets.place).join(USUAL.file(&map.stem())),
                    })
                    .collect(),
            })
            .collect(),
    });
    let (head, rows) = runs::table(study, rows);
    let maps = all.iter().flat_map(|sheets| {
        sheets.maps.iter().map(|map| format!("{}/{}", sheets.place, USUAL.file(&map.stem())))
    });
    let tables = [TABLE.to_string()].into_iter().chain(points.files.iter().cloned());
    let files = tables.chain(maps).collect();
    debug_assert!(all.iter().all(|sheets| sheets.place.starts_with(MAPS)));
    study_html(&StudyPage {
        title: title(study),
        highlights,
        grids: grids.collect(),
        head,
        rows,
        warnings,
        files,
    })
}
