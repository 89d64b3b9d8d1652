//! How fast a technique is.

use crate::machine::Machine;
use inundate_engine::error::Result;
use std::time::Instant;

/// Calls of which the median is taken.
const CALLS: usize = 5;

/// Time of a step (s): the median of five calls, each of as many steps as take a fifth of `seconds` (s), and of a multiple of
/// `visit` steps. Where `visit` steps alone take longer than `seconds`, they are the measurement.
///
/// # Errors
/// If the device fails.
pub fn step_time(machine: &mut dyn Machine, seconds: f64, visit: u64) -> Result<f64> {
    let mut time = |steps: u64| -> Result<f64> {
        let start = Instant::now();
        machine.step(steps)?;
        Ok(start.elapsed().as_secs_f64() / steps as f64)
    };
    let first = time(visit)?;
    if first * visit as f64 > seconds {
        return Ok(first);
    }
    let wanted = seconds / CALLS as f64;
    let mut steps = visit;
    loop {
        let took = time(steps)? * steps as f64;
        if took >= wanted {
            break;
        }
        let factor = (1.1 * wanted / took).clamp(1.5, 16.0);
        steps = ((steps as f64 * factor / visit as f64).ceil() as u64) * visit;
    }
    let mut calls = [0.0; CALLS];
    for took in &mut calls {
        *took = time(steps)?;
    }
    calls.sort_unstable_by(f64::total_cmp);
    Ok(calls[CALLS / 2])
}

/// Time of so many steps together (s).
///
/// # Errors
/// If the device fails.
pub fn time_of(machine: &mut dyn Machine, steps: u64) -> Result<f64> {
    let start = Instant::now();
    machine.step(steps)?;
    Ok(start.elapsed().as_secs_f64())
}
