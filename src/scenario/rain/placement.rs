//! Intervals of the rasters of a series, in the time of the run.

use super::super::water::Time;
use super::DAY;
use crate::error::{Error, Result};
use crate::input::description::gaps::{GAP, Gaps, usual_step};
use crate::input::description::meaning::RainMeaning;
use crate::input::raster::frames::TimedBand;
use crate::input::time::stamp::Stamp;
use crate::units::{Second, show_duration};

/// Tolerance of an interval against the usual one, as a fraction of it.
const LIKE: f64 = 0.01;
/// Tolerance of equal times (s).
const TOLERANCE: Second = 1e-3;

/// Meaning of the values of a series.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Counting {
    /// As declared by the intervals of the rasters: running totals if they begin at one time.
    Declared,
    /// Rain of each raster's own interval.
    Own,
    /// Totals since the last reset.
    Totals,
    /// Totals since these times (s, as in [`absolute`]), one for each raster.
    TotalsSince(Vec<Second>),
}

/// Position of a raster's time in its interval, if the file does not declare the interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Start of a raster's totals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Since {
    /// A fixed time (s).
    Time(Second),
    /// Last reset, which is detected from the values.
    Reset,
}

/// Raster with the interval in which its increment falls (s).
pub(super) struct TimedRaster {
    pub frame: TimedBand,
    pub start: Second,
    pub end: Second,
    /// Start of the totals; `None` if the values are the rain from `start` to `end`.
    pub since: Option<Since>,
}

/// Rasters of a series, in the order of their times.
pub(super) struct Placed {
    pub falling: Vec<TimedRaster>,
    /// True if the interval of the first raster's rain is known.
    pub first_is_known: bool,
    /// Treatment of gaps between rasters, for the warning.
    in_gaps: &'static str,
}

/// Returns a time as a number (s): for a date since 1970 UTC; a time without a zone is in UTC.
pub(super) fn absolute(stamp: &Stamp) -> Second {
    match stamp {
        Stamp::Wall(when) => when.unix().unwrap_or_default(),
        Stamp::Since(seconds) => *seconds,
    }
}

/// Returns true if dated rasters are stamped in the middle of their intervals: at noon for days, at
/// half past for hours.
fn are_midpoints(frames: &[TimedBand]) -> bool {
    let times = absolutes(frames);
    let dated = frames.iter().all(|frame| matches!(frame.time.stamp, Stamp::Wall(_)));
    let Some(step) = usual_step(&times).filter(|&step| dated && step > 0.0 && step <= DAY) else {
        return false;
    };
    let divides = (DAY / step - (DAY / step).round()).abs() < LIKE;
    divides && times.iter().all(|time| (time.rem_euclid(step) - step / 2.0).abs() <= LIKE * step)
}

/// Returns the position of a raster's time in its interval, by the declarations of the file, and a
/// note if it is an assumption.
pub(super) fn anchor(
    frames: &[TimedBand],
    meaning: &RainMeaning,
    counting: &Counting,
    is_depth: bool,
) -> (Anchor, Option<String>) {
    let declared = frames.iter().all(|frame| frame.time.interval.is_some());
    // The times of a list are given by the user.
    if declared || frames.iter().all(|frame| frame.begins_then) {
        return (Anchor::Start, None);
    }
    let step = usual_step(&absolutes(frames)).unwrap_or_default();
    match (counting, &meaning.at_end_by) {
        (Counting::TotalsSince(_), by) => (
            Anchor::End,
            Some(format!(
                "each value is assumed to be the total since the start of its day (UTC) or forecast, as in ERA5-Land, because of its {} and its values (otherwise use --rain-values interval)",
                by.as_deref().unwrap_or_default()
            )),
        ),
        (Counting::Totals, _) => (Anchor::End, None),
        (_, Some(by)) => (
            Anchor::End,
            Some(format!(
                "each value is assumed to be the rain of the interval that ends at its time, because of its {by} (for running totals use --rain-values accumulated)"
            )),
        ),
        _ if are_midpoints(frames) && (meaning.over_interval || is_depth || step >= DAY) => (
            Anchor::Middle,
            Some(
                "each value is assumed to be the rain of the interval around its time, which is the middle of a day, an hour or another interval".into(),
            ),
        ),
        _ => (
            Anchor::Start,
            Some(
                "each raster's rain is assumed to fall from its time on, because the file declares no intervals".into(),
            ),
        ),
    }
}

/// Checks that rasters come as often as the intervals of their values are long, by the declaration of the
/// file.
///
/// # Errors
/// If they come more or less often.
pub(super) fn check_period(frames: &[TimedBand], meaning: &RainMeaning, whose: &str) -> Result<()> {
    let Some((period, step)) = meaning.period.zip(usual_step(&absolutes(frames))) else {
        return Ok(());
    };
    if (period - step).abs() <= LIKE * step {
        return Ok(());
    }
    Err(Error::input(format!(
        "{whose}: its {} declares values of {}, but its rasters come every {}",
        meaning.at_end_by.as_deref().unwrap_or_default(),
        show_duration(period),
        show_duration(step)
    ))
    .hint("give rasters whose intervals follow each other; if each value is the rain since the raster before it, state so: --rain-values interval"))
}

/// Places rasters in the time of the run; `whose` identifies them in messages. `interval` is the
/// duration of a raster without a neighbour.
pub(super) fn placed(
    frames: Vec<TimedBand>,
    counting: &Counting,
    anchor: Anchor,
    interval: Option<Second>,
    whose: &str,
    time: Time,
) -> Result<Placed> {
    let seconds = |stamp: &Stamp, frame: &TimedBand| match stamp {
        Stamp::Wall(when) => time
            .clock
            .seconds(when, whose)
            .map_err(|error| error.of(format_args!("{whose}: {}", frame.name()))),
        Stamp::Since(seconds) => Ok(*seconds),
    };
    let declared = frames.iter().all(|frame| frame.time.interval.is_some());
    let at = absolutes(&frames);
    // If nothing else gives the start of the run, it starts with the first rain.
    let lead = match (counting, declared, anchor) {
        (Counting::TotalsSince(since), ..) => at[0] - since[0],
        (_, true, _) => {
            at[0] - frames[0].time.interval.as_ref().map_or(at[0], |(start, _)| absolute(start))
        }
        (Counting::Totals, ..) | (.., Anchor::End) => steps(&at, interval, whose)?.0,
        (.., Anchor::Middle) => usual_step(&at).unwrap_or_default() / 2.0,
        (.., Anchor::Start) => 0.0,
    };
    let first = &frames[0];
    let begin = first.time.stamp.later(-lead).unwrap_or_else(|| first.time.stamp.clone());
    seconds(&begin, first)?;
    let stamps: Vec<f64> =
        frames.iter().map(|frame| seconds(&frame.time.stamp, frame)).collect::<Result<_>>()?;
    check_order(&frames, &stamps, whose)?;
    let spans = match (counting, declared) {
        (Counting::TotalsSince(since), _) => {
            let since =
                since.iter().zip(&at).zip(&stamps).map(|((since, at), stamp)| stamp - (at - since));
            since_known(&stamps, &since.collect::<Vec<_>>())
        }
        (_, true) => {
            let ends = |frame: &TimedBand| {
                let (start, end) = frame.time.interval.as_ref().expect("all have one");
                Ok((seconds(start, frame)?, seconds(end, frame)?))
            };
            declared_spans(&frames.iter().map(ends).collect::<Result<Vec<_>>>()?, counting)
        }
        (Counting::Totals, false) => {
            let steps = steps(&stamps, interval, whose)?;
            spans(&stamps, steps, Anchor::End, Some(Since::Reset))
        }
        (_, false) => spans(&stamps, steps(&stamps, interval, whose)?, anchor, None),
    };
    check_overlaps(&frames, &spans, whose)?;
    let in_gaps = match (spans[0].since, anchor) {
        _ if declared => "no rain falls in it",
        (Some(_), _) | (None, Anchor::End) => {
            "the raster after a gap holds through it (a depth is spread over it)"
        }
        (None, Anchor::Middle) => "no rain falls in it",
        (None, Anchor::Start) => {
            "the raster before a gap holds through it (a depth is spread over it)"
        }
    };
    let first_is_known = declared || !matches!(spans[0].since, Some(Since::Reset));
    let falling = frames.into_iter().zip(spans).map(|(frame, span)| {
        let Span { start, end, since } = span;
        TimedRaster { frame, start, end, since }
    });
    Ok(Placed { falling: falling.collect(), first_is_known, in_gaps })
}

impl Placed {
    /// Returns a warning about gaps if the series is regular and has gaps.
    pub fn gaps(&self, whose: &str, time: Time) -> Option<String> {
        let by_end = self.falling[0].since.is_some();
        let at = |one: &TimedRaster| if by_end { one.end } else { one.start };
        let times: Vec<Second> = self.falling.iter().map(at).collect();
        let gaps = Gaps::beyond(&times, GAP)?.describe(|at| time.clock.show(at), show_duration);
        Some(format!("{whose} {gaps}; {}", self.in_gaps))
    }
}

/// Interval of a raster (s).
struct Span {
    start: Second,
    end: Second,
    since: Option<Since>,
}

fn absolutes(frames: &[TimedBand]) -> Vec<Second> {
    frames.iter().map(|frame| absolute(&frame.time.stamp)).collect()
}

/// Returns the duration of the first and the last of rasters without intervals (s): the distance to
/// the neighbour, or `interval`.
fn steps(times: &[Second], interval: Option<Second>, whose: &str) -> Result<(Second, Second)> {
    let step = |at: usize| Some(times.get(at + 1)? - times.get(at)?);
    let last = || times.len().checked_sub(2).and_then(step);
    interval.or(step(0)).zip(interval.or_else(last)).ok_or_else(|| {
        Error::input(format!("{whose} is a single raster without a duration")).hint(
            "give --rain-interval 15min, or give the raster itself as --rain for constant rain",
        )
    })
}

/// Returns the intervals of rasters that have only a time each.
fn spans(
    stamps: &[Second],
    (first_step, last_step): (Second, Second),
    anchor: Anchor,
    since: Option<Since>,
) -> Vec<Span> {
    let half = usual_step(stamps).unwrap_or(last_step) / 2.0;
    let before =
        |at: usize| at.checked_sub(1).map_or(stamps[at] - first_step, |before| stamps[before]);
    let after = |at: usize| stamps.get(at + 1).copied().unwrap_or(stamps[at] + last_step);
    let span = |at: usize| match anchor {
        Anchor::Start => (stamps[at], after(at)),
        Anchor::Middle => (stamps[at] - half, stamps[at] + half),
        Anchor::End => (before(at), stamps[at]),
    };
    (0..stamps.len()).map(span).map(|(start, end)| Span { start, end, since }).collect()
}

/// Returns the intervals of totals since known times.
fn since_known(ends: &[Second], since: &[Second]) -> Vec<Span> {
    let span = |at: usize| {
        let before = at.checked_sub(1).filter(|&before| is_near(since[before], since[at]));
        let start = before.map_or(since[at], |before| ends[before]);
        Span { start, end: ends[at], since: Some(Since::Time(since[at])) }
    };
    (0..ends.len()).map(span).collect()
}

/// Converts declared intervals; intervals that begin at one time have totals.
fn declared_spans(intervals: &[(Second, Second)], counting: &Counting) -> Vec<Span> {
    let joined = |at: usize| at > 0 && is_near(intervals[at - 1].0, intervals[at].0);
    let any = (0..intervals.len()).any(joined);
    let span = |at: usize| {
        let (start, end) = intervals[at];
        let before = at.checked_sub(1).map(|before| intervals[before].1);
        match counting {
            Counting::Own => Span { start, end, since: None },
            Counting::Totals if !any => {
                Span { start: before.unwrap_or(start), end, since: Some(Since::Reset) }
            }
            _ if any => {
                let since = Some(Since::Time(start));
                Span { start: before.filter(|_| joined(at)).unwrap_or(start), end, since }
            }
            _ => Span { start, end, since: None },
        }
    };
    (0..intervals.len()).map(span).collect()
}

/// Returns true if two times are equal within rounding.
pub(super) fn is_near(a: Second, b: Second) -> bool {
    (a - b).abs() <= TOLERANCE
}

/// Removes rasters for an instant if others are for intervals: the zeros at the start of a
/// forecast.
pub(super) fn leave_out_instants(frames: &mut Vec<TimedBand>) {
    let start = |frame: &TimedBand| frame.time.interval.as_ref().map(|(start, _)| start.clone());
    let starts: Vec<Stamp> = frames.iter().filter_map(start).collect();
    frames.retain(|frame| frame.time.interval.is_some() || !starts.contains(&frame.time.stamp));
}

fn check_kinds(frames: &[TimedBand], whose: &str) -> Result<()> {
    let is_wall = |frame: &TimedBand| matches!(frame.time.stamp, Stamp::Wall(_));
    match frames.iter().find(|frame| is_wall(frame) != is_wall(&frames[0])) {
        None => Ok(()),
        Some(odd) => Err(Error::input(format!(
            "{whose}: dates and times since the start cannot be mixed ({} is at {})",
            odd.name(),
            odd.time.stamp
        ))),
    }
}

/// Refuses rasters whose times are neither all dates nor all times since the start, or do not
/// ascend.
pub(super) fn check_times(frames: &[TimedBand], whose: &str) -> Result<()> {
    check_kinds(frames, whose)?;
    check_order(frames, &absolutes(frames), whose)
}

fn check_order(frames: &[TimedBand], stamps: &[Second], whose: &str) -> Result<()> {
    for (at, pair) in stamps.windows(2).enumerate() {
        if pair[1] <= pair[0] {
            let (before, after) = (&frames[at], &frames[at + 1]);
            let problem =
                if pair[1] == pair[0] { "the same time as" } else { "an earlier time than" };
            return Err(Error::input(format!(
                "{whose}: {} has {problem} {} ({})",
                after.name(),
                before.name(),
                after.time.stamp
            ))
            .hint("every raster needs a different time, in ascending order"));
        }
    }
    Ok(())
}

fn check_overlaps(frames: &[TimedBand], spans: &[Span], whose: &str) -> Result<()> {
    for (at, pair) in spans.windows(2).enumerate() {
        if pair[1].start < pair[0].end - TOLERANCE || pair[1].end <= pair[1].start {
            let (before, after) = (&frames[at], &frames[at + 1]);
            return Err(Error::input(format!(
                "{whose}: the intervals of {} and {} overlap",
                before.name(),
                after.name()
            ))
            .hint("take out one set of intervals that follow each other; for running totals since one time give --rain-values accumulated"));
        }
    }
    Ok(())
}
