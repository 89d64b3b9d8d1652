//! The water of a scenario that comes at a rate: rain and sources.

use super::beyond::Beyond;
use super::open_rim::OpenRim;
use super::options::Options;
use super::source_facts::SourceFacts;
use crate::engine::clock::TimeUnit;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::{Account, Footprint, Forcing, RateLayer};
use crate::error::{Error, Result};
use crate::input::description::rain_values::RainValues;
use crate::input::notice::{Notice, Notices, Reading};
use crate::input::table::Course;
use crate::input::topography::Topography;
use crate::input::when::WallClock;
use crate::measures::Per;
use crate::output::watch::Stake;
use std::path::Path;

/// What time is counted in, when the run ends, and when it starts by the wall clock.
#[derive(Clone, Copy, Debug)]
pub struct Time<'a> {
    pub unit: TimeUnit,
    pub end: f64,
    pub clock: &'a WallClock,
    /// How long the earlier runs took from whose state this one starts (s).
    pub elapsed: f64,
    /// What goes on after the end.
    pub beyond: &'a Beyond,
}

/// Rain and sources, and what there is to say about them.
#[derive(Debug, Default)]
pub struct Rates {
    pub forcing: Forcing,
    /// Each source.
    pub sources: Vec<SourceFacts>,
    /// What each has of the forcing.
    pub stakes: Vec<Stake>,
    /// The cells along open sides, where water leaves.
    pub rim: OpenRim,
}

/// Rain and sources as they are read, for a run on some ground.
pub(super) struct RateReader<'a> {
    pub read: Rates,
    pub notices: Notices,
    pub ground: Topography<'a>,
    /// Cells that buildings raise, in rising order.
    pub roofs: &'a [usize],
    pub time: Time<'a>,
    /// What the user says of values of rain.
    pub rain_values: Option<RainValues>,
}

/// Reads rain and sources; `roofs` are the cells that buildings raise, in rising order.
pub fn rates(
    options: &Options,
    rim: OpenRim,
    ground: Topography,
    roofs: &[usize],
    time: Time,
) -> Result<Reading<Rates>> {
    let read = Rates { rim, ..Rates::default() };
    let (notices, rain_values) = (Notices::default(), options.rain_values);
    let mut reader = RateReader { read, notices, ground, roofs, time, rain_values };
    reader.rain(options)?;
    for text in &options.source {
        reader.source(text)?;
    }
    let RateReader { read: value, mut notices, .. } = reader;
    notices.warn_all(value.sources.iter().filter_map(SourceFacts::warning));
    Ok(Reading { value, notices })
}

impl Time<'_> {
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

    /// Notes data that are known up to a time, if the run ends before it. `whose` is their role and name.
    pub(super) fn until(self, whose: &str, last: f64) {
        self.beyond.see(whose, last, self.end);
    }

    /// Notes a table over time as a file of a role, with what of it lies outside the run.
    pub(super) fn note(
        self,
        role: &str,
        path: &Path,
        course: &Course,
        notices: &mut Notices,
    ) -> Result<()> {
        let shown = path.to_string_lossy();
        if let Some(dated) = course.dated {
            notices.warn_all(self.covered(role, &shown, dated)?);
        }
        self.until(&format!("{role}: '{shown}'"), course.series.last().0);
        course.tell(notices);
        notices.read(role, path)
    }

    /// Compares the first and the last of the times of dated data with the run: an error if they all lie outside
    /// it, a warning if some lie before it, or if it has begun before them. `role` and `name` say whose they are.
    pub(super) fn covered(
        self,
        role: &str,
        name: &str,
        (first, last): (f64, f64),
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
                "tell when the run starts, with its time zone: --start \"2021-07-14T12:00+02:00\"",
            ));
        }
        let mut what = Vec::new();
        if first < 0.0 {
            what.push("what lies outside of that is left out");
        }
        if first > 0.0 {
            what.push("before its first time it brings nothing new");
        }
        let what = what.join(", and ");
        Ok((!what.is_empty()).then(|| Notice::of(role, name, format!("{spans}; {what}"))))
    }
}

impl Rates {
    pub(super) fn push(&mut self, account: Account, footprint: Footprint, series: Series) {
        self.forcing.rates.push(RateLayer { account, footprint, series });
    }
}
