//! What a run of several ranks would take of each.

use crate::engine::backend::Problem;
use crate::engine::backend::cpu::bytes_per_cell;
use crate::engine::backend::cuda::layout::strip_bytes;
use crate::engine::backend::strips::strips;
use crate::error::{Error, Result};
use crate::scenario::memory::{first_rank_bytes, strip_bytes_per_cell};
use crate::units::show_bytes;
use serde::Serialize;

/// A part of what `check --ranks --json` prints.
#[derive(Serialize)]
pub struct OnRanks {
    /// Ranks that are asked for, and those that have a strip.
    ranks: usize,
    strips: usize,
    /// Rows of the shortest and of the tallest strip.
    rows_range: (usize, usize),
    /// Steps after which strips meet.
    steps_between: usize,
    /// Device memory that a strip takes on a GPU (bytes).
    device_bytes: usize,
    /// Whether that fits into the device memory that was named.
    fits: Option<bool>,
    /// Memory of the host that a rank takes (bytes), but for the first, which looks at the whole map.
    host_bytes: usize,
    /// That of the first.
    first_host_bytes: usize,
}

impl OnRanks {
    /// What a problem would take; `memory` is the device memory of each rank, if it is named (bytes).
    pub fn new(problem: &Problem, ranks: usize, memory: Option<u64>) -> Result<OnRanks> {
        if ranks == 0 {
            return Err(Error::input("ranks: none cannot compute").hint("give 1 or more"));
        }
        let plan = strips(problem, ranks);
        let rows =
            || plan.subdomains.iter().map(|subdomain| subdomain.own.rows.min(problem.grid.rows));
        let device_bytes = strip_bytes(problem, &plan);
        let (columns, tallest) = plan.largest_frame();
        // The strip as it comes, and as it is kept.
        let per_cell = bytes_per_cell(problem) + strip_bytes_per_cell(problem);
        let host_bytes = columns * tallest * per_cell;
        Ok(OnRanks {
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

    /// Prints it for people.
    pub fn print(&self) {
        let (low, high) = self.rows_range;
        let rows = if low == high { String::new() } else { format!("{low} to ") };
        say!(
            "ranks       {} strips of {rows}{high} rows that meet every {} steps",
            self.strips,
            self.steps_between
        );
        let fits = match self.fits {
            None => "",
            Some(true) => ", which fits",
            Some(false) => ", which does not fit: take more ranks",
        };
        say!(
            "            on GPUs {} of each one's memory{fits}",
            show_bytes(self.device_bytes as u64)
        );
        say!(
            "            of the host about {} each, and {} of the first, which looks at the whole map",
            show_bytes(self.host_bytes as u64),
            show_bytes(self.first_host_bytes as u64)
        );
    }
}
