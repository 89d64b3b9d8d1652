//! Estimates of the memory of each rank of a run.

use crate::engine::backend::Problem;
use crate::engine::backend::cpu::bytes_per_cell;
use crate::engine::backend::cuda::layout::strip_bytes;
use crate::engine::backend::strips::strips;
use crate::error::{Error, Result};
use crate::scenario::memory::{first_rank_bytes, strip_bytes_per_cell};
use crate::units::show_bytes;
use serde::Serialize;

/// Output of `check --ranks --json`.
#[derive(Serialize)]
pub struct RankEstimate {
    /// Number of ranks requested, and number of ranks that get a strip.
    ranks: usize,
    strips: usize,
    /// Number of rows of the shortest and of the tallest strip.
    rows_range: (usize, usize),
    /// Number of steps between halo exchanges.
    steps_between: usize,
    /// Device memory of a strip on a GPU (bytes).
    device_bytes: usize,
    /// Set if the strip fits into the given device memory; `None` if none was given.
    fits: Option<bool>,
    /// Host memory of a rank (bytes), except the first rank, which holds the whole map.
    host_bytes: usize,
    /// Host memory of the first rank (bytes).
    first_host_bytes: usize,
}

impl RankEstimate {
    /// Estimates the memory of a problem; `memory` is the device memory of each rank, if given
    /// (bytes).
    pub fn new(problem: &Problem, ranks: usize, memory: Option<u64>) -> Result<RankEstimate> {
        if ranks == 0 {
            return Err(Error::input("ranks: at least one rank is needed").hint("give 1 or more"));
        }
        let plan = strips(problem, ranks);
        let rows =
            || plan.subdomains.iter().map(|subdomain| subdomain.own.rows.min(problem.grid.rows));
        let device_bytes = strip_bytes(problem, &plan);
        let (columns, tallest) = plan.largest_frame();
        // The strip as it is received, and as it is stored.
        let per_cell = bytes_per_cell(problem) + strip_bytes_per_cell(problem);
        let host_bytes = columns * tallest * per_cell;
        Ok(RankEstimate {
            ranks,
            strips: plan.subdomains.len(),
            rows_range: (rows().min().unwrap_or(0), rows().max().unwrap_or(0)),
            steps_between: plan.steps.unwrap_or(1),
            device_bytes,
            fits: memory.map(|memory| device_bytes as u64 <= memory),
            host_bytes,
            first_host_bytes: first_rank_bytes(problem, ranks),
        })
    }

    /// Prints the estimate.
    pub fn print(&self) {
        let (low, high) = self.rows_range;
        let rows = if low == high { String::new() } else { format!("{low} to ") };
        outln!(
            "ranks       {} strips of {rows}{high} rows that meet every {} steps",
            self.strips,
            self.steps_between
        );
        let fits = match self.fits {
            None => "",
            Some(true) => ", which fits",
            Some(false) => ", which does not fit: take more ranks",
        };
        outln!(
            "            on GPUs {} of each one's memory{fits}",
            show_bytes(self.device_bytes as u64)
        );
        outln!(
            "            of the host about {} each, and {} on the first rank, which reads the whole map",
            show_bytes(self.host_bytes as u64),
            show_bytes(self.first_host_bytes as u64)
        );
    }
}
