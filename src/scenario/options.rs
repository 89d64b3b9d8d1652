//! Options of a run. Every flag is also a key of a scenario file. Each option has an example of its
//! value (`visit.rs`).
//!
//! Flags write words with dashes, files with underscores. Numbers stay text until
//! [`super::build()`] parses their units.
//!
//! The flags are declared here instead of in `cli`: the same table defines the keys of scenario
//! files, studies, checkpoints and schemas, which layers below the command line read.

mod help;
mod read;

pub use read::{OptionHelp, arguments, describe, example, keys, synonyms};

use super::layer_names::LayerNames;
use super::losses::options::LossOptions;
pub use super::outflow_slopes::SideSlope;
pub use super::places::Points;
use super::report_details::ReportOptions;
pub use super::sides::Sides;
pub use super::value_or_file::{Place, Placed, TableName, ValueOrFile, Written};
use super::values::one_or_many;
pub use super::values::{
    DeviceParser, GrainChoice, Moment, OutputGrid, OutputSurface, Quantity, neighbourhoods,
};
use super::visit::{Key, Value};
use crate::engine::backend::cpu::DEFAULT_TILE;
pub use crate::engine::device::Device;
use crate::engine::hazard::SHALLOW;
use crate::engine::neighbourhood::Neighbourhood;
use crate::engine::roughness::DEFAULT_ROUGHNESS;
use crate::engine::time_step::DEFAULT_LONGEST;
use crate::error::{Error, Result};
use crate::input::description::rain_values::RainValues;
use crate::input::tables::bundled;
use crate::input::tables::class_table::BUNDLED;
use crate::output::colour::Choice;
use crate::output::compression::Compression;
use crate::output::stack::StackFormat;
use crate::units::Metre;
use clap::Args;
use help::{alpha_help, order_help, solver_names, tile_help};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Height above ground of a building without one of its own (m): more than any flood is deep.
pub const DEFAULT_BUILDING_HEIGHT: Metre = 10.0;
/// Default solver for runs in physical time.
pub const DEFAULT_SOLVER: &str = "shallow-water";
/// Default solver for runs that count steps, or that set the duration of a step.
pub const DEFAULT_AUTOMATON: &str = "aqua-graph";
/// Default neighbourhood.
pub const DEFAULT_NEIGHBOURHOOD: Neighbourhood = Neighbourhood::VonNeumann;
/// Default arrival depth (m).
pub const DEFAULT_ARRIVAL_DEPTH: Metre = 0.05;
/// Default output folder.
pub const DEFAULT_OUT: &str = "results";

options! {
/// Options of a run; unset options have their defaults.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Terrain: any raster that GDAL reads, in a projected CRS
    #[arg(long, value_name = "RASTER", help_heading = "Terrain")]
    pub dem: Option<PathBuf> = "dem.tif"
        => "terrain bathymetry elevation topography dtm ground bed",
    /// Additional value of the DEM that marks cells outside the domain; "nan" to use only the
    /// declared one
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = "Terrain")]
    #[serde(with = "super::values::maybe_nan")]
    pub nodata: Option<f64> = "-9999" => "no_data nodata_value missing_value",
    /// Unit of the DEM's heights (m, dm, cm, mm, ft, us-ft), if the file declares none or a wrong
    /// one
    #[arg(long, value_name = "UNIT", help_heading = "Terrain")]
    pub height_unit: Option<String> = "ft" => "dem_unit vertical_unit z_unit",
    /// Compute on coarse cells of N × N pixels of the DEM ("8"), with tables of the terrain inside
    /// each cell: subgrid topography
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "Terrain")]
    pub subgrid: Option<usize> = "8" => "resolution cell_size cellsize dx coarsen upscale",
    /// Cache file of the subgrid tables: written if it does not exist, otherwise read, so that
    /// later runs on the same terrain start faster
    #[arg(long, value_name = "FILE", help_heading = "Terrain")]
    pub subgrid_tables: Option<PathBuf> = "tables.bin" => "tables cache",
    /// Accept a DEM whose CRS, such as Web Mercator, distorts lengths by more than 5 % in its area
    #[arg(long, help_heading = "Terrain")]
    pub accept_distortion: bool = "true" => "distortion web_mercator",
    /// Treat all coordinates as local metres instead of a place on the Earth (a flume, a test case)
    #[arg(long, help_heading = "Terrain")]
    pub local_metres: bool = "true" => "local flume no_crs",
    /// Manning's n in s/m^(1/3): a number ("0.03") or a raster
    #[arg(long, value_name = "N|RASTER", allow_hyphen_values = true, help_heading = "Terrain")]
    #[arg(help = format!(
        "Manning's n in s/m^(1/3): a number (\"0.03\") or a raster (default: {DEFAULT_ROUGHNESS})"
    ))]
    pub roughness: Option<ValueOrFile> = "0.03"
        => "manning mannings manning_n mannings_n n friction strickler",
    /// Land cover: a raster of classes; a table gives Manning's n of each class
    #[arg(long, value_name = "RASTER", help_heading = "Terrain")]
    pub land_cover: Option<PathBuf> = "worldcover.tif" => "landcover land_use landuse lulc",
    /// Manning's n by land cover class: a bundled table, or a CSV
    #[arg(long, value_name = "NAME|CSV", help_heading = "Terrain")]
    #[arg(help = format!(
        "Manning's n by land cover class: a bundled table ({}) or a CSV of class,n,name", bundled::names(&BUNDLED)
    ))]
    pub land_cover_table: Option<TableName> = "worldcover"
        => "manning_table roughness_table friction_table",
    /// Free outflow: open sides of the raster, north, east, south, west or all (default: closed); a
    /// part of a side by the distances (m) from its northern or western end, "west:0-1200"; or a
    /// layer of lines along it
    #[arg(long, value_name = "SIDES|FILE", help_heading = "Terrain")]
    pub open: Option<ValueOrFile<Written<Sides>>> = "all"
        => "boundary boundaries bc outlet outlets outflow free_outflow",
    /// Sides that stay closed with --open all; all sides are closed by default
    #[arg(long, value_name = "SIDES", help_heading = "Terrain")]
    pub closed: Option<Written<Sides>> = "north" => "no_flow closed_boundary closed_sides",
    /// Outflow at normal depth: the bed slope beyond the open sides, "0.001", or "south,0.001" for
    /// a side or a part of one, which need not be in open; may be given several times
    #[arg(long, value_name = "[SIDE,]SLOPE", allow_hyphen_values = true, help_heading = "Terrain")]
    #[serde(deserialize_with = "one_or_many")]
    pub outflow_slope: Vec<Written<SideSlope>> = "south,0.001"
        => "normal_depth bed_slope energy_slope slope",
    /// Buildings: a vector layer of polygons, raised by the field `height` or by building_height
    #[arg(long, value_name = "FILE", help_heading = "Terrain")]
    pub buildings: Option<PathBuf> = "buildings.gpkg" => "houses footprints",
    /// Height of buildings without a field `height` ("5 m"), or "block" to exclude the cells of all
    /// buildings from the domain
    #[arg(long, value_name = "HEIGHT", allow_hyphen_values = true, help_heading = "Terrain")]
    #[arg(help = format!(
        "Height of buildings without a field `height` (default: {DEFAULT_BUILDING_HEIGHT} m), or \"block\" to exclude the cells of all buildings from the domain"
    ))]
    pub building_height: Option<Quantity> = "5 m" => "house_height roof_height",
    /// Walls: a vector layer of lines with a field `level` (crest, m above the DEM's zero) or
    /// `height` (above the ground)
    #[arg(long, value_name = "FILE", help_heading = "Terrain")]
    pub walls: Option<PathBuf> = "walls.gpkg"
        => "levee levees dike dikes dyke embankment embankments floodwall barrier",
    /// Rivers: a vector layer of lines, drawn downstream, with fields `width` (m) and `bed_level`
    /// (m above the DEM's zero) or `depth` (below the ground), which lower the bed; with --subgrid,
    /// rivers narrower than a cell lower the terrain in its table
    #[arg(long, value_name = "FILE", help_heading = "Terrain")]
    pub rivers: Option<PathBuf> = "rivers.gpkg" => "channel channels stream streams burn",
    /// Openings in roads and embankments of the DEM: a vector layer of lines from ground to ground,
    /// along which the bed is lowered to the straight line between their ends, or to the field
    /// `level`
    #[arg(long, value_name = "FILE", help_heading = "Terrain")]
    pub openings: Option<PathBuf> = "openings.gpkg"
        => "underpass underpasses passages culvert culverts",

    /// Rain: a rate ("50 mm/h", "4 mm/15min"), a design storm ("design:100mm/6h/chicago:0.4"), a
    /// CSV of time and rain, a raster, a series of rasters (bands with times, a folder, or a CSV of
    /// file,time), or rain gauges (a vector layer, or a CSV of x,y,series)
    ///
    /// A CSV of rain has a header line with the units and two columns separated by a comma: the
    /// time, and the rate from that time until the next. For example: `time [h],rain [mm/h]`, then
    /// lines like `0.5,40`. Other units are min and s, or mm/min and in/h; `mm` is the depth until
    /// the next time; `step,rain [mm/step]` counts steps; times may be dates (2021-07-14T13:05).
    /// The last rate holds to the end of the run: end with a rate of 0. Rasters contain mm/h unless
    /// their band or --rain-unit declares another unit. Gauges have a field `hyetograph` (a CSV) or
    /// `rain` (a rate), and each cell uses the nearest gauge.
    #[arg(
        long,
        value_name = "RATE|FILE|FOLDER",
        allow_hyphen_values = true,
        help_heading = "Water"
    )]
    pub rain: Option<ValueOrFile> = "30 mm/h"
        => "rainfall precipitation precip hyetograph storm design_storm",
    /// Unit of rain rasters ("mm/h", "in/h", "mm/15min"); "mm" or "in" is the depth of a raster's
    /// interval, or of the whole event for a single raster
    #[arg(long, value_name = "UNIT", help_heading = "Water")]
    pub rain_unit: Option<String> = "mm" => "rainfall_unit precipitation_unit",
    /// Duration of the rain of a single raster with a depth ("6h"; default: the whole run)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Water")]
    pub rain_duration: Option<Quantity> = "6h" => "storm_duration rainfall_duration",
    /// Interval between rain rasters ("15min"), if their bands have no times
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Water")]
    pub rain_interval: Option<Quantity> = "15min" => "rain_step rainfall_interval",
    /// Rain variable of a NetCDF file with several variables
    #[arg(long, value_name = "NAME", help_heading = "Water")]
    pub rain_variable: Option<String> = "rainfall" => "variable",
    /// Meaning of the values of a series of rain, if the file does not declare it or is wrong: the
    /// rain of each interval (interval), or the depth accumulated since the start or the last reset
    /// (accumulated)
    #[arg(long, value_name = "MEANING", help_heading = "Water")]
    pub rain_values: Option<RainValues> = "accumulated" => "cumulative accumulated",
    /// Factor that multiplies all rain, such as an areal reduction factor
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true, help_heading = "Water")]
    pub rain_factor: Option<f64> = "0.95" => "arf areal_reduction multiplier scale",
    /// Inflow, constant or a hydrograph: "x,y,20 m3/s" or "x,y,hydrograph.csv" at a point, a vector
    /// layer, or a raster of m³/s per cell; may be given several times
    ///
    /// A hydrograph has a header line with the units, `time [h],flow [m3/s]`, then a line per time;
    /// the flow is linear in between. It is 0 before the first time, and constant after the last
    /// one. A layer of points, lines or polygons has a field `flow` (a number in m³/s, or a text
    /// with a unit) or `hydrograph` (a CSV, relative to the layer). The flow is the total of a
    /// feature, divided equally among the cells that it touches; a MultiPoint is one feature, so
    /// its points share one total.
    #[arg(long, value_name = "POINT|FILE", allow_hyphen_values = true, help_heading = "Water")]
    #[serde(deserialize_with = "one_or_many")]
    pub source: Vec<Placed> = r#"["{x},{y},20 m3/s", "{x},{y},hydrograph.csv", "sources.gpkg", "inflow.tif"]"#
        => "inflow inflows hydrograph hydrographs discharge flow q point_source",
    /// Stage boundary, a fixed or changing water level (m above the DEM's zero): "west,2.4 m" or
    /// "west:0-1200,tide.csv" along a side of the raster or a part of one, or a vector layer; may
    /// be given several times
    ///
    /// The CSV has a header line with the units, `time [h],level [m]`, then a line per time; the
    /// level is linear in between, and constant before the first time and after the last one. A
    /// layer of points, lines or polygons has a field `level` (a number in m, or a text with a
    /// unit) or `stage` (a CSV, relative to the layer). Water enters and leaves so that the cells
    /// keep the level.
    #[arg(long, value_name = "SIDE|FILE", allow_hyphen_values = true, help_heading = "Water")]
    #[serde(deserialize_with = "one_or_many")]
    pub level: Vec<Placed> = r#"["west,2.4 m", "east,tide.csv", "levels.gpkg"]"#
        => "stage stages tide surge water_level wse head boundary bc",
    /// Rating curves of outflow: "west,rating.csv" along a side of the raster or a part of one,
    /// "x,y,rating.csv" at a point, or a vector layer with a field `rating`; may be given several
    /// times
    ///
    /// The CSV has a header line with the units, `level [m],flow [m3/s]` (levels above the DEM's
    /// zero) or `depth [m],flow [m3/s]`, then a line per level, ascending; the flow is linear in
    /// between.
    #[arg(long, value_name = "PLACE|FILE", allow_hyphen_values = true, help_heading = "Water")]
    #[serde(deserialize_with = "one_or_many")]
    pub rating: Vec<Placed> = r#"["west,rating.csv", "{x},{y},rating.csv", "ratings.gpkg"]"#
        => "rating_curve stage_discharge outlet",
    /// Pumps and culverts: a vector layer of lines from the inlet to the outlet, or a CSV of
    /// x1,y1,x2,y2,kind and the columns of the kind
    ///
    /// A pump has a `capacity` (m³/s) and may have a `start_depth` and a `stop_depth` of the inlet.
    /// A culvert, or a flap (a culvert without backflow), has a `rating` (a CSV of head and flow),
    /// a `diameter`, or a `width` and a `height`.
    #[arg(long, value_name = "FILE", help_heading = "Water")]
    pub links: Option<PathBuf> = "links.gpkg"
        => "pump pumps culvert culverts flap flap_gate pipe",
    /// Weirs, gates, bridges and breaches: a vector layer of their lines, or a CSV of
    /// x1,y1,x2,y2,kind and the columns of the kind
    ///
    /// A weir has a `crest` or a `height`; a gate an `opening` or an `opening_series` (a CSV); a
    /// bridge a `soffit` and optionally a `deck`; a breach a `crest`, its final size and its
    /// trigger. They control the flow over the cell edges that their line follows, in place of the
    /// solver.
    #[arg(long, value_name = "FILE", help_heading = "Water")]
    pub structures: Option<PathBuf> = "structures.gpkg"
        => "weir weirs gate gates sluice bridge bridges breach dam_break",
    /// Sewers: an input file of EPA SWMM, whose nodes exchange water with the map
    ///
    /// SWMM computes the pipes; its library is loaded at run time (`pip install swmm-toolkit`, and
    /// INUNDATE_SWMM). Every junction, storage unit and outfall with coordinates on the map takes
    /// part: water enters and leaves by weir and orifice equations, and an outfall discharges into
    /// its cell, whose level is its stage.
    #[arg(long, value_name = "INP", help_heading = "Water")]
    pub sewers: Option<PathBuf> = "town.inp" => "swmm pipes pipe_network sewer_network",
    /// Inlets of the sewers, in place of one at each node: a vector layer of points with a field
    /// `name` (of the node), and optionally `crest`, `area`, `length` and `inlets`
    ///
    /// A node may have several points. `crest` is a level in m above the DEM's zero (default: the
    /// ground), `area` the opening in m² and `length` its crest in m (default: a round cover of
    /// 0.6 m), `inlets` the number of equal openings at the point.
    #[arg(long, value_name = "FILE", help_heading = "Water")]
    pub sewer_nodes: Option<PathBuf> = "inlets.gpkg" => "manholes inlets gullies",
    /// Interval of the exchange with the sewers ("5s"; default: the routing step of the input file)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Water")]
    pub sewer_interval: Option<Quantity> = "5s",
    /// CRS of the coordinates in the sewers' input file, if it is not the DEM's ("EPSG:25832")
    #[arg(long, value_name = "CRS", help_heading = "Water")]
    pub sewer_crs: Option<String> = "EPSG:25832",
    /// Inflow cells: a raster of depths (m) to which cells are filled up at every step
    #[arg(long, value_name = "RASTER", help_heading = "Water")]
    pub inflow_depth: Option<PathBuf> = "inflow_depth.tif" => "fixed_depth",
    /// Sink cells: a raster whose nonzero cells are emptied at every step
    #[arg(long, value_name = "RASTER", help_heading = "Water")]
    pub sinks: Option<PathBuf> = "sinks.tif" => "sink",
    /// Initial condition: a depth ("0.5 m") everywhere, or a raster of depths (m) (default: dry)
    #[arg(long, value_name = "DEPTH|RASTER", allow_hyphen_values = true, help_heading = "Water")]
    pub initial_depth: Option<ValueOrFile> = "initial_depth.tif"
        => "initial_water initial_condition initial_conditions h0",
    /// Initial condition: water up to a level, "12.5 m" above the DEM's zero everywhere, or a
    /// vector layer of polygons with a field `level`
    #[arg(long, value_name = "LEVEL|FILE", allow_hyphen_values = true, help_heading = "Water")]
    pub initial_level: Option<ValueOrFile> = "12.5 m"
        => "initial_stage initial_wse initial_condition lake reservoir",

    /// Start from the final water and flow of an earlier run: its output folder (its end, with
    /// --keep-state, or the last checkpoint of a stopped run), or a state file
    #[arg(long, value_name = "OUT|FILE", help_heading = "Water")]
    pub start_from: Option<PathBuf> = "results"
        => "restart hotstart hot_start warm_start initial_state",

    /// Losses to the ground, sewers and the air
    #[command(flatten)]
    #[serde(flatten)]
    pub losses: LossOptions = "",

    /// Simulated time ("6h", "90 min")
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Time")]
    pub duration: Option<Quantity> = "2h"
        => "time end_time simulation_time run_time sim_time t_end end stop_time length",
    /// Start of the run by the wall clock ("2021-07-14T12:00+02:00"); data with dates are placed
    /// relative to it
    #[arg(long, value_name = "DATE", help_heading = "Time")]
    pub start: Option<Moment> = "2021-07-14T12:00+02:00" => "start_time start_date begin t0",
    /// Calibrated duration of one step of an automaton ("10s"); outputs are then in hours
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Time")]
    pub step: Option<Quantity> = "10s" => "time_step timestep",
    /// Longest time step ("10s")
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Time")]
    #[arg(help = format!(
        "Longest time step (not for automata); the flow may require shorter steps, at a Courant number of 0.5 (default: {DEFAULT_LONGEST} s)"
    ))]
    pub dt_max: Option<Quantity> = "10s"
        => "dt max_dt time_step timestep cfl courant courant_number",
    /// Number of steps of an automaton; without --step, rain and sources are per step (mm/step,
    /// m3/step)
    #[arg(long, value_name = "N", help_heading = "Time")]
    pub steps: Option<u64> = "1000" => "n_steps nsteps iterations",

    /// Solver (formerly `rule`, which is still accepted)
    #[arg(long, alias = "rule", value_name = "SOLVER", value_parser = solver_names(), help_heading = "Solver")]
    #[arg(help = format!(
        "Solver: shallow-water (full equations) for any flood; inertial for slow rivers and flood plains, at Froude numbers below 0.9; aqua-manning (diffusion wave) as an independent check of slow flow on slopes above 0.0008; the other two are automata, which count steps (default: {DEFAULT_SOLVER}; with --step or --steps {DEFAULT_AUTOMATON})"
    ))]
    #[serde(alias = "rule")]
    pub solver: Option<String> = "shallow-water" => "scheme model method equations",
    /// Neighbours with which a cell exchanges water
    #[arg(long, value_name = "NAME", value_parser = neighbourhoods(), help_heading = "Solver")]
    #[arg(help = format!(
        "Neighbours with which a cell exchanges water (default: {DEFAULT_NEIGHBOURHOOD})"
    ))]
    pub neighbourhood: Option<Neighbourhood> = "von-neumann"
        => "neighbours neighbors stencil connectivity",
    /// Order of the solver in space
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true, help_heading = "Solver")]
    #[arg(help = order_help())]
    pub order: Option<u32> = "2" => "accuracy spatial_order",
    /// Relaxation of every transfer, up to 1 (each solver has its own default)
    #[arg(long, value_name = "ALPHA", allow_hyphen_values = true, help_heading = "Solver")]
    #[arg(help = alpha_help())]
    pub alpha: Option<f64> = "0.4" => "relaxation",
    /// Resolution of the water depth (fixed-point), which also limits the depth: fine 2^-24 m to
    /// 128 m, coarse 2^-17 m to 16383 m (default: auto)
    #[arg(long, value_name = "GRAIN", help_heading = "Solver")]
    pub grain: Option<GrainChoice> = "auto" => "precision depth_resolution",

    /// Output folder
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    #[arg(help = format!("Output folder (default: {DEFAULT_OUT})"))]
    pub out: Option<PathBuf> = "results" => "output output_dir output_folder outdir dir folder o",
    /// Layers to write, by name ("depth,max_velocity"), or all; `inundate layers` lists them; may
    /// be given several times (default: depth, max_depth, arrival_time)
    #[arg(long, value_name = "NAMES", value_parser = LayerNames::All, help_heading = "Output")]
    #[serde(deserialize_with = "one_or_many")]
    pub layers: Vec<String> = "depth,max_depth,arrival_time,max_velocity,max_hazard"
        => "outputs maps rasters",
    /// Interval of maps ("15 min", or a number of steps if steps have no duration): also write
    /// depth, and the other chosen layers of a single time, at this interval
    #[arg(long, value_name = "TIME|N", allow_hyphen_values = true, help_heading = "Output")]
    pub output_every: Option<Quantity> = "30 min"
        => "output_interval map_interval save_interval write_interval interval",
    /// Also write the series of maps as one file, for xarray and other tools: series.zarr or
    /// series.nc (default: tif, none)
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub series: Option<StackFormat> = "zarr" => "netcdf nc",
    /// Gauges: points for time series of depth, level and velocity, as "x,y,name", a vector layer,
    /// or a CSV of name,x,y; may be given several times
    ///
    /// They are written to gauges.csv. Points in text and CSV are in the DEM's CRS.
    #[arg(long, value_name = "POINT|FILE", allow_hyphen_values = true, help_heading = "Output")]
    #[serde(deserialize_with = "one_or_many")]
    pub gauges: Vec<ValueOrFile<Written<Points<1>>>> = r#"["{x},{y},bridge", "gauges.gpkg", "gauges.csv"]"#
        => "stations probes observation_points",
    /// Cross sections: lines for time series of the discharge through them, as "x1,y1,x2,y2,name"
    /// or a vector layer; may be given several times
    ///
    /// They are written to sections.csv. Draw them from the left bank to the right bank, looking
    /// downstream: downstream flow is then positive.
    #[arg(long, value_name = "LINE|FILE", allow_hyphen_values = true, help_heading = "Output")]
    #[serde(deserialize_with = "one_or_many")]
    pub sections: Vec<ValueOrFile<Written<Points<2>>>> = r#"["{x},{y},{x},{end},weir", "sections.gpkg"]"#
        => "cross_section cross_sections transect transects",
    /// Many points, such as buildings: a vector layer of points or polygons; the greatest depth,
    /// level, velocity and hazard, the arrival and the duration at each are written to points.csv
    /// and points.gpkg
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub points: Option<PathBuf> = "buildings.gpkg" => "receptors assets exposure",
    /// Depth-damage curves of the points: a CSV of class, depth and damage, a fraction of the field
    /// `value` or an amount per m²
    ///
    /// It starts with `class,depth [m],fraction` or `class,depth [m],per_m2`, then has a line for
    /// each depth of a class. Areas are those of the polygons, or in a field `area` (m²).
    #[arg(long, value_name = "CSV", help_heading = "Output")]
    pub damage_curves: Option<PathBuf> = "damage_curves.csv" => "damage depth_damage vulnerability",
    /// Field of the points with the class of their damage curve (default: class)
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    pub damage_field: Option<String> = "class",
    /// Interval of the time series of gauges, sections and the mass balance ("1 min", or a number
    /// of steps if steps have no duration; default: about 300 values in a run, every 10 s to 15 min)
    #[arg(long, value_name = "TIME|N", allow_hyphen_values = true, help_heading = "Output")]
    pub gauge_every: Option<Quantity> = "1 min" => "gauge_interval",
    /// Depth at which water counts as arrived
    #[arg(long, value_name = "DEPTH", allow_hyphen_values = true, help_heading = "Output")]
    #[arg(help = format!(
        "Depth at which water counts as arrived (default: {DEFAULT_ARRIVAL_DEPTH} m); several depths, as in \"0.05 m,0.3 m\", write a map each"
    ))]
    pub arrival_depth: Option<Quantity> = "0.05 m"
        => "wet_depth wet_threshold threshold depth_threshold dry_depth",
    /// Depths of the extents of the flood, as in "0.1 m,0.5 m": polygons around the water that was
    /// deeper at its maximum, with area and volume, are written to extents.gpkg
    #[arg(long, value_name = "DEPTH", allow_hyphen_values = true, help_heading = "Output")]
    pub extents: Option<Quantity> = "0.1 m" => "polygons flood_extent outline",
    /// Also write the extents at each time of --output-every
    #[arg(long, help_heading = "Output")]
    pub extent_series: bool = "true",
    /// Depth up to which water is not a hazard, in the maps of hazard ratings and classes
    #[arg(long, value_name = "DEPTH", allow_hyphen_values = true, help_heading = "Output")]
    #[arg(help = format!(
        "Depth up to which water is not a hazard, in the maps of hazard ratings and classes (default: {SHALLOW} m)"
    ))]
    pub hazard_depth: Option<Quantity> = "0.1 m",
    /// Classes of the colours of maps (default: data)
    #[arg(long, value_name = "STYLE", help_heading = "Output")]
    #[arg(
        help = "Classes of the colours of maps: round values that fit the run (data), or the same values for every run (fixed) (default: data)"
    )]
    pub style: Option<Choice> = "fixed" => "colours colors",
    /// Grid of the maps of a run with --subgrid: the DEM's grid, or the cells' grid (default: fine)
    #[arg(long, value_name = "GRID", help_heading = "Output")]
    pub output_grid: Option<OutputGrid> = "coarse",
    /// Water surface on the DEM's grid of a run with --subgrid: sloping between connected cells, or
    /// flat in each cell (default: sloping)
    #[arg(long, value_name = "SURFACE", help_heading = "Output")]
    pub output_surface: Option<OutputSurface> = "flat",
    /// Lossless compression of maps (default: deflate)
    #[arg(long, value_name = "CODEC", help_heading = "Output")]
    pub compress: Option<Compression> = "deflate" => "compression",
    /// Interval of checkpoints ("10 min" of wall-clock time), from which `inundate resume`
    /// continues a stopped run
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Output")]
    pub checkpoint_every: Option<Quantity> = "10 min"
        => "checkpoint checkpoints checkpoint_interval restart_interval",
    /// Keep the final state as state.inundate in the output folder; later runs can start from it
    /// with --start-from
    #[arg(long, help_heading = "Output")]
    pub keep_state: bool = "true" => "save_state",
    /// Replace the results of an earlier run in the output folder
    #[arg(long, help_heading = "Output")]
    pub overwrite: bool = "true" => "force replace clobber f",
    /// Show no progress and no summary
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool = "true" => "silent",
    /// Print the report as JSON on stdout
    #[arg(long, help_heading = "Output")]
    pub json: bool = "true",

    /// Title, author, logo and background of the report
    #[command(flatten)]
    #[serde(flatten)]
    pub report_details: ReportOptions = "",

    /// Device to compute on (default: auto)
    #[arg(long, value_name = "DEVICE", value_parser = DeviceParser, help_heading = "Machine")]
    pub device: Option<Device> = "auto" => "gpu cuda cpu processor",
    /// Device memory to use ("2GiB"; default: most of the free memory); a grid that needs more is
    /// computed in tiles, one after the other
    #[arg(long, value_name = "BYTES", help_heading = "Machine")]
    pub device_memory: Option<Quantity> = "2 GiB" => "memory gpu_memory vram",
    /// CPU threads (default: all)
    #[arg(long, value_name = "N", help_heading = "Machine")]
    pub threads: Option<usize> = "2" => "cores cpus n_threads workers jobs j",
    /// Tile size in cells, "N" or "COLUMNSxROWS"; changes speed, never results
    #[arg(long, value_name = "SIZE", help_heading = "Machine", help = tile_help())]
    pub tile: Option<Quantity> = "512x256" => "tiles block_size",

    /// Also read from remote machines and databases (/vsicurl/, https://, PG: and similar), and
    /// files that VRTs name there or as raw files elsewhere; by default only files of this machine
    /// are read
    #[arg(long, help_heading = "Machine")]
    pub allow_remote: bool = "true" => "remote",

    /// Scenario file from which the options come, if any
    #[arg(skip)]
    #[serde(skip)]
    pub scenario_file: Option<PathBuf> = "",
}
}

impl Options {
    /// Parses the columns and rows of a tile.
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
}
