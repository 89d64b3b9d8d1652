//! Selects the tested combinations of choices: all with `make test-all`; with `make test` only
//! enough that any two choices of two kinds still meet, since most faults need no third.

use super::Random;
pub use super::tier::{all, few_or_all};
use std::collections::HashSet;

/// Returns pairs of two kinds: all of them, or each of the first with alternating ones of the
/// second.
pub fn alternating<A: Copy, B: Copy>(
    first: impl IntoIterator<Item = A>,
    second: &[B],
) -> Vec<(A, B)> {
    let each = few_or_all(1, second.len());
    let first = first.into_iter().enumerate();
    first
        .flat_map(|(at, a)| (0..each).map(move |more| (a, second[(at + more) % second.len()])))
        .collect()
}

/// Returns combinations of choices, as indices; the kinds have `sizes` choices. Other seeds give
/// other combinations.
pub fn combinations(sizes: &[usize], seed: u64) -> Vec<Vec<usize>> {
    if all() { product(sizes) } else { pairwise(sizes, seed) }
}

/// Returns fewer combinations: every choice once.
pub fn each_once(sizes: &[usize]) -> Vec<Vec<usize>> {
    let rows = sizes.iter().copied().max().unwrap_or(0);
    let row = |at: usize| sizes.iter().map(|&size| at % size).collect();
    if all() { product(sizes) } else { (0..rows).map(row).collect() }
}

fn product(sizes: &[usize]) -> Vec<Vec<usize>> {
    sizes.iter().fold(vec![Vec::new()], |rows, &size| {
        let with = |row: &Vec<usize>, choice| [&row[..], &[choice]].concat();
        rows.iter().flat_map(|row| (0..size).map(move |choice| with(row, choice))).collect()
    })
}

/// Two choices: their kinds, and their indices.
type Pair = ((usize, usize), (usize, usize));

fn pairs(row: &[usize]) -> impl Iterator<Item = Pair> {
    let kinds = (0..row.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    kinds.map(|(a, b)| ((a, row[a]), (b, row[b])))
}

/// Repeatedly takes the combination with the most new pairs out of some random ones, until all
/// pairs have met.
fn pairwise(sizes: &[usize], seed: u64) -> Vec<Vec<usize>> {
    let mut missing: HashSet<Pair> = product(sizes).iter().flat_map(|row| pairs(row)).collect();
    let mut random = Random::new(seed + 1);
    let mut rows = Vec::new();
    while let Some(&((a, x), (b, y))) = missing.iter().min() {
        let mut candidate = || {
            let mut row: Vec<usize> =
                sizes.iter().map(|&size| random.bits() as usize % size).collect();
            (row[a], row[b]) = (x, y);
            row
        };
        let gain = |row: &Vec<usize>| pairs(row).filter(|pair| missing.contains(pair)).count();
        let row = (0..60).map(|_| candidate()).max_by_key(gain).expect("some");
        pairs(&row).for_each(|pair| {
            missing.remove(&pair);
        });
        rows.push(row);
    }
    rows
}

#[test]
fn few_combinations_cover_every_pair_of_choices() {
    for (sizes, most) in [(&[8, 8, 3, 2, 3][..], 80), (&[8, 4, 3], 40), (&[5], 5), (&[2, 2], 4)] {
        for seed in 0..5 {
            let few = pairwise(sizes, seed);
            assert!(few.len() <= most, "{} of {sizes:?}", few.len());
            let met: HashSet<Pair> = few.iter().flat_map(|row| pairs(row)).collect();
            if sizes.len() > 1 {
                let expected: HashSet<Pair> =
                    product(sizes).iter().flat_map(|row| pairs(row)).collect();
                assert_eq!(met, expected);
            }
        }
    }
    assert_eq!(product(&[3, 2]).len(), 6);
}
