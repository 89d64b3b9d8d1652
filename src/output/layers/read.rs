//! Reads the rows of each layer from the state of a run.

use super::{NODATA, State};
use crate::engine::cell_diagnostics::{self, CellDiagnostic, RowFlow};
use crate::engine::clock::TimeUnit;
use crate::engine::field::Field;
use crate::engine::grid::Bed;
use crate::engine::hazard;
use crate::engine::solver::edge::EdgeField;
use crate::error::Result;

fn grains(state: &State, field: Field, row: usize, columns: usize) -> Result<Vec<i32>> {
    let mut grains = vec![0; columns];
    state.lines.read_grains(field, row, &mut grains)?;
    Ok(grains)
}

/// Reads depths of water (m).
pub fn depths(state: &State, field: Field, row: usize, to: &mut [f32]) -> Result<()> {
    let grains = grains(state, field, row, to.len())?;
    for (to, grains) in to.iter_mut().zip(grains) {
        *to = state.grain.depth(grains);
    }
    Ok(())
}

/// Reads levels of the water (m); NODATA where it is dry.
pub fn levels(state: &State, field: Field, row: usize, to: &mut [f32]) -> Result<()> {
    let columns = to.len();
    let bed = state.bed.expect("a run with levels keeps its bed");
    let metres = state.grain.metres();
    let cells = row * columns..(row + 1) * columns;
    for ((to, grains), cell) in to.iter_mut().zip(grains(state, field, row, columns)?).zip(cells) {
        let bed = f64::from(bed.levels[cell]) / Bed::PER_METRE;
        let level = match state.tables {
            Some(tables) if grains > 0 => {
                f64::from(tables.level_of(cell, grains, metres)) / Bed::PER_METRE
            }
            _ => bed + f64::from(grains) * f64::from(metres),
        };
        *to = if grains > 0 { level as f32 } else { NODATA };
    }
    Ok(())
}

/// Applies a function to the depth (m) and the discharge (m²/s) or velocity (m/s), eastward and
/// southward, of each wet cell; 0 where it is dry.
fn flows(
    state: &State,
    field: EdgeField,
    row: usize,
    to: &mut [f32],
    value: impl Fn(f32, [f32; 2]) -> f32,
) -> Result<()> {
    let columns = to.len();
    let [mut along, mut before, mut after] = [columns + 1, columns, columns].map(|n| vec![0.0; n]);
    state.lines.read_floats(Field::edge(field, 0), row, &mut along)?;
    state.lines.read_floats(Field::edge(field, 1), row, &mut before)?;
    state.lines.read_floats(Field::edge(field, 1), row + 1, &mut after)?;
    let flow = RowFlow { along: &along, before: &before, after: &after };
    let mut means: Vec<[f32; 2]> = (0..columns).map(|cell| flow.of(cell)).collect();
    let first = state.crossed.partition_point(|(cell, _)| *cell < row * columns);
    for &(cell, sides) in &state.crossed[first..] {
        let Some(mean) = means.get_mut(cell - row * columns) else { break };
        let at = cell - row * columns;
        let [west, east, north, south] =
            sides.complete([along[at], along[at + 1], before[at], after[at]]);
        *mean = RowFlow { along: &[west, east], before: &[north], after: &[south] }.of(0);
    }
    let water = grains(state, Field::Water, row, columns)?;
    for ((to, mean), grains) in to.iter_mut().zip(means).zip(water) {
        *to = if grains > 0 { value(state.grain.depth(grains), mean) } else { 0.0 };
    }
    Ok(())
}

fn size([x, y]: [f32; 2]) -> f32 {
    (x * x + y * y).sqrt()
}

pub fn velocity(state: &State, row: usize, to: &mut [f32]) -> Result<()> {
    flows(state, EdgeField::Velocity, row, to, |depth, flow| hazard::speed(depth, size(flow)))
}

pub fn velocity_x(state: &State, row: usize, to: &mut [f32]) -> Result<()> {
    flows(state, EdgeField::Velocity, row, to, |depth, [x, _]| hazard::speed(depth, x))
}

pub fn velocity_y(state: &State, row: usize, to: &mut [f32]) -> Result<()> {
    // Rows run south. Subtracting from 0 avoids negative zero.
    flows(state, EdgeField::Velocity, row, to, |depth, [_, y]| 0.0 - hazard::speed(depth, y))
}

pub fn unit_discharge(state: &State, row: usize, to: &mut [f32]) -> Result<()> {
    flows(state, EdgeField::Discharge, row, to, |_, flow| size(flow))
}

/// Computes a hazard from depth and speed; 0 up to the minimum depth.
pub fn hazard(state: &State, row: usize, to: &mut [f32], of: fn(f32, f32) -> f32) -> Result<()> {
    let shallow = state.grain.depth(state.hazard);
    flows(state, EdgeField::Velocity, row, to, |depth, flow| {
        if depth > shallow { of(depth, hazard::speed(depth, size(flow))) } else { 0.0 }
    })
}

/// Returns the conversion of run times (s, or steps) to the unit of rasters: hours, or steps.
pub fn shown(unit: TimeUnit) -> fn(f64) -> f32 {
    match unit {
        TimeUnit::Seconds => |time| (time / 3600.0) as f32,
        TimeUnit::Steps => |time| time as f32,
    }
}

/// Reads times since the start; negative ones stand for never.
pub fn times(state: &State, field: Field, row: usize, to: &mut [f32]) -> Result<()> {
    state.lines.read_floats(field, row, to)?;
    let shown = shown(state.clock.unit);
    for time in to {
        *time = if *time < 0.0 { NODATA } else { shown(f64::from(*time)) };
    }
    Ok(())
}

/// Returns the field of a recorded diagnostic.
fn recorded(state: &State, diagnostic: CellDiagnostic) -> Field {
    let (places, _) = cell_diagnostics::first_planes(state.cell_diagnostics);
    let number = state.cell_diagnostics.iter().position(|recorded| *recorded == diagnostic);
    Field::Diagnostic(places[number.expect("what a layer needs is recorded")])
}

/// Converts the bits of a field with a function.
fn read_bits(
    state: &State,
    field: Field,
    row: usize,
    to: &mut [f32],
    of: impl Fn(u32) -> f32,
) -> Result<()> {
    let mut bits = vec![0; to.len()];
    state.lines.read(field, row, &mut bits)?;
    to.iter_mut().zip(bits).for_each(|(to, bits)| *to = of(bits));
    Ok(())
}

/// Reads times that a diagnostic recorded.
pub fn recorded_times(
    state: &State,
    diagnostic: CellDiagnostic,
    row: usize,
    to: &mut [f32],
) -> Result<()> {
    times(state, recorded(state, diagnostic), row, to)
}

pub fn duration(state: &State, row: usize, to: &mut [f32]) -> Result<()> {
    let wet = state
        .cell_diagnostics
        .iter()
        .find(|diagnostic| matches!(diagnostic, CellDiagnostic::Wet { .. }));
    let wet = *wet.expect("what a layer needs is recorded");
    let shown = shown(state.clock.unit);
    read_bits(state, recorded(state, wet), row, to, |ticks| {
        shown(f64::from(ticks) / f64::from(wet.ticks()))
    })
}

pub fn highest(
    state: &State,
    diagnostic: CellDiagnostic,
    row: usize,
    to: &mut [f32],
) -> Result<()> {
    state.lines.read_floats(recorded(state, diagnostic), row, to)
}

pub fn infiltration(state: &State, row: usize, to: &mut [f32]) -> Result<()> {
    read_bits(state, Field::Soaked, row, to, |grains| state.grain.depth(grains as i32))?;
    // Nothing seeps away on closed pixels.
    if let Some(tables) = state.tables {
        let cells = row * to.len()..;
        for (cell, depth) in cells.zip(to).filter(|(_, depth)| **depth > 0.0) {
            *depth /= tables.open_share(cell) as f32;
        }
    }
    Ok(())
}
