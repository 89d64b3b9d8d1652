//! The times of a raster's bands, as NetCDF, GRIB and GeoTIFF files say them.

use super::raster::{RasterFile, open_dataset};
use super::when::When;
use crate::error::{Error, Result};
use crate::input::gdal_log;
use crate::measures;
use crate::units::{self, Second};
use gdal::raster::RasterBand;
use gdal::{Dataset, DatasetOptions, GdalOpenFlags, Metadata};
use std::path::Path;

/// The time of a raster.
#[derive(Clone, Debug, PartialEq)]
pub enum Stamp {
    /// By the wall clock.
    Wall(When),
    /// Since the start of the run (s).
    Since(Second),
}

impl std::fmt::Display for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stamp::Wall(when) => write!(f, "{when}"),
            Stamp::Since(seconds) => f.write_str(&units::show_duration(*seconds)),
        }
    }
}

/// Items of a band's metadata that may hold its time, beside those of NetCDF and GRIB.
const ITEMS: [&str; 5] = ["TIMESTAMP", "TIME", "DATETIME", "DATE", "time"];
/// What GDAL's netCDF driver calls the value of a dimension of a band.
const DIMENSION: &str = "NETCDF_DIM_";
/// Calendars that are the one of everyday life, at least since 1582.
const CALENDARS: [&str; 4] = ["standard", "gregorian", "proleptic_gregorian", ""];

/// Opens a raster that may be one of several variables of a NetCDF file: the one called `variable`, or the only
/// one whose bands have times.
pub fn open(path: &Path, role: &str, variable: Option<&str>) -> Result<RasterFile> {
    let dataset = open_dataset(path, role)?;
    let inside = variables(&dataset);
    let shown = path.display();
    if inside.is_empty() && dataset.raster_count() > 0 {
        if let Some(name) = variable
            && !(0..dataset.raster_count()).any(|at| {
                let band = dataset.rasterband(at + 1);
                band.is_ok_and(|band| {
                    band.metadata_item("NETCDF_VARNAME", "").as_deref() == Some(name)
                })
            })
        {
            return Err(Error::input(format!("{role}: '{shown}' has no variable '{name}'"))
                .hint(format!("it is the only raster in there; leave {role}_variable out")));
        }
        return RasterFile::of(dataset, path, role);
    }
    let named: Vec<&(String, String)> = match variable {
        Some(name) => inside.iter().filter(|(known, _)| known == name).collect(),
        None => inside.iter().filter(|(_, address)| is_over_time(address)).collect(),
    };
    let names: Vec<&str> = inside.iter().map(|(name, _)| name.as_str()).collect();
    match (&named[..], variable) {
        ([(_, address)], _) => {
            let dataset = open_quietly(address).ok_or_else(|| {
                Error::input(format!("{role}: '{address}' is not a raster that GDAL can read"))
            })?;
            RasterFile::of(dataset, path, role)
        }
        (_, Some(name)) => Err(Error::input(format!("{role}: '{shown}' has no variable '{name}'"))
            .hint(format!("its variables: {}", names.join(", ")))),
        (_, None) if names.is_empty() => {
            Err(Error::input(format!("{role}: '{shown}' has no raster band"))
                .hint(format!("see what GDAL makes of it: gdalinfo '{shown}'")))
        }
        _ => Err(Error::input(format!(
            "{role}: '{shown}' has several variables: {}",
            names.join(", ")
        ))
        .hint(format!("name the one that is meant: --{role}-variable {}", names[0]))),
    }
}

/// Whether there are rasters in a file: NetCDF can be taken for a vector layer, too.
pub fn has_rasters(path: &Path) -> bool {
    gdal_log::install();
    let dataset = path.to_str().and_then(open_quietly);
    gdal_log::take();
    dataset.is_some_and(|dataset| dataset.raster_count() > 0 || !variables(&dataset).is_empty())
}

/// The rasters inside a file: name and GDAL's address.
fn variables(dataset: &Dataset) -> Vec<(String, String)> {
    let items = dataset.metadata_domain("SUBDATASETS").unwrap_or_default();
    let address = |item: &String| {
        let (key, address) = item.split_once('=')?;
        let name = address.rsplit(':').next()?;
        key.ends_with("_NAME").then(|| (name.to_string(), address.to_string()))
    };
    items.iter().filter_map(address).collect()
}

fn open_quietly(address: &str) -> Option<Dataset> {
    let flags = GdalOpenFlags::GDAL_OF_RASTER;
    Dataset::open_ex(address, DatasetOptions { open_flags: flags, ..DatasetOptions::default() })
        .ok()
}

/// Whether a variable lies somewhere and has bands with times; not so the bounds of a time.
fn is_over_time(address: &str) -> bool {
    let Some(dataset) = open_quietly(address) else { return false };
    let first = dataset.rasterband(1).ok();
    dataset.geo_transform().is_ok()
        && first.is_some_and(|band| time_dimension(&dataset, &band).is_some())
}

/// The CF units (`hours since 2021-07-14 00:00`) and the value of the dimension over which bands are in time.
fn time_dimension(dataset: &Dataset, band: &RasterBand) -> Option<(String, String, String)> {
    let items = band.metadata_domain("").unwrap_or_default();
    items.iter().find_map(|item| {
        let (key, value) = item.split_once('=')?;
        let name = key.strip_prefix(DIMENSION)?;
        let about = |what: &str| dataset.metadata_item(&format!("{name}#{what}"), "");
        let units = about("units").filter(|units| units.contains(" since "))?;
        Some((units, about("calendar").unwrap_or_default().to_lowercase(), value.to_string()))
    })
}

/// The time of each band; `None` if they say nothing of it.
pub fn of_bands(file: &RasterFile) -> Result<Option<Vec<Stamp>>> {
    let mut stamps = Vec::new();
    for number in 1..=file.bands() {
        let Ok(band) = file.dataset.rasterband(number) else { return Ok(None) };
        match of_band(file, &band)? {
            Some(stamp) => stamps.push(stamp),
            None if stamps.is_empty() => return Ok(None),
            None => {
                return Err(Error::input(format!(
                    "{}: band {number} of '{}' has no time, but those before it have",
                    file.role,
                    file.path.display()
                ))
                .hint(
                    "give every band its time, as its description or as TIMESTAMP in its metadata",
                ));
            }
        }
    }
    Ok(Some(stamps))
}

fn of_band(file: &RasterFile, band: &RasterBand) -> Result<Option<Stamp>> {
    if let Some((units, calendar, value)) = time_dimension(&file.dataset, band) {
        return cf_time(&units, &calendar, &value).map(|when| Some(Stamp::Wall(when))).map_err(
            |what| {
                Error::input(format!("{}: '{}': {what}", file.role, file.path.display())).hint(
                    "CF times are like 'hours since 2021-07-14 00:00:00' in the standard calendar",
                )
            },
        );
    }
    if let Some(seconds) = band.metadata_item("GRIB_VALID_TIME", "") {
        let number = seconds.split_whitespace().next().and_then(|word| word.parse().ok());
        return Ok(number.and_then(When::of_unix).map(Stamp::Wall));
    }
    let items = ITEMS.iter().filter_map(|item| band.metadata_item(item, ""));
    let said = items.chain(band.description().ok().filter(|said| !said.is_empty()));
    Ok(said.filter_map(|said| Stamp::parse(&said)).next())
}

/// A CF time coordinate (CF conventions 1.11, section 4.4): a number of units since a date, in UTC unless it says
/// another time zone.
fn cf_time(units: &str, calendar: &str, value: &str) -> std::result::Result<When, String> {
    if !CALENDARS.contains(&calendar) {
        return Err(format!("its times are in the calendar '{calendar}', which has other days"));
    }
    let wrong = || format!("its time {value} '{units}' cannot be read");
    let (unit, since) = units.split_once(" since ").ok_or_else(wrong)?;
    let seconds = match unit.trim().to_lowercase().as_str() {
        "seconds" | "second" | "secs" | "sec" | "s" => 1.0,
        "minutes" | "minute" | "mins" | "min" => 60.0,
        "hours" | "hour" | "hrs" | "hr" | "h" => 3600.0,
        "days" | "day" | "d" => 86400.0,
        _ => return Err(wrong()),
    };
    let since = When::parse(since).ok_or_else(wrong)?.or_utc();
    let number: f64 = value.trim().parse().map_err(|_| wrong())?;
    since.later(number * seconds).ok_or_else(wrong)
}

impl Stamp {
    /// Reads a date, or a time since the start with its unit.
    pub fn parse(text: &str) -> Option<Stamp> {
        let wall = When::parse(text).map(Stamp::Wall);
        let since = || {
            let bare = text.trim().parse::<f64>().is_ok();
            measures::parse_duration(text).ok().filter(|_| !bare).map(Stamp::Since)
        };
        wall.or_else(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cf_times_count_from_their_reference_in_utc() {
        let read = |units: &str, value: &str| {
            cf_time(units, "", value).map(|when| when.to_string()).map_err(|_| ())
        };
        for (units, value, expected) in [
            ("hours since 1900-01-01 00:00:0.0", "1065180", "2021-07-07T12:00:00+00:00"),
            ("days since 2021-07-14", "0.25", "2021-07-14T06:00:00+00:00"),
            ("minutes since 2021-07-14T12:00+02:00", "90", "2021-07-14T13:30:00+02:00"),
            ("seconds since 1970-01-01 00:00:00 UTC", "1626264000", "2021-07-14T12:00:00+00:00"),
        ] {
            assert_eq!(read(units, value).as_deref(), Ok(expected), "{units}");
        }
        for units in ["months since 2021-07-14", "hours since then", "hours"] {
            assert_eq!(read(units, "1"), Err(()), "{units}");
        }
        assert!(cf_time("days since 2021-07-14", "360_day", "1").is_err());
    }
}
