//! A run that is killed, stopped or fails can be resumed, and then gives the files of an
//! uninterrupted one. Problems with its checkpoint are reported, and destroy nothing that was
//! complete.

use crate::cli_common;
use crate::common;

use cli_common::flood::{INPUTS, SOLVERS, assert_same, results, with_whole, workshop};
use cli_common::running::{RunningProgram, wait_until};
use cli_common::{Ran, Raster, Workshop, hinted_command};
use common::Random;
use common::tier::few_or_all;
use sha2::Digest;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Returns `inundate run flood.toml` with further arguments.
fn run<'a>(arguments: &[&[&'a str]]) -> Vec<&'a str> {
    [&["run", "flood.toml"], &arguments.concat()[..]].concat()
}

fn checkpoint(workshop: &Workshop, out: &str, name: &str) -> PathBuf {
    workshop.path(out).join(".checkpoint").join(name)
}

fn has_checkpoint(workshop: &Workshop, out: &str) -> bool {
    ["last", "before"].iter().any(|name| checkpoint(workshop, out, name).exists())
}

/// Returns the number of steps of the last complete checkpoint.
fn steps_kept(workshop: &Workshop, out: &str) -> Option<u64> {
    let steps = |name| {
        let bytes = std::fs::read(checkpoint(workshop, out, name)).ok()?;
        let header: serde_json::Value =
            serde_json::from_slice(&bytes[30..header_end(&bytes)]).unwrap();
        header["time"]["done"].as_u64()
    };
    ["last", "before"].into_iter().filter_map(steps).max()
}

/// Returns the end of a checkpoint's header.
fn header_end(bytes: &[u8]) -> usize {
    30 + u64::from_le_bytes(bytes[22..30].try_into().unwrap()) as usize
}

fn copy(workshop: &Workshop, from: &str, to: &str) {
    let _ = std::fs::remove_dir_all(workshop.path(to));
    let (from, to) = (workshop.path(from), workshop.path(to));
    assert!(Command::new("cp").arg("-r").args([from, to]).status().unwrap().success());
}

/// Stops a run by a signal when it has two checkpoints; returns its stderr.
fn stopped(workshop: &Workshop, arguments: &[&str]) -> String {
    workshop.stop_at("results/.checkpoint/before", arguments).err
}

/// Waits until a run holds its folder: only then does it create a folder for incomplete files.
fn wait_until_locked(workshop: &Workshop) {
    wait_until("the lock", || {
        let names = std::fs::read_dir(workshop.path("results")).into_iter().flatten().flatten();
        let mut names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.any(|name| name.starts_with(".inundate-")).then_some(())
    });
}

/// When a run is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// After a number of milliseconds.
    After(u64),
    /// When a file exists.
    With(&'static str),
}

impl Moment {
    /// Returns a random moment: mostly any time, sometimes during a very short operation.
    fn random(random: &mut Random) -> Moment {
        const FILES: [&str; 7] = [
            ".checkpoint/writing",
            ".checkpoint/before",
            "depth.tif",
            "max_depth.tif",
            "mass_balance.csv",
            "report.html",
            "run.json",
        ];
        match random.bits() as usize % (2 * FILES.len()) {
            file if file < FILES.len() => Moment::With(FILES[file]),
            _ => Moment::After(random.between(1.0, 500.0) as u64),
        }
    }

    fn wait(self, workshop: &Workshop, out: &str, running: &mut RunningProgram) {
        match self {
            Moment::After(time) => std::thread::sleep(Duration::from_millis(time)),
            Moment::With(file) => {
                let file = workshop.path(out).join(file);
                while !file.exists() && !running.has_ended() {
                    std::thread::yield_now();
                }
            }
        }
    }
}

#[test]
fn a_run_killed_at_any_moment_resumes_to_the_same_files() {
    let mut random = Random::new(77);
    let (mut all, mut kept) = (0, 0);
    for solver in SOLVERS {
        let workshop = with_whole(solver);
        let expected = results(&workshop, "whole");
        assert!(expected.len() > 30, "{:?}", expected.keys());
        let mut kills = 0;
        while kills < few_or_all(5, 22) {
            let out = "killed";
            let _ = std::fs::remove_dir_all(workshop.path(out));
            let anew = run(&[solver, &["--out", out, "--overwrite"]]);
            let is_done = || workshop.path(out).join("run.json").exists();
            while !is_done() || has_checkpoint(&workshop, out) {
                let had = has_checkpoint(&workshop, out);
                kept += usize::from(had);
                let arguments = if had { &["resume", out][..] } else { &anew };
                let mut running = workshop.start(arguments);
                let moment = Moment::random(&mut random);
                moment.wait(&workshop, out, &mut running);
                let before = steps_kept(&workshop, out);
                kills += usize::from(running.signal(libc::SIGKILL));
                let Ran { code, err: said, .. } = running.end();
                let after = steps_kept(&workshop, out);
                assert!(is_done() || after >= before, "{moment:?}: {after:?} of {before:?} steps");
                assert!(code.is_none_or(|code| code == 0), "{moment:?}: {said}");
                assert!(
                    !had || is_done() || has_checkpoint(&workshop, out),
                    "{moment:?}: it is lost"
                );
                if workshop.path(out).exists() {
                    for (name, bytes) in results(&workshop, out) {
                        // The scale of a series' maps is known when the last map is, also if a run
                        // was killed between its end and the end of its checkpoint, and is resumed
                        // from that.
                        let ended = is_done() && !has_checkpoint(&workshop, out);
                        if name.ends_with(".qml") && !ended {
                            continue;
                        }
                        assert!(
                            expected.get(&name) == Some(&bytes),
                            "{moment:?}: {name} is not whole"
                        );
                    }
                }
            }
            assert_same(&workshop, out, "whole");
            // A run killed while it ends leaves hidden folders that contain only a lock and the
            // list of its files.
            for name in workshop.names(out).iter().filter(|name| name.starts_with('.')) {
                let inside = workshop.names(&format!("{out}/{name}"));
                let expected = |file: &String| file == "lock" || file == ".made";
                assert!(inside.iter().all(expected), "{name}: {inside:?}");
            }
        }
        all += kills;
    }
    let (kills, some) = few_or_all((15, 5), (66, 30));
    assert!(all >= kills && kept > some, "{kept} of {all} kills left a checkpoint");
}

#[test]
fn a_signal_leaves_a_checkpoint_and_prints_how_to_resume() {
    let workshop = with_whole(SOLVERS[0]);
    let arguments = run(&[SOLVERS[0]]);
    let said = stopped(&workshop, &arguments);
    assert!(said.contains("interrupted: stopped by the user at "), "{said}");
    assert!(said.contains("hint: continue with: inundate resume results"), "{said}");
    // A new run there is refused, with the same message.
    let refused = workshop.refuses(&arguments, &["out: 'results' holds a run that was stopped"]);
    let command = hinted_command(&refused);
    assert_eq!(command, "inundate resume results");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    workshop.inundate(&[&words[..], &["--threads", "2", "--device", "cpu"]].concat()).done();
    assert_same(&workshop, "results", "whole");
    let resumed = workshop.report("results")["resumed_at_steps"].clone();
    assert_eq!(resumed.as_array().unwrap().len(), 1);
    workshop.refuses(&words, &["resume: 'results' holds a run that is complete"]);
    workshop.refuses("resume whole.tif", &["resume: 'whole.tif' is not a folder"]);
    workshop.refuses("resume .", &["resume: '.' holds no checkpoint", "--checkpoint-every"]);
}

#[test]
fn a_run_killed_before_its_first_checkpoint_must_be_restarted() {
    let workshop = workshop();
    let long = "run --dem dem.tif --rain '0.001 mm/step' --steps 4000000000";
    let mut run = workshop.command(long);
    run.args(["--checkpoint-every", "10 min"]);
    let mut run = RunningProgram::start(run);
    wait_until_locked(&workshop);
    let resume = "resume results";
    // It continues to write there.
    workshop.inundate(resume).says(&["out: a run is in progress in 'results'"]).exits(2);
    assert!(run.signal(libc::SIGKILL));
    run.end();
    let said = ["resume: 'results' holds no checkpoint", "hint: start it again from the beginning"];
    let ran = workshop.refuses(resume, &said);
    assert!(ran.err.contains("a run killed before then has none"), "{}", ran.err);
}

#[test]
fn resumes_a_scenario_in_another_folder() {
    let workshop = with_whole(SOLVERS[0]);
    // One of its breaches waits for a level, and one for a time: both are in progress.
    let structures = &workshop.report("whole")["structures"];
    assert!([0, 1].iter().all(|&at| structures[at]["breach"]["began_s"].is_f64()), "{structures}");
    std::fs::create_dir(workshop.path("of it all")).unwrap();
    for (_, name) in INPUTS {
        std::fs::rename(workshop.path(name), workshop.path("of it all").join(name)).unwrap();
    }
    let scenario = [&["run", "of it all/flood.toml", "--out", "results"], SOLVERS[0]].concat();
    stopped(&workshop, &scenario);
    workshop.inundate("resume results").done();
    let (here, expected) = (results(&workshop, "results"), results(&workshop, "whole"));
    // These contain the names of the inputs.
    let names_them = |name: &str| ["report.html", "project.qgs", "features.gpkg"].contains(&name);
    // A source without a name is named by its path.
    let elsewhere = |name: &String| match name.as_str() {
        "mass_balance.csv" => {
            let text = String::from_utf8(here[name].clone()).unwrap();
            text.replace("of it all/", "").into_bytes()
        }
        _ => here[name].clone(),
    };
    let same = |name: &String| names_them(name) || elsewhere(name) == expected[name];
    assert!(expected.keys().all(same));
}

#[test]
fn missing_maps_are_reported_and_do_no_further_harm() {
    let workshop = with_whole(SOLVERS[0]);
    let map = "results/depth_000h05m00s.tif";
    workshop.stop_at(map, &run(&[SOLVERS[0]]));
    std::fs::remove_file(workshop.path(map)).unwrap();
    let said = ["1 of the run's files no longer exist in 'results', depth_000h05m00s.tif first"];
    workshop.inundate("resume results").done().says(&said);
    let (here, expected) = (results(&workshop, "results"), results(&workshop, "whole"));
    let others = expected.iter().filter(|(name, _)| *name != "depth_000h05m00s.tif");
    for (name, bytes) in others.filter(|(name, _)| name.ends_with(".tif")) {
        assert!(here[name] == *bytes, "{name}");
    }
    let outputs = workshop.report("results")["outputs"].clone();
    assert!(!outputs.to_string().contains("depth_000h05m00s.tif"), "{outputs}");
}

#[test]
fn overwrite_restarts_and_needs_no_checkpoint() {
    let workshop = workshop();
    stopped(&workshop, &run(&[SOLVERS[2]]));
    let few = "run --dem dem.tif --rain '1 mm/step' --steps 3 --overwrite";
    workshop.inundate(few).done();
    assert!(!workshop.names("results").contains(&".checkpoint".to_string()));
    assert_eq!(workshop.report("results")["steps"], 3);
}

#[test]
fn two_runs_cannot_share_a_folder() {
    let workshop = workshop();
    let arguments = run(&[SOLVERS[2], &["--duration", "10h"]]);
    let mut running = workshop.start(&arguments);
    let last = checkpoint(&workshop, "results", "last");
    wait_until("a checkpoint", || last.exists().then_some(()));
    let parts = ["out: a run is in progress in 'results'", "--out"];
    let overwrites = [&arguments[..], &["--overwrite"]].concat();
    for others in [&["resume", "results"][..], &arguments, &overwrites] {
        workshop.inundate(others).says(&parts).exits(2);
    }
    assert!(!running.has_ended());
    drop(running);
    let mut resumed = workshop.start("resume results");
    wait_until("the checkpoint of one that goes on", || {
        checkpoint(&workshop, "results", "writing").exists().then_some(())
    });
    assert!(!resumed.has_ended());
}

#[test]
fn runs_without_checkpoints_cannot_share_a_folder_either() {
    let workshop = Workshop::new();
    let steps =
        |steps| ["run", "--dem", "dem.tif", "--rain", "1 mm/step", "--steps", steps, "--quiet"];
    let running = workshop.start(&steps("2000000000"));
    wait_until_locked(&workshop);
    let parts = ["out: a run is in progress in 'results'", "--out"];
    for more in [&[][..], &["--overwrite"]] {
        workshop.inundate(&[&steps("3")[..], more].concat()).says(&parts).exits(2);
    }
    // Files left by a killed run do not block the next, which leaves nothing.
    drop(running);
    workshop.inundate(&steps("3")).done();
    assert!(!workshop.path("results/.checkpoint").exists());
    // Of several runs started at the same time, only one gets the folder.
    for round in 0..5 {
        let out = format!("out{round}");
        let command = || workshop.command(&[&steps("200")[..], &["--out", &out]].concat());
        let mut runs: Vec<RunningProgram> =
            (0..3).map(|_| RunningProgram::start(command())).collect();
        let ends: Vec<_> = runs.iter_mut().map(RunningProgram::end).collect();
        let done = ends.iter().filter(|ran| ran.code == Some(0)).count();
        let refused = ends.iter().filter(|ran| ran.code == Some(2)).count();
        assert_eq!((done, refused), (1, 2), "{ends:?}");
        assert!(workshop.names(&out).iter().all(|name| !name.starts_with('.')));
    }
}

#[test]
fn files_behind_a_vrt_count_as_its_contents() {
    let workshop = workshop();
    let vrt = |from: &str, to: &str| {
        let driver = gdal::DriverManager::get_driver_by_name("VRT").unwrap();
        let file = gdal::Dataset::open(workshop.path(from)).unwrap();
        file.create_copy(&driver, workshop.path(to), &Default::default()).unwrap().close().unwrap();
    };
    vrt("dem.tif", "dem.vrt");
    let sum = |out: &str| {
        let few = format!("--steps 3 --rain '1 mm/step' --out '{out}'");
        workshop.inundate(&format!("run --dem dem.vrt {few}")).done();
        workshop.report(out)["inputs"][0]["sha256"].as_str().unwrap().to_string()
    };
    let first = sum("first");
    let read = ["dem.vrt", "dem.tif"].map(|name| workshop.path(name));
    let contents: Vec<u8> = read.iter().flat_map(|path| std::fs::read(path).unwrap()).collect();
    assert_eq!(first, inundate::words::hexadecimal(&sha2::Sha256::digest(contents)));
    stopped(&workshop, &run(&[SOLVERS[0], &["--dem", "dem.vrt"]]));
    // Statistics that QGIS stores beside it do not affect its heights; a scale does.
    workshop.file("dem.tif.aux.xml", "<PAMDataset></PAMDataset>");
    assert_eq!(sum("beside"), first);
    let scale = "<PAMRasterBand band=\"1\"><Scale>2</Scale></PAMRasterBand>";
    workshop.file("dem.tif.aux.xml", format!("<PAMDataset>{scale}</PAMDataset>"));
    workshop
        .refuses("resume results", &["the dem 'dem.vrt' has changed since the run was started"]);
    std::fs::remove_file(workshop.path("dem.tif.aux.xml")).unwrap();
    let mut changed = std::fs::read(workshop.path("dem.tif")).unwrap();
    *changed.last_mut().unwrap() ^= 1;
    workshop.file("dem.tif", changed);
    let parts = ["resume: the dem 'dem.vrt' has changed since the run was started"];
    workshop.refuses("resume results", &parts);
    assert_ne!(sum("second"), first);
}

#[test]
fn names_inputs_that_have_changed() {
    let workshop = with_whole(SOLVERS[0]);
    stopped(&workshop, &run(&[SOLVERS[0]]));
    for (role, name) in INPUTS {
        let before = std::fs::read(workshop.path(name)).unwrap();
        let mut after = before.clone();
        *after.last_mut().unwrap() ^= 1;
        workshop.file(name, after);
        let changed = format!("resume: the {role} '{name}' has changed since the run was started");
        workshop.refuses("resume results", &[&changed, "--overwrite"]);
        std::fs::remove_file(workshop.path(name)).unwrap();
        let gone = format!("resume: the {role} '{name}' no longer exists");
        workshop.refuses("resume results", &[&gone, "restore it"]);
        workshop.file(name, before);
    }
    let elsewhere =
        workshop.shell("mkdir below && cd below && exec $INUNDATE resume ../results").exits(2);
    let ran = elsewhere.says(&["the run was started in the folder '", "': resume it there"]);
    assert!(ran.err.contains("'flood.toml' no longer exists"), "{}", ran.err);
    workshop.inundate("resume results").done();
    assert_same(&workshop, "results", "whole");
}

/// Returns versions of a checkpoint with a flipped bit in its mark, the length of its header, its
/// header, its arrays and its checksum, and truncated in each.
fn damaged(bytes: &[u8], random: &mut Random) -> Vec<Vec<u8>> {
    let ends = [0, 22, 30, header_end(bytes), bytes.len() - 32, bytes.len()];
    let mut all = vec![Vec::new(), [bytes, &[0]].concat()];
    for part in ends.windows(2) {
        let place = part[0] + random.bits() as usize % (part[1] - part[0]);
        let mut turned = bytes.to_vec();
        turned[place] ^= 1 << (random.bits() % 8);
        all.extend([turned, bytes[..place].to_vec()]);
    }
    all
}

#[test]
fn falls_back_to_the_previous_checkpoint_and_fails_if_both_are_damaged() {
    let workshop = with_whole(SOLVERS[0]);
    stopped(&workshop, &run(&[SOLVERS[0]]));
    let [last, before] = ["last", "before"].map(|name| checkpoint(&workshop, "results", name));
    let whole = [&last, &before].map(|path| std::fs::read(path).unwrap());
    let mut random = Random::new(9);
    let pairs = damaged(&whole[0], &mut random).into_iter().zip(damaged(&whole[1], &mut random));
    for (number, (first, second)) in pairs.enumerate() {
        std::fs::write(&last, &first).unwrap();
        std::fs::write(&before, &second).unwrap();
        let parts = ["is damaged: ", ", and so is the previous one", "--overwrite"];
        workshop.refuses("resume results", &parts);
        std::fs::write(&before, &whole[1]).unwrap();
        if number % few_or_all(6, 3) > 0 {
            continue;
        }
        // Complete files stay, and the run resumes from the previous checkpoint.
        copy(&workshop, "results", "again");
        let parts =
            ["warning: the last checkpoint in 'again' is damaged: ", "from the previous one"];
        workshop.inundate("resume again").done().says(&parts);
        let (again, expected) = (results(&workshop, "again"), results(&workshop, "whole"));
        let same = |name: &String| again[name] == expected[name];
        // The page and the report mention it.
        assert!(expected.keys().all(|name| name == "report.html" || same(name)));
        assert!(workshop.report("again")["warnings"].to_string().contains("is damaged"));
    }
    // A checkpoint of another version with a correct checksum.
    let mut other = whole[0].clone();
    other[20] += 1;
    seal(&mut other);
    std::fs::write(&last, &other).unwrap();
    workshop.refuses("resume results", &["was written by another version of inundate"]);
}

/// Updates the checksum of a checkpoint.
fn seal(bytes: &mut [u8]) {
    use sha2::{Digest, Sha256};
    let body = bytes.len() - 32;
    let sum = Sha256::digest(&bytes[..body]);
    bytes[body..].copy_from_slice(&sum);
}

#[test]
fn a_checkpoint_too_large_to_write_does_not_stop_the_run() {
    // All cells differ: a checkpoint is larger than any map.
    let workshop = Workshop::empty();
    let jagged = |column, row| 100.0 + ((column * 7919 + row * 104_729) % 997) as f64 * 0.01;
    workshop.raster("dem.tif", &Raster::new(130, 90, jagged));
    let storm = "run --dem dem.tif --rain '40 mm/h' --duration 10min --dt-max 1s --threads 1";
    let run = |out: &str, limit: &str| {
        let line = format!("{limit} exec $INUNDATE {storm} --checkpoint-every 0.01s --out {out}");
        workshop.shell(&line).done()
    };
    run("whole", "");
    let sizes = results(&workshop, "whole").into_iter();
    let maps = sizes.filter(|(name, _)| name.ends_with(".tif")).map(|(_, bytes)| bytes.len());
    let size = |name: &str| std::fs::metadata(workshop.path("whole").join(name)).unwrap().len();
    let texts = size("report.html").max(size("project.qgs")) as usize;
    let blocks = maps.max().unwrap().max(texts).div_ceil(512) + 8;
    let said = ["warning: checkpoint_every: the checkpoint at ", "could not be written: "];
    run("results", &format!("ulimit -f {blocks};")).says(&said);
    for (name, bytes) in results(&workshop, "whole") {
        assert!(name == "report.html" || results(&workshop, "results")[&name] == bytes, "{name}");
    }
    let warnings = workshop.report("results")["warnings"].to_string();
    assert!(warnings.contains("checkpoint_every"), "{warnings}");
    assert!(!workshop.names("results").contains(&".checkpoint".to_string()));
}

/// Runs a shell command with a separate small file system, `small`, if this machine allows that.
fn with_small_disk(workshop: &Workshop, size: &str, command: &str) -> Option<Ran> {
    let small = |command: &str| {
        format!(
            "mkdir -p small && exec unshare -Urm sh -c 'mount -t tmpfs -o size={size} tmpfs small && {command}'"
        )
    };
    let allowed = workshop.shell(&small("true")).code == Some(0);
    if !allowed {
        println!("skipped: this machine lets no user mount a file system");
    }
    allowed.then(|| workshop.shell(&small(command)))
}

#[test]
fn a_full_disk_is_reported_and_the_run_continues_once_there_is_room() {
    let workshop = with_whole(SOLVERS[0]);
    let solver = SOLVERS[0].join(" ");
    // The disk fills up during the run; space is freed, and the run continues.
    let script = format!(
        "$INUNDATE run flood.toml {solver} --out small > first.txt 2>&1 & \
         while [ ! -e small/.checkpoint/before ]; do sleep 0.01; done; \
         head -c 100000000 /dev/zero > small/.filler 2> /dev/null; \
         wait $!; echo $? > code.txt; rm small/.filler; \
         $INUNDATE resume small && cp -r small results"
    );
    let Some(ran) = with_small_disk(&workshop, "16m", &script) else { return };
    let said = workshop.text("first.txt");
    let code = workshop.text("code.txt");
    assert_eq!(code.trim(), "1", "{said}");
    assert!(said.contains("error: cannot write "), "{said}");
    assert!(said.contains("continue with: inundate resume small"), "{said}");
    ran.done();
    let (here, expected) = (results(&workshop, "results"), results(&workshop, "whole"));
    for (name, bytes) in &expected {
        assert!(name == "report.html" || here[name] == *bytes, "{name}");
    }
}

#[test]
fn reports_an_output_folder_that_vanishes() {
    let workshop = workshop();
    let mut running = workshop.start(&run(&[SOLVERS[2], &["--duration", "10h"]]));
    let last = checkpoint(&workshop, "results", "last");
    wait_until("a checkpoint", || last.exists().then_some(()));
    // A checkpoint may just appear.
    wait_until("its removal", || std::fs::remove_dir_all(workshop.path("results")).ok());
    std::thread::sleep(Duration::from_millis(50));
    running.signal(libc::SIGINT);
    let Ran { code, err: said, .. } = running.end();
    // Whichever comes first, a map of the series or the signal.
    match code {
        Some(130) => assert!(said.contains("the state could not be written: "), "{said}"),
        code => {
            assert_eq!(code, Some(1), "{said}");
            assert!(said.contains("error: cannot "), "{said}");
            assert!(!said.contains("continue with"), "{said}");
        }
    }
}
