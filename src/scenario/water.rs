//! The water of a scenario that comes at a rate: rain and sources.

use super::amounts::{read_amounts, warp_note};
use super::options::{Options, Quantity, looks_like_a_file};
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
        if text.split(',').count() == 3 && !Path::new(text).exists() {
            rates.point_source(text, grid, bed, time)?;
        } else if text.contains(',') && !looks_like_a_file(text) {
            return Err(Error::input(format!("source: '{text}' is neither a point nor a file"))
                .hint("write a point source as x,y,Q: \"612300,4052100,20 m3/s\""));
        } else {
            rates.source_raster(Path::new(text), grid, bed, time)?;
        }
    }
    Ok(rates)
}

impl Time {
    /// Whether a rate's time is this run's; if not, an error that tells the way out.
    fn check(self, key: &str, text: &str, per: Per) -> Result<()> {
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
}

impl Rates {
    fn rain(&mut self, text: &str, grid: &Grid, bed: &Bed, time: Time) -> Result<()> {
        let path = Path::new(text);
        let table = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        if table {
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

    fn push(&mut self, account: Account, footprint: Footprint, series: Series) {
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

    /// `x,y,Q`.
    fn point_source(&mut self, text: &str, grid: &Grid, bed: &Bed, time: Time) -> Result<()> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let number = |text: &str| {
            text.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(|| {
                Error::input(format!("source: '{text}' is not a coordinate"))
                    .hint("write a point source as x,y,Q: \"612300,4052100,20 m3/s\"")
            })
        };
        let (x, y) = (number(parts[0])?, number(parts[1])?);
        let bare = parts[2].parse::<f64>().is_ok();
        let flow = if bare && time.unit == TimeUnit::Steps {
            units::parse_flow(&format!("{} m3/step", parts[2]))
        } else {
            units::parse_flow(parts[2])
        };
        let flow =
            flow.map_err(|error| Error { what: format!("source: {}", error.what), ..error })?;
        time.check("source", text, flow.per)?;
        let [west, south, east, north] = grid.extent();
        let (column, row) = grid.cell_at(x, y).ok_or_else(|| {
            Error::input(format!("source: the point ({x}, {y}) lies outside the DEM"))
                .hint(format!("the DEM covers x {west} to {east}, y {south} to {north}"))
        })?;
        let cell = row * grid.columns + column;
        if bed.levels[cell] == Bed::OUTSIDE {
            return Err(Error::input(format!(
                "source: the point ({x}, {y}) lies on a NoData cell of the DEM (column {column}, row {row})"
            ))
            .hint("move it onto the terrain"));
        }
        let series = Series::constant(flow.value / grid.cell_area());
        self.push(Account::Inflow, Footprint::Cells(vec![(cell, Share::WHOLE)]), series);
        Ok(())
    }

    /// A raster of m³/s (or m³ per step) per cell. On another grid the flow per area is warped, and
    /// scaled so that the total over the DEM stays what the file says.
    fn source_raster(&mut self, path: &Path, grid: &Grid, bed: &Bed, time: Time) -> Result<()> {
        let mut cells: Vec<(usize, f64)> = Vec::new();
        let report = read_amounts(path, "source", grid, bed, Kind::Sparse, |cell, value| {
            if value > 0.0 {
                cells.push((cell, value));
            }
        })?;
        let unit = if time.unit == TimeUnit::Seconds { "m³/s" } else { "m³/step" };
        self.inputs.push(InputFile::new("source", path)?);
        self.warnings.extend(report.warnings.iter().cloned());
        let shown = path.display();
        let own_area =
            if report.own_cell_area > 0.0 { report.own_cell_area } else { grid.cell_area() };
        let whole = report.before / own_area;
        let mut used = report.inside / grid.cell_area();
        if report.warped && report.after > 0.0 {
            let kept = whole * grid.cell_area() / report.after;
            cells.iter_mut().for_each(|(_, value)| *value *= kept);
            used *= kept;
        }
        if report.warped {
            let kept = if used < whole * (1.0 - 1e-9) {
                format!(
                    "of its {whole:.6} {unit} over the DEM's extent, {used:.6} {unit} fall on the domain"
                )
            } else {
                format!("its total of {used:.6} {unit} is kept")
            };
            self.notes.push(format!("source: '{shown}' was warped to the DEM's grid: {kept}"));
        }
        if report.dropped > 0 {
            self.warnings.push(format!(
                "source: {} cells of '{shown}' lie on NoData cells of the DEM and bring nothing; {used:.6} of {whole:.6} {unit} are left",
                report.dropped
            ));
        }
        let peak = cells.iter().map(|(_, value)| *value).fold(0.0, f64::max);
        if peak > 0.0 {
            let shares =
                cells.iter().map(|&(cell, value)| (cell, Share::of(value / peak))).collect();
            let series = Series::constant(peak / grid.cell_area());
            self.push(Account::Inflow, Footprint::Cells(shares), series);
        } else {
            self.warnings.push(format!("source: '{}' brings no water", path.display()));
        }
        Ok(())
    }
}
