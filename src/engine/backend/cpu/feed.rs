//! Forcing on a tile: its part of every layer, and the water they bring at the start of a step.

use super::TooDeep;
use super::frame::REACH;
use super::tile::{TileFootprint, TileState};
use crate::field::Field;
use crate::forcing::step::Step;
use crate::forcing::{Account, Footprint, Forcing, HeldLevel, Increment, Share, ports};
use crate::grains::{Grain, MAX_WATER};
use crate::ledger::Ledger;
use crate::tiling::plan::TilePlan;

/// Hands every tile its part of the forcing.
pub fn distribute(forcing: &Forcing, plan: &TilePlan, tiles: &mut [TileState]) {
    let columns = plan.grid.0;
    // The owner of a cell of the domain and the cell's place there.
    let find = |tiles: &[TileState], cell: usize| {
        let (column, row) = (cell % columns, cell / columns);
        let owner = plan.owner(column, row);
        let place = tiles[owner].place(column, row);
        tiles[owner].domain[place].then_some((owner, place))
    };
    for layer in &forcing.rates {
        for tile in tiles.iter_mut() {
            let area = tile.area;
            let row = |shares: &[Share], row: usize| {
                let start = (area.row + row) * columns + area.column;
                shares[start..start + area.columns].to_vec()
            };
            let footprint = match &layer.footprint {
                Footprint::Everywhere => TileFootprint::Everywhere,
                Footprint::Shares(shares) => {
                    TileFootprint::Shares((0..area.rows).flat_map(|r| row(shares, r)).collect())
                }
                Footprint::Cells(_) => TileFootprint::Cells(Vec::new()),
                Footprint::Zones(zoned) => {
                    TileFootprint::Zones(zoned.clone(), area.row * columns + area.column, columns)
                }
            };
            tile.rates.push((layer.account, footprint));
        }
        let Footprint::Cells(cells) = &layer.footprint else { continue };
        for &(cell, share) in cells {
            if let Some((owner, place)) = find(tiles, cell)
                && let Some((_, TileFootprint::Cells(cells))) = tiles[owner].rates.last_mut()
            {
                cells.push((place, share));
            }
        }
    }
    for &(cell, level) in &forcing.top_up {
        if let Some((owner, place)) = find(tiles, cell) {
            tiles[owner].top_up.push((place, level));
        }
    }
    for (group, held) in forcing.held.iter().enumerate() {
        for (&cell, &holder) in held.cells.iter().zip(&held.holders) {
            if let Some((owner, place)) = find(tiles, cell) {
                tiles[owner].held.push((place, group, ports::of_holder(holder)));
            }
        }
    }
    for free in &forcing.free {
        if let Some((owner, place)) = find(tiles, free.cell) {
            tiles[owner].free.push((place, free.conveyance, free.port));
        }
    }
    for &cell in &forcing.sinks {
        if let Some((owner, place)) = find(tiles, cell) {
            let stride = tiles[owner].stride;
            tiles[owner].sinks.push((place / stride - REACH, place % stride - REACH));
        }
    }
}

impl TileState {
    /// Changes the water of a cell of the grid that the tile owns (grains); says how much it then holds.
    pub fn change(&mut self, column: usize, row: usize, by: i32) -> i32 {
        let place = self.place(column, row);
        self.water[place] += by;
        self.deepest = self.deepest.max(self.water[place]);
        self.row_wet[place / self.stride] |= self.water[place] > 0;
        self.water[place]
    }

    /// Rain, sources and inflow cells bring their water, levels are held, and water leaves at normal depth.
    pub fn force(&mut self, step: &Step, grain: Grain) -> Result<(), TooDeep> {
        let rates = std::mem::take(&mut self.rates);
        let mut brought = Ledger::default();
        let mut result = Ok(());
        for ((account, footprint), &increment) in rates.iter().zip(&step.increments) {
            if increment.after == increment.before {
                continue;
            }
            let before = match account {
                Account::Rain => self.before_rain(),
                Account::Inflow => None,
                Account::Evaporation => continue,
            };
            match self.bring(footprint, increment) {
                Ok(total) if *account == Account::Rain => brought.rain += i128::from(total),
                Ok(total) => brought.inflow += i128::from(total),
                Err(too_deep) => result = Err(too_deep),
            }
            if let Some(before) = before {
                self.note_rain(&before);
            }
        }
        self.rates = rates;
        for index in 0..self.top_up.len() {
            let (place, level) = self.top_up[index];
            let gain = (level - self.water[place]).max(0);
            self.add(place, gain as u64)?;
            brought.inflow += i128::from(gain);
        }
        for index in 0..self.held.len() {
            let (place, group, port) = self.held[index];
            let water = HeldLevel::water(step.levels[group], self.bed[place], grain);
            let gain = i64::from(water) - i64::from(self.water[place]);
            brought.inflow += i128::from(gain.max(0));
            brought.outflow += i128::from((-gain).max(0));
            self.booked.add(port, gain.max(0) as u64, (-gain).max(0) as u64);
            self.water[place] = water;
            self.deepest = self.deepest.max(water);
            self.row_wet[place / self.stride] |= water > 0;
        }
        self.ledger += brought;
        result
    }

    /// The water of its own cells, if anyone asks how much it rains.
    fn before_rain(&self) -> Option<Vec<i32>> {
        let asked = self.planes.iter().any(|(plane, _)| *plane == Field::Rained);
        asked.then(|| self.water.clone())
    }

    /// Notes the rain that came since `before`.
    fn note_rain(&mut self, before: &[i32]) {
        let (columns, first) = (self.area.columns, self.row_start(0));
        let plane = self.planes.iter_mut().find(|(plane, _)| *plane == Field::Rained);
        let (_, rained) = plane.expect("someone asks");
        for (row, rained) in rained.chunks_mut(columns).enumerate() {
            let start = first + row * self.stride;
            for (column, rained) in rained.iter_mut().enumerate() {
                *rained += (self.water[start + column] - before[start + column]) as u32;
            }
        }
    }

    /// Adds what a layer brings in a step; returns the total (grains).
    fn bring(&mut self, footprint: &TileFootprint, increment: Increment) -> Result<u64, TooDeep> {
        let most = Share::WHOLE.gains(increment);
        if most == 0 {
            return Ok(0);
        }
        let mut total = 0;
        if let TileFootprint::Cells(cells) = footprint {
            for &(place, share) in cells {
                total += self.add(place, share.gains(increment))?;
            }
            return Ok(total);
        }
        // Where even the deepest cell has room for the most that a cell gets, no cell is checked.
        let room = (MAX_WATER - self.deepest) as u64;
        let mut of_row = Vec::new();
        for row in 0..self.area.rows {
            let start = (row + REACH) * self.stride + REACH;
            let places = start..start + self.area.columns;
            let shares = match footprint {
                TileFootprint::Shares(shares) => Some(&shares[row * self.area.columns..]),
                TileFootprint::Zones(zoned, first, across) => {
                    let zones = &zoned.zones.of[first + row * across..][..self.area.columns];
                    of_row.clear();
                    of_row.extend(zones.iter().map(|&zone| zoned.shares[zone as usize]));
                    Some(&of_row[..])
                }
                _ => None,
            };
            let before = total;
            if most > room {
                for (column, place) in places.enumerate() {
                    let share = shares.map_or(Share::WHOLE, |shares| shares[column]);
                    if self.domain[place] {
                        total += self.add(place, share.gains(increment))?;
                    }
                }
                continue;
            }
            let water = &mut self.water[places.clone()];
            let domain = &self.domain[places];
            match shares {
                Some(shares) => {
                    for ((water, inside), share) in water.iter_mut().zip(domain).zip(shares) {
                        let gain = if *inside { share.gains(increment) } else { 0 };
                        *water += gain as i32;
                        total += gain;
                    }
                }
                None => {
                    let mut cells = 0u32;
                    for (water, inside) in water.iter_mut().zip(domain) {
                        *water += if *inside { most as i32 } else { 0 };
                        cells += u32::from(*inside);
                    }
                    total += u64::from(cells) * most;
                }
            }
            self.row_wet[row + REACH] |= total > before;
        }
        if most <= room && total > 0 {
            self.deepest += most as i32;
        }
        Ok(total)
    }

    /// Adds water to a cell; returns what was added (grains).
    fn add(&mut self, place: usize, gain: u64) -> Result<u64, TooDeep> {
        if gain > (MAX_WATER - self.water[place]) as u64 {
            return Err(TooDeep);
        }
        self.water[place] += gain as i32;
        self.deepest = self.deepest.max(self.water[place]);
        self.row_wet[place / self.stride] |= self.water[place] > 0;
        Ok(gain)
    }
}
