//! The CPU backend: rayon over tiles and bands of rows, lanes within a row.

mod advance;
mod astray;
mod edge_cross;
mod edge_levels;
mod edge_rows;
mod edge_scratch;
mod edge_settle;
mod feed;
mod flow_notes;
mod frame;
mod gather;
mod gauged;
mod move_cross;
mod notes;
mod resume;
mod rows;
mod run_out;
mod scratch;
mod tile;
mod turn_rows;
mod watch;

use super::{Backend, Crossed, EdgeAt, Problem, Stop};
use crate::error::Result as Outcome;
use crate::extremes::{self, Extremes, Peaks};
use crate::field::{Field, Role};
use crate::forcing::link::{LinkState, Links};
use crate::forcing::ports::Booked;
use crate::forcing::step::Step;
use crate::forcing::timeline::Timeline;
use crate::gauged::{GaugeState, Gauges};
use crate::grains::{Grain, Rounding, SHALLOW_WATER, phase};
use crate::lanes::InstructionSet;
use crate::ledger::Ledger;
use crate::losses::Losses;
use crate::neighbourhood::Neighbourhood;
use crate::pace::{Limits, Pace, Until};
use crate::rule::AnyRule;
use crate::rule::edge::{Axis, EdgeField};
use crate::tiling::plan::TilePlan;
use crate::track::{Look, Track};
use advance::{Inbox, TileStep};
use rayon::prelude::*;
use tile::TileState;

/// Columns and rows of a tile unless the user says otherwise: small enough to skip dry ground, wide
/// enough for long rows of lanes.
pub const DEFAULT_TILE: (usize, usize) = (512, 256);

/// Bytes of state per cell: bed, water twice, maximum, arrival, domain; with the discharges,
/// velocities and roughness that a problem may have.
pub fn bytes_per_cell(problem: &Problem) -> usize {
    // Tiles keep what they work out of their neighbours' twice.
    let copies = |field: &Field| match field.role(problem) {
        Role::Input | Role::Note => 1,
        _ if field.is_of_flow() => 2,
        _ => 1,
    };
    1 + 4 * problem.fields().iter().map(copies).sum::<usize>()
}

/// How the CPU backend is run. No setting changes a bit of the results.
#[derive(Clone, Copy, Debug)]
pub struct CpuOptions {
    /// Columns and rows of a tile.
    pub tile: (usize, usize),
    /// Instruction set.
    pub instructions: InstructionSet,
    /// Skip tiles and rows that are dry and stay dry.
    pub activity: bool,
}

impl Default for CpuOptions {
    fn default() -> CpuOptions {
        CpuOptions { tile: DEFAULT_TILE, instructions: InstructionSet::best(), activity: true }
    }
}

/// State and stepping on the CPU, on rayon's current thread pool.
pub struct CpuBackend {
    plan: TilePlan,
    tiles: Vec<TileState>,
    inboxes: Vec<Inbox>,
    rule: AnyRule,
    neighbourhood: Neighbourhood,
    grain: Grain,
    timeline: Timeline,
    /// 1 / the distance of cells along and across the rows (m⁻¹).
    inverse: [f32; 2],
    links: Links,
    options: CpuOptions,
    forced: bool,
    losses: Option<Losses>,
    tracks: Vec<Track>,
    gauges: Gauges,
    /// Whether velocities are known, now or by what is kept.
    has_velocity: bool,
    watch: Extremes,
}

impl CpuBackend {
    /// Sets up the state of a problem.
    pub fn new(problem: Problem, options: CpuOptions) -> CpuBackend {
        let Problem { grid, bed, open, .. } = &problem;
        let plan = TilePlan::new(grid.columns, grid.rows, options.tile, frame::REACH);
        let datum = bed.datum();
        let rim = open.rim_ghosts(bed, grid.columns, grid.rows);
        let mut tiles: Vec<TileState> = plan
            .tiles
            .par_iter()
            .map(|tile| TileState::new(tile.area, &problem, datum, &rim))
            .collect();
        // The rest of the problem, its rasters among it, goes here.
        let inverse = grid.inverse_cell();
        let timeline = Timeline::of(&problem.forcing, problem.grain, bed);
        let links = Links::new(&problem.forcing.links, grid, bed, problem.grain);
        let (gauges, has_velocity) =
            (Gauges::new(&problem.gauges), problem.has(EdgeField::Velocity));
        let Problem { rule, neighbourhood, forcing, grain, mut losses, tracks, .. } = problem;
        // Every tile has its part of it.
        if let Some(losses) = &mut losses {
            losses.of_cell = Vec::new();
        }
        feed::distribute(&forcing, &plan, &mut tiles);
        let sites = [forcing.top_up.len(), forcing.held.len(), forcing.free.len()];
        let forced = !forcing.rates.is_empty() || sites.iter().any(|&count| count > 0);
        let inboxes = tiles.iter().map(|_| Inbox::default()).collect();
        CpuBackend {
            plan,
            tiles,
            inboxes,
            rule,
            neighbourhood,
            grain,
            timeline,
            inverse,
            links,
            options,
            forced,
            losses,
            tracks,
            gauges,
            has_velocity,
            watch: Extremes::default(),
        }
    }

    /// What is known of an edge.
    fn edge(&self, field: EdgeField, edge: EdgeAt) -> f32 {
        // It belongs to the cell before it; those before the grid's first cells are with the first tiles.
        let [column, row] = match edge.axis {
            0 => [edge.place as isize - 1, edge.line as isize],
            _ => [edge.place as isize, edge.line as isize - 1],
        };
        let owner = self.plan.owner(column.max(0) as usize, row.max(0) as usize);
        self.tiles[owner].edge(field, edge.axis, column, row)
    }

    /// The tile and its local row and first column, for reading a row of the grid tile by tile.
    fn row_parts(&self, row: usize) -> impl Iterator<Item = (&TileState, usize, usize)> {
        let first = self.plan.owner(0, row);
        let area = self.plan.tiles[first].area;
        let across = self.plan.grid.0.div_ceil(area.columns);
        self.tiles[first..first + across]
            .iter()
            .map(move |tile| (tile, row - tile.area.row, tile.area.column))
    }
}

/// Water got deeper than the grain allows.
#[derive(Clone, Copy, Debug)]
struct TooDeep;

impl CpuBackend {
    /// Takes a step that ends at a time (s, or steps).
    fn step(&mut self, step: &Step, end: f64) -> Result<(), TooDeep> {
        let (plan, tiles) = (&self.plan, &mut self.tiles);
        self.links.step(step.dt, |cell, by| {
            let (column, row) = (cell % plan.grid.0, cell / plan.grid.0);
            tiles[plan.owner(column, row)].change(column, row, by)
        });
        self.look(Look::new(step.start, step.end, self.grain.metres()));
        let grain = self.grain;
        if self.forced {
            self.tiles.par_iter_mut().try_for_each(|tile| tile.force(step, grain))?;
        }
        let momentum = self.rule.has_momentum();
        if momentum {
            let phase = phase(step.number);
            self.tiles.iter_mut().for_each(|tile| tile.run_out_first(step.dt, phase, grain));
        }
        if let Some(losses) = &self.losses {
            self.tiles.par_iter_mut().for_each(|tile| tile.soak(losses, step, grain));
        }
        // Tiles that are dry, and have no wet tile beside them, stay as they are.
        let active: Vec<bool> = self
            .plan
            .tiles
            .iter()
            .zip(&self.tiles)
            .map(|(plan, tile)| {
                let near = || plan.links.iter().any(|link| self.tiles[link.from].is_wet());
                !self.options.activity || tile.is_awake() || near()
            })
            .collect();
        // What sleeps holds no step up.
        self.tiles.iter_mut().for_each(|tile| tile.pace = 0.0);
        let (plan, tiles, remembers) = (&self.plan.tiles, &self.tiles, self.rule.remembers());
        self.inboxes.par_iter_mut().zip(&active).enumerate().for_each(
            |(index, (inbox, active))| {
                if *active {
                    inbox.collect(&plan[index], tiles, remembers);
                }
            },
        );
        let deepest = self.tiles.iter().map(TileState::deepest).max().unwrap_or(0);
        let threads = rayon::current_num_threads();
        let busy = active.iter().filter(|active| **active).count();
        let settings = TileStep {
            rule: self.rule,
            neighbourhood: self.neighbourhood,
            grain: self.grain,
            axes: Axis::both(step.dt, self.inverse, self.grain),
            rounding: Rounding::new(self.grain, self.neighbourhood.neighbours(), step.number),
            checked: deepest >= SHALLOW_WATER,
            end: step.end,
            instructions: self.options.instructions,
            // With few tiles the rows of a tile are shared out among the threads too.
            bands: threads > 1 && busy < 4 * threads,
            skip_dry_rows: self.options.activity,
            peaks: self.watch.peaks,
            looks: extremes::looks(step.number),
        };
        self.tiles
            .par_iter_mut()
            .zip(&self.inboxes)
            .zip(&self.plan.tiles)
            .zip(&active)
            .filter(|(_, active)| **active)
            .try_for_each(|(((tile, inbox), plan), _)| tile.flow(&settings, plan, inbox))?;
        if momentum {
            let (plan, tiles) = (&self.plan.tiles, &self.tiles);
            let inboxes = self.inboxes.par_iter_mut().zip(plan).zip(&active);
            inboxes
                .filter(|(_, active)| **active)
                .for_each(|((inbox, plan), _)| inbox.collect_water(plan, tiles));
            let tiles = self.tiles.par_iter_mut().zip(&self.inboxes);
            tiles
                .zip(&self.plan.tiles)
                .zip(&active)
                .filter(|(_, active)| **active)
                .for_each(|(((tile, inbox), plan), _)| tile.turn(&settings, plan, inbox));
        }
        self.note_peaks(&active, end);
        Ok(())
    }

    /// Takes up the greatest values of a step that ends at a time (s, or steps).
    fn note_peaks(&mut self, active: &[bool], end: f64) {
        let columns = self.plan.grid.0;
        let tiles = self.tiles.iter().zip(active).filter(|(_, active)| **active);
        let peaks = tiles.map(|(tile, _)| tile.peaks.moved(|place| tile.cell_at(place, columns)));
        let found = peaks.fold(Peaks::default(), Peaks::with);
        self.watch.note(found, end);
    }
}

impl CpuBackend {
    /// Looks at the state, for the run's tracks and gauges.
    fn look(&mut self, now: Look) {
        self.look_at_gauges(now);
        if !self.tracks.is_empty() {
            self.tiles.par_iter_mut().for_each(|tile| tile.look(&self.tracks, now));
        }
    }
}

impl Backend for CpuBackend {
    fn advance(&mut self, steps: &[Step]) -> Result<(), Stop> {
        for step in steps {
            let end = f64::from(step.end);
            self.step(step, end).map_err(|TooDeep| Stop::TooDeep { step: step.number })?;
        }
        Ok(())
    }

    fn advance_paced(&mut self, pace: &mut Pace, limits: Limits, until: Until) -> Result<(), Stop> {
        while let Some(stride) = pace.stride(limits, until) {
            let step = self.timeline.step(stride);
            self.step(&step, stride.end).map_err(|TooDeep| Stop::TooDeep { step: step.number })?;
            pace.rate = self.tiles.iter().map(|tile| tile.pace).fold(0.0, f32::max);
        }
        Ok(())
    }

    fn crossed(&self) -> Crossed {
        let mut all = Crossed::default();
        self.tiles.iter().for_each(|tile| all += tile.crossed);
        all
    }

    fn extremes(&self) -> Extremes {
        self.watch
    }

    fn links(&self) -> Outcome<Vec<LinkState>> {
        Ok(self.links.states.clone())
    }

    fn booked(&self) -> Outcome<Booked> {
        let mut booked = Booked::default();
        self.tiles.iter().for_each(|tile| booked.add_all(&tile.booked));
        Ok(booked)
    }

    fn gauges(&self) -> Outcome<Vec<GaugeState>> {
        Ok(self.gauges.states.clone())
    }

    fn shape(&self) -> (usize, usize) {
        self.plan.grid
    }

    fn ledger(&self) -> Ledger {
        let mut ledger = Ledger::default();
        for tile in self.tiles.par_iter().map(TileState::ledger).collect::<Vec<_>>() {
            ledger += tile;
        }
        ledger
    }

    fn wet_cells(&self) -> usize {
        self.tiles.par_iter().map(TileState::wet_cells).sum()
    }

    fn read(&self, field: Field, line: usize, to: &mut [u32]) -> Outcome<()> {
        // A number of an edge belongs to the cell before it; tiles know those before their own cells, too.
        let (_, above) = field.before();
        for (tile, local, column) in self.row_parts(line.saturating_sub(above)) {
            let local = if line < above { -1 } else { local as isize };
            let cells = tile.line(field, local);
            to[column..column + cells.len()].copy_from_slice(cells);
        }
        Ok(())
    }

    fn read_places(&self, field: Field, places: &[(usize, usize)], to: &mut [u32]) -> Outcome<()> {
        let (left, above) = field.before();
        for (&(place, line), to) in places.iter().zip(to) {
            let (column, row) = (place.saturating_sub(left), line.saturating_sub(above));
            let tile = &self.tiles[self.plan.owner(column, row)];
            let local = line as isize - above as isize - tile.area.row as isize;
            *to = tile.line(field, local)[place - tile.area.column];
        }
        Ok(())
    }

    fn conclude(&mut self, time: f32) -> Outcome<()> {
        self.look(Look::new(time, time, self.grain.metres()));
        Ok(())
    }

    fn read_domain(&self, row: usize, to: &mut [bool]) {
        for (tile, local, column) in self.row_parts(row) {
            let cells = tile.domain(local);
            to[column..column + cells.len()].copy_from_slice(cells);
        }
    }

    fn tile(&self) -> (usize, usize) {
        self.options.tile
    }

    fn describe(&self) -> String {
        let threads = rayon::current_num_threads();
        let plural = if threads == 1 { "" } else { "s" };
        format!("CPU, {threads} thread{plural}, {}", self.options.instructions.name())
    }
}
