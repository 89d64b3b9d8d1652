//! An open side opens the domain boundary: terrain with a collar of NoData around it, as in every
//! warped DEM, behaves bit for bit like the cropped terrain. NoData inside the domain remains a
//! wall.

use crate::common;

use common::{Case, Random, State, every_case};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::boundary::OpenSides;
use inundate_engine::roughness::Roughness;

const COLUMNS: usize = 23;
const ROWS: usize = 17;

fn level(column: usize, row: usize) -> f64 {
    let mut random = Random::new((row * COLUMNS + column) as u64 + 1);
    0.02 * column as f64 + 0.5 * random.unit()
}

fn depth(column: usize, row: usize) -> f64 {
    0.2 + 0.01 * ((column * 7 + row * 3) % 11) as f64
}

fn roughness(column: usize, row: usize) -> f32 {
    0.02 + 0.01 * ((column * 5 + row * 2) % 13) as f32
}

fn some_open_edges() -> [OpenSides; 4] {
    let closed = OpenSides::CLOSED;
    [
        OpenSides::ALL,
        OpenSides { north: true, ..closed },
        OpenSides { east: true, south: true, ..closed },
        OpenSides { west: true, ..closed },
    ]
}

#[test]
fn a_nodata_collar_gives_the_bits_of_the_cropped_terrain() {
    for variant in every_case() {
        for open in some_open_edges() {
            let mut cropped = Case::new(COLUMNS, ROWS, variant).bed(level).water(depth).open(open);
            let cells = (0..COLUMNS * ROWS).map(|cell| roughness(cell % COLUMNS, cell / COLUMNS));
            cropped.roughness = Roughness::Cells(cells.collect());
            let plain = cropped.run(200, CpuOptions::default());
            assert!(plain.ledger.outflow > 0);
            for collar in [1, 3] {
                let inside = |column: usize, row: usize| {
                    let at = (column.wrapping_sub(collar), row.wrapping_sub(collar));
                    (at.0 < COLUMNS && at.1 < ROWS).then_some(at)
                };
                let mut framed = Case::new(COLUMNS + 2 * collar, ROWS + 2 * collar, variant)
                    .bed(|i, j| inside(i, j).map_or(f64::NAN, |(i, j)| level(i, j)))
                    .water(|i, j| inside(i, j).map_or(0.0, |(i, j)| depth(i, j)))
                    .open(open);
                // The roughness outside the ground does not matter.
                let cells = (0..framed.columns * framed.rows).map(|cell| {
                    let at = inside(cell % framed.columns, cell / framed.columns);
                    at.map_or(1.0, |(i, j)| roughness(i, j))
                });
                framed.roughness = Roughness::Cells(cells.collect());
                for tile in [(512, 256), (7, 5)] {
                    let state = framed.run(200, CpuOptions { tile, ..CpuOptions::default() });
                    assert_eq!(state.ledger, plain.ledger, "{}, {open:?}", framed.name());
                    // Edges of ghosts within the raster are counted among the deep ones, ghosts
                    // beyond it are not.
                    let crossed = |state: &State| (state.crossed.crossed, state.crossed.cut);
                    assert_eq!(crossed(&state), crossed(&plain), "{}, {open:?}", framed.name());
                    assert_eq!(state.control, plain.control, "{}, {open:?}", framed.name());
                    for row in 0..ROWS {
                        let start = (row + collar) * framed.columns + collar;
                        let own = row * COLUMNS..(row + 1) * COLUMNS;
                        assert_eq!(state.water[start..start + COLUMNS], plain.water[own.clone()]);
                        assert_eq!(state.most[start..start + COLUMNS], plain.most[own]);
                    }
                }
            }
        }
    }
}

#[test]
fn a_collar_along_one_side_meets_the_edges_of_the_other_sides() {
    for variant in every_case() {
        for open in some_open_edges() {
            let cropped = Case::new(COLUMNS, ROWS, variant).bed(level).water(depth).open(open);
            let plain = cropped.run(50, CpuOptions::default());
            let framed = Case::new(COLUMNS, ROWS + 1, variant)
                .bed(|i, j| if j == 0 { f64::NAN } else { level(i, j - 1) })
                .water(|i, j| if j == 0 { 0.0 } else { depth(i, j - 1) })
                .open(open);
            let state = framed.run(50, CpuOptions::default());
            assert_eq!(state.ledger, plain.ledger, "{}, {open:?}", framed.name());
            assert_eq!(state.water[COLUMNS..], plain.water[..]);
        }
    }
}

#[test]
fn interior_nodata_stays_a_wall_on_open_maps() {
    for variant in every_case() {
        // A hole in the middle of flat, flooded ground: nothing may leave through it while the
        // edges are far away.
        let hole =
            |column: usize, row: usize| (18..22).contains(&column) && (18..22).contains(&row);
        let case = Case::new(41, 41, variant)
            .bed(|i, j| if hole(i, j) { f64::NAN } else { 0.0 })
            .water(|i, j| if hole(i, j) { 0.0 } else { 1.0 })
            .open(OpenSides::ALL);
        let state = case.run(5, CpuOptions::default());
        for row in 12..28 {
            for column in 12..28 {
                let water = state.water[row * 41 + column];
                let expected = if hole(column, row) { 0 } else { 1 << 24 };
                assert_eq!(water, expected, "{} at {column}, {row}", case.name());
            }
        }
    }
}
