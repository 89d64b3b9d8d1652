//! What happens at single cells, tile by tile: where water is poured in, topped up, held, taken, and where it leaves.

use super::tiles::Tiles;
use super::watch::{Mark, Marked};
use crate::backend::canvas::{DRAIN, PINNED, SINK, port_of_drain};
use crate::backend::worker::{Pour, VisitForcing};
use crate::forcing::Share;
use crate::forcing::ports::Port;
use rayon::prelude::*;

/// Single cells of a tile, by their places in the frame's arrays, in the order in which water comes to them.
#[derive(Clone, Debug, Default)]
pub struct TileSites {
    /// Rate layer, place, and share.
    pub pours: Vec<(usize, usize, Share)>,
    /// Place, and water topped up to (grains).
    pub top_ups: Vec<(usize, i32)>,
    /// Place of cells whose level is held, the number of its level, and its port.
    pub held: Vec<(usize, usize, Port)>,
    /// Place of cells that water leaves at normal depth, their conveyance, and the port.
    pub free: Vec<(usize, f32, Port)>,
    /// Sinks, ghosts, and cells whose water stays what it is while it flows.
    pub marks: Vec<Marked>,
}

impl Tiles {
    /// Hands tiles what happens at their cells. Arrays of the frame begin `lead` cells before its first, and have `stride`
    /// cells a row; `flags` are those of the canvas by (column, row) of the frame, `pinned` the port of a pinned cell.
    pub fn hand_out(
        &mut self,
        forcing: &VisitForcing,
        (lead, stride): (usize, usize),
        flags: impl Fn(usize, usize) -> u8 + Sync,
        pinned: impl Fn(usize, usize) -> Port + Sync,
    ) {
        let place = |pour: &Pour| lead + pour.row * stride + pour.column;
        for pour in &forcing.pours {
            let tile = self.at(pour.column, pour.row);
            let share = Share::from_bits(pour.amount);
            self.each[tile].sites.pours.push((pour.layer, place(pour), share));
        }
        for pour in &forcing.top_ups {
            let tile = self.at(pour.column, pour.row);
            self.each[tile].sites.top_ups.push((place(pour), pour.amount as i32));
        }
        for pour in &forcing.held {
            let tile = self.at(pour.column, pour.row);
            self.each[tile].sites.held.push((place(pour), pour.layer, pour.port));
        }
        for pour in &forcing.free {
            let tile = self.at(pour.column, pour.row);
            let conveyance = f32::from_bits(pour.amount);
            self.each[tile].sites.free.push((place(pour), conveyance, pour.port));
        }
        self.each.par_iter_mut().for_each(|tile| {
            let marks = &mut tile.sites.marks;
            for row in tile.area.row..tile.area.row + tile.area.rows {
                for column in tile.area.column..tile.area.column + tile.area.columns {
                    let flags = flags(column, row);
                    if flags & SINK != 0 {
                        marks.push((row, column, Mark::Sink));
                    }
                    if flags & DRAIN != 0 {
                        marks.push((row, column, Mark::Drain(port_of_drain(flags))));
                    }
                    if flags & PINNED != 0 {
                        marks.push((row, column, Mark::Pinned(pinned(column, row))));
                    }
                }
            }
        });
    }
}
