//! This program beside other models, where they are installed: the same rain on the same terrain, whole processes.

pub mod models;

use crate::bench::whole::terrain::{self, mountains};
use crate::error::{Error, Result};
use crate::scenario::options::Device;
use models::{MODELS, Model, Race};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Side of a cell (m), rain (mm/h), how long it falls (s) and Manning's n of the race.
const RACE: (f64, f64, u32, f64) = (16.0, 50.0, 1200, 0.035);

/// How a model did.
#[derive(Clone, Debug, Serialize)]
pub struct Ran {
    /// Its name.
    pub model: String,
    /// The median of its runs, whole processes (s).
    pub wall_s: f64,
    /// That over ours.
    pub ratio: f64,
}

/// The command of a model that is installed: the words of its variable, or its program in the PATH.
pub fn command_of(model: &Model) -> Option<Vec<String>> {
    let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
    let said = std::env::var(model.variable).ok().filter(|said| !said.trim().is_empty());
    let command = match said {
        Some(said) => words(&said),
        None => vec![in_path(model.program)?.to_string_lossy().into_owned()],
    };
    // A program alone gets its usual arguments.
    let usual = if command.len() == 1 { words(model.arguments) } else { Vec::new() };
    Some([command, usual].concat())
}

fn in_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Rain on mountains of `size`² cells.
pub fn race(size: usize) -> Race {
    let (cell, rain, seconds, roughness) = RACE;
    let heights = terrain::heights(mountains, (size, size));
    Race { size: (size, size), cell, heights, rain, seconds, roughness }
}

/// Runs this program and then each of the models, so many times in turn, in a folder; what each took in the middle.
pub fn run(
    race: &Race,
    device: Option<Device>,
    runs: usize,
    found: &[(&Model, Vec<String>)],
    folder: &Path,
) -> Result<Vec<Ran>> {
    let unusable = |error: std::io::Error| Error::run("the race cannot be set up").because(error);
    let own = std::env::current_exe().map_err(unusable)?;
    let Race { rain, seconds, roughness, .. } = race;
    let mut ours = vec![own.to_string_lossy().into_owned()];
    let arguments = "run --dem dem.tif --out out --overwrite --quiet --layers depth --duration";
    ours.extend(arguments.split(' ').map(String::from));
    ours.extend([format!("{seconds} s"), "--rain".into(), format!("{rain} mm/h")]);
    ours.extend(["--roughness".into(), roughness.to_string()]);
    if let Some(device) = device {
        ours.extend(["--device".into(), device.to_string()]);
    }
    let mut all = vec![("inundate".to_string(), ours, folder.join("inundate"))];
    for (model, command) in found {
        all.push((model.name.into(), command.clone(), folder.join(model.program)));
    }
    for (_, _, place) in &all {
        std::fs::create_dir_all(place).map_err(unusable)?;
    }
    terrain::write(&all[0].2.join("dem.tif"), &race.heights, race.size, race.cell)?;
    for (model, _) in found {
        (model.write)(race, &folder.join(model.program)).map_err(unusable)?;
    }
    let mut walls = vec![Vec::new(); all.len()];
    // In turn, so that what else the machine does falls on all.
    for _ in 0..runs {
        for ((name, command, place), walls) in all.iter().zip(&mut walls) {
            walls.push(time(name, command, place)?);
        }
    }
    let median = |walls: &mut Vec<f64>| {
        walls.sort_by(f64::total_cmp);
        walls[walls.len() / 2]
    };
    let medians: Vec<f64> = walls.iter_mut().map(median).collect();
    let ran = |((model, ..), wall_s): ((String, Vec<String>, PathBuf), f64)| Ran {
        model,
        wall_s,
        ratio: wall_s / medians[0],
    };
    Ok(all.into_iter().zip(medians.clone()).map(ran).collect())
}

/// How long a command took in its folder (s).
fn time(name: &str, command: &[String], place: &Path) -> Result<f64> {
    let began = Instant::now();
    let ended = Command::new(&command[0])
        .args(&command[1..])
        .current_dir(place)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Error::run(format!("{name} does not start")).because(error))?;
    let wall = began.elapsed().as_secs_f64();
    if ended.status.success() {
        return Ok(wall);
    }
    let said = [ended.stdout, ended.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let last: Vec<&str> = said.trim().lines().rev().take(3).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    Err(Error::run(format!("{name} failed ({}): {}", ended.status, last.join("; "))).hint(format!(
        "its command was: {}; another can be given in its variable",
        command.join(" ")
    )))
}

/// How to have the models that were not found.
pub fn how_to(missing: &[&Model]) -> Vec<String> {
    let line = |model: &&Model| {
        format!(
            "{}: set {} to its program or command, or put '{}' into the PATH; from {}",
            model.name, model.variable, model.program, model.from
        )
    };
    missing.iter().map(line).collect()
}

/// The models that are installed, with their commands, and those that are not.
pub fn found() -> (Vec<(&'static Model, Vec<String>)>, Vec<&'static Model>) {
    let (mut here, mut missing) = (Vec::new(), Vec::new());
    for model in &MODELS {
        match command_of(model) {
            Some(command) => here.push((model, command)),
            None => missing.push(model),
        }
    }
    (here, missing)
}
