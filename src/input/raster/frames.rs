//! Series of rasters: the bands of a file, a folder of dated files, or a CSV of files and times.

use crate::error::{Error, Result};
use crate::input::description::interval::BandTime;
use crate::input::raster::RasterFile;
use crate::input::raster::band_times;
use crate::input::tables::columns::CsvTable;
use crate::input::tables::series_table::{
    check_origin, counts_steps, dated, parse_time, time_unit_of,
};
use crate::input::time::declared_zone::DeclaredZone;
use crate::input::time::stamp::Stamp;
use crate::input::time::wall_time::When;
use crate::measures::Per;
use crate::units::Second;
use std::path::{Path, PathBuf};

/// Extensions of rasters in a folder; other files are ignored.
const ENDINGS: [&str; 12] =
    ["tif", "tiff", "asc", "img", "vrt", "nc", "grib", "grb", "grib2", "grb2", "bil", "flt"];

/// Example of a list of rasters, for hints.
const EXAMPLE: &str = "a list of rasters looks like this:\n    file,time\n    a.tif,2021-07-14T13:05\nor like this:\n    file,time [min]\n    a.tif,5";

/// Raster of a series: a band and its time.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedBand {
    /// Time of the raster.
    pub time: BandTime,
    /// `true` if the user declares the time to be the start of the interval.
    pub begins_then: bool,
    /// Path of the file.
    pub path: PathBuf,
    /// Number of the band, from 1.
    pub band: usize,
    /// `true` if the file must have no other band.
    pub is_alone: bool,
}

impl TimedBand {
    /// Returns its name in messages.
    pub fn name(&self) -> String {
        format!("band {} of '{}'", self.band, self.path.display())
    }
}

/// Returns the bands of a raster as a series: with their own times, or `interval` (s) apart.
pub fn of_bands(file: &RasterFile, interval: Option<Second>) -> Result<Vec<TimedBand>> {
    let bands = file.bands();
    let times = match (band_times::of_bands(file)?, interval) {
        (Some(times), _) => times,
        (None, Some(interval)) => (0..bands).map(|at| following(at, interval)).collect(),
        (None, None) => {
            let (role, shown) = (&file.role, file.path.display());
            return Err(Error::input(format!("{role}: the {bands} bands of '{shown}' have no times"))
                .hint(format!(
                    "give the interval between them: --{role}-interval 15min; or give each band a time, as its description or a CF time coordinate; or extract one band: gdal_translate -b 1 '{shown}' one.tif"
                )));
        }
    };
    let frame = |(at, time)| TimedBand {
        time,
        begins_then: false,
        path: file.path.clone(),
        band: at + 1,
        is_alone: false,
    };
    Ok(times.into_iter().enumerate().map(frame).collect())
}

/// Returns the time of raster `at` of a series without times, each for an interval (s) after the
/// previous one.
fn following(at: usize, interval: Second) -> BandTime {
    let start = at as f64 * interval;
    let ends = (Stamp::Since(start), Stamp::Since((at + 1) as f64 * interval));
    BandTime { interval: Some(ends), ..BandTime::at(Stamp::Since(start)) }
}

/// Lists the rasters of a folder, each with the date in its name, in the order of their times.
pub fn of_folder(folder: &Path, role: &str) -> Result<Vec<TimedBand>> {
    let shown = folder.display();
    let failed = |error: std::io::Error| {
        Error::input(format!("{role}: cannot read the folder '{shown}'")).because(error)
    };
    let mut rasters = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        if ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) {
            rasters.push(path);
        }
    }
    rasters.sort();
    let example = "radar_20210714_1305.tif or 2021-07-14T13:05.tif";
    let mut frames = Vec::new();
    for path in rasters {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let of_file = |error: Error| error.of(format_args!("{role}: '{}'", path.display()));
        let when = When::in_name(&stem).map_err(of_file)?.ok_or_else(|| {
            Error::input(format!("{role}: the name of '{}' contains no date", path.display())).hint(
                format!(
                    "name the rasters by their times: {example}; or list files and times in a CSV"
                ),
            )
        })?;
        frames.push((
            when.clone().or_utc().to_string(),
            TimedBand {
                time: BandTime::at(Stamp::Wall(when)),
                begins_then: false,
                path,
                band: 1,
                is_alone: true,
            },
        ));
    }
    if frames.is_empty() {
        return Err(Error::input(format!("{role}: the folder '{shown}' contains no raster"))
            .hint(format!("name its rasters by their times: {example}")));
    }
    // Names with different prefixes before the date do not sort by time.
    frames.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(frames.into_iter().map(|(_, frame)| frame).collect())
}

/// Reads a CSV list of rasters with the header `file,time` (or `time [h]`); paths are relative to
/// the CSV.
pub fn of_list(path: &Path, role: &str) -> Result<Vec<TimedBand>> {
    let table = CsvTable::read(path, role, EXAMPLE)?;
    let (header, wrong) = (&table.header, |line, what: String| table.wrong(line, what));
    let file_at = header.iter().position(is_file_column);
    let (Some(file_at), 2) = (file_at, header.len()) else {
        let found = header.iter().collect::<Vec<_>>().join(", ");
        return Err(
            table.wrong_header(format!("expected the columns file and time, but found {found}"))
        );
    };
    let time_at = 1 - file_at;
    let (unit, zone) = (time_unit_of(&header[time_at]), DeclaredZone::of(&header[time_at]));
    if counts_steps(&unit) {
        return Err(table.wrong_header("times in steps cannot be used with rain rasters"));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut frames = Vec::new();
    for &(line, ref record) in &table.rows {
        let stamp = match dated(&record[time_at], &unit) {
            Some(when) => Stamp::Wall(when.in_declared(&zone).map_err(|error| {
                table.wrong_header(error.what).hint(error.hint.unwrap_or_default())
            })?),
            None => {
                check_origin(&header[time_at]).map_err(|error| {
                    table.wrong_header(error.what).hint(error.hint.unwrap_or_default())
                })?;
                let time = parse_time(&record[time_at], &unit, Per::Second);
                Stamp::Since(time.map_err(|error| {
                    let error = wrong(line, error.what);
                    match When::how(&record[time_at]) {
                        Some(how) => error.hint(how),
                        None => error,
                    }
                })?)
            }
        };
        if record[file_at].is_empty() {
            return Err(wrong(line, "the file name is missing".into()));
        }
        frames.push(TimedBand {
            time: BandTime::at(stamp),
            begins_then: true,
            path: folder.join(&record[file_at]),
            band: 1,
            is_alone: true,
        });
    }
    Ok(frames)
}

/// Returns `true` if a column of a CSV holds file names.
pub fn is_file_column(name: &str) -> bool {
    matches!(name.trim().to_lowercase().as_str(), "file" | "raster" | "path")
}
