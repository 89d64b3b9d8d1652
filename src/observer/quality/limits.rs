//! Limits beyond which a result is doubtful, with their rationale.

use crate::engine::run_diagnostics::DEEP;
use crate::engine::solver::ROOT_G;

/// Limit on the speed of water deeper than [`DEEP`] (m/s). Rivers in flood stay below 6, and
/// recorded dam-break waves below about 15: faster water indicates a fault of the terrain, of a
/// source or of the solver.
pub const SPEED: f64 = 15.0;

/// Limit on the Froude number of such water under a solver with momentum. Sheet flow on smooth,
/// steep ground reaches 4 to 5; friction and air resistance that the equations do not describe
/// limit it further.
pub const FROUDE: f64 = 6.0;

/// Returns the limit on the speed (m/s) where the initial water surface had a drop of `drop` (m)
/// between neighbours: [`SPEED`], or the speed of a dam-break front on dry ground, 2·√(g·h) (Ritter
/// 1892).
pub fn speed(drop: f64) -> f64 {
    SPEED.max(2.0 * f64::from(ROOT_G) * drop.sqrt())
}

/// Returns the limit on the Froude number there: [`FROUDE`], or its value in the same dam-break
/// wave at the smallest depth that counts, 2·(√(h/d) − 1).
pub fn froude(drop: f64) -> f64 {
    FROUDE.max(2.0 * ((drop / f64::from(DEEP)).sqrt() - 1.0))
}

/// Limit on the share of such flow that is faster than [`super::FAST`] under a solver without
/// advected momentum: a single drop does no harm, a whole reach does.
pub const SHARE_FAST: f64 = 0.01;

/// Limit on the share of such flow that is limited to the critical discharge, for the same reason.
pub const SHARE_CRITICAL: f64 = 0.01;

/// Limit on the share of the flow limited by the water available: discharges are known to about 5
/// %.
pub const SHARE_CUT: f64 = 0.05;

/// Limit on the share of the flooded cells in which a crest of the fine terrain may separate two
/// bodies of water: single cells do not change a flood. Cells of 8 × 8 pixels of 1 m have 1 to 4 %
/// of them on natural terrain, and a quarter where the terrain is too rough for the cells.
pub const SHARE_PARTED: f64 = 0.05;

/// Rise of a cell's water due to flow in a step (m) that is always acceptable: dam-break waves rise
/// as fast.
pub const RISE: f64 = 1.0;

/// Limit on the rise in a step relative to the greatest depth of the cell, above [`RISE`]: half an
/// edge's water cannot cross in a step with a Courant number of 0.5, so a greater rise is a
/// numerical jolt, not a wave.
pub const RISE_OF_DEPTH: f64 = 0.5;

/// Limit on the uncertainty of a section's volume from its samples, relative to the volume that has
/// passed.
pub const SAMPLED: f64 = 0.05;

/// Limit on the ripple of the discharge under steady inflow, peak to peak relative to the mean:
/// rivers are not gauged more accurately.
pub const RIPPLE: f64 = 0.05;

/// Returns the limit on the swing of a depth (m) under steady inflow: 3 % of it, as the depth of a
/// river changes by 3 % if its discharge changes by [`RIPPLE`], but at least 3 cm.
pub fn swing_of_depth(depth: f64) -> f64 {
    (0.03 * depth).max(0.03)
}

/// Limit on the share of the cells expected to carry deep water whose normal flow is faster than
/// [`super::FAST`], estimated before a run. The estimate is rough, and steps in a DEM contribute to
/// it.
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
