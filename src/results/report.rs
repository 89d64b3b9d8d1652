//! `run.json`: what was run, on what, and what came of it.

use crate::engine::grid::Grid;
use crate::engine::ledger::Volumes;
use crate::input::file::InputFile;
use crate::observer::greatest::Greatest;
use crate::observer::holds::StepHeld;
use crate::observer::quality::judge::Quality;
use crate::output::colour::Ramp;
use crate::output::points::PointsReport;
use crate::output::results::Map;
use crate::output::wall::WallParts;
use crate::output::watch::{GaugeReport, SectionReport};
use crate::scenario::flow::FlowFacts;
use crate::scenario::options::OutputGrid;
use crate::scenario::{LinkFacts, StructureFacts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// This program and its version, as reports name it.
pub const VERSION: &str = concat!("inundate ", env!("CARGO_PKG_VERSION"));

/// The report of a finished run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Program and version.
    pub version: String,
    /// The command line.
    pub command: Vec<String>,
    /// Every key that was set, by flag or file.
    pub parameters: serde_json::Value,
    /// Input files with their checksums, the scenario file among them.
    pub inputs: Vec<InputFile>,
    /// The raster: the cells that were computed.
    pub grid: GridFacts,
    /// The finer ground in them, if they have tables of that.
    pub subgrid: Option<SubgridFacts>,
    /// How the water moves.
    #[serde(flatten)]
    pub flow: FlowFacts,
    /// Depth that counts as arrival (m).
    pub arrival_depth_m: f64,
    /// Depth up to which water is no hazard (m).
    pub hazard_depth_m: f64,
    /// What it ran on.
    pub device: String,
    /// Columns and rows of a tile; of the grid where a GPU holds all of it.
    pub tile: (usize, usize),
    /// Steps taken.
    pub steps: u64,
    /// `seconds`, or `steps` for an automaton without a duration.
    pub time_unit: &'static str,
    /// Whether hours come from a step duration that the user calibrated.
    pub calibrated: bool,
    /// Simulated time; none if steps have no duration (s).
    pub simulated_s: Option<f64>,
    /// Smallest and largest step; none if steps have no duration (s).
    pub dt_range_s: Option<(f64, f64)>,
    /// Epochs of steps that were taken anew, where parts of the map had gone on alone; none for automata.
    pub epochs_redone: Option<u64>,
    /// Share of the flow that was cut short by the caps of a rule with physical time, 0 to 1.
    pub flow_cut_share: Option<f64>,
    /// What the run says of its own flow; none for automata.
    pub quality: Option<Quality>,
    /// The greatest depth, and velocity and hazard if they were noted, with places and times.
    pub greatest: Vec<Greatest>,
    /// What held the length of its steps, and where; none for automata.
    pub step_held: Option<StepHeld>,
    /// Time of the whole run (s).
    pub wall_s: f64,
    /// Time of its parts (s).
    pub wall_parts_s: WallParts,
    /// The steps after which it went on from a checkpoint.
    pub resumed_at_steps: Vec<u64>,
    /// Cells in the domain times steps, over the time of stepping.
    pub cell_steps_per_s: f64,
    /// Cells that hold water at the end.
    pub wet_cells: usize,
    /// Cells that were deeper than `arrival_depth_m` at some time.
    pub flooded_cells: usize,
    /// The points, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<PointsReport>,
    /// The gauges, if there are any.
    pub gauges: Vec<GaugeReport>,
    /// The sections, if there are any.
    pub sections: Vec<SectionReport>,
    /// How often they and the balance of the volume were noted (s, or steps).
    pub gauge_every: f64,
    /// The volume ledger.
    pub volume: Volumes,
    /// What flowed out of the cells in which water stood at the start, if there was some and nothing else came (m³).
    pub released_m3: Option<f64>,
    /// The mean depth of rain over the domain (mm).
    pub rain_mm: f64,
    /// What each source brought.
    pub sources: Vec<SourceVolume>,
    /// What came in and went out where levels are held.
    pub held_levels: Vec<LevelVolumes>,
    /// What left by rating curves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<LevelVolumes>,
    /// What came in in inflow cells, if there are any: with the sources and the held levels it makes up the ledger's
    /// inflow (m³).
    pub other_inflow_m3: Option<f64>,
    /// What left over each open side: with the held levels it makes up the ledger's outflow.
    pub open_sides: Vec<SideVolume>,
    /// What went through pumps and culverts.
    pub links: Vec<LinkVolumes>,
    /// Structures on the edges between cells; what crossed them stands among the sections, by their names.
    pub structures: Vec<StructureFacts>,
    /// The maps among the files.
    pub maps: Vec<Map>,
    /// The colours of each of their layers.
    pub styles: BTreeMap<String, Ramp>,
    /// Files written, in order.
    pub outputs: Vec<String>,
    /// Defaults that were assumed because neither an option nor a file declares the value.
    #[serde(default)]
    pub assumed: Vec<String>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl Report {
    /// The area that was deeper than counts as arrival at some time (m²): of pixels where maps show these.
    pub fn flooded_area(&self) -> f64 {
        let fine = self.subgrid.as_ref().and_then(|fine| Some((fine.flooded_pixels?, &fine.fine)));
        let (count, grid) = fine.unwrap_or((self.flooded_cells, &self.grid));
        count as f64 * grid.dx_m * grid.dy_m
    }

    /// Says how long the run took.
    pub fn took(&mut self, parts: WallParts) {
        let cell_steps = self.grid.domain_cells as f64 * self.steps as f64;
        (self.wall_s, self.wall_parts_s) = (parts.sum(), parts);
        self.cell_steps_per_s = cell_steps / parts.compute.max(1e-9);
    }
}

/// What went through a pump or a culvert.
#[derive(Clone, Debug, Serialize)]
pub struct LinkVolumes {
    /// Which it is.
    #[serde(flatten)]
    pub link: LinkFacts,
    /// From its inlet to its outlet (m³).
    pub forward_m3: f64,
    /// And back (m³).
    pub back_m3: f64,
}

/// What a source brought.
#[derive(Clone, Debug, Serialize)]
pub struct SourceVolume {
    /// What it is called.
    pub name: String,
    /// The cells in which it comes in.
    pub cells: usize,
    /// What it brought (m³).
    pub inflow_m3: f64,
}

/// What came in and went out where a level is held, or by a rating curve.
#[derive(Clone, Debug, Serialize)]
pub struct LevelVolumes {
    /// What it is called: its feature's name, or as it was given.
    pub name: String,
    /// What came in (m³).
    pub inflow_m3: f64,
    /// What went out (m³).
    pub outflow_m3: f64,
}

/// What left over an open side.
#[derive(Clone, Debug, Serialize)]
pub struct SideVolume {
    /// Which it is.
    pub side: &'static str,
    /// What left, over a fall or at normal depth (m³).
    pub outflow_m3: f64,
}

/// The finer ground in cells in `run.json`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SubgridFacts {
    /// Pixels side by side in a cell.
    pub ratio: usize,
    /// Which grid the maps lie on.
    pub output_grid: OutputGrid,
    /// The fine grid. Its domain are the open pixels.
    pub fine: GridFacts,
    /// Pixels that were deeper than `arrival_depth_m` at some time, if maps lie on the fine grid.
    pub flooded_pixels: Option<usize>,
    /// The volume of the water that stands over pixels at the end as maps on the fine grid have it (m³): what the ledger has beyond lies where
    /// no way leads over pixels, and in what tables round.
    pub shown_m3: Option<f64>,
}

/// The raster in `run.json`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct GridFacts {
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
    /// Cell width (m).
    pub dx_m: f64,
    /// Cell height (m).
    pub dy_m: f64,
    /// GDAL geotransform, in units of the CRS.
    pub transform: [f64; 6],
    /// The CRS as WKT.
    pub crs: Option<String>,
    /// Cells in the domain.
    pub domain_cells: usize,
    /// Lowest and highest bed level (m).
    pub bed_range_m: (f64, f64),
}

impl GridFacts {
    /// Those of a grid with so many cells in the domain, and its lowest and highest bed level (m).
    pub fn of(grid: &Grid, domain_cells: usize, bed_range_m: (f64, f64)) -> GridFacts {
        let Grid { columns, rows, dx: dx_m, dy: dy_m, transform, ref crs } = *grid;
        let crs = crs.clone();
        GridFacts { columns, rows, dx_m, dy_m, transform, crs, domain_cells, bed_range_m }
    }

    /// The grid that maps of a run lie on, of what its `run.json` says.
    pub fn of_maps<'a>(cells: &'a GridFacts, subgrid: Option<&'a SubgridFacts>) -> &'a GridFacts {
        let fine = subgrid.filter(|subgrid| subgrid.output_grid == OutputGrid::Fine);
        fine.map_or(cells, |subgrid| &subgrid.fine)
    }

    /// The raster's geometry.
    pub fn grid(&self) -> Grid {
        Grid {
            columns: self.columns,
            rows: self.rows,
            transform: self.transform,
            dx: self.dx_m,
            dy: self.dy_m,
            crs: self.crs.clone(),
        }
    }
}
