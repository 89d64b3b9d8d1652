//! The validation cases, one file each.

mod bends;
mod bowl;
mod building;
mod building_field;
mod bump;
mod convergence;
mod corner;
mod dam_break;
mod deep_water;
mod drawn_river;
mod fine_channel;
mod fine_terrain;
mod fine_wall;
mod jump;
mod lake;
mod links;
mod macdonald;
mod malpasset;
mod merewether;
mod mountains;
mod newcastle;
mod oblique;
mod obstruction;
mod pits;
mod plain;
mod pond;
mod radial;
mod radial_dam;
mod reservoirs;
mod sewers;
mod slow_river;
mod stage;
mod stairs;
mod steep_rain;
mod structures;
mod symmetry;
mod tanks;
mod tilted_plane;
mod v_catchment;
mod valley;
mod wadi;
mod wave;

use crate::bench::Bench;
use crate::plot::Plot;

/// A case.
pub struct Case {
    /// Letter of the case.
    pub key: &'static str,
    pub title: &'static str,
    /// Description of the run and its measurements, for the docs.
    pub about: &'static str,
    /// The case's solvers, with their approximate durations [s], so that the longest start first.
    pub solvers: &'static [(&'static str, f64)],
    pub plots: &'static [Plot],
    /// Set if `make test` runs a part of it.
    pub quick: bool,
    pub run: fn(&mut Bench),
}

/// All cases, in the order of the docs.
pub const CASES: &[Case] = &[
    wave::CASE,
    tilted_plane::CASE,
    v_catchment::CASE,
    lake::CASE,
    pits::CASE,
    radial::CASE,
    plain::CASE,
    macdonald::CASE,
    dam_break::CASE,
    merewether::CASE,
    convergence::CASE,
    mountains::CASE,
    radial_dam::CASE,
    bump::CASE,
    jump::CASE,
    bowl::CASE,
    steep_rain::CASE,
    symmetry::CASE,
    newcastle::CASE,
    wadi::CASE,
    slow_river::CASE,
    stage::CASE,
    deep_water::CASE,
    oblique::CASE,
    bends::CASE,
    tanks::CASE,
    corner::CASE,
    stairs::CASE,
    fine_channel::CASE,
    fine_terrain::CASE,
    fine_wall::CASE,
    drawn_river::CASE,
    structures::CASE,
    links::CASE,
    sewers::CASE,
    reservoirs::CASE,
    obstruction::CASE,
    valley::CASE,
    building::CASE,
    malpasset::CASE,
    pond::CASE,
    building_field::CASE,
];
