//! A run with too little memory ends with one error. It neither aborts nor waits for threads that
//! cannot start.

use crate::cli_common;

use cli_common::{Raster, Workshop};

#[test]
fn a_limit_on_the_address_space_ends_a_run_with_one_error() {
    let workshop = Workshop::with_dem(&Raster::terrain(300, 200));
    for kib in (240_000..=760_000).step_by(65_000) {
        let run = "timeout 100 $INUNDATE run --dem dem.tif --rain '20 mm/h' --duration 10s";
        let ran = workshop.shell(&format!("ulimit -v {kib}; {run} --overwrite --quiet"));
        let errors = ran.err.lines().filter(|line| line.starts_with("error: ")).count();
        match ran.code {
            // 127: too little memory to load the program.
            Some(0 | 127) => {}
            Some(1 | 2) => assert_eq!(errors, 1, "{kib} KiB: {}", ran.err),
            code => panic!("{kib} KiB: {code:?}: {}", ran.err),
        }
        assert!(!ran.err.contains("panicked"), "{kib} KiB: {}", ran.err);
    }
    let little = "ulimit -v 300000; $INUNDATE run --dem dem.tif --threads 900 --duration 10s";
    let ran = workshop.shell(little);
    let is_reported = ran.code == Some(2) && ran.err.contains("of address space");
    assert!(is_reported || ran.code == Some(127), "{}", ran.err);
}
