//! Known properties of the automata, checked with the reference: the rules are those in print.

use inundate_automata::grid::{Edges, Grid};
use inundate_automata::machine::Setup;
use inundate_automata::pattern::{centred, rle};
use inundate_automata::reference::steps;
use inundate_automata::registry::Model;
use inundate_automata::rules::clouds::{ACTIVE, CLOUD, HUMID};
use inundate_automata::techniques::choose;

fn model(name: &str) -> Model {
    Model::named(name, None).unwrap()
}

fn pattern(text: &str, columns: usize, rows: usize) -> Grid {
    centred(&rle::read(text, "pattern").unwrap(), columns, rows).unwrap()
}

/// Shifts the grid on a torus.
fn moved(grid: &Grid, x: i64, y: i64) -> Grid {
    let mut to = grid.clone();
    for row in 0..grid.rows {
        for column in 0..grid.columns {
            to.states[grid.place(column, row, 0)] =
                grid.at(Edges::Wrap, column as i64 - x, row as i64 - y, 0);
        }
    }
    to
}

/// Returns the states after many steps, by the fastest technique, which other tests compare with
/// the reference.
fn after(model: Model, edges: Edges, grid: &Grid, steps: u64) -> Grid {
    let start = choose("auto", model, false).unwrap().cpu.unwrap();
    let mut machine = start(&Setup { model, edges, grid });
    machine.step(steps).unwrap();
    machine.read().unwrap()
}

#[test]
fn glider_moves_one_cell_in_four_steps_and_wraps_around_the_torus() {
    let grid = pattern("bo$2bo$3o!", 9, 12);
    assert_eq!(steps(model("life"), Edges::Wrap, &grid, 4), moved(&grid, 1, 1));
    assert_eq!(steps(model("life"), Edges::Wrap, &grid, 4 * 36), grid);
    // At a dead edge, the glider ends as a block.
    let end = steps(model("life"), Edges::Dead, &grid, 200);
    assert_eq!(end.population(2)[1], 4);
}

#[test]
fn r_pentomino_has_116_cells_in_generation_1103() {
    let grid = pattern("b2o$2o$bo!", 700, 700);
    let end = after(model("life"), Edges::Dead, &grid, 1103);
    assert_eq!(end.population(2)[1], 116);
    assert_eq!(after(model("life"), Edges::Dead, &grid, 1104).population(2)[1], 116);
}

#[test]
fn gosper_gun_has_a_period_of_30() {
    let gun = "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!";
    let grid = pattern(gun, 100, 80);
    let later = steps(model("life"), Edges::Dead, &grid, 30);
    // The gun is as before, and there is one more glider.
    assert_eq!(later.population(2)[1], grid.population(2)[1] + 5);
    let (x, y) = (32, 35);
    for row in y..y + 9 {
        for column in x..x + 36 {
            let at = grid.place(column, row, 0);
            assert_eq!(later.states[at], grid.states[at], "{column}, {row}");
        }
    }
}

#[test]
fn wireworld_clock_ticks_and_xor_gate_works() {
    let wire = model("wireworld");
    // A loop of 10 wire cells: an electron passes every 10 steps.
    let clock = pattern(".4C$B4.C$A4.C$.4C!", 8, 8);
    let length = clock.states.iter().filter(|state| **state > 0).count() as u64;
    assert_eq!(length, 12);
    let mut round = 1;
    let mut grid = steps(wire, Edges::Dead, &clock, 1);
    while grid != clock {
        grid = steps(wire, Edges::Dead, &grid, 1);
        round += 1;
    }
    // The electron cuts corners: the period is the number of cells.
    assert_eq!(round, length);
    // Two inputs from the left, one output to the right: an electron comes out if exactly one comes
    // in.
    let exclusive_or = |a: bool, b: bool| {
        let input = |on: bool| if on { "BA4C" } else { "6C" };
        let text =
            format!("{}$6.C$5.4C$5.C2.C5C$5.4C$6.C$0{}!", input(a), input(b)).replace("$0", "$");
        let mut grid = pattern(&text, 20, 11);
        let row = (0..grid.rows).find(|y| grid.states[grid.place(16, *y, 0)] == 3).unwrap();
        let mut came = false;
        for _ in 0..20 {
            grid = steps(wire, Edges::Dead, &grid, 1);
            came |= grid.states[grid.place(15, row, 0)] == 1;
        }
        came
    };
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        assert_eq!(exclusive_or(a, b), a != b, "{a} {b}");
    }
}

#[test]
fn a_line_of_trees_burns_from_end_to_end() {
    let forest = model("forest-fire");
    let mut grid = Grid::new(8, 3, 1);
    grid.states[8..16].fill(1);
    grid.states[8] = 3;
    let row = |grid: &Grid| grid.states[8..16].to_vec();
    grid = steps(forest, Edges::Dead, &grid, 1);
    assert_eq!(row(&grid), [2, 3, 1, 1, 1, 1, 1, 1]);
    // Ash stays while a neighbour burns, and is gone a step later.
    grid = steps(forest, Edges::Dead, &grid, 1);
    assert_eq!(row(&grid), [2, 2, 3, 1, 1, 1, 1, 1]);
    grid = steps(forest, Edges::Dead, &grid, 1);
    assert_eq!(row(&grid), [0, 2, 2, 3, 1, 1, 1, 1]);
    grid = steps(forest, Edges::Dead, &grid, 5);
    assert_eq!(row(&grid), [0, 0, 0, 0, 0, 0, 2, 2]);
    grid = steps(forest, Edges::Dead, &grid, 3);
    assert!(grid.states.iter().all(|state| *state == 0));
}

#[test]
fn cyclic_automaton_demon_rotates_forever() {
    // A square of cells in which each is followed by the next: with four states it turns once in
    // four steps, and takes over its surroundings.
    let cyclic = Model::named("cyclic", Some(4)).unwrap();
    let mut grid = Grid::new(20, 20, 1);
    for (x, y, state) in [(9, 9, 0), (10, 9, 1), (10, 10, 2), (9, 10, 3)] {
        let at = grid.place(x, y, 0);
        grid.states[at] = state;
    }
    let demon = |grid: &Grid| {
        [(9, 9), (10, 9), (10, 10), (9, 10)].map(|(x, y)| grid.states[grid.place(x, y, 0)])
    };
    let later = steps(cyclic, Edges::Wrap, &grid, 60);
    assert_eq!(demon(&later), demon(&grid));
    assert_eq!(demon(&steps(cyclic, Edges::Wrap, &later, 1)), [1, 2, 3, 0]);
    // Once it has taken over everything, everything turns with a period of n.
    assert_eq!(steps(cyclic, Edges::Wrap, &later, 4), later);
    assert!(later.population(4).iter().all(|count| *count > 50), "{:?}", later.population(4));
}

#[test]
fn an_active_cell_activates_its_eleven_neighbours() {
    let clouds = model("clouds");
    let mut grid = Grid::new(9, 9, 9);
    grid.states.fill(HUMID);
    let middle = grid.place(4, 4, 4);
    grid.states[middle] = HUMID | ACTIVE;
    let next = steps(clouds, Edges::Dead, &grid, 1);
    // The cells that see it are opposite: two above, none two below.
    let sees = [
        (3, 4, 4),
        (4, 3, 4),
        (4, 4, 3),
        (5, 4, 4),
        (4, 5, 4),
        (4, 4, 5),
        (6, 4, 4),
        (2, 4, 4),
        (4, 6, 4),
        (4, 2, 4),
        (4, 4, 6),
    ];
    for (at, state) in next.states.iter().enumerate() {
        let (x, y, z) = (at % 9, at / 9 % 9, at / 81);
        let expected = match (sees.contains(&(x, y, z)), at == middle) {
            (true, _) => HUMID | ACTIVE,
            (_, true) => CLOUD,
            _ => HUMID,
        };
        assert_eq!(*state, expected, "({x}, {y}, {z})");
    }
    // Clouds stay, and the front advances by two per step along x and y and upwards, by one
    // downwards.
    let next = steps(clouds, Edges::Dead, &next, 1);
    assert_eq!(next.states[middle] & (CLOUD | HUMID), CLOUD);
    let is_active = |x, y, z| next.states[next.place(x, y, z)] & ACTIVE != 0;
    assert!(
        is_active(8, 4, 4)
            && is_active(4, 4, 8)
            && is_active(4, 4, 2)
            && !is_active(4, 4, 1)
            && !is_active(4, 4, 0)
    );
}
