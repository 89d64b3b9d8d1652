//! Steps of a mirrored or rotated grid are mirrored or rotated.

use crate::sizes::{difference, lively, models};
use inundate_automata::grid::{Edges, Grid};
use inundate_automata::machine::Setup;
use inundate_automata::techniques::TECHNIQUES;

/// Mirrors the grid from left to right in each layer.
fn mirrored(grid: &Grid) -> Grid {
    let mut to = grid.clone();
    to.states.chunks_mut(grid.columns).for_each(<[u8]>::reverse);
    to
}

/// Exchanges x and y.
fn turned(grid: &Grid) -> Grid {
    let mut to = Grid::new(grid.rows, grid.columns, grid.layers);
    for z in 0..grid.layers {
        for y in 0..grid.rows {
            for x in 0..grid.columns {
                let at = to.place(y, x, z);
                to.states[at] = grid.states[grid.place(x, y, z)];
            }
        }
    }
    to
}

#[test]
fn steps_commute_with_reflections() {
    for model in models() {
        let layers = if model.automaton.deep { 5 } else { 1 };
        let grid = lively(model, 67, 29, layers, 3);
        for technique in TECHNIQUES.iter().filter(|technique| technique.goes_with(model)) {
            let Some(start) = technique.cpu else { continue };
            for edges in Edges::ALL {
                let after = |grid: &Grid| {
                    let mut machine = start(&Setup { model, edges, grid });
                    machine.step(9).unwrap();
                    machine.read().unwrap()
                };
                let plain = after(&grid);
                let what = format!("{model:?} {technique:?} {edges:?}");
                assert_eq!(difference(&mirrored(&after(&mirrored(&grid))), &plain), None, "{what}");
                assert_eq!(difference(&turned(&after(&turned(&grid))), &plain), None, "{what}");
            }
        }
    }
}
