//! Every bit of a run's results is unchanged: hashes of the states of cases with all features are
//! compared with `known_bits/hashes.csv`, so that results change only on purpose.
//!
//! `UPDATE_BITS=1 cargo test -p inundate-engine --test engine known_bits` writes the file. A commit
//! that changes it explains why.

use crate::common;

use common::all_features::cases;
use common::{State, every_case};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::lanes::InstructionSet;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::fmt::Debug;
use std::fmt::Write;

/// Numbers of steps after which states are hashed.
const STEPS: [u64; 3] = [1, 17, 90];

/// Parts of a state, each with its own hash.
const PARTS: [&str; 5] = ["water", "most", "arrival", "notes", "sums"];

/// File of the known hashes.
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/engine/known_bits/hashes.csv");

/// Returns the first bytes of a hash of numbers.
fn hash(numbers: impl Iterator<Item = u32>) -> String {
    let mut hasher = Sha256::new();
    numbers.for_each(|number| hasher.update(number.to_le_bytes()));
    hasher.finalize()[..6].iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes all");
        text
    })
}

fn hash_of_text(what: &impl Debug) -> String {
    hash(format!("{what:?}").bytes().map(u32::from))
}

/// Returns hashes of the parts of a state. Sums are hashed in a format defined here, not by the
/// structs that hold them.
fn hashes(state: &State) -> [String; PARTS.len()] {
    let (l, c) = (&state.ledger, &state.crossed);
    let came = [l.initial, l.rain, l.inflow, l.stored];
    let went = [l.losses, l.initial_loss, l.infiltration, l.drainage, l.evaporation, l.outflow];
    let crossed = [c.crossed, c.cut, c.deep, c.fast, c.critical];
    let (maxima, times) = &state.extremes;
    let maxima =
        [maxima.speed, maxima.froude, maxima.rise].map(|maximum| (maximum.bits(), maximum.cell()));
    let greatest = (maxima, times, &state.links, &state.gauges);
    let sums = (came, went, crossed, greatest, state.control, state.wet_cells);
    [
        hash(state.water.iter().map(|&grains| grains as u32)),
        hash(state.most.iter().map(|&grains| grains as u32)),
        hash(state.arrival.iter().copied()),
        hash(state.diagnostics.iter().copied()),
        hash_of_text(&sums),
    ]
}

/// Returns the lines of all cases, in order.
fn lines(options: CpuOptions) -> Vec<String> {
    let all: Vec<_> =
        every_case().flat_map(|variant| cases(true, variant, 77).into_iter()).collect();
    let of_case = |(name, case): &(String, common::Case)| {
        let mut simulation = case.start(options);
        let mut lines = Vec::new();
        for steps in STEPS {
            let more = steps - simulation.clock.done;
            let head = format!("{};{name};{steps}", case.name());
            if simulation.advance(more).is_err() {
                lines.push(format!("{head};too deep in step {}", simulation.clock.done));
                break;
            }
            let state = case.state(&simulation);
            assert_eq!(state.ledger.error(), 0, "{head}");
            lines.push(format!("{head};{}", hashes(&state).join(";")));
        }
        lines
    };
    all.par_iter().flat_map_iter(of_case).collect()
}

/// Compares the lines with the file.
fn compare(found: &[String]) {
    let known = std::fs::read_to_string(PATH).expect("the known hashes");
    let known: Vec<&str> = known.lines().skip(1).collect();
    for line in found {
        let head = line.split(';').take(3).collect::<Vec<_>>().join(";") + ";";
        let expected = known.iter().find(|line| line.starts_with(&head));
        let expected = expected.unwrap_or_else(|| {
            panic!("{head} is not known yet: UPDATE_BITS=1 cargo test -p inundate-engine --test engine known_bits")
        });
        assert_eq!(line, expected, "({})", PARTS.join(";"));
    }
    assert_eq!(found.len(), known.len(), "a known case is no longer run");
}

#[test]
fn every_bit_is_known() {
    let found = lines(CpuOptions::default());
    if std::env::var("UPDATE_BITS").is_ok() {
        let header = format!("solver and neighbourhood;case;steps;{}", PARTS.join(";"));
        let text = format!("{header}\n{}\n", found.join("\n"));
        std::fs::write(PATH, text).expect("the file can be written");
        return;
    }
    compare(&found);
}

#[test]
fn small_tiles_and_single_lanes_give_the_known_bits() {
    let plain = CpuOptions {
        tile: (23, 17),
        instructions: InstructionSet::Scalar,
        ..CpuOptions::default()
    };
    compare(&lines(plain));
}
