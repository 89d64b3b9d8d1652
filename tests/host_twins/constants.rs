//! Checks that every constant of a header equals Rust's, or exists on the device only.

use inundate_engine::backend::cuda::compile::source::{every_unit, files};
use inundate_engine::solver::SOLVERS;

/// Constants that exist only in the kernels.
const OF_THE_DEVICE: [&str; 40] = [
    "AHEAD",
    "AROUND",
    "AWAKE",
    "BEHIND",
    "BOTH_WARPS",
    "CELLS_HELD",
    "COLUMNS",
    "COLUMNS_BESIDE",
    "EAST",
    "EAST_RIM",
    "FAMILIES",
    "FLOWING_BLOCKS",
    "IDLE",
    "K",
    "LANES",
    "LANES_BESIDE",
    "LISTED_REACH",
    "MOMENTUM_ROWS_HELD",
    "NEAR_RIM",
    "NORTH_RIM",
    "OPEN_ROWS",
    "PART",
    "REACH_ACROSS",
    "REACH_DOWN",
    "RESIDENT_WARPS",
    "RIMS",
    "ROWS",
    "ROWS_ABOVE",
    "ROWS_BELOW",
    "ROWS_HELD",
    "ROWS_OF_A_WARP",
    "ROWS_RAINED",
    "SLIGHTLY_LESS",
    "SOUTH_RIM",
    "SPECIAL",
    "WEST",
    "WEST_RIM",
    "WHOLE",
    "WHOLE_WARP",
    "WIPED",
];

/// Returns names and values of the numeric constants in a kernel file.
fn constants(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .filter_map(|line| {
            let (_, declared) = line.split_once("constexpr ")?;
            let (kind, rest) = declared.split_once(' ')?;
            let (name, value) = rest.split_once(" = ")?;
            let number = ["float", "double", "int", "unsigned", "Flags", "Count"].contains(&kind);
            number.then_some((name, value.split(';').next()?))
        })
        .collect()
}

#[test]
fn every_constant_of_the_kernels_is_asserted() {
    let units: String = every_unit().iter().map(|unit| unit.source.as_str()).collect();
    let mut seen = 0;
    // Constants of a law are tested through its results, state by state (`steps.rs`).
    let is_law = |file: &str| ["solvers/", "structures/"].iter().any(|of| file.starts_with(of));
    for (file, text) in files().filter(|(file, _)| !is_law(file)) {
        for (name, value) in constants(text) {
            seen += 1;
            let asserted = units.contains(&format!("static_assert({name} == "));
            let alone = OF_THE_DEVICE.contains(&name);
            assert!(
                asserted != alone,
                "{file}: {name} = {value} is to be asserted (src/engine/backend/cuda/params.rs) or the device's alone"
            );
        }
    }
    assert!(seen > 20, "{seen} constants");
}

/// Returns the value of a constant in a Rust file.
fn value_in_rust(text: &str, name: &str) -> Option<f32> {
    let (_, rest) = text.split_once(&format!("const {name}: f32 = "))?;
    rest.split(';').next()?.replace('_', "").parse().ok()
}

/// Solvers keep the constants of their equations in their own file, except for constants of nature.
#[test]
fn every_solver_constant_matches_its_header() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |file: &str| std::fs::read_to_string(root.join(file)).expect("a file of solvers");
    let shared = read("src/engine/solver/mod.rs");
    for solver in SOLVERS {
        // The header contains "… the twin of src/engine/solver/name.rs …".
        let twin =
            solver.cuda.text.split("twin of ").nth(1).and_then(|rest| rest.split(".rs").next());
        let twin = format!("{}.rs", twin.expect("its first line says whose twin it is"));
        let rust = read(&twin);
        assert!(rust.contains(solver.cuda.header), "{twin} and {}", solver.cuda.header);
        for (name, value) in constants(solver.cuda.text) {
            // A constant that is not a plain number is checked through traits, or through the
            // resulting bits.
            let Ok(value) = value.trim_end_matches('f').parse::<f32>() else { continue };
            let ours = match name {
                "ORDER" => Some(solver.order as f32),
                _ => value_in_rust(&rust, name).or_else(|| value_in_rust(&shared, name)),
            };
            let same = ours.is_some_and(|ours| ours.to_bits() == value.to_bits());
            assert!(same, "{name} is {value} in {}, {ours:?} in {twin}", solver.cuda.header);
        }
    }
}
