//! Ranks do not affect results: for any number of ranks, on any processor, the state equals that of
//! a single CPU bit for bit. RankDevice they are threads; tests/program/ranks.rs has processes.

use crate::common;
use crate::streaming::{batches, busy, expected};

use common::cover::combinations;
use common::threads::between_threads;
use common::{Case, State, every_case};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::backend::ranks::wire::{Tag, Wire};
use inundate_engine::backend::ranks::{RankDevice, open, serve};
use inundate_engine::simulation::Simulation;
use std::sync::Arc;
use std::thread;

/// Runs a closure with the first of several ranks, on CPUs with tiles of different sizes; the other
/// ranks must end without error.
pub fn with_ranks<T>(count: usize, first: impl FnOnce(Arc<dyn Wire>, RankDevice) -> T) -> T {
    let here = |rank: usize| {
        RankDevice::Cpu(CpuOptions { tile: (9 + 5 * rank, 4), ..CpuOptions::default() })
    };
    let mut wires = between_threads(count).into_iter().enumerate();
    let (_, wire) = wires.next().expect("a first rank");
    thread::scope(|scope| {
        let others: Vec<_> = wires
            .map(|(rank, wire)| scope.spawn(move || serve(&*wire, || Ok(here(rank)))))
            .collect();
        let result = first(wire, here(0));
        for other in others {
            other.join().expect("no panic").expect("a good end");
        }
        result
    })
}

fn assert_same(case: &Case, ranks: usize, expected: &[State]) {
    with_ranks(ranks, |wire, here| {
        let backend = open(case.problem(), wire, &here, None, None).expect("memory");
        let mut simulation = Simulation { backend, ..case.start(CpuOptions::default()) };
        for ((end, handed), expected) in batches(case).iter().zip(expected) {
            for &steps in *handed {
                simulation.advance(steps).expect("a run that stays shallow");
            }
            let name = || format!("{}, {ranks} ranks, step {end}", case.name());
            case.state(&simulation).assert_is(expected, name);
        }
        simulation.backend.conclude(1e6).expect("the final state");
    });
}

#[test]
fn one_two_three_five_and_seven_ranks() {
    let variants: Vec<_> = every_case().collect();
    let (edges, counts) = ([("all", true), ("south", false)], [1, 2, 3, 5, 7]);
    for choice in combinations(&[variants.len(), edges.len(), counts.len()], 1) {
        // Without a collar, a timed case has links between arbitrary strips.
        let case = busy(23, 31, edges[choice[1]], variants[choice[0]]);
        assert_same(&case, counts[choice[2]], &expected(&case));
    }
}

#[test]
fn ranks_without_rows_have_no_work() {
    let variant = every_case().next().expect("a solver");
    let case = busy(40, 2, ("all", false), variant);
    assert_same(&case, 5, &expected(&case));
}

#[test]
fn a_run_resumes_with_another_number_of_ranks() {
    for variant in every_case() {
        let case = busy(23, 31, ("all", true), variant);
        let end = |simulation: &mut Simulation| {
            simulation.advance(60 - simulation.clock.done).expect("a run that stays shallow");
            case.state(simulation)
        };
        let expected = end(&mut case.start(CpuOptions::default()));
        let kept = with_ranks(4, |wire, here| {
            let backend = open(case.problem(), wire, &here, None, None).expect("memory");
            let mut simulation = Simulation { backend, ..case.start(CpuOptions::default()) };
            simulation.advance(29).expect("a run that stays shallow");
            case.snapshot(&simulation)
        });
        for count in [1, 3] {
            with_ranks(count, |wire, here| {
                kept.with(|saved| {
                    let backend =
                        open(case.problem(), wire, &here, None, Some(saved)).expect("memory");
                    let clock = kept.clock.clone();
                    let mut simulation =
                        Simulation { backend, clock, ..case.start(CpuOptions::default()) };
                    let name = || format!("{}, {count} ranks after 4", case.name());
                    end(&mut simulation).assert_is(&expected, name);
                })
            });
        }
    }
}

#[test]
fn a_lost_rank_ends_the_run_with_one_error() {
    let variant = every_case().next().expect("a solver");
    let case = busy(23, 31, ("all", true), variant);
    let mut wires = between_threads(3).into_iter();
    let [first, second, third] = [0; 3].map(|_| wires.next().expect("three"));
    thread::scope(|scope| {
        scope.spawn(move || serve(&*second, || Ok(RankDevice::Cpu(CpuOptions::default()))));
        // It receives its command, and dies.
        scope.spawn(
            move || {
                while third.receive(0, Tag::Command).is_ok_and(|command| command.len() > 9) {}
            },
        );
        let here = RankDevice::Cpu(CpuOptions::default());
        let error = open(case.problem(), first, &here, None, None).err().expect("no one answers");
        assert!(error.what.contains("rank 2 is gone"), "{error}");
    });
}
