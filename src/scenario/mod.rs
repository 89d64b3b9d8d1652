//! Reads, checks and converts the options of a run into the engine's input.

#[macro_use]
mod visit;

mod amounts;
mod boundary_conditions;
mod build;
mod cell_levels;
mod coarser;
mod data_after_end;
mod depths;
pub mod flow;
mod friction;
mod grain;
mod initial_level;
mod kept_tables;
mod land_cover;
pub(crate) mod layer_names;
mod levels;
mod line_features;
mod links;
mod losses;
pub mod map_options;
pub mod maps;
pub mod memory;
mod named_files;
mod obstacles;
mod open_sides;
pub mod options;
mod outflow_slopes;
mod places;
mod points;
mod quantity;
mod rain;
mod ratings;
pub mod report_details;
mod rivers;
pub mod schema;
pub mod sewers;
mod sides;
pub mod solver;
pub mod source_facts;
mod sources;
mod stage_sides;
pub mod start_from;
mod structures;
mod subgrid;
mod terrain;
mod thin_runoff;
pub mod time;
mod toml_hint;
pub mod toml_text;
mod validated;
pub(crate) mod value_or_file;
mod values;
mod watched;
mod water;

pub use build::{build, build_for_check, wrong_input_or};
pub use land_cover::ClassShare;
pub use links::LinkFacts;
pub use losses::{LossOptions, LossRange};
pub use solver::{SolverChoice, solver_of};
pub use source_facts::SourceFacts;
pub use structures::{BreachFacts, StructureFacts};
pub use terrain::FineTerrain;

use crate::engine::backend::Problem;
use crate::engine::clock::{Clock, TimeUnit};
use crate::engine::grid::Grid;
use crate::input::dem::fine_ground::FineGround;
use crate::input::file::InputFile;
use crate::output::checkpoint::about::Remembering;
use crate::output::colour::{Choice, Scales};
use crate::output::layers;
use crate::output::points::Points;
use crate::output::watch::Watched;
use flow::FlowFacts;
use sewers::Sewers;
use start_from::Start;
use std::path::PathBuf;
use std::sync::Arc;

/// A run with its input read, checked and converted to SI.
#[derive(Debug)]
pub struct Scenario {
    /// Input of the backend.
    pub problem: Problem,
    /// Clock of the run.
    pub clock: Clock,
    /// Facts for outputs and messages.
    pub facts: Facts,
    /// State of an earlier run that this run starts from; its water is already in the problem.
    pub start: Option<Start>,
}

/// Facts about a run that outputs and messages need beside its arrays.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Geometry of the computational grid.
    pub grid: Grid,
    /// Fine ground inside the cells, if cells have subgrid tables.
    pub fine: Option<Arc<FineGround>>,
    /// Cells, ascending, in which a crest of the fine ground separates two bodies of water,
    /// although the cell has one water level.
    pub parted: Arc<[usize]>,
    /// True if layers of infiltration include that of the earlier run from which this one starts.
    pub continues_infiltration: bool,
    /// True if maps are on the fine grid instead of the grid of the cells.
    pub draws_fine: bool,
    /// Water surface on the fine grid.
    pub surface: options::OutputSurface,
    /// Metres per height unit of the DEM's file.
    pub height_unit: f64,
    /// Lowest and highest bed level (m).
    pub bed_range: (f64, f64),
    /// Number of cells in the domain.
    pub domain_cells: usize,
    /// Solver, roughness, losses, grain and open sides.
    pub flow: FlowFacts,
    /// True if the solver has physical time.
    pub has_clock: bool,
    /// Share of the domain of each land cover class; empty if the roughness does not come from land
    /// cover.
    pub land_cover: Vec<ClassShare>,
    /// Pumps and culverts, in the order in which they carry water.
    pub links: Vec<LinkFacts>,
    /// Structures on the edges between cells, in the order given.
    pub structures: Vec<StructureFacts>,
    /// Sources, in the order given.
    pub sources: Vec<SourceFacts>,
    /// Title, project, author, date and logo.
    pub report_details: report_details::ReportDetails,
    /// Background raster of the maps.
    pub background: Option<PathBuf>,
    /// Depth of arrival (m).
    pub arrival_depth: f64,
    /// Depths of the extents of the flood (m), if any.
    pub extents: Vec<f64>,
    /// True if there are extents at each time of the series of maps.
    pub extent_series: bool,
    /// Depth up to which water is not a hazard (m).
    pub hazard_depth: f64,
    /// Greatest height of the initial water surface above a neighbour's water surface or ground
    /// (m): the height of a breaking dam.
    pub initial_drop: f64,
    /// Interval of the series of maps (s, or steps).
    pub output_every: Option<f64>,
    /// Interval of checkpoints (s, wall-clock time).
    pub checkpoint_every: Option<f64>,
    /// The layers to write.
    pub layers: layers::Chosen,
    /// Start of the run by the wall clock, if known.
    pub start: Option<jiff::Zoned>,
    /// Time (s or steps) after which rain, sources and levels are constant until the end, if it is
    /// long before the end.
    pub steady_since: Option<f64>,
    /// Sites that keep a state from step to step.
    pub remembering: Vec<Remembering>,
    /// Points of `points.csv`, if any.
    pub points: Option<Arc<Points>>,
    /// Sewer network, if any.
    pub sewers: Option<Arc<Sewers>>,
    /// Gauges and sections to record.
    pub watched: Watched,
    /// The files that were read.
    pub inputs: Vec<InputFile>,
    /// Defaults that were assumed because neither an option nor a file declares the value.
    pub assumed: Vec<String>,
    /// Notes on the input as it was read.
    pub notes: Vec<String>,
    /// Warnings about the input.
    pub warnings: Vec<String>,
}

impl Facts {
    /// Returns the structure of a name; its line is a section of the same name.
    pub fn structure(&self, name: &str) -> Option<&StructureFacts> {
        self.structures.iter().find(|structure| structure.name == name)
    }

    /// Returns the grid of the DEM's pixels.
    pub fn dem_grid(&self) -> &Grid {
        self.fine.as_ref().map_or(&self.grid, |ground| &ground.grid)
    }

    /// Returns the grid of the run's maps.
    pub fn map_grid(&self) -> &Grid {
        if self.draws_fine { self.dem_grid() } else { &self.grid }
    }

    /// Returns the area of the domain (m²): of cells with subgrid tables, only the open pixels.
    pub fn domain_area(&self) -> f64 {
        match &self.fine {
            Some(ground) => ground.open as f64 * ground.grid.cell_area(),
            None => self.domain_cells as f64 * self.grid.cell_area(),
        }
    }

    /// Returns the colour scales of the run's maps before any map is written.
    pub fn scales(&self, choice: Choice, clock: &Clock) -> Scales {
        let end = match clock.unit {
            TimeUnit::Seconds => clock.end() / 3600.0,
            TimeUnit::Steps => clock.end(),
        };
        Scales::new(choice, self.bed_range.0, end)
    }

    /// Returns the paths of the input files.
    pub fn input_paths(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(|input| input.path.as_str())
    }
}
