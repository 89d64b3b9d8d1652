//! A plain implementation of the two halves of a step of a solver with momentum at one edge, one
//! number at a time. It shares only the solver's arithmetic with the engine.

use inundate_engine::grid::Bed;
use inundate_engine::solver::edge::DRY;
use inundate_engine::solver::momentum::{
    FluxStencil, MomentumSolver, MomentumStencil, NewVelocity, Slope, Streams,
};

/// A map on which edges belong to the place behind them.
pub trait Map {
    /// A place on it.
    type At: Copy;

    fn ahead(&self, axis: usize, at: Self::At) -> Self::At;
    fn behind(&self, axis: usize, at: Self::At) -> Self::At;
    /// Bed [2⁻¹⁶ m]; `None` for a wall.
    fn bed(&self, at: Self::At) -> Option<i32>;
    /// Manning's n [s/m^(1/3)].
    fn roughness(&self, at: Self::At) -> f32;
    /// Metres per grain.
    fn metres(&self) -> f32;
    /// Water at the beginning of the step [grains].
    fn water(&self, at: Self::At) -> i32;
    /// Water after it has moved [grains].
    fn moved(&self, at: Self::At) -> i32;
    /// Velocity that moves the water [m/s].
    fn velocity(&self, axis: usize, at: Self::At) -> f32;
    /// Result of [`discharge`] for an edge [m²/s].
    fn discharge(&self, axis: usize, at: Self::At) -> f32;
    /// Whether water can leave the cell through a link or an inlet of a sewer.
    fn is_intake(&self, _at: Self::At) -> bool {
        false
    }
}

fn fall(from: i32, to: i32) -> f32 {
    (from - to) as f32 / Bed::PER_METRE as f32
}

/// Returns the value nearer to 0, or 0 if the signs differ.
fn nearer(a: f32, b: f32) -> f32 {
    match (a > 0.0 && b > 0.0, a < 0.0 && b < 0.0) {
        (true, _) => a.min(b),
        (_, true) => a.max(b),
        _ => 0.0,
    }
}

/// Returns the depth of flow over an edge [m]: the higher level minus the higher bed.
fn depth(rise: f32, difference: f32, [here, there]: [f32; 2]) -> f32 {
    if difference >= 0.0 { here + rise.min(0.0) } else { there - rise.max(0.0) }
}

/// Returns the depth of flow over the edge ahead of a place at the beginning of the step [m]; 0 at
/// a wall.
pub fn over_edge<M: Map>(map: &M, axis: usize, at: M::At) -> f32 {
    let to = map.ahead(axis, at);
    let (Some(here), Some(there)) = (map.bed(at), map.bed(to)) else { return 0.0 };
    let (rise, metres) = (fall(here, there), map.metres());
    let water = [map.water(at), map.water(to)];
    let difference = ((water[0] - water[1]) as f32).mul_add(metres, rise);
    depth(rise, difference, water.map(|water| water as f32 * metres))
}

/// Value that is not used at first order.
const UNKNOWN: f32 = f32::NAN;

/// Returns the unit discharge across an edge [m²/s].
pub fn discharge<R: MomentumSolver, M: Map>(
    solver: R,
    terms: R::Terms,
    map: &M,
    axis: usize,
    at: M::At,
) -> f32 {
    let to = map.ahead(axis, at);
    let (Some(here), Some(there)) = (map.bed(at), map.bed(to)) else { return 0.0 };
    let (rise, metres) = (fall(here, there), map.metres());
    let water = [map.water(at), map.water(to)];
    let depths = water.map(|water| water as f32 * metres);
    if over_edge(map, axis, at) <= DRY {
        return 0.0;
    }
    let none = Slope { depth: UNKNOWN, level: UNKNOWN, wet: UNKNOWN };
    let (line, slopes) = match R::ORDER {
        1 => ([UNKNOWN; 2], [none; 2]),
        _ => (
            [map.behind(axis, at), to].map(|at| map.velocity(axis, at)),
            [at, to].map(|at| slope(map, axis, at)),
        ),
    };
    let velocity = map.velocity(axis, at);
    solver.discharge(terms, FluxStencil { rise, depth: depths, velocity, line, slopes })
}

/// Returns the slopes of depth and level in a cell.
fn slope<M: Map>(map: &M, axis: usize, at: M::At) -> Slope<f32> {
    let flat = Slope { depth: 0.0, level: 0.0, wet: 0.0 };
    let places = [map.behind(axis, at), at, map.ahead(axis, at)];
    let [Some(back), Some(here), Some(fore)] = places.map(|at| map.bed(at)) else { return flat };
    let (metres, water) = (map.metres(), places.map(|at| map.water(at)));
    let (up, on) = (fall(here, back), fall(fore, here));
    let shallow = water[1] as f32 * metres <= up.abs().max(on.abs());
    if shallow || water.iter().any(|&water| water as f32 * metres <= DRY) {
        return flat;
    }
    let gain = |from: i32, to: i32| (to - from) as f32 * metres;
    let (first, second) = (gain(water[0], water[1]), gain(water[1], water[2]));
    Slope { depth: nearer(first, second), level: nearer(first + up, second + on), wet: 1.0 }
}

/// Returns the new velocity of an edge after the water has moved; `None` at a wall.
pub fn updated_velocity<R: MomentumSolver, M: Map>(
    solver: R,
    terms: R::Terms,
    map: &M,
    axis: usize,
    at: M::At,
) -> Option<NewVelocity<f32>> {
    let to = map.ahead(axis, at);
    let (rise, metres) = (fall(map.bed(at)?, map.bed(to)?), map.metres());
    let water = [map.moved(at), map.moved(to)];
    let other = 1 - axis;
    let back = map.behind(axis, at);
    let (north, south) = (map.behind(other, at), map.ahead(other, at));
    let ends = transverse_edges(map, axis, at);
    let speed = |at: M::At| map.velocity(axis, at);
    let stream = |at: M::At| stream(map, axis, at);
    let (far_line, far_beside) = match R::ORDER {
        1 => ([UNKNOWN; 2], [UNKNOWN; 2]),
        _ => (
            [speed(map.behind(axis, back)), speed(map.ahead(axis, to))],
            [speed(map.behind(other, north)), speed(map.ahead(other, south))],
        ),
    };
    let bend = MomentumStencil {
        difference: ((water[0] - water[1]) as f32).mul_add(metres, rise),
        rise,
        line_rise: [[back, at], [to, map.ahead(axis, to)]].map(|[from, to]| {
            // No flow remains in a cell beside a wall.
            map.bed(from).zip(map.bed(to)).map_or(UNKNOWN, |(from, to)| fall(from, to))
        }),
        depth: water.map(|water| water as f32 * metres),
        height: water.map(|water| water as f32 * metres),
        roughness: 0.5 * (map.roughness(at) + map.roughness(to)),
        velocity: speed(at),
        line: [speed(back), speed(to)],
        beside: [speed(north), speed(south)],
        corners: [
            speed(map.behind(axis, north)),
            speed(map.ahead(axis, north)),
            speed(map.behind(axis, south)),
            speed(map.ahead(axis, south)),
        ],
        discharge: map.discharge(axis, at),
        flows: [back, to].map(|at| map.discharge(axis, at)),
        transverse: ends.map(|at| map.discharge(other, at)),
        across: ends.map(|at| map.velocity(other, at)),
        streams: Streams {
            own: stream(at),
            line: [stream(back), stream(to)],
            beside: [stream(north), stream(south)],
        },
        far_line,
        far_beside,
        shocks: Some([at, to].map(|at| f32::from(u8::from(!map.is_intake(at))))),
    };
    Some(solver.new_velocity(terms, bend))
}

/// Returns the edges that cross the ends of an edge: on the side before it, behind and ahead, and
/// on the side after it.
fn transverse_edges<M: Map>(map: &M, axis: usize, at: M::At) -> [M::At; 4] {
    let (to, other) = (map.ahead(axis, at), 1 - axis);
    [map.behind(other, at), map.behind(other, to), at, to]
}

/// Returns the velocity of the stream that contains an edge [m/s]; beside a bank, the velocity of
/// the edge inside.
fn stream<M: Map>(map: &M, axis: usize, at: M::At) -> f32 {
    let other = 1 - axis;
    let own = map.velocity(axis, at);
    let [na, nb, sa, sb] = transverse_edges(map, axis, at).map(|at| map.velocity(other, at));
    let [before, after] =
        [map.behind(other, at), map.ahead(other, at)].map(|at| map.velocity(axis, at));
    let donor = if own > 0.0 { [na, sa] } else { [nb, sb] };
    let inside = match [before == 0.0 && donor[0] == 0.0, after == 0.0 && donor[1] == 0.0] {
        [true, false] => after,
        [false, true] => before,
        _ => return own,
    };
    if inside * own > 0.0 { inside } else { own }
}
