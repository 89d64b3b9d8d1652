//! The flow engine. It knows no file of the user's, prints nothing, and decides nothing by the wall clock but how often
//! observers are told.
//!
//! From the numbers up: [`lanes`], [`grains`] and the [`grid`]; what the water obeys ([`rule`], [`neighbourhood`],
//! [`roughness`], [`boundary`], [`hazard`]) and what brings and takes it ([`forcing`], [`losses`]); what is noted of it
//! ([`track`], [`gauged`], [`extremes`], [`ledger`]), in the arrays of the table of [`field`]s; time ([`clock`],
//! [`pace`], [`forcing::step`]); how the grid is cut ([`tiling`]) and where the arithmetic is done ([`backend`], asked for as a [`device`]); and the loop ([`simulation`]).
//!
//! A [`case::Case`] puts a run together in a few lines, [`rule::RULES`] are the rules and [`field::TABLE`] the fields of a
//! state.

pub mod arrays;
pub mod backend;
pub mod boundary;
pub mod case;
pub mod clock;
pub mod device;
pub mod error;
pub mod extremes;
pub mod field;
pub mod forcing;
pub mod gauged;
pub mod grains;
pub mod grid;
pub mod hazard;
pub mod lanes;
pub mod ledger;
pub mod losses;
pub mod neighbourhood;
pub mod notices;
pub mod pace;
pub mod problem;
pub mod roughness;
pub mod rule;
pub mod simulation;
pub mod step;
pub mod sums;
pub mod tiling;
pub mod track;
pub mod units;
pub mod words;
