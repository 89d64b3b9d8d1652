//! `inundate animate`.

use super::print_json;
use crate::error::{Error, Result};
use crate::output::guard::OutputTarget;
use crate::output::layers::DEPTH;
use crate::output::own_files::is_our_gif;
use crate::results::animate::{FRAMES, RATE, SIZE, Show, ShownSeries, animate as write};
use crate::scenario::layer_names::LayerNames;
use crate::units::show_bytes;
use clap::builder::RangedU64ValueParser;
use std::path::{Path, PathBuf};

pub const HELP: &str = "\
Examples:
  inundate run --dem dem.tif --rain storm.csv --duration 6h --output-every 10min --out results
  inundate animate results
  inundate animate results --layer velocity --to velocity.gif --frames 60 --rate 8";

#[derive(clap::Args)]
pub struct AnimateArgs {
    /// Output folder of a run with a series of maps (output_every)
    out: PathBuf,
    /// Layer whose series is shown
    #[arg(long, value_name = "NAME", default_value = DEPTH.key, value_parser = LayerNames::Series)]
    layer: String,
    /// File to write (default: the layer's name with .gif, in the output folder)
    #[arg(long, value_name = "FILE.gif")]
    to: Option<PathBuf>,
    /// Maximum number of frames; a longer series is thinned out evenly
    #[arg(long, value_name = "N", default_value_t = FRAMES as u64)]
    #[arg(value_parser = RangedU64ValueParser::<u64>::new().range(1..=10_000))]
    frames: u64,
    /// Maximum length of the map's longer side, in pixels
    #[arg(long, value_name = "N", default_value_t = SIZE as u64)]
    #[arg(value_parser = RangedU64ValueParser::<u64>::new().range(16..=4096))]
    size: u64,
    /// Frames per second
    #[arg(long, value_name = "N", default_value_t = RATE)]
    rate: f64,
    /// Replace an earlier animation
    #[arg(long)]
    overwrite: bool,
    /// Print nothing
    #[arg(short, long)]
    quiet: bool,
    /// Print a summary as JSON on stdout
    #[arg(long)]
    json: bool,
}

/// Writes a run's series of maps as an animation.
pub fn animate(args: &AnimateArgs) -> Result<()> {
    if !(0.05..=50.0).contains(&args.rate) {
        return Err(Error::input(format!("rate: {} frames a second cannot be shown", args.rate))
            .hint("give 0.05 to 50"));
    }
    let series = ShownSeries::open(&args.out, &args.layer)?;
    let to = match &args.to {
        Some(to) => to.clone(),
        None => args.out.join(format!("{}.gif", series.layer.key)),
    };
    if !to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gif")) {
        return Err(Error::input(format!("to: '{}' does not end in .gif", to.display()))
            .hint("the series is written as a GIF: name it flood.gif, say"));
    }
    let target = OutputTarget { option: "to", path: &to, overwrite: args.overwrite };
    let maps = series.maps.iter().map(|map| series.folder.join(map.raster()));
    let inputs: Vec<PathBuf> = maps.chain(series.dem.clone()).collect();
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    target.check(&inputs, is_our_gif)?;
    if series.dem.is_none() && !args.quiet {
        errln!("note: the run's DEM is no longer where it was: the ground is drawn flat");
    }
    let show = Show { frames: args.frames as usize, size: args.size as usize, rate: args.rate };
    let written = write(&series, show, &to)?;
    if args.json {
        return print_json(&written);
    }
    if !args.quiet {
        let of = match written.maps {
            maps if maps > written.frames => format!(" of {maps} maps"),
            _ => String::new(),
        };
        let (width, height) = written.size;
        outln!(
            "{}: {} frames{of}, {width} x {height} pixels, {}",
            to.display(),
            written.frames,
            show_bytes(written.bytes as u64)
        );
    }
    Ok(())
}
