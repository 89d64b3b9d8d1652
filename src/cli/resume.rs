//! `inundate resume`: continuing a stopped run.

use super::run::{helps, print, resume_to_end};
use crate::error::Result;
use crate::run::resume::Checkpoint;
use crate::scenario::options::{Device, DeviceParser, Options};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct ResumeArgs {
    /// Output folder of the run
    out: PathBuf,
    /// Device to compute on (default: that of the original run); changes speed, never results
    #[arg(long, value_name = "DEVICE", value_parser = DeviceParser)]
    device: Option<Device>,
    /// CPU threads (default: that of the original run)
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Show no progress and no summary
    #[arg(short, long)]
    quiet: bool,
    /// Print the report as JSON on stdout
    #[arg(long)]
    json: bool,
}

/// Resumes a run and prints its summary.
pub fn resume(args: ResumeArgs) -> Result<()> {
    let here = Options { device: args.device, threads: args.threads, ..Options::default() };
    if helps(&here)? {
        return Ok(());
    }
    let checkpoint = Checkpoint::open(&args.out)?;
    let run = checkpoint.options()?;
    let (quiet, json) = (args.quiet || run.quiet, args.json || run.json);
    let options = Options {
        device: args.device.or(run.device),
        threads: args.threads.or(run.threads),
        quiet,
        json,
        out: Some(args.out),
        ..run
    };
    if !quiet {
        errln!("going on at {}", checkpoint.header.when);
    }
    print(&resume_to_end(checkpoint, &options)?, &options)
}
