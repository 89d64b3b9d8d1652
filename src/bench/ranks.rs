//! Measures the speed-up of several ranks over one. The first rank measures; without a launcher,
//! the ranks are started here as processes.

use super::scaling::{Measured, Scaled, compare};
use crate::engine::backend::ranks::RankDevice;
use crate::engine::backend::ranks::open;
use crate::error::{Error, Result};
use crate::machine::ranks;
use crate::speed::target::{BenchTarget, simulation};
use std::process::{Child, Command, Stdio};

/// Measures rank `alone` separately and then all ranks together, coordinated by the first rank.
pub fn scale(
    alone: &BenchTarget,
    here: &RankDevice,
    what: Measured,
    report: impl FnMut(&Scaled),
) -> Result<Vec<Scaled>> {
    let wire = ranks::wire().expect("the ranks have met");
    let start = |count: usize, problem| match count {
        1 => alone.start(problem),
        _ => {
            let backend = open(problem, wire.clone(), here, None, None)?;
            let simulation = simulation(backend, what.case.0);
            Ok(crate::speed::target::Started { simulation, tiles: None })
        }
    };
    compare(what, &[1, wire.ranks()], start, report)
}

/// Starts this program as `count` ranks with `arguments` and returns the first rank's standard
/// output.
pub fn started(count: usize, arguments: &[String]) -> Result<String> {
    let failed = |why: &dyn std::fmt::Display| {
        Error::run(format!("{count} ranks could not be measured: {why}"))
    };
    let program = std::env::current_exe().map_err(|error| failed(&error))?;
    let folder = tempfile::tempdir().map_err(|error| failed(&error))?;
    let start = |rank: usize| {
        let out = if rank == 0 { Stdio::piped() } else { Stdio::null() };
        let mut command = Command::new(&program);
        command.args(arguments).stdin(Stdio::null()).stdout(out).stderr(Stdio::piped());
        command.env("INUNDATE_RANK", rank.to_string()).env("INUNDATE_RANKS", count.to_string());
        command.env("INUNDATE_ID_FILE", folder.path().join("ranks"));
        command.env("INUNDATE_HOST", "localhost");
        command.spawn()
    };
    // If one rank does not start or fails, the others end too, since they notice that it is gone.
    let all: std::io::Result<Vec<Child>> = (0..count).map(start).collect();
    let all = all.map_err(|error| failed(&error))?;
    let ended: Vec<_> = all.into_iter().map(Child::wait_with_output).collect();
    let mut first = None;
    for ended in ended {
        let ended = ended.map_err(|error| failed(&error))?;
        if !ended.status.success() {
            return Err(failed(&String::from_utf8_lossy(&ended.stderr).trim()));
        }
        first.get_or_insert(ended.stdout);
    }
    Ok(String::from_utf8_lossy(&first.unwrap_or_default()).into_owned())
}
