//! From a run's state to the files of its output folder.

use crate::colour::Scales;
use crate::engine::clock::{Clock, TimeUnit};
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::layers::{Layer, NODATA, State};
use crate::output::folder::OutputFolder;
use crate::output::geotiff::{self, Labels};

/// Writes a layer as `<name>.tif`, ready to be published, with `description` as what its band is called, and counts its
/// values for the colours. Returns the file's name.
pub fn stage_layer(
    folder: &OutputFolder,
    layer: &Layer,
    name: &str,
    description: &str,
    state: &State,
    grid: &Grid,
    scales: &mut Scales,
) -> Result<String> {
    let unit = (layer.unit)(state.clock);
    let time = state.clock.now();
    let (time, step) = match state.clock.unit {
        TimeUnit::Seconds if state.clock.is_calibrated() => {
            (format!("{time} s"), format!("{} s (calibrated)", state.clock.longest_step()))
        }
        TimeUnit::Seconds => (format!("{time} s"), "found by the rule".to_string()),
        TimeUnit::Steps => (format!("{time} steps"), "no duration".to_string()),
    };
    let metadata = [
        ("INUNDATE_VERSION", env!("CARGO_PKG_VERSION").to_string()),
        (geotiff::TIME, time),
        ("INUNDATE_STEP", step),
    ];
    let labels = Labels { description, unit, averages: layer.averages, metadata: &metadata };
    let file = format!("{name}.tif");
    let mut domain = vec![false; grid.columns];
    geotiff::write(&folder.staged(&file), grid, &labels, |row, values| {
        (layer.read)(state, row, values)?;
        state.backend.read_domain(row, &mut domain);
        for (value, inside) in values.iter_mut().zip(&domain) {
            if !inside {
                *value = NODATA;
            }
        }
        scales.add(layer.scale, values);
        Ok(())
    })?;
    Ok(file)
}

/// Writes the style `<name>.qml` of a layer's raster, ready to be published, with the colours that the scales have so far.
/// Returns the file's name.
pub fn stage_style(
    folder: &OutputFolder,
    layer: &Layer,
    name: &str,
    scales: &Scales,
    clock: &Clock,
) -> Result<String> {
    let file = format!("{name}.qml");
    folder.stage_text(&file, &scales.ramp(layer.scale, (layer.unit)(clock)).to_qml())?;
    Ok(file)
}
