//! `run.json`: the inputs and results of a run.

use crate::engine::grid::Grid;
use crate::engine::ledger::Volumes;
use crate::input::file::InputFile;
use crate::observer::greatest::Greatest;
use crate::observer::quality::judge::Quality;
use crate::observer::time_step_limiter::StepLimits;
use crate::output::colour::Ramp;
use crate::output::extents::Extent;
use crate::output::points::PointsReport;
use crate::output::results::Map;
use crate::output::sewers::{SewerNodeReport, SewerReport};
use crate::output::timings::WallParts;
use crate::output::watch::{GaugeReport, SectionReport};
use crate::scenario::flow::FlowFacts;
use crate::scenario::options::{OutputGrid, OutputSurface};
use crate::scenario::{LinkFacts, StructureFacts};
use crate::units::show_volume;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// This program and its version, as named in reports.
pub const VERSION: &str = concat!("inundate ", env!("CARGO_PKG_VERSION"));

/// The report of a finished run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Program and version that ran.
    pub version: String,
    /// Title of the run, given or made from the origin of its water.
    pub title: String,
    /// Command line of the run.
    pub command: Vec<String>,
    /// All keys that were set, by flag or file.
    pub parameters: serde_json::Value,
    /// Input files with their checksums, including the scenario file.
    pub inputs: Vec<InputFile>,
    /// The raster of computed cells.
    pub grid: GridFacts,
    /// Subgrid of finer ground within the cells, if any.
    pub subgrid: Option<SubgridFacts>,
    /// Solver and its parameters.
    #[serde(flatten)]
    pub flow: FlowFacts,
    /// Depth that counts as arrival (m).
    pub arrival_depth_m: f64,
    /// Depth up to which water is not hazardous (m).
    pub hazard_depth_m: f64,
    /// Device of the run.
    pub device: String,
    /// Columns and rows of a tile, or of the grid if a GPU holds all of it.
    pub tile: (usize, usize),
    /// Number of steps taken.
    pub steps: u64,
    /// `seconds`, or `steps` for an automaton without a duration.
    pub time_unit: &'static str,
    /// Set if times come from a step duration that the user calibrated.
    pub calibrated: bool,
    /// Simulated time (s); `None` if steps have no duration.
    pub simulated_s: Option<f64>,
    /// Smallest and largest step (s); `None` if steps have no duration.
    pub dt_range_s: Option<(f64, f64)>,
    /// Number of epochs that were rolled back and repeated; `None` for automata.
    pub epochs_redone: Option<u64>,
    /// Share of the flow that the caps of a solver with physical time cut off, 0 to 1.
    pub flow_cut_share: Option<f64>,
    /// Quality figures of the flow; `None` for automata.
    pub quality: Option<Quality>,
    /// The greatest depth, and velocity and hazard if recorded, with places and times.
    pub greatest: Vec<Greatest>,
    /// Places and processes that limited its steps; `None` for automata.
    pub step_held: Option<StepLimits>,
    /// Wall-clock time of the whole run (s).
    pub wall_s: f64,
    /// Wall-clock times of its parts (s).
    pub wall_parts_s: WallParts,
    /// Step numbers at which it resumed from a checkpoint.
    pub resumed_at_steps: Vec<u64>,
    /// Domain cells times steps, divided by the time of stepping.
    pub cell_steps_per_s: f64,
    /// Number of wet cells at the end.
    pub wet_cells: usize,
    /// Number of cells that were deeper than `arrival_depth_m` at some time.
    pub flooded_cells: usize,
    /// Results at points, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<PointsReport>,
    /// Extents of the flood, if they were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extents: Vec<Extent>,
    /// Results at gauges, if there are any.
    pub gauges: Vec<GaugeReport>,
    /// Results at sections, if there are any.
    pub sections: Vec<SectionReport>,
    /// Recording interval of gauges, sections and the mass balance (s, or steps).
    pub gauge_every: f64,
    /// Mass balance of the run.
    pub volume: Volumes,
    /// Volume that left the cells with water at the start, if there were any and nothing else was
    /// added (m³).
    pub released_m3: Option<f64>,
    /// Mean depth of rain over the domain (mm).
    pub rain_mm: f64,
    /// Volume added by each source.
    pub sources: Vec<SourceVolume>,
    /// Inflow and outflow at each stage boundary.
    pub held_levels: Vec<LevelVolumes>,
    /// Outflow by each rating curve.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<LevelVolumes>,
    /// Exchange with the sewer network, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sewers: Option<SewerReport>,
    /// Results at the nodes of the network, which are in tables of their own.
    #[serde(skip)]
    pub sewer_nodes: Vec<SewerNodeReport>,
    /// Inflow in inflow cells, if there are any; together with sources and stage boundaries it
    /// makes up the ledger's inflow (m³).
    pub other_inflow_m3: Option<f64>,
    /// Outflow across each open side; together with stage boundaries it makes up the ledger's
    /// outflow.
    pub open_sides: Vec<SideVolume>,
    /// Volumes through pumps and culverts.
    pub links: Vec<LinkVolumes>,
    /// Structures on the edges between cells; their discharges are among the sections, by name.
    pub structures: Vec<StructureFacts>,
    /// Maps among the output files.
    pub maps: Vec<Map>,
    /// Colours of each of their layers.
    pub styles: BTreeMap<String, Ramp>,
    /// Output files, in order.
    pub outputs: Vec<String>,
    /// Defaults that were assumed because neither an option nor a file declares the value.
    #[serde(default)]
    pub assumed: Vec<String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl Report {
    /// Returns the area that was deeper than the arrival depth at some time (m²), counted in pixels
    /// if maps are on the fine grid.
    pub fn flooded_area(&self) -> f64 {
        let fine = self.subgrid.as_ref().and_then(|fine| Some((fine.flooded_pixels?, &fine.fine)));
        let (count, grid) = fine.unwrap_or((self.flooded_cells, &self.grid));
        count as f64 * grid.dx_m * grid.dy_m
    }

    /// Sets the wall-clock times of the run.
    pub fn took(&mut self, parts: WallParts) {
        let cell_steps = self.grid.domain_cells as f64 * self.steps as f64;
        (self.wall_s, self.wall_parts_s) = (parts.sum(), parts);
        self.cell_steps_per_s = cell_steps / parts.compute.max(1e-9);
    }
}

/// Volumes through a pump or a culvert.
#[derive(Clone, Debug, Serialize)]
pub struct LinkVolumes {
    /// The link as reported.
    #[serde(flatten)]
    pub link: LinkFacts,
    /// Volume from its inlet to its outlet (m³).
    pub forward_m3: f64,
    /// Volume back to its inlet (m³).
    pub back_m3: f64,
}

/// Volume added by a source.
#[derive(Clone, Debug, Serialize)]
pub struct SourceVolume {
    /// Name of the source.
    pub name: String,
    /// Number of cells into which it flows.
    pub cells: usize,
    /// Volume that it added (m³).
    pub inflow_m3: f64,
}

/// Inflow and outflow at a stage boundary or rating curve.
#[derive(Clone, Debug, Serialize)]
pub struct LevelVolumes {
    /// Name of the feature, or the text as given.
    pub name: String,
    /// Volume that flowed in (m³).
    pub inflow_m3: f64,
    /// Volume that flowed out (m³).
    pub outflow_m3: f64,
}

/// Outflow across an open side.
#[derive(Clone, Debug, Serialize)]
pub struct SideVolume {
    /// Name of the side.
    pub side: &'static str,
    /// Outflow volume, by free overfall or at normal depth (m³).
    pub outflow_m3: f64,
}

/// Subgrid of finer ground in `run.json`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SubgridFacts {
    /// Number of pixels along a side of a cell.
    pub ratio: usize,
    /// Grid of the maps.
    pub output_grid: OutputGrid,
    /// Water surface of maps on the fine grid.
    #[serde(default)]
    pub output_surface: OutputSurface,
    /// The fine grid. Its domain consists of the open pixels.
    pub fine: GridFacts,
    /// Number of pixels that were deeper than `arrival_depth_m` at some time, if maps are on the
    /// fine grid.
    pub flooded_pixels: Option<usize>,
    /// Volume of the water above pixels at the end, as on maps on the fine grid (m³). It differs
    /// from the ledger's volume where no path across pixels leads, by the rounding of tables, and
    /// by the slope of the water surface.
    pub shown_m3: Option<f64>,
}

impl SubgridFacts {
    /// Difference from the stored volume from which there is a warning, as a share of it.
    const MISSES: f64 = 0.1;

    /// Returns a warning if the maps show much less, or more, than the water stored at the end (m³).
    pub fn misses(&self, stored: f64) -> Option<String> {
        let shown = self.shown_m3?;
        ((shown - stored).abs() > Self::MISSES * stored).then(|| {
            let why = match shown < stored {
                true => "they miss thin water on slopes and water behind walls inside a cell",
                false => "their water surface slopes within a cell and is above its water where the ground is steep or uneven",
            };
            format!(
                "the maps of pixels show {} where {} are stored at the end: {why}; volumes in run.json and the mass balance are exact",
                show_volume(shown),
                show_volume(stored)
            )
        })
    }
}

/// The raster in `run.json`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct GridFacts {
    /// Number of grid columns.
    pub columns: usize,
    /// Number of grid rows.
    pub rows: usize,
    /// Width of a cell (m).
    pub dx_m: f64,
    /// Height of a cell (m).
    pub dy_m: f64,
    /// GDAL geotransform, in units of the CRS.
    pub transform: [f64; 6],
    /// The CRS as WKT.
    pub crs: Option<String>,
    /// Number of cells in the domain.
    pub domain_cells: usize,
    /// Lowest and highest bed level (m).
    pub bed_range_m: (f64, f64),
}

impl GridFacts {
    /// Describes a grid with its number of domain cells, and its lowest and highest bed level (m).
    pub fn of(grid: &Grid, domain_cells: usize, bed_range_m: (f64, f64)) -> GridFacts {
        let Grid { columns, rows, dx: dx_m, dy: dy_m, transform, ref crs, .. } = *grid;
        let crs = crs.clone();
        GridFacts { columns, rows, dx_m, dy_m, transform, crs, domain_cells, bed_range_m }
    }

    /// Returns the grid of a run's maps, from its `run.json`.
    pub fn of_maps<'a>(cells: &'a GridFacts, subgrid: Option<&'a SubgridFacts>) -> &'a GridFacts {
        let fine = subgrid.filter(|subgrid| subgrid.output_grid == OutputGrid::Fine);
        fine.map_or(cells, |subgrid| &subgrid.fine)
    }

    /// Returns the geometry of the raster.
    pub fn grid(&self) -> Grid {
        Grid {
            columns: self.columns,
            rows: self.rows,
            transform: self.transform,
            dx: self.dx_m,
            dy: self.dy_m,
            last: [1.0; 2],
            crs: self.crs.clone(),
        }
    }
}
