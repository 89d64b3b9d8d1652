//! Backends: where the state lives and the arithmetic is done.
//!
//! A backend knows tiles, memory and numbers, never a file. What it is asked to do in a step is the
//! same for every backend, and so are the bits that come out.

pub mod canvas;
pub mod cpu;
pub mod cuda;
pub mod framed;
pub mod ground;
pub mod worker;

use crate::boundary::OpenEdges;
use crate::error::{Error, Result as Outcome};
use crate::forcing::link::LinkState;
use crate::forcing::{Forcing, Increment};
use crate::grains::Grain;
use crate::grid::{Bed, Grid};
use crate::ledger::Ledger;
use crate::neighbourhood::Neighbourhood;
use crate::pace::{Limits, Pace, Until};
use crate::roughness::Roughness;
use crate::rule::AnyRule;

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
}

/// What happens in one step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Number of the step, from 0.
    pub number: u64,
    /// Its length (s, or 1 step).
    pub dt: f32,
    /// Time at its end (s, or steps).
    pub end: f32,
    /// Running totals of the forcing's rate layers, in their order.
    pub increments: Vec<Increment>,
    /// Levels of the groups of cells whose level is held, in their order (grains above the bed's datum).
    pub levels: Vec<i64>,
}

/// What cells gave over their edges under a timed rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossed {
    /// What did (grains).
    pub crossed: u64,
    /// What would have, had there been enough water in the giver and had the step been shorter (grains). A
    /// giver without any water does not count.
    pub cut: u64,
}

impl Crossed {
    /// The share of the flow that was cut, 0 to 1.
    pub fn share_cut(&self) -> f64 {
        let all = self.crossed as f64 + self.cut as f64;
        if all > 0.0 { self.cut as f64 / all } else { 0.0 }
    }
}

impl std::ops::AddAssign for Crossed {
    fn add_assign(&mut self, other: Crossed) {
        self.crossed += other.crossed;
        self.cut += other.cut;
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

    /// Whether it is faster if given many steps at a time; if so, of how many their number had best be
    /// a multiple.
    fn steps_at_once(&self) -> Option<u64> {
        None
    }

    /// Where each link stands, in the order of the forcing's.
    fn links(&self) -> Outcome<Vec<LinkState>>;

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

    /// Whether the cells of a row lie in the domain.
    fn read_domain(&self, row: usize, to: &mut [bool]);

    /// Columns and rows of a tile.
    fn tile(&self) -> (usize, usize);

    /// What it runs on, for people: `CPU, 2 threads, AVX-512`.
    fn describe(&self) -> String;
}
