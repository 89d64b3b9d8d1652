//! A run of several processes gives the same files as a single one; if one of them fails in any
//! way, the run ends with one error, and never hangs.

use crate::cli_common;

use cli_common::flood::{SOLVERS, findings, results, with_run, workshop};
use cli_common::running::{RunningProgram, wait_until};
use cli_common::{Ran, Workshop};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

/// Returns `inundate run flood.toml` with further arguments.
fn run<'a>(arguments: &[&[&'a str]]) -> Vec<&'a str> {
    [&["run", "flood.toml"], &arguments.concat()[..]].concat()
}

/// Returns the command of a process that is one of several ranks.
pub fn rank(workshop: &Workshop, arguments: &[&str], (rank, of): (usize, usize)) -> Command {
    let mut command = workshop.command(arguments);
    command
        .env("INUNDATE_RANK", rank.to_string())
        .env("INUNDATE_RANKS", of.to_string())
        .env("INUNDATE_ID_FILE", workshop.path("meet"))
        .env("INUNDATE_RANKS_WAIT", "50");
    command
}

/// Starts all ranks of a run, the first of them last.
pub fn start(workshop: &Workshop, arguments: &[&str], of: usize) -> Vec<RunningProgram> {
    let mut all: Vec<RunningProgram> = (0..of)
        .rev()
        .map(|number| RunningProgram::start(rank(workshop, arguments, (number, of))))
        .collect();
    all.reverse();
    all
}

pub fn end(ranks: Vec<RunningProgram>) -> Vec<Ran> {
    ranks.into_iter().map(|mut rank| rank.end()).collect()
}

fn waits_briefly(mut rank: Command) -> Ran {
    rank.env("INUNDATE_RANKS_WAIT", "1");
    RunningProgram::start(rank).end()
}

fn assert_done(ranks: Vec<RunningProgram>) {
    for (number, ran) in end(ranks).into_iter().enumerate() {
        assert_eq!(ran.code, Some(0), "rank {number}: {}", ran.err);
        assert!(number == 0 || ran.err.is_empty(), "rank {number} is quiet: {}", ran.err);
    }
}

/// Asserts that all files and findings are the same, except that strips are reported as tiles.
pub fn assert_same(workshop: &Workshop, folder: &str, expected: &str) {
    let (ours, theirs) = (results(workshop, folder), results(workshop, expected));
    assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
    for (name, bytes) in ours {
        assert!(bytes == theirs[&name], "{folder}/{name} differs from {expected}'s");
    }
    let found = |folder: &str| {
        let mut found = findings(workshop, folder);
        found.as_object_mut().expect("an object").remove("tile");
        found
    };
    assert!(found(folder) == found(expected), "{folder}'s findings differ from {expected}'s");
}

fn has_checkpoint(workshop: &Workshop, out: &str) -> bool {
    workshop.path(out).join(".checkpoint/before").exists()
}

#[test]
fn files_do_not_depend_on_the_number_of_ranks() {
    // Ranks wait for each other at every step: only until both breaches have begun, and the first
    // maps are written.
    let short = ["--duration", "6min", "--threads", "1"];
    for ((number, solver), of) in SOLVERS.iter().enumerate().zip([3, 2, 5]) {
        let short = if number == 1 { &short[2..] } else { &short };
        let workshop = with_run(&[solver, short, &["--out", "alone"]].concat());
        assert_done(start(&workshop, &run(&[solver, short, &["--out", "ranks"]]), of));
        assert_same(&workshop, "ranks", "alone");
        let device = workshop.report("ranks")["device"].to_string();
        assert!(device.contains(&format!("{of} strips")), "{device}");
        let structures = &workshop.report("ranks")["structures"];
        let began = |at: usize| structures[at]["breach"]["began_s"].is_f64();
        assert!(solver == &SOLVERS[2] || [0, 1].into_iter().all(began), "{structures}");
        let maps = workshop.names("ranks").into_iter().filter(|name| name.starts_with("depth_0"));
        assert!(maps.count() > 0, "the series has maps");
        assert!(!workshop.path("meet").exists(), "the file goes when they have met");
    }
}

#[test]
fn a_stopped_run_resumes_with_another_number_of_ranks() {
    let every = ["--checkpoint-every", "0.02s", "--threads", "1"];
    let workshop = with_run(&[SOLVERS[0], &every, &["--out", "alone"]].concat());
    for (before, after) in [(3, 1), (1, 2)] {
        let out = format!("from{before}to{after}");
        let arguments = run(&[SOLVERS[0], &every, &["--out", &out]]);
        let mut ranks = match before {
            1 => vec![workshop.start(&arguments)],
            of => start(&workshop, &arguments, of),
        };
        wait_until("a second checkpoint", || has_checkpoint(&workshop, &out).then_some(()));
        // A terminal or a queue sends the signal to all of them.
        ranks.iter_mut().for_each(|rank| {
            rank.signal(libc::SIGTERM);
        });
        let ends = end(ranks);
        assert_eq!(ends[0].code, Some(130), "{}", ends[0].err);
        assert!(ends[1..].iter().all(|end| end.code == Some(0)), "{ends:?}");
        match after {
            1 => drop(workshop.inundate(&format!("resume '{out}'")).done()),
            of => assert_done(start(&workshop, &["resume", &out, "--threads", "1"], of)),
        }
        assert_same(&workshop, &out, "alone");
    }
}

#[test]
fn a_killed_rank_ends_the_run_with_one_error_and_keeps_the_last_checkpoint() {
    let every = ["--checkpoint-every", "0.02s", "--threads", "1"];
    let workshop = with_run(&[SOLVERS[0], &every, &["--out", "alone"]].concat());
    let mut ranks = start(&workshop, &run(&[SOLVERS[0], &every, &["--out", "killed"]]), 3);
    wait_until("a second checkpoint", || has_checkpoint(&workshop, "killed").then_some(()));
    assert!(ranks[2].signal(libc::SIGKILL));
    let ends = end(ranks);
    let Ran { code, err: said, .. } = &ends[0];
    assert_eq!(*code, Some(1), "{said}");
    assert!(said.contains("rank 2 is gone"), "{said}");
    assert_eq!(said.matches("error:").count(), 1, "{said}");
    // The middle rank has lost its partners.
    assert_ne!(ends[2].code, Some(0));
    workshop.inundate("resume killed").done();
    assert_same(&workshop, "killed", "alone");
}

#[test]
fn reports_ranks_that_do_not_arrive_or_find_no_coordinator() {
    let workshop = workshop();
    let arguments = run(&[&["--out", "none"]]);
    let first = waits_briefly(rank(&workshop, &arguments, (0, 3))).exits(1);
    first.says(&["ranks that did not connect: 1, 2 (of 3)"]);
    assert!(!workshop.path("none").exists() && !workshop.path("meet").exists());
    let other = waits_briefly(rank(&workshop, &arguments, (1, 3))).exits(1);
    other.says(&["cannot reach the first rank"]);
    let mut lost = workshop.command(&arguments);
    lost.env("INUNDATE_RANK", "1");
    RunningProgram::start(lost).end().exits(2).says(&["belong together"]);
}

#[test]
fn wrong_input_of_the_first_rank_ends_the_others() {
    let workshop = workshop();
    let mut ranks = start(&workshop, &run(&[&["--rain", "5 apples"]]), 2);
    ranks[0].end().exits(2).says(&["apples"]);
    ranks[1].end().exits(1).says(&["rank 1: rank 0 is gone"]);
}

#[test]
fn refuses_a_rank_of_another_version() {
    let workshop = workshop();
    let mut first = RunningProgram::start(rank(&workshop, &run(&[]), (0, 2)));
    let meet = workshop.path("meet");
    let invitation: serde_json::Value =
        wait_until("an invitation", || serde_json::from_slice(&std::fs::read(&meet).ok()?).ok());
    let mut greeting = serde_json::json!({
        "token": "guessed", "rank": 1, "version": "0.0.1 (another)",
        "address": { "host": "localhost", "port": 1 },
    });
    let port = invitation["address"]["port"].as_u64().unwrap() as u16;
    let greet = |greeting: &serde_json::Value| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let text = greeting.to_string();
        stream.write_all(&(text.len() as u64).to_le_bytes()).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        String::from_utf8_lossy(&said).into_owned()
    };
    // Clients without the token are ignored.
    assert_eq!(greet(&greeting), "");
    assert!(!first.has_ended());
    greeting["token"] = invitation["token"].clone();
    assert!(greet(&greeting).contains("0.0.1 (another)"));
    first.end().exits(2).says(&["rank 1 runs inundate 0.0.1"]);
}

#[test]
fn silent_connections_hold_up_no_rank_and_other_hosts_are_refused() {
    let workshop = workshop();
    let short = ["--duration", "6min", "--threads", "1"];
    let arguments = run(&[SOLVERS[0], &short, &["--out", "two"]]);
    let first = RunningProgram::start(rank(&workshop, &arguments, (0, 2)));
    let meet = workshop.path("meet");
    let invitation: serde_json::Value =
        wait_until("an invitation", || serde_json::from_slice(&std::fs::read(&meet).ok()?).ok());
    let port = invitation["address"]["port"].as_u64().unwrap() as u16;
    // One after the other they would be waited for longer than for ranks.
    let silent: Vec<TcpStream> =
        (0..8).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    (&silent[0]).write_all(&[9]).unwrap();
    if let Ok(sockets) = std::fs::read_to_string("/proc/net/tcp") {
        let listening = format!(":{port:04X} 00000000:0000 0A");
        let own = sockets.lines().find(|line| line.contains(&listening)).unwrap();
        assert!(own.contains(&format!("0100007F:{port:04X}")), "{own}");
    }
    let second = RunningProgram::start(rank(&workshop, &arguments, (1, 2)));
    assert_done(vec![first, second]);
    drop(silent);
}

#[test]
fn does_not_trust_an_address_file_writable_by_others() {
    let workshop = workshop();
    workshop.file("elsewhere", "{}");
    std::os::unix::fs::symlink(workshop.path("elsewhere"), workshop.path("meet")).unwrap();
    let other = waits_briefly(rank(&workshop, &run(&[]), (1, 2))).exits(2);
    other.says(&["rank 1: cannot trust"]);
}

/// With Open MPI's launcher, if it is installed.
#[test]
fn mpirun_starts_ranks() {
    if Command::new("mpirun").arg("--version").output().is_err() {
        eprintln!("skipped: there is no mpirun");
        return;
    }
    // The whole flood is tested elsewhere: here ranks only connect.
    let short = ["--duration", "6min", "--threads", "1"];
    let workshop = with_run(&[SOLVERS[0], &short, &["--out", "alone"]].concat());
    let arguments = run(&[SOLVERS[0], &short, &["--out", "three"]]);
    let inundate = workshop.command(&arguments);
    let mut mpirun = Command::new("mpirun");
    mpirun.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "3"]);
    mpirun.arg(inundate.get_program()).args(inundate.get_args());
    mpirun.current_dir(inundate.get_current_dir().expect("the workshop"));
    let ran = mpirun.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_same(&workshop, "three", "alone");
}
