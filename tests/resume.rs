//! A run that was stopped and goes on comes out as one that was not, to the bit: on whatever backend and
//! tiling it goes on, and however it was stopped.

mod cli_common;
mod common;

use cli_common::{Raster, Workshop, hinted_command};
use common::Kept;
use common::host_worker::{framed, framed_from};
use common::{Case, Random, State, every_case};
use inundate::backend::Backend;
use inundate::backend::cpu::{CpuBackend, CpuOptions};
use inundate::boundary::OpenEdges;
use inundate::simulation::Simulation;
use inundate::tiling::visit::VisitPlan;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const COLUMNS: usize = 37;
const ROWS: usize = 23;

/// Where a case is computed.
#[derive(Clone, Debug)]
enum On {
    Cpu((usize, usize)),
    Worker(VisitPlan),
}

impl On {
    fn all() -> Vec<On> {
        let tiled = |tile, steps| On::Worker(VisitPlan::tiled(COLUMNS, ROWS, tile, steps));
        vec![
            On::Cpu((512, 256)),
            On::Cpu((8, 5)),
            On::Worker(VisitPlan::whole(COLUMNS, ROWS)),
            tiled((11, 9), 1),
            tiled((20, 23), 3),
        ]
    }

    fn start(&self, case: &Case) -> Simulation {
        match self {
            On::Cpu(tile) => case.start(CpuOptions { tile: *tile, ..CpuOptions::default() }),
            On::Worker(plan) => case.start_on(framed(case, plan.clone()).0),
        }
    }

    fn resume(&self, case: &Case, kept: &Kept) -> Simulation {
        kept.with(|saved| {
            let backend: Box<dyn Backend> = match self {
                On::Cpu(tile) => {
                    let options = CpuOptions { tile: *tile, ..CpuOptions::default() };
                    Box::new(CpuBackend::resume(case.problem(), options, saved).expect("lines"))
                }
                On::Worker(plan) => Box::new(framed_from(case, plan.clone(), Some(saved)).0),
            };
            Simulation { backend, clock: kept.clock.clone(), ..case.start(CpuOptions::default()) }
        })
    }
}

/// Hills with holes, ponds, open sides, every kind of water that comes and goes, losses and notes.
fn busy(rule: common::Variant, open: &str) -> Case {
    let mut case = Case::new(COLUMNS, ROWS, rule)
        .hills(812.0, 51)
        .holes(0.05, 52)
        .ponds(0.3, 53)
        .rain(1e-8)
        .uneven_rain(3e-6, 54)
        .source(&[(4, 4), (30, 15)], &[(2.0, 4e-3), (30.0, 0.0)])
        .top_up(20, 11, 0.3)
        .sink(17, 12)
        .open(OpenEdges::parse(open).expect("sides"));
    if case.rule.is_timed() {
        let tide = [(0.0, 812.5), (2.0, 813.5), (9.0, 812.2)];
        case = case.cell(10.0, 7.0).uneven_roughness(0.01, 0.2, 55);
        case = case.held(&[(1, 20), (2, 20)], &tide);
    }
    case.lossy(2e-6, 56).noted()
}

fn end(case: &Case, mut simulation: Simulation, steps: u64) -> State {
    simulation.advance(steps - simulation.clock.done).expect("a run that stays shallow");
    simulation.backend.conclude(simulation.clock.now() as f32).expect("a look");
    case.state(&simulation)
}

#[test]
fn every_backend_goes_on_from_the_state_of_any_other_to_the_same_bits() {
    const STEPS: u64 = 40;
    let mut random = Random::new(5);
    for variant in every_case() {
        for open in ["none", "all", "north,west"] {
            let case = busy(variant, open);
            let expected = end(&case, On::Cpu((512, 256)).start(&case), STEPS);
            assert_eq!(expected.ledger.error(), 0);
            let places = On::all();
            for (number, from) in places.iter().enumerate() {
                // The host's worker is slow: each backend goes on from each other over the cases.
                let to = &places[(number + random.bits() as usize) % places.len()];
                let stop = 1 + random.bits() % (STEPS - 1);
                let mut before = from.start(&case);
                before.advance(stop).expect("a run that stays shallow");
                let kept = Kept::of(&case, &before);
                let resumed = to.resume(&case, &kept);
                let name = || format!("{}, {open}, step {stop}, {from:?} to {to:?}", case.name());
                case.state(&resumed)
                    .assert_is(&case.state(&before), || format!("{}, restored", name()));
                end(&case, resumed, STEPS).assert_is(&expected, name);
            }
        }
    }
}

/// A pulse that has run dry behind itself: what flowed is remembered where no water is any more.
#[test]
fn sleeping_tiles_wake_up_as_they_were() {
    for variant in every_case() {
        let slope = |column, row| 5.0 - 0.1 * column as f64 + 0.02 * (row % 3) as f64;
        let case = Case::new(COLUMNS, ROWS, variant)
            .bed(slope)
            .water(|column, row| if column < 3 && row > 15 { 0.4 } else { 0.0 })
            .source(&[(2, 2)], &[(0.0, 0.02), (5.0, 0.0)])
            .open(OpenEdges::ALL)
            .noted();
        for stop in [1, 7, 30, 77] {
            let mut before = On::Cpu((6, 6)).start(&case);
            before.advance(stop).expect("a run that stays shallow");
            let kept = Kept::of(&case, &before);
            let expected = end(&case, before, 120);
            for to in On::all() {
                let name = || format!("{}, step {stop}, {to:?}", case.name());
                end(&case, to.resume(&case, &kept), 120).assert_is(&expected, name);
            }
        }
    }
}

/// A cell that runs dry into a sink: the discharge is remembered for a step more, though all is dry.
#[test]
fn what_flowed_is_remembered_where_no_water_is_left() {
    for variant in every_case().filter(|(rule, _)| rule.is_timed()) {
        let (high, low) = ((18, 11), (19, 11));
        let case = Case::new(COLUMNS, ROWS, variant)
            .bed(|column, row| match (column, row) {
                at if at == high => 50.0,
                at if at == low => 0.0,
                _ => 100.0,
            })
            .water(|column, row| if (column, row) == high { 0.001 } else { 0.0 })
            .sink(low.0, low.1)
            .cell(0.1, 0.1);
        let remembers = Case::problem(&case).rule.remembers();
        let mut before = On::Cpu((6, 6)).start(&case);
        let mut moving = 0;
        for stop in 1..40 {
            before.advance(1).expect("a run that stays shallow");
            let kept = Kept::of(&case, &before);
            let state = case.state(&before);
            let still = state.stored() == 0 && state.notes.iter().all(|q| q << 1 == 0);
            moving += usize::from(state.stored() == 0 && !still);
            let expected = end(&case, On::Cpu((6, 6)).resume(&case, &kept), stop + 2);
            for to in On::all() {
                let name = || format!("{}, step {stop}, {to:?}", case.name());
                end(&case, to.resume(&case, &kept), stop + 2).assert_is(&expected, name);
            }
            let mut on = On::Cpu((512, 256)).start(&case);
            on.advance(stop + 2).expect("a run that stays shallow");
            case.state(&on).assert_is(&expected, || format!("{}, step {stop}", case.name()));
        }
        assert!(!remembers || moving > 0, "{}: it never ran dry", case.name());
    }
}

// From here on it is the program that is run, killed and gone on with.

/// No test waits longer for what must happen; not a measure of speed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run of about two seconds with a series, in physical time.
const TIMED: &[&str] = &[
    "run",
    "--dem",
    "dem.tif",
    "--rain",
    "storm.csv",
    "--duration",
    "50min",
    "--dt-max",
    "1s",
    "--open",
    "east",
    "--output-every",
    "10min",
    "--threads",
    "1",
    "--checkpoint-every",
    "0.01s",
];

/// The same with an automaton.
const STEPPED: &[&str] = &[
    "run",
    "--dem",
    "dem.tif",
    "--rain",
    "0.1 mm/step",
    "--steps",
    "12000",
    "--rule",
    "level-minimization",
    "--output-every",
    "3000",
    "--threads",
    "1",
    "--checkpoint-every",
    "0.01s",
];

fn workshop() -> Workshop {
    let workshop = Workshop::with_dem(&Raster::terrain(130, 90));
    workshop.file("storm.csv", "time [min],rain [mm/h]\n0,80\n7,20\n12,0\n");
    workshop
}

fn with<'a>(arguments: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [arguments, more].concat()
}

/// The files in a folder that are there to be seen, but for the report.
fn results(workshop: &Workshop, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let names = workshop.names(folder).into_iter();
    let seen = names.filter(|name| !name.starts_with('.') && name != "run.json");
    let read = |name: String| {
        let bytes = std::fs::read(workshop.path(folder).join(&name)).unwrap();
        (name, bytes)
    };
    seen.map(read).collect()
}

/// What a report says of the run, but for the time it took and how it came about.
fn findings(workshop: &Workshop, folder: &str) -> serde_json::Value {
    let mut report = workshop.report(folder);
    for key in ["wall_s", "wall_parts_s", "cell_steps_per_s", "command", "resumed_at_steps"] {
        report.as_object_mut().unwrap().remove(key).expect("a key");
    }
    for key in ["out", "overwrite"] {
        report["parameters"].as_object_mut().unwrap().remove(key);
    }
    report
}

/// A run under way, killed when dropped.
struct UnderWay(Child);

impl Drop for UnderWay {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl UnderWay {
    fn start(mut command: Command) -> UnderWay {
        UnderWay(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap())
    }

    fn signal(&mut self, signal: libc::c_int) {
        // SAFETY: the child is ours and has not been waited for.
        assert_eq!(unsafe { libc::kill(self.0.id() as libc::pid_t, signal) }, 0);
    }

    /// Waits for its end; what it said on stderr.
    fn end(&mut self) -> (ExitStatus, String) {
        let status = wait_until("the end", || self.0.try_wait().unwrap());
        let mut text = String::new();
        std::io::Read::read_to_string(self.0.stderr.as_mut().unwrap(), &mut text).unwrap();
        (status, text)
    }
}

fn wait_until<T>(what: &str, mut happened: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(result) = happened() {
            return result;
        }
        assert!(start.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A run that would take hours, stopped by Ctrl-C when it has two checkpoints; what it said.
fn stopped(workshop: &Workshop, arguments: &[&str]) -> String {
    let mut run = UnderWay::start(workshop.command(arguments));
    let before = workshop.path("results/.checkpoint/before");
    wait_until("a second checkpoint", || before.exists().then_some(()));
    run.signal(libc::SIGINT);
    let (status, said) = run.end();
    assert_eq!(status.code(), Some(130), "{said}");
    said
}

#[test]
fn a_run_killed_at_any_moment_goes_on_to_the_same_files() {
    let mut random = Random::new(77);
    let mut kills = 0;
    let mut kept = 0;
    for arguments in [TIMED, STEPPED] {
        let workshop = workshop();
        workshop.inundate(&with(arguments, &["--out", "whole"])).done();
        let (whole, expected) = (results(&workshop, "whole"), findings(&workshop, "whole"));
        assert!(whole.len() > 10, "{:?}", whole.keys());
        for chain in 0.. {
            let out = format!("killed{chain}");
            let anew = with(arguments, &["--out", &out, "--overwrite"]);
            let finished = || workshop.path(&out).join("run.json").exists();
            let has_checkpoint = || {
                ["last", "before"]
                    .iter()
                    .any(|name| workshop.path(&out).join(".checkpoint").join(name).exists())
            };
            while !finished() || has_checkpoint() {
                let go_on = ["resume", &out];
                kept += usize::from(has_checkpoint());
                let arguments = if has_checkpoint() { &go_on[..] } else { &anew };
                let mut run = UnderWay::start(workshop.command(arguments));
                std::thread::sleep(Duration::from_millis(random.between(1.0, 350.0) as u64));
                if run.0.try_wait().unwrap().is_none() {
                    run.signal(libc::SIGKILL);
                    kills += 1;
                }
                let (status, said) = run.end();
                assert!(status.success() || status.code().is_none(), "{said}");
                if Path::new(&workshop.path(&out)).exists() {
                    for (name, bytes) in results(&workshop, &out) {
                        assert!(whole.get(&name) == Some(&bytes), "{name} is not whole");
                    }
                }
            }
            assert!(results(&workshop, &out) == whole);
            assert_eq!(findings(&workshop, &out), expected);
            if kills >= if arguments == TIMED { 30 } else { 60 } {
                break;
            }
        }
    }
    assert!(kept > 20, "{kept} of {kills} kills left a checkpoint");
}

#[test]
fn ctrl_c_leaves_a_checkpoint_and_says_how_to_go_on() {
    let workshop = workshop();
    workshop.inundate(&with(TIMED, &["--out", "whole"])).done();
    let said = stopped(&workshop, TIMED);
    assert!(said.contains("interrupted: stopped by the user at "), "{said}");
    assert!(said.contains("hint: go on with: inundate resume results"), "{said}");
    // A new run there is refused, and says the same.
    let refused = workshop.refuses(TIMED, &["out: 'results' holds a run that was stopped"]);
    let command = hinted_command(&refused);
    assert_eq!(command, "inundate resume results");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    workshop.inundate(&with(&words, &["--threads", "2", "--device", "cpu"])).done();
    assert!(results(&workshop, "results") == results(&workshop, "whole"));
    let resumed = workshop.report("results")["resumed_at_steps"].clone();
    assert_eq!(resumed.as_array().unwrap().len(), 1);
    workshop.refuses(&words, &["resume: 'results' holds a run that is complete"]);
    workshop.refuses(&["resume", "whole.tif"], &["resume: 'whole.tif' is no folder"]);
    workshop.refuses(&["resume", "."], &["resume: '.' holds no checkpoint", "--checkpoint-every"]);
}

#[test]
fn overwrite_starts_anew_and_needs_no_checkpoint() {
    let workshop = workshop();
    stopped(&workshop, STEPPED);
    let few = ["run", "--dem", "dem.tif", "--rain", "1 mm/step", "--steps", "3", "--overwrite"];
    workshop.inundate(&few).done();
    assert!(!workshop.names("results").contains(&".checkpoint".to_string()));
    assert_eq!(workshop.report("results")["steps"], 3);
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let workshop = workshop();
    let run = UnderWay::start(workshop.command(STEPPED));
    let last = workshop.path("results/.checkpoint/last");
    wait_until("a checkpoint", || last.exists().then_some(()));
    let parts = ["out: a run is under way in 'results'", "--out"];
    for arguments in [&["resume", "results"][..], &with(STEPPED, &["--overwrite"])] {
        let ran = workshop.inundate(arguments).says(&parts);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
    }
    drop(run);
    workshop.inundate(&["resume", "results"]).done();
}

#[test]
fn inputs_that_have_changed_are_named() {
    let workshop = workshop();
    workshop.file(
        "flood.toml",
        "dem = 'dem.tif'\nrain = 'storm.csv'\nduration = '50min'\ndt_max = 1\n",
    );
    stopped(&workshop, &["run", "flood.toml", "--out", "results", "--checkpoint-every", "0.01s"]);
    for (role, name) in [("scenario", "flood.toml"), ("rain", "storm.csv"), ("dem", "dem.tif")] {
        let before = std::fs::read(workshop.path(name)).unwrap();
        let mut after = before.clone();
        *after.last_mut().unwrap() ^= 1;
        workshop.file(name, after);
        let changed = format!("resume: the {role} '{name}' has changed since the run was started");
        workshop.refuses(&["resume", "results"], &[&changed, "--overwrite"]);
        std::fs::remove_file(workshop.path(name)).unwrap();
        let gone = format!("resume: the {role} '{name}' is no more there");
        workshop.refuses(&["resume", "results"], &[&gone, "put it back"]);
        workshop.file(name, before);
    }
    let elsewhere = workshop.shell("mkdir below && cd below && exec $INUNDATE resume ../results");
    assert_eq!(elsewhere.code, Some(2));
    let ran = elsewhere.says(&["the run was started in the folder '", "': go on there"]);
    assert!(ran.err.contains("'flood.toml' is no more there"), "{}", ran.err);
    workshop.inundate(&["resume", "results"]).done();
}

#[test]
fn a_damaged_checkpoint_gives_way_to_the_one_before_and_two_are_an_error() {
    let workshop = workshop();
    workshop.inundate(&with(TIMED, &["--out", "whole"])).done();
    stopped(&workshop, TIMED);
    let keep = |name: &str| std::fs::read(workshop.path("results/.checkpoint").join(name)).unwrap();
    let whole = [keep("last"), keep("before")];
    let put = |contents: [&[u8]; 2]| {
        for (name, contents) in ["last", "before"].iter().zip(contents) {
            workshop.file(&format!("results/.checkpoint/{name}"), contents);
        }
    };
    let damaged = |bytes: &[u8], random: &mut Random| -> Vec<Vec<u8>> {
        let mut flipped = bytes.to_vec();
        let place = random.bits() as usize % bytes.len();
        flipped[place] ^= 1 << (random.bits() % 8);
        let cut = random.bits() as usize % bytes.len();
        vec![flipped, bytes[..cut].to_vec(), Vec::new(), bytes[..bytes.len() - 1].to_vec()]
    };
    let mut random = Random::new(9);
    let pairs = damaged(&whole[0], &mut random).into_iter().zip(damaged(&whole[1], &mut random));
    for (last, before) in pairs {
        put([&last, &before]);
        let parts = ["is damaged: ", ", and so is the one before", "--overwrite"];
        workshop.refuses(&["resume", "results"], &parts);
        put([&last, &whole[1]]);
        // What was complete stays, and the run goes on from the one before.
        let out = workshop.path("results");
        let copy = workshop.path("again");
        let status = Command::new("cp").arg("-r").args([&out, &copy]).status().unwrap();
        assert!(status.success());
        let parts = ["warning: the last checkpoint in 'again' is damaged: ", "from the one before"];
        workshop.inundate(&["resume", "again"]).done().says(&parts);
        assert!(results(&workshop, "again") == results(&workshop, "whole"));
        std::fs::remove_dir_all(copy).unwrap();
    }
    let other = [b"inundate checkpoint 2\n".to_vec(), vec![0; 99]].concat();
    put([&other, &other]);
    workshop.refuses(&["resume", "results"], &["resume: "]);
}

#[test]
fn a_full_disk_costs_checkpoints_but_not_the_run() {
    // Every cell differs from the others: a checkpoint is larger than any map.
    let workshop = workshop();
    let jagged = |column, row| 100.0 + ((column * 7919 + row * 104_729) % 997) as f64 * 0.01;
    workshop.raster("dem.tif", &Raster::new(130, 90, jagged));
    workshop.inundate(&with(TIMED, &["--out", "whole"])).done();
    let sizes = results(&workshop, "whole").into_values().map(|bytes| bytes.len());
    let blocks = sizes.max().unwrap().div_ceil(512) + 8;
    let run =
        |out: &str| format!("ulimit -f {blocks}; exec $INUNDATE {} --out {out}", TIMED.join(" "));
    let ran = workshop.shell(&run("results")).done();
    let said = ["warning: checkpoint_every: the checkpoint at ", "could not be written: "];
    ran.says(&said);
    assert!(results(&workshop, "results") == results(&workshop, "whole"));
    let warnings = workshop.report("results")["warnings"].to_string();
    assert!(warnings.contains("checkpoint_every"), "{warnings}");
    assert!(!workshop.names("results").contains(&".checkpoint".to_string()));
}

#[test]
fn an_output_folder_that_vanishes_is_told() {
    let workshop = workshop();
    let mut run = UnderWay::start(workshop.command(STEPPED));
    let last = workshop.path("results/.checkpoint/last");
    wait_until("a checkpoint", || last.exists().then_some(()));
    // A checkpoint may just appear.
    wait_until("its removal", || std::fs::remove_dir_all(workshop.path("results")).ok());
    std::thread::sleep(Duration::from_millis(50));
    if run.0.try_wait().unwrap().is_none() {
        run.signal(libc::SIGINT);
    }
    let (status, said) = run.end();
    // Whichever comes first, a map of the series or the signal.
    match status.code() {
        Some(130) => assert!(said.contains("its state could not be written: "), "{said}"),
        code => {
            assert_eq!(code, Some(1), "{said}");
            assert!(said.contains("error: cannot "), "{said}");
        }
    }
}
