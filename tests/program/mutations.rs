//! Mutated files: bytes of valid files are changed, removed, repeated and mixed with bytes of other
//! files. A reader must return the content or an error, and allocate no more memory than the file
//! justifies.
//!
//! The original files are in `tests/program/mutations/`; states and checkpoints are written by
//! runs. Each mutant is derived from a seed, which a failure prints. `make test` tries a few
//! hundred mutants per reader; `make test-all` continues for a minute.

use crate::cli_common;
use crate::common::tier;

use cli_common::{Raster, Workshop};
use inundate::input::tables::class_table::ClassTable;
use inundate::input::tables::loss_table::LossTable;
use inundate::input::tables::series_table::{self, CourseTable};
use inundate::input::time::wall_time::WallClock;
use inundate::run::resume::Checkpoint;
use inundate::scenario;
use inundate::scenario::options::Options;
use sha2::{Digest, Sha256};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Number of mutants per reader with `make test`, and duration with `make test-all`.
const FEW: u64 = 300;
const LONG: Duration = Duration::from_secs(60);

/// Maximum size of an allocation: this many bytes plus this many times the file size.
const LARGEST: usize = 64 << 20;
const TIMES: usize = 64;

/// Allocator that records the largest allocation of a thread.
pub struct Watched;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

fn ask(size: usize) {
    let _ = ASKED.try_with(|requested| requested.set(requested.get().max(size)));
}

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ask(layout.size());
        // SAFETY: the caller guarantees that `layout` has a nonzero size.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ask(layout.size());
        // SAFETY: the caller guarantees that `layout` has a nonzero size.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ask(size);
        // SAFETY: the caller passes memory of this allocator, hence of `System`, with its layout.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller passes memory of this allocator, hence of `System`, with its layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Words that tend to confuse parsers.
const WORDS: [&[u8]; 30] = [
    b"1e308",
    b"-1e308",
    b"1e-320",
    b"NaN",
    b"-inf",
    b"-0",
    b"99999999999999999999",
    b"-9223372036854775808",
    b"0x10",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xc3",
    b"\r",
    b"\r\n",
    b"\n\n",
    b",",
    b",,",
    b";",
    b"\t",
    b"\"",
    b"\"\"\"",
    b"[",
    b"]",
    b"{",
    b"= [[[[",
    b"#",
    b"9999-99-99T99:99",
    b"24:00:60",
    "µ m³ −5".as_bytes(),
];

/// Pseudo-random numbers (Marsaglia 2003, "Xorshift RNGs").
struct Chance(u64);

impl Chance {
    fn of(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }

    /// Returns a random range within `length` bytes, usually a short one.
    fn piece(&mut self, length: usize) -> std::ops::Range<usize> {
        let most = [4, 16, length][self.below(3)].min(length);
        let count = self.below(most + 1);
        let first = self.below(length - count + 1);
        first..first + count
    }
}

/// Derives a mutant from one of the files.
fn mutant(files: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let mut chance = Chance::of(seed + 1);
    let mut bytes = files[chance.below(files.len())].clone();
    for _ in 0..=chance.below(4) {
        let at = chance.below(bytes.len() + 1);
        match chance.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            1 if at < bytes.len() => bytes[at] = chance.below(256) as u8,
            2 => drop(bytes.drain(chance.piece(bytes.len()))),
            3 => {
                let piece = bytes[chance.piece(bytes.len())].to_vec();
                for _ in 0..=chance.below(3) {
                    bytes.splice(at..at, piece.iter().copied());
                }
            }
            4 => {
                let other = &files[chance.below(files.len())];
                let piece = other[chance.piece(other.len())].to_vec();
                bytes.splice(at..at, piece);
            }
            5 => bytes.truncate(at),
            _ => {
                let word = WORDS[chance.below(WORDS.len())];
                let end = (at + chance.below(word.len() + 1)).min(bytes.len());
                bytes.splice(at..end, word.iter().copied());
            }
        }
    }
    bytes
}

/// Feeds mutants of some files to a reader.
#[track_caller]
fn try_all(files: &[Vec<u8>], read: impl Fn(&[u8])) {
    let began = Instant::now();
    let is_enough = |made| if tier::all() { began.elapsed() > LONG } else { made == FEW };
    let mut seed = 0;
    while !is_enough(seed) {
        let bytes = mutant(files, seed);
        ASKED.set(0);
        let outcome = catch_unwind(AssertUnwindSafe(|| read(&bytes)));
        let requested = ASKED.get();
        let shown = || String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]).into_owned();
        assert!(outcome.is_ok(), "seed {seed}: {}", shown());
        let most = LARGEST + TIMES * bytes.len();
        assert!(requested <= most, "seed {seed}: {requested} bytes at once: {}", shown());
        seed += 1;
    }
}

/// Reads files of the corpus by name.
fn corpus(names: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/mutations");
    names.iter().map(|name| std::fs::read(folder.join(name)).unwrap()).collect()
}

const COURSES: [&str; 7] = [
    "hyetograph.csv",
    "storm.csv",
    "depths.csv",
    "hydrograph.csv",
    "stage.csv",
    "opening.csv",
    "evaporation.csv",
];

#[test]
fn the_corpus_is_valid_before_it_is_mutated() {
    let clock = WallClock::default();
    let is_course = |of: &CourseTable, name: &str| {
        let text = &corpus(&[name])[0];
        assert!(of.parse(text, name, &clock).is_ok(), "{name}");
    };
    is_course(&series_table::HYETOGRAPH, "depths.csv");
    is_course(&series_table::HYDROGRAPH, "hydrograph.csv");
    is_course(&series_table::STAGE, "stage.csv");
    is_course(&series_table::OPENING, "opening.csv");
    is_course(&series_table::EVAPORATION, "evaporation.csv");
    let files = corpus(&["classes.csv", "losses.csv", "scenario.toml"]);
    ClassTable::parse(&files[0], "classes.csv").unwrap();
    LossTable::parse(&files[1], "losses.csv").unwrap();
    Options::from_toml(std::str::from_utf8(&files[2]).unwrap(), "scenario.toml").unwrap();
}

#[test]
fn time_series() {
    let clock = WallClock::default();
    let tables = [
        series_table::HYETOGRAPH,
        series_table::HYDROGRAPH,
        series_table::STAGE,
        series_table::OPENING,
        series_table::EVAPORATION,
    ];
    try_all(&corpus(&COURSES), |bytes| {
        for of in &tables {
            if let Ok(course) = of.parse(bytes, "mutant.csv", &clock) {
                let (total, peak) = (course.series.total(1e6), course.series.peak());
                assert!(total.is_finite() && peak.is_finite(), "{total}, {peak}");
            }
        }
    });
}

#[test]
fn tables_by_class() {
    try_all(&corpus(&["classes.csv", "losses.csv", "hyetograph.csv"]), |bytes| {
        let _ = ClassTable::parse(bytes, "mutant.csv");
        let _ = LossTable::parse(bytes, "mutant.csv");
    });
}

#[test]
fn scenario_files() {
    try_all(&corpus(&["scenario.toml", "storm.csv"]), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(options) = Options::from_toml(&text, "mutant.toml") {
            let _ = options.tile_size();
        }
    });
}

/// Replaces the checksum of a mutated file by a valid one, so that the rest of it is read, too.
fn signed(bytes: &[u8]) -> Vec<u8> {
    let body = &bytes[..bytes.len().saturating_sub(32)];
    [body, Sha256::digest(body).as_slice()].concat()
}

/// Creates a folder with a run of a few cells that kept its state.
fn kept() -> Workshop {
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8));
    let run = "--rain '20 mm/h' --duration 1min --keep-state --quiet";
    workshop.run(run).done();
    workshop
}

#[test]
fn initial_states() {
    let workshop = kept();
    let state = std::fs::read(workshop.path("results/state.inundate")).unwrap();
    let scenario = format!(
        "dem = '{}'\nrain = '20 mm/h'\nduration = '1min'\nstart_from = '{}'\n",
        workshop.path("dem.tif").display(),
        workshop.path("mutant").display()
    );
    let options = Options::from_toml(&scenario, "s.toml").unwrap();
    let look = |bytes: &[u8]| {
        std::fs::write(workshop.path("mutant"), bytes).unwrap();
        scenario::build_for_check(&options)
    };
    assert!(look(&state).is_ok(), "the state is valid before it is changed");
    try_all(&[state], |bytes| {
        drop(look(bytes));
        drop(look(&signed(bytes)));
    });
}

#[test]
fn checkpoints_to_resume() {
    let workshop = kept();
    let state = std::fs::read(workshop.path("results/state.inundate")).unwrap();
    let out = workshop.path("stopped");
    std::fs::create_dir_all(out.join(".checkpoint")).unwrap();
    let open = |bytes: &[u8]| {
        std::fs::write(out.join(".checkpoint/last"), bytes).unwrap();
        Checkpoint::open(&out).and_then(|checkpoint| checkpoint.options())
    };
    assert!(open(&state).is_ok(), "it is valid before it is changed");
    try_all(&[state], |bytes| {
        drop(open(bytes));
        drop(open(&signed(bytes)));
    });
}
