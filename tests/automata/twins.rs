//! The kernels' own sources, compiled as C++ for this processor and launched by the code that
//! launches them on a GPU, give the reference's states. Device-specific behaviour is left to `make
//! gpu-check`.

use crate::device::{Host, compiled, techniques};
use crate::sizes::{difference, lively};
use crate::tier;
use inundate_automata::cuda::machine::OnDevice;
use inundate_automata::grid::{Edges, Grid};
use inundate_automata::machine::{Machine, Setup};
use inundate_automata::reference;
use inundate_automata::registry::Model;

/// Checks every kernel of an automaton on small grids, for several numbers of steps.
fn check(model: Model) {
    let twins = compiled(model);
    let sizes = match (model.automaton.deep, tier::all()) {
        (true, false) => vec![(35, 5, 3), (32, 3, 9), (1, 1, 1), (3, 2, 7)],
        (true, true) => vec![(35, 5, 3), (1, 1, 1), (3, 2, 7), (66, 9, 13), (16, 16, 16)],
        (false, false) => vec![(65, 33, 1), (1, 5, 1), (37, 1, 1)],
        (false, true) => {
            vec![(65, 33, 1), (1, 37, 1), (37, 1, 1), (1, 1, 1), (2100, 70, 1), (128, 64, 1)]
        }
    };
    for (columns, rows, layers) in sizes {
        let grid = lively(model, columns, rows, layers, 5);
        for edges in Edges::ALL {
            let mut expected: Vec<(u64, Grid)> = vec![(0, grid.clone())];
            for steps in [1, 2, 7, 15, 32] {
                let (done, last) = expected.last().unwrap();
                let next = reference::steps(model, edges, last, steps - done);
                expected.push((steps, next));
            }
            let setup = Setup { model, edges, grid: &grid };
            for technique in techniques(model) {
                let kernels = &technique.cuda;
                let strip = Some(13).filter(|_| columns > 60);
                let mut machine =
                    OnDevice::new(Host::new(&twins, technique), kernels, &setup, strip).unwrap();
                for pair in expected.windows(2) {
                    machine.step(pair[1].0 - pair[0].0).unwrap();
                    let why = difference(&machine.read().unwrap(), &pair[1].1);
                    let steps = pair[1].0;
                    assert_eq!(
                        why, None,
                        "{model:?} {technique:?} {columns} x {rows} x {layers} {edges:?}, after {steps} steps"
                    );
                }
            }
        }
    }
}

#[test]
fn kernels_of_life() {
    check(Model::named("life", None).unwrap());
}

#[test]
fn kernels_of_forest_fire() {
    check(Model::named("forest-fire", None).unwrap());
}

#[test]
fn kernels_of_the_cyclic_automaton() {
    check(Model::named("cyclic", None).unwrap());
    check(Model::named("cyclic", Some(32)).unwrap());
}

#[test]
fn kernels_of_wireworld() {
    check(Model::named("wireworld", None).unwrap());
}

#[test]
fn kernels_of_clouds() {
    check(Model::named("clouds", None).unwrap());
}
