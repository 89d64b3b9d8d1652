//! Rain as a rate, a design storm, a hyetograph, rasters and gauges.

mod daily;
mod design;
mod field;
mod gauges;
mod increments;
mod open_pixels;
mod placement;
mod raster;
mod records;
mod series;
mod suspicion;
mod totals;

pub use open_pixels::fall_on_open_pixels;

use self::design::DesignStorm;
use super::options::{Options, ValueOrFile};
use super::quantity::named;
use super::water::{RateReader, Time};
use crate::engine::clock::TimeUnit;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::{Account, Footprint, RateLayer, Share};
use crate::error::{Error, Result};
use crate::input::description::rain_values::RainValues;
use crate::input::notice::{Notice, Notices};
use crate::input::raster::RasterFile;
use crate::input::raster::{band_times, frames};
use crate::input::tables::dialect::is_a_csv;
use crate::input::tables::records::Records;
use crate::input::tables::series_table;
use crate::input::vector;
use crate::measures::{self, Per, RainUnit, Rate};
use crate::units::{self, Second};
use std::path::Path;

/// Length of a day (s).
const DAY: Second = 86400.0;

/// A factor above this is probably in percent.
const MOST_FACTOR: f64 = 10.0;

/// Form of the rain. A value is a rate or a design storm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RainForm {
    Value,
    Hyetograph,
    Raster,
    Folder,
    List,
    GaugeTable,
    GaugeLayer,
}

impl RainForm {
    fn of_file(path: &Path) -> RainForm {
        if path.is_dir() && !vector::is_vector(path) {
            RainForm::Folder
        } else if is_a_csv(path) {
            RainForm::of_table(path)
        } else if vector::is_vector(path) && !band_times::has_rasters(path) {
            RainForm::GaugeLayer
        } else {
            RainForm::Raster
        }
    }

    /// Determines the content of a CSV from its header; errors in it are left to its reader.
    fn of_table(path: &Path) -> RainForm {
        let header = Records::header_of(path).unwrap_or_default();
        let names: Vec<String> = header.iter().map(str::to_lowercase).collect();
        let has = |name: &str| names.iter().any(|known| known == name);
        if has("x") && has("y") {
            RainForm::GaugeTable
        } else if names.iter().any(|name| frames::is_file_column(name)) {
            RainForm::List
        } else {
            RainForm::Hyetograph
        }
    }
}

/// Options beside `rain`.
struct RainOptions<'a> {
    unit: Option<&'a str>,
    duration: Option<Second>,
    interval: Option<Second>,
    variable: Option<&'a str>,
    values: Option<RainValues>,
}

impl<'a> RainOptions<'a> {
    fn of(options: &'a Options) -> Result<RainOptions<'a>> {
        let positive = |key: &str, value: Option<Second>| match value {
            Some(value) if value <= 0.0 => {
                Err(Error::input(format!("{key}: the time must be more than 0 s"))
                    .hint("give a time like \"15min\""))
            }
            value => Ok(value),
        };
        let duration = named("rain_duration", &options.rain_duration, measures::parse_duration)?;
        let interval = named("rain_interval", &options.rain_interval, measures::parse_duration)?;
        Ok(RainOptions {
            unit: options.rain_unit.as_deref(),
            duration: positive("rain_duration", duration)?,
            interval: positive("rain_interval", interval)?,
            variable: options.rain_variable.as_deref(),
            values: options.rain_values,
        })
    }

    /// Returns the keys that are set.
    fn keys(&self) -> impl Iterator<Item = &'static str> {
        let keys = [
            self.unit.map(|_| "rain_unit"),
            self.duration.map(|_| "rain_duration"),
            self.interval.map(|_| "rain_interval"),
            self.variable.map(|_| "rain_variable"),
            self.values.map(|_| "rain_values"),
        ];
        keys.into_iter().flatten()
    }
}

impl RateReader<'_> {
    /// Reads the rain.
    pub(super) fn rain(&mut self, options: &Options) -> Result<()> {
        let beside = RainOptions::of(options)?;
        let factor = options.rain_factor;
        if let Some(factor) = factor
            && !(factor.is_finite() && factor >= 0.0)
        {
            return Err(Error::input(format!("rain_factor: {factor} is not a factor of rain"))
                .hint("give a number of 0 or more, for example 0.95"));
        }
        let Some(rain) = &options.rain else {
            let orphan = beside.keys().next().or(factor.map(|_| "rain_factor"));
            return orphan.map_or(Ok(()), |key| {
                Err(Error::input(format!("{key}: has no effect without rain"))
                    .hint("give --rain, or leave it out"))
            });
        };
        let text = &rain.to_string();
        let (path, form) = match rain {
            ValueOrFile::Value(text) => (Path::new(text), RainForm::Value),
            ValueOrFile::File(path) => (path.as_path(), RainForm::of_file(path)),
        };
        let used: &[&str] = match form {
            RainForm::Value | RainForm::Hyetograph => {
                let series = match form {
                    RainForm::Hyetograph => self.hyetograph(path)?,
                    _ => self.course_of(text, text)?,
                };
                self.read.push(Account::Rain, Footprint::Everywhere, series);
                if form == RainForm::Hyetograph { &["rain_values"] } else { &[] }
            }
            RainForm::GaugeTable => self.gauge_table(path)?,
            RainForm::GaugeLayer => self.gauge_layer(path)?,
            RainForm::Folder => self.rasters(frames::of_folder(path, "rain")?, path, &beside)?,
            RainForm::List => {
                self.notices.read("rain", path)?;
                self.rasters(frames::of_list(path, "rain")?, path, &beside)?
            }
            RainForm::Raster => {
                let mut file = band_times::open(path, "rain", beside.variable)?;
                file.expect_amounts();
                let timed = self.time.unit == TimeUnit::Seconds && beside.duration.is_none();
                // A time that cannot be parsed does not matter for a raster that applies at all times.
                let times = band_times::of_bands(&file).ok().flatten();
                let covers = beside.interval.is_some()
                    || times.iter().flatten().any(|time| time.interval.is_some());
                if file.bands() > 1 || (timed && covers) {
                    let frames = frames::of_bands(&file, beside.interval)?;
                    drop(file);
                    self.rasters(frames, path, &beside)?
                } else {
                    if let Some(time) = times.iter().flatten().next().filter(|_| timed) {
                        let stamp = &time.stamp;
                        self.notices.warn(file.notice(format_args!(
                            "is for {stamp}, but without an interval: it is taken to fall over the whole run; give the time that it covers: --rain-interval 1d"
                        )));
                    }
                    self.rain_raster(&file, &beside)?
                }
            }
        };
        for key in beside.keys().filter(|key| !used.contains(key)) {
            self.notices.warn(format!("{key}: has no effect on rain like '{text}'"));
        }
        if let Some(factor) = factor {
            for layer in &mut self.read.forcing.rates {
                layer.series = layer.series.scaled(factor);
            }
            if factor > MOST_FACTOR {
                self.notices.warn(format!(
                    "rain_factor: all rain is multiplied by {factor}; for a factor in percent write {}",
                    factor / 100.0
                ));
            }
        }
        self.judge(text, factor);
        Ok(())
    }

    /// Warns if the rain is zero or implausibly high.
    fn judge(&mut self, text: &str, factor: Option<f64>) {
        let rain: Vec<&RateLayer> =
            self.read.forcing.rates.iter().filter(|layer| layer.account == Account::Rain).collect();
        let falls = rain.iter().any(|layer| layer.series.total(self.time.end) > 0.0);
        if factor == Some(0.0) {
            self.notices.warn(Notice::from("rain_factor: a factor of 0 leaves no rain").dry());
        } else if !falls && !self.notices.are_dry() {
            let dry = Notice::from(format!("rain: '{text}' brings no rain during the run"));
            self.notices.warn(dry.dry());
        } else if self.time.unit == TimeUnit::Seconds && factor.is_none_or(|by| by <= MOST_FACTOR) {
            let question = records::question(&rain, self.time.end);
            self.notices.warn_all(question);
        }
    }

    /// Parses a rate or a design storm (m per second or step); `place` is for messages.
    fn course_of(&mut self, written: &str, place: &str) -> Result<Series> {
        if !DesignStorm::is_meant_by(written) {
            return Ok(Series::constant(rate(written, place, self.time)?));
        }
        self.time.check("rain", place, Per::Second)?;
        let storm = DesignStorm::parse(written)?;
        let (series, (peak, within)) = (storm.series(), storm.peak());
        self.time.until(&format!("rain: '{written}'"), series.last().0);
        self.notices.note(format!(
            "rain: '{written}' has a peak of {:.1} mm/h, the mean of {}",
            peak * self.rain_factor * 3.6e6,
            units::show_duration(within)
        ));
        Ok(series)
    }

    /// Reads a hyetograph (m per second or step).
    fn hyetograph(&mut self, path: &Path) -> Result<Series> {
        let hyetograph =
            series_table::HYETOGRAPH.counting(self.rain_values).read(path, self.time.clock)?;
        let shown = path.to_string_lossy();
        self.time.check("rain", &shown, hyetograph.per)?;
        self.time.note("rain", path, &hyetograph, None, &mut self.notices)?;
        if let Some(interval) = hyetograph.last_interval {
            let interval = match self.time.unit {
                TimeUnit::Seconds => units::show_duration(interval),
                TimeUnit::Steps => format!("{interval} steps"),
            };
            self.notices.note(Notice::about(&format!("'{shown}'"), |shown| {
                format!("rain: the last depth of {shown} is assumed to fall in {interval}, like the one before it")
            }));
        }
        let (start, rate) = hyetograph.series.last();
        if rate > 0.0 && start < self.time.end {
            let what = "ends with a rate above 0, which is kept to the end of the run; end it with a rate of 0 to stop the rain";
            self.notices.warn(Notice::of("rain", &shown, what));
        }
        Ok(hyetograph.series)
    }
}

/// Parses a rate (m per second or step); `place` is for messages.
fn rate(written: &str, place: &str, time: Time) -> Result<f64> {
    let rate = measures::parse_rain(written)
        .map_err(|error| error.of("rain").hint_also("or give a raster or a CSV file"))?;
    time.check("rain", place, rate.per)?;
    Ok(rate.value)
}

/// Returns the unit of a raster's values: as given by the user, otherwise as declared by its band,
/// otherwise mm/h or mm per step.
fn unit_of(
    file: &RasterFile,
    beside: &RainOptions,
    time: Time,
    notices: &mut Notices,
) -> Result<RainUnit> {
    let shown = file.path.display();
    let usual = match time.unit {
        TimeUnit::Seconds => Rate { value: 1e-3 / 3600.0, per: Per::Second },
        TimeUnit::Steps => Rate { value: 1e-3, per: Per::Step },
    };
    let declared = file.units.first();
    let unit = match beside.unit {
        Some(unit) => measures::parse_rain_unit(unit).map_err(|error| error.of("rain_unit"))?,
        None => match declared {
            None => {
                let unit = if usual.per == Per::Second { "mm/h" } else { "mm/step" };
                let what = format!("declares no unit; its values are taken as rain in {unit}");
                notices.assume(file.notice(what));
                RainUnit::Rate(usual)
            }
            Some(declared) => {
                let unit = measures::parse_rain_unit(declared).map_err(|_| {
                    file.wrong(format_args!("is in '{declared}', which is not a unit of rain"))
                        .hint(format!(
                            "state the unit of its values, for example --rain-unit mm/h; {}",
                            measures::rain_units()
                        ))
                })?;
                let unit = match unit {
                    // A sum of rates over time (s) is a depth.
                    RainUnit::Rate(rate) if file.is_sum_over_time() => RainUnit::Depth(rate.value),
                    unit => unit,
                };
                if unit != RainUnit::Rate(usual) {
                    notices.note(format!("rain: '{shown}' is in '{declared}', as it declares"));
                }
                unit
            }
        },
    };
    if let RainUnit::Rate(rate) = unit {
        time.check("rain", &shown.to_string(), rate.per)?;
    }
    Ok(unit)
}

/// Returns a warning if the user's unit replaces another one that a raster declares.
fn replaced_unit(file: &RasterFile, beside: &RainOptions) -> Option<Notice> {
    let (given, declared) = (beside.unit?, file.units.first()?);
    let parse = |unit| measures::parse_rain_unit(unit).ok();
    let differs = parse(given) != parse(declared);
    let what =
        format!("declares its values in '{declared}'; rain_unit = \"{given}\" is used instead");
    differs.then(|| file.notice(what))
}

/// Returns the values as fractions of their peak, and the peak.
fn shares(values: &[f32]) -> (Vec<Share>, f32) {
    let peak = values.iter().copied().fold(0.0f32, f32::max);
    let share =
        |value: &f32| Share::of(if peak > 0.0 { f64::from(*value) / f64::from(peak) } else { 0.0 });
    (values.iter().map(share).collect(), peak)
}

/// Returns the name of a path in messages.
fn whose(path: &Path) -> String {
    format!("rain: '{}'", path.display())
}
