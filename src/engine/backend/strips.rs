//! Strips of the grid for several devices, and the number of steps between halo exchanges.

use crate::backend::Problem;
use crate::backend::linked::plan_for;
use crate::grid::Bed;
use crate::tiling::subdomain::{SubdomainPlan, steps_of};
use crate::time_step::EPOCH;
use rayon::prelude::*;

/// Divides the grid into one strip per device, or one per row if there are fewer, with about the
/// same number of domain cells each.
pub fn strips(problem: &Problem, devices: usize) -> SubdomainPlan {
    let (columns, rows) = (problem.grid.columns, problem.grid.rows);
    // Cells outside the domain cost a little, too.
    let weigh =
        |row: &[i32]| row.iter().map(|&level| if level == Bed::OUTSIDE { 1 } else { 8 }).sum();
    let weights: Vec<u64> = problem.bed.levels.par_chunks(columns).map(weigh).collect();
    let all: u64 = weights.iter().sum();
    let count = devices.min(rows) as u64;
    let (mut firsts, mut sum) = (vec![0], 0);
    for (row, weight) in weights.iter().enumerate() {
        let left = (count as usize - firsts.len()).min(rows - row);
        let due = sum * count >= all * firsts.len() as u64 || left == rows - row;
        if row > 0 && left > 0 && due {
            firsts.push(row);
        }
        sum += weight;
    }
    let ends = firsts[1..].iter().chain([&rows]);
    let shortest = firsts.iter().zip(ends).map(|(first, end)| end - first).min().unwrap_or(rows);
    let (reach, timed) = (problem.solver.reach(), problem.solver.info().is_timed());
    let steps = turn_of(steps_of((shortest, shortest), reach), timed);
    let plan = |most| Some(SubdomainPlan::spread(columns, rows, &firsts, steps.min(most), reach));
    plan_for(&problem.forcing, plan).expect("there are strips for any number of steps")
}

/// Returns the number of steps between halo exchanges, given the number for which halos are deep
/// enough. For a timed solver, whose steps are planned one epoch ahead, it is a divisor of the
/// epoch.
pub(crate) fn turn_of(fits: usize, timed: bool) -> usize {
    if timed { 1 << fits.clamp(1, EPOCH as usize).ilog2() } else { fits }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::tests::plain;
    use crate::tiling::subdomain::MARGIN;

    #[test]
    fn several_devices_have_strips_with_as_many_cells_of_the_domain() {
        let firsts = |plan: &SubdomainPlan| -> Vec<usize> {
            let subdomains = plan.subdomains.iter();
            subdomains.map(|subdomain| subdomain.own.row.max(MARGIN) - MARGIN).collect()
        };
        let mut problem = plain(400);
        for devices in [1, 2, 5] {
            let plan = strips(&problem, devices);
            assert_eq!(firsts(&plan), (0..devices).map(|i| 400 * i / devices).collect::<Vec<_>>());
            assert!(plan.spread && plan.steps.is_some_and(|steps| (1..=16).contains(&steps)));
        }
        // Put the domain in the south.
        for row in 0..200 {
            problem.bed.levels[400 * row..400 * (row + 1)].fill(Bed::OUTSIDE);
        }
        let half = firsts(&strips(&problem, 2))[1];
        assert!((280..300).contains(&half), "{half}");
        problem.bed.levels.fill(Bed::OUTSIDE);
        assert_eq!(strips(&problem, 400).subdomains.len(), 400);
        assert_eq!(strips(&problem, 999).subdomains.len(), 400);
    }
}
