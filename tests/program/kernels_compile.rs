//! Kernels compile, for every solver and neighbourhood, to machine code and to PTX. Needs NVRTC
//! (`make test` installs it) but no GPU; without NVRTC the tests are skipped with a message, unless
//! INUNDATE_REQUIRE_NVRTC is 1. The command `inundate kernels` compiles the kernels, once for all
//! tests, and again only if the inputs of the compilation have changed.
//!
//! `make test` compiles only enough variants of a solver's flow that any two of their options occur
//! together in one, and each technique for automata once; `make test-all` compiles every unit.

use crate::common::cover::combinations;
use crate::common::tier;
use inundate::automata::registry::Model;
use inundate::automata::techniques::{self, TECHNIQUES, Technique};
use inundate::engine::backend::cuda::compile::embedded;
use inundate::engine::backend::cuda::compile::nvrtc::nvrtc;
use inundate::engine::backend::cuda::compile::source::{
    self, Edges, Unit, common_unit, edges_unit, flow_unit,
};
use inundate::engine::backend::cuda::compile::{Target, compile_with, compiler, options};
use inundate::engine::neighbourhood::Neighbourhood;
use inundate::engine::solver::SOLVERS;
use inundate::words::hexadecimal;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Prints a line past the test harness, which shows output only if a test fails.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Returns `true` if an NVRTC is available for testing.
fn can_compile() -> bool {
    let Err(why) = nvrtc() else { return true };
    let required = std::env::var("INUNDATE_REQUIRE_NVRTC").is_ok_and(|value| value == "1");
    assert!(!required, "NVRTC is required, but: {why}");
    tell(&format!("SKIPPED, no kernel was compiled: {why}"));
    false
}

/// Returns the engine's units to compile, including the largest of each timed solver.
fn flow_units() -> Vec<Unit> {
    if tier::all() {
        return source::every_unit();
    }
    let mut units = vec![common_unit()];
    for (seed, solver) in SOLVERS.iter().enumerate() {
        let every = Edges::all(solver);
        let kinds = |edges: &Edges| {
            [edges.rough, edges.keeps, edges.structures, edges.tables, edges.listed]
        };
        let sizes: Vec<usize> = (0..5)
            .map(|kind| 1 + usize::from(every.iter().any(|edges| kinds(edges)[kind])))
            .collect();
        let mut rows = combinations(&sizes, seed as u64);
        rows.push(sizes.iter().map(|size| size - 1).collect());
        let is = |edges: &Edges, row: &Vec<usize>| kinds(edges).map(usize::from)[..] == row[..];
        let chosen = every.into_iter().filter(|edges| rows.iter().any(|row| is(edges, row)));
        match solver.is_timed() {
            true => units.extend(chosen.map(|edges| edges_unit(solver, edges))),
            false => {
                units.extend(solver.neighbourhoods().iter().map(|near| flow_unit(solver, *near)));
            }
        }
    }
    units
}

/// Returns the laboratory's units; with `make test`, each technique with one of its automata,
/// alternately.
fn laboratory_units() -> Vec<Unit> {
    if tier::all() {
        return techniques::every_unit();
    }
    let of = |(at, technique): (usize, &Technique)| {
        let all: Vec<Unit> = Model::all()
            .filter(|model| technique.goes_with(*model))
            .map(|model| technique.unit(model))
            .collect();
        all.get(at % all.len().max(1)).cloned()
    };
    TECHNIQUES.iter().enumerate().filter_map(of).collect()
}

/// Returns all units to compile.
fn units() -> impl Iterator<Item = Unit> {
    flow_units().into_iter().chain(laboratory_units())
}

/// Returns the command `inundate kernels`.
fn command(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inundate"));
    command.arg("kernels").args(arguments).output().unwrap()
}

/// Returns the command's table of all kernels, and the folder of their PTX. They are kept, and
/// reused as long as their inputs are unchanged.
fn compiled() -> &'static (String, PathBuf) {
    static COMPILED: OnceLock<(String, PathBuf)> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
        let to = folder.join("a/ptx");
        let [said, made_of] = ["said.txt", "made_of.txt"].map(|name| folder.join(name));
        let sources = fingerprint();
        if std::fs::read_to_string(&made_of).ok().as_ref() != Some(&sources) {
            let _ = std::fs::remove_dir_all(&folder);
            let cubins = folder.join("cubin");
            let mut arguments =
                vec!["--ptx", to.to_str().unwrap(), "--cubin", cubins.to_str().unwrap()];
            let names: Vec<String> = units().map(|unit| unit.name).collect();
            if !tier::all() {
                arguments.extend(names.iter().flat_map(|name| ["--unit", name]));
            }
            let ran = command(&arguments);
            assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
            std::fs::write(&said, ran.stdout).unwrap();
            std::fs::write(&made_of, sources).unwrap();
        }
        (std::fs::read_to_string(said).unwrap(), to)
    })
}

/// Returns a hash of the inputs of the command's results: the compiler and its options, the units,
/// and the sources of kernels, of their compilation and of the command.
fn fingerprint() -> String {
    let mut hash = Sha256::new();
    let mut add = |part: &str| hash.update(format!("{} {part}\n", part.len()));
    let nvrtc = nvrtc().expect("there is one");
    add(&format!("{} {}", nvrtc.version, nvrtc.path.display()));
    for target in [Target::Sm(90), Target::Ptx(embedded::CAPABILITY)] {
        add(&options(target).join(" "));
    }
    add(source::fingerprint());
    for unit in units() {
        add(&unit.name);
        add(&unit.source);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let compile = std::fs::read_dir(root.join("src/engine/backend/cuda/compile")).unwrap();
    let mut files: Vec<PathBuf> = compile.map(|file| file.unwrap().path()).collect();
    files.sort();
    files.push(root.join("src/cli/kernels.rs"));
    for file in files {
        add(&std::fs::read_to_string(file).unwrap());
    }
    hexadecimal(&hash.finalize())
}

/// Returns the PTX of a unit.
fn ptx(unit: &Unit) -> String {
    std::fs::read_to_string(compiled().1.join(format!("{}.ptx", unit.name))).unwrap()
}

#[test]
fn every_kernel_compiles_to_machine_code_and_fast_ones_do_not_spill() {
    if !can_compile() {
        return;
    }
    let code = compile_with(compiler().unwrap(), &common_unit(), Target::Sm(90)).unwrap().code;
    assert!(code.starts_with(b"\x7fELF"), "no machine code");
    let lines = || compiled().0.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    for unit in units() {
        let usages: Vec<_> = lines().filter(|words| words.first() == Some(&&*unit.name)).collect();
        assert!(!usages.is_empty(), "{}: no kernel in it", unit.name);
        for usage in usages {
            let [_, _, registers, _, spills, _] = usage[..] else { panic!("{usage:?}") };
            let registers: u32 = registers.parse().unwrap();
            assert!((1..=255).contains(&registers), "{usage:?}");
            let fast = ["-fused-", "-march-"].iter().any(|word| unit.name.contains(word));
            // Some bytes cost less than four fewer warps per multiprocessor at second order: 26.5
            // against 26.2 G/s on an H100.
            let most = match &unit.name {
                name if name.contains("-listed") => 88,
                name if name.starts_with("fused-shallow-water-2") => 88,
                _ => 0,
            };
            if fast || unit.name.starts_with("fused") {
                assert!(spills.parse::<u32>().unwrap() <= most, "{usage:?}");
            }
        }
    }
}

/// Initial guess from which root() and divide() of kernels/arithmetic.cuh compute the correctly
/// rounded result.
fn is_first_guess(line: &str) -> bool {
    ["rsqrt.approx.ftz.f32", "rcp.approx.ftz.f32"].iter().any(|guess| line.contains(guess))
}

#[test]
fn every_kernel_compiles_to_ptx_with_pinned_arithmetic() {
    if !can_compile() {
        return;
    }
    for unit in laboratory_units() {
        assert!(ptx(&unit).contains("step_1"), "{}", unit.name);
    }
    // The laboratory's units have no numeric code to check.
    for unit in flow_units() {
        let ptx = ptx(&unit);
        assert!(ptx.contains(".target sm_75") && ptx.contains(".entry"), "{}", unit.name);
        for bad in [".ftz", ".approx", "div.full"] {
            let found = ptx.lines().find(|line| line.contains(bad) && !is_first_guess(line));
            assert_eq!(found, None, "{}: {bad}", unit.name);
        }
    }
}

/// `a * b + c` stays two operations, in machine code and in PTX: nothing is contracted.
#[test]
fn no_multiply_add_is_contracted() {
    if !can_compile() {
        return;
    }
    let source = "extern \"C\" __global__ void k(float *x) { x[0] = x[1] * x[2] + x[3] / x[4]; }\n";
    let unit = Unit { name: "arithmetic".into(), source: source.into() };
    let ptx = compile_with(compiler().unwrap(), &unit, Target::Ptx(75)).unwrap().code;
    let ptx = String::from_utf8(ptx).unwrap();
    for good in ["mul.rn.f32", "add.rn.f32", "div.rn.f32"] {
        assert!(ptx.contains(good), "no {good} in {ptx}");
    }
    assert!(!ptx.contains("fma"), "{ptx}");
}

#[test]
fn a_broken_source_fails_with_the_compilers_message() {
    if !can_compile() {
        return;
    }
    let whole = flow_unit(SOLVERS[0], Neighbourhood::VonNeumann);
    let name = format!("kernel {}", whole.name);
    for (unit, parts) in [
        // The text is the compiler's; the file, the line and "error" are in all messages.
        (whole.clone().with("this is no CUDA;"), ["does not compile for", "this is no CUDA;"]),
        (
            whole.with("static_assert(sizeof(Flow) == 0, \"the layout differs\");"),
            [&name, "the layout differs"],
        ),
        (common_unit().with("#include \"lost.cuh\""), ["kernel common", "lost.cuh"]),
    ] {
        let file = format!("{}.cu(", unit.name);
        for target in [Target::Sm(90), Target::Ptx(75)] {
            let error = compile_with(compiler().unwrap(), &unit, target).expect_err("it is broken");
            assert_eq!(error.exit_code(), 1);
            for part in parts.into_iter().chain([file.as_str(), "error"]) {
                assert!(error.what.contains(part), "no {part:?} in {error}");
            }
        }
    }
}

#[test]
fn the_command_prints_a_table_and_writes_ptx_that_names_its_sources() {
    if !can_compile() {
        return;
    }
    let (out, to) = compiled();
    assert!(out.contains("machine code for sm_90") && out.contains("registers"), "{out}");
    for unit in units() {
        let ptx = ptx(&unit);
        assert!(ptx.starts_with("// inundate kernels ") && ptx.contains(".target sm_75"));
    }
    assert_eq!(std::fs::read_dir(to).unwrap().count(), units().count());
    // Machine code only of the solvers' units.
    let cubins = to.join("../../cubin");
    assert_eq!(std::fs::read_dir(&cubins).unwrap().count(), flow_units().len());
    // The kept results equal those that the command produces now.
    let anew = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels_anew");
    let automaton = SOLVERS.iter().find(|solver| !solver.is_timed()).unwrap();
    let unit = flow_unit(automaton, automaton.neighbourhoods()[0]);
    let arguments = ["--ptx", anew.to_str().unwrap(), "--unit", &unit.name];
    let ran = command(&arguments);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(
        std::fs::read_to_string(anew.join(format!("{}.ptx", unit.name))).unwrap(),
        ptx(&unit)
    );
    // The command replaces its own files, and nothing else.
    assert!(command(&arguments).status.success());
    let other = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels_of_others");
    std::fs::create_dir_all(&other).unwrap();
    let file = other.join(format!("{}.ptx", unit.name));
    std::fs::write(&file, "mine").unwrap();
    let refused = command(&["--ptx", other.to_str().unwrap(), "--unit", &unit.name]);
    let err = String::from_utf8_lossy(&refused.stderr).to_string();
    assert!(refused.status.code() == Some(2) && err.contains("exists already"), "{err}");
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    let said = String::from_utf8(ran.stdout).unwrap();
    assert!(said.lines().count() > 2 && said.lines().all(|line| out.contains(line)), "{said}");
    let common = std::fs::read(cubins.join("common.sm_90.cubin")).unwrap();
    assert!(common.starts_with(b"// inundate kernels ") && common.len() > 10_000);
    for (arguments, part) in [
        (["--arch", "sm_10"], "does not support sm_10"),
        (["--unit", "fused"], "unit: there is no unit 'fused'"),
        (["--arch", "90"], "write it like sm_90"),
        (["--ptx", "/proc/none"], "cannot write '/proc/none'"),
    ] {
        let ran = command(&arguments);
        assert_eq!(ran.status.code(), Some(2));
        let err = String::from_utf8_lossy(&ran.stderr).to_string();
        assert!(err.contains(part), "no {part:?} in {err}");
    }
}
