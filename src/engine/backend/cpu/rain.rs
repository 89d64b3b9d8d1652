//! Rain over the map, and other sources that cover more than single cells of a tile, at the start
//! of a step.

use super::TooDeep;
use super::shared::Shared;
use super::tiles::Tile;
use crate::backend::padded_grid::INSIDE;
use crate::forcing::sites::Tally;
use crate::forcing::step::Step;
use crate::forcing::zones::Zoned;
use crate::forcing::{Account, Increment, Share};
use crate::grains::{Grain, MAX_WATER};
use crate::lanes::{InstructionSet, Real, WithLanes};
use crate::subgrid::lookup::{CellTables, EdgeTables};
use std::sync::Arc;

/// Area of a rate layer.
#[derive(Clone)]
pub enum RainArea {
    /// Every cell of the domain, in full.
    Everywhere,
    /// A share per cell of the grid.
    Shares(Arc<Vec<Share>>),
    /// A share per zone of the grid.
    Zones(Zoned),
}

/// A rate layer that adds water.
#[derive(Clone)]
pub struct Rate {
    /// Index among all rate layers.
    pub layer: usize,
    /// Account to which it is booked.
    pub account: Account,
    /// Area on which it falls.
    pub fall: RainArea,
}

/// Arrays that sources and losses change.
#[derive(Clone, Copy)]
pub struct Basin<'a> {
    /// Water, and the rain of the step if it is needed (grains).
    pub water: Shared<'a, i32>,
    pub rained: Option<Shared<'a, u32>>,
    /// With losses: the volume that the ground took, and the infiltration beyond the final
    /// capacity, if the model needs it.
    pub soaked: Option<Shared<'a, i32>>,
    pub excess: Option<Shared<'a, i32>>,
    /// Kinds of ground, if there are several.
    pub kinds: Option<&'a [u32]>,
    /// State of sites, if any keep one.
    pub site_state: Option<Shared<'a, u32>>,
    /// Velocities (m/s) and discharges (m²/s) of both axes, if the solver has momentum; discharges
    /// only with tables.
    pub velocity: Option<[Shared<'a, f32>; 2]>,
    pub discharge: [&'a [f32]; 2],
    /// Flags of wet rows ([`super::tiles::Tiles::wet_rows`]).
    pub wet: Shared<'a, bool>,
    pub bed: &'a [i32],
    /// Subgrid tables of cells, if any.
    pub tables: Option<CellTables<'a>>,
    /// Subgrid tables of the edges of both axes.
    pub edges: [EdgeTables<'a>; 2],
    /// Number of rows of the frame, distance between rows, and index of the first cell in the
    /// arrays.
    pub rows: usize,
    pub stride: usize,
    pub lead: usize,
    /// Flags of the padded grid.
    pub flags: &'a [u8],
    pub padded_columns: usize,
    /// Position of the frame's first cell on the padded grid (column, row).
    pub corner: (usize, usize),
    /// Columns of the grid, and the margin of the padded grid around it.
    pub grid: (usize, usize),
    pub grain: Grain,
    pub instructions: InstructionSet,
}

/// Rain on a row of cells, whose water and rain of the step gain what falls inside the domain.
struct RainedRow<'a> {
    water: &'a mut [i32],
    rained: Option<&'a mut [u32]>,
    flags: &'a [u8],
    /// Share per cell of the increment, or every cell gets the whole.
    shares: Option<&'a [Share]>,
    increment: Increment,
}

impl WithLanes for RainedRow<'_> {
    /// Total gain (grains).
    type Output = u64;

    #[inline(always)]
    fn with<V: Real>(self) -> u64 {
        let RainedRow { water, rained, flags, shares, increment } = self;
        if let Some(rained) = rained {
            add_gains(rained, flags, shares, increment);
        }
        add_gains(water, flags, shares, increment)
    }
}

/// A number of grains that rain adds to.
trait Gains: Copy + std::ops::AddAssign {
    /// Converts a gain, which is in range.
    fn of(gain: u64) -> Self;
}

impl Gains for i32 {
    #[inline(always)]
    fn of(gain: u64) -> i32 {
        gain as i32
    }
}

impl Gains for u32 {
    #[inline(always)]
    fn of(gain: u64) -> u32 {
        gain as u32
    }
}

/// Adds gains to the cells of a row inside the domain; returns their total. Compilers vectorize loops
/// this simple by themselves.
#[inline(always)]
fn add_gains<T: Gains>(
    to: &mut [T],
    flags: &[u8],
    shares: Option<&[Share]>,
    increment: Increment,
) -> u64 {
    let (count, mut total) = (to.len(), 0);
    let flags = &flags[..count];
    match shares {
        Some(shares) => {
            let shares = &shares[..count];
            for cell in 0..count {
                let inside = u64::from(flags[cell] & INSIDE != 0);
                let gain = shares[cell].gains(increment) * inside;
                to[cell] += T::of(gain);
                total += gain;
            }
            total
        }
        None => {
            let gain = Share::WHOLE.gains(increment);
            let mut cells = 0;
            for cell in 0..count {
                let inside = u64::from(flags[cell] & INSIDE != 0);
                to[cell] += T::of(gain * inside);
                cells += inside;
            }
            cells * gain
        }
    }
}

impl Tile {
    /// Applies the sources of a step.
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

    /// Adds a layer's water in a step; returns the total (grains).
    fn bring(&mut self, fall: &RainArea, increment: Increment, to: Basin) -> Result<u64, TooDeep> {
        let most = Share::WHOLE.gains(increment);
        if most == 0 {
            return Ok(0);
        }
        let mut total = 0;
        // If even the deepest cell has room for the largest gain, cells need not be checked.
        let room = (MAX_WATER - self.deepest) as u64;
        let mut of_row = Vec::new();
        let (ground, rows) = (self.ground, to.rows);
        if ground.columns == 0 {
            return Ok(0);
        }
        for row in ground.row..ground.row + ground.rows {
            let start = to.lead + row * to.stride + ground.column;
            let on_padded_grid =
                (to.corner.1 + row) * to.padded_columns + to.corner.0 + ground.column;
            let flags = &to.flags[on_padded_grid..on_padded_grid + ground.columns];
            let (columns, margin) = to.grid;
            let cell =
                (to.corner.1 + row - margin) * columns + to.corner.0 + ground.column - margin;
            let shares = match fall {
                RainArea::Shares(shares) => Some(&shares[cell..cell + ground.columns]),
                RainArea::Zones(zoned) => {
                    let zones = &zoned.zones.of[cell..cell + ground.columns];
                    of_row.clear();
                    of_row.extend(zones.iter().map(|&zone| zoned.shares[zone as usize]));
                    Some(&of_row[..])
                }
                RainArea::Everywhere => None,
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
            let cells = start..start + ground.columns;
            // SAFETY: tiles do not overlap, so only the thread of this tile accesses these cells.
            let (water, rained) = unsafe {
                (to.water.cells(cells.clone()), to.rained.map(|rained| rained.cells(cells)))
            };
            let gained = RainedRow { water, rained, flags, shares, increment };
            total += to.instructions.run(gained);
            if total > before {
                // SAFETY: each tile has its own row flags in its column of tiles, so no other
                // thread writes this one.
                *unsafe { to.wet.cell(self.across * rows + row) } = true;
            }
        }
        if most <= room && total > 0 {
            self.deepest += most as i32;
        }
        Ok(total)
    }

    /// Adds water to a cell; returns the amount (grains).
    fn add(&mut self, place: usize, gain: u64, to: Basin) -> Result<u64, TooDeep> {
        // SAFETY: tiles do not overlap, so only the thread of this tile accesses the cell.
        let water = unsafe { to.water.cell(place) };
        if gain > (MAX_WATER - *water) as u64 {
            return Err(TooDeep);
        }
        *water += gain as i32;
        let water = *water;
        if let Some(rained) = to.rained {
            // SAFETY: tiles do not overlap, so only the thread of this tile accesses the cell.
            *unsafe { rained.cell(place) } += gain as u32;
        }
        self.deepest = self.deepest.max(water);
        if water > 0 {
            let row = (place - to.lead) / to.stride;
            // SAFETY: each tile has its own row flags in its column of tiles, so no other thread
            // writes this one.
            *unsafe { to.wet.cell(self.across * to.rows + row) } = true;
        }
        Ok(gain)
    }
}
