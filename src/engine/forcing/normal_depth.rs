//! Free outflow at normal depth: water leaves a cell at the rate of uniform flow down a slope
//! beyond it.
//!
//! Manning (1891): q = h^(5/3)·√S/n, with the depth h of the cell, as in the steady state of
//! LISFLOOD-FP's FREE boundary with a slope (Bates et al. 2013, user manual, section 4.4). In a
//! cell with subgrid tables, the section of its side conveys A·R^(2/3) instead of h^(5/3)
//! ([`over_sides`]).

use super::ports::{self, Port};
use crate::grains::Grain;
use crate::solver::edge::{DRY, MAX_FACE_FLUX};
use crate::solver::roots::inverse_sixth_root;
use crate::subgrid::lookup::EdgeTables;
use serde::{Deserialize, Serialize};

/// A cell that drains at normal depth.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct NormalDepthOutflow {
    /// Index of the cell.
    pub cell: usize,
    /// √S/n divided by the cell's length towards the outside, summed over its open sides
    /// (m^(−2/3)/s): times h^(5/3) it is the depth that leaves per second.
    pub conveyance: f32,
    /// The open sides ([`crate::forcing::ports`]).
    pub port: Port,
}

impl NormalDepthOutflow {
    /// Returns the conveyance over one side of a cell `length` (m) long across that side, with bed
    /// slope `slope` and Manning's n `roughness` (s/m^⅓).
    pub fn over_side(slope: f64, roughness: f32, length: f64) -> f32 {
        (slope.sqrt() / (f64::from(roughness) * length)) as f32
    }

    /// Returns the water that leaves a cell with `water` (grains) in a step of `dt` (s) with a
    /// rounding phase. It is at most half of the water, a limit that the time step keeps unless the
    /// slope is steeper than critical.
    #[inline]
    pub fn leaves(conveyance: f32, water: i32, dt: f32, phase: f32, grain: Grain) -> i32 {
        let depth = water as f32 * grain.metres();
        if depth <= DRY {
            return 0;
        }
        let s = inverse_sixth_root(depth);
        let rate = ((depth * depth) * (s * s)) * conveyance;
        NormalDepthOutflow::leaves_by(rate, water, dt, phase, grain)
    }

    /// Like `leaves`, but with a known rate (m/s).
    #[inline]
    pub fn leaves_by(rate: f32, water: i32, dt: f32, phase: f32, grain: Grain) -> i32 {
        let grains = rate * (dt * grain.per_metre());
        ((grains + phase).min(MAX_FACE_FLUX) as i32).min(water >> 1)
    }
}

/// Returns the mean conveyance of the sides of a port over a cell's width (m^(5/3),
/// [`EdgeTables::conveys`]), from the edge tables of both axes, in which the cell is at `at` and
/// the next row is `stride` further. The water level of the cell is `level` (2⁻¹⁶ m), and its mean
/// depth is `depth` (m).
pub fn over_sides(
    tables: &[EdgeTables; 2],
    port: Port,
    [at, stride]: [usize; 2],
    level: i32,
    depth: f32,
) -> f32 {
    let edges = [
        (ports::NORTH, 1, at.wrapping_sub(stride)),
        (ports::EAST, 0, at),
        (ports::SOUTH, 1, at),
        (ports::WEST, 0, at.wrapping_sub(1)),
    ];
    let (mut sum, mut sides) = (0.0, 0.0);
    for (_, axis, place) in edges.into_iter().filter(|(side, ..)| port & side != 0) {
        sum += tables[axis].conveys(place, at, level, depth);
        sides += 1.0;
    }
    if sides > 0.0 { sum / sides } else { 0.0 }
}
