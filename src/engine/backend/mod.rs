//! Backends: where the state lives and the arithmetic is done.
//!
//! A backend knows tiles, memory and numbers, never a file. What it is asked to do in a step is the
//! same for every backend, and so are the bits that come out.

pub mod canvas;
pub mod cpu;
pub mod cuda;
pub mod framed;
pub mod ground;
pub mod probe;
pub mod saved;
pub mod worker;

use crate::boundary::OpenEdges;
use crate::error::{Error, Result as Outcome};
use crate::extremes::Extremes;
use crate::forcing::Forcing;
use crate::forcing::link::LinkState;
use crate::forcing::ports::Booked;
use crate::forcing::step::Step;
use crate::gauged::GaugeState;
use crate::grains::Grain;
use crate::grid::{Bed, Grid};
use crate::ledger::Ledger;
use crate::losses::Losses;
use crate::neighbourhood::Neighbourhood;
use crate::pace::{Limits, Pace, Until};
use crate::roughness::Roughness;
use crate::rule::AnyRule;
use crate::rule::edge::EdgeField;
use crate::track::{self, Track};
pub use probe::EdgeAt;
use serde::{Deserialize, Serialize};

/// Everything a backend needs to set up its state.
#[derive(Debug)]
pub struct Problem {
    /// The raster's geometry.
    pub grid: Grid,
    /// The bed on it.
    pub bed: Bed,
    /// Water at the start per cell (grains); empty for a dry start.
    pub initial: Vec<i32>,
    /// The flow rule.
    pub rule: AnyRule,
    /// Who exchanges water with whom.
    pub neighbourhood: Neighbourhood,
    /// Open sides of the raster.
    pub open: OpenEdges,
    /// What brings and takes water.
    pub forcing: Forcing,
    /// Grain of the water.
    pub grain: Grain,
    /// Depth above which water counts as arrived (grains).
    pub arrival: i32,
    /// Manning's n, for the rules that have friction.
    pub roughness: Roughness,
    /// What ground, sewers and air take, if anything.
    pub losses: Option<Losses>,
    /// What is noted of every cell in every step.
    pub tracks: Vec<Track>,
    /// Cells of the grid, row-major, of which the greatest depth and speed and the time of the depth are noted.
    pub gauges: Vec<usize>,
    /// Whether discharges and velocities can be read, also where the rule itself does not remember them.
    pub keeps_discharge: bool,
}

impl Problem {
    /// Whether discharges and velocities over the edges are to be read, by people or by tracks.
    pub fn asks_flow(&self) -> bool {
        let asked = self.keeps_discharge || self.tracks.iter().any(|track| track.flows().is_some());
        asked && self.rule.info().is_timed()
    }

    /// Whether there is such a number of every edge. A rule that remembers velocities has their discharges
    /// while it steps.
    pub fn has(&self, field: EdgeField) -> bool {
        let remembered = self.rule.remembers();
        let flows = field == EdgeField::Discharge && remembered.is_some();
        flows || remembered == Some(field) || self.asks_flow()
    }

    /// Whether a run goes on from it, or someone reads it.
    pub fn saves(&self, field: EdgeField) -> bool {
        self.rule.remembers() == Some(field) || self.asks_flow()
    }

    /// The planes that a run has beside its water, in order.
    pub fn planes(&self) -> Vec<Plane> {
        let mut planes: Vec<Plane> = (0..track::places(&self.tracks).1).map(Plane::Track).collect();
        if let Some(losses) = &self.losses {
            planes.push(Plane::Soaked);
            planes.extend(losses.has_excess().then_some(Plane::Excess));
            planes.extend(losses.asks_rain().then_some(Plane::Rained));
            planes.extend((!losses.of_cell.is_empty()).then_some(Plane::Kind));
        }
        planes
    }

    /// What a plane holds at first in a cell of the grid (bits).
    pub fn initial_of(&self, plane: Plane, cell: usize) -> u32 {
        match (plane, &self.losses) {
            (Plane::Track(place), _) => track::initials(&self.tracks)[place],
            (Plane::Kind, Some(losses)) => losses.of_cell[cell],
            _ => 0,
        }
    }
}

/// An array of 32 bits a cell beside the water.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// One of the planes of the tracks, by its place among them.
    Track(usize),
    /// Initial loss and infiltration so far (grains).
    Soaked,
    /// What infiltrated beyond Horton's last capacity (grains).
    Excess,
    /// Rain of the step at hand (grains).
    Rained,
    /// Kind of ground.
    Kind,
}

impl Plane {
    /// Whether steps go on from it: tiles that take turns must see what it was before the others' steps.
    pub fn is_state(self) -> bool {
        matches!(self, Plane::Soaked | Plane::Excess)
    }
}

/// What cells gave over their edges under a timed rule, and how it flowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crossed {
    /// What did (grains).
    pub crossed: u64,
    /// What would have, had there been enough water in the giver and had the step been shorter (grains). A
    /// giver without any water does not count.
    pub cut: u64,
    /// Edges deeper than [`crate::extremes::DEEP`], step by step: those of the grid's cells to the east and south.
    pub deep: u64,
    /// Those of them with a Froude number above [`crate::extremes::FAST`].
    pub fast: u64,
    /// Those of them whose discharge was held to the critical one.
    pub held: u64,
}

impl Crossed {
    /// The share of the flow that was cut, 0 to 1.
    pub fn share_cut(&self) -> f64 {
        let all = self.crossed as f64 + self.cut as f64;
        if all > 0.0 { self.cut as f64 / all } else { 0.0 }
    }

    /// The share of the deep edges, over all steps, whose flow was fast, 0 to 1.
    pub fn share_fast(&self) -> f64 {
        if self.deep > 0 { self.fast as f64 / self.deep as f64 } else { 0.0 }
    }

    /// The share of the deep edges, over all steps, whose flow was held to the critical one, 0 to 1.
    pub fn share_held(&self) -> f64 {
        if self.deep > 0 { self.held as f64 / self.deep as f64 } else { 0.0 }
    }
}

impl std::ops::AddAssign for Crossed {
    fn add_assign(&mut self, other: Crossed) {
        self.crossed += other.crossed;
        self.cut += other.cut;
        self.deep += other.deep;
        self.fast += other.fast;
        self.held += other.held;
    }
}

/// Why a backend stopped.
#[derive(Debug)]
pub enum Stop {
    /// Water got deeper than the grain allows.
    TooDeep {
        /// In which step.
        step: u64,
    },
    /// The device failed.
    Failed(Error),
}

/// A layer of the state that can be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateLayer {
    /// Water now.
    Water,
    /// The most water so far.
    MaxWater,
}

/// The state of a run, and the means to step it.
pub trait Backend {
    /// Takes some steps. In each, rain and sources come, inflow cells are topped up, water flows,
    /// sink cells are emptied, maxima and arrivals are noted.
    fn advance(&mut self, steps: &[Step]) -> Result<(), Stop>;

    /// Takes steps of a timed rule, whose lengths it finds, until it is time to stop.
    fn advance_paced(&mut self, pace: &mut Pace, limits: Limits, until: Until) -> Result<(), Stop>;

    /// What crossed the edges so far; nothing is counted for automata.
    fn crossed(&self) -> Crossed;

    /// The greatest speed and the like so far, with places and times; nothing is noted for automata.
    fn extremes(&self) -> Extremes;

    /// Whether it is faster if given many steps at a time; if so, of how many their number had best be
    /// a multiple.
    fn steps_at_once(&self) -> Option<u64> {
        None
    }

    /// Where each link stands, in the order of the forcing's.
    fn links(&self) -> Outcome<Vec<LinkState>>;

    /// What of the ledger's inflow and outflow went through which port.
    fn booked(&self) -> Outcome<Booked>;

    /// What is known of each of the problem's gauges, in their order. The last state is part of it once the run
    /// [concludes](Backend::conclude).
    fn gauges(&self) -> Outcome<Vec<GaugeState>>;

    /// Columns and rows of the grid.
    fn shape(&self) -> (usize, usize);

    /// The ledger now.
    fn ledger(&self) -> Ledger;

    /// Number of cells that hold water.
    fn wet_cells(&self) -> usize;

    /// A row of a layer (grains), one number per column; 0 outside the domain.
    fn read_grains(&self, layer: StateLayer, row: usize, to: &mut [i32]) -> Outcome<()>;

    /// A row of arrival times (s, or steps): −1 where water has not arrived.
    fn read_arrival(&self, row: usize, to: &mut [f32]) -> Outcome<()>;

    /// A row of a plane (bits); what it holds outside the domain means nothing.
    ///
    /// # Panics
    /// If the problem has no such plane.
    fn read_plane(&self, plane: Plane, row: usize, to: &mut [u32]) -> Outcome<()>;

    /// Unit discharges over edges (m²/s) of the last step, or velocities (m/s), eastward (axis 0) and southward
    /// (axis 1) above 0. Along axis 0 those of a row: one more than columns, each lies west of its column; along axis 1
    /// those north of row `line`, or south of the last row, which is the line before.
    ///
    /// # Panics
    /// If the problem [has none](Problem::has).
    fn read_flow(&self, field: EdgeField, axis: usize, line: usize, to: &mut [f32]) -> Outcome<()>;

    /// Some cells of a layer (grains), by their numbers, row-major over the grid; cheapest in the order of
    /// their rows.
    fn read_cells(&self, layer: StateLayer, cells: &[usize], to: &mut [i32]) -> Outcome<()> {
        probe::cells_by_rows(self, layer, cells, to)
    }

    /// Unit discharges (m²/s) or velocities (m/s) over some edges, as [`Backend::read_flow`] has them.
    ///
    /// # Panics
    /// If the problem [has none](Problem::has).
    fn read_edges(&self, field: EdgeField, edges: &[EdgeAt], to: &mut [f32]) -> Outcome<()> {
        probe::edges_by_lines(self, field, edges, to)
    }

    /// Looks at the state at the end of a run, at a time (s, or steps), for the [tracks](Problem::tracks) and
    /// [gauges](Problem::gauges).
    fn conclude(&mut self, time: f32) -> Outcome<()>;

    /// Whether the cells of a row lie in the domain.
    fn read_domain(&self, row: usize, to: &mut [bool]);

    /// Columns and rows of a tile.
    fn tile(&self) -> (usize, usize);

    /// What it runs on, for people: `CPU, 2 threads, AVX-512`.
    fn describe(&self) -> String;
}
