//! From a run's state to the files of its output folder.

use crate::clock::TimeUnit;
use crate::error::Result;
use crate::grid::Grid;
use crate::layers::{Layer, NODATA, State};
use crate::output::folder::OutputFolder;
use crate::output::geotiff::{self, Labels};
use crate::output::style;

/// Writes a layer as `<name>.tif` with its style `<name>.qml`, ready to be published, and `description` as what its
/// band is called. Returns the names of both files.
pub fn stage_layer(
    folder: &OutputFolder,
    layer: &Layer,
    name: &str,
    description: &str,
    state: &State,
    grid: &Grid,
) -> Result<[String; 2]> {
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
    let statistics = geotiff::write(&folder.staged(&file), grid, &labels, |row, values| {
        (layer.read)(state, row, values)?;
        state.backend.read_domain(row, &mut domain);
        for (value, inside) in values.iter_mut().zip(&domain) {
            if !inside {
                *value = NODATA;
            }
        }
        Ok(())
    })?;
    let style = style::text(layer.style, statistics.map(|s| (s.min, s.max)), unit);
    let style_file = format!("{name}.qml");
    folder.stage_text(&style_file, &style)?;
    Ok([file, style_file])
}
