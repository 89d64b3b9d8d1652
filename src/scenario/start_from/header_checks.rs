//! Checks a header for plausible values. A checksum does not suffice, since anyone can compute one
//! for a forged file.

use super::Header;
use crate::engine::clock::{Clock, TimeStepping};
use crate::engine::forcing::link::LinkState;
use crate::engine::forcing::sites::SiteKind;
use crate::output::checkpoint::about::Remembering;
use crate::output::checkpoint::clock::ClockState;

/// Limit of the depth (m) that rain and sources bring to a cell in any run.
const MOST: f64 = 1e9;

/// Checks a header for a run on a clock at time 0.
///
/// # Errors
/// If no run can have written the header; the text describes the problem.
pub fn check(header: &Header, clock: &Clock) -> Result<(), &'static str> {
    let Header { about, time, pieces, sums, .. } = header;
    let is_timed = matches!(clock.time_stepping, TimeStepping::Adaptive { .. });
    let elapsed = Some((about.elapsed().to_bits(), [0; 5], 0));
    let before = ClockState { control: elapsed, ..ClockState::default() };
    if !time.is_sound() || time.control.is_some() != is_timed || !before.is_sound() {
        return Err("its time and number of steps are inconsistent");
    }
    if pieces.len() != about.rates.len()
        || !pieces.iter().flatten().all(|piece| piece.is_plausible(MOST))
    {
        return Err("its totals of rain and inflow are implausible");
    }
    let owes = |link: &LinkState| (0.0..1.0).contains(&link.carry);
    if sums.links.len() != about.links.len() || !sums.links.iter().all(owes) {
        return Err("its link states do not fit the run");
    }
    let is_sound = |site: &Remembering| {
        let [time, requested] = [site.numbers[1], site.requested[1]].map(f32::from_bits);
        site.kind != SiteKind::Trigger || !(time.is_nan() || requested.is_nan())
    };
    if !about.remembering.iter().all(is_sound) {
        return Err("the start time of a breach is not a number");
    }
    Ok(())
}
