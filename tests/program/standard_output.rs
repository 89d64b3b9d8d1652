//! Printed text arrives, or its absence is an error; and nothing in it can control the terminal.

use crate::cli_common;

use cli_common::{Raster, Workshop};

/// Commands that print something and are fast.
const PRINTING: [&str; 9] = [
    "layers",
    "layers --json",
    "new dem.tif",
    "schema",
    "devices",
    "check --dem dem.tif --rain '1 mm/step' --steps 3",
    "check --dem dem.tif --rain '1 mm/step' --steps 3 --json",
    "completions bash",
    "--help",
];

#[test]
fn a_full_device_is_an_error() {
    let workshop = Workshop::new();
    let run = "run --dem dem.tif --rain '1 mm/step' --steps 3 --overwrite";
    let long = [run.to_string(), format!("{run} --json"), "compare a.tif --with b.tif".into()];
    let json = "compare a.tif --with b.tif --json".to_string();
    for name in ["a.tif", "b.tif"] {
        workshop.raster(name, &Raster::new(12, 8, |column, _| column as f64 * 0.1).unit("m"));
    }
    for line in PRINTING.map(String::from).into_iter().chain(long).chain([json]) {
        let ran = workshop.shell(&format!("exec $INUNDATE {line} > /dev/full"));
        assert_eq!(ran.code, Some(1), "{line}: {}", ran.err);
        ran.says(&["error: cannot write to standard output: ", "hint: "]);
    }
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_error() {
    let workshop = Workshop::new();
    for line in PRINTING {
        // The reader closes the pipe without reading.
        let closed = format!("($INUNDATE {line}; echo $? > code) | exec true; cat code");
        let ran = workshop.shell(&closed);
        assert!(!ran.err.contains("panicked") && !ran.err.contains("error"), "{line}: {}", ran.err);
        assert_eq!(ran.out.trim(), "0", "{line}: {}", ran.err);
    }
}

#[test]
fn names_cannot_inject_terminal_escapes() {
    let workshop = Workshop::new();
    let gauge = "500005,4999995,\u{1b}]0;owned\u{7}bridge";
    let run = format!("--rain '20 mm/h' --duration 1min --gauges '{gauge}'");
    workshop.run(&run).done();
    let outside = "check --dem dem.tif --rain '20 mm/h' --duration 1min";
    let gauge = "1,2,\u{1b}[2Jbridge";
    let ran = workshop.refuses(&format!("{outside} --gauges '{gauge}'"), &["\\u{1b}[2Jbridge"]);
    assert!(!ran.err.contains('\u{1b}'), "{:?}", ran.err);
}
