//! Difference map of two maps, with its style; written completely or not at all.

use super::raster::RasterMeaning;
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::checksum::with_ending;
use crate::output::colour::NODATA;
use crate::output::colour::quantities::{AGREEMENT, DIFFERENCE};
use crate::output::colour::{Choice, Scales};
use crate::output::folder::folder_of;
use crate::output::format::{Downsampling, Format, Labels, Sheet, USUAL};
use crate::output::guard::OutputTarget;
use crate::output::own_files::{COMPARED_ITEM, SIDECAR, VERSION_ITEM, is_our_map};
use std::fs;
use std::path::{Path, PathBuf};

/// A map to be written.
pub struct DifferenceMap {
    path: PathBuf,
    format: &'static Format,
}

impl DifferenceMap {
    /// Checks, before any computation, that a map may be written here.
    pub fn prepare(path: &Path, overwrite: bool, inputs: &[&Path]) -> Result<DifferenceMap> {
        let shown = path.display();
        let format = Format::of(path).ok_or_else(|| {
            let (name, like) = (USUAL.name, USUAL.file("difference"));
            Error::input(format!("difference: '{shown}' does not end in .{}", USUAL.endings[0]))
                .hint(format!("the map is a {name}: --difference {like}"))
        })?;
        let is_ours = |path: &Path| is_our_map(path, COMPARED_ITEM);
        OutputTarget { option: "difference", path, overwrite }.check(inputs, is_ours)?;
        // The style belongs to the map: it is ours if the map is.
        let style = path.with_extension("qml");
        let style = OutputTarget { option: "difference", path: &style, overwrite };
        style.check(inputs, |_| is_ours(path))?;
        let folder = folder_of(path);
        if !folder.is_dir() {
            return Err(Error::input(format!(
                "difference: the folder '{}' does not exist",
                folder.display()
            ))
            .hint("create it, or choose another"));
        }
        Ok(DifferenceMap { path: path.to_path_buf(), format })
    }

    /// Writes the map: result − other (m), or the class of each cell at a depth threshold (m)
    /// against an extent.
    pub fn write(
        &self,
        grid: &Grid,
        result: &[f32],
        other: &[f32],
        meaning: RasterMeaning,
        threshold: f64,
        names: [&str; 2],
    ) -> Result<()> {
        let (description, unit, scale) = match meaning {
            RasterMeaning::Depth => ("difference of depth, result - other", "m", &DIFFERENCE),
            RasterMeaning::Extent => {
                ("0 dry in both, 1 hit, 2 false alarm, 3 miss", "", &AGREEMENT)
            }
        };
        let mut metadata = vec![
            (VERSION_ITEM, env!("CARGO_PKG_VERSION").to_string()),
            ("INUNDATE_RESULT", names[0].to_string()),
            (COMPARED_ITEM, names[1].to_string()),
        ];
        if meaning == RasterMeaning::Extent {
            metadata.push(("INUNDATE_THRESHOLD", format!("{threshold} m")));
        }
        let downsampling = match meaning {
            RasterMeaning::Depth => Downsampling::Mean,
            RasterMeaning::Extent => Downsampling::Nearest,
        };
        let labels = Labels { downsampling, metadata: &metadata, ..Labels::of(description, unit) };
        let value = |a: f32, b: f32| match meaning {
            _ if a.is_nan() || b.is_nan() => NODATA,
            RasterMeaning::Depth => a - b,
            RasterMeaning::Extent => match (a >= threshold as f32, b > 0.0) {
                (false, false) => 0.0,
                (true, true) => 1.0,
                (true, false) => 2.0,
                (false, true) => 3.0,
            },
        };
        let failed = |error: std::io::Error| {
            Error::run(format!("cannot write '{}'", self.path.display()))
                .because(error)
                .hint("is the disk full, or the folder not yours to write in?")
        };
        let staging = tempfile::Builder::new()
            .prefix(".inundate-")
            .tempdir_in(folder_of(&self.path))
            .map_err(failed)?;
        let mut scales = Scales::new(Choice::Data, 0.0, 0.0);
        let map = staging.path().join(self.format.file("difference"));
        self.format.write_rows(Sheet::new(&map, grid, &labels), |row, to| {
            let first = row * grid.columns;
            for (column, to) in to.iter_mut().enumerate() {
                *to = value(result[first + column], other[first + column]);
            }
            scales.add(scale, to);
            Ok(())
        })?;
        let qml = staging.path().join("difference.qml");
        fs::write(&qml, scales.ramp(scale, unit).to_qml()).map_err(failed)?;
        // The map last: a map always has its style.
        let style = self.path.with_extension("qml");
        let replaces = self.path.exists();
        fs::rename(qml, &style).map_err(failed)?;
        fs::rename(map, &self.path).map_err(|error| {
            // A style alone is useless, but harmless if it stays.
            let _ = fs::remove_file(&style);
            failed(error)
        })?;
        if replaces {
            // Statistics that GDAL left beside an earlier map do not hold for this one.
            let _ = fs::remove_file(with_ending(&self.path, SIDECAR));
        }
        Ok(())
    }
}
