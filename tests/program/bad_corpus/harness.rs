//! Requirements of every case of the corpus.

use crate::cli_common::{Arguments, Ran, Workshop, asks_check};

/// Expected outcome of a case.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Exit code 2, and one error that contains all of these.
    Refused(&'static [&'static str]),
    /// A complete run, and one warning that contains all of these.
    Warned(&'static [&'static str]),
    /// A complete run without a warning.
    Taken,
}

/// An input that is invalid, unusual, or only looks so.
#[derive(Clone)]
pub struct Case {
    /// Description of the case.
    pub name: &'static str,
    /// Creates its files beside `dem.tif`, a terrain of 12 × 8 cells of 10 m, or replaces that.
    build: fn(&Workshop),
    arguments: Vec<String>,
    expect: Expect,
}

/// Returns a case that runs `dem.tif` with these further arguments.
pub fn run(name: &'static str, build: fn(&Workshop), arguments: &str, expect: Expect) -> Case {
    command(name, build, &format!("run --dem dem.tif {arguments}"), expect)
}

/// Returns a case with two minutes of uniform rain and further arguments.
pub fn rained(name: &'static str, build: fn(&Workshop), more: &str, expect: Expect) -> Case {
    run(name, build, &format!("--rain '20 mm/h' --duration 2min {more}"), expect)
}

/// Returns a case that runs the program with these arguments.
pub fn command(
    name: &'static str,
    build: fn(&Workshop),
    arguments: &(impl Arguments + ?Sized),
    expect: Expect,
) -> Case {
    let arguments = arguments.words().into_iter().map(String::from).collect();
    Case { name, build, arguments, expect }
}

/// Maximum length of a message (characters).
const LONGEST: usize = 700;

impl Case {
    /// Returns `true` if it is refused or causes a warning.
    pub fn is_reported(&self) -> bool {
        self.expect != Expect::Taken
    }

    /// Returns what is wrong with the outcome, if anything.
    fn fault(&self, print: bool) -> Option<String> {
        let workshop = Workshop::new();
        (self.build)(&workshop);
        let before = workshop.contents();
        let ran = workshop.inundate(&self.arguments);
        if print {
            println!("=== {} [{:?}]\n{}", self.name, ran.code, ran.err);
        }
        let fault = match self.expect {
            Expect::Refused(parts) => {
                let fault = refused(&ran, parts).or_else(|| {
                    (workshop.contents() != before).then(|| "files have changed".into())
                });
                let checks = self.arguments[0] == "run" && asks_check(self.name);
                let checks = checks && fault.is_none();
                fault.or_else(|| checks.then(|| self.checked(&workshop, &ran)).flatten())
            }
            Expect::Warned(parts) => warned(&ran, parts).or_else(|| self.whole(&workshop, 1)),
            Expect::Taken => silent(&ran).or_else(|| self.whole(&workshop, 0)),
        };
        fault.map(|fault| format!("{}: {fault}\n{}", self.name, ran.err))
    }

    /// Checks that `check` refuses what `run` refuses, with the same message.
    fn checked(&self, workshop: &Workshop, ran: &Ran) -> Option<String> {
        let arguments = [&["check".to_string()], &self.arguments[1..]].concat();
        let checked = workshop.inundate(&arguments);
        (checked.err != ran.err || checked.code != ran.code)
            .then(|| format!("check says something else: {}", checked.err))
    }

    /// Checks that the results of a run are complete, its volume is exact and its warnings are
    /// kept.
    fn whole(&self, workshop: &Workshop, warnings: usize) -> Option<String> {
        if self.arguments[0] != "run" {
            return None;
        }
        let out = self.arguments.iter().position(|word| *word == "--out");
        let out = out.map_or("results", |at| &self.arguments[at + 1]);
        for name in ["depth.tif", "max_depth.tif", "arrival_time.tif", "report.html", "project.qgs"]
        {
            if !workshop.path(out).join(name).is_file() {
                return Some(format!("there is no {name}"));
            }
        }
        let report = workshop.report(out);
        let kept = report["warnings"].as_array().map_or(0, Vec::len);
        if kept != warnings {
            return Some(format!("{kept} warnings are kept in run.json"));
        }
        (report["volume"]["error_m3"] != 0.0).then(|| "the ledger does not close".into())
    }
}

/// Runs all cases and reports everything that is wrong with them.
#[track_caller]
pub fn all(cases: &[Case]) {
    let word = std::env::var("CORPUS").ok();
    let chosen = |case: &&Case| word.as_ref().is_none_or(|word| case.name.contains(word.as_str()));
    let faults: Vec<String> =
        cases.iter().filter(chosen).filter_map(|case| case.fault(word.is_some())).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Returns the lines that start with a word.
fn lines<'a>(ran: &'a Ran, word: &'a str) -> Vec<&'a str> {
    ran.err.lines().filter(|line| line.starts_with(word)).collect()
}

fn lacks(text: &str, parts: &[&str]) -> Option<String> {
    parts.iter().find(|part| !text.contains(**part)).map(|part| format!("it does not say {part:?}"))
}

/// Checks for errors with a hint each, and nothing else.
fn refused(ran: &Ran, parts: &[&str]) -> Option<String> {
    let errors = lines(ran, "error: ").len();
    let others: Vec<&str> = ran
        .err
        .lines()
        .filter(|line| !line.starts_with("error: ") && !line.starts_with("  "))
        .collect();
    match () {
        () if ran.code != Some(2) => Some(format!("exit code {:?}", ran.code)),
        () if !ran.out.is_empty() => Some("something is said on stdout".into()),
        () if errors == 0 || !ran.err.starts_with("error: ") => Some(format!("{errors} errors")),
        () if !others.is_empty() => Some(format!("more is said: {others:?}")),
        () if ran.err.matches("  hint: ").count() != errors => {
            Some("not every error has a hint".into())
        }
        () if ran.err.chars().count() > LONGEST => Some("it is too long".into()),
        () if ran.err.contains("panicked") => Some("it panicked".into()),
        () => lacks(&ran.err, parts),
    }
}

/// Checks for one warning, and no error.
fn warned(ran: &Ran, parts: &[&str]) -> Option<String> {
    let warnings = lines(ran, "warning: ");
    match warnings[..] {
        _ if ran.code != Some(0) => Some(format!("exit code {:?}", ran.code)),
        [one] if one.chars().count() > LONGEST => Some("it is too long".into()),
        [one] => lacks(one, parts).or_else(|| foreign(ran)),
        _ => Some(format!("{} warnings", warnings.len())),
    }
}

fn silent(ran: &Ran) -> Option<String> {
    match lines(ran, "warning: ").len() {
        _ if ran.code != Some(0) => Some(format!("exit code {:?}", ran.code)),
        0 => foreign(ran),
        count => Some(format!("{count} warnings")),
    }
}

/// Returns a line printed by a library.
fn foreign(ran: &Ran) -> Option<String> {
    let own = |line: &&str| {
        ["warning: ", "assumed: ", "note: ", "done: "].iter().any(|w| line.starts_with(w))
    };
    let progress = |line: &&str| line.contains(" steps, ");
    let line = ran.err.lines().find(|line| !own(line) && !progress(line))?;
    Some(format!("there is a line of another kind: {line}"))
}
