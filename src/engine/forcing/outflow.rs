//! Free outflow at normal depth: water leaves a cell as it would run on down a slope beyond it.
//!
//! Manning (1891): q = h^(5/3)·√S/n, with the depth h of the cell, as the FREE boundary of LISFLOOD-FP with a
//! slope has it in its steady state (Bates et al. 2013, user manual, section 4.4). In a cell with tables of finer ground the section of its
//! side conveys A·R^(2/3) in the place of h^(5/3) ([`over_sides`]).

use super::ports::{self, Port};
use crate::grains::Grain;
use crate::rule::edge::{DRY, MOST_CROSSING};
use crate::rule::roots::inverse_sixth_root;
use crate::subgrid::lookup::EdgeTables;
use serde::{Deserialize, Serialize};

/// A cell that water leaves at normal depth.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct FreeOutflow {
    /// The cell.
    pub cell: usize,
    /// √S/n over the cell's length towards the outside, for all of its sides that are open so
    /// (m^(−2/3)/s): times h^(5/3) it is the depth that leaves in a second.
    pub conveyance: f32,
    /// Those sides ([`crate::forcing::ports`]).
    pub port: Port,
}

impl FreeOutflow {
    /// The conveyance over one side of a cell `length` (m) long across that side, with bed slope `slope` and
    /// Manning's n `roughness` (s/m^⅓).
    pub fn over_side(slope: f64, roughness: f32, length: f64) -> f32 {
        (slope.sqrt() / (f64::from(roughness) * length)) as f32
    }

    /// What leaves a cell with `water` (grains) in a step of `dt` (s) with a rounding phase; no more than half
    /// of it, which is less than waves allow a step unless the slope is steeper than critical.
    #[inline]
    pub fn leaves(conveyance: f32, water: i32, dt: f32, phase: f32, grain: Grain) -> i32 {
        let depth = water as f32 * grain.metres();
        if depth <= DRY {
            return 0;
        }
        let s = inverse_sixth_root(depth);
        let rate = ((depth * depth) * (s * s)) * conveyance;
        FreeOutflow::leaves_by(rate, water, dt, phase, grain)
    }

    /// The same at a rate that is known (m/s).
    #[inline]
    pub fn leaves_by(rate: f32, water: i32, dt: f32, phase: f32, grain: Grain) -> i32 {
        let grains = rate * (dt * grain.per_metre());
        ((grains + phase).min(MOST_CROSSING) as i32).min(water >> 1)
    }
}

/// What the sides of a port convey over a cell's width (m^(5/3), [`EdgeTables::conveys`]), in the mean, by tables of the edges of both axes in
/// which the cell lies at `at` and the next row `stride` on. The cell stands at a level (2⁻¹⁶ m) and its mean depth is `giver` (m).
pub fn over_sides(
    tables: &[EdgeTables; 2],
    port: Port,
    [at, stride]: [usize; 2],
    level: i32,
    giver: f32,
) -> f32 {
    let edges = [
        (ports::NORTH, 1, at.wrapping_sub(stride)),
        (ports::EAST, 0, at),
        (ports::SOUTH, 1, at),
        (ports::WEST, 0, at.wrapping_sub(1)),
    ];
    let (mut sum, mut sides) = (0.0, 0.0);
    for (_, axis, place) in edges.into_iter().filter(|(side, ..)| port & side != 0) {
        sum += tables[axis].conveys(place, level, giver);
        sides += 1.0;
    }
    if sides > 0.0 { sum / sides } else { 0.0 }
}
