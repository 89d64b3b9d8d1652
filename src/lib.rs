//! Flood model on rasters: a DEM and rain go in, depth and arrival-time GeoTIFFs come out.
//!
//! Data flows downwards through the modules:
//!
//! 1. [`cli`] and [`scenario`]: what the user says, read ([`input`]), checked, converted to SI
//!    ([`units`]) and laid on one [`grid`];
//! 2. [`forcing`], [`boundary`], [`roughness`], [`rule`], [`neighbourhood`]: what the water obeys;
//! 3. [`processor`], [`tiling`] and [`backend`]: where the state lives and the arithmetic is done
//!    ([`lanes`], [`grains`]);
//! 4. [`simulation`], [`clock`], [`pace`], [`observer`]: the loop and what watches it;
//! 5. [`checkpoint`]: stopped and gone on with;
//! 6. [`layers`], [`colour`], [`output`], [`project`], [`animate`], [`ledger`]: what comes out;
//! 7. [`compare`]: how well it fits what was observed;
//! 8. [`study`]: many runs, and maps over all of them.
//!
//! Water is counted in whole grains, so volume is exact and every tiling, thread count, instruction
//! set and GPU gives the same bits.

#[macro_use]
mod say;

pub mod animate;
pub mod backend;
pub mod bench;
pub mod boundary;
pub mod checkpoint;
pub mod cli;
pub mod clock;
pub mod colour;
pub mod compare;
pub mod error;
pub mod forcing;
pub mod gauged;
pub mod gdal_log;
pub mod grains;
pub mod grid;
pub mod hazard;
pub mod host_memory;
pub mod input;
pub mod lanes;
pub mod layers;
pub mod ledger;
pub mod losses;
pub mod neighbourhood;
pub mod observer;
pub mod output;
pub mod pace;
pub mod page;
pub mod processor;
pub mod project;
pub mod quality;
pub mod results;
pub mod roughness;
pub mod rule;
pub mod run;
pub mod scenario;
pub mod simulation;
pub mod study;
pub mod tiling;
pub mod track;
pub mod units;
pub mod watch;
pub mod words;
