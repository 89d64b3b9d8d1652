//! Contract of every edge solver, tested on random edges.

use super::Random;
use inundate_engine::grains::Grain;
use inundate_engine::lanes::{InstructionSet, Real, WithLanes};
use inundate_engine::solver::cfl::EdgeState;
use inundate_engine::solver::edge::{Axis, DRY, Edge, EdgeSolver, FaceFlux};

/// Number of random edges.
const EDGES: u64 = 40_000;

/// Width of the widest vectors.
const WIDEST: usize = 16;

/// Fails if an edge solver violates its contract.
pub fn assert_kept<R: EdgeSolver>(solver: R, name: &str) {
    let mut random = Random::new(17);
    for number in 0..EDGES {
        let axis = random_axis(&mut random);
        let edge = random_edge(&mut random);
        let say = |what: &str| format!("{name}, {axis:?}, {edge:?}: {what}");
        let terms = solver.terms(axis);
        let flux = solver.flux(terms, edge);
        let FaceFlux { grains, cut, discharge, velocity, wave, critical, cfl_rate } = flux;
        assert!(velocity.is_finite() && wave.is_finite() && wave > 0.0, "{}", say("numbers"));
        assert!(critical == 0.0 || critical == 1.0, "{}", say("it is critical or not"));
        let carries = (velocity * edge.depth - discharge).abs() <= 1e-5 * discharge.abs();
        assert!(carries, "{}", say("the velocity is the discharge over the depth"));
        assert!(grains.is_finite() && discharge.is_finite(), "{}", say("numbers"));
        assert!(cut >= 0.0 && cut.is_finite(), "{}", say("what is cut is an amount"));
        assert!(cfl_rate >= 0.0 && cfl_rate.is_finite(), "{}", say("there is a step"));
        if !R::REMEMBERS {
            let flows = grains / (axis.dt * axis.per_metre * axis.inverse_length);
            let same = (discharge - flows).abs() <= 1e-6 * flows.abs();
            assert!(same, "{}", say("the discharge is the flux"));
        }
        if R::CAPPED {
            let quarter = 0.25 * edge.donor * axis.per_metre;
            assert!(grains.abs() <= quarter * 1.000_001, "{}", say("a quarter of the donor"));
            let downhill = grains == 0.0 || (grains > 0.0) == (edge.difference > 0.0);
            assert!(downhill, "{}", say("water flows down"));
        }
        // Without transverse flow, the solver gives the same values for the edge outside of a step.
        let along = solver.flux(terms, Edge { transverse: 0.0, ..edge });
        let allowed = solver.allows(EdgeState {
            difference: edge.difference,
            depth: edge.depth,
            donor: edge.donor,
            roughness: edge.roughness,
            flow: if R::REMEMBERS { along.discharge } else { 0.0 },
            lengths: [axis.inverse_length, axis.inverse_width].map(|inverse| 1.0 / inverse),
        });
        let same = (allowed.cfl_rate - along.cfl_rate).abs() <= 1e-4 * along.cfl_rate;
        assert!(same, "{}: {allowed:?}", say("one CFL condition"));
        let reversed = solver.flux(terms, reversed(edge));
        assert!(reversed.grains == -grains, "{}", say("the same the other way round"));
        assert!(reversed.discharge == -discharge, "{}", say("the same the other way round"));
        assert!(reversed.velocity == -velocity, "{}", say("the same the other way round"));
        assert_eq!(reversed.cfl_rate.to_bits(), cfl_rate.to_bits(), "{}", say("the same step"));
        let mirrored = solver.flux(terms, Edge { transverse: -edge.transverse, ..edge });
        assert_eq!(bits(mirrored), bits(flux), "{}", say("no side is another"));
        let face: (f32, f32) = (solver.face(edge.difference), solver.face(-edge.difference));
        assert!(face.0 == -face.1, "{}", say("a face changes its sign with the difference"));
        if number < 2000 {
            for set in InstructionSet::available() {
                let lanes = set.run(InLanes(solver, axis, edge));
                assert!(lanes.iter().all(|lane| *lane == bits(flux)), "{}", say(set.name()));
            }
        }
    }
}

fn bits(flux: FaceFlux<f32>) -> [u32; 7] {
    let FaceFlux { grains, cut, discharge, velocity, wave, critical, cfl_rate } = flux;
    [grains, cut, discharge, velocity, wave, critical, cfl_rate].map(f32::to_bits)
}

fn reversed(edge: Edge<f32>) -> Edge<f32> {
    Edge {
        difference: -edge.difference,
        discharge: -edge.discharge,
        behind: -edge.ahead,
        ahead: -edge.behind,
        ..edge
    }
}

/// Returns an axis with a random cell size and step length.
pub fn random_axis(random: &mut Random) -> Axis {
    let mut power = |low, high| 10f64.powf(random.between(low, high)) as f32;
    Axis {
        dt: power(-3.0, 1.8),
        inverse_length: power(-3.0, 0.5),
        inverse_width: power(-3.0, 0.5),
        per_metre: Grain::Fine.per_metre(),
    }
}

/// Returns random films and rivers, level pools and cliffs, still and fast, of either sign.
fn random_edge(random: &mut Random) -> Edge<f32> {
    let mut number = |low, high| {
        let size = 10f64.powf(random.between(low, high)) as f32;
        match random.unit() {
            x if x < 0.1 => 0.0,
            x if x < 0.55 => -size,
            _ => size,
        }
    };
    let depth = number(-4.9, 2.0).abs().max(DRY);
    Edge {
        difference: number(-7.0, 2.0),
        depth,
        donor: depth + number(-6.0, 1.0).abs(),
        transverse: number(-8.0, 2.0),
        discharge: number(-22.0, 2.0),
        behind: number(-22.0, 2.0),
        ahead: number(-22.0, 2.0),
        roughness: random.between(0.005, 0.3) as f32,
    }
}

struct InLanes<R>(R, Axis, Edge<f32>);

impl<R: EdgeSolver> WithLanes for InLanes<R> {
    type Output = Vec<[u32; 7]>;

    #[inline(always)]
    fn with<V: Real>(self) -> Vec<[u32; 7]> {
        let InLanes(solver, axis, edge) = self;
        let edge = Edge {
            difference: V::splat(edge.difference),
            depth: V::splat(edge.depth),
            donor: V::splat(edge.donor),
            roughness: V::splat(edge.roughness),
            transverse: V::splat(edge.transverse),
            discharge: V::splat(edge.discharge),
            behind: V::splat(edge.behind),
            ahead: V::splat(edge.ahead),
        };
        let FaceFlux { grains, cut, discharge, velocity, wave, critical, cfl_rate } =
            solver.flux(solver.terms(axis), edge);
        let mut lanes = [[0.0; WIDEST]; 7];
        let values = [grains, cut, discharge, velocity, wave, critical, cfl_rate];
        for (lanes, value) in lanes.iter_mut().zip(values) {
            // SAFETY: there is room for the widest vector.
            unsafe { value.store(lanes, 0) };
        }
        (0..V::LANES).map(|lane| lanes.map(|values| values[lane].to_bits())).collect()
    }
}
