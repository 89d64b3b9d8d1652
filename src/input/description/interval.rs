//! Times and intervals of a raster's bands, as NetCDF, GRIB and GeoTIFF files declare them.

use super::attributes::Attributes;
use super::bounds::Bounds;
use super::cf_time::{self, CfTime};
use super::grib::GribTimes;
use crate::error::{Error, Result};
use crate::input::time::declared_zone::DeclaredZone;
use crate::input::time::stamp::Stamp;
use crate::input::time::wall_time::When;
use gdal::Dataset;
use jiff::tz::TimeZone;
use std::cell::OnceCell;
use std::path::Path;

/// Metadata items of a band that may hold its time, besides those of NetCDF and GRIB.
const ITEMS: [&str; 5] = ["TIMESTAMP", "TIME", "DATETIME", "DATE", "time"];

/// Attributes of a time coordinate that may name a time zone.
const ZONES: [&str; 4] = ["time_zone", "timezone", "tz", "long_name"];

/// Pairs of metadata items that may hold the start and the end of a band's interval.
const ENDS: [(&str, &str); 6] = [
    ("START_TIME", "END_TIME"),
    ("start_time", "end_time"),
    ("TIME_START", "TIME_END"),
    ("time_start", "time_end"),
    ("INTERVAL_START", "INTERVAL_END"),
    ("interval_start", "interval_end"),
];

/// Time of a band.
#[derive(Clone, Debug, PartialEq)]
pub struct BandTime {
    /// Time coordinate in NetCDF; otherwise the end of the interval if there is one.
    pub stamp: Stamp,
    /// Start and end of the interval of the values, if the file declares them.
    pub interval: Option<(Stamp, Stamp)>,
    /// Start of the forecast, if the file names one.
    pub reference: Option<Stamp>,
}

impl BandTime {
    /// Creates a time without an interval or a reference.
    pub fn at(stamp: Stamp) -> BandTime {
        BandTime { stamp, interval: None, reference: None }
    }
}

/// Reader of the times of bands of one file.
pub struct TimeReader<'a> {
    dataset: &'a Dataset,
    path: &'a Path,
    /// Bounds of the time axis, if it has any, once they were looked for.
    bounds: OnceCell<Option<Bounds>>,
}

impl<'a> TimeReader<'a> {
    /// Creates a reader for the bands of `dataset`, opened from `path`.
    pub fn new(dataset: &'a Dataset, path: &'a Path) -> TimeReader<'a> {
        TimeReader { dataset, path, bounds: OnceCell::new() }
    }

    /// Reads the time of band `number` (from 1); `None` if it has none.
    ///
    /// # Errors
    /// If the band has a time that cannot be parsed.
    pub fn read(&self, number: usize) -> Result<Option<BandTime>> {
        let Some(band) = Attributes::of(self.dataset, number) else { return Ok(None) };
        if let Some(axis) = TimeAxis::of(&band) {
            return self.of_netcdf(&band, &axis).map(Some);
        }
        if let Some(times) = GribTimes::of(&band) {
            return Ok(of_grib(&times));
        }
        for (start, end) in ENDS {
            let ends = (stamp(&band, start), stamp(&band, end));
            if let (Some(start), Some(end)) = ends {
                return Ok(Some(BandTime {
                    interval: Some((start, end.clone())),
                    // Intervals with a common start have unique ends.
                    ..BandTime::at(end)
                }));
            }
        }
        let items = ITEMS.iter().filter_map(|item| band.item(item));
        let texts = items.chain(band.description());
        Ok(texts.filter_map(|text| Stamp::parse(&text)).next().map(BandTime::at))
    }

    fn of_netcdf(&self, band: &Attributes, axis: &TimeAxis) -> Result<BandTime> {
        check_zone(band, axis)?;
        let date = |value: f64| axis.time.date(value);
        let unread = || Error::input(format!("its time '{}' is not a number", axis.value));
        let value: f64 = axis.value.trim().parse().map_err(|_| unread())?;
        let stamp = date(value)?;
        if let Some(lead) = lead(band, axis) {
            let start = Stamp::Wall(stamp);
            let valid = start.later(lead).ok_or_else(unread)?;
            return Ok(BandTime { reference: Some(start), ..BandTime::at(valid) });
        }
        let (path, name) = (self.path, &axis.name);
        let bounds = self.bounds.get_or_init(|| {
            Bounds::read(path, &band.path()?, name, &band.of_dimension(name, "bounds")?)
        });
        let interval = match bounds.as_ref().and_then(|bounds| Some((bounds, bounds.of(value)?))) {
            Some((bounds, (first, last))) => {
                let time = axis.time.in_units(&bounds.units);
                Some((Stamp::Wall(time.date(first)?), Stamp::Wall(time.date(last)?)))
            }
            None => None,
        };
        Ok(BandTime { interval, ..BandTime::at(Stamp::Wall(stamp)) })
    }
}

/// Checks that a time coordinate declares no other time zone than its units do, which are in UTC unless they
/// name another (CF conventions 1.11, section 4.4).
///
/// # Errors
/// If it does.
fn check_zone(band: &Attributes, axis: &TimeAxis) -> Result<()> {
    let declared = ZONES.iter().find_map(|name| {
        let text = band.of_dimension(&axis.name, name)?;
        let utc = DeclaredZone::Known(TimeZone::UTC);
        (![DeclaredZone::Undeclared, utc].contains(&DeclaredZone::of(&text)))
            .then_some((name, text))
    });
    match declared.filter(|_| !axis.time.has_zone()) {
        None => Ok(()),
        Some((name, text)) => Err(Error::input(format!(
            "its times have the {name} '{text}', but their units name no time zone, which means UTC"
        ))
        .hint(format!(
            "write the time zone into the units, as in 'hours since 2021-07-14 00:00 +02:00', or remove the attribute: ncatted -a {name},{},d,,",
            axis.name
        ))),
    }
}

/// Returns `true` if a dataset's first band is on a NetCDF time axis.
pub fn is_over_time(dataset: &Dataset) -> bool {
    Attributes::of(dataset, 1).is_some_and(|band| TimeAxis::of(&band).is_some())
}

/// Returns the name of the NetCDF time axis of a band.
pub fn time_axis(band: &Attributes) -> Option<String> {
    TimeAxis::of(band).map(|axis| axis.name)
}

/// Time axis of a NetCDF variable, with the coordinate of a band.
struct TimeAxis {
    name: String,
    time: CfTime,
    value: String,
}

impl TimeAxis {
    fn of(band: &Attributes) -> Option<TimeAxis> {
        band.dimensions().into_iter().find_map(|(name, value)| {
            let about = |what: &str| band.of_dimension(&name, what);
            let time = CfTime::new(&about("units")?, about("calendar").as_deref())?;
            Some(TimeAxis { name, time, value })
        })
    }
}

/// Returns the lead time (s) of a band, if its variable has an axis of lead times besides the axis
/// of forecast starts.
fn lead(band: &Attributes, time: &TimeAxis) -> Option<f64> {
    let others = band.dimensions().into_iter().filter(|(name, _)| *name != time.name);
    let mut leads = others.filter_map(|(name, value)| {
        let value: f64 = value.trim().parse().ok()?;
        Some(value * lead_unit(band, &name)?)
    });
    leads.next()
}

/// Returns the unit (s) of an axis of lead times; `None` if it is another axis.
fn lead_unit(band: &Attributes, name: &str) -> Option<f64> {
    let standard = band.of_dimension(name, "standard_name");
    let is_lead = standard.as_deref() == Some("forecast_period")
        || matches!(name, "step" | "lead_time" | "leadtime" | "forecast_period");
    is_lead.then(|| cf_time::seconds(&band.of_dimension(name, "units")?)).flatten()
}

/// Returns `true` if a NetCDF dimension holds times or lead times.
pub fn is_of_times(dataset: &Dataset, name: &str) -> bool {
    Attributes::of(dataset, 1).is_some_and(|band| {
        let is_time = TimeAxis::of(&band).is_some_and(|axis| axis.name == name);
        is_time || lead_unit(&band, name).is_some()
    })
}

fn stamp(band: &Attributes, item: &str) -> Option<Stamp> {
    Stamp::parse(&band.item(item)?)
}

fn of_grib(times: &GribTimes) -> Option<BandTime> {
    let wall = |seconds: f64| When::of_unix(seconds).map(Stamp::Wall);
    let end = wall(times.valid)?;
    let start = times.start.and_then(wall);
    Some(BandTime {
        interval: start.map(|start| (start, end.clone())),
        reference: times.reference.and_then(wall),
        stamp: end,
    })
}
