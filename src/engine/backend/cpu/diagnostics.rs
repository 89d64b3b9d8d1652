//! Diagnostics of a tile, recorded from its state at the start of a step, and its losses to ground,
//! sewers and air.

use super::flow_diagnostics::FlowingRow;
use super::rain::Basin;
use super::shared::Shared;
use super::tiles::{Tile, Tiles};
use crate::backend::padded_grid::INSIDE;
use crate::cell_diagnostics::{self, CellDiagnostic, RowFlow, RowTables, StateTime};
use crate::forcing::step::Step;
use crate::grains::phase;
use crate::losses::{Losses, StepLosses, Taken};
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
}

impl Tile {
    /// Records the tile's state. Returns its greatest values if speeds are recorded.
    pub fn record(&self, all: &TrackBuffers) -> Maxima {
        let mut found = Maxima::default();
        let (places, _) = cell_diagnostics::first_planes(all.cell_diagnostics);
        let area = self.area;
        let wet = &all.wet[Tiles::rows_of(self.across, all.rows, area.row..area.row + area.rows)];
        for row in (area.row..area.row + area.rows).filter(|row| wet[row - area.row]) {
            let start = all.lead + row * all.stride + area.column;
            let cells = start..start + area.columns;
            for (&diagnostic, &place) in all.cell_diagnostics.iter().zip(&places) {
                let flow = diagnostic.flows().map(|field| {
                    let [east, south] = all.flows[field as usize];
                    RowFlow {
                        along: &east[start - 1..cells.end],
                        before: &south[start - all.stride..cells.end - all.stride],
                        after: &south[cells.clone()],
                    }
                });
                if let (CellDiagnostic::Speed, Some(flow)) = (diagnostic, flow) {
                    let (water, number) = (&all.water[cells.clone()], start - all.lead);
                    let (metres, cells) = (all.now.metres, area.columns);
                    let row = FlowingRow { water, metres, flow, cells, number };
                    // SAFETY: a single lane at each cell stays within the row.
                    unsafe { row.record::<f32>(all.maxima, &mut found) };
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
        found
    }
}

impl Tile {
    /// Applies the losses to the tile's water, and returns them.
    pub fn take_losses(&self, step: &Step, losses: &Losses, basin: Basin) -> Taken {
        let mut all = Taken::default();
        if !self.is_wet() {
            return all;
        }
        let soaked = basin.soaked.expect("losses have it");
        let evaporation = losses.evaporation.map(|layer| step.increments[layer]);
        let step_losses = StepLosses::new(step.dt, phase(step.number), basin.grain, evaporation);
        let area = self.area;
        for row in area.row..area.row + area.rows {
            let number = self.across * basin.rows + row;
            // SAFETY: tiles do not overlap, so only the thread of this tile accesses this row of
            // its column of tiles.
            if !*unsafe { basin.wet.cell(number) } {
                continue;
            }
            let start = basin.lead + row * basin.stride + area.column;
            let cells = start..start + area.columns;
            // SAFETY: tiles do not overlap, so only the thread of this tile accesses these cells.
            let (water, soaked, mut excess, mut rained) = unsafe {
                (
                    basin.water.cells(cells.clone()),
                    soaked.cells(cells.clone()),
                    basin.excess.map(|excess| excess.cells(cells.clone())),
                    basin.rained.map(|rained| rained.cells(cells.clone())),
                )
            };
            let kinds = basin.kinds.map(|kinds| &kinds[cells.clone()]);
            let first =
                (basin.corner.1 + row) * basin.padded_columns + basin.corner.0 + area.column;
            let flags = &basin.flags[first..first + area.columns];
            for at in 0..area.columns {
                let rain = rained.as_mut().map_or(0, |rain| std::mem::take(&mut rain[at]) as i32);
                if water[at] <= 0 || flags[at] & INSIDE == 0 {
                    continue;
                }
                let kind = kinds.map_or(0, |kinds| kinds[at] as usize);
                let ground = &losses.grounds[kind];
                let beyond = excess.as_mut().map(|excess| &mut excess[at]);
                all += step_losses.take(ground, &mut water[at], rain, &mut soaked[at], beyond);
            }
        }
        all
    }
}
