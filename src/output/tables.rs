//! CSV files of a run: gauges, sections and the mass balance, with a line per time.
//!
//! Times come first, as `inundate compare` expects, and every other column has its unit in
//! brackets.

use super::folder::{GAUGES, MASS_BALANCE, OutputFolder, SECTIONS, cannot_write};
use crate::engine::clock::{Clock, TimeUnit};
use crate::engine::grains::Grain;
use crate::engine::grid::Grid;
use crate::engine::ledger::{LINES, LedgerLine, Side};
use crate::error::Result;
use crate::input::time::wall_time;
use crate::output::watch::{Balance, Records, Watched};
use crate::words::cell;
use jiff::Zoned;
use std::path::Path;

/// Column of the date and time, if the run has them.
pub const DATE: &str = "date";

/// Inflow from neither sources nor stage boundaries.
pub const OTHER: &str = "inflow cells";

/// Data of the tables.
#[derive(Clone, Copy)]
pub struct Tables<'a> {
    /// Gauges, sections and accounts.
    pub watched: &'a Watched,
    /// Samples recorded during the run.
    pub records: &'a Records,
    /// Clock of the run.
    pub clock: &'a Clock,
    /// Grain of its water.
    pub grain: Grain,
    /// Grid of the run.
    pub grid: &'a Grid,
    /// Start by the wall clock, if known.
    pub start: Option<&'a Zoned>,
}

impl Tables<'_> {
    /// Returns the files that a run will write.
    pub fn names(watched: &Watched) -> Vec<&'static str> {
        let gauges = (!watched.gauges.is_empty()).then_some(GAUGES);
        let sections = (!watched.sections.is_empty()).then_some(SECTIONS);
        gauges.into_iter().chain(sections).chain([MASS_BALANCE]).collect()
    }

    /// Writes the tables, ready to be published, and returns their names.
    pub fn stage(&self, folder: &OutputFolder) -> Result<Vec<String>> {
        let names = Tables::names(self.watched);
        for &name in &names {
            match name {
                GAUGES => self.write(folder, name, &self.gauge_columns())?,
                SECTIONS => self.write(folder, name, &self.section_columns())?,
                _ => self.write(folder, name, &self.balance_columns())?,
            }
        }
        Ok(names.into_iter().map(String::from).collect())
    }

    fn gauge_columns(&self) -> Vec<(String, Vec<String>)> {
        let mut columns = Vec::new();
        for (gauge, readings) in self.watched.gauges.iter().zip(&self.records.gauges) {
            let mut column = |what: &str, show: &dyn Fn(&crate::output::watch::Reading) -> f64| {
                let values = readings.iter().map(|reading| decimals(show(reading)));
                columns.push((named(&gauge.name, what), values.collect()));
            };
            column("depth [m]", &|reading| reading.depth);
            column("level [m]", &|reading| reading.level);
            if self.watched.flows {
                column("velocity [m/s]", &|reading| reading.speed());
                column("velocity x [m/s]", &|reading| reading.velocity[0]);
                column("velocity y [m/s]", &|reading| reading.velocity[1]);
            }
        }
        columns
    }

    fn section_columns(&self) -> Vec<(String, Vec<String>)> {
        let mut columns = Vec::new();
        for (section, flow) in self.watched.sections.iter().zip(&self.records.sections) {
            for (what, values) in
                [("discharge [m3/s]", &flow.discharges), ("volume [m3]", &flow.volumes)]
            {
                let values = values.iter().map(|&value| amount(value));
                columns.push((named(&section.name, what), values.collect()));
            }
        }
        columns
    }

    fn balance_columns(&self) -> Vec<(String, Vec<String>)> {
        let area = self.grid.cell_area();
        let balance = &self.records.balance;
        let volumes: Vec<_> =
            balance.iter().map(|balance| balance.ledger.volumes(self.grain, area)).collect();
        let column = |line: &LedgerLine| {
            let values = volumes.iter().map(|volumes| volumes.of(line.term).to_string());
            (format!("{} [m3]", line.key), values.collect())
        };
        let ledgers = || balance.iter().map(|balance| &balance.ledger);
        let lines = || LINES.iter().filter(|line| line.is_shown(ledgers()));
        // Stored volumes come before inflow and outflow.
        let (stored, other): (Vec<_>, Vec<_>) = lines().partition(|l| l.side == Side::Stored);
        let mut columns: Vec<(String, Vec<String>)> =
            stored.into_iter().chain(other).map(column).collect();
        columns.extend(self.account_columns());
        let wet = balance.iter().map(|balance| (balance.wet_cells as f64 * area).to_string());
        columns.push(("wet area [m2]".into(), wet.collect()));
        let errors = volumes.iter().map(|volumes| volumes.error().to_string());
        columns.push(("error [m3]".into(), errors.collect()));
        columns
    }

    /// Returns the columns of inflow and outflow by account, and of the volumes through links.
    fn account_columns(&self) -> Vec<(String, Vec<String>)> {
        let accounts = &self.watched.accounts;
        let grain = f64::from(self.grain.metres()) * self.grid.cell_area();
        let column = |name: String, of: &dyn Fn(&Balance) -> f64| {
            let values =
                self.records.balance.iter().map(|balance| (of(balance) * grain).to_string());
            (cell(&name).into_owned(), values.collect())
        };
        let sources = accounts.sources.iter().enumerate().map(|(at, name)| {
            column(format!("source {name} [m3]"), &|balance| balance.brought.sources[at] as f64)
        });
        let levels = accounts.levels.iter().enumerate().flat_map(|(at, name)| {
            let both = |balance: &Balance| balance.brought.levels[at];
            let out = |what: String| column(what, &|balance| both(balance).1 as f64);
            match at < accounts.stages() {
                true => vec![
                    column(format!("level {name} in [m3]"), &|balance| both(balance).0 as f64),
                    out(format!("level {name} out [m3]")),
                ],
                false => vec![out(format!("rating {name} [m3]"))],
            }
        });
        let sides = accounts.sides.names.iter().enumerate().map(|(at, name)| {
            column(format!("open {name} [m3]"), &|balance| balance.brought.sides[at] as f64)
        });
        let sewers = ["in", "out"].into_iter().filter(|_| accounts.inlets > 0).map(|way| {
            column(format!("sewers {way} [m3]"), &|balance| {
                let (came, left) = balance.brought.sewers;
                if way == "in" { came as f64 } else { left as f64 }
            })
        });
        let other = |balance: &Balance| balance.brought.other(&balance.ledger) as f64;
        let other = accounts.has_other.then(|| column(format!("{OTHER} [m3]"), &other));
        let links = accounts.links.iter().enumerate().flat_map(|(at, name)| {
            let way = |balance: &Balance| balance.brought.links[at];
            [
                column(format!("link {name} forward [m3]"), &|balance| way(balance).0 as f64),
                column(format!("link {name} back [m3]"), &|balance| way(balance).1 as f64),
            ]
        });
        sources.chain(levels).chain(sewers).chain(other).chain(sides).chain(links).collect()
    }

    fn write(
        &self,
        folder: &OutputFolder,
        name: &str,
        columns: &[(String, Vec<String>)],
    ) -> Result<()> {
        let times = time_columns(&self.records.times, self.clock, self.start);
        let columns = [&times[..], columns].concat();
        write_columns(&folder.staged(name), name, &columns)
    }
}

/// Returns the time columns: seconds and hours, and dates if the start is known; or steps.
pub(super) fn time_columns(
    times: &[f64],
    clock: &Clock,
    start: Option<&Zoned>,
) -> Vec<(String, Vec<String>)> {
    let column = |name: &str, show: &dyn Fn(f64) -> f64| {
        let times = times.iter().map(|&time| show(time).to_string());
        (name.to_string(), times.collect())
    };
    if clock.unit == TimeUnit::Steps {
        return vec![column("step", &|time| time)];
    }
    // To the millisecond, as in file names.
    let seconds = |time: f64| (time * 1e3).round() / 1e3;
    let mut columns = vec![
        column("time [s]", &seconds),
        column("time [h]", &|time| (time / 3600.0 * 1e7).round() / 1e7),
    ];
    if let Some(start) = start {
        let dates = times.iter().map(|&time| wall_time::after(start, seconds(time)));
        columns.push((DATE.into(), dates.collect()));
    }
    columns
}

/// Writes columns of equal length, each with its head, to a CSV; `what` names it in messages.
///
/// # Errors
/// If the disk is full, or the file cannot be created.
pub fn write_columns(path: &Path, what: &str, columns: &[(String, Vec<String>)]) -> Result<()> {
    let failed = cannot_write::<csv::Error>(what.to_string());
    let mut writer = csv::Writer::from_path(path).map_err(&failed)?;
    writer.write_record(columns.iter().map(|(head, _)| head)).map_err(&failed)?;
    for line in 0..columns.first().map_or(0, |(_, values)| values.len()) {
        let record = columns.iter().map(|(_, values)| &values[line]);
        writer.write_record(record).map_err(&failed)?;
    }
    writer.flush().map_err(|error| failed(error.into()))
}

/// Returns the head of a column with an arbitrary name.
pub(super) fn named(name: &str, what: &str) -> String {
    cell(&format!("{name} {what}")).into_owned()
}

/// Rounds a number to a hundredth of a millimetre (or millimetre per second).
pub(super) fn decimals(value: f64) -> String {
    rounded(value, 1e5)
}

/// Rounds a discharge or volume to a hundredth of a litre, and less than a tenth of a cubic metre to
/// five significant digits (laboratory plots).
fn amount(value: f64) -> String {
    let digits = (4.0 - value.abs().log10().floor()).clamp(5.0, 12.0);
    rounded(value, 10f64.powf(digits))
}

/// Rounds a number to a fraction of 1.
fn rounded(value: f64, fraction: f64) -> String {
    let rounded = (value * fraction).round() / fraction;
    // Avoid negative zero.
    (rounded + 0.0).to_string()
}
