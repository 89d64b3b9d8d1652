//! A series of rasters: every raster is a frame that holds until the next.

use super::super::amounts::read_amounts_of;
use super::super::water::{RateReader, Time};
use super::{Beside, shares, unit_of, whose};
use crate::engine::clock::TimeUnit;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::zones::Zoned;
use crate::engine::forcing::{Account, Footprint, Share};
use crate::error::{Error, Result};
use crate::input::band_times;
use crate::input::frames::{Stamp, TimedBand};
use crate::input::layer::{Cover, without_crs};
use crate::input::negative::Amounts;
use crate::input::notice::{Notice, Notices};
use crate::input::pixels::{Pixels, is_coarse};
use crate::input::raster::{RasterFile, Undeclared};
use crate::input::topography::Topography;
use crate::measures::RainUnit;
use crate::units::{Second, show_duration};
use crate::words;
use std::path::Path;

/// A series is regular, and can have gaps, if so many of its intervals are the usual one.
const REGULAR: f64 = 0.75;
/// How far an interval may be from the usual one.
const LIKE: f64 = 0.01;
/// An interval so many times the usual one is a gap.
const GAP: f64 = 1.5;

/// A frame with the time in which it falls (s).
struct Falling {
    frame: TimedBand,
    start: Second,
    end: Second,
}

impl RateReader<'_> {
    /// Rain from a series of rasters that `path` names.
    pub(super) fn rasters(
        &mut self,
        frames: Vec<TimedBand>,
        path: &Path,
        beside: &Beside,
    ) -> Result<&'static [&'static str]> {
        let whose = whose(path);
        if self.time.unit == TimeUnit::Steps {
            return Err(Error::input(format!(
                "{whose} is a series in time, but the run's steps have no duration"
            ))
            .hint("give the calibrated duration of a step, --step 10s, or run in time with --duration alone"));
        }
        let falling = placed(frames, &whose, beside, self.time)?;
        self.warn_of_gaps(&falling, &whose);
        let span = (falling[0].start, falling[falling.len() - 1].end);
        self.notices.warn_all(self.time.covered("rain", &path.display().to_string(), span)?);
        self.time.until(&whose, span.1);
        if span.1 < self.time.end {
            self.notices.warn(format!(
                "{whose} ends {}, before the run does; no rain falls after that",
                self.time.clock.show(span.1)
            ));
        }
        let end = self.time.end;
        let now = falling.into_iter().filter(|frame| frame.end > 0.0 && frame.start < end);
        let mut reader = Reader {
            ground: self.ground,
            beside,
            time: self.time,
            whose,
            file: None,
            unit: None,
            placement: None,
            unsure_place: false,
            undeclared: Undeclared::default(),
            uncovered: (0, 0, 0),
        };
        for frame in now {
            reader.frame(&frame, self)?;
        }
        reader.finish(self);
        Ok(&["rain_unit", "rain_variable", "rain_interval"])
    }

    /// Warns of the gaps of a regular series.
    fn warn_of_gaps(&mut self, falling: &[Falling], whose: &str) {
        let mut intervals: Vec<f64> =
            falling.windows(2).map(|pair| pair[1].start - pair[0].start).collect();
        intervals.sort_by(f64::total_cmp);
        let Some(&usual) = intervals.get(intervals.len() / 2) else { return };
        let like = intervals.iter().filter(|&&one| (one - usual).abs() <= LIKE * usual).count();
        if intervals.len() < 3 || (like as f64) < REGULAR * intervals.len() as f64 {
            return;
        }
        let pairs = falling.windows(2);
        let gaps: Vec<_> =
            pairs.filter(|pair| pair[1].start - pair[0].start > GAP * usual).collect();
        let length = |pair: &&&[Falling]| pair[1].start - pair[0].start;
        let Some(longest) = gaps.iter().max_by(|a, b| length(a).total_cmp(&length(b))) else {
            return;
        };
        let plural = if gaps.len() == 1 { "a gap" } else { &format!("{} gaps", gaps.len()) };
        self.notices.warn(format!(
            "{whose} comes every {}, but has {plural}, the longest of {} from {}; the raster before a gap holds through it (a depth is spread over it)",
            show_duration(usual),
            show_duration(length(&longest)),
            self.time.clock.show(longest[0].start)
        ));
    }
}

/// Frames in the run's time, each up to the next; the last for as long as the one before it.
fn placed(
    frames: Vec<TimedBand>,
    whose: &str,
    beside: &Beside,
    time: Time,
) -> Result<Vec<Falling>> {
    let is_wall = |frame: &TimedBand| matches!(frame.stamp, Stamp::Wall(_));
    if let Some(odd) = frames.iter().find(|frame| is_wall(frame) != is_wall(&frames[0])) {
        return Err(Error::input(format!(
            "{whose}: dates and times since the start do not go together ({} is at {})",
            odd.name(),
            odd.stamp
        )));
    }
    let seconds = |frame: &TimedBand| match &frame.stamp {
        Stamp::Wall(when) => time
            .clock
            .seconds(when, whose)
            .map_err(|error| error.of(format_args!("{whose}: {}", frame.name()))),
        Stamp::Since(seconds) => Ok(*seconds),
    };
    let starts: Vec<f64> = frames.iter().map(seconds).collect::<Result<_>>()?;
    for (at, pair) in starts.windows(2).enumerate() {
        if pair[1] <= pair[0] {
            let (before, after) = (&frames[at], &frames[at + 1]);
            let problem =
                if pair[1] == pair[0] { "the same time as" } else { "a time before that of" };
            return Err(Error::input(format!(
                "{whose}: {} has {problem} {} ({})",
                after.name(),
                before.name(),
                after.stamp
            ))
            .hint("every raster needs a time of its own, in rising order"));
        }
    }
    let count = starts.len();
    let before = count.checked_sub(2).map(|at| starts[count - 1] - starts[at]);
    let last = beside.interval.or(before).ok_or_else(|| {
        Error::input(format!("{whose} is one raster alone, and nothing says how long it holds"))
            .hint("give --rain-interval 15min; or the raster itself as --rain, which then holds all the time")
    })?;
    let end = |at: usize| starts.get(at + 1).copied().unwrap_or(starts[at] + last);
    let falling = frames.into_iter().enumerate();
    Ok(falling.map(|(at, frame)| Falling { frame, start: starts[at], end: end(at) }).collect())
}

/// An error if a file that is one frame has further bands.
fn check_alone(frame: &TimedBand, file: &RasterFile) -> Result<()> {
    let (bands, shown) = (file.bands(), frame.path.display());
    if !frame.is_alone || bands == 1 {
        return Ok(());
    }
    Err(Error::input(format!(
        "rain: '{shown}' has {bands} bands, but in a folder or a list every file is one raster"
    ))
    .hint(format!(
        "take out the band that is rain: gdal_translate -b 1 '{shown}' one.tif; if the bands are a series, give the file itself as rain"
    )))
}

fn of_another_unit(whose: &str, frame: &TimedBand, file: &RasterFile) -> Error {
    let unit = match file.unit.trim() {
        "" => "has no unit, which would be mm/h".into(),
        unit => format!("is in '{unit}'"),
    };
    Error::input(format!(
        "{whose}: {} {unit}, but the rasters before it are in another unit",
        frame.name()
    ))
    .hint("bring all of them to one unit; or, if they are in one, say which: --rain-unit mm/h")
}

/// How frames lie on the grid.
enum Placement {
    /// As zones.
    Pixels(Pixels),
    /// Warped, cell by cell.
    Warped,
}

/// Reads frames one after the other.
struct Reader<'a> {
    ground: Topography<'a>,
    beside: &'a Beside<'a>,
    time: Time<'a>,
    whose: String,
    /// The file at hand.
    file: Option<RasterFile>,
    unit: Option<RainUnit>,
    placement: Option<Placement>,
    /// Whether it was said that a file has no CRS.
    unsure_place: bool,
    undeclared: Undeclared,
    /// Frames so far, those without a value for some cells of the domain, and the most such cells.
    uncovered: (usize, usize, usize),
}

impl Reader<'_> {
    /// Opens a frame's file unless it is at hand, and chooses its band.
    fn open(&mut self, frame: &TimedBand, rates: &mut RateReader) -> Result<()> {
        if self.file.as_ref().is_none_or(|file| file.path != frame.path) {
            let mut file = band_times::open(&frame.path, "rain", self.beside.variable)?;
            file.expect_amounts();
            check_alone(frame, &file)?;
            if !self.unsure_place {
                let warning = without_crs(&file, self.ground.grid)?;
                self.unsure_place = warning.is_some();
                rates.notices.warn_all(warning);
            }
            self.file = Some(file);
            rates.notices.read("rain", &frame.path)?;
        }
        let file = self.file.as_mut().expect("just opened");
        file.choose(frame.band)?;
        match self.unit {
            None => self.unit = Some(unit_of(file, self.beside, self.time, &mut rates.notices)?),
            Some(unit) => {
                if unit_of(file, self.beside, self.time, &mut Notices::default())? != unit {
                    return Err(of_another_unit(&self.whose, frame, file));
                }
            }
        }
        match &self.placement {
            None if is_coarse(file, self.ground.grid) => {
                self.placement = Some(Placement::Pixels(Pixels::under(file, self.ground)?));
            }
            None => self.placement = Some(Placement::Warped),
            Some(Placement::Pixels(pixels)) if !pixels.are_those_of(file) => {
                return Err(Error::input(format!(
                    "{}: {} lies on another grid than the rasters before it",
                    self.whose,
                    frame.name()
                ))
                .hint("bring all of them onto one grid with gdalwarp -te ... -tr ..."));
            }
            Some(_) => {}
        }
        Ok(())
    }

    fn frame(&mut self, falling: &Falling, rates: &mut RateReader) -> Result<()> {
        let Falling { frame, start, end } = falling;
        self.open(frame, rates)?;
        let file = self.file.as_ref().expect("it is open");
        let factor = match self.unit.expect("it is known") {
            RainUnit::Rate(rate) => rate.value,
            RainUnit::Depth(metres) => metres / (end - start),
        };
        let (footprint, peak, missing) = match self.placement.as_ref().expect("it is known") {
            Placement::Pixels(pixels) => {
                let mut values = pixels.values(file, &mut self.undeclared)?;
                let missing = self.check(frame, pixels, &mut values)?;
                let peak = values.iter().copied().fold(0.0, f64::max);
                let share = |value: &f64| Share::of(if *value > 0.0 { value / peak } else { 0.0 });
                let shares = values.iter().map(share).collect();
                (Footprint::Zones(Zoned::new(&pixels.zones, shares)), peak, missing)
            }
            Placement::Warped => {
                let mut values = vec![0.0f32; self.ground.grid.cells()];
                let report = read_amounts_of(file, self.ground, Cover::Field, |cell, value| {
                    values[cell] = value as f32;
                })?;
                let (shares, peak) = shares(&values);
                self.undeclared.add(file, &report.undeclared);
                let missing = self.ground.bed.domain_cells() - report.covered;
                (Footprint::Shares(shares), f64::from(peak), missing)
            }
        };
        let (frames, without, most) = self.uncovered;
        self.uncovered = (frames + 1, without + usize::from(missing > 0), most.max(missing));
        if peak > 0.0 {
            let rate = peak * factor;
            let pieces = vec![(start.max(0.0), rate), (*end, 0.0)];
            rates.read.push(Account::Rain, footprint, Series::new(pieces));
        }
        Ok(())
    }

    /// Makes amounts of a frame's values, and counts the cells of the domain for which it has none.
    ///
    /// # Errors
    /// If a value is below 0.
    fn check(&self, frame: &TimedBand, pixels: &Pixels, values: &mut [f64]) -> Result<usize> {
        let (mut missing, mut amounts) = (0, Amounts::default());
        let whose = format!("{}: {}", self.whose, frame.name());
        for (zone, value) in values.iter_mut().enumerate() {
            if value.is_nan() {
                missing += pixels.zones.cells[zone] as usize;
                continue;
            }
            let place = || {
                let (column, row) = pixels.pixel(zone);
                words::place(column, row)
            };
            *value = amounts.take(&whose, *value, place)?;
        }
        amounts.check(&whose, self.file.as_ref().expect("it is open"))?;
        Ok(missing)
    }

    /// Says what there is to say of all frames.
    fn finish(self, rates: &mut RateReader) {
        let (frames, without, most) = self.uncovered;
        if without > 0 {
            let part = 100.0 * most as f64 / self.ground.bed.domain_cells() as f64;
            rates.notices.warn(format!(
                "{} has no value for up to {part:.2} % of the domain's cells in {without} of {frames} rasters; they are taken as 0",
                self.whose
            ));
        }
        if let Some(file) = &self.file {
            rates.notices.warn_all(self.undeclared.warnings(file, "missing", None));
        }
        let peaks = rates.read.forcing.rates.iter().filter(|layer| layer.account == Account::Rain);
        if peaks.count() == 0 {
            let dry = Notice::from(format!("{} brings no rain during the run", self.whose));
            rates.notices.warn(dry.dry());
        }
    }
}
