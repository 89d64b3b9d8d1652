//! The solvers with physical time against executable specifications in C. The original
//! specifications are beside the repository (`../shared/reference/`: timed_rules.c,
//! shallow_water.c, shallow_water_2.c). Later changes, such as the turning of edges along banks
//! (docs/decisions/0022-banks-across-the-grid.md), are in timed_reference/, follow docs/theory.md,
//! and include the originals. Without the originals, or without a C compiler, these tests are
//! skipped with a message.
//!
//! The engine has its own arithmetic
//! (docs/decisions/0010-roots-and-friction.md): roots differ in the last bits,
//! and friction by up to 0.2 % where water also flows across an edge. From a common state, the two
//! therefore agree to that precision after a step, and slowly diverge when run independently; the
//! test prints the difference and bounds it. `inertial` limits its discharge to the critical one
//! and its steps by |u| + c, which the specification does not: the test does that between its two
//! halves.

use crate::common;

use common::tier::few_or_all;
use common::{Case, State, every_timed};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::clock::TimeStepping;
use inundate_engine::field::{Field, bits_mut};
use inundate_engine::grains::phase;
use inundate_engine::grid::Bed;
use inundate_engine::run_diagnostics::DEEP;
use inundate_engine::simulation::Simulation;
use inundate_engine::solver::edge::EdgeField;
use libloading::{Library, Symbol};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Parameters of the program, in its memory layout.
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
type FaceFluxes = unsafe extern "C" fn(
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

/// Water, velocities along both axes, number and length of the step, and the CFL rate, as input and
/// output.
type Step = unsafe extern "C" fn(
    i32,
    i32,
    f32,
    f32,
    *const f32,
    *const f32,
    *mut i32,
    *mut f32,
    *mut f32,
    i64,
    f32,
) -> f32;

/// Compiles a specification to a library, if its includes and a compiler are available. Panics if
/// it does not compile.
fn specification(folder: &Path, name: &str) -> Result<Library, String> {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference");
    let ours = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/engine/timed_reference");
    if !Path::new(shared).exists() {
        return Err(format!("there is no {shared}"));
    }
    let library = folder.join(format!("{name}.so"));
    let mut cc = Command::new("cc");
    cc.args(["-O3", "-ffp-contract=off", "-w", "-Werror=implicit-function-declaration"]);
    cc.args(["-shared", "-fPIC", "-I", shared, "-o"]);
    let done = cc.arg(&library).arg(format!("{ours}/{name}.c")).arg("-lm").status();
    let status = done.map_err(|error| format!("cc: {error}"))?;
    assert!(status.success(), "cc does not compile {name}.c: {status}");
    // SAFETY: it is a plain C library without initialization.
    unsafe { Library::new(&library) }.map_err(|error| error.to_string())
}

/// Returns the library, or prints that the test is skipped.
fn library(folder: &Path, name: &str) -> Option<Library> {
    specification(folder, name)
        .inspect_err(|why| {
            let _ = writeln!(std::io::stderr(), "SKIPPED, nothing compared: {why}");
        })
        .ok()
}

/// State of the edges in a specification.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Remembered {
    Nothing,
    Discharge,
    Velocity,
}

/// A run of the specification.
#[derive(Clone)]
struct Reference<'a> {
    library: &'a Library,
    kind: Remembered,
    safety: f32,
    parameters: Parameters,
    bed: Vec<f32>,
    roughness: Vec<f32>,
    water: Vec<i32>,
    /// Discharge or velocity of the edges east and south of the cells.
    edges: [Vec<f32>; 2],
    rate: f32,
    /// CFL rate of the current epoch, and number of its steps so far.
    epoch_rate: f32,
    epoch: u32,
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
            kind: match case.problem().solver.remembers() {
                None => Remembered::Nothing,
                Some(EdgeField::Discharge) => Remembered::Discharge,
                Some(EdgeField::Velocity) => Remembered::Velocity,
            },
            safety: case.solver.safety(),
            parameters,
            bed: bed.into_iter().map(|level| (f64::from(level) / Bed::PER_METRE) as f32).collect(),
            roughness: (0..cells).map(|cell| case.roughness.of(cell)).collect(),
            water: case.initial.clone(),
            edges: [vec![0.0; cells], vec![0.0; cells]],
            rate: 0.0,
            epoch_rate: 0.0,
            epoch: 0,
            longest: case.longest,
            steps: Vec::new(),
        }
    }

    /// Takes a step with the program's own step length.
    fn step(&mut self) {
        let number = self.steps.len() as u64;
        // The CFL rate of an epoch of 16 steps, unless the current one is 1.3 times larger.
        let allowed = |rate: f32| if rate > 0.0 { self.safety / rate } else { f32::INFINITY };
        let grown = self.steps.last().map_or(0.05, |last| 1.2 * last).min(self.longest);
        let too_long = allowed(self.epoch_rate).min(grown) * self.rate > 1.3 * self.safety;
        if self.epoch == 16 || number == 0 || too_long {
            (self.epoch_rate, self.epoch) = (self.rate, 0);
        }
        self.epoch += 1;
        let allowed =
            if self.epoch_rate > 0.0 { self.safety / self.epoch_rate } else { f32::INFINITY };
        let dt = match self.steps.last() {
            Some(last) => allowed.min(1.2 * last).min(self.longest),
            None => 0.05,
        };
        self.steps.push(dt);
        self.go(number, dt);
    }

    /// Takes a step of a given length [s].
    fn go(&mut self, number: u64, dt: f32) {
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
            if self.kind == Remembered::Velocity {
                let step: Symbol<'_, Step> = self.library.get(b"a_step").expect("a step");
                let Parameters { columns, rows, cell, grain, .. } = self.parameters;
                let [x, y] = self.edges.each_mut().map(|layer| layer.as_mut_ptr());
                // A wave moves half a cell.
                self.rate =
                    2.0 * step(columns, rows, cell, grain, z, n, w, x, y, number as i64, dt);
                return;
            }
            let apply: Symbol<'_, Apply> = self.library.get(b"apply").expect("apply");
            if self.kind == Remembered::Discharge {
                let discharge: Symbol<'_, Discharge> =
                    self.library.get(b"inertial_discharge").expect("discharge");
                let crossings: Symbol<'_, FaceFluxes> =
                    self.library.get(b"inertial_transfers").expect("transfers");
                let [x, y] = self.edges.each_ref().map(|layer| layer.as_ptr());
                let mut next = [vec![0.0; cells], vec![0.0; cells]];
                let [to_x, to_y] = next.each_mut().map(|layer| layer.as_mut_ptr());
                discharge(p, z, w, n, dt, x, y, to_x, to_y);
                self.rate = self.hold(&mut next);
                let [from_x, from_y] = next.each_ref().map(|layer| layer.as_ptr());
                let mut out = vec![0i64; cells];
                let (e, s, out) = (east.as_mut_ptr(), south.as_mut_ptr(), out.as_mut_ptr());
                crossings(p, w, from_x, from_y, dt, phase(number), e, s, out);
                self.edges = next;
            } else {
                let transfers: Symbol<'_, Transfers> =
                    self.library.get(b"manning_transfers").expect("transfers");
                let (e, s) = (east.as_mut_ptr(), south.as_mut_ptr());
                self.rate = transfers(p, z, w, n, dt, phase(number), e, s);
            }
            apply(p, w, east.as_ptr(), south.as_ptr());
        }
    }

    /// Limits discharges to the critical ones; returns 1 / the longest step allowed by them and by
    /// the waves on them [1/s].
    fn hold(&self, discharges: &mut [Vec<f32>; 2]) -> f32 {
        let columns = self.parameters.columns as usize;
        let mut rate = 0.0f32;
        for (axis, layer) in discharges.iter_mut().enumerate() {
            let ahead = [1, columns][axis];
            for cell in 0..layer.len() {
                let end = if axis == 0 {
                    cell % columns + 1 == columns
                } else {
                    cell + columns >= layer.len()
                };
                if end {
                    continue;
                }
                let next = cell + ahead;
                let grains = self.water[cell] - self.water[next];
                let fall = self.bed[cell] - self.bed[next];
                let depth = |at: usize| self.water[at] as f32 * self.parameters.grain;
                let difference = fall + grains as f32 * self.parameters.grain;
                let flow = match difference >= 0.0 {
                    true => depth(cell) + fall.min(0.0),
                    false => depth(next) - fall.max(0.0),
                };
                if flow <= self.parameters.dry {
                    continue;
                }
                let wave = (9.81 * flow).sqrt();
                // Films are not limited.
                if flow > DEEP {
                    layer[cell] = layer[cell].clamp(-wave * flow, wave * flow);
                }
                let speed = wave + layer[cell].abs() / flow;
                rate = rate.max(speed / self.parameters.courant * self.parameters.inverse_cell);
            }
        }
        rate
    }
}

/// Returns the greatest difference [m], and the root mean square.
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

/// Returns the engine's state of the edges, in the specification's layout.
fn edges(case: &Case, simulation: &Simulation) -> [Vec<f32>; 2] {
    let field = case.problem().solver.remembers().expect("edges that are remembered");
    [0, 1].map(|axis| {
        let mut line = vec![0.0; case.columns + 1 - axis];
        let rows = (0..case.rows).flat_map(|row| {
            let (edges, to) = (Field::edge(field, axis), bits_mut(&mut line));
            simulation.backend.read(edges, row + axis, to).expect("edges");
            line[1 - axis..].to_vec()
        });
        rows.collect()
    })
}

/// Returns the greatest difference of the velocities [m/s] over edges deeper than a millimetre.
fn strayed_velocities(case: &Case, simulation: &Simulation, reference: &Reference<'_>) -> f32 {
    let deep = |cell: usize| {
        reference.water.get(cell).copied().unwrap_or(0) as f32 * case.grain.metres() > 1e-3
    };
    let mut most = 0.0f32;
    for (axis, found) in edges(case, simulation).iter().enumerate() {
        for (cell, (a, b)) in found.iter().zip(&reference.edges[axis]).enumerate() {
            if deep(cell) && deep(cell + [1, case.columns][axis]) {
                most = most.max((a - b).abs());
            }
        }
    }
    most
}

/// Returns the greatest relative difference of the state of edges, above 3 mm/s (or mm²/s), where
/// rounding in the driving term does not matter.
fn strayed_share(case: &Case, simulation: &Simulation, reference: &Reference<'_>) -> f32 {
    let found = edges(case, simulation);
    let pairs = found.iter().flatten().zip(reference.edges.iter().flatten());
    pairs.map(|(a, b)| (a - b).abs() / (b.abs() + 0.003)).fold(0.0, f32::max)
}

#[test]
fn the_engine_follows_the_specification() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut libraries = BTreeMap::new();
    for (what, case) in cases() {
        let program = match (case.solver.has_momentum(), case.solver.order) {
            (false, _) => "timed",
            (true, 1) => "first_order",
            _ => "second_order",
        };
        let library = libraries.entry(program).or_insert_with(|| library(folder.path(), program));
        let Some(library) = library else { return };
        let mut reference = Reference::new(library, &case);
        let mut simulation = case.start(CpuOptions::default());
        let stored: i64 = case.initial.iter().map(|&water| i64::from(water)).sum();
        let (mut strayed, mut share, mut apart) = (0.0f64, 0.0f32, 0.0f64);
        let (steps, limit) = match reference.kind {
            Remembered::Nothing => (few_or_all(400, 3000), 2e-6),
            Remembered::Discharge => (300, 6e-5),
            Remembered::Velocity => (300, 1e-3),
        };
        for step in 1..=steps {
            let remembers = reference.kind != Remembered::Nothing;
            let mut once = (remembers && step % 5 == 0).then(|| {
                let mut once = reference.clone();
                once.water.copy_from_slice(&case.state(&simulation).water);
                once.edges = edges(&case, &simulation);
                once
            });
            simulation.advance(1).expect("shallow water");
            reference.step();
            let TimeStepping::Adaptive { control, .. } = simulation.clock.time_stepping else {
                panic!("no adaptive steps")
            };
            let dt = control.free;
            strayed = strayed.max(f64::from(dt / reference.steps[step - 1] - 1.0).abs());
            if let Some(once) = &mut once {
                once.go(step as u64 - 1, dt);
                share = share.max(strayed_share(&case, &simulation, once));
                let (most, _) = differences(&case, &case.state(&simulation), once);
                apart = apart.max(most);
            }
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
        if reference.kind != Remembered::Nothing {
            // Water moves by the state of the edges; with `inertial`, by the result of the step.
            let limit = if reference.kind == Remembered::Velocity { 2e-7 } else { 2e-5 };
            println!(
                "{}, {what}: from one state, edges within {:.2} %, {apart:.1e} m",
                case.name(),
                100.0 * share
            );
            assert!(share < 2e-3, "{}, {what}: edges within {share} after a step", case.name());
            assert!(apart < limit, "{}, {what}: {apart} m after a step", case.name());
        }
        if reference.kind == Remembered::Velocity {
            let most = strayed_velocities(&case, &simulation, &reference);
            println!("{}, {what}: velocities within {most:.1e} m/s", case.name());
            assert!(most < 1e-2, "{}, {what}: {most} m/s", case.name());
        }
    }
}
