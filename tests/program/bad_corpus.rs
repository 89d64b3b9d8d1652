//! A corpus of invalid and unusual input, by topic: each case is refused with one clear error,
//! accepted with one clear warning, or accepted silently as intended. `CORPUS=word` runs the cases
//! with that word in their names, and prints their messages.

#[path = "bad_corpus/harness.rs"]
mod harness;

#[path = "bad_corpus/files.rs"]
mod files;
#[path = "bad_corpus/grids.rs"]
mod grids;
#[path = "bad_corpus/layers.rs"]
mod layers;
#[path = "bad_corpus/options.rs"]
mod options;
#[path = "bad_corpus/rasters.rs"]
mod rasters;
#[path = "bad_corpus/remote.rs"]
mod remote;
#[path = "bad_corpus/scenarios.rs"]
mod scenarios;
#[path = "bad_corpus/tables.rs"]
mod tables;
#[path = "bad_corpus/times.rs"]
mod times;

use harness::Case;
use std::collections::BTreeSet;

fn corpus() -> Vec<Case> {
    [
        rasters::cases(),
        grids::cases(),
        layers::cases(),
        tables::cases(),
        times::cases(),
        scenarios::cases(),
        files::cases(),
        remote::cases(),
        options::cases(),
    ]
    .concat()
}

#[test]
fn the_corpus_is_large_and_its_case_names_are_unique() {
    let cases = corpus();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), cases.len(), "two cases have the same name");
    let reported = cases.iter().filter(|case| case.is_reported()).count();
    assert!(reported >= 60, "{reported} cases are refused or warned of");
}

macro_rules! topic {
    ($name:ident, $module:ident) => {
        #[test]
        fn $name() {
            harness::all(&$module::cases());
        }
    };
}

topic!(what_rasters_hold, rasters);
topic!(grids_and_their_places, grids);
topic!(vector_layers, layers);
topic!(tables_of_values, tables);
topic!(dates_and_times, times);
topic!(scenario_files, scenarios);
topic!(names_and_folders, files);
topic!(other_machines_and_files, remote);
topic!(options_that_make_no_sense, options);
