//! Tests of the diagnostics recorded for cells.

use super::common::Random;
use super::compare::{Numbers, assert_same};
use super::sheet::{CELLS, COLUMNS, ROWS, STRIDE, Sheet, argument, origin, place, water_of};
use inundate_engine::backend::cuda::compile::fields::Fields;
use inundate_engine::backend::cuda::diagnostics::{DiagnosticPlane, DiagnosticPlanes};
use inundate_engine::backend::cuda::params::{Params, StepConstants, Totals};
use inundate_engine::backend::padded_grid::{CROSSED, INSIDE};
use inundate_engine::cell_diagnostics::{self, CellDiagnostic, RowFlow, RowTables, StateTime};
use inundate_engine::crossed_sides::CrossedSides;
use inundate_engine::field::Field;
use inundate_engine::grains::Grain;
use inundate_engine::hazard::FILM;
use inundate_engine::run_diagnostics::{DEEP, Maxima, Maximum};
use inundate_engine::solver::ROOT_G;
use inundate_engine::solver::edge::EdgeField;
use inundate_engine::subgrid::cell_table;
use inundate_engine::subgrid::layout::cell;
use inundate_engine::subgrid::lookup::CellTables;

#[test]
fn recorded_diagnostics_match() {
    let mut numbers = Numbers(Random::new(6));
    let mut sheet = Sheet::new();
    for _ in 0..4 {
        // Crossed sides beside cells outside the domain.
        sheet.flags = std::iter::repeat_with(|| numbers.of(&[INSIDE, INSIDE | CROSSED, 0]))
            .take(CELLS)
            .collect();
        let grain = numbers.of(&[Grain::Fine, Grain::Coarse]);
        // Includes depths close to the film depth.
        let film = (FILM * grain.per_metre()) as i32;
        let above = [water_of(&mut numbers), numbers.of(&[film, 0])];
        let cell_diagnostics = [
            CellDiagnostic::PeakTime,
            CellDiagnostic::Wet { above: above[0], ticks: 64 },
            CellDiagnostic::Wet { above: above[1], ticks: 1 },
            CellDiagnostic::Arrival { above: above[0] },
            CellDiagnostic::Arrival { above: above[1] },
            CellDiagnostic::Speed,
            CellDiagnostic::MaxUnitDischarge,
            CellDiagnostic::Hazard { above: above[0] },
            CellDiagnostic::Class { above: above[1] },
            CellDiagnostic::LevelArrivals { above: above[0] },
        ];
        let tables = tables(&mut numbers);
        let mut water: Vec<i32> = (0..CELLS)
            .map(|_| match numbers.0.unit() {
                x if x < 0.2 => film - 2 + numbers.of(&[0, 1, 2, 3]),
                x if x < 0.25 => above[0] + numbers.of(&[0, 1]),
                _ => water_of(&mut numbers),
            })
            .collect();
        let mut edges: [Vec<f32>; 4] =
            std::array::from_fn(|_| (0..CELLS).map(|_| numbers.signed(-40, 5)).collect());
        let start = numbers.size(-4, 20);
        let end = start + numbers.size(-10, 6);
        let (_, count) = cell_diagnostics::first_planes(&cell_diagnostics);
        // Earlier records: nothing, or some number.
        let initials = cell_diagnostics::initial_bits(&cell_diagnostics);
        let mut planes: Vec<Vec<u32>> = (0..count)
            .map(|plane| {
                let known = |numbers: &mut Numbers| match initials[plane] {
                    _ if numbers.0.unit() < 0.3 => initials[plane],
                    _ => numbers.amount(-10, 5).to_bits(),
                };
                (0..CELLS).map(|_| known(&mut numbers)).collect()
            })
            .collect();
        let before = planes.clone();
        let now = StateTime::new(start, end, grain.metres());
        let ours =
            recorded(&cell_diagnostics, now, &water, (&edges, &sheet.flags), &tables, &planes);
        sheet.step_constants = StepConstants { start, end, ..StepConstants::default() };
        let [east, south, u_east, u_south] = edges.each_mut().map(|edges| origin(edges));
        let params = sheet.params(grain, &mut water);
        let fields = Fields::of(|field, _| match field {
            Field::Water => origin(&mut water),
            Field::DischargeEast => east,
            Field::DischargeSouth => south,
            Field::VelocityEast => u_east,
            Field::VelocitySouth => u_south,
            _ => 0,
        });
        let of_tables = &raw const tables[place(0, 0)] as u64;
        let params = Params { fields, tables: of_tables, apart: CELLS as u64, ..params };
        let mut all = DiagnosticPlanes {
            count: cell_diagnostics.len() as u64,
            ..DiagnosticPlanes::default()
        };
        let (places, _) = cell_diagnostics::first_planes(&cell_diagnostics);
        for ((diagnostic, first), to) in cell_diagnostics.iter().zip(places).zip(&mut all.planes) {
            let (kind, above) = diagnostic.code();
            let plane = origin(&mut planes[first]);
            let peak = if diagnostic.planes() > 1 { origin(&mut planes[first + 1]) } else { 0 };
            let ticks = diagnostic.ticks() as f32;
            *to = DiagnosticPlane { plane, peak, kind, above, ticks, spare: 0 };
            if let CellDiagnostic::LevelArrivals { .. } = diagnostic {
                all.rises = std::array::from_fn(|knot| origin(&mut planes[first + 2 + knot]));
            }
        }
        // SAFETY: all arrays are the sheet's.
        unsafe { sheet.launch("record_diagnostics", &[argument(&params), argument(&all)]) };
        assert_same("record_diagnostics", &planes, &ours, |at| {
            let seen: Vec<u32> = before.iter().map(|plane| plane[at]).collect();
            (cell_diagnostics, start, end, water[at], seen)
        });
        let greatest = greatest(&water, (&edges, &sheet.flags), grain);
        let maxima = sheet.totals.maxima();
        assert!(greatest.speed.bits() > 0);
        assert_eq!((maxima.speed, maxima.froude), (greatest.speed, greatest.froude));
        sheet.totals = Totals { halted_at: u64::MAX, ..Totals::default() };
    }
}

/// Returns the planes of the tables of cells with a few pixels each, stored without gaps.
fn tables(numbers: &mut Numbers) -> Vec<i32> {
    let mut planes = vec![0; CELLS * cell::WORDS];
    for at in 0..CELLS {
        let mut pixels: Vec<i32> =
            (0..9).map(|_| (numbers.0.unit() * numbers.of(&[1e2, 1e4, 1e6])) as i32).collect();
        pixels.sort_unstable();
        for (plane, word) in cell_table::of(pixels.into_iter(), 12).into_iter().enumerate() {
            planes[plane * CELLS + at] = word as i32;
        }
    }
    planes
}

/// Returns the greatest speed and Froude number of deep cells.
fn greatest(water: &[i32], (edges, flags): (&[Vec<f32>; 4], &[u8]), grain: Grain) -> Maxima {
    let cells = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (column, row)));
    cells.fold(Maxima::default(), |all, (column, row)| {
        let at = place(column, row);
        let depth = water[at] as f32 * grain.metres();
        let [west, east, north, south] = faces(&edges[2], &edges[3], flags, at);
        let (along, across) = (0.5 * (west + east), 0.5 * (north + south));
        let speed = (along * along + across * across).sqrt();
        if depth <= DEEP || speed == 0.0 {
            return all;
        }
        let [speed, froude] = [speed, speed / (ROOT_G * depth.sqrt())]
            .map(|value| Maximum::new(value.to_bits(), row * COLUMNS + column));
        all.with(Maxima { speed, froude, ..Maxima::default() })
    })
}

/// Returns the planes after recording in Rust.
fn recorded(
    cell_diagnostics: &[CellDiagnostic],
    now: StateTime,
    water: &[i32],
    (edges, flags): (&[Vec<f32>; 4], &[u8]),
    tables: &[i32],
    planes: &[Vec<u32>],
) -> Vec<Vec<u32>> {
    let mut planes = planes.to_vec();
    let tables = CellTables(std::array::from_fn(|word| &tables[word * CELLS..][..CELLS]));
    let (places, _) = cell_diagnostics::first_planes(cell_diagnostics);
    for row in 0..ROWS {
        let first = place(0, row);
        let cells = first..first + COLUMNS;
        for (&diagnostic, &plane) in cell_diagnostics.iter().zip(&places) {
            for at in cells.clone() {
                let faces = diagnostic.flows().map(|field| {
                    let of = if field == EdgeField::Discharge { 0 } else { 2 };
                    faces(&edges[of], &edges[of + 1], flags, at)
                });
                let flow =
                    faces.as_ref().map(|[west_east @ .., north, south]: &[f32; 4]| RowFlow {
                        along: west_east,
                        before: std::slice::from_ref(north),
                        after: std::slice::from_ref(south),
                    });
                let planes = planes[plane..plane + diagnostic.planes()].iter_mut();
                let mut rows: Vec<&mut [u32]> =
                    planes.map(|plane| std::slice::from_mut(&mut plane[at])).collect();
                let tables = Some(RowTables { tables, at });
                cell_diagnostics::record(diagnostic, now, &[water[at]], flow, tables, &mut rows);
            }
        }
    }
    planes
}

/// Returns the flow over the faces of a cell, west, east, north and south.
fn faces(east: &[f32], south: &[f32], flags: &[u8], at: usize) -> [f32; 4] {
    let faces = [east[at - 1], east[at], south[at - STRIDE], south[at]];
    CrossedSides::of(flags, at, STRIDE).complete(faces)
}
