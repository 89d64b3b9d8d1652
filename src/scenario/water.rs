//! Water that enters at a rate: rain and sources.

use super::data_after_end::DataAfterEnd;
use super::open_sides::OpenBoundaryCells;
use super::options::Options;
use super::source_facts::SourceFacts;
use super::start_from::Start;
use super::validated::ValidatedOptions;
use crate::engine::clock::TimeUnit;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::{Account, Footprint, Forcing, RateLayer};
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::description::rain_values::RainValues;
use crate::input::notice::{Notice, Notices, Reading};
use crate::input::tables::series_table::Course;
use crate::input::time::wall_time::WallClock;
use crate::measures::Per;
use crate::output::watch::SourceShare;
use crate::units::Second;
use std::path::Path;

/// Unit of time, end and wall-clock start of the run.
#[derive(Clone, Copy, Debug)]
pub struct Time<'a> {
    pub unit: TimeUnit,
    pub end: f64,
    pub clock: &'a WallClock,
    /// Total duration of the earlier runs that led to the initial state (s).
    pub elapsed: f64,
    /// Collects data that continue after the end of the run.
    pub beyond: &'a DataAfterEnd,
}

/// Rain and sources of a run.
#[derive(Debug, Default)]
pub struct Rates {
    pub forcing: Forcing,
    /// Facts about each source.
    pub sources: Vec<SourceFacts>,
    /// Share of the forcing of each source, for its own line of the mass balance.
    pub shares: Vec<SourceShare>,
    /// Open cells along the sides, where water leaves.
    pub open_cells: OpenBoundaryCells,
}

/// Reader of rain and sources.
pub(super) struct RateReader<'a> {
    pub read: Rates,
    pub notices: Notices,
    pub ground: Topography<'a>,
    pub time: Time<'a>,
    /// Meaning of rain values, if the user states it.
    pub rain_values: Option<RainValues>,
    /// Factor on all rain.
    pub rain_factor: f64,
}

/// Reads rain and sources.
pub fn rates(
    options: &Options,
    open_cells: OpenBoundaryCells,
    ground: Topography,
    time: Time,
) -> Result<Reading<Rates>> {
    let read = Rates { open_cells, ..Rates::default() };
    let (notices, rain_values) = (Notices::default(), options.rain_values);
    let rain_factor = options.rain_factor.unwrap_or(1.0);
    let mut reader = RateReader { read, notices, ground, time, rain_values, rain_factor };
    reader.rain(options)?;
    for placed in &options.source {
        reader.source(placed)?;
    }
    let RateReader { read: value, mut notices, .. } = reader;
    notices.warn_all(value.sources.iter().filter_map(SourceFacts::warning));
    Ok(Reading { value, notices })
}

impl<'a> Time<'a> {
    /// Returns the time of a run that starts from a state, if there is one.
    pub fn of(
        validated: &'a ValidatedOptions,
        start: Option<&Start>,
        beyond: &'a DataAfterEnd,
    ) -> Time<'a> {
        let (unit, end, clock) =
            (validated.clock.unit, validated.clock.end(), &validated.wall_clock);
        Time { unit, end, clock, elapsed: start.map_or(0.0, Start::elapsed), beyond }
    }

    /// Returns the note about data that continue after the end of the run.
    pub fn beyond_the_end(self) -> Option<String> {
        self.beyond.note(self.end, (self.unit == TimeUnit::Seconds).then_some(self.clock))
    }
}

impl Time<'_> {
    /// Checks that the run's steps have a duration, which a rate in time needs; `what` names the
    /// rate.
    pub(super) fn check_timed(self, what: impl std::fmt::Display) -> Result<()> {
        match self.unit {
            TimeUnit::Seconds => Ok(()),
            TimeUnit::Steps => Err(Error::input(format!("{what}, but the run's steps have no duration"))
                .hint("give the calibrated duration of a step, --step 10s, or use a solver with physical time")),
        }
    }

    /// Checks that a rate has the unit of time of the run.
    ///
    /// # Errors
    /// If it is per second and the run counts steps, or vice versa.
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

    /// Checks that the times of a table without rates have the unit of time of the run.
    ///
    /// # Errors
    /// If they are in seconds and the run counts steps, or vice versa.
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

    /// Records that data reach up to the time `last`, for a note if the run ends earlier. `whose`
    /// is their role and name.
    pub(super) fn until(self, whose: &str, last: f64) {
        self.beyond.see(whose, last, self.end);
    }

    /// Notes a time series as an input file of a role, and warns of the part outside the run and of
    /// the part of the run outside the series. `holds` names its values if they hold before its
    /// first and after its last time, as levels do.
    pub(super) fn note(
        self,
        role: &str,
        path: &Path,
        course: &Course,
        holds: Option<&str>,
        notices: &mut Notices,
    ) -> Result<()> {
        let shown = path.to_string_lossy();
        if let Some(dated) = course.dated {
            notices.warn_all(self.covered(role, &shown, dated, holds)?);
        }
        if let Some(value) = holds.filter(|_| course.series.last().0 < self.end) {
            let what = format!("ends before the run does; its last {value} is kept to the end");
            notices.warn(Notice::of(role, &shown, what));
        }
        self.until(&format!("{role}: '{shown}'"), course.series.last().0);
        course.report(notices);
        notices.read(role, path)
    }

    /// Compares the first and last time of dated data with the run. Returns a warning if the data
    /// start before or after the start of the run. `role` and `name` identify the data in messages;
    /// `holds` names values that hold before the first time.
    ///
    /// # Errors
    /// If all times are outside the run.
    pub(super) fn covered(
        self,
        role: &str,
        name: &str,
        (first, last): (f64, f64),
        holds: Option<&str>,
    ) -> Result<Option<Notice>> {
        let show = |time: f64| self.clock.show(time);
        let spans = format!(
            "covers {} to {}, but the run is {} to {}",
            show(first),
            show(last),
            show(0.0),
            show(self.end)
        );
        if first >= self.end || last < 0.0 || (last == 0.0 && first < 0.0) {
            return Err(Error::input(format!("{role}: '{name}' {spans}")).hint(
                "give the start of the run with its time zone: --start \"2021-07-14T12:00+02:00\"",
            ));
        }
        let mut what = Vec::new();
        if first < 0.0 {
            what.push("data outside the run are ignored".to_string());
        }
        if first > 0.0 {
            what.push(match holds {
                Some(value) => format!("its first {value} holds before its first time, too"),
                None => "before its first time it has no effect".into(),
            });
        }
        let what = what.join(", and ");
        Ok((!what.is_empty()).then(|| Notice::of(role, name, format!("{spans}; {what}"))))
    }
}

impl Rates {
    pub(super) fn push(&mut self, account: Account, footprint: Footprint, series: Series) {
        self.forcing.rates.push(RateLayer { account, footprint, series });
    }

    /// Adds rain with a rate of up to `peak` (m/s) from `start` to `end`, or for ever. Rain that fell with the same
    /// shares until then is one layer with it, so that no fraction of a grain is lost.
    pub(super) fn rain(
        &mut self,
        footprint: Footprint,
        peak: f64,
        start: Second,
        end: Option<Second>,
    ) {
        let mut layers = self.forcing.rates.iter_mut().rev();
        let known = layers
            .find(|layer| layer.account == Account::Rain && layer.footprint.is_same(&footprint));
        if let Some((layer, series)) = known
            .and_then(|layer| layer.series.with(peak, start, end).map(|series| (layer, series)))
        {
            layer.series = series;
            return;
        }
        let end = end.map(|end| (end, 0.0));
        let pieces = [(start, peak)].into_iter().chain(end).collect();
        self.push(Account::Rain, footprint, Series::new(pieces));
    }
}
