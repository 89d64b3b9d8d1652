//! A single raster of rain: constant rates, or the depth of the whole event.

use super::super::amounts::{read_amounts_of, warp_note};
use super::super::water::RateReader;
use super::{RainOptions, replaced_unit, shares, unit_of};
use crate::engine::clock::TimeUnit;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::{Account, Footprint};
use crate::error::Result;
use crate::input::raster::RasterFile;
use crate::input::raster::layer::Cover;
use crate::measures::RainUnit;

impl RateReader<'_> {
    /// Reads a raster of rates or of the event's depths. The peak gives the series, and each cell
    /// has its fraction of the peak.
    pub(super) fn rain_raster(
        &mut self,
        file: &RasterFile,
        beside: &RainOptions,
    ) -> Result<&'static [&'static str]> {
        let path = &file.path;
        let unit = unit_of(file, beside, self.time, &mut self.notices)?;
        self.notices.warn_all(replaced_unit(file, beside));
        let mut values = vec![0.0f32; self.ground.grid.cells()];
        let report = read_amounts_of(file, self.ground, Cover::Field, |cell, value| {
            values[cell] = value as f32
        })?;
        let timed = self.time.unit == TimeUnit::Seconds;
        let (name, factor) = match unit {
            RainUnit::Rate(rate) if timed => ("m³/h", rate.value * 3600.0),
            RainUnit::Rate(rate) => ("m³/step", rate.value),
            RainUnit::Depth(metres) => ("m³", metres),
        };
        report.note("rain", path, &mut self.notices)?;
        self.notices.note_all(warp_note(&report, path, "rain", name, factor));
        let (shares, peak) = shares(&values);
        let peak = f64::from(peak);
        let series = match unit {
            RainUnit::Rate(rate) => Series::constant(peak * rate.value),
            RainUnit::Depth(metres) => {
                let falls = beside.duration.filter(|_| timed).unwrap_or(self.time.end);
                if falls > self.time.end {
                    self.notices.warn(format!(
                        "rain_duration: the depth of '{}' falls until {}, after the run's end; the rest of it is ignored",
                        path.display(),
                        self.time.clock.show(falls)
                    ));
                }
                Series::new(vec![(0.0, peak * metres / falls), (falls, 0.0)])
            }
        };
        if peak > 0.0 {
            self.read.push(Account::Rain, Footprint::Shares(shares), series);
        }
        Ok(match unit {
            RainUnit::Depth(_) if timed => &["rain_unit", "rain_variable", "rain_duration"],
            _ => &["rain_unit", "rain_variable"],
        })
    }
}
