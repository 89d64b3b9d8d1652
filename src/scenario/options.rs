//! What the user can say about a run: every flag is a key of the same name in a scenario file.
//!
//! Flags write words with dashes, files with underscores. Numbers stay text until
//! [`super::build()`] gives them their unit.

use super::layer_names::LayerNames;
use super::losses::LossOptions;
pub use super::values::{
    DeviceParser, GrainChoice, Moment, Quantity, kernels, looks_like_a_file, neighbourhoods,
    split_place,
};
use super::values::{is_a_table, one_or_many, starts_with_numbers};
use super::{DEFAULT_BUILDING_HEIGHT, toml_hint};
use crate::colour::Choice;
use crate::engine::backend::cpu::DEFAULT_TILE;
pub use crate::engine::device::Device;
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::pace::DEFAULT_LONGEST;
use crate::engine::roughness::DEFAULT_ROUGHNESS;
use crate::engine::rule::LEAST_ALPHA;
use crate::error::{Error, Result};
use crate::input::bundled;
use crate::input::class_table::BUNDLED;
use crate::input::text;
use crate::units::Metre;
use clap::{Args, CommandFactory, Parser};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The rule used for runs in physical time unless the user names one.
pub const DEFAULT_RULE: &str = "shallow-water";
/// The rule used for runs that count steps, or give a step its duration, unless the user names one.
pub const DEFAULT_AUTOMATON: &str = "aqua-graph";
/// The neighbourhood used unless the user names one.
pub const DEFAULT_NEIGHBOURHOOD: Neighbourhood = Neighbourhood::VonNeumann;
/// Depth of arrival unless the user says otherwise (m).
pub const DEFAULT_ARRIVAL_DEPTH: Metre = 0.05;
/// Output folder unless the user names one.
pub const DEFAULT_OUT: &str = "results";

/// Everything that can be said about a run. Unset means the default.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Terrain: any raster that GDAL reads, in a projected CRS
    #[arg(long, value_name = "RASTER", help_heading = "Terrain")]
    pub dem: Option<PathBuf>,
    /// A further value of the DEM that marks cells outside the domain; "nan" if none does that is not declared
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = "Terrain")]
    #[serde(with = "super::values::maybe_nan")]
    pub nodata: Option<f64>,
    /// Unit of the DEM's heights (m, cm, dm, ft, us-ft), if the file does not say or is wrong
    #[arg(long, value_name = "UNIT", help_heading = "Terrain")]
    pub height_unit: Option<String>,
    /// Take a DEM whose CRS stretches lengths by more than 5 % where it lies, like Web Mercator, as it is
    #[arg(long, help_heading = "Terrain")]
    pub accept_distortion: bool,
    /// Manning's n in s/m^(1/3): a number ("0.03") or a raster
    #[arg(long, value_name = "N|RASTER", allow_hyphen_values = true, help_heading = "Terrain")]
    #[arg(help = format!(
        "Manning's n in s/m^(1/3): a number (\"0.03\") or a raster (default: {DEFAULT_ROUGHNESS})"
    ))]
    pub roughness: Option<Quantity>,
    /// Land cover: a raster of classes, each of which has its Manning's n in the table
    #[arg(long, value_name = "RASTER", help_heading = "Terrain")]
    pub land_cover: Option<PathBuf>,
    /// Manning's n by class of land cover: a bundled table, or a CSV
    #[arg(long, value_name = "NAME|CSV", help_heading = "Terrain")]
    #[arg(help = format!(
        "Manning's n by class of land cover: a bundled table ({}) or a CSV of class,n,name", bundled::names(&BUNDLED)
    ))]
    pub land_cover_table: Option<PathBuf>,
    /// Sides of the raster over which water leaves: north, east, south, west, all (default: closed)
    #[arg(long, value_name = "SIDES", help_heading = "Terrain")]
    pub open: Option<String>,
    /// Sides that stay closed where open is all; every side is closed unless it is open
    #[arg(long, value_name = "SIDES", help_heading = "Terrain")]
    pub closed: Option<String>,
    /// Bed slope beyond open sides, over which water leaves at normal depth: "0.001", or "south,0.001" for a
    /// side, which need not be in open; may be given several times
    #[arg(long, value_name = "[SIDE,]SLOPE", allow_hyphen_values = true, help_heading = "Terrain")]
    #[serde(deserialize_with = "one_or_many")]
    pub outflow_slope: Vec<String>,
    /// Buildings: a vector layer of polygons, raised by the field `height` or by building_height
    #[arg(long, value_name = "FILE", help_heading = "Terrain")]
    pub buildings: Option<PathBuf>,
    /// Height of buildings without a field `height` ("5 m"), or "block" to take the cells of all out
    #[arg(long, value_name = "HEIGHT", allow_hyphen_values = true, help_heading = "Terrain")]
    #[arg(help = format!(
        "Height of buildings that have none of their own (default: {DEFAULT_BUILDING_HEIGHT} m), or \"block\" to take the cells of all out of the domain"
    ))]
    pub building_height: Option<Quantity>,
    /// Walls: a vector layer of lines with a field `level` (of the crest, m above the DEM's zero) or
    /// `height` (above the ground)
    #[arg(long, value_name = "FILE", help_heading = "Terrain")]
    pub walls: Option<PathBuf>,

    /// Rain: a rate ("50 mm/h", "4 mm/15min"), a CSV of time and rain, a raster, a series of rasters (bands
    /// with times, a folder, or a CSV of file,time), or rain gauges (a vector layer, or a CSV of x,y,series)
    ///
    /// A CSV of rain has a header line with the units and two columns separated by a comma, the time and
    /// the rate that holds from then on until the next: `time [h],rain [mm/h]`, then lines like
    /// `0.5,40`. Other units are min and s, or mm/min and in/h; `mm` is the depth until the next time;
    /// `step,rain [mm/step]` counts steps; times may be dates (2021-07-14T13:05).
    /// The last rate holds to the end of the run: end with a rate of 0.
    /// Rasters hold mm/h unless their band or --rain-unit says otherwise. Gauges have a field `hyetograph`
    /// (a CSV) or `rain` (a rate), and each cell takes the nearest one's.
    #[arg(
        long,
        value_name = "RATE|FILE|FOLDER",
        allow_hyphen_values = true,
        help_heading = "Water"
    )]
    pub rain: Option<Quantity>,
    /// Unit of rain rasters ("mm/h", "in/h", "mm/15min"); "mm" or "in" is the depth of a raster's interval, or
    /// of the whole event for a single one
    #[arg(long, value_name = "UNIT", help_heading = "Water")]
    pub rain_unit: Option<String>,
    /// How long the depth of a single rain raster takes to fall ("6h"; default: the whole run)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Water")]
    pub rain_duration: Option<Quantity>,
    /// Time from one rain raster to the next ("15min"), where their bands have no times
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Water")]
    pub rain_interval: Option<Quantity>,
    /// Which variable of a NetCDF file is the rain, where there are several
    #[arg(long, value_name = "NAME", help_heading = "Water")]
    pub rain_variable: Option<String>,
    /// What all rain is multiplied by: an areal reduction factor, say
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true, help_heading = "Water")]
    pub rain_factor: Option<f64>,
    /// Inflow: "x,y,20 m3/s" or "x,y,hydrograph.csv" at a point, a vector layer, or a raster of m³/s
    /// per cell; may be given several times
    ///
    /// A hydrograph has a header line with the units, then a line per time, joined by straight lines:
    /// `time [h],flow [m3/s]`. Nothing flows before its first time; its last flow is kept.
    /// A layer of points, lines or polygons has a field `flow` (a number in m³/s, or a text with a
    /// unit) or `hydrograph` (a CSV, relative to the layer): the total of each feature, shared equally
    /// by the cells it touches; a MultiPoint is one feature, so its points share one total.
    #[arg(long, value_name = "POINT|FILE", allow_hyphen_values = true, help_heading = "Water")]
    #[serde(deserialize_with = "one_or_many")]
    pub source: Vec<String>,
    /// Held water levels (m above the DEM's zero): "west,2.4 m" or "west,tide.csv" along a side of
    /// the raster, or a vector layer; may be given several times
    ///
    /// The CSV has a header line with the units, then a line per time, joined by straight lines:
    /// `time [h],level [m]`. Its first level holds before, its last one after. A layer of points,
    /// lines or polygons has a field `level` (a number in m, or a text with a unit) or `stage` (a CSV,
    /// relative to the layer). Water enters and leaves as the levels ask.
    #[arg(long, value_name = "SIDE|FILE", allow_hyphen_values = true, help_heading = "Water")]
    #[serde(deserialize_with = "one_or_many")]
    pub level: Vec<String>,
    /// Pumps and culverts: a vector layer of lines from the inlet to the outlet, or a CSV of
    /// x1,y1,x2,y2,kind and what the kind needs
    ///
    /// A pump has a `capacity` (m³/s) and may have a `start_depth` and a `stop_depth` of the inlet. A
    /// culvert, or a flap, which lets nothing back, has a `rating` (a CSV of head and flow), a `diameter`, or
    /// a `width` and a `height`.
    #[arg(long, value_name = "FILE", help_heading = "Water")]
    pub links: Option<PathBuf>,
    /// Inflow cells: a raster of depths (m) to which cells are topped up at every step
    #[arg(long, value_name = "RASTER", help_heading = "Water")]
    pub inflow_depth: Option<PathBuf>,
    /// Sink cells: a raster whose cells other than 0 are emptied at every step
    #[arg(long, value_name = "RASTER", help_heading = "Water")]
    pub sinks: Option<PathBuf>,
    /// Water at the start: a depth ("0.5 m") everywhere, or a raster of depths (m)
    #[arg(long, value_name = "DEPTH|RASTER", allow_hyphen_values = true, help_heading = "Water")]
    pub initial_depth: Option<Quantity>,
    /// Water at the start up to a level: "12.5 m" above the DEM's zero everywhere, or a vector layer of
    /// polygons with a field `level`
    #[arg(long, value_name = "LEVEL|FILE", allow_hyphen_values = true, help_heading = "Water")]
    pub initial_level: Option<Quantity>,

    /// What the ground, sewers and the air take
    #[command(flatten)]
    #[serde(flatten)]
    pub losses: LossOptions,

    /// Simulated time ("6h", "90 min")
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Time")]
    pub duration: Option<Quantity>,
    /// When the run starts by the wall clock ("2021-07-14T12:00+02:00"); data with dates are placed by it
    #[arg(long, value_name = "DATE", help_heading = "Time")]
    pub start: Option<Moment>,
    /// Calibrated duration of one step of the automaton ("10s"); outputs are then in hours
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Time")]
    pub step: Option<Quantity>,
    /// The longest step that a rule with physical time may take ("10s")
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Time")]
    #[arg(help = format!(
        "The longest step that a rule with physical time may take (default: {DEFAULT_LONGEST} s)"
    ))]
    pub dt_max: Option<Quantity>,
    /// Number of steps of an automaton; without --step, rain and sources are per step (mm/step, m3/step)
    #[arg(long, value_name = "N", help_heading = "Time")]
    pub steps: Option<u64>,

    /// Flow rule
    #[arg(long, value_name = "RULE", value_parser = rule_names(), help_heading = "Rule")]
    #[arg(help = format!(
        "Flow rule: shallow-water for any flow in hours; inertial for slow rivers and flood plains, at Froude numbers below 0.9; aqua-manning as an independent check of slow flow; the other two have no clock (default: {DEFAULT_RULE}; with --step or --steps {DEFAULT_AUTOMATON})"
    ))]
    pub rule: Option<String>,
    /// Which cells around a cell exchange water with it
    #[arg(long, value_name = "NAME", value_parser = neighbourhoods(), help_heading = "Rule")]
    #[arg(help = format!(
        "Which cells around a cell exchange water with it (default: {DEFAULT_NEIGHBOURHOOD})"
    ))]
    pub neighbourhood: Option<Neighbourhood>,
    /// Order in space of the rule
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true, help_heading = "Rule")]
    #[arg(help = order_help())]
    pub order: Option<u32>,
    /// Relaxation of every transfer, up to 1 (each rule has its own default)
    #[arg(long, value_name = "ALPHA", allow_hyphen_values = true, help_heading = "Rule")]
    #[arg(help = alpha_help())]
    pub alpha: Option<f64>,
    /// How finely water is counted (default: auto)
    #[arg(long, value_name = "GRAIN", help_heading = "Rule")]
    pub grain: Option<GrainChoice>,

    /// Output folder
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    #[arg(help = format!("Output folder (default: {DEFAULT_OUT})"))]
    pub out: Option<PathBuf>,
    /// Layers to write, by name ("depth,max_velocity"), or all: `inundate layers` lists them; may be given several
    /// times (default: depth, max_depth, arrival_time)
    #[arg(long, value_name = "NAMES", value_parser = LayerNames, help_heading = "Output")]
    #[serde(deserialize_with = "one_or_many")]
    pub layers: Vec<String>,
    /// Also write depth, and other chosen layers that tell of one time, every so often ("15 min", or a number of steps)
    #[arg(long, value_name = "TIME|N", allow_hyphen_values = true, help_heading = "Output")]
    pub output_every: Option<Quantity>,
    /// Gauges: points at which depth, level and velocity are noted, as "x,y,name", a vector layer, or a
    /// CSV of name,x,y; may be given several times
    ///
    /// They are written to gauges.csv. Points of text and CSV are in the DEM's CRS.
    #[arg(long, value_name = "POINT|FILE", allow_hyphen_values = true, help_heading = "Output")]
    #[serde(deserialize_with = "one_or_many")]
    pub gauges: Vec<String>,
    /// Sections: lines through which the discharge is noted, as "x1,y1,x2,y2,name" or a vector layer; may
    /// be given several times
    ///
    /// They are written to sections.csv. Draw them from the left bank to the right bank, looking
    /// downstream: what flows downstream is then positive.
    #[arg(long, value_name = "LINE|FILE", allow_hyphen_values = true, help_heading = "Output")]
    #[serde(deserialize_with = "one_or_many")]
    pub sections: Vec<String>,
    /// How often gauges, sections and the balance of the volume are noted ("1 min", or a number of
    /// steps; default: about 300 times in a run, every 10 s to 15 min)
    #[arg(long, value_name = "TIME|N", allow_hyphen_values = true, help_heading = "Output")]
    pub gauge_every: Option<Quantity>,
    /// Depth from which on water counts as arrived
    #[arg(long, value_name = "DEPTH", allow_hyphen_values = true, help_heading = "Output")]
    #[arg(help = format!(
        "Depth from which on water counts as arrived (default: {DEFAULT_ARRIVAL_DEPTH} m); further ones, as in \"0.05 m,0.3 m\", each get a map of their own"
    ))]
    pub arrival_depth: Option<Quantity>,
    /// What the colours of maps go by (default: data)
    #[arg(long, value_name = "STYLE", help_heading = "Output")]
    #[arg(
        help = "What the colours of maps go by: round values about what the run has, or fixed ones, the same for every run (default: data)"
    )]
    pub style: Option<Choice>,
    /// Write the run's state every so often ("10 min" of wall-clock time): a run that was stopped goes on
    /// from there with `inundate resume`
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Output")]
    pub checkpoint_every: Option<Quantity>,
    /// Replace the results of an earlier run in the output folder
    #[arg(long, help_heading = "Output")]
    pub overwrite: bool,
    /// Show no progress and no summary
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// Print the report as JSON on stdout
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Device to compute on (default: auto)
    #[arg(long, value_name = "DEVICE", value_parser = DeviceParser, help_heading = "Machine")]
    pub device: Option<Device>,
    /// Device memory to use ("2GiB"; default: most of what is free); a grid that needs more is
    /// computed in tiles that take turns
    #[arg(long, value_name = "BYTES", help_heading = "Machine")]
    pub device_memory: Option<Quantity>,
    /// CPU threads (default: all)
    #[arg(long, value_name = "N", help_heading = "Machine")]
    pub threads: Option<usize>,
    /// Tile size in cells, "N" or "COLUMNSxROWS"; changes speed, never results
    #[arg(long, value_name = "SIZE", help_heading = "Machine", help = tile_help())]
    pub tile: Option<Quantity>,

    /// Also read from other machines and databases (/vsicurl/, https://, PG: and the like), and what VRTs name there or
    /// as raw files elsewhere; without it only files of this machine are read
    #[arg(long, help_heading = "Machine")]
    pub allow_remote: bool,

    /// The scenario file that these come from, if they do
    #[arg(skip)]
    #[serde(skip)]
    pub scenario_file: Option<PathBuf>,
}

/// The names of the registered rules, as values of a flag.
fn rule_names() -> clap::builder::PossibleValuesParser {
    let rules = crate::engine::rule::RULES.iter().filter(|rule| rule.order == 1);
    rules
        .map(|rule| clap::builder::PossibleValue::new(rule.name).help(rule.about))
        .collect::<Vec<_>>()
        .into()
}

/// Help of `--order`: the rules that have several.
fn order_help() -> String {
    let orders = crate::engine::rule::RULES.iter().filter(|rule| rule.order > 1);
    let orders: Vec<String> =
        orders.map(|rule| format!("1 or {} of {}", rule.order, rule.name)).collect();
    format!(
        "Order in space, {} (default: 1); the second takes about twice as long, and pays in deep smooth flow and for dam breaks on fine cells, not for sheets of rain and coarse steep valleys",
        orders.join(", ")
    )
}

/// Help of `--alpha`: each rule's own defaults.
fn alpha_help() -> String {
    let default = |rule: &&crate::engine::rule::RuleInfo| {
        let [four, eight] = Neighbourhood::ALL.map(|near| rule.default_alpha(near));
        Some(format!("{} {}/{}", rule.name, four?, eight?))
    };
    let defaults: Vec<String> = crate::engine::rule::RULES.iter().filter_map(default).collect();
    format!(
        "Relaxation of every transfer of an automaton, {LEAST_ALPHA} to 1 (default: {}, with {}/{})",
        defaults.join(", "),
        Neighbourhood::VonNeumann,
        Neighbourhood::Moore
    )
}

fn tile_help() -> String {
    let (columns, rows) = DEFAULT_TILE;
    format!(
        "Tile size in cells, \"N\" or \"COLUMNSxROWS\"; changes speed, never results (default on the CPU: {columns}x{rows}; on a GPU all of the grid that fits)"
    )
}

/// A parser of nothing but the options, to ask clap for their names.
#[derive(Parser)]
struct OptionsOnly {
    #[command(flatten)]
    _options: Options,
}

/// The keys of a scenario file, in the order of the help.
pub fn keys() -> Vec<String> {
    describe().into_iter().map(|(key, ..)| key).collect()
}

/// The flags of the options, in the order of the help.
pub fn arguments() -> Vec<clap::Arg> {
    let command = OptionsOnly::command();
    command.get_arguments().filter(|argument| argument.get_id() != "help").cloned().collect()
}

/// Key, help (its first line) and heading of every option, for generated docs and templates.
pub fn describe() -> Vec<(String, String, String)> {
    arguments()
        .iter()
        .map(|argument| {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            let heading = argument.get_help_heading().unwrap_or_default().to_string();
            (argument.get_id().to_string(), help, heading)
        })
        .collect()
}

/// The word that is most like another one.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> &'a str {
    let likeness = |known: &str| strsim::jaro_winkler(known, word);
    known
        .into_iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
        .expect("there are words to choose from")
}

/// An error does not say which key it is about: the one that fails alone.
fn key_at_fault(table: &toml::Table) -> String {
    let fails = |(key, value): &(&String, &toml::Value)| {
        let alone = toml::Table::from_iter([((*key).clone(), (*value).clone())]);
        toml::from_str::<Options>(&alone.to_string()).is_err()
    };
    table.iter().find(fails).map(|(key, _)| format!("{key}: ")).unwrap_or_default()
}

impl Options {
    /// Reads a scenario file. Paths in it are relative to its folder.
    pub fn from_file(path: &Path) -> Result<Options> {
        let shown = path.display();
        let text =
            text::text(path, text::SCENARIO).map_err(|error| toml_hint::of_file(path, &error))?;
        // Some editors put a mark of the byte order first.
        let text = text.trim_start_matches('\u{feff}');
        let mut options = Options::from_toml(text, &shown.to_string())?;
        let folder = path.parent().unwrap_or(Path::new(""));
        options.make_relative_to(folder);
        options.scenario_file = Some(path.to_path_buf());
        Ok(options)
    }

    /// The keys that are set, as a scenario file would have them; for the report.
    pub fn parameters(&self) -> serde_json::Value {
        let mut readable = self.clone();
        // Paths that are not UTF-8 are told as well as they can be.
        let show = |path: &mut PathBuf| *path = path.to_string_lossy().into_owned().into();
        let paths = [&mut readable.dem, &mut readable.inflow_depth, &mut readable.sinks];
        let land_cover = [&mut readable.land_cover, &mut readable.land_cover_table];
        let works =
            [&mut readable.buildings, &mut readable.walls, &mut readable.links, &mut readable.out];
        paths.into_iter().chain(land_cover).chain(works).flatten().for_each(show);
        readable.losses.paths().for_each(show);
        let mut keys = serde_json::to_value(&readable).unwrap_or_default();
        if let Some(keys) = keys.as_object_mut() {
            let unset = |value: &serde_json::Value| {
                value.is_null() || *value == false || value.as_array().is_some_and(Vec::is_empty)
            };
            keys.retain(|_, value| !unset(value));
        }
        keys
    }

    /// Reads the text of a scenario file; `name` is for messages.
    pub fn from_toml(text: &str, name: &str) -> Result<Options> {
        let wrong = |key: &str, error: toml::de::Error| {
            let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
            let place = line.map(|line| format!(", line {line}")).unwrap_or_default();
            let said = line.and_then(|line| text.lines().nth(line - 1)).unwrap_or_default();
            Error::input(format!("'{name}'{place}: {key}{}", error.message()))
                .hint(toml_hint::of_message(error.message(), said))
        };
        let table: toml::Table = toml::from_str(text).map_err(|error| wrong("", error))?;
        Options::check_keys(&table, &format!("'{name}'"))?;
        toml::from_str(text).map_err(|error| wrong(&key_at_fault(&table), error))
    }

    /// Refuses keys that are none of the options'; `name` is where they stand.
    pub fn check_keys(table: &toml::Table, name: &str) -> Result<()> {
        let known = keys();
        let Some(key) = table.keys().find(|key| !known.contains(key)) else { return Ok(()) };
        let nearest = nearest(key, known.iter().map(String::as_str));
        Err(Error::input(format!("{name}: unknown key '{key}'")).hint(format!(
            "the nearest known key is '{nearest}'; `inundate new dem.tif` prints all of them"
        )))
    }

    /// Reads a table of keys that is part of another file; `name` is for messages, paths are relative to
    /// `folder`.
    pub fn from_table(table: &toml::Table, name: &str, folder: &Path) -> Result<Options> {
        Options::check_keys(table, name)?;
        // As text, for a table would take times of day for texts.
        let mut options: Options = toml::from_str(&table.to_string()).map_err(|error| {
            Error::input(format!("{name}: {}{}", key_at_fault(table), error.message()))
                .hint(toml_hint::of_message(error.message(), ""))
        })?;
        options.make_relative_to(folder);
        Ok(options)
    }

    /// These options, with those of a file where they are unset. A duration given here also takes
    /// the place of the file's number of steps, and the other way round.
    pub fn over(self, file: Options) -> Options {
        let steps = self.steps.or(file.steps.filter(|_| self.duration.is_none()));
        Options {
            dem: self.dem.or(file.dem),
            nodata: self.nodata.or(file.nodata),
            height_unit: self.height_unit.or(file.height_unit),
            accept_distortion: self.accept_distortion || file.accept_distortion,
            roughness: self.roughness.or(file.roughness),
            land_cover: self.land_cover.or(file.land_cover),
            land_cover_table: self.land_cover_table.or(file.land_cover_table),
            open: self.open.or(file.open),
            closed: self.closed.or(file.closed),
            outflow_slope: if self.outflow_slope.is_empty() {
                file.outflow_slope
            } else {
                self.outflow_slope
            },
            buildings: self.buildings.or(file.buildings),
            building_height: self.building_height.or(file.building_height),
            walls: self.walls.or(file.walls),
            rain: self.rain.or(file.rain),
            rain_unit: self.rain_unit.or(file.rain_unit),
            rain_duration: self.rain_duration.or(file.rain_duration),
            rain_interval: self.rain_interval.or(file.rain_interval),
            rain_variable: self.rain_variable.or(file.rain_variable),
            rain_factor: self.rain_factor.or(file.rain_factor),
            source: if self.source.is_empty() { file.source } else { self.source },
            level: if self.level.is_empty() { file.level } else { self.level },
            links: self.links.or(file.links),
            inflow_depth: self.inflow_depth.or(file.inflow_depth),
            sinks: self.sinks.or(file.sinks),
            initial_depth: self.initial_depth.or(file.initial_depth),
            initial_level: self.initial_level.or(file.initial_level),
            losses: self.losses.over(file.losses),
            duration: self.duration.or(file.duration.filter(|_| self.steps.is_none())),
            start: self.start.or(file.start),
            step: self.step.or(file.step),
            dt_max: self.dt_max.or(file.dt_max),
            steps,
            rule: self.rule.or(file.rule),
            neighbourhood: self.neighbourhood.or(file.neighbourhood),
            order: self.order.or(file.order),
            alpha: self.alpha.or(file.alpha),
            grain: self.grain.or(file.grain),
            out: self.out.or(file.out),
            output_every: self.output_every.or(file.output_every),
            layers: if self.layers.is_empty() { file.layers } else { self.layers },
            gauges: if self.gauges.is_empty() { file.gauges } else { self.gauges },
            sections: if self.sections.is_empty() { file.sections } else { self.sections },
            gauge_every: self.gauge_every.or(file.gauge_every),
            arrival_depth: self.arrival_depth.or(file.arrival_depth),
            style: self.style.or(file.style),
            checkpoint_every: self.checkpoint_every.or(file.checkpoint_every),
            overwrite: self.overwrite || file.overwrite,
            quiet: self.quiet || file.quiet,
            json: self.json || file.json,
            device: self.device.or(file.device),
            device_memory: self.device_memory.or(file.device_memory),
            threads: self.threads.or(file.threads),
            tile: self.tile.or(file.tile),
            allow_remote: self.allow_remote || file.allow_remote,
            scenario_file: self.scenario_file.or(file.scenario_file),
        }
    }

    /// Columns and rows of a tile.
    pub fn tile_size(&self) -> Result<(usize, usize)> {
        let Some(Quantity(text)) = &self.tile else { return Ok(DEFAULT_TILE) };
        let wrong = || {
            Error::input(format!("tile: '{text}' is not a tile size")).hint("write 256 or 512x128")
        };
        let number = |text: &str| match text.trim().parse::<usize>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(wrong()),
        };
        match text.split_once('x') {
            Some((columns, rows)) => Ok((number(columns)?, number(rows)?)),
            None => number(text).map(|size| (size, size)),
        }
    }

    /// Makes relative paths relative to a folder instead of the working folder.
    fn make_relative_to(&mut self, folder: &Path) {
        let fix = |path: &mut PathBuf| *path = folder.join(&*path);
        let paths = [&mut self.dem, &mut self.inflow_depth, &mut self.sinks, &mut self.out];
        let works = [&mut self.buildings, &mut self.walls, &mut self.links];
        let paths = paths.into_iter().chain(works);
        let table =
            self.land_cover_table.as_mut().filter(|table| !bundled::is_one(table, &BUNDLED));
        let land_cover = self.land_cover.iter_mut().chain(table);
        paths.flatten().chain(land_cover).for_each(fix);
        self.losses.make_relative_to(folder);
        // These may be a file or something else: a file if there is one of that name.
        let fix_text = |text: &mut String| {
            let path = folder.join(&*text);
            if path.exists() || looks_like_a_file(text) {
                *text = path.to_string_lossy().into_owned();
            }
        };
        let water = [&mut self.rain, &mut self.initial_depth, &mut self.initial_level];
        let texts = water.into_iter().chain([&mut self.roughness]);
        texts.flatten().for_each(|quantity| fix_text(&mut quantity.0));
        // Behind a point or a side may be a file, too.
        let fix_placed = |text: &mut String| match split_place(text) {
            Some((place, value)) if !folder.join(&*text).exists() => {
                let file = folder.join(value.trim());
                if file.exists() || is_a_table(value) {
                    *text = format!("{place},{}", file.to_string_lossy());
                }
            }
            _ => fix_text(text),
        };
        self.source.iter_mut().chain(&mut self.level).for_each(fix_placed);
        // Points and lines have nothing behind them but a name.
        let files = self.gauges.iter_mut().chain(&mut self.sections);
        files.filter(|text| !starts_with_numbers(text)).for_each(fix_text);
    }
}
