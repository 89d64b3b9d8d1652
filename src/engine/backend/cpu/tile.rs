//! The state of one tile.

use super::astray::Astray;
use super::edge_rows::AXES;
use super::frame::{Leaving, PADDING, REACH};
use crate::backend::ground::ground;
use crate::backend::{Crossed, Problem};
use crate::extremes::Peaks;
use crate::field::{Field, Place, bits, bits_mut};
use crate::forcing::ports::{Booked, Port};
use crate::forcing::zones::Zoned;
use crate::forcing::{Account, Share};
use crate::grid::Bed;
use crate::ledger::Ledger;
use crate::roughness::Roughness;
use crate::rule::edge::EdgeField;
use crate::tiling::halo::Shown;
use crate::tiling::plan::Rect;
use crate::track::NEVER;

/// A tile's part of a rate layer.
pub enum TileFootprint {
    Everywhere,
    /// A share per cell of the tile, row-major without halo.
    Shares(Vec<Share>),
    /// Place in the frame, and share.
    Cells(Vec<(usize, Share)>),
    /// A share per zone of the whole grid; the first number is that of the tile's first cell on it, the
    /// second the grid's number of columns.
    Zones(Zoned, usize, usize),
}

/// The state of a tile. Arrays called frames include the halo.
pub struct TileState {
    /// The cells it owns, in the grid.
    pub area: Rect,
    pub(super) stride: usize,
    /// Bed height above the datum (frame) (2⁻¹⁶ m).
    pub(super) bed: Vec<i32>,
    /// Water now and, while stepping, next (frames) (grains).
    pub(super) water: Vec<i32>,
    pub(super) next: Vec<i32>,
    /// Manning's n (frame) (s/m^⅓), or that of all cells.
    pub(super) roughness: Result<Vec<f32>, f32>,
    /// Discharge of the edges east and south of each cell, now and next (frames) (m²/s); empty if the
    /// problem has none.
    pub(super) discharge: [Vec<f32>; 2],
    pub(super) next_discharge: [Vec<f32>; 2],
    /// The same of velocities (m/s).
    pub(super) velocity: [Vec<f32>; 2],
    pub(super) next_velocity: [Vec<f32>; 2],
    /// Whether any discharge or velocity of its own is remembered.
    pub(super) moving: bool,
    /// 1 / the longest step that the last step's flow allowed (s⁻¹).
    pub(super) pace: f32,
    pub(super) crossed: Crossed,
    /// The greatest speed and the like of the last step, at places in the frame.
    pub(super) peaks: Peaks,
    /// Per frame row: whether it holds water.
    pub(super) row_wet: Vec<bool>,
    pub(super) next_wet: Vec<bool>,
    /// Most water so far, row-major without halo (grains).
    pub(super) most: Vec<i32>,
    /// When water first exceeded `threshold`, row-major without halo, or [`NEVER`].
    pub(super) arrival: Vec<f32>,
    pub(super) threshold: i32,
    /// The problem's other fields of cells, row-major without halo (bits).
    pub(super) planes: Vec<(Field, Vec<u32>)>,
    pub(super) deepest: i32,
    pub(super) rates: Vec<(Account, TileFootprint)>,
    /// Place in the frame, and water topped up to (grains).
    pub(super) top_up: Vec<(usize, i32)>,
    /// Place in the frame of cells whose level is held, the number of its level, and its port.
    pub(super) held: Vec<(usize, usize, Port)>,
    /// Place in the frame of cells that water leaves at normal depth, their conveyance, and the port.
    pub(super) free: Vec<(usize, f32, Port)>,
    /// (row, column) of sinks within the tile, in order.
    pub(super) sinks: Vec<(usize, usize)>,
    /// Per frame cell: whether it lies in the domain.
    pub(super) domain: Vec<bool>,
    /// (row, column) of ghost cells along the domain's rim within the tile, in order, and the port of each.
    pub(super) drains: Vec<(usize, usize, Port)>,
    pub(super) leaving: Leaving,
    pub(super) astray: Vec<Astray>,
    pub(super) ledger: Ledger,
    /// What of the ledger's inflow and outflow went through which port.
    pub(super) booked: Booked,
}

impl TileState {
    /// Sets up the tile that owns `area`, with heights above `datum`; `rim` is
    /// [`crate::boundary::OpenEdges::rim_ghosts`].
    pub fn new(area: Rect, problem: &Problem, datum: i32, rim: &[(usize, usize)]) -> TileState {
        let Problem { grid, initial, open, arrival: threshold, .. } = problem;
        let threshold = *threshold;
        let stride = area.columns + 2 * REACH;
        let frame_rows = area.rows + 2 * REACH;
        let mut heights = vec![Bed::WALL; stride * frame_rows + PADDING];
        let mut domain = vec![false; stride * frame_rows];
        let mut drains = Vec::new();
        let mut water = vec![0; stride * frame_rows + PADDING];
        let mut most = vec![0; area.cells()];
        let mut arrival = vec![NEVER; area.cells()];
        let mut row_wet = vec![false; frame_rows];
        let mut roughness = match problem.roughness {
            Roughness::Uniform(n) => Err(n),
            // What lies beyond walls is never looked at.
            Roughness::Cells(_) => Ok(vec![1.0; stride * frame_rows + PADDING]),
        };
        let mut ledger = Ledger::default();
        let mut deepest = 0;
        for frame_row in 0..frame_rows {
            let row = (area.row + frame_row) as isize - REACH as isize;
            for frame_column in 0..stride {
                let column = (area.column + frame_column) as isize - REACH as isize;
                let Some(ground) = ground(problem, rim, datum, [column, row]) else { continue };
                let at = frame_row * stride + frame_column;
                heights[at] = ground.height;
                if let Ok(roughness) = &mut roughness {
                    roughness[at] = problem.roughness.of(ground.source);
                }
                domain[at] = ground.cell.is_some();
                let own = (REACH..REACH + area.columns).contains(&frame_column)
                    && (REACH..REACH + area.rows).contains(&frame_row);
                let Some(cell) = ground.cell else {
                    if let Some(port) = ground.port.filter(|_| own) {
                        drains.push((frame_row - REACH, frame_column - REACH, port));
                    }
                    continue;
                };
                if own && !initial.is_empty() && initial[cell] > 0 {
                    let grains = initial[cell];
                    let place = (frame_row - REACH) * area.columns + (frame_column - REACH);
                    water[at] = grains;
                    most[place] = grains;
                    if grains > threshold {
                        arrival[place] = 0.0;
                    }
                    row_wet[frame_row] = true;
                    deepest = deepest.max(grains);
                    ledger.initial += i128::from(grains);
                }
            }
        }
        let side = |open: bool, at_edge: bool, place: usize| (open && at_edge).then_some(place);
        let leaving = Leaving {
            north: side(open.north, area.row == 0, REACH),
            south: side(open.south, area.row + area.rows == grid.rows, REACH + area.rows - 1),
            west: side(open.west, area.column == 0, REACH),
            east: side(
                open.east,
                area.column + area.columns == grid.columns,
                REACH + area.columns - 1,
            ),
        };
        let astray = Astray::all(area, problem, datum, rim);
        let layers = |field| {
            let length = if problem.has(field) { stride * frame_rows + PADDING } else { 0 };
            AXES.map(|_| vec![0.0; length])
        };
        TileState {
            area,
            stride,
            bed: heights,
            roughness,
            discharge: layers(EdgeField::Discharge),
            next_discharge: layers(EdgeField::Discharge),
            velocity: layers(EdgeField::Velocity),
            next_velocity: layers(EdgeField::Velocity),
            moving: false,
            pace: 0.0,
            crossed: Crossed::default(),
            peaks: Peaks::default(),
            next: water.clone(),
            next_wet: row_wet.clone(),
            water,
            row_wet,
            most,
            arrival,
            threshold,
            planes: problem
                .fields()
                .into_iter()
                .filter(|field| !has_an_array(*field))
                .map(|field| (field, tile_plane(problem, field, area)))
                .collect(),
            deepest,
            rates: Vec::new(),
            top_up: Vec::new(),
            held: Vec::new(),
            free: Vec::new(),
            sinks: Vec::new(),
            domain,
            drains,
            leaving,
            astray,
            ledger,
            booked: Booked::default(),
        }
    }

    /// Place in the frame of a cell of the grid that the tile owns.
    pub(super) fn place(&self, column: usize, row: usize) -> usize {
        (row - self.area.row + REACH) * self.stride + column - self.area.column + REACH
    }

    /// What is known of every edge of an axis (frame).
    pub fn edges(&self, field: EdgeField, axis: usize) -> &[f32] {
        match field {
            EdgeField::Discharge => &self.discharge[axis],
            EdgeField::Velocity => &self.velocity[axis],
        }
    }

    /// What is known of the edge of an axis ahead of a cell of the tile, or of its halo.
    pub fn edge(&self, field: EdgeField, axis: usize, column: isize, row: isize) -> f32 {
        let within = |at: isize, first: usize| (at - first as isize + REACH as isize) as usize;
        let at = within(row, self.area.row) * self.stride + within(column, self.area.column);
        self.edges(field, axis)[at]
    }

    /// The number in the grid, row-major, of the cell at a place of the frame.
    pub fn cell_at(&self, place: u32, columns: usize) -> u32 {
        let (row, column) = (place as usize / self.stride, place as usize % self.stride);
        ((row + self.area.row - REACH) * columns + column + self.area.column - REACH) as u32
    }

    /// Place in the frame of the first own cell of a row of the tile.
    pub(super) fn row_start(&self, row: usize) -> usize {
        (row + REACH) * self.stride + REACH
    }

    /// Whether a step may change it, whatever its neighbours do: it holds water, or remembers a flow.
    pub fn is_awake(&self) -> bool {
        self.is_wet() || self.moving
    }

    /// Whether any of its own cells holds water.
    pub fn is_wet(&self) -> bool {
        self.deepest > 0
    }

    /// No less than the deepest of its own cells (grains).
    pub fn deepest(&self) -> i32 {
        self.deepest
    }

    /// Own cells that hold water.
    pub fn wet_cells(&self) -> usize {
        let row = |row| self.water_of(row).iter().filter(|&&w| w > 0).count();
        if self.is_wet() { (0..self.area.rows).map(row).sum() } else { 0 }
    }

    /// A line of a field (bits), by the number of its row in the tile: that of the own cells' part, with the edge before
    /// it. The row before the first has edges south of it, too.
    ///
    /// # Panics
    /// If the tile has no such field.
    pub fn line(&self, field: Field, row: isize) -> &[u32] {
        let columns = self.area.columns;
        let start = (row + REACH as isize) as usize * self.stride + REACH;
        let own = row.max(0) as usize * columns;
        match field {
            Field::Water => bits(&self.water[start..start + columns]),
            Field::Most => bits(&self.most[own..own + columns]),
            Field::Arrival => bits(&self.arrival[own..own + columns]),
            Field::DischargeEast => bits(&self.discharge[0][start - 1..start + columns]),
            Field::DischargeSouth => bits(&self.discharge[1][start..start + columns]),
            Field::VelocityEast => bits(&self.velocity[0][start - 1..start + columns]),
            Field::VelocitySouth => bits(&self.velocity[1][start..start + columns]),
            Field::Bed => bits(&self.bed[start..start + columns]),
            _ => &self.planes[self.plane(field)].1[own..own + columns],
        }
    }

    /// The same to be written.
    pub fn line_mut(&mut self, field: Field, row: isize) -> &mut [u32] {
        let columns = self.area.columns;
        let start = (row + REACH as isize) as usize * self.stride + REACH;
        let own = row.max(0) as usize * columns;
        match field {
            Field::Water => bits_mut(&mut self.water[start..start + columns]),
            Field::Most => bits_mut(&mut self.most[own..own + columns]),
            Field::Arrival => bits_mut(&mut self.arrival[own..own + columns]),
            Field::DischargeEast => bits_mut(&mut self.discharge[0][start - 1..start + columns]),
            Field::DischargeSouth => bits_mut(&mut self.discharge[1][start..start + columns]),
            Field::VelocityEast => bits_mut(&mut self.velocity[0][start - 1..start + columns]),
            Field::VelocitySouth => bits_mut(&mut self.velocity[1][start..start + columns]),
            Field::Bed => bits_mut(&mut self.bed[start..start + columns]),
            _ => {
                let plane = self.plane(field);
                &mut self.planes[plane].1[own..own + columns]
            }
        }
    }

    /// The number of a field among the planes.
    fn plane(&self, field: Field) -> usize {
        let found = self.planes.iter().position(|(held, _)| *held == field);
        found.expect("a field of the tile")
    }

    /// A row of the water of own cells (grains).
    pub fn water_of(&self, row: usize) -> &[i32] {
        &self.water[self.row_start(row)..][..self.area.columns]
    }

    /// Whether the cells of a row lie in the domain.
    pub fn domain(&self, row: usize) -> &[bool] {
        &self.domain[self.row_start(row)..][..self.area.columns]
    }

    /// Its part of the ledger.
    pub fn ledger(&self) -> Ledger {
        let row = |row| self.water_of(row).iter().map(|&w| i64::from(w)).sum();
        let stored: i64 = (0..self.area.rows).map(|r| -> i64 { row(r) }).sum();
        Ledger { stored: i128::from(stored), ..self.ledger }
    }

    /// Its water with halo (grains).
    pub fn shown_water(&self) -> Shown<'_, i32> {
        Shown { cells: &self.water, stride: self.stride }
    }

    /// What is known of its edges of an axis, with halo.
    pub fn shown_edges(&self, field: EdgeField, axis: usize) -> Shown<'_, f32> {
        Shown { cells: self.edges(field, axis), stride: self.stride }
    }
}

/// Whether a tile keeps a field in an array of its own, which its kernels know by name.
fn has_an_array(field: Field) -> bool {
    let named = [Field::Water, Field::Most, Field::Arrival, Field::Bed, Field::Roughness];
    named.contains(&field) || field.row().place != Place::Cell
}

/// A tile's part of a field.
fn tile_plane(problem: &Problem, field: Field, area: Rect) -> Vec<u32> {
    let of = field.first(problem);
    let first = |row: usize| (area.row + row) * problem.grid.columns + area.column;
    (0..area.rows).flat_map(|row| first(row)..first(row) + area.columns).map(of).collect()
}
