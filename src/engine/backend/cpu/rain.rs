//! Rain over the map, and other sources over more than single cells of a tile when a step begins.

use super::TooDeep;
use super::shared::Shared;
use super::tiles::Tile;
use crate::backend::canvas::INSIDE;
use crate::forcing::sites::Tally;
use crate::forcing::step::Step;
use crate::forcing::zones::Zoned;
use crate::forcing::{Account, Increment, Share};
use crate::grains::{Grain, MAX_WATER};
use crate::lanes::{InstructionSet, Real, WithLanes};
use crate::subgrid::lookup::{CellTables, EdgeTables};
use std::sync::Arc;

/// Where a rate layer falls.
#[derive(Clone)]
pub enum Fall {
    /// Every cell of the domain, in full.
    Everywhere,
    /// A share per cell of the grid.
    Shares(Arc<Vec<Share>>),
    /// A share per zone of the grid.
    Zones(Zoned),
}

/// A rate layer that brings water.
#[derive(Clone)]
pub struct Rate {
    /// Its number among all.
    pub layer: usize,
    /// Where it is booked.
    pub account: Account,
    /// Where it falls.
    pub fall: Fall,
}

/// What sources add water to, and losses take it from.
#[derive(Clone, Copy)]
pub struct Basin<'a> {
    /// Water, and the rain of the step if anyone asks for it (grains).
    pub water: Shared<'a, i32>,
    pub rained: Option<Shared<'a, u32>>,
    /// What the ground took, where there are losses, and the rain beyond what it could take, where its model asks for that.
    pub soaked: Option<Shared<'a, i32>>,
    pub excess: Option<Shared<'a, i32>>,
    /// Kinds of ground, if there are several.
    pub kinds: Option<&'a [u32]>,
    /// What sites remember, if any do.
    pub site_state: Option<Shared<'a, u32>>,
    /// Whether rows are wet ([`super::tiles::Tiles::wet_rows`]).
    pub wet: Shared<'a, bool>,
    pub bed: &'a [i32],
    /// Tables of finer ground in cells, if they have any.
    pub tables: Option<CellTables<'a>>,
    /// And in the edges of both axes.
    pub edges: [EdgeTables<'a>; 2],
    /// Rows of the frame, cells of a row of it, and where its first cell lies in the arrays.
    pub rows: usize,
    pub stride: usize,
    pub lead: usize,
    /// Flags of the canvas.
    pub flags: &'a [u8],
    pub canvas_columns: usize,
    /// Where the frame's first cell lies on the canvas (column, row).
    pub corner: (usize, usize),
    /// Columns of the grid, and cells of the canvas around it.
    pub grid: (usize, usize),
    pub grain: Grain,
    pub instructions: InstructionSet,
}

/// Cells of a row that all get the same, if they are inside the domain; says how many are.
struct Same<'a> {
    water: &'a mut [i32],
    flags: &'a [u8],
    gain: i32,
}

impl WithLanes for Same<'_> {
    type Output = u32;

    #[inline(always)]
    fn with<V: Real>(self) -> u32 {
        // So simple a loop compilers make wide by themselves.
        let Same { water, flags, gain } = self;
        let count = water.len().min(flags.len());
        let (water, flags) = (&mut water[..count], &flags[..count]);
        let mut cells = 0;
        for cell in 0..count {
            let inside = i32::from(flags[cell] & INSIDE != 0);
            water[cell] += gain * inside;
            cells += inside as u32;
        }
        cells
    }
}

impl Tile {
    /// The sources of a step.
    pub(super) fn rain(
        &mut self,
        step: &Step,
        rates: &[Rate],
        to: Basin,
    ) -> Result<Tally, TooDeep> {
        let (mut came, mut result) = (Tally::default(), Ok(()));
        for rate in rates {
            let rained = to.rained.filter(|_| rate.account == Account::Rain);
            let into = Basin { rained, ..to };
            match self.bring(&rate.fall, step.increments[rate.layer], into) {
                Ok(total) if rate.account == Account::Rain => came.rain += total,
                Ok(total) => came.came += total,
                Err(too_deep) => result = Err(too_deep),
            }
        }
        result.map(|()| came)
    }

    /// Adds what a layer brings in a step; returns the total (grains).
    fn bring(&mut self, fall: &Fall, increment: Increment, to: Basin) -> Result<u64, TooDeep> {
        let most = Share::WHOLE.gains(increment);
        if most == 0 {
            return Ok(0);
        }
        let mut total = 0;
        // Where even the deepest cell has room for the most that a cell gets, no cell is checked.
        let room = (MAX_WATER - self.deepest) as u64;
        let mut of_row = Vec::new();
        let (ground, rows) = (self.ground, to.rows);
        if ground.columns == 0 {
            return Ok(0);
        }
        for row in ground.row..ground.row + ground.rows {
            let start = to.lead + row * to.stride + ground.column;
            let on_canvas = (to.corner.1 + row) * to.canvas_columns + to.corner.0 + ground.column;
            let flags = &to.flags[on_canvas..on_canvas + ground.columns];
            let (columns, margin) = to.grid;
            let cell =
                (to.corner.1 + row - margin) * columns + to.corner.0 + ground.column - margin;
            let shares = match fall {
                Fall::Shares(shares) => Some(&shares[cell..cell + ground.columns]),
                Fall::Zones(zoned) => {
                    let zones = &zoned.zones.of[cell..cell + ground.columns];
                    of_row.clear();
                    of_row.extend(zones.iter().map(|&zone| zoned.shares[zone as usize]));
                    Some(&of_row[..])
                }
                Fall::Everywhere => None,
            };
            if most > room {
                for (column, flags) in flags.iter().enumerate() {
                    let share = shares.map_or(Share::WHOLE, |shares| shares[column]);
                    if flags & INSIDE != 0 {
                        total += self.add(start + column, share.gains(increment), to)?;
                    }
                }
                continue;
            }
            let before = total;
            // SAFETY: the cells are this tile's alone.
            let water = unsafe { to.water.cells(start..start + ground.columns) };
            match shares {
                Some(shares) => {
                    for ((water, flags), share) in water.iter_mut().zip(flags).zip(shares) {
                        let gain = if flags & INSIDE != 0 { share.gains(increment) } else { 0 };
                        *water += gain as i32;
                        total += gain;
                    }
                }
                None => {
                    let cells = to.instructions.run(Same { water, flags, gain: most as i32 });
                    total += u64::from(cells) * most;
                }
            }
            if let Some(rained) = to.rained {
                // SAFETY: as above.
                let rained = unsafe { rained.cells(start..start + ground.columns) };
                for (column, (rained, flags)) in rained.iter_mut().zip(flags).enumerate() {
                    let share = shares.map_or(Share::WHOLE, |shares| shares[column]);
                    *rained += if flags & INSIDE != 0 { share.gains(increment) as u32 } else { 0 };
                }
            }
            if total > before {
                // SAFETY: the row of this column of tiles is this tile's alone.
                *unsafe { to.wet.cell(self.across * rows + row) } = true;
            }
        }
        if most <= room && total > 0 {
            self.deepest += most as i32;
        }
        Ok(total)
    }

    /// Adds water to a cell; returns what was added (grains).
    fn add(&mut self, place: usize, gain: u64, to: Basin) -> Result<u64, TooDeep> {
        // SAFETY: the cell is this tile's alone.
        let water = unsafe { to.water.cell(place) };
        if gain > (MAX_WATER - *water) as u64 {
            return Err(TooDeep);
        }
        *water += gain as i32;
        let water = *water;
        if let Some(rained) = to.rained {
            // SAFETY: as above.
            *unsafe { rained.cell(place) } += gain as u32;
        }
        self.deepest = self.deepest.max(water);
        if water > 0 {
            let row = (place - to.lead) / to.stride;
            // SAFETY: the row of this column of tiles is this tile's alone.
            *unsafe { to.wet.cell(self.across * to.rows + row) } = true;
        }
        Ok(gain)
    }
}
