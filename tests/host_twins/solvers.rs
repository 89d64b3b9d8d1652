//! Compares every solver of the registry with its header, for every neighbourhood.

use super::common::{Random, every_case};
use super::compare::{Function, Numbers, columns, compare};
use super::compile::Twins;
use inundate_engine::backend::cuda::compile::source::{Edges, edges_unit, flow_unit};
use inundate_engine::grains::{Grain, MAX_WATER, Rounding};
use inundate_engine::lanes::{Real, Whole};
use inundate_engine::neighbourhood::{Neighbourhood, offset};
use inundate_engine::solver::edge::{Axis, DRY, Edge, EdgeSolver, FaceFlux};
use inundate_engine::solver::momentum::{
    FluxStencil, MomentumSolver, MomentumStencil, NewVelocity, Slope, Streams, stream,
};
use inundate_engine::solver::{CellSolver, LEAST_ALPHA, SolverInfo, WithSolver};

/// Number of cases of a step or a parameter, and number of steps.
const CASES: usize = 1 << 13;
const STEPS: usize = 64;

/// A solver to be compared with its header.
struct Compared<'a> {
    twins: &'a Twins,
    near: Neighbourhood,
}

/// Compiles a solver's kernel, and compares the solver with it.
fn compare_solver(info: &SolverInfo, near: Neighbourhood) {
    let (unit, functions) = match (info.is_timed(), info.has_momentum()) {
        (false, _) => (flow_unit(info, near), "cell_solver.h"),
        (true, false) => (edges_unit(info, Edges::default()), "edge_solver.h"),
        (true, true) => (edges_unit(info, Edges::default()), "momentum_solver.h"),
    };
    let twins = &Twins::new(&unit, functions);
    let alphas: &[_] = match info.default_alpha(near) {
        Some(_) => &[None, Some(1.0), Some(0.3), Some(LEAST_ALPHA as f32)],
        None => &[None],
    };
    for &alpha in alphas {
        info.solver(near, alpha).run(Compared { twins, near });
    }
}

#[test]
fn every_solver_matches_its_header_bit_for_bit() {
    std::thread::scope(|scope| {
        for (info, near) in every_case() {
            scope.spawn(move || compare_solver(info, near));
        }
    });
}

impl WithSolver for Compared<'_> {
    type Output = ();

    fn cell<R: CellSolver>(self, solver: R) {
        match self.near {
            Neighbourhood::VonNeumann => compare_cell_4(self.twins, solver),
            Neighbourhood::Moore => compare_cell_8(self.twins, solver),
        }
    }

    fn edge<R: EdgeSolver>(self, solver: R) {
        let twins = self.twins;
        let mut numbers = Numbers(Random::new(11));
        for _ in 0..STEPS {
            let (axis, constants) = step_of(&mut numbers, solver.parameters());
            let differences = columns(64, || [numbers.signed(-24, 7)]);
            compare(twins, "face", &constants, differences, Face(solver));
            let edges = columns(CASES, || edge_of(&mut numbers));
            compare(twins, "flux", &constants, edges, Flux(solver, axis));
        }
    }

    fn momentum<R: MomentumSolver>(self, solver: R) {
        let twins = self.twins;
        let mut numbers = Numbers(Random::new(12));
        for _ in 0..STEPS {
            let (axis, constants) = step_of(&mut numbers, solver.parameters());
            let passages = columns(CASES, || passage_of(&mut numbers));
            compare(twins, "discharge", &constants, passages, Pass(solver, axis));
            let bends = columns(CASES, || bend_of(&mut numbers));
            compare(twins, "new_velocity", &constants, bends, VelocityUpdate(solver, axis));
            let around = columns(CASES, || around_of(&mut numbers));
            compare(twins, "stream", &constants, around, StreamOf);
        }
    }
}

/// Returns a step along an axis, and the equivalent constants of a header's functions.
fn step_of(numbers: &mut Numbers, parameters: [f32; 4]) -> (Axis, [f32; 8]) {
    let axis = Axis {
        dt: numbers.size(-10, 6),
        inverse_length: numbers.size(-10, 2),
        inverse_width: numbers.size(-10, 2),
        per_metre: numbers.of(&[Grain::Fine, Grain::Coarse]).per_metre(),
    };
    let Axis { dt, inverse_length, inverse_width, per_metre } = axis;
    let [a, b, c, d] = parameters;
    (axis, [dt, inverse_length, inverse_width, per_metre, a, b, c, d])
}

/// Returns a random depth from one grain up, including depths near the threshold of flow.
fn depth_of(numbers: &mut Numbers) -> f32 {
    match numbers.0.unit() {
        x if x < 0.02 => f32::from_bits(DRY.to_bits() - 1 + numbers.of(&[0, 1, 2])),
        _ => numbers.amount(-24, 7),
    }
}

fn edge_of(numbers: &mut Numbers) -> [f32; 8] {
    let depth = depth_of(numbers).max(DRY);
    [
        numbers.signed(-24, 7),
        depth,
        depth + numbers.amount(-24, 4),
        numbers.size(-8, -1),
        numbers.signed(-27, 7),
        numbers.signed(-70, 7),
        numbers.signed(-70, 7),
        numbers.signed(-70, 7),
    ]
}

#[derive(Clone, Copy)]
struct Face<R>(R);

impl<R: EdgeSolver> Function<1, 1> for Face<R> {
    #[inline(always)]
    fn of<V: Real>(self, [difference]: [V; 1]) -> [V; 1] {
        [self.0.face(difference)]
    }
}

#[derive(Clone, Copy)]
struct Flux<R>(R, Axis);

impl<R: EdgeSolver> Function<8, 7> for Flux<R> {
    #[inline(always)]
    fn of<V: Real>(self, x: [V; 8]) -> [V; 7] {
        let [difference, depth, donor, roughness, transverse, discharge, behind, ahead] = x;
        let edge =
            Edge { difference, depth, donor, roughness, transverse, discharge, behind, ahead };
        let FaceFlux { grains, cut, discharge, velocity, wave, critical, cfl_rate } =
            self.0.flux(self.0.terms(self.1), edge);
        [grains, cut, discharge, velocity, wave, critical, cfl_rate]
    }
}

fn passage_of(numbers: &mut Numbers) -> [f32; 12] {
    let depth = [depth_of(numbers), depth_of(numbers)];
    let mut slope = |depth: f32| {
        // The slope within a cell is at most the cell's depth.
        let wet = depth > DRY && numbers.0.unit() < 0.7;
        let share = |numbers: &mut Numbers| (numbers.0.between(-1.0, 1.0) as f32) * depth;
        if wet { [share(numbers), share(numbers), 1.0] } else { [0.0; 3] }
    };
    let [a, b] = depth.map(&mut slope);
    [
        numbers.signed(-16, 7),
        depth[0],
        depth[1],
        numbers.signed(-27, 5),
        numbers.signed(-27, 5),
        numbers.signed(-27, 5),
        a[0],
        a[1],
        a[2],
        b[0],
        b[1],
        b[2],
    ]
}

#[derive(Clone, Copy)]
struct Pass<R>(R, Axis);

impl<R: MomentumSolver> Function<12, 1> for Pass<R> {
    #[inline(always)]
    fn of<V: Real>(self, x: [V; 12]) -> [V; 1] {
        let [rise, depth_a, depth_b, velocity, behind, ahead, a0, a1, a2, b0, b1, b2] = x;
        let passage = FluxStencil {
            rise,
            depth: [depth_a, depth_b],
            velocity,
            line: [behind, ahead],
            slopes: [
                Slope { depth: a0, level: a1, wet: a2 },
                Slope { depth: b0, level: b1, wet: b2 },
            ],
        };
        [self.0.discharge(self.0.terms(self.1), passage)]
    }
}

fn bend_of(numbers: &mut Numbers) -> [f32; 38] {
    let mut bend = [0.0; 38];
    let (depth, rise) = ([depth_of(numbers), depth_of(numbers)], numbers.signed(-16, 7));
    // Equal levels, levels that follow from depths and bed, and arbitrary levels.
    bend[0] = match numbers.0.unit() {
        x if x < 0.1 => 0.0,
        x if x < 0.8 => rise + (depth[0] - depth[1]),
        _ => numbers.signed(-24, 7),
    };
    bend[1..5].copy_from_slice(&[rise, depth[0], depth[1], numbers.size(-8, -1)]);
    // Velocities, discharges, and velocities again.
    for (places, (low, high)) in [(5..10, (-27, 5)), (10..17, (-40, 7)), (17..34, (-27, 5))] {
        for place in places {
            bend[place] = numbers.signed(low, high);
        }
    }
    // Streams of the edge itself, and others of its direction.
    for place in 0..5 {
        let own = bend[5 + place];
        let same = numbers.0.unit() < 0.7;
        bend[21 + place] = if same { own } else { own.signum() * bend[21 + place].abs() };
    }
    // A few cells are intakes.
    bend[34..36].fill_with(|| if numbers.0.unit() < 0.1 { 0.0 } else { 1.0 });
    bend[36..].fill_with(|| numbers.signed(-16, 7));
    bend
}

#[derive(Clone, Copy)]
struct VelocityUpdate<R>(R, Axis);

impl<R: MomentumSolver> Function<38, 4> for VelocityUpdate<R> {
    #[inline(always)]
    fn of<V: Real>(self, x: [V; 38]) -> [V; 4] {
        let bend = MomentumStencil {
            difference: x[0],
            rise: x[1],
            depth: [x[2], x[3]],
            roughness: x[4],
            velocity: x[5],
            line: [x[6], x[7]],
            beside: [x[8], x[9]],
            discharge: x[10],
            flows: [x[11], x[12]],
            transverse: [x[13], x[14], x[15], x[16]],
            across: [x[17], x[18], x[19], x[20]],
            streams: Streams { own: x[21], line: [x[22], x[23]], beside: [x[24], x[25]] },
            far_line: [x[26], x[27]],
            far_beside: [x[28], x[29]],
            corners: [x[30], x[31], x[32], x[33]],
            shocks: Some([x[34], x[35]]),
            line_rise: [x[36], x[37]],
            height: [x[2], x[3]],
        };
        let NewVelocity { velocity, celerity, wave, depth, .. } =
            self.0.new_velocity(self.0.terms(self.1), bend);
        [velocity, celerity, wave, depth]
    }
}

/// Returns velocities of an edge, of parallel edges and of transverse edges at its ends, some of
/// which are closed.
fn around_of(numbers: &mut Numbers) -> [f32; 7] {
    [(); 7].map(|()| if numbers.0.unit() < 0.4 { 0.0 } else { numbers.signed(-27, 5) })
}

#[derive(Clone, Copy)]
struct StreamOf;

impl Function<7, 1> for StreamOf {
    #[inline(always)]
    fn of<V: Real>(self, [own, before, after, na, nb, sa, sb]: [V; 7]) -> [V; 1] {
        [stream::<_, false>(own, [before, after], [na, nb, sa, sb])]
    }
}

#[derive(Clone, Copy)]
struct EdgeOf<R>(R);

impl<R: CellSolver> Function<1, 1> for EdgeOf<R> {
    #[inline(always)]
    fn of<V: Real>(self, [difference]: [V; 1]) -> [V; 1] {
        [self.0.edge(difference)]
    }
}

/// Returns levels that differ by whole grains, or not at all.
fn difference_of(numbers: &mut Numbers) -> f32 {
    let difference = numbers.signed(0, 37).trunc();
    if difference == 0.0 { 0.0 } else { difference }
}

#[derive(Clone, Copy)]
struct Give<R>(R);

#[derive(Clone, Copy)]
struct ToGrains(Rounding);

macro_rules! cell_solver {
    ($compare:ident, $neighbours:literal, $inputs:literal) => {
        impl<R: CellSolver> Function<$inputs, $neighbours> for Give<R> {
            #[inline(always)]
            fn of<V: Real>(self, x: [V; $inputs]) -> [V; $neighbours] {
                let (mut drop, mut edge) = ([V::zero(); $neighbours], [V::zero(); $neighbours]);
                for k in 0..$neighbours {
                    (drop[k], edge[k]) = (x[1 + k], x[1 + $neighbours + k]);
                }
                self.0.give(x[0], drop, edge)
            }
        }

        impl Function<$inputs, $neighbours> for ToGrains {
            #[inline(always)]
            fn of<V: Real>(self, x: [V; $inputs]) -> [V; $neighbours] {
                let (mut give, mut drop) = ([V::zero(); $neighbours], [V::zero(); $neighbours]);
                for k in 0..$neighbours {
                    (give[k], drop[k]) = (x[1 + k], x[1 + $neighbours + k]);
                }
                let grains = self.0.to_grains::<V, $neighbours>(x[0].to_bits(), give, drop);
                let mut bits = give;
                for k in 0..$neighbours {
                    bits[k] = grains[k].bits_as_real();
                }
                bits
            }
        }

        fn $compare<R: CellSolver>(twins: &Twins, solver: R) {
            let mut numbers = Numbers(Random::new(10));
            let parameters = solver.parameters();
            let differences = columns(CASES * 16, || [difference_of(&mut numbers)]);
            compare(twins, "edge", &parameters, differences, EdgeOf(solver));
            for step in 0..STEPS as u64 / 4 {
                // Outflow of cells, and the resulting whole grains.
                let mut outflows = Vec::new();
                let cells = columns(CASES, || {
                    let depth = numbers.amount(0, 31).trunc().min(MAX_WATER as f32);
                    let difference: [f32; $neighbours] =
                        std::array::from_fn(|_| difference_of(&mut numbers));
                    let drop = difference.map(|difference| difference.max(0.0));
                    let edge = difference.map(|difference| solver.edge(difference));
                    outflows.push((depth, solver.give(depth, drop, edge), drop));
                    let mut cell = [depth; $inputs];
                    cell[1..=$neighbours].copy_from_slice(&drop);
                    cell[1 + $neighbours..].copy_from_slice(&edge);
                    cell
                });
                compare(twins, "give", &parameters, cells, Give(solver));
                let rounding = Rounding::new(Grain::Fine, $neighbours, step);
                let mut given = outflows.into_iter();
                let cells = columns(CASES, || {
                    let (depth, give, drop) = given.next().expect("as many");
                    let mut cell = [f32::from_bits(depth as u32); $inputs];
                    cell[1..=$neighbours].copy_from_slice(&give);
                    cell[1 + $neighbours..].copy_from_slice(&drop);
                    cell
                });
                let constants = [rounding.phase, rounding.calm];
                compare(twins, "to_grains", &constants, cells, ToGrains(rounding));
            }
            compare_cells(twins, &mut numbers, $neighbours);
        }
    };
}
cell_solver!(compare_cell_4, 4, 9);
cell_solver!(compare_cell_8, 8, 17);

/// Compares what the kernels of all solvers share.
fn compare_cells(twins: &Twins, numbers: &mut Numbers, neighbours: usize) {
    let k: Vec<u32> = (0..neighbours as u32).collect();
    let places = twins.call("offsets", &[], &[k], 2);
    for k in 0..neighbours {
        let (column, row) = offset(k);
        assert_eq!([places[0][k] as i32, places[1][k] as i32], [column as i32, row as i32]);
    }
    let mut water = || (numbers.0.bits() >> 33) as u32;
    let pairs: [Vec<u32>; 2] = std::array::from_fn(|_| (0..CASES).map(|_| water()).collect());
    let sums = twins.call("add_or_most", &[], &pairs, 1);
    let ours = |at: usize| (pairs[0][at] as i32).saturating_add(pairs[1][at] as i32) as u32;
    assert_eq!(sums[0], (0..CASES).map(ours).collect::<Vec<u32>>());
}
