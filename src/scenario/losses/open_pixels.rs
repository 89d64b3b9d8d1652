//! Losses of cells with some closed pixels: nothing seeps or drains away there.

use crate::engine::grid::Bed;
use crate::engine::losses::{GroundLosses, Losses};
use crate::engine::subgrid::tables::Tables;
use std::collections::HashMap;

/// Scales the losses of each cell by its open fraction, because they are depths over the whole cell.
pub fn take_from_open_pixels(losses: &mut Losses, tables: &Tables) {
    if !tables.has_closed_pixels() {
        return;
    }
    let cells = tables.bed.len();
    losses.of_cell.resize(cells, 0);
    let mut grounds: Vec<GroundLosses> = Vec::new();
    let mut known: HashMap<(u32, u64), u32> = HashMap::new();
    for cell in (0..cells).filter(|&cell| tables.bed[cell] != Bed::OUTSIDE) {
        let (of, share) = (&mut losses.of_cell[cell], tables.open_share(cell));
        *of = *known.entry((*of, share.to_bits())).or_insert_with(|| {
            grounds.push(losses.grounds[*of as usize].scaled(share));
            grounds.len() as u32 - 1
        });
    }
    losses.grounds = grounds;
}
