//! Sources of the kernels, and the units in which they are compiled.
//!
//! All files of `kernels/` are embedded in the binary. A unit is a short main source that includes
//! them by their names below `kernels/`, regardless of the file that contains the `#include`.

use crate::backend::cuda::compile::assertions::{
    chunk_assertion, common_assertions, edge_assertions, flow_assertions,
};
use crate::backend::cuda::compile::constants::{neighbour_assertions, solver_assertions};
use crate::backend::cuda::compile::fields::declaration;
use crate::backend::cuda::frame::{CHUNK_COLUMNS, takes_whole_steps};
use crate::backend::cuda::listing::LISTED_COLUMNS;
use crate::backend::cuda::{sites, structures};
use crate::field::Field;
use crate::forcing::sites::SiteKind;
use crate::forcing::structures::StructureKind;
use crate::neighbourhood::Neighbourhood;
use crate::problem::Problem;
use crate::solver::{SOLVERS, SolverInfo};
use crate::words::hexadecimal;
use sha2::{Digest, Sha256};
use std::sync::OnceLock;

macro_rules! files {
    ($($name:literal)*) => {
        /// Name below `kernels/` and text of every file except the headers of solvers and sites
        /// ([`CudaTwin`](crate::solver::CudaTwin)).
        const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../kernels/", $name)))),*];
    };
}

files! {
    "params.cuh"
    "previous_kernel.cuh"
    "arithmetic.cuh"
    "instructions.cuh"
    "roots.cuh"
    "edge.cuh"
    "lanes.cuh"
    "cells.cuh"
    "levels.cuh"
    "subgrid.cuh"
    "tables.cuh"
    "subgrid.cu"
    "face_fluxes.cuh"
    "passing.cuh"
    "slopes.cuh"
    "momentum.cuh"
    "friction.cuh"
    "flow_diagnostics.cuh"
    "donors.cuh"
    "strip.cuh"
    "series.cuh"
    "sample.cuh"
    "grains.cuh"
    "neighbourhood.cuh"
    "chunk.cuh"
    "water_filling.cuh"
    "after_flow.cuh"
    "staging.cuh"
    "rows.cuh"
    "outflows.cuh"
    "fused.cu"
    "mass_march.cuh"
    "edges.cu"
    "momentum_update.cu"
    "momentum_edges.cuh"
    "momentum_march.cuh"
    "flux.cu"
    "time_step.cu"
    "prepare.cu"
    "list.cu"
    "listed_edges.cu"
    "listed_rows.cuh"
    "slots.cuh"
    "whole_step.cu"
    "listed_whole_step.cu"
    "approach.cuh"
    "sites.cuh"
    "sites.cu"
    "structures.cuh"
    "structures.cu"
    "link.cu"
    "forcing.cu"
    "observe.cu"
    "speed.cuh"
    "hazard.cuh"
    "cell_diagnostics.cu"
    "gauge.cu"
    "losses.cu"
}

/// Iterates over the name and text of every file of `kernels/`.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let solvers = SOLVERS.iter().map(|solver| &solver.cuda);
    let sites = SiteKind::ALL.iter().filter_map(|kind| kind.info().cuda.as_ref());
    let structures = StructureKind::ALL.iter().map(|kind| &kind.info().cuda);
    let twins = solvers.chain(sites).chain(structures).map(|twin| (twin.header, twin.text));
    let mut files: Vec<_> = FILES.iter().copied().chain(twins).collect();
    // Both orders of a solver share a header.
    let mut known = std::collections::HashSet::new();
    files.retain(|(name, _)| known.insert(*name));
    files.into_iter()
}

/// Returns the SHA-256 of all files and of the declaration of fields, in hexadecimal; it identifies
/// the sources of compiled kernels.
pub fn fingerprint() -> &'static str {
    static FINGERPRINT: OnceLock<String> = OnceLock::new();
    FINGERPRINT.get_or_init(|| {
        let mut hash = Sha256::new();
        for (name, text) in files() {
            hash.update(format!("{name} {}\n{text}", text.len()));
        }
        hash.update(declaration());
        hexadecimal(&hash.finalize())
    })
}

/// A unit of kernels compiled together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Name, suitable for a file: `fused-aqua-graph-von-neumann`.
    pub name: String,
    /// The main source; it includes the files of `kernels/`.
    pub source: String,
}

impl Unit {
    /// Creates a unit of kernels with the declaration of fields.
    pub fn new(name: String, source: &str) -> Unit {
        Unit { name, source: declaration() + source }
    }

    /// Appends lines to the unit, such as `static_assert`s. They must not change the resulting
    /// code, which may have been compiled without them.
    pub fn with(mut self, more: &str) -> Unit {
        self.source.push_str(more);
        if !more.ends_with('\n') {
            self.source.push('\n');
        }
        self
    }
}

/// Features of a timed solver's flow kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// Manning's n varies from cell to cell.
    pub rough: bool,
    /// Discharges and velocities are kept although the solver does not need them.
    pub keeps: bool,
    /// Structures on edges, links between cells, or stage boundaries of a solver without momentum.
    pub structures: bool,
    /// Subgrid tables in cells and edges, for solvers that support them.
    pub tables: bool,
    /// A list of active chunks.
    pub listed: bool,
}

impl Edges {
    /// Returns the features for a problem's run, without a list.
    pub fn of(problem: &Problem) -> Edges {
        Edges {
            rough: problem.fields().contains(&Field::Roughness),
            keeps: problem.asks_flow() && !problem.solver.has_momentum(),
            structures: !problem.forcing.structures.is_empty()
                || problem.forcing.intakes(problem.solver).next().is_some()
                || !(problem.solver.has_momentum() || problem.forcing.stage_boundaries.is_empty()),
            tables: problem.subgrid.is_some(),
            listed: false,
        }
    }

    /// Returns `true` if one kernel does both the mass and the momentum update.
    pub fn fuses_momentum(self, solver: &SolverInfo) -> bool {
        takes_whole_steps(solver, self.tables)
    }

    /// Returns all combinations of features that a solver supports.
    pub fn all(solver: &SolverInfo) -> Vec<Edges> {
        let momentum = solver.has_momentum();
        let all = (0..1u32 << 5).map(|bits| {
            let [rough, keeps, structures, tables, listed] =
                [4, 3, 2, 1, 0].map(|bit| bits >> bit & 1 == 1);
            Edges { rough, keeps, structures, tables, listed }
        });
        let known = |edges: &Edges| !edges.tables || solver.knows_tables();
        all.filter(|edges| known(edges) && !(edges.keeps && momentum)).collect()
    }
}

/// Returns the unit with the flow of a timed solver.
pub fn edges_unit(solver: &SolverInfo, edges: Edges) -> Unit {
    let variants = [
        (edges.rough, "-rough", "#define VARYING_ROUGHNESS\n"),
        (edges.keeps, "-kept", "#define KEEPS_FLOW\n"),
        (edges.structures, "-structures", "#define WITH_STRUCTURES\n"),
        (edges.tables, "-tables", "#define WITH_TABLES\n"),
        (edges.listed, "-listed", "#define LISTED\n"),
    ];
    let chosen = variants.iter().filter(|variant| variant.0);
    let names: String = chosen.clone().map(|variant| variant.1).collect();
    let defines: String = chosen.map(|variant| variant.2).collect();
    let fused = edges.fuses_momentum(solver);
    let columns = if edges.listed { LISTED_COLUMNS } else { CHUNK_COLUMNS };
    let passes: &[&str] = match (edges.listed, solver.has_momentum()) {
        (false, false) => &["edges"],
        (true, false) => &["listed_edges"],
        (false, true) if fused => &["whole_step"],
        (true, true) if fused => &["listed_whole_step"],
        (false, true) => &["edges", "momentum_update"],
        (true, true) if solver.order == 1 => &["listed_edges", "momentum_update"],
        (true, true) => &["flux", "listed_edges", "momentum_update"],
    };
    let passes: String = passes.iter().map(|name| format!("#include \"{name}.cu\"\n")).collect();
    let momentum = match (solver.has_momentum(), solver.order) {
        (false, _) => "",
        (true, 1) => "#define CARRIES_MOMENTUM\n",
        (true, _) => "#define CARRIES_MOMENTUM\n#define SECOND_ORDER\n",
    };
    Unit::new(
        format!("fused-{}{names}", solver.label()),
        &format!(
            "{defines}{momentum}#include \"{}\"\nusing Flow = {};\n{passes}",
            solver.cuda.header, solver.cuda.name,
        ),
    )
    .with(&flow_assertions())
    .with(&chunk_assertion(columns))
    .with(&edge_assertions())
    .with(&solver_assertions(solver))
}

/// Returns the unit with the flow of an automaton over a neighbourhood.
pub fn flow_unit(solver: &SolverInfo, neighbourhood: Neighbourhood) -> Unit {
    Unit::new(
        format!("fused-{}-{neighbourhood}", solver.name),
        &format!(
            "#define NEIGHBOURS {}\n#include \"{}\"\nusing Flow = {};\n#include \"fused.cu\"\n",
            neighbourhood.neighbours(),
            solver.cuda.header,
            solver.cuda.name,
        ),
    )
    .with(&flow_assertions())
    .with(&chunk_assertion(CHUNK_COLUMNS))
    .with(&neighbour_assertions(neighbourhood))
    .with(&solver_assertions(solver))
}

/// Returns the unit that all flows share: sources, losses, diagnostics and reading.
pub fn common_unit() -> Unit {
    Unit::new(
        "common".into(),
        &[
            "#define CHUNKS_OF_ANY_WIDTH\n".to_string(),
            sites::laws(),
            structures::laws(),
            [
                "sites",
                "structures",
                "subgrid",
                "forcing",
                "observe",
                "gauge",
                "prepare",
                "cell_diagnostics",
                "losses",
                "link",
            ]
            .map(|name| format!("#include \"{name}.cu\"\n"))
            .concat(),
        ]
        .concat(),
    )
    .with(&common_assertions())
}

/// Returns every unit that a run may need.
pub fn every_unit() -> Vec<Unit> {
    let mut units = vec![common_unit()];
    for solver in SOLVERS.iter().filter(|solver| solver.is_timed()) {
        units.extend(Edges::all(solver).into_iter().map(|edges| edges_unit(solver, edges)));
    }
    for solver in SOLVERS.iter().filter(|solver| !solver.is_timed()) {
        units.extend(solver.neighbourhoods().iter().map(|near| flow_unit(solver, *near)));
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn listed(folder: &Path, prefix: &str, into: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
            // Belongs to the laboratory.
            if name == "automata" {
                continue;
            }
            if path.is_dir() {
                listed(&path, &format!("{name}/"), into);
            } else {
                into.insert(name);
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_in_the_table_once() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
        let mut expected = BTreeSet::new();
        listed(&folder, "", &mut expected);
        let names: BTreeSet<String> = files().map(|(name, _)| name.to_string()).collect();
        assert_eq!(names, expected);
        assert_eq!(files().count(), expected.len());
        for (name, text) in files() {
            assert_eq!(text, std::fs::read_to_string(folder.join(name)).unwrap(), "{name}");
        }
    }

    #[test]
    fn every_kernel_waits_for_the_previous_one_first() {
        let mut kernels = 0;
        for (_, text) in files() {
            for kernel in text.split("__global__").skip(1) {
                let name = kernel.lines().next().unwrap();
                let Some((_, body)) = kernel.split_once("\n{\n") else {
                    assert!(kernel.contains("#else"), "{name}");
                    continue;
                };
                assert_eq!(
                    body.lines().next().unwrap().trim(),
                    "wait_for_previous_kernel();",
                    "{name}"
                );
                kernels += 1;
            }
        }
        assert!(kernels > 20, "{kernels}");
    }

    #[test]
    fn units_have_names_of_their_own_that_fit_files_and_include_known_files() {
        let units = every_unit();
        let timed: Vec<_> = SOLVERS.iter().filter(|solver| solver.is_timed()).collect();
        let edges: usize = timed.iter().map(|solver| Edges::all(solver).len()).sum();
        let cells = (SOLVERS.len() - timed.len()) * 2;
        assert_eq!(units.len(), 1 + edges + cells);
        let names: BTreeSet<&str> = units.iter().map(|unit| unit.name.as_str()).collect();
        assert_eq!(names.len(), units.len());
        assert!(names.contains("fused-aqua-graph-von-neumann"), "{names:?}");
        for unit in &units {
            assert!(
                unit.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{}",
                unit.name
            );
            for line in unit.source.lines().filter(|line| line.starts_with("#include")) {
                let name = line.split('"').nth(1).unwrap();
                assert!(files().any(|(file, _)| file == name), "{}: {name}", unit.name);
            }
        }
    }

    #[test]
    fn further_lines_come_last_on_lines_of_their_own() {
        let unit = common_unit().with("static_assert(true);").with("int last;\n");
        assert!(unit.source.starts_with(&common_unit().source));
        assert!(unit.source.ends_with("\nstatic_assert(true);\nint last;\n"));
        assert_eq!(unit.name, common_unit().name);
    }
}
