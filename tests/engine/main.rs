//! The tests of the engine alone, as one program: it is compiled and linked once, without GDAL.

mod common;
mod dry_tiles;
mod exact_volume;
mod held_levels;
mod known_bits;
mod lake_at_rest;
mod links;
mod maxima_and_arrivals;
mod nodata_leaks_nothing;
mod open_rim;
mod overflow;
mod paces;
mod paper_experiment;
mod paper_fidelity_aqua_graph;
mod paper_fidelity_level_minimization;
mod ranks;
mod resume;
mod roots;
mod rule_contract;
mod same_bits;
mod sites;
mod spread;
mod streaming;
mod symmetry;
mod timed_reference;
mod timed_twin;
