//! The tests of the program: what it reads, says and writes. One program, compiled and linked once.

#[path = "../engine/common/mod.rs"]
mod common;
// For what other test programs share with this one.
use common::tier;

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
mod coming;
mod commands;
mod compare;
mod compress;
mod devices;
mod gauges;
mod imprint;
mod inputs;
mod interrupt;
mod kernels_compile;
mod land_cover;
mod land_cover_table;
mod large_rasters;
mod layers;
mod ledger_lines;
mod level_options;
mod losses;
mod losses_input;
mod obstacles;
mod outflow_and_links;
mod output_folder;
mod parsers;
mod qgis_project;
mod quality;
mod rain;
mod ranks;
mod ranks_reading;
mod raw_cases;
mod report_html;
mod round_trip;
mod scales;
mod standard_output;
mod study;
mod study_array;
mod study_maps;
mod terminal;
mod timed_commands;
mod vectors;
mod warnings;
