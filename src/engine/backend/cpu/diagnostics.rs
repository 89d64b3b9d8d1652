//! Diagnostics of a tile, recorded from its state at the start of a step, and its losses to ground,
//! sewers and air.

use super::flow_diagnostics::FlowingRow;
use super::loss_rows::{GroundBlock, LossRow, LossTable};
use super::rain::Basin;
use super::shared::Shared;
use super::tiles::{Tile, Tiles};
use super::window::PADDING;
use crate::cell_diagnostics::{self, CellDiagnostic, RowFlow, RowTables, StateTime};
use crate::crossed_sides::CrossedSides;
use crate::forcing::step::Step;
use crate::grains::phase;
use crate::lanes::{InstructionSet, Real, WithLanes};
use crate::losses::{StepLosses, Taken};
use crate::run_diagnostics::Maxima;
use crate::subgrid::lookup::CellTables;

/// Inputs and outputs of cell diagnostics.
pub struct TrackBuffers<'a> {
    pub cell_diagnostics: &'a [CellDiagnostic],
    pub now: StateTime,
    pub water: &'a [i32],
    /// Discharges and velocities across the edges east and south of each cell, if available.
    pub flows: [[&'a [f32]; 2]; 2],
    /// Subgrid tables of the cells, if any.
    pub tables: Option<CellTables<'a>>,
    /// Planes of the cell diagnostics.
    pub planes: &'a [Shared<'a, u32>],
    /// Flags of wet rows.
    pub wet: &'a [bool],
    pub rows: usize,
    pub stride: usize,
    pub lead: usize,
    /// Run diagnostics before the step.
    pub maxima: Maxima,
    pub instructions: InstructionSet,
}

impl Tile {
    /// Records the tile's state. Returns its greatest values if speeds are recorded.
    pub fn record(&self, all: &TrackBuffers) -> Maxima {
        all.instructions.run(TileRecord { tile: self, all })
    }
}

/// Recording of a tile's state.
struct TileRecord<'a> {
    tile: &'a Tile,
    all: &'a TrackBuffers<'a>,
}

impl WithLanes for TileRecord<'_> {
    type Output = Maxima;

    #[inline(always)]
    fn with<V: Real>(self) -> Maxima {
        let TileRecord { tile, all } = self;
        let mut found = Maxima::default();
        let (places, _) = cell_diagnostics::first_planes(all.cell_diagnostics);
        let area = tile.area;
        let wet = &all.wet[Tiles::rows_of(tile.across, all.rows, area.row..area.row + area.rows)];
        for row in (area.row..area.row + area.rows).filter(|row| wet[row - area.row]) {
            let start = all.lead + row * all.stride + area.column;
            let cells = start..start + area.columns;
            for (&diagnostic, &place) in all.cell_diagnostics.iter().zip(&places) {
                let flow = diagnostic.flows().map(|field| {
                    let [east, south] = all.flows[field as usize];
                    RowFlow {
                        along: &east[start - 1..cells.end + PADDING],
                        before: &south[start - all.stride..cells.end - all.stride + PADDING],
                        after: &south[start..cells.end + PADDING],
                    }
                });
                if let (CellDiagnostic::Speed, Some(flow)) = (diagnostic, flow) {
                    let (water, number) = (&all.water[start..], start - all.lead);
                    let (metres, cells) = (all.now.metres, area.columns);
                    let row = FlowingRow { water, metres, flow, cells, number };
                    // SAFETY: the arrays are PADDING longer than their cells, and there are at most
                    // PADDING lanes.
                    unsafe { row.record::<V>(all.maxima, &mut found) };
                }
                let planes = &all.planes[place..place + diagnostic.planes()];
                // SAFETY: tiles do not overlap, so only the thread of this tile accesses these
                // cells.
                let planes = planes.iter().map(|plane| unsafe { plane.cells(cells.clone()) });
                let mut planes: Vec<&mut [u32]> = planes.collect();
                let tables = all.tables.map(|tables| RowTables { tables, at: start });
                cell_diagnostics::record(
                    diagnostic,
                    all.now,
                    &all.water[cells.clone()],
                    flow,
                    tables,
                    &mut planes,
                );
            }
        }
        for &(cell, sides) in &tile.sites.crossed {
            all.record_crossed(cell, sides, &places, &mut found);
        }
        found
    }
}

impl TrackBuffers<'_> {
    /// Records the flow in a cell (column and row of the frame) with crossed sides, which is not
    /// less than what its row has recorded without them; `places` are the diagnostics' first planes.
    fn record_crossed(
        &self,
        (column, row): (usize, usize),
        sides: CrossedSides,
        places: &[usize],
        found: &mut Maxima,
    ) {
        let at = self.lead + row * self.stride + column;
        let water = [self.water[at]];
        if water[0] <= 0 {
            return;
        }
        for (&diagnostic, &place) in self.cell_diagnostics.iter().zip(places) {
            let Some(field) = diagnostic.flows() else { continue };
            let [east, south] = self.flows[field as usize];
            let faces = [east[at - 1], east[at], south[at - self.stride], south[at]];
            let [west, east, north, south] = sides.complete(faces);
            let flow = RowFlow { along: &[west, east], before: &[north], after: &[south] };
            if diagnostic == CellDiagnostic::Speed {
                let (metres, number) = (self.now.metres, at - self.lead);
                let cell = FlowingRow { water: &water, metres, flow, cells: 1, number };
                // SAFETY: a single lane needs nothing beyond the cell.
                unsafe { cell.record::<f32>(self.maxima, found) };
            }
            // SAFETY: tiles do not overlap, so only the thread of this tile accesses the cell.
            let plane = unsafe { self.planes[place].cells(at..at + 1) };
            cell_diagnostics::record(diagnostic, self.now, &water, Some(flow), None, &mut [plane]);
        }
    }
}

impl Tile {
    /// Applies the losses to the tile's water, and returns them.
    pub fn take_losses(&self, step: &Step, losses: &LossTable, basin: Basin) -> Taken {
        if !self.is_wet() {
            return Taken::default();
        }
        let evaporation = losses.evaporation.map(|layer| step.increments[layer]);
        let step = StepLosses::new(step.dt, phase(step.number), basin.grain, evaporation);
        basin.instructions.run(TileLosses { tile: self, step, losses, basin })
    }
}

/// Losses of a tile in a step.
struct TileLosses<'a> {
    tile: &'a Tile,
    step: StepLosses,
    losses: &'a LossTable,
    basin: Basin<'a>,
}

impl WithLanes for TileLosses<'_> {
    type Output = Taken;

    #[inline(always)]
    fn with<V: Real>(self) -> Taken {
        let TileLosses { tile, step, losses, basin } = self;
        let mut all = Taken::default();
        let soaked = basin.soaked.expect("losses have it");
        let area = tile.area;
        let mut ground = GroundBlock::new(losses);
        for row in area.row..area.row + area.rows {
            let number = tile.across * basin.rows + row;
            // SAFETY: tiles do not overlap, so only the thread of this tile accesses this row of
            // its column of tiles.
            if !*unsafe { basin.wet.cell(number) } {
                continue;
            }
            let start = basin.lead + row * basin.stride + area.column;
            let cells = start..start + area.columns;
            let first =
                (basin.corner.1 + row) * basin.padded_columns + basin.corner.0 + area.column;
            // SAFETY: tiles do not overlap, so only the thread of this tile accesses these cells.
            let cells = unsafe {
                LossRow {
                    water: basin.water.cells(cells.clone()),
                    rain: basin.rained.map(|rained| rained.cells(cells.clone())),
                    soaked: soaked.cells(cells.clone()),
                    excess: basin.excess.map(|excess| excess.cells(cells.clone())),
                    flags: &basin.flags[first..first + area.columns],
                    kinds: basin.kinds.map(|kinds| &kinds[cells.clone()]),
                }
            };
            all += step.take_row(&mut ground, cells);
        }
        all
    }
}
