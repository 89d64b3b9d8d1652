//! Grids for testing techniques.

use inundate_automata::grid::{Edges, Grid};
use inundate_automata::registry::Model;

/// Sizes that divide nothing, thin ones, and one that divides everything.
pub const PLANE: [(usize, usize); 8] =
    [(65, 33), (1, 37), (37, 1), (1, 1), (2, 3), (128, 64), (129, 130), (63, 7)];

/// Sizes with layers.
pub const DEEP: [(usize, usize, usize); 5] =
    [(65, 9, 5), (1, 1, 1), (3, 2, 7), (16, 16, 16), (34, 1, 3)];

/// Returns every automaton, the cyclic one with several numbers of states.
pub fn models() -> Vec<Model> {
    let cyclic = [3, 4, 7, 16, 32].map(|states| Model::named("cyclic", Some(states)).unwrap());
    Model::all().chain(cyclic).collect()
}

/// Returns random grids of an automaton, with all kinds of edges.
pub fn grids(model: Model) -> Vec<(Grid, Edges)> {
    let sizes: Vec<_> = match model.automaton.deep {
        true => DEEP.to_vec(),
        false => PLANE.iter().map(|&(x, y)| (x, y, 1)).collect(),
    };
    let soup =
        |(seed, &(x, y, z)): (usize, &(usize, usize, usize))| lively(model, x, y, z, seed as u64);
    let grids: Vec<Grid> = sizes.iter().enumerate().map(soup).collect();
    Edges::ALL
        .iter()
        .flat_map(|&edges| grids.iter().map(move |grid| (grid.clone(), edges)))
        .collect()
}

/// Returns a grid with all states everywhere, which tests a rule more thoroughly than the usual
/// soup.
pub fn lively(model: Model, x: usize, y: usize, z: usize, seed: u64) -> Grid {
    let noise = Model::named("cyclic", Some(32)).unwrap().soup(x, y, z, seed + 7);
    let states = noise.states.iter().map(|state| (usize::from(*state) * model.states / 32) as u8);
    Grid { states: states.collect(), ..noise }
}

/// Describes the first difference of two grids.
pub fn difference(a: &Grid, b: &Grid) -> Option<String> {
    if (a.columns, a.rows, a.layers) != (b.columns, b.rows, b.layers) {
        return Some("their sizes".into());
    }
    let at = a.states.iter().zip(&b.states).position(|(a, b)| a != b)?;
    let (x, y, z) = (at % a.columns, at / a.columns % a.rows, at / a.columns / a.rows);
    let count = a.states.iter().zip(&b.states).filter(|(a, b)| a != b).count();
    Some(format!(
        "({x}, {y}, {z}) is {} for {}, and {count} cells are others",
        a.states[at], b.states[at]
    ))
}
