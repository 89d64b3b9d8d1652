//! Cases with all features.

use super::{Case, Variant};
use inundate_engine::boundary::OpenSides;

/// Columns and rows of the large grids, and their open sides.
pub const LARGE: [((usize, usize), OpenSides); 2] =
    [((1000, 777), TWO_SIDES), ((4096, 4096), OpenSides::ALL)];

const TWO_SIDES: OpenSides = OpenSides { north: true, west: true, ..OpenSides::CLOSED };

/// Returns a case with everything that can happen to water.
pub fn everything(
    (columns, rows): (usize, usize),
    open: OpenSides,
    (solver, near): Variant,
    seed: u64,
) -> Case {
    let mut case = Case::new(columns, rows, (solver, near))
        .hills(100.0, seed)
        .holes(0.03, seed + 1)
        .ponds(0.8, seed + 2)
        .rain(2e-6)
        .uneven_rain(3e-5, seed + 3)
        .zoned_rain(2e-5, &[0.2, 1.7, 3.0, 4.0, 40.5, 300.0], (7, 5), seed + 7)
        .zoned_rain(1e-5, &[0.0, 11.0, 90.0], (3, 2), seed + 8)
        .open(open);
    let cell = |part: usize| (columns * part / 7, rows * part / 7);
    case = case
        .source(&[cell(1), cell(3)], &[(0.0, 0.01), (5.0, 0.0), (9.0, 0.02)])
        .source(&[cell(3)], &[(2.0, 0.03)]);
    let (column, row) = cell(5);
    case = case.top_up(column, row, 0.7);
    case = case.linked([cell(5), cell(0), cell(6), cell(3), cell(4)]);
    if solver.is_timed() {
        case = case
            .cell(10.0, 7.5)
            .uneven_roughness(0.01, 0.2, seed + 6)
            .runs_out(&[cell(3), cell(6)], 0.01)
            .stage(&[cell(4), cell(6)], &[(0.0, 101.0), (3.0, 102.0), (60.0, 100.5)]);
    }
    let (column, row) = cell(2);
    case.sink(column, row).lossy(3e-6, seed + 7).with_diagnostics()
}

/// Returns cases by name, with everything that can happen to water, on grids of awkward sizes;
/// `small` leaves out one that takes many steps.
pub fn cases(small: bool, (solver, near): Variant, seed: u64) -> Vec<(String, Case)> {
    let everything = |columns, rows, open| everything((columns, rows), open, (solver, near), seed);
    let mut cases = vec![
        ("1 x 777".to_string(), everything(1, 777, OpenSides::ALL)),
        ("777 x 1".into(), everything(777, 1, TWO_SIDES)),
        ("65 x 33".into(), everything(65, 33, OpenSides::ALL)),
        ("200 x 150, closed".into(), everything(200, 150, OpenSides::CLOSED)),
    ];
    if solver.is_timed() {
        let walls = everything(130, 90, OpenSides::ALL);
        let walls = walls.structures(0.02, seed + 9).rated(&[(31, 17), (60, 45), (90, 70)]);
        cases.push(("130 x 90, structures".into(), walls));
    }
    // Tides on two sides, over ponds and dry ground.
    let mut tide = Case::new(70, 50, (solver, near)).hills(30.0, seed + 10).ponds(1.5, seed + 11);
    if solver.is_timed() {
        let deep = [0, 1].into_iter().flat_map(|column| (0..50).map(move |row| (column, row)));
        let shallow = (0..50).map(|row| (69, row));
        tide = tide
            .stage(&deep.collect::<Vec<_>>(), &[(0.0, 32.5), (8.0, 31.0), (25.0, 33.5)])
            .stage(&shallow.collect::<Vec<_>>(), &[(0.0, 31.5), (9.0, 33.0), (25.0, 31.0)])
            .stage(&[(30, 0), (31, 0)], &[(0.0, 33.5)]);
    }
    cases.push(("70 x 50, tide".into(), tide));
    // Mostly dry, with a collar of NoData and an open boundary.
    let mut collar = Case::new(190, 170, (solver, near))
        .hills(3000.0, seed + 4)
        .source(&[(90, 60)], &[(0.0, 0.02)])
        .open(OpenSides::ALL);
    for (cell, level) in collar.bed.iter_mut().enumerate() {
        let (column, row) = (cell % 190, cell / 190);
        if column + row < 60 || column > 150 + row / 8 {
            *level = f64::NAN;
        }
    }
    cases.push(("190 x 170, collar".into(), collar));
    // Deep enough that sums need a check.
    let deep = || {
        Case::new(150, 130, (solver, near)).hills(10.0, seed).ponds(60.0, seed + 5).open(TWO_SIDES)
    };
    cases.push(("150 x 130, deep".into(), deep().sink(70, 60)));
    // So deep in one place, enclosed by walls, that the run stops.
    let walled = |half: usize| {
        let mut case = deep();
        for (cell, level) in case.bed.iter_mut().enumerate() {
            let (across, down) = ((cell % 150).abs_diff(40), (cell / 150).abs_diff(70));
            if across.max(down) == half + 1 {
                *level = f64::NAN;
            }
        }
        case
    };
    let mut basin = walled(1);
    let centre = 70 * 150 + 40;
    for cell in (69..=71).flat_map(|row| row * 150 + 39..=row * 150 + 41) {
        basin.bed[cell] = if cell == centre { 0.0 } else { 100.0 };
        let depth = if cell == centre { 60.0 } else { 110.0 };
        basin.initial[cell] = basin.grain.from_depth(depth).expect("a depth that fits");
    }
    // In deep water, the steps of a timed solver without memory are too short to get anywhere.
    let slow = solver.is_timed() && solver.solver(near, None).remembers().is_none();
    if !slow {
        cases.push(("150 x 130, too deep by flow".into(), basin));
    }
    let (soon, later, rate) = match (slow, solver.is_timed()) {
        (true, _) => (5e-4, 4e-3, 6e5),
        (false, true) => (0.2, 4.0, 3e3),
        _ => (5.0, 75.0, 30.0),
    };
    let filled = |from: f64| walled(0).source(&[(40, 70)], &[(0.0, 0.0), (from, rate)]);
    cases.push(("150 x 130, too deep by source".into(), filled(soon)));
    if !small {
        // In the middle of steps that are launched together.
        cases.push(("150 x 130, too deep later".into(), filled(later)));
    }
    cases
}
