//! The rules with physical time against the executable specification that they were designed by, a small C
//! program beside the repository (`../shared/reference/timed_rules.c`). Without it, or without a C compiler,
//! these tests are skipped, and say so.
//!
//! The engine's arithmetic is its own (docs/decisions/0010-roots-and-friction-of-the-timed-rules.md): roots
//! differ in the last bits, and friction by up to 0.2 % where water also flows across an edge. So the two
//! agree to a few grains after a step. After 300 steps `inertial` is off by 4e-5 m at the most, and the length
//! of its steps by 0.004 %; `aqua-manning`, whose steps are shorter, after 3000 by a few grains.

mod common;

use common::{Case, State, every_timed};
use inundate::backend::cpu::CpuOptions;
use inundate::clock::Beat;
use inundate::grains::phase;
use inundate::grid::Bed;
use libloading::{Library, Symbol};
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// The program's parameters, as it lays them out.
#[repr(C)]
#[derive(Clone, Copy)]
struct Parameters {
    columns: i32,
    rows: i32,
    cell: f32,
    inverse_cell: f32,
    beta: f32,
    gamma: f32,
    least_slope: f32,
    dry: f32,
    courant: f32,
    courant_of_water: f32,
    blend: f32,
    grain: f32,
    per_metre: f32,
}

type Transfers = unsafe extern "C" fn(
    *const Parameters,
    *const f32,
    *const i32,
    *const f32,
    f32,
    f32,
    *mut i32,
    *mut i32,
) -> f32;
type Discharge = unsafe extern "C" fn(
    *const Parameters,
    *const f32,
    *const i32,
    *const f32,
    f32,
    *const f32,
    *const f32,
    *mut f32,
    *mut f32,
) -> f32;
type Crossings = unsafe extern "C" fn(
    *const Parameters,
    *const i32,
    *const f32,
    *const f32,
    f32,
    f32,
    *mut i32,
    *mut i32,
    *mut i64,
);
type Apply = unsafe extern "C" fn(*const Parameters, *mut i32, *const i32, *const i32);

/// The specification as a library, if it and a compiler are there.
fn specification(folder: &Path) -> Result<Library, String> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/reference/timed_rules.c");
    if !Path::new(source).exists() {
        return Err(format!("there is no {source}"));
    }
    let library = folder.join("timed_rules.so");
    let mut cc = Command::new("cc");
    cc.args(["-O3", "-ffp-contract=off", "-shared", "-fPIC", "-o"]);
    let done = cc.arg(&library).arg(source).arg("-lm").status();
    match done {
        Ok(status) if status.success() => {}
        other => return Err(format!("cc does not compile it: {other:?}")),
    }
    // SAFETY: it is a plain C library without initialization.
    unsafe { Library::new(&library) }.map_err(|error| error.to_string())
}

/// The library, or a word that the test is skipped.
fn library(folder: &Path) -> Option<Library> {
    specification(folder)
        .inspect_err(|why| {
            let _ = writeln!(std::io::stderr(), "SKIPPED, nothing compared: {why}");
        })
        .ok()
}

/// A run of the specification.
struct Reference<'a> {
    library: &'a Library,
    remembers: bool,
    safety: f32,
    parameters: Parameters,
    bed: Vec<f32>,
    roughness: Vec<f32>,
    water: Vec<i32>,
    discharge: [Vec<f32>; 2],
    rate: f32,
    longest: f32,
    /// Length of every step.
    steps: Vec<f32>,
}

impl<'a> Reference<'a> {
    fn new(library: &'a Library, case: &Case) -> Reference<'a> {
        assert!(case.cell.0 == case.cell.1 && case.open.names().is_empty());
        let cells = case.bed.len();
        let cell = case.cell.0 as f32;
        let parameters = Parameters {
            columns: case.columns as i32,
            rows: case.rows as i32,
            cell,
            inverse_cell: 1.0 / cell,
            beta: 0.2,
            gamma: 0.25,
            least_slope: 1e-3,
            dry: 1e-5,
            courant: 0.5,
            courant_of_water: 0.5,
            blend: 0.05,
            grain: case.grain.metres(),
            per_metre: case.grain.per_metre(),
        };
        let bed = case.stored_bed().levels;
        Reference {
            library,
            remembers: case.rule.name == "inertial",
            safety: case.rule.safety(),
            parameters,
            bed: bed.into_iter().map(|level| (f64::from(level) / Bed::PER_METRE) as f32).collect(),
            roughness: (0..cells).map(|cell| case.roughness.of(cell)).collect(),
            water: case.initial.clone(),
            discharge: [vec![0.0; cells], vec![0.0; cells]],
            rate: 0.0,
            longest: case.longest,
            steps: Vec::new(),
        }
    }

    /// A step by the program's own rule for its length.
    fn step(&mut self) {
        let number = self.steps.len() as u64;
        let allowed = if self.rate > 0.0 { self.safety / self.rate } else { f32::INFINITY };
        let dt = match self.steps.last() {
            Some(last) => allowed.min(1.2 * last).min(self.longest),
            None => 0.05,
        };
        self.steps.push(dt);
        let cells = self.water.len();
        let (mut east, mut south) = (vec![0; cells], vec![0; cells]);
        let (p, z, w, n) = (
            &raw const self.parameters,
            self.bed.as_ptr(),
            self.water.as_mut_ptr(),
            self.roughness.as_ptr(),
        );
        // SAFETY: the signatures are the program's, and every array has a number per cell.
        unsafe {
            let apply: Symbol<'_, Apply> = self.library.get(b"apply").expect("apply");
            if self.remembers {
                let discharge: Symbol<'_, Discharge> =
                    self.library.get(b"inertial_discharge").expect("discharge");
                let crossings: Symbol<'_, Crossings> =
                    self.library.get(b"inertial_transfers").expect("transfers");
                let [x, y] = [self.discharge[0].as_ptr(), self.discharge[1].as_ptr()];
                let (mut next_x, mut next_y) = (vec![0.0; cells], vec![0.0; cells]);
                let mut out = vec![0i64; cells];
                let (to_x, to_y) = (next_x.as_mut_ptr(), next_y.as_mut_ptr());
                self.rate = discharge(p, z, w, n, dt, x, y, to_x, to_y);
                let (e, s, out) = (east.as_mut_ptr(), south.as_mut_ptr(), out.as_mut_ptr());
                crossings(p, w, to_x, to_y, dt, phase(number), e, s, out);
                self.discharge = [next_x, next_y];
            } else {
                let transfers: Symbol<'_, Transfers> =
                    self.library.get(b"manning_transfers").expect("transfers");
                let (e, s) = (east.as_mut_ptr(), south.as_mut_ptr());
                self.rate = transfers(p, z, w, n, dt, phase(number), e, s);
            }
            apply(p, w, east.as_ptr(), south.as_ptr());
        }
    }
}

/// Greatest difference [m], and root of the mean square.
fn differences(case: &Case, state: &State, reference: &Reference<'_>) -> (f64, f64) {
    let metres = f64::from(case.grain.metres());
    let pairs = state.water.iter().zip(&reference.water);
    let differences = pairs.map(|(a, b)| f64::from((a - b).abs()) * metres);
    let (most, squares) =
        differences.fold((0.0f64, 0.0), |(most, sum), d| (most.max(d), sum + d * d));
    (most, (squares / state.water.len() as f64).sqrt())
}

fn cases() -> Vec<(&'static str, Case)> {
    every_timed()
        .flat_map(|variant| {
            let hills = Case::new(45, 31, variant).hills(2.0, 71);
            let ponds = hills.clone().ponds(0.5, 72).uneven_roughness(0.02, 0.1, 73);
            let pool = hills.clone().water(|i, j| if i < 15 && j < 20 { 1.5 } else { 0.0 });
            let film = hills.water(|i, j| 0.002 + 0.001 * ((i * 3 + j) % 4) as f64);
            [("ponds", ponds), ("a pool that bursts", pool), ("a film", film)]
        })
        .collect()
}

#[test]
fn the_engine_follows_the_specification() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(library) = library(folder.path()) else { return };
    for (what, case) in cases() {
        let mut reference = Reference::new(&library, &case);
        let mut simulation = case.start(CpuOptions::default());
        let stored: i64 = case.initial.iter().map(|&water| i64::from(water)).sum();
        let mut strayed = 0.0f64;
        let remembers = reference.remembers;
        let (steps, limit) = if remembers { (300, 6e-5) } else { (3000, 2e-6) };
        for step in 1..=steps {
            simulation.advance(1).expect("shallow water");
            reference.step();
            let Beat::Paced { pace, .. } = simulation.clock.beat else { panic!("no pace") };
            let dt = pace.free;
            strayed = strayed.max(f64::from(dt / reference.steps[step - 1] - 1.0).abs());
            let now: i64 = reference.water.iter().map(|&water| i64::from(water)).sum();
            assert_eq!(now, stored, "{}, {what}: the specification's volume", case.name());
            if step == 1 {
                let state = case.state(&simulation);
                let (most, _) = differences(&case, &state, &reference);
                println!("{}, {what}: 1 step, {most:.1e} m", case.name());
                assert!(most < 2e-7, "{}, {what}: {most} m after a step", case.name());
            }
        }
        let state = case.state(&simulation);
        assert_eq!(state.ledger.error(), 0);
        assert_eq!(state.stored(), i128::from(stored), "{}, {what}", case.name());
        let (most, mean) = differences(&case, &state, &reference);
        let time = simulation.clock.now();
        println!(
            "{}, {what}: {steps} steps, {time:.0} s, at most {most:.1e} m, rms {mean:.1e} m, steps within {:.3} %",
            case.name(),
            100.0 * strayed
        );
        assert!(strayed < 0.001, "{}, {what}: steps stray by {strayed}", case.name());
        assert!(most < limit, "{}, {what}: {most} m", case.name());
    }
}
