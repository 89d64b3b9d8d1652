//! Contract of every cell solver, tested on random cells.

use super::Random;
use inundate_engine::grains::{Grain, Rounding};
use inundate_engine::lanes::{InstructionSet, Real, Whole, WithLanes};
use inundate_engine::neighbourhood::offset;
use inundate_engine::solver::CellSolver;

/// Number of random cells per neighbourhood.
const CELLS: u64 = 20_000;

/// Width of the widest vectors.
const WIDEST: usize = 16;

/// Fails if a cell solver violates its contract with either neighbourhood.
pub fn assert_kept<R: CellSolver>(solver: R, name: &str) {
    assert_kept_by::<R, 4>(solver, name);
    assert_kept_by::<R, 8>(solver, name);
}

/// A cell: its depth, and the fall to its neighbours (grains).
#[derive(Clone, Copy, Debug)]
struct Cell<const K: usize> {
    water: i32,
    difference: [f32; K],
}

impl<const K: usize> Cell<K> {
    /// Returns random films and deep water, plains and cliffs; lengths in grains are whole numbers.
    fn random(random: &mut Random) -> Cell<K> {
        let mut length = |bits: f64| 2f64.powf(random.between(0.0, bits)).floor();
        let water = length(30.0) as i32;
        let steep = length(37.0).log2();
        let difference = std::array::from_fn(|_| length(steep) as f32);
        let mut cell = Cell { water, difference };
        if random.unit() < 0.1 {
            cell.water = 0;
        }
        for difference in &mut cell.difference {
            match random.unit() {
                x if x < 0.2 => *difference = 0.0,
                x if x < 0.4 => *difference = -*difference,
                _ => {}
            }
        }
        cell
    }

    fn drop(&self) -> [f32; K] {
        self.difference.map(|difference| difference.max(0.0))
    }

    fn outflows<R: CellSolver>(&self, solver: R) -> [f32; K] {
        let edge = self.difference.map(|difference| solver.edge(difference));
        solver.give(self.water as f32, self.drop(), edge)
    }
}

fn assert_kept_by<R: CellSolver, const K: usize>(solver: R, name: &str) {
    let mut random = Random::new(K as u64);
    for step in 0..CELLS {
        let cell = Cell::<K>::random(&mut random);
        let say = |what: &str| format!("{name}, {K} neighbours, {cell:?}: {what}");
        let give = cell.outflows(solver);
        for (give, drop) in give.into_iter().zip(cell.drop()) {
            assert!(give >= 0.0 && give.is_finite(), "{}", say("outflows are lengths"));
            assert!(give == 0.0 || drop > 0.0, "{}", say("what lies no lower gets nothing"));
            assert!(give == 0.0 || cell.water > 0, "{}", say("a dry cell gives nothing"));
        }
        // In f32 the sum may exceed the water by rounding; whole grains may not.
        let sum: f64 = give.iter().map(|&give| f64::from(give)).sum();
        assert!(sum <= f64::from(cell.water) * 1.000_001, "{}", say("it gives what it has"));
        let rounding = Rounding::new(Grain::Fine, K, step);
        let water = <f32 as Real>::Whole::splat(cell.water);
        let mut total = 0;
        for grains in rounding.to_grains(water, give, cell.drop()) {
            let mut outflow = [0];
            // SAFETY: there is one vector element, and room for it.
            unsafe { grains.store(&mut outflow, 0) };
            assert!(outflow[0] >= 0, "{}", say("grains go one way"));
            total += i64::from(outflow[0]);
        }
        assert!(total <= i64::from(cell.water), "{}", say("it gives the grains it has"));
        for difference in cell.difference {
            let (here, there): (f32, f32) = (solver.edge(difference), solver.edge(-difference));
            assert!(here == -there, "{}", say("an edge changes its sign with the difference"));
        }
        assert_no_favourite_direction(solver, &cell, give, &say);
        assert_no_favourite_unit(solver, &cell, give, &say);
        if step < 1000 {
            assert_same_in_every_lane(solver, &cell, give, &say);
        }
    }
}

/// Mirrored and rotated surroundings must give the same bits, mirrored and rotated.
fn assert_no_favourite_direction<R: CellSolver, const K: usize>(
    solver: R,
    cell: &Cell<K>,
    give: [f32; K],
    say: &dyn Fn(&str) -> String,
) {
    for motion in 0..3 {
        let moved = |(i, j): (isize, isize)| [(-i, j), (i, -j), (-j, i)][motion];
        let to = |k: usize| {
            (0..K).find(|&to| offset(to) == moved(offset(k))).expect("a neighbour again")
        };
        let mut moved = *cell;
        (0..K).for_each(|k| moved.difference[to(k)] = cell.difference[k]);
        let moved = moved.outflows(solver);
        for k in 0..K {
            let (here, there) = (give[k].to_bits(), moved[to(k)].to_bits());
            assert_eq!(here, there, "{}", say("no direction is another"));
        }
    }
}

/// Metres and grains must give the same result.
fn assert_no_favourite_unit<R: CellSolver, const K: usize>(
    solver: R,
    cell: &Cell<K>,
    give: [f32; K],
    say: &dyn Fn(&str) -> String,
) {
    let metres = Grain::Fine.metres();
    let difference = cell.difference.map(|difference| difference * metres);
    let drop = difference.map(|difference| difference.max(0.0));
    let edge = difference.map(|difference| solver.edge(difference));
    let in_metres: [f32; K] = solver.give(cell.water as f32 * metres, drop, edge);
    for k in 0..K {
        assert_eq!(give[k] * metres, in_metres[k], "{}", say("no unit is another"));
    }
}

/// Every instruction set must give the same bits in each vector element.
fn assert_same_in_every_lane<R: CellSolver, const K: usize>(
    solver: R,
    cell: &Cell<K>,
    give: [f32; K],
    say: &dyn Fn(&str) -> String,
) {
    struct InLanes<'a, R, const K: usize>(R, &'a Cell<K>);

    impl<R: CellSolver, const K: usize> WithLanes for InLanes<'_, R, K> {
        type Output = [Vec<f32>; K];

        #[inline(always)]
        fn with<V: Real>(self) -> [Vec<f32>; K] {
            let InLanes(solver, cell) = self;
            let mut drop = [V::zero(); K];
            let mut edge = [V::zero(); K];
            for k in 0..K {
                drop[k] = V::splat(cell.difference[k].max(0.0));
                edge[k] = solver.edge(V::splat(cell.difference[k]));
            }
            let give = solver.give(V::splat(cell.water as f32), drop, edge);
            give.map(|give| {
                let mut lanes = [0.0; WIDEST];
                // SAFETY: there is room for the widest vector.
                unsafe { give.store(&mut lanes, 0) };
                lanes[..V::LANES].to_vec()
            })
        }
    }

    for set in InstructionSet::available() {
        for (lanes, give) in set.run(InLanes(solver, cell)).iter().zip(give) {
            let same = lanes.iter().all(|lane| lane.to_bits() == give.to_bits());
            assert!(same, "{}", say(set.name()));
        }
    }
}
