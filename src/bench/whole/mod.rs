//! Whole runs, from the start of the program to its end, against the floor that the machine sets.

pub mod floor;
pub mod terrain;

use crate::error::{Error, Result};
use crate::output::wall::WallParts;
use crate::scenario::options::Device;
use floor::Floor;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use terrain::{Terrain, half_channel, mountains, town, valley};

/// Side of a cell (m), and of one in the town.
const CELL: f64 = 10.0;
const TOWN_CELL: f64 = 4.0;

/// A run.
pub struct Case {
    /// What it is, for people.
    pub name: &'static str,
    /// Columns and rows.
    pub size: (usize, usize),
    /// Side of a cell (m).
    pub cell: f64,
    /// Its terrain.
    pub terrain: Terrain,
    /// What the run is told.
    pub arguments: Vec<String>,
}

/// What was measured of a case; times are medians (s).
#[derive(Clone, Debug, Serialize)]
pub struct Whole {
    /// Its name.
    pub case: &'static str,
    /// Columns and rows.
    pub size: (usize, usize),
    /// Steps.
    pub steps: u64,
    /// How often it was run.
    pub runs: usize,
    /// What it ran on.
    pub device: String,
    /// From the start of the process to its end.
    pub wall_s: f64,
    /// The parts of the run in the middle by time.
    pub parts_s: WallParts,
    /// The floor, by its parts.
    pub floor_s: Floor,
    /// Time over floor.
    pub ratio: f64,
}

/// How the runs are made.
pub struct How {
    /// The device, if it is named.
    pub device: Option<Device>,
    /// Threads, if they are.
    pub threads: Option<usize>,
    /// How often each is run.
    pub runs: usize,
}

/// What is read of `run.json`.
#[derive(Deserialize)]
struct Told {
    steps: u64,
    device: String,
    wall_parts_s: WallParts,
    outputs: Vec<String>,
}

/// The cases where the automaton's map has sides of `size` cells, and the others sides in proportion: with 16384 a valley of
/// 1.7 million cells, rain on 2048² and 4096², and a river through a town of 582 400 cells for 68 h.
pub fn cases(size: usize) -> Vec<Case> {
    let (eighth, quarter) = (size / 8, size / 4);
    let floor = (eighth, (size * 13 / 256).max(8));
    let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
    let river = |more: &str| {
        let (x, y) = (500_000.0 + 2.5 * CELL, 5_000_000.0 - CELL * (floor.1 as f64 / 2.0));
        let flow = 300.0 * size as f64 / 16384.0;
        let run = "--rule inertial --duration 6h --open east --roughness 0.035";
        [words(run), vec!["--source".into(), format!("{x},{y},{flow} m3/s")], words(more)].concat()
    };
    let gauges = |count: usize| {
        let at = |n: usize| {
            let x = 500_000.0 + CELL * (eighth * (n + 1) / (count + 1)) as f64;
            format!("--gauges {x},{},g{n}", 5_000_000.0 - CELL * (floor.1 as f64 / 2.0))
        };
        (0..count).map(at).collect::<Vec<_>>().join(" ")
    };
    let layers = "--gauge-every 100s --layers depth,max_depth,arrival_time,max_velocity,max_hazard";
    let rain = |duration: &str| {
        let run = words(&format!("--duration {duration} --open all --rain"));
        [run, vec!["50 mm/h".into()]].concat()
    };
    let steps = [words("--rule aqua-graph --steps 1000 --rain"), vec!["0.1 mm/step".into()]];
    let case = |name, size, terrain, arguments| {
        let cell = CELL;
        Case { name, size, cell, terrain, arguments }
    };
    vec![
        case("valley", floor, valley as Terrain, river("")),
        case("valley, gauges", floor, valley, river(&format!("{layers} {}", gauges(5)))),
        case("rain, 30 min", (eighth, eighth), mountains, rain("30min")),
        case("rain, 1 h", (quarter, quarter), mountains, rain("1h")),
        through_town(size, 68.0 * size as f64 / 16384.0),
        case("automaton", (size, size), mountains, steps.concat()),
    ]
}

/// A river in flood through a town, for so many hours.
fn through_town(size: usize, hours: f64) -> Case {
    let (columns, rows) = ((size * 65 / 1024).max(16), (size * 35 / 1024).max(16));
    let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
    let (x, y) = (500_000.0 + 1.5 * TOWN_CELL, 5_000_000.0 - TOWN_CELL * (rows as f64 / 2.0));
    // From bank to bank: from a single cell it would come as a jet, and hold the steps.
    let half = half_channel(rows) as i32;
    let flow = 330.0 * rows as f64 / 560.0 / f64::from(2 * half + 1);
    let run = format!("--rule inertial --duration {hours}h --open east --roughness 0.04");
    let source = |cell: i32| {
        let y = y + TOWN_CELL * (f64::from(cell) - 0.5);
        ["--source".to_string(), format!("{x},{y},{flow} m3/s")]
    };
    let source = (-half..=half).flat_map(source).collect();
    Case {
        name: "town",
        size: (columns, rows),
        cell: TOWN_CELL,
        terrain: town,
        arguments: [words(&run), source].concat(),
    }
}

impl Case {
    /// Makes its terrain, runs it so often, and measures the machine beside it, all in a folder.
    pub fn measure(&self, how: &How, folder: &Path) -> Result<Whole> {
        let dem = folder.join("dem.tif");
        let out = folder.join("results");
        terrain::write(&dem, &terrain::heights(self.terrain, self.size), self.size, self.cell)?;
        let mut all: Vec<(f64, Told)> = Vec::new();
        for _ in 0..how.runs {
            all.push(run(&dem, &out, &self.arguments, how)?);
        }
        all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        // Of an even number the quicker of the two in the middle.
        let (wall_s, told) = all.swap_remove((all.len() - 1) / 2);
        let maps = told.outputs.iter().filter(|name| name.ends_with(".tif"));
        let maps: Vec<PathBuf> = maps.map(|name| out.join(name)).collect();
        let floor_s = Floor::measure(&dem, &maps, told.wall_parts_s.compute, folder)?;
        Ok(Whole {
            case: self.name,
            size: self.size,
            steps: told.steps,
            runs: how.runs,
            device: told.device,
            wall_s,
            parts_s: told.wall_parts_s,
            ratio: wall_s / floor_s.sum(),
            floor_s,
        })
    }
}

/// Runs this program once, and says how long the process took (s) and what it told.
fn run(dem: &Path, out: &Path, arguments: &[String], how: &How) -> Result<(f64, Told)> {
    let failed = |what: String| Error::run(format!("a whole run could not be made: {what}"));
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(program);
    command.arg("run").arg("--dem").arg(dem).arg("--out").arg(out).args(["--overwrite", "--quiet"]);
    command.args(arguments.iter().filter(|word| !word.is_empty()));
    if let Some(device) = how.device {
        command.args(["--device", &device.to_string()]);
    }
    if let Some(threads) = how.threads {
        command.args(["--threads", &threads.to_string()]);
    }
    let began = Instant::now();
    let ended = command.stdin(Stdio::null()).output().map_err(|error| failed(error.to_string()))?;
    let wall = began.elapsed().as_secs_f64();
    if !ended.status.success() {
        return Err(failed(String::from_utf8_lossy(&ended.stderr).trim().to_string()));
    }
    let text =
        fs::read_to_string(out.join("run.json")).map_err(|error| failed(error.to_string()))?;
    let told = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    Ok((wall, told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_full_size_the_cases_are_those_of_the_docs() {
        let cells = |case: &Case| case.size.0 * case.size.1;
        let sizes: Vec<usize> = cases(16384).iter().map(cells).collect();
        assert_eq!(sizes[2..], [2048 * 2048, 4096 * 4096, 1040 * 560, 16384 * 16384]);
        assert!((1_650_000..1_750_000).contains(&sizes[0]), "{}", sizes[0]);
    }
}
