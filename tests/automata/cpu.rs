//! Every technique on the CPU gives the reference's states.

use crate::sizes::{difference, grids, lively, models};
use crate::tier;
use inundate_automata::cpu::lanes::Lanes;
use inundate_automata::cpu::tiles;
use inundate_automata::grid::{Edges, Grid};
use inundate_automata::machine::{Machine, Setup};
use inundate_automata::reference;
use inundate_automata::registry::{AnyRule, Model};
use inundate_automata::techniques::TECHNIQUES;

/// Numbers of steps after which states are compared.
const STEPS: [u64; 3] = [1, 2, 7];

/// Returns the reference's states after each of [`STEPS`].
fn expected(model: Model, edges: Edges, grid: &Grid) -> Vec<Grid> {
    let mut known = Vec::new();
    let mut done = 0;
    for steps in STEPS {
        let last = known.last().unwrap_or(grid);
        known.push(reference::steps(model, edges, last, steps - done));
        done = steps;
    }
    known
}

#[track_caller]
fn agrees(machine: &mut dyn Machine, expected: &[Grid], what: &str) {
    let mut done = 0;
    for (steps, expected) in STEPS.iter().zip(expected) {
        machine.step(steps - done).unwrap();
        done = *steps;
        if let Some(why) = difference(&machine.read().unwrap(), expected) {
            panic!("{what}, after {steps} steps: {why}");
        }
    }
}

#[test]
fn every_technique_matches_the_reference() {
    for model in models() {
        for (grid, edges) in grids(model) {
            let expected = expected(model, edges, &grid);
            let setup = Setup { model, edges, grid: &grid };
            for technique in TECHNIQUES.iter().filter(|technique| technique.goes_with(model)) {
                let Some(start) = technique.cpu else { continue };
                let (columns, rows) = (grid.columns, grid.rows);
                let what = format!("{model:?} {technique:?} {columns} x {rows} {edges:?}");
                agrees(&mut *start(&setup), &expected, &what);
            }
        }
    }
}

#[test]
fn bit_plane_width_and_steps_per_pass_do_not_change_the_result() {
    for model in models().into_iter().filter(|model| !matches!(model.rule(), AnyRule::Clouds(_))) {
        for (grid, edges) in grids(model) {
            let expected = expected(model, edges, &grid);
            let setup = Setup { model, edges, grid: &grid };
            for lanes in Lanes::available() {
                for steps in [1, 3, tiles::MOST] {
                    let what = format!(
                        "{model:?} {lanes:?} {steps} {} x {} {edges:?}",
                        grid.columns, grid.rows
                    );
                    agrees(&mut *tiles::start(&setup, lanes, steps), &expected, &what);
                }
            }
        }
    }
}

/// The large grid has several tiles across and down. A few steps already exceed a visit.
#[test]
fn large_grids_agree_after_a_thousand_steps() {
    let steps = if tier::all() { 1000 } else { 18 };
    for model in Model::all() {
        let grid = match model.automaton.deep {
            true => lively(model, 70, 40, 30, 1),
            false if tier::all() => lively(model, 4100, 777, 1, 1),
            false => lively(model, 4100, 100, 1, 1),
        };
        let setup = |edges| Setup { model, edges, grid: &grid };
        for edges in Edges::ALL {
            let setup = setup(edges);
            let mut first: Option<Grid> = None;
            for technique in TECHNIQUES.iter().filter(|technique| technique.goes_with(model)) {
                let Some(start) = technique.cpu else { continue };
                let mut machine = start(&setup);
                machine.step(steps).unwrap();
                let states = machine.read().unwrap();
                match &first {
                    None => first = Some(states),
                    Some(first) => {
                        assert_eq!(
                            difference(&states, first),
                            None,
                            "{model:?} {technique:?} {edges:?}"
                        );
                    }
                }
            }
        }
    }
}
