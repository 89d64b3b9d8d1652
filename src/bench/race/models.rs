//! Other models, and what they read: rain on closed terrain, of one rate for all of the run.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

/// What is run.
pub struct Race {
    /// Columns and rows.
    pub size: (usize, usize),
    /// Side of a cell (m).
    pub cell: f64,
    /// Heights (m), row by row.
    pub heights: Vec<f32>,
    /// Rain (mm/h).
    pub rain: f64,
    /// How long it falls and the run lasts (s).
    pub seconds: u32,
    /// Manning's n (s/m^⅓).
    pub roughness: f64,
}

/// A model of others.
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// The environment variable with its program, or with the command that runs it.
    pub variable: &'static str,
    /// Its program, looked for in the PATH.
    pub program: &'static str,
    /// What follows its program, in a folder with its files.
    pub arguments: &'static str,
    /// Writes its files.
    pub write: fn(&Race, &Path) -> io::Result<()>,
    /// Where it comes from.
    pub from: &'static str,
}

/// The models that are known.
pub const MODELS: [Model; 3] = [
    Model {
        name: "LISFLOOD-FP",
        variable: "INUNDATE_RACE_LISFLOOD",
        program: "lisflood",
        arguments: "race.par",
        write: lisflood,
        from: "https://zenodo.org/records/6912932, built with cmake",
    },
    Model {
        name: "CADDIES-caflood",
        variable: "INUNDATE_RACE_CAFLOOD",
        program: "caflood",
        arguments: "-WCA2D . race.csv out",
        write: caflood,
        from: "the CADDIES framework of the Centre for Water Systems, University of Exeter",
    },
    Model {
        name: "TRITON",
        variable: "INUNDATE_RACE_TRITON",
        program: "triton",
        arguments: "race.cfg",
        write: triton,
        from: "https://code.ornl.gov/hydro/triton, built with make",
    },
];

/// The heights as an ASCII grid, with or without its header.
fn ascii(race: &Race, value: impl Fn(f32) -> String, header: bool) -> String {
    let (columns, rows) = race.size;
    let mut text = String::new();
    if header {
        let cell = race.cell;
        let _ = write!(
            text,
            "ncols {columns}\nnrows {rows}\nxllcorner 500000\nyllcorner 4900000\ncellsize {cell}\nNODATA_value -9999\n"
        );
    }
    for row in race.heights.chunks(columns) {
        let values: Vec<String> = row.iter().map(|height| value(*height)).collect();
        text += &values.join(" ");
        text.push('\n');
    }
    text
}

fn dem(race: &Race) -> String {
    ascii(race, |height| format!("{height:.2}"), true)
}

/// Local inertia (`acceleration`), as its manual has it.
fn lisflood(race: &Race, folder: &Path) -> io::Result<()> {
    let Race { rain, seconds, roughness, .. } = race;
    fs::write(folder.join("dem.asc"), dem(race))?;
    let rain = format!("# rain (mm/h)\n2 seconds\n{rain} 0\n{rain} {seconds}\n");
    fs::write(folder.join("race.rain"), rain)?;
    let par = format!(
        "DEMfile dem.asc\nresroot race\ndirroot out\nsim_time {seconds}\ninitial_tstep 10\nmassint {seconds}\nsaveint {seconds}\nfpfric {roughness}\nrainfall race.rain\nacceleration\n"
    );
    fs::write(folder.join("race.par"), par)
}

/// Weighted cellular automaton, with the settings of its own examples.
fn caflood(race: &Race, folder: &Path) -> io::Result<()> {
    let Race { rain, seconds, roughness, .. } = race;
    fs::create_dir_all(folder.join("out"))?;
    fs::write(folder.join("dem.asc"), dem(race))?;
    let rain = format!(
        "Event Name,rain\nRain Intensity (mm/hr),{rain}\nTime Stop (seconds),{seconds}\nArea (tlx tly brx bry),\n"
    );
    fs::write(folder.join("rain.csv"), rain)?;
    let raster = "Raster Grid Name,depth\nPhysical Variable,WD\nPeak,true\nPeriod (seconds),0\n";
    fs::write(folder.join("raster.csv"), raster)?;
    let setup = [
        ("Simulation Name", "race".to_string()),
        ("Short Name (for outputs)", "race".into()),
        ("Version", "1,0,0".into()),
        ("Model Type", "WCA2Dv2".into()),
        ("Time Start (seconds)", "0".into()),
        ("Time End   (seconds)", seconds.to_string()),
        ("Max DT (seconds)", "60".into()),
        ("Min DT (seconds)", "0.01".into()),
        ("Update DT (seconds)", "60".into()),
        ("Alpha (Fraction DT 0.0-1.0)", "0.1".into()),
        ("Max Iterations", "1000000000".into()),
        ("Roughness Global", roughness.to_string()),
        ("Ignore WD (meter)", "0.0001".into()),
        ("Tolerance (meter)", "0.0001".into()),
        ("Slope Tolerance (%)", "0.528".into()),
        ("Boundary Ele (Hi/Closed-Lo/Open)", "9000".into()),
        ("Elevation ASCII", "dem.asc".into()),
        ("Rain Event CSV", "rain.csv".into()),
        ("Raster Grid CSV", "raster.csv".into()),
        ("Output Console", "true".into()),
        ("Output Period (s)", seconds.to_string()),
        ("Output Computation Time", "true".into()),
        ("Check Volumes", "true".into()),
        ("Remove Proc Data (No Pre-Proc)", "true".into()),
        ("Remove Pre-Proc Data", "true".into()),
        ("Raster WD Tolerance (meter)", "0.01".into()),
        ("Update Peak Every DT", "false".into()),
        ("Expand Domain", "false".into()),
        ("Ignore Upstream", "true".into()),
        ("Upstream Reduction (meter)", "0.5".into()),
    ];
    let lines = setup.map(|(key, value)| format!("{key}, {value}\n"));
    fs::write(folder.join("race.csv"), lines.concat())
}

/// The shallow-water equations; rain is a runoff over one zone.
fn triton(race: &Race, folder: &Path) -> io::Result<()> {
    let Race { rain, seconds, roughness, .. } = race;
    fs::create_dir_all(folder.join("output"))?;
    fs::write(folder.join("dem.asc"), dem(race))?;
    fs::write(folder.join("zones.asc"), ascii(race, |_| "0".into(), false))?;
    let end = f64::from(*seconds) / 3600.0;
    let runoff = format!("% Time(h) Zone0(mm/hr)\n0.0,{rain}\n{end},{rain}\n");
    fs::write(folder.join("rain.roff"), runoff)?;
    let settings = format!(
        r#"input_folder="."
output_folder="output"
dem_filename="dem.asc"
input_format=ASC
output_format=BIN
output_option=SEQ
outfile_pattern="%s/%s/%s_%02d_%02d"
num_sources=0
hydrograph_filename=""
src_loc_file=""
num_runoffs=1
runoff_filename="rain.roff"
runoff_map="zones.asc"
n_infile=""
const_mann={roughness}
num_extbc=0
extbc_file=""
extbc_dir=""
sim_start_time=0
sim_duration={seconds}
checkpoint_id=0
time_increment_fixed=0
time_step=0.1
print_option=h
print_interval={seconds}
time_series_flag=0
observation_loc_file=""
print_observation={seconds}
it_print=1000000
h_infile=""
qx_infile=""
qy_infile=""
courant=0.5
hextra=0.001
gpu_direct_flag=0
domain_decomposition=static
factor_interval_domain_decomposition=0
open_boundaries=0
it_count=0
"#
    );
    fs::write(folder.join("race.cfg"), settings)
}
