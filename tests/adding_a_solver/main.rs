//! Checks that the worked example of docs/adding_a_solver.md is correct: its files equal those in
//! `tests/adding_a_solver/`, the Rust file compiles against the registry and keeps the solvers'
//! contract, and the header compiles in every kernel. The same holds for docs/adding_a_site.md,
//! docs/adding_a_structure.md and docs/adding_a_writer.md.
//!
//! `cargo test --test adding_a_solver -- --ignored` applies the pages' changes to a copy of this
//! crate, and runs the tests that the pages promise (minutes).

#[path = "../engine/common/mod.rs"]
mod common;
#[path = "site.rs"]
mod site;
#[path = "solver.rs"]
mod solver;
#[path = "structure.rs"]
mod structure;
#[path = "writer.rs"]
mod writer;

// Modules that the pages' files refer to as `crate::`.
use inundate::engine::{lanes, neighbourhood};
use inundate::{error, output};

use common::contract::assert_kept;
use inundate::engine::backend::cuda::compile::embedded;
use inundate::engine::backend::cuda::compile::nvrtc::nvrtc;
use inundate::engine::backend::cuda::compile::source::Unit;
use inundate::engine::backend::cuda::compile::{Target, compile_with, compiler};
use inundate::engine::forcing::sites::SiteKind;
use inundate::engine::forcing::step::Step;
use inundate::engine::grains::Grain;
use inundate::engine::grid::Grid;
use inundate::engine::solver::LEAST_ALPHA;
use inundate::output::format::Labels;
use neighbourhood::Neighbourhood;
use site::weir::Weir;
use site::{CellView, Site, SiteParameters, StepContext};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use structure::orifice::Orifice;
use structure::{FaceHeads, StructureLaw};

const PAGE: &str = include_str!("../../docs/adding_a_solver.md");
/// Files that the page creates.
const FILES: [&str; 2] = ["src/engine/solver/linear.rs", "kernels/solvers/linear.cuh"];
/// The page on fields, and the file that it changes.
const FIELD_PAGE: &str = include_str!("../../docs/adding_a_field.md");
const FIELDS: &str = "src/engine/field.rs";
/// The page on sites, the files that it creates, and the file that it changes.
const SITE_PAGE: &str = include_str!("../../docs/adding_a_site.md");
const SITE: [&str; 2] = ["src/engine/forcing/sites/weir.rs", "kernels/sites/weir.cuh"];
const SITES: &str = "src/engine/forcing/sites/mod.rs";
/// The page on structures, and the files that it creates.
const STRUCTURE_PAGE: &str = include_str!("../../docs/adding_a_structure.md");
const STRUCTURE: [&str; 2] =
    ["src/engine/forcing/structures/orifice.rs", "kernels/structures/orifice.cuh"];
const STRUCTURES: &str = "src/engine/forcing/structures/mod.rs";
/// The page on map formats, the file that it creates, and the file that it changes.
const WRITER_PAGE: &str = include_str!("../../docs/adding_a_writer.md");
const WRITER: &str = "src/output/format/ascii_grid.rs";
const FORMATS: &str = "src/output/format/mod.rs";

/// File that the page on solvers changes.
const REGISTRY: &str = "src/engine/solver/mod.rs";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// Returns the code blocks that follow a line `` `path`: ``.
fn blocks(path: &str) -> Vec<String> {
    blocks_of(PAGE, path)
}

/// Returns such blocks of a given page.
fn blocks_of(page: &str, path: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.ends_with(&format!("`{path}`:")) {
            let code = lines.by_ref().skip_while(|line| !line.starts_with("```")).skip(1);
            let code = code.take_while(|line| !line.starts_with("```"));
            blocks.push(code.map(|line| format!("{line}\n")).collect());
        }
    }
    assert!(!blocks.is_empty(), "the page shows {path}");
    blocks
}

#[test]
fn solver_page_matches_the_tested_code() {
    for file in FILES {
        assert_eq!(blocks(file), [read(root().join("tests/adding_a_solver").join(file))], "{file}");
    }
    let ours = read(root().join("tests/adding_a_solver/solver.rs"));
    for lines in blocks(REGISTRY) {
        assert!(ours.contains(&lines), "{lines}");
    }
}

#[test]
fn site_and_structure_pages_match_the_tested_code() {
    for (page, files) in [(SITE_PAGE, SITE), (STRUCTURE_PAGE, STRUCTURE)] {
        for file in files {
            let ours = read(root().join("tests/adding_a_solver").join(file));
            assert_eq!(blocks_of(page, file), [ours], "{file}");
        }
    }
}

/// Returns a step of 2 s, without rates and stage boundaries.
fn third_step() -> Step {
    let (increments, levels) = (Vec::new(), Vec::new());
    Step { number: 3, dt: 2.0, start: 4.0, end: 6.0, elapsed: [4.0, 6.0], increments, levels }
}

#[test]
fn orifice_example_passes_water() {
    let step = third_step();
    let now = StepContext::of(&step, Grain::Fine);
    let under = |up: f32, down: f32| {
        f64::from(Orifice::discharge(
            &[0.6, 0.5, 0.0],
            FaceHeads { up, down, ..FaceHeads::default() },
            &now,
        ))
    };
    let pressed = 0.6 * 0.5 * (2.0 * 9.81 * 1.5f64).sqrt();
    assert!((under(2.0, 0.5) - pressed).abs() < 1e-6, "{}", under(2.0, 0.5));
    let free = 0.6 * 0.25 * (2.0 * 9.81 * 0.25f64).sqrt();
    assert!((under(0.25, 0.0) - free).abs() < 1e-6, "{}", under(0.25, 0.0));
    assert_eq!([under(0.0, 0.0), under(1.0, 1.0)], [0.0; 2]);
}

#[test]
fn writer_page_matches_the_tested_code() {
    let ours = read(root().join("tests/adding_a_solver").join(WRITER));
    assert_eq!(blocks_of(WRITER_PAGE, WRITER), [ours]);
}

#[test]
fn example_text_grid_is_text_from_the_first_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("depth.asc");
    let (grid, labels) = (Grid::plain(2, 2, 10.0), Labels::of("depth", "m"));
    let sheet = output::format::Sheet::new(&path, &grid, &labels);
    writer::ascii_grid::FORMAT.write(sheet, &[0.5, writer::NODATA, 2.0, 3.25]).unwrap();
    let head = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ndx 10\ndy 10\nNODATA_value -9999\n";
    assert_eq!(read(&path), format!("{head}0.5 -9999\n2 3.25\n"));
}

#[test]
fn weir_example_passes_water_over_its_crest() {
    let (crest, coefficient) = (1 << 23, 0.02f32.to_bits());
    let given =
        SiteParameters { numbers: [crest, coefficient], ..SiteParameters::of(SiteKind::Sink) };
    let step = third_step();
    let now = StepContext::of(&step, Grain::Fine);
    let by = |water: i32| {
        Weir::change(&given, CellView { water, before: water, ..CellView::default() }, &now)
    };
    assert_eq!([by(0), by(1 << 23)], [0, 0]);
    // A quarter of a metre over the crest: 2 s of 0.02 * 0.25^1.5 m/s, to the grain.
    let wanted = -(2.0 * 0.02 * 0.125 * f64::from(1 << 24));
    assert!((by(3 << 22) as f64 - wanted).abs() < 1.0, "{}, {wanted}", by(3 << 22));
    assert!(by(i32::MAX / 2) >= -i64::from(i32::MAX / 4));
}

struct Contract(f32);

impl solver::WithSolver for Contract {
    type Output = ();

    fn cell<R: solver::CellSolver>(self, solver: R) {
        assert_kept(solver, &format!("linear, alpha {}", self.0));
    }

    fn edge<R: solver::edge::EdgeSolver>(self, _solver: R) {
        panic!("the page adds a cell solver");
    }

    fn momentum<R: solver::momentum::MomentumSolver>(self, _solver: R) {
        panic!("the page adds a cell solver");
    }
}

#[test]
fn example_solver_meets_the_solver_contract() {
    let [info] = solver::SOLVERS else { panic!("one solver") };
    let moore = Neighbourhood::Moore;
    let default = info.default_alpha(moore).expect("an automaton has one");
    for alpha in [default, 0.3, LEAST_ALPHA as f32] {
        info.solver(moore, Some(alpha)).run(Contract(alpha));
    }
}

#[test]
fn example_header_compiles_in_every_kernel() {
    if let Err(why) = nvrtc() {
        let required = std::env::var("INUNDATE_REQUIRE_NVRTC").is_ok_and(|value| value == "1");
        assert!(!required, "NVRTC is required, but: {why}");
        let _ = writeln!(std::io::stderr(), "SKIPPED, the page's header was not compiled: {why}");
        return;
    }
    let law = Weir::CUDA.expect("it has one");
    assert_eq!(law.header, SITE[1].trim_start_matches("kernels/"));
    let source = format!(
        "#include \"params.cuh\"\n{}\nextern \"C\" __global__ void probe(Params p, StepConstants now, long long *to)\n\
         {{\n    const StepContext step = {{p, now, nullptr, nullptr, nullptr}};\n    const unsigned numbers[2] = {{5, 6}};\n    \
         *to = {}::change(numbers, {{7, 8, 9, 0}}, step);\n}}\n",
        law.text, law.name
    );
    let unit = Unit::new("weir".into(), &source);
    compile_with(compiler().unwrap(), &unit, Target::Sm(90))
        .unwrap_or_else(|error| panic!("{error}"));
    let law = Orifice::CUDA;
    assert_eq!(law.header, STRUCTURE[1].trim_start_matches("kernels/"));
    let source = format!(
        "#include \"params.cuh\"\n{}\nextern \"C\" __global__ void probe(Params p, StepConstants now, float *to)\n\
         {{\n    const StepContext step = {{p, now, nullptr, nullptr, nullptr}};\n    const float numbers[3] = {{1, 2, 3}};\n    \
         *to = {}::discharge(numbers, {{4, 3, 0}}, step);\n}}\n",
        law.text, law.name
    );
    let unit = Unit::new("orifice".into(), &source);
    compile_with(compiler().unwrap(), &unit, Target::Sm(90))
        .unwrap_or_else(|error| panic!("{error}"));
    let twin = &solver::SOLVERS[0].cuda;
    assert_eq!(twin.header, FILES[1].trim_start_matches("kernels/"));
    for near in Neighbourhood::ALL {
        // As in `flow_unit`, with the header's text instead of its #include.
        let source = format!(
            "#define NEIGHBOURS {}\n{}\nusing Flow = {};\n#include \"fused.cu\"\n",
            near.neighbours(),
            twin.text,
            twin.name
        );
        let unit = Unit::new(format!("linear-{near}"), &source);
        for target in [Target::Sm(90), Target::Ptx(embedded::CAPABILITY)] {
            compile_with(compiler().unwrap(), &unit, target)
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// Copies a file, or a folder with its content.
fn copy(from: &Path, to: &Path) {
    if from.is_symlink() {
        // The crates reach the kernels through symbolic links.
        let _ = std::os::unix::fs::symlink(std::fs::read_link(from).unwrap(), to);
    } else if from.is_dir() {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        std::fs::copy(from, to).unwrap();
    }
}

#[test]
#[ignore = "compiles a copy of the crate"]
fn example_solver_works_end_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let to = |name: &str| folder.path().join(name);
    for name in [
        "Cargo.toml",
        "Cargo.lock",
        "README.md",
        "src",
        "templates",
        "kernels",
        "tests",
        "data",
        "docs",
        "templates",
    ] {
        copy(&root().join(name), &to(name));
    }
    for file in FILES {
        std::fs::write(to(file), &blocks(file)[0]).unwrap();
    }
    let [module, line] = &blocks(REGISTRY)[..] else { panic!("the page shows two changes") };
    let before = read(to(REGISTRY));
    let after = before
        .replacen("pub mod aqua_graph;\n", &format!("pub mod aqua_graph;\n{module}"), 1)
        .replacen("registry! {\n", &format!("registry! {{\n{line}"), 1);
    assert_eq!(after.len(), before.len() + module.len() + line.len());
    std::fs::write(to(REGISTRY), after).unwrap();
    let [line] = &blocks_of(FIELD_PAGE, FIELDS)[..] else { panic!("the page shows a line") };
    let before = read(to(FIELDS));
    let after = before.replacen("\nfields! {\n", &format!("\nfields! {{\n{line}"), 1);
    assert_eq!(after.len(), before.len() + line.len());
    std::fs::write(to(FIELDS), after).unwrap();
    // A kernel can use it without any other manual change.
    let said = FIELD_PAGE.split("a kernel says `").nth(1).and_then(|rest| rest.split('`').next());
    let said = said.expect("the page shows what a kernel says");
    let kernel = format!(
        "extern \"C\" __global__ void page(Params p, int cell) {{ {said} = p.step_constants->end; }}\n"
    );
    std::fs::write(to("kernels/gauge.cu"), read(to("kernels/gauge.cu")) + &kernel).unwrap();
    let [module, line] = &blocks_of(SITE_PAGE, SITES)[..] else { panic!("two changes") };
    let before = read(to(SITES));
    let after = before
        .replacen("pub mod top_up;\n", &format!("pub mod top_up;\n{module}"), 1)
        .replacen("\nsites! {\n", &format!("\nsites! {{\n{line}"), 1);
    assert_eq!(after.len(), before.len() + module.len() + line.len());
    std::fs::write(to(SITES), after).unwrap();
    let [module, line] = &blocks_of(STRUCTURE_PAGE, STRUCTURES)[..] else { panic!("two changes") };
    let before = read(to(STRUCTURES));
    let after = before
        .replacen("pub mod weir;\n", &format!("pub mod weir;\n{module}"), 1)
        .replacen("\nstructures! {\n", &format!("\nstructures! {{\n{line}"), 1);
    assert_eq!(after.len(), before.len() + module.len() + line.len());
    std::fs::write(to(STRUCTURES), after).unwrap();
    for (page, files) in [(SITE_PAGE, SITE), (STRUCTURE_PAGE, STRUCTURE)] {
        for file in files {
            std::fs::write(to(file), &blocks_of(page, file)[0]).unwrap();
        }
    }
    let [module, line] = &blocks_of(WRITER_PAGE, FORMATS)[..] else { panic!("two changes") };
    let before = read(to(FORMATS));
    let after = before
        .replacen("pub mod geotiff;\n", &format!("{module}pub mod geotiff;\n"), 1)
        .replacen("    geotiff::FORMAT,\n", &format!("    geotiff::FORMAT,\n{line}"), 1);
    assert_eq!(after.len(), before.len() + module.len() + line.len());
    std::fs::write(to(FORMATS), after).unwrap();
    std::fs::write(to(WRITER), &blocks_of(WRITER_PAGE, WRITER)[0]).unwrap();
    // A separate target folder, so that files with equal names from both crates are not mixed up.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("adding_a_solver");
    let mut promised = 0;
    for (package, program) in [("inundate-engine", "engine"), ("inundate", "program")] {
        let start = format!("| `tests/{program}/");
        let names = PAGE.lines().filter_map(|line| line.strip_prefix(&start)?.split('.').next());
        let mut names: Vec<String> = names.map(|name| format!("{name}::")).collect();
        promised += names.len();
        names.extend((program == "program").then(|| "formats::".to_string()));
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["test", "--offline", "--no-fail-fast", "-p", package, "--test", program, "--"]);
        cargo.args(names).current_dir(folder.path()).env("CARGO_TARGET_DIR", &target);
        assert!(cargo.status().unwrap().success(), "the copy's tests of {package} pass");
    }
    assert!(promised > 5, "{promised}");
    // Test its header on this processor, the field on every backend, and the kind of sites on every
    // tiling.
    for arguments in [
        ["host_twins", "--"],
        ["engine", "resume::"],
        ["engine", "sites::"],
        ["engine", "structures::"],
    ] {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["test", "--offline", "-p", "inundate-engine", "--test"]).args(arguments);
        cargo.current_dir(folder.path()).env("CARGO_TARGET_DIR", &target);
        assert!(cargo.status().unwrap().success(), "the copy's tests pass: {arguments:?}");
    }
}
