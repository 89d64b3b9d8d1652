//! Gifts that leave the raster over one side and are booked on another.
//!
//! A ghost off the grid beside NoData may lie across a corner of the domain, diagonally. As in a collar of NoData, it is
//! of the side towards which it lies from its cell (src/engine/forcing/ports.rs), whichever edge of the raster is there.

use super::frame::{Left, REACH};
use crate::backend::Problem;
use crate::backend::ground::ground;
use crate::forcing::ports;
use crate::neighbourhood::offset;
use crate::tiling::plan::Rect;

/// What an own cell of a tile gives to such a ghost beyond the west or the east.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Astray {
    /// Row and column in the frame.
    pub row: usize,
    pub column: usize,
    /// To which neighbour.
    pub to: usize,
    /// Whether that is beyond the west.
    west: bool,
    /// Whether it is booked to the north, or else to the south.
    north: bool,
}

impl Astray {
    /// Those of the tile that owns `area`, in rising order of their rows; the rest is as for
    /// [`super::tile::TileState::new`].
    pub fn all(area: Rect, problem: &Problem, datum: i32, rim: &[(usize, usize)]) -> Vec<Astray> {
        let mut astray = Vec::new();
        let (columns, rows) = (problem.grid.columns, problem.grid.rows as isize);
        let first = (problem.open.west && area.column == 0).then_some((-1, 0));
        let ends_there = area.column + area.columns == columns;
        let last = (problem.open.east && ends_there).then_some((1, area.columns - 1));
        for row in 0..area.rows {
            for (side, column) in first.into_iter().chain(last) {
                for to in 0..8 {
                    let (di, dj) = offset(to);
                    let place =
                        [(area.column + column) as isize + di, (area.row + row) as isize + dj];
                    if di != side || dj == 0 || !(0..rows).contains(&place[1]) {
                        continue;
                    }
                    let port = ground(problem, rim, datum, place).and_then(|ground| ground.port);
                    if let Some(port @ (ports::NORTH | ports::SOUTH)) = port {
                        let (west, north) = (side < 0, port == ports::NORTH);
                        let (row, column) = (row + REACH, column + REACH);
                        astray.push(Astray { row, column, to, west, north });
                    }
                }
            }
        }
        astray
    }

    /// Books such a gift where it belongs, when it was counted where it left.
    pub fn set_right(self, gift: i32, left: &mut Left) {
        let from = if self.west { &mut left.west } else { &mut left.east };
        *from -= i64::from(gift);
        let to = if self.north { &mut left.north } else { &mut left.south };
        *to += i64::from(gift);
    }
}
