//! Looks up water levels and their rate of rise in cells with tables, for tiles that are wet, or
//! were when last looked up.

use super::field_borrows::FieldBorrows;
use super::frame::CpuFrame;
use super::lanes_of_row::put;
use super::shared::Shared;
use super::tiles::Tile;
use super::window::PADDING;
use super::worker::CpuWorker;
use crate::field::{Field, bits_mut, words_mut};
use crate::lanes::{Real, Whole, WithLanes};
use crate::subgrid::lookup::CellTables;
use crate::tiling::rect::Rect;
use rayon::prelude::*;

/// Inputs and outputs of the look-up.
#[derive(Clone, Copy)]
struct Levels<'a> {
    bed: &'a [i32],
    water: &'a [i32],
    tables: CellTables<'a>,
    level: Shared<'a, i32>,
    rises: Shared<'a, f32>,
    metres: f32,
    /// Index of the frame's first cell in the arrays, and distance between rows.
    lead: usize,
    stride: usize,
}

impl CpuWorker {
    /// Looks up the levels of a frame's cells, if they have tables.
    pub(super) fn find_levels(&self, frame: &mut CpuFrame) {
        let (lead, stride) = (frame.lead, frame.stride());
        let CpuFrame { planes, tiles, .. } = frame;
        let mut fields = FieldBorrows::of(planes);
        let Some(level) = fields.write(Field::Level) else { return };
        let levels = Levels {
            bed: fields.read(Field::Bed),
            water: fields.read(Field::Water),
            tables: fields.cell_tables().expect("they go with levels"),
            level,
            rises: fields.write(Field::LevelPerDepth).expect("they go with levels"),
            metres: self.grain.metres(),
            lead,
            stride,
        };
        let some = tiles.each.par_iter_mut().filter(|tile| tile.is_wet() || !tile.levels_of_bed);
        some.for_each(|tile| {
            self.options.instructions.run(InTile { tile, levels });
            tile.levels_of_bed = !tile.is_wet();
        });
    }
}

/// StateTime-up in a tile, to be run with lanes.
struct InTile<'t, 'a> {
    tile: &'t Tile,
    levels: Levels<'a>,
}

impl WithLanes for InTile<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with<V: Real>(self) {
        let Rect { column, row, columns, rows } = self.tile.area;
        let Levels { bed, water, tables, level, rises, metres, lead, stride } = self.levels;
        assert!(V::LANES <= PADDING);
        for row in row..row + rows {
            let start = lead + row * stride + column;
            // SAFETY: tiles do not overlap, so only the thread of this tile accesses these cells.
            let (levels, slopes) = unsafe {
                (level.cells(start..start + columns), rises.cells(start..start + columns))
            };
            for at in (0..columns).step_by(V::LANES) {
                // SAFETY: there are at most PADDING lanes, and arrays are PADDING longer than their
                // cells.
                unsafe {
                    let place = start + at;
                    let (bed, water) = (V::Whole::load(bed, place), V::Whole::load(water, place));
                    let (found, slope) = tables.level::<V>(place, bed, water, metres);
                    put::<V>(found, levels, at);
                    put::<V>(slope.to_bits(), words_mut(bits_mut(slopes)), at);
                }
            }
        }
    }
}
