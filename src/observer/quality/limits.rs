//! Limits beyond which a result is doubtful, and why they are where they are.

use crate::engine::extremes::DEEP;
use crate::engine::rule::ROOT_G;

/// Speed of water deeper than [`DEEP`] (m/s). Rivers in flood stay below 6, and the waves of broken dams on
/// record below some 15: faster water is a fault of the terrain, of a source or of the rule.
pub const SPEED: f64 = 15.0;

/// Froude number of such water under a rule with momentum. A sheet on smooth, steep ground reaches 4 to 5, but below
/// that friction and air that no such equations know hold it back.
pub const FROUDE: f64 = 6.0;

/// The speed (m/s) that water may have where its surface stood so much (m) above its neighbour's at the start: [`SPEED`], or what the
/// front of a broken dam reaches on dry ground, 2·√(g·h) (Ritter 1892).
pub fn speed(drop: f64) -> f64 {
    SPEED.max(2.0 * f64::from(ROOT_G) * drop.sqrt())
}

/// The Froude number that it may have: [`FROUDE`], or that of the same wave where it is as thin as counts, 2·(√(h/d) − 1).
pub fn froude(drop: f64) -> f64 {
    FROUDE.max(2.0 * ((drop / f64::from(DEEP)).sqrt() - 1.0))
}

/// Share of such flow that may be faster than [`super::FAST`] under a rule without the momentum that water carries
/// along: a fall here and there does no harm beside it, a reach does.
pub const SHARE_FAST: f64 = 0.01;

/// Share of such flow that may be held to the critical discharge, for the same reason.
pub const SHARE_HELD: f64 = 0.01;

/// Share of the flow that may be cut short: a twentieth is about what discharges are known to.
pub const SHARE_CUT: f64 = 0.05;

/// Share of the flooded cells in which a crest of finer ground may part two waters: single ones change no flood. Cells of 8 × 8 pixels of
/// 1 m have 1 to 4 % of them on natural ground, and a quarter where ground is rough for them.
pub const SHARE_PARTED: f64 = 0.05;

/// Rise of a cell's water by flow in a step (m) that is never too much: waves of a broken dam rise so fast.
pub const RISE: f64 = 1.0;

/// The part of the greatest depth in a cell by which it may rise in a step, above [`RISE`]: half an edge's water
/// cannot cross in a step of the Courant number 0.5, and more than this is a jolt, no wave.
pub const RISE_OF_DEPTH: f64 = 0.5;

/// Ripple of the discharge of a steady inflow, from its lowest to its highest over the mean: rivers are gauged no
/// better.
pub const RIPPLE: f64 = 0.05;

/// Share of the cells that deep water is expected to pass whose normal flow may be faster than [`super::FAST`] before
/// a run is begun: what it tells is an estimate, and steps of a DEM make some of it.
pub const SHARE_STEEP: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_high_dam_lets_water_run_faster_than_any_flood() {
        assert_eq!((speed(0.0), speed(2.0), froude(0.0)), (SPEED, SPEED, FROUDE));
        assert!((speed(50.0) - 2.0 * (9.81f64 * 50.0).sqrt()).abs() < 1e-5);
        assert!((froude(10.0) - 18.0).abs() < 1e-5);
    }
}
