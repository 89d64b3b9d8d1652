//! Water that moves at the start: a still state is saved, and a backend continues from it with
//! velocities.

use crate::setup::Setup;
use inundate::engine::backend::cpu::{self, CpuOptions};
use inundate::engine::backend::saved::{Resumed, Sums};
use inundate::engine::backend::{Backend, Problem};
use inundate::engine::field::Field;
use inundate::engine::gauged::GaugeState;
use inundate::engine::solver::edge::EdgeField;

/// Creates a backend whose water moves at the start: the state of a second one, `still`, is saved,
/// and restored with velocities.
pub fn moving(
    setup: &Setup,
    still: Problem,
    problem: Problem,
    backend: impl FnOnce(Problem, Option<Resumed>) -> Box<dyn Backend>,
) -> Box<dyn Backend> {
    let still = cpu::open(still, CpuOptions::default());
    let shape = (setup.columns, setup.rows);
    let mut saved = Vec::new();
    for field in problem.kept() {
        let (width, lines) = field.shape(shape);
        for line in 0..lines {
            let mut bits = vec![0; width];
            still.read(field, line, &mut bits).expect("a state that can be read");
            let all = EdgeField::ALL.into_iter().flat_map(|edge| [(edge, 0), (edge, 1)]);
            let of = all.into_iter().find(|&(edge, axis)| Field::edge(edge, axis) == field);
            if let Some((edge, axis)) = of {
                for (place, bits) in bits.iter_mut().enumerate() {
                    *bits = (flow_at_start(setup, edge, axis, line, place) as f32).to_bits();
                }
            }
            saved.push(bits);
        }
    }
    let mut saved = saved.into_iter();
    let mut next = |to: &mut [u32]| {
        to.copy_from_slice(&saved.next().expect("as many lines as there are"));
        Ok(())
    };
    let gauges = vec![GaugeState::default(); problem.gauges.len()];
    let sums = Sums { ledger: still.ledger(), gauges, ..Sums::default() };
    let saved = Resumed { sums, fields: problem.kept(), lines: &mut next };
    backend(problem, Some(saved))
}

/// Returns the initial velocity [m/s] or unit discharge [m²/s] over the edge at a place of a line
/// of an axis: 0 at the grid's boundary, at dry cells, and where the higher ground is above the
/// water.
fn flow_at_start(setup: &Setup, field: EdgeField, axis: usize, line: usize, place: usize) -> f64 {
    let (along, count, back) =
        if axis == 0 { (place, setup.columns, 1) } else { (line, setup.rows, setup.columns) };
    if along == 0 || along == count {
        return 0.0;
    }
    let cell = setup.cell(place, line);
    let (a, b) = (cell - back, cell);
    let mean = 0.5 * (setup.depth[a] + setup.depth[b]);
    let level = (setup.bed[a] + setup.depth[a]).max(setup.bed[b] + setup.depth[b]);
    match field {
        _ if mean == 0.0 || level <= setup.bed[a].max(setup.bed[b]) => 0.0,
        EdgeField::Velocity => setup.speed[axis],
        EdgeField::Discharge => setup.speed[axis] * mean,
    }
}
