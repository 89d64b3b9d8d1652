//! The tests of the program: its input, messages and output. A single program, compiled and linked
//! once.

#[path = "../engine/common/mod.rs"]
mod common;
// Modules that other test programs share with this one.
use common::tier;

#[global_allocator]
static MEMORY: mutations::Watched = mutations::Watched;

mod animate;
mod automaton;
mod bad_corpus;
mod bad_input;
mod bad_rain;
mod bad_vectors;
mod bad_water;
mod bands;
mod bench;
mod checkpoint_input;
mod checkpoints;
mod cli_common;
mod commands;
mod compare;
mod compress;
mod declared_units;
mod declared_units_elsewhere;
mod devices;
mod far_vertices;
mod fine_maps;
mod forged_states;
mod formats;
mod gauges;
mod imprint;
mod inputs;
mod interrupt;
mod kept_tables;
mod kernels_compile;
mod land_cover;
mod land_cover_table;
mod large_rasters;
mod layers;
mod ledger_lines;
mod level_options;
mod little_memory;
mod local_metres;
mod losses;
mod losses_input;
mod mutations;
mod obstacles;
mod one_file;
mod outer_edges;
mod outflow_and_links;
mod output_folder;
mod overwriting;
mod parsers;
mod pipes;
mod points;
mod qgis_project;
mod quality;
mod rain;
mod rain_axes;
mod rain_intervals;
mod ranks;
mod rating_curves;
mod raw_cases;
mod report_html;
mod rivers;
mod round_trip;
mod scales;
mod series_input;
mod side_stretches;
mod split_runs;
mod standard_output;
mod structures;
mod study;
mod study_array;
mod study_folder;
mod study_maps;
mod subgrid;
mod sudden_sources;
mod terminal;
mod timed_commands;
mod undeclared_nodata;
mod vectors;
mod warm_starts;
mod warnings;
