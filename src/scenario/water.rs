//! The water of a scenario that comes at a rate: rain and sources.

use super::amounts::{read_amounts, warp_note};
use super::options::{Options, Quantity, looks_like_a_file};
use super::sources::is_a_csv;
use crate::clock::TimeUnit;
use crate::error::{Error, Result};
use crate::forcing::series::Series;
use crate::forcing::{Account, Footprint, Forcing, RateLayer, Share};
use crate::grid::{Bed, Grid};
use crate::input::layer::Kind;
use crate::input::table;
use crate::output::report::InputFile;
use crate::units::{self, Per};
use std::path::Path;

/// What time is counted in, and when the run ends.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    pub unit: TimeUnit,
    pub end: f64,
}

/// Rain and sources, and what there is to say about them.
#[derive(Debug, Default)]
pub struct Rates {
    pub forcing: Forcing,
    pub inputs: Vec<InputFile>,
    pub notes: Vec<String>,
    pub warnings: Vec<String>,
}

/// Reads rain and sources.
pub fn rates(options: &Options, grid: &Grid, bed: &Bed, time: Time) -> Result<Rates> {
    let mut rates = Rates::default();
    if let Some(Quantity(text)) = &options.rain {
        rates.rain(text, grid, bed, time)?;
    }
    for text in &options.source {
        rates.source(text, grid, bed, time)?;
    }
    Ok(rates)
}

impl Time {
    /// Whether a rate's time is this run's; if not, an error that tells the way out.
    pub(super) fn check(self, key: &str, text: &str, per: Per) -> Result<()> {
        match (self.unit, per) {
            (TimeUnit::Steps, Per::Second) => Err(Error::input(format!(
                "{key}: '{text}' is a rate in time, but the run's steps have no duration"
            ))
            .hint("give the calibrated duration of a step, --step 10s, or a rate per step (mm/step, m3/step)")),
            (TimeUnit::Seconds, Per::Step) => Err(Error::input(format!(
                "{key}: '{text}' is a rate per step, but the run's steps have a duration"
            ))
            .hint("give a rate in time (mm/h, m3/s), or leave out --step")),
            _ => Ok(()),
        }
    }

    /// The same for the times of a table without rates.
    pub(super) fn check_times(self, key: &str, text: &str, per: Per) -> Result<()> {
        match (self.unit, per) {
            (TimeUnit::Steps, Per::Second) => Err(Error::input(format!(
                "{key}: the times of '{text}' are in hours or seconds, but the run's steps have no duration"
            ))
            .hint("give the calibrated duration of a step, --step 10s, or count the times in steps (step,level [m])")),
            (TimeUnit::Seconds, Per::Step) => Err(Error::input(format!(
                "{key}: the times of '{text}' count steps, but the run's steps have a duration"
            ))
            .hint("give times with a unit (time [h]), or leave out --step")),
            _ => Ok(()),
        }
    }
}

impl Rates {
    fn rain(&mut self, text: &str, grid: &Grid, bed: &Bed, time: Time) -> Result<()> {
        let path = Path::new(text);
        if is_a_csv(path) {
            let hyetograph = table::read_hyetograph(path)?;
            time.check("rain", text, hyetograph.per)?;
            let (start, rate) = hyetograph.series.last();
            if rate > 0.0 && start < time.end {
                self.warnings.push(format!(
                    "rain: '{text}' ends with a rate above 0, which is kept to the end of the run; end it with a rate of 0 to stop the rain"
                ));
            }
            self.inputs.push(InputFile::new("rain", path)?);
            self.push(Account::Rain, Footprint::Everywhere, hyetograph.series);
        } else if looks_like_a_file(text) {
            self.rain_raster(path, grid, bed, time)?;
        } else {
            let rate = units::parse_rain(text).map_err(|error| {
                let what = format!("rain: {}", error.what);
                let hint = error.hint.unwrap_or_default();
                Error::input(what).hint(format!("{hint}; or give a raster or a CSV file"))
            })?;
            time.check("rain", text, rate.per)?;
            self.push(Account::Rain, Footprint::Everywhere, Series::constant(rate.value));
        }
        Ok(())
    }

    pub(super) fn push(&mut self, account: Account, footprint: Footprint, series: Series) {
        self.forcing.rates.push(RateLayer { account, footprint, series });
    }

    /// A raster of mm/h (or mm per step): the peak makes the series, each cell its share of it.
    fn rain_raster(&mut self, path: &Path, grid: &Grid, bed: &Bed, time: Time) -> Result<()> {
        let mut values = vec![0.0f32; grid.cells()];
        let report = read_amounts(path, "rain", grid, bed, Kind::Field, |cell, value| {
            values[cell] = value as f32
        })?;
        let per_hour = if time.unit == TimeUnit::Seconds { 3600.0 } else { 1.0 };
        let unit = if time.unit == TimeUnit::Seconds { "m³/h" } else { "m³/step" };
        self.warnings.extend(report.warnings.iter().cloned());
        self.notes.extend(warp_note(&report, path, "rain", unit, 1e-3));
        self.inputs.push(InputFile::new("rain", path)?);
        let peak = values.iter().copied().fold(0.0f32, f32::max);
        if peak > 0.0 {
            let share = |value: &f32| Share::of(f64::from(*value) / f64::from(peak));
            let shares = values.iter().map(share).collect();
            let series = Series::constant(f64::from(peak) * 1e-3 / per_hour);
            self.push(Account::Rain, Footprint::Shares(shares), series);
        }
        Ok(())
    }
}
