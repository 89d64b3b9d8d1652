//! Contract of every solver with momentum, tested on random edges.

use super::Random;
use super::edge_contract::random_axis;
use inundate_engine::lanes::{InstructionSet, Real, WithLanes};
use inundate_engine::solver::G;
use inundate_engine::solver::cfl::EdgeState;
use inundate_engine::solver::edge::{Axis, DRY};
use inundate_engine::solver::momentum::{
    FluxStencil, MomentumSolver, MomentumStencil, NewVelocity, Slope, Streams,
};

/// Number of random edges.
const EDGES: u64 = 40_000;

/// Width of the widest vectors.
const WIDEST: usize = 16;

/// An edge in both halves of a step.
#[derive(Clone, Copy, Debug)]
struct Case<V> {
    passage: FluxStencil<V>,
    stencil: MomentumStencil<V>,
}

/// Fails if a solver with momentum violates its contract.
pub fn assert_kept<R: MomentumSolver>(solver: R, name: &str) {
    assert!((1..=2).contains(&R::ORDER) && R::COURANT > 0.0 && R::COURANT < 1.0, "{name}");
    let mut random = Random::new(29);
    for number in 0..EDGES {
        let axis = random_axis(&mut random);
        let case = random_case(&mut random);
        let say = |what: &str| format!("{name}, {axis:?}, {case:?}: {what}");
        let terms = solver.terms(axis);
        let discharge = solver.discharge(terms, case.passage);
        let NewVelocity { velocity, celerity, wave, depth, .. } =
            solver.new_velocity(terms, case.stencil);
        assert!(discharge.is_finite() && velocity.is_finite(), "{}", say("numbers"));
        assert!(celerity.is_finite() && celerity >= 0.0, "{}", say("there is a step"));
        assert!(wave.is_finite() && wave > 0.0, "{}", say("waves run"));
        // Water flows in the direction of its velocity, and does not flow without velocity.
        let along = discharge == 0.0 || (discharge > 0.0) == (case.passage.velocity > 0.0);
        assert!(along, "{}", say("it goes with its velocity"));
        let deepest = 2.0 * case.passage.depth[0].max(case.passage.depth[1]);
        let most = case.passage.velocity.abs() * deepest * 1.000_001;
        assert!(discharge.abs() <= most, "{}", say("no more than twice the donor's depth"));
        // At second order the depth is at most twice the donor's, as above.
        let film = R::ORDER == 1 && donor_of(&case.passage) <= DRY;
        assert!(!film || discharge == 0.0, "{}", say("a film stays where it is"));
        let face = face_of(&case.stencil);
        assert_eq!(depth.to_bits(), face.to_bits(), "{}", say("the depth of flow"));
        if face <= DRY {
            assert!(velocity == 0.0 && celerity == 0.0, "{}", say("a dry edge has no velocity"));
        } else {
            assert!(celerity >= velocity.abs(), "{}", say("waves run on the water"));
            // Outside of a step, the solver gives the same values for the edge.
            let allowed = solver.allows(EdgeState {
                difference: case.stencil.difference,
                depth: wave * wave / G,
                donor: 0.0,
                roughness: case.stencil.roughness,
                flow: velocity,
                lengths: [axis.inverse_length, axis.inverse_width].map(|inverse| 1.0 / inverse),
            });
            let cfl_rate = celerity * axis.inverse_length / R::COURANT;
            let same = (allowed.cfl_rate - cfl_rate).abs() <= 1e-4 * cfl_rate;
            assert!(same, "{}: {allowed:?}", say("one CFL condition"));
        }
        let back = solver.discharge(terms, reversed_passage(case.passage));
        assert!(back == -discharge, "{}", say("the same the other way round"));
        let reversed = solver.new_velocity(terms, reversed_bend(case.stencil));
        assert!(reversed.velocity == -velocity, "{}", say("the same the other way round"));
        assert_eq!(reversed.celerity.to_bits(), celerity.to_bits(), "{}", say("the same step"));
        let mirrored = solver.new_velocity(terms, mirrored_bend(case.stencil));
        assert_eq!(
            bits_of(mirrored),
            bits_of(solver.new_velocity(terms, case.stencil)),
            "{}",
            say("no side")
        );
        let resting = solver.new_velocity(terms, at_rest(case.stencil));
        assert!(resting.velocity == 0.0, "{}", say("level water stays at rest, to the bit"));
        let rougher = MomentumStencil { roughness: 2.0 * case.stencil.roughness, ..case.stencil };
        let slower = solver.new_velocity(terms, rougher).velocity.abs();
        assert!(slower <= velocity.abs() * 1.005, "{}", say("friction slows"));
        if number < 2000 {
            let here = [discharge.to_bits()]
                .into_iter()
                .chain(bits_of(solver.new_velocity(terms, case.stencil)));
            let here: Vec<u32> = here.collect();
            for set in InstructionSet::available() {
                let lanes = set.run(InLanes(solver, axis, case));
                assert!(lanes.iter().all(|lane| lane[..] == here[..]), "{}", say(set.name()));
            }
        }
    }
}

fn bits_of(updated: NewVelocity<f32>) -> [u32; 4] {
    [updated.velocity, updated.celerity, updated.wave, updated.depth].map(f32::to_bits)
}

/// Returns the donor cell's water above the higher bed.
fn donor_of(passage: &FluxStencil<f32>) -> f32 {
    let [behind, ahead] = passage.depth;
    let from = if passage.velocity > 0.0 {
        behind + passage.rise.min(0.0)
    } else {
        ahead - passage.rise.max(0.0)
    };
    from.max(0.0)
}

/// Returns the higher level minus the higher bed.
fn face_of(stencil: &MomentumStencil<f32>) -> f32 {
    let [a, b] = stencil.depth;
    if stencil.difference >= 0.0 { a + stencil.rise.min(0.0) } else { b - stencil.rise.max(0.0) }
}

fn swapped<const N: usize>(mut values: [f32; N], sign: f32) -> [f32; N] {
    values.reverse();
    values.map(|value| sign * value)
}

/// Reverses the line.
fn reversed_passage(passage: FluxStencil<f32>) -> FluxStencil<f32> {
    let reversed = |slope: Slope<f32>| Slope { depth: -slope.depth, level: -slope.level, ..slope };
    let [a, b] = passage.slopes;
    FluxStencil {
        rise: -passage.rise,
        depth: swapped(passage.depth, 1.0),
        velocity: -passage.velocity,
        line: swapped(passage.line, -1.0),
        slopes: [reversed(b), reversed(a)],
    }
}

/// Reverses the line. The transverse edges change places, not their direction.
fn reversed_bend(stencil: MomentumStencil<f32>) -> MomentumStencil<f32> {
    let [na, nb, sa, sb] = stencil.transverse;
    let [ma, mb, oa, ob] = stencil.across;
    let [corner_na, corner_nb, corner_sa, corner_sb] = stencil.corners;
    let Streams { own, line, beside } = stencil.streams;
    MomentumStencil {
        difference: -stencil.difference,
        rise: -stencil.rise,
        line_rise: swapped(stencil.line_rise, -1.0),
        depth: swapped(stencil.depth, 1.0),
        height: swapped(stencil.height, 1.0),
        velocity: -stencil.velocity,
        line: swapped(stencil.line, -1.0),
        beside: stencil.beside.map(|value| -value),
        corners: [-corner_nb, -corner_na, -corner_sb, -corner_sa],
        discharge: -stencil.discharge,
        flows: swapped(stencil.flows, -1.0),
        transverse: [nb, na, sb, sa],
        across: [mb, ma, ob, oa],
        streams: Streams {
            own: -own,
            line: swapped(line, -1.0),
            beside: beside.map(|value| -value),
        },
        far_line: swapped(stencil.far_line, -1.0),
        far_beside: stencil.far_beside.map(|value| -value),
        shocks: stencil.shocks.map(|shocks| swapped(shocks, 1.0)),
        ..stencil
    }
}

/// Mirrors the edge across the line.
fn mirrored_bend(stencil: MomentumStencil<f32>) -> MomentumStencil<f32> {
    let [na, nb, sa, sb] = stencil.transverse;
    let [ma, mb, oa, ob] = stencil.across;
    let [corner_na, corner_nb, corner_sa, corner_sb] = stencil.corners;
    MomentumStencil {
        beside: swapped(stencil.beside, 1.0),
        corners: [corner_sa, corner_sb, corner_na, corner_nb],
        transverse: [-sa, -sb, -na, -nb],
        across: [-oa, -ob, -ma, -mb],
        streams: Streams { beside: swapped(stencil.streams.beside, 1.0), ..stencil.streams },
        far_beside: swapped(stencil.far_beside, 1.0),
        ..stencil
    }
}

/// Returns the edge with level water and no flow.
fn at_rest(stencil: MomentumStencil<f32>) -> MomentumStencil<f32> {
    MomentumStencil {
        difference: 0.0,
        velocity: 0.0,
        line: [0.0; 2],
        beside: [0.0; 2],
        corners: [0.0; 4],
        discharge: 0.0,
        flows: [0.0; 2],
        transverse: [0.0; 4],
        across: [0.0; 4],
        streams: Streams { own: 0.0, line: [0.0; 2], beside: [0.0; 2] },
        far_line: [0.0; 2],
        far_beside: [0.0; 2],
        ..stencil
    }
}

/// Returns random films and rivers, level pools and cliffs, still and fast, of either sign.
fn random_case(random: &mut Random) -> Case<f32> {
    let mut number = |low: f64, high: f64| {
        let size = 10f64.powf(random.between(low, high)) as f32;
        match random.unit() {
            x if x < 0.1 => 0.0,
            x if x < 0.55 => -size,
            _ => size,
        }
    };
    let mut depth = || number(-6.0, 2.0).abs();
    let (before, after) = ([depth(), depth()], [depth(), depth()]);
    let (rise, line_rise) = (number(-5.0, 2.0), [number(-5.0, 2.0), number(-5.0, 2.0)]);
    let mut speeds = || number(-8.0, 1.3);
    let (velocity, line) = (speeds(), [speeds(), speeds()]);
    let beside = [speeds(), speeds()];
    let corners = [speeds(), speeds(), speeds(), speeds()];
    let (far_line, far_beside) = ([speeds(), speeds()], [speeds(), speeds()]);
    let across = [speeds(), speeds(), speeds(), speeds()];
    // An edge is its own stream unless it is along a bank.
    let mut stream = |own: f32| if speeds() > 0.0 { own } else { own.signum() * speeds().abs() };
    let streams = Streams {
        own: stream(velocity),
        line: line.map(&mut stream),
        beside: beside.map(&mut stream),
    };
    let mut flow = || number(-12.0, 2.0);
    let (discharge, flows) = (flow(), [flow(), flow()]);
    let flows_across = [flow(), flow(), flow(), flow()];
    // The slope is at most the cell's depth, or 0.
    let mut slope = |depth: f32| {
        let share = random.between(-1.0, 1.0) as f32;
        let wet = f32::from(u8::from(random.unit() < 0.7 && depth > DRY));
        let level = random.between(-1.0, 1.0) as f32;
        Slope { depth: wet * share * depth, level: wet * level * depth, wet }
    };
    let slopes = before.map(&mut slope);
    let roughness = random.between(0.005, 0.3) as f32;
    let shocks = [(); 2].map(|()| f32::from(u8::from(random.unit() < 0.8)));
    let shocks = (random.unit() < 0.5).then_some(shocks);
    let difference = rise + (after[0] - after[1]);
    Case {
        passage: FluxStencil { rise, depth: before, velocity, line, slopes },
        stencil: MomentumStencil {
            difference,
            rise,
            line_rise,
            depth: after,
            height: after,
            roughness,
            velocity,
            line,
            beside,
            corners,
            discharge,
            flows,
            transverse: flows_across,
            across,
            streams,
            far_line,
            far_beside,
            shocks,
        },
    }
}

struct InLanes<R>(R, Axis, Case<f32>);

impl<R: MomentumSolver> WithLanes for InLanes<R> {
    type Output = Vec<[u32; 5]>;

    #[inline(always)]
    fn with<V: Real>(self) -> Vec<[u32; 5]> {
        let InLanes(solver, axis, Case { passage, stencil }) = self;
        let slope = |slope: Slope<f32>| Slope {
            depth: V::splat(slope.depth),
            level: V::splat(slope.level),
            wet: V::splat(slope.wet),
        };
        let passage = FluxStencil {
            rise: V::splat(passage.rise),
            depth: passage.depth.map(V::splat),
            velocity: V::splat(passage.velocity),
            line: passage.line.map(V::splat),
            slopes: passage.slopes.map(slope),
        };
        let stencil = MomentumStencil {
            difference: V::splat(stencil.difference),
            rise: V::splat(stencil.rise),
            line_rise: stencil.line_rise.map(V::splat),
            depth: stencil.depth.map(V::splat),
            height: stencil.height.map(V::splat),
            roughness: V::splat(stencil.roughness),
            velocity: V::splat(stencil.velocity),
            line: stencil.line.map(V::splat),
            beside: stencil.beside.map(V::splat),
            corners: stencil.corners.map(V::splat),
            discharge: V::splat(stencil.discharge),
            flows: stencil.flows.map(V::splat),
            transverse: stencil.transverse.map(V::splat),
            across: stencil.across.map(V::splat),
            streams: Streams {
                own: V::splat(stencil.streams.own),
                line: stencil.streams.line.map(V::splat),
                beside: stencil.streams.beside.map(V::splat),
            },
            far_line: stencil.far_line.map(V::splat),
            far_beside: stencil.far_beside.map(V::splat),
            shocks: stencil.shocks.map(|shocks| shocks.map(V::splat)),
        };
        let discharge = solver.discharge(solver.terms(axis), passage);
        let NewVelocity { velocity, celerity, wave, depth, .. } =
            solver.new_velocity(solver.terms(axis), stencil);
        let mut lanes = [[0.0; WIDEST]; 5];
        let values = [discharge, velocity, celerity, wave, depth];
        for (lanes, value) in lanes.iter_mut().zip(values) {
            // SAFETY: there is room for the widest vector.
            unsafe { value.store(lanes, 0) };
        }
        (0..V::LANES).map(|lane| lanes.map(|values| values[lane].to_bits())).collect()
    }
}
