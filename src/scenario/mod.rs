//! From what the user says to what the engine needs.

#[macro_use]
mod visit;

mod amounts;
mod asked;
mod beyond;
mod build;
mod cell_levels;
mod coarser;
mod depths;
mod drawn;
mod elsewhere;
pub mod flow;
mod forced;
mod friction;
mod grain;
mod held_rim;
pub mod imprint;
mod initial_level;
mod kept_tables;
mod land_cover;
pub(crate) mod layer_names;
mod levels;
mod links;
mod losses;
pub mod maps;
pub mod memory;
mod obstacles;
mod open_rim;
pub mod options;
mod outflow;
mod places;
mod point_table;
mod points;
mod quantity;
mod rain;
mod ratings;
mod rivers;
pub mod rule;
pub mod schema;
mod sides;
pub mod source_facts;
mod sources;
pub mod start_from;
mod structures;
mod subgrid;
mod terrain;
pub mod time;
mod toml_hint;
mod values;
mod watched;
mod water;

pub use build::{build, look};
pub use land_cover::ClassShare;
pub use links::LinkFacts;
pub use losses::{LossOptions, LossRange};
pub use rule::rule_of;
pub use source_facts::SourceFacts;
pub use structures::{BreachFacts, StructureFacts};

use crate::engine::backend::Problem;
use crate::engine::clock::{Clock, TimeUnit};
use crate::engine::grid::Grid;
use crate::input::file::InputFile;
use crate::input::fine_ground::FineGround;
use crate::output::checkpoint::about::Remembering;
use crate::output::colour::{Choice, Scales};
use crate::output::layers;
use crate::output::points::Points;
use crate::output::watch::Watched;
use flow::FlowFacts;
use start_from::Start;
use std::path::PathBuf;
use std::sync::Arc;

/// A run, read, checked and converted to SI, ready to be stepped.
#[derive(Debug)]
pub struct Scenario {
    /// What the backend needs.
    pub problem: Problem,
    /// Time.
    pub clock: Clock,
    /// What outputs and messages need.
    pub facts: Facts,
    /// The state that it starts from, if it does, of which the problem has the water.
    pub start: Option<Start>,
}

/// What is known of a run beside its arrays.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The raster's geometry.
    pub grid: Grid,
    /// The finer ground in its cells, if they have tables of that.
    pub fine: Option<Arc<FineGround>>,
    /// Cells, in rising order, in which a crest of that ground parts two waters: theirs has but one level.
    pub parted: Arc<[usize]>,
    /// Whether maps lie on the grid of that ground, not on that of the cells.
    pub draws_fine: bool,
    /// Metres per unit of the heights in the DEM's file.
    pub height_unit: f64,
    /// Lowest and highest bed level (m).
    pub bed_range: (f64, f64),
    /// Cells in the domain.
    pub domain_cells: usize,
    /// How the water moves.
    pub flow: FlowFacts,
    /// Whether the rule has physical time.
    pub has_clock: bool,
    /// Land cover, if the roughness comes from it: the part of the domain that each class takes up.
    pub land_cover: Vec<ClassShare>,
    /// Pumps and culverts, in the order in which they carry water.
    pub links: Vec<LinkFacts>,
    /// Structures on the edges between cells, in the order given.
    pub structures: Vec<StructureFacts>,
    /// Sources, in the order given.
    pub sources: Vec<SourceFacts>,
    /// Title, author and the like.
    pub imprint: imprint::Imprint,
    /// The picture of the ground, if there is one.
    pub background: Option<PathBuf>,
    /// Depth of arrival (m).
    pub arrival_depth: f64,
    /// Depth up to which water is no hazard (m).
    pub hazard_depth: f64,
    /// How far the surface of the water stands at the most above a neighbour's, or its ground, at the start (m): the height of a dam
    /// that breaks.
    pub initial_drop: f64,
    /// Interval of the depth series (s, or steps).
    pub output_every: Option<f64>,
    /// How often the state is written (s, wall-clock time).
    pub checkpoint_every: Option<f64>,
    /// The layers to write.
    pub layers: layers::Chosen,
    /// When the run starts by the wall clock, if that is known.
    pub start: Option<jiff::Zoned>,
    /// The time from which on nothing that brings water changes until the end (s, or steps), if that is long
    /// before it.
    pub steady_since: Option<f64>,
    /// The sites that remember something from step to step.
    pub remembering: Vec<Remembering>,
    /// The points that the whole run is told of, if there are any.
    pub points: Option<Arc<Points>>,
    /// What the run is to watch.
    pub watched: Watched,
    /// The files that were read.
    pub inputs: Vec<InputFile>,
    /// Defaults that were assumed because neither an option nor a file declares the value.
    pub assumed: Vec<String>,
    /// What the user should know of the input as it was read.
    pub notes: Vec<String>,
    /// What may be wrong with it.
    pub warnings: Vec<String>,
}

impl Facts {
    /// Where the DEM's pixels lie.
    pub fn dem_grid(&self) -> &Grid {
        self.fine.as_ref().map_or(&self.grid, |ground| &ground.grid)
    }

    /// Where the run's maps lie.
    pub fn map_grid(&self) -> &Grid {
        if self.draws_fine { self.dem_grid() } else { &self.grid }
    }

    /// What the colours of the run's maps follow, before any is written.
    pub fn scales(&self, choice: Choice, clock: &Clock) -> Scales {
        let end = match clock.unit {
            TimeUnit::Seconds => clock.end() / 3600.0,
            TimeUnit::Steps => clock.end(),
        };
        Scales::new(choice, self.bed_range.0, end)
    }

    /// The paths of the files that were read.
    pub fn input_paths(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(|input| input.path.as_str())
    }
}
