//! Writes results; each file appears complete or not at all.

pub mod bands;
pub mod checkpoint;
pub mod colour;
pub mod compression;
pub mod extents;
pub mod features;
pub mod folder;
pub mod format;
pub mod guard;
pub mod layers;
pub mod own_files;
pub mod points;
pub mod project;
pub mod results;
pub mod sewers;
pub mod small;
pub mod stack;
pub mod staging;
pub mod statistics;
pub mod style;
pub mod symbols;
pub mod tables;
pub mod timings;
pub mod watch;
