//! The canvas: the grid with its margin of ghosts and walls, as whole arrays in the host's memory, from
//! which frames are loaded and to which they are stored.

mod restore;

use crate::backend::ground::ground;
use crate::backend::worker::Totals;
use crate::backend::{Crossed, Plane, Problem};
use crate::extremes::Extremes;
use crate::forcing::ports::{self, Booked, Port};
use crate::forcing::zones::Zones;
use crate::forcing::{Footprint, Share};
use crate::grid::Bed;
use crate::ledger::Ledger;
use crate::roughness::Roughness;
use crate::rule::edge::EdgeField;
use crate::tiling::plan::Rect;
use crate::tiling::visit::MARGIN;
use rayon::prelude::*;
use std::sync::Arc;

/// Arrival time of water that has not arrived.
pub use crate::track::NEVER;

/// Flag of a cell in the domain: it gets rain.
pub const INSIDE: u8 = 1;
/// Flag of a cell that is emptied after every step: a loss.
pub const SINK: u8 = 2;
/// Flag of a ghost beyond an open edge, emptied after every step: outflow.
pub const DRAIN: u8 = 4;
/// Times the side of a drain, 0 to 3 in the order of [`ports::NAMES`]: it stands beside its flag.
pub const SIDE: u8 = 32;

/// Flag of a cell whose water stays what it is while it flows: its level is held under a rule with momentum.
pub const PINNED: u8 = 8;

/// Flag of a cell that water leaves at normal depth once it has flowed, under a rule without momentum: what is noted
/// of it is noted then.
pub const LEAVES: u8 = 16;

/// Numbers over the edges east and south of each cell, of both kinds of [`EdgeField`].
pub type EdgeLayers = [[Vec<f32>; 2]; 2];

/// The state of the whole grid. Arrays are row-major over the canvas unless they say otherwise.
#[derive(Debug)]
pub struct Canvas {
    /// Columns of the canvas.
    pub columns: usize,
    /// Rows of the canvas.
    pub rows: usize,
    /// Bed height above the datum (2⁻¹⁶ m), [`Bed::WALL`] where there is no ground.
    pub bed: Vec<i32>,
    /// [`INSIDE`], [`SINK`], [`DRAIN`], [`PINNED`] and [`LEAVES`] per cell.
    pub flags: Vec<u8>,
    /// Water now, and after the visits under way (grains).
    pub water: [Vec<i32>; 2],
    /// Discharges (m²/s) and velocities (m/s) over the edges east and south of each cell, now and after the visits
    /// under way; empty if they need not be kept.
    pub edges: [EdgeLayers; 2],
    /// Manning's n (s/m^⅓); empty if it is the same everywhere.
    pub roughness: Vec<f32>,
    /// The most water so far (grains).
    pub most: Vec<i32>,
    /// When water first exceeded the threshold (s, or steps), or [`NEVER`].
    pub arrival: Vec<f32>,
    /// The share of each rate layer that has one per cell, row-major over the *grid*; empty for others.
    pub shares: Vec<Vec<Share>>,
    /// Planes of the problem, in their order (bits): now, and those that steps go on from after the visits under
    /// way; the others are empty there.
    pub planes: [Vec<Vec<u32>>; 2],
    /// The zones that rate layers have, those that differ, row-major over the *grid*.
    pub zones: Vec<Arc<Zones>>,
    /// What was brought and taken before, the water at the start among it (grains).
    pub before: Ledger,
    /// What crossed edges before.
    pub crossed_before: Crossed,
    /// The greatest speed and the like before.
    pub watch_before: Extremes,
    /// What went through which port before.
    pub booked_before: Booked,
    /// The cells that are [`PINNED`], with their ports, in rising order.
    pub ports: Vec<(usize, Port)>,
    /// Whether it was restored: discharges may be remembered from the start.
    pub restored: bool,
}

impl Canvas {
    /// Lays out a problem, and takes the shares out of its forcing.
    pub fn new(problem: &mut Problem) -> Canvas {
        let shares = problem.forcing.rates.iter_mut().map(|layer| match &mut layer.footprint {
            Footprint::Shares(shares) => std::mem::take(shares),
            _ => Vec::new(),
        });
        let shares = shares.collect();
        let problem = &*problem;
        let zones = problem.forcing.zones();
        let columns = problem.grid.columns + 2 * MARGIN;
        let rows = problem.grid.rows + 2 * MARGIN;
        let cells = columns * rows;
        let datum = problem.bed.datum();
        let rim = problem.open.rim_ghosts(&problem.bed, problem.grid.columns, problem.grid.rows);
        let mut bed = vec![0; cells];
        let mut flags = vec![0; cells];
        let mut water = vec![0; cells];
        let mut most = vec![0; cells];
        let mut arrival = vec![0.0; cells];
        let kept = |field| if problem.saves(field) { cells } else { 0 };
        // Zeros that no one has touched take no time.
        let layers = || EdgeField::ALL.map(|field| [(); 2].map(|()| vec![0.0; kept(field)]));
        let edges = [layers(), layers()];
        let roughness = rough_canvas(problem, &rim, datum, columns, rows);
        let initial = bed
            .par_chunks_mut(columns)
            .zip(flags.par_chunks_mut(columns))
            .zip(water.par_chunks_mut(columns))
            .zip(most.par_chunks_mut(columns))
            .zip(arrival.par_chunks_mut(columns))
            .enumerate()
            .map(|(row, ((((bed, flags), water), most), arrival))| {
                // Here and not above, so that all threads take part in getting the memory.
                bed.fill(Bed::WALL);
                arrival.fill(NEVER);
                let mut initial = 0i128;
                for column in 0..columns {
                    let place = [column, row].map(|at| at as isize - MARGIN as isize);
                    let Some(ground) = ground(problem, &rim, datum, place) else { continue };
                    bed[column] = ground.height;
                    flags[column] = ground.port.map_or(INSIDE, drain_of);
                    if let Some(&grains) = ground.cell.and_then(|cell| problem.initial.get(cell)) {
                        water[column] = grains;
                        most[column] = grains;
                        arrival[column] = if grains > problem.arrival { 0.0 } else { NEVER };
                        initial += i128::from(grains);
                    }
                }
                initial
            })
            .sum();
        let mut ports: Vec<(usize, Port)> = Vec::new();
        let sinks = &problem.forcing.sinks;
        mark(sinks, SINK, problem.grid.columns, columns, &mut flags);
        if problem.rule.has_momentum() {
            for held in &problem.forcing.held {
                mark(&held.cells, PINNED, problem.grid.columns, columns, &mut flags);
                let cells = held.cells.iter().zip(&held.holders);
                let at = |&cell: &usize| {
                    let (column, row) = (cell % problem.grid.columns, cell / problem.grid.columns);
                    (row + MARGIN) * columns + column + MARGIN
                };
                ports.extend(cells.map(|(cell, &holder)| (at(cell), ports::of_holder(holder))));
            }
            ports.sort_unstable();
        } else {
            let outlets: Vec<usize> = problem.forcing.free.iter().map(|free| free.cell).collect();
            mark(&outlets, LEAVES, problem.grid.columns, columns, &mut flags);
        }
        let next = vec![0; cells];
        let planes = problem.planes().into_iter().map(|plane| plane_canvas(problem, plane));
        let planes: Vec<Vec<u32>> = planes.collect();
        let after = |(plane, cells): (Plane, &Vec<u32>)| match plane.is_state() {
            true => cells.clone(),
            false => Vec::new(),
        };
        let next_planes = problem.planes().into_iter().zip(&planes).map(after).collect();
        let planes = [planes, next_planes];
        Canvas {
            columns,
            rows,
            bed,
            flags,
            water: [water, next],
            edges,
            roughness,
            most,
            arrival,
            shares,
            planes,
            zones,
            before: Ledger { initial, ..Ledger::default() },
            crossed_before: Crossed::default(),
            watch_before: Extremes::default(),
            booked_before: Booked::default(),
            ports,
            restored: false,
        }
    }

    /// Where a plane goes after a visit.
    pub fn plane_to(&mut self, number: usize) -> &mut Vec<u32> {
        let [now, next] = &mut self.planes;
        if next[number].is_empty() { &mut now[number] } else { &mut next[number] }
    }

    /// The grid's part of a row of a canvas array.
    pub fn grid_row<'a, T>(&self, array: &'a [T], row: usize) -> &'a [T] {
        let start = (row + MARGIN) * self.columns + MARGIN;
        &array[start..start + self.columns - 2 * MARGIN]
    }

    /// Counts the water now in some cells of the canvas.
    pub fn count(&self, cells: Rect) -> Totals {
        let mut totals = Totals::default();
        for row in cells.row..cells.row + cells.rows {
            let start = row * self.columns + cells.column;
            let water = &self.water[0][start..start + cells.columns];
            totals.stored += water.iter().map(|&grains| grains as u64).sum::<u64>();
            totals.wet += water.iter().filter(|&&grains| grains > 0).count() as u64;
        }
        totals
    }
}

/// Manning's n over the canvas, where it differs.
fn rough_canvas(
    problem: &Problem,
    rim: &[(usize, usize)],
    datum: i32,
    columns: usize,
    rows: usize,
) -> Vec<f32> {
    let Roughness::Cells(cells) = &problem.roughness else { return Vec::new() };
    // What lies beyond walls is never looked at.
    let mut roughness = vec![1.0; columns * rows];
    roughness.par_chunks_mut(columns).enumerate().for_each(|(row, roughness)| {
        for (column, n) in roughness.iter_mut().enumerate() {
            let place = [column, row].map(|at| at as isize - MARGIN as isize);
            if let Some(ground) = ground(problem, rim, datum, place) {
                *n = cells[ground.source];
            }
        }
    });
    roughness
}

/// A plane over the canvas.
fn plane_canvas(problem: &Problem, plane: Plane) -> Vec<u32> {
    let (columns, rows) = (problem.grid.columns, problem.grid.rows);
    let stride = columns + 2 * MARGIN;
    let mut cells = vec![0; stride * (rows + 2 * MARGIN)];
    let every = (plane != Plane::Kind).then(|| problem.initial_of(plane, 0));
    if every == Some(0) {
        return cells;
    }
    let inner = cells.par_chunks_mut(stride).skip(MARGIN).take(rows);
    inner.enumerate().for_each(|(row, cells)| {
        for (column, bits) in cells[MARGIN..MARGIN + columns].iter_mut().enumerate() {
            *bits = every.unwrap_or_else(|| problem.initial_of(plane, row * columns + column));
        }
    });
    cells
}

/// The flags of a ghost with a port.
fn drain_of(port: Port) -> u8 {
    DRAIN | port.trailing_zeros() as u8 * SIDE
}

/// The port of a cell with the flags of a ghost.
pub fn port_of_drain(flags: u8) -> Port {
    1 << (flags / SIDE % 4)
}

/// Marks cells of the grid that lie in the domain.
fn mark(cells: &[usize], as_one: u8, grid_columns: usize, columns: usize, flags: &mut [u8]) {
    for &cell in cells {
        let (column, row) = (cell % grid_columns, cell / grid_columns);
        let flag = &mut flags[(row + MARGIN) * columns + column + MARGIN];
        if *flag & INSIDE != 0 {
            *flag |= as_one;
        }
    }
}
