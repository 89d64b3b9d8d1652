//! Series of rasters: the rain of each falls in its interval.

use super::super::water::RateReader;
use super::daily::{self, DailySample};
use super::field::Placement;
use super::increments::GreatestFall;
use super::placement::{
    Counting, Placed, Since, TimedRaster, absolute, anchor, check_period, check_times,
    leave_out_instants, placed,
};
use super::suspicion::RasterMeans;
use super::totals::{First, Totals, TotalsPrecision};
use super::{DAY, RainOptions, replaced_unit, unit_of, whose};
use crate::engine::clock::TimeUnit;
use crate::engine::forcing::{Account, Footprint};
use crate::error::{Error, Result};
use crate::input::description::attributes::Attributes;
use crate::input::description::interval::BandTime;
use crate::input::description::meaning::RainMeaning;
use crate::input::description::rain_values::RainValues;
use crate::input::notice::{Notice, Notices};
use crate::input::raster::band_times;
use crate::input::raster::frames::TimedBand;
use crate::input::raster::layer::{without_crs, without_place};
use crate::input::raster::pixels::PixelGrid;
use crate::input::raster::{RasterFile, Undeclared};
use crate::input::time::stamp::Stamp;
use crate::measures::RainUnit;
use crate::units::Second;
use crate::words::counted;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Error of totals in 32-bit floats and in compressed GRIB, as a fraction of the greatest.
const ROUNDING: f64 = 1e-5;
const PACKING: f64 = 1e-3;
/// Maximum difference of a time in a name from the declared one (s): names have minutes.
const ROUNDED: Second = 60.0;

impl RateReader<'_> {
    /// Reads rain from a series of rasters at `path`.
    pub(super) fn rasters(
        &mut self,
        frames: Vec<TimedBand>,
        path: &Path,
        beside: &RainOptions,
    ) -> Result<&'static [&'static str]> {
        let whose = whose(path);
        if self.time.unit == TimeUnit::Steps {
            return Err(Error::input(format!(
                "{whose} is a series in time, but the run's steps have no duration"
            ))
            .hint("give the calibrated duration of a step, --step 10s, or run in physical time with --duration alone"));
        }
        check_times(&frames, &whose)?;
        let time = self.time;
        let mut reader = Reader::new(self, beside, whose.clone());
        let Placed { falling, first_is_known, .. } = reader.place(frames)?;
        let span = (falling[0].start, falling[falling.len() - 1].end);
        let notices = &mut reader.rates.notices;
        notices.warn_all(time.covered("rain", &path.display().to_string(), span, None)?);
        time.until(&whose, span.1);
        if span.1 < time.end {
            notices.warn(format!(
                "{whose} ends {}, before the run does; no rain falls after that",
                time.clock.show(span.1)
            ));
        }
        reader.first_is_known = first_is_known;
        let end = time.end;
        let now = |frame: &TimedRaster| frame.end > 0.0 && frame.start < end;
        for (at, frame) in falling.iter().enumerate() {
            // The totals of the previous raster are also needed.
            let next = falling.get(at + 1).filter(|next| next.since.is_some());
            if now(frame) || next.is_some_and(now) {
                reader.frame(frame, now(frame), at == 0)?;
            }
        }
        // Later totals, even after the run, decide if the first totals count.
        let later = falling.iter().filter(|frame| frame.start >= end);
        for frame in later {
            if !reader.totals.is_first_open() {
                break;
            }
            reader.frame(frame, false, false)?;
        }
        reader.finish();
        Ok(&["rain_unit", "rain_variable", "rain_interval", "rain_values"])
    }
}

/// Refuses a file for a single frame that has further bands.
fn check_alone(frame: &TimedBand, file: &RasterFile) -> Result<()> {
    let (bands, shown) = (file.bands(), frame.path.display());
    if !frame.is_alone || bands == 1 {
        return Ok(());
    }
    let what = "bands, but in a folder or a list every file is one raster";
    Err(file.wrong(format_args!("has {bands} {what}")).hint(format!(
        "extract the band of rain: gdal_translate -b 1 '{shown}' one.tif; if the bands are a series, give the file itself as rain"
    )))
}

fn of_another_unit(whose: &str, frame: &TimedBand, file: &RasterFile) -> Error {
    let unit = match file.units.first() {
        None => "has no unit, which would be mm/h".into(),
        Some(unit) => format!("is in '{unit}'"),
    };
    Error::input(format!(
        "{whose}: {} {unit}, but the rasters before it are in another unit",
        frame.name()
    ))
    .hint("convert all rasters to one unit, or give their common unit: --rain-unit mm/h")
}

/// Reader of frames, one after the other.
struct Reader<'a, 'r> {
    rates: &'a mut RateReader<'r>,
    beside: &'a RainOptions<'a>,
    whose: String,
    /// Files read so far.
    seen: HashSet<PathBuf>,
    /// Current file.
    file: Option<RasterFile>,
    unit: Option<RainUnit>,
    /// Grid of the rasters, and its mapping onto the grid of the run.
    placement: Option<(PixelGrid, Placement)>,
    /// True if a missing CRS was already noted.
    without_crs: bool,
    undeclared: Undeclared,
    /// Number of frames, number of frames with missing values in the domain, and the greatest
    /// number of missing cells.
    uncovered: (usize, usize, usize),
    /// True if the file declares the intervals.
    by_file: bool,
    /// Attribute that declares running totals, with its text.
    total_by: Option<String>,
    totals: Totals,
    /// True if the interval of the first raster's rain is known.
    first_is_known: bool,
    /// Means of values that are the rain of their intervals.
    means: RasterMeans,
}

impl<'a, 'r> Reader<'a, 'r> {
    fn new(
        rates: &'a mut RateReader<'r>,
        beside: &'a RainOptions<'a>,
        whose: String,
    ) -> Reader<'a, 'r> {
        Reader {
            rates,
            beside,
            whose,
            seen: HashSet::new(),
            file: None,
            unit: None,
            placement: None,
            without_crs: false,
            undeclared: Undeclared::default(),
            uncovered: (0, 0, 0),
            by_file: false,
            total_by: None,
            totals: Totals::default(),
            first_is_known: true,
            means: RasterMeans::default(),
        }
    }

    /// Opens a frame's file unless it is already open, and selects its band.
    fn open(&mut self, frame: &TimedBand) -> Result<&RasterFile> {
        if self.file.as_ref().is_none_or(|file| file.path != frame.path) {
            let mut file = band_times::open(&frame.path, "rain", self.beside.variable)?;
            file.expect_amounts();
            check_alone(frame, &file)?;
            if !self.without_crs {
                let warning = without_crs(&file, self.rates.ground.grid)?;
                self.without_crs = warning.is_some();
                self.rates.notices.warn_all(warning);
            }
            let replaced = replaced_unit(&file, self.beside);
            let without_place = without_place(&file);
            let gap = file.gap();
            self.file = Some(file);
            if self.seen.insert(frame.path.clone()) {
                self.rates.notices.warn_all(replaced);
                self.rates.notices.warn_all(gap);
                without_place.into_iter().for_each(|one| self.rates.notices.assume(one));
                self.rates.notices.read("rain", &frame.path)?;
            }
        }
        let file = self.file.as_mut().expect("just opened");
        file.choose(frame.band)?;
        let time = self.rates.time;
        match self.unit {
            None => {
                self.unit = Some(unit_of(file, self.beside, time, &mut self.rates.notices)?);
            }
            Some(unit) => {
                if unit_of(file, self.beside, time, &mut Notices::default())? != unit {
                    return Err(of_another_unit(&self.whose, frame, file));
                }
            }
        }
        Ok(file)
    }

    /// Places frames in the time of the run, by their files' declarations, the user's options and
    /// the values.
    fn place(&mut self, mut frames: Vec<TimedBand>) -> Result<Placed> {
        self.open(&frames[0])?;
        let is_depth = matches!(self.unit, Some(RainUnit::Depth(_)));
        if frames[0].is_alone {
            self.declared_times(&mut frames)?;
        }
        leave_out_instants(&mut frames);
        let file = self.open(&frames[0])?;
        let band = Attributes::of(&file.dataset, frames[0].band);
        let meaning = band.map(|band| RainMeaning::of(&band, is_depth)).unwrap_or_default();
        let declared = frames.iter().all(|frame| frame.time.interval.is_some());
        if let Some(statistic) = &meaning.statistic {
            self.rates.notices.warn(format!(
                "{}: its values are the {statistic} of each interval (cell_methods); they are taken as its mean or total",
                self.whose
            ));
        }
        // The times of rasters without declared times come from the user.
        self.by_file = declared && matches!(frames[0].time.stamp, Stamp::Wall(_));
        let counting = match self.beside.values {
            Some(RainValues::Interval) => Counting::Own,
            Some(RainValues::Accumulated) if !is_depth && !declared => {
                return Err(Error::input(format!(
                    "rain_values: the values of {} are rates, which do not accumulate",
                    self.whose.trim_start_matches("rain: ")
                ))
                .hint("leave it out, or give the unit of the depths, for example --rain-unit mm"));
            }
            Some(RainValues::Accumulated) => Counting::Totals,
            None if self.by_file => Counting::Declared,
            None if meaning.perhaps_total && !declared => {
                daily::counting(&frames, |frame| DailySample::read(self.open(frame)?))?
            }
            None if meaning.total_by.is_some() => {
                self.total_by = meaning.total_by.clone();
                Counting::Totals
            }
            None => Counting::Declared,
        };
        if is_depth && counting == Counting::Declared && !declared {
            check_period(&frames, &meaning, &self.whose)?;
        }
        let (anchor, assumed) = anchor(&frames, &meaning, &counting, is_depth);
        let (whose, time, notices) = (&self.whose, self.rates.time, &mut self.rates.notices);
        let placed = placed(frames, &counting, anchor, self.beside.interval, whose, time)?;
        notices.warn_all(placed.gaps(whose, time));
        if let Some(assumed) = assumed {
            notices.assume(format!("{whose}: {assumed}"));
        }
        if let Some(by) = &self.total_by {
            notices.note(format!(
                "{whose}: its values are taken as running totals because of its {by}, and the differences fall as rain (otherwise use --rain-values interval)"
            ));
        } else if placed.falling.iter().any(|one| matches!(one.since, Some(Since::Time(_))))
            && counting == Counting::Declared
        {
            notices.note(format!(
                "{whose} declares intervals that begin at one time: the differences of its values fall as rain"
            ));
        }
        Ok(placed)
    }

    /// Gives files with a single frame each the times that they declare.
    ///
    /// # Errors
    /// If a declared time contradicts the one in the name of a file. The times of a list count.
    fn declared_times(&mut self, frames: &mut [TimedBand]) -> Result<()> {
        let read = |reader: &mut Self, frame: &TimedBand| {
            let times = band_times::of_bands(reader.open(frame)?)?;
            let is_dated = |time: &BandTime| matches!(time.stamp, Stamp::Wall(_));
            Ok(times.and_then(|mut times| times.pop()).filter(is_dated))
        };
        // The files of a folder are of one kind.
        if !frames[0].begins_then && read(self, &frames[0])?.is_none() {
            return Ok(());
        }
        let is_date = |time: Second| time.rem_euclid(DAY) == 0.0;
        let are_dates = frames.iter().all(|frame| is_date(absolute(&frame.time.stamp)));
        for frame in &mut *frames {
            let Some(time) = read(self, frame)? else { continue };
            let is_instant = time.interval.is_none();
            let instant = || (time.stamp.clone(), time.stamp.clone());
            let (first, last) = time.interval.clone().unwrap_or_else(instant);
            let clock = self.rates.time.clock;
            let moment = |stamp: &Stamp| match stamp {
                Stamp::Wall(when) => absolute(&Stamp::Wall(clock.localize(when))),
                Stamp::Since(seconds) => *seconds,
            };
            let (at, start, end) = (moment(&frame.time.stamp), moment(&first), moment(&last));
            let earliest = start - if are_dates { DAY } else { ROUNDED };
            let (written, date) = (absolute(&frame.time.stamp), absolute(&first));
            let is_its_date = is_instant && is_date(date) && (date..date + DAY).contains(&written);
            if (earliest..=end + ROUNDED).contains(&at) {
                let is_finer = are_dates && !frame.begins_then;
                if !is_instant || time.reference.is_some() || is_finer {
                    frame.time = time;
                    frame.begins_then = false;
                }
            } else if frame.begins_then {
                self.rates.notices.warn(Notice::about(&frame.name(), |name| {
                    format!("rain: {name} declares another time than the list; the list is used")
                }));
            } else if !is_its_date {
                let declared =
                    if is_instant { first.to_string() } else { format!("{first} to {last}") };
                return Err(Error::input(format!(
                    "rain: {} declares the time {declared}, but its name has {}",
                    frame.name(),
                    frame.time.stamp
                ))
                .hint("name the files by the times that they declare, with a time zone other than UTC at the end (radar_20210714_1305_UTC+2.tif); or list files and times in a CSV, whose times count"));
            }
        }
        check_times(frames, &self.whose)
    }

    /// Reads a frame; its rain is added if it `falls` during the run.
    fn frame(&mut self, falling: &TimedRaster, falls: bool, is_first: bool) -> Result<()> {
        let TimedRaster { frame, start, end, since } = falling;
        self.open(frame)?;
        let ground = self.rates.ground;
        let file = self.file.as_ref().expect("it is open");
        let (grid, placement) = match self.placement.take() {
            None => (PixelGrid::of(file), Placement::of(file, ground)?),
            Some((grid, placement)) if grid.is_that_of(file) => (grid, placement),
            Some(_) => {
                return Err(Error::input(format!(
                    "{}: {} is on another grid than the rasters before it",
                    self.whose,
                    frame.name()
                ))
                .hint("warp all of them to one grid with gdalwarp -te ... -tr ..."));
            }
        };
        let (mut values, missing) =
            placement.read(file, frame, &self.whose, ground, &mut self.undeclared)?;
        let (frames, without, most) = self.uncovered;
        self.uncovered = (frames + 1, without + usize::from(missing > 0), most.max(missing));
        let unit = self.unit.expect("it is known");
        let sum = placement.sum(&values);
        let fall = match since {
            None => {
                self.means.add(*start, sum / ground.bed.domain_cells() as f64);
                None
            }
            Some(since) => {
                if let (RainUnit::Rate(_), Since::Time(from)) = (unit, since) {
                    // The values are means since `from`.
                    values.multiply(end - from);
                }
                self.totals.take_off(&mut values, *since, exactness(file, frame), &placement)
            }
        };
        if let Some(fall) = fall {
            self.fell(fall, unit, &placement, frame)?;
        }
        let (footprint, peak) = placement.footprint(&values);
        self.placement = Some((grid, placement));
        if !falls || peak <= 0.0 {
            return Ok(());
        }
        let peak = match (unit, since) {
            (RainUnit::Rate(rate), None) => peak * rate.value,
            (RainUnit::Rate(rate), Some(_)) => peak * (rate.value / (end - start)),
            (RainUnit::Depth(metres), _) => peak * (metres / (end - start)),
        };
        let (start, end) = (*start, *end);
        if is_first && !self.first_is_known {
            self.totals.first = Some(First { footprint, peak, sum, start, end });
        } else {
            push(self.rates, footprint, peak, (start, end));
        }
        Ok(())
    }

    /// Counts a total that falls without a reset.
    ///
    /// # Errors
    /// If only a name declares the values to be totals.
    fn fell(
        &mut self,
        fall: GreatestFall,
        unit: RainUnit,
        placement: &Placement,
        frame: &TimedBand,
    ) -> Result<()> {
        let metres = match unit {
            RainUnit::Depth(metres) => metres * fall.by,
            RainUnit::Rate(rate) => rate.value * fall.by,
        };
        let place =
            format!("in {} at {}", frame.name(), placement.name(fall.at, self.rates.ground));
        if let Some(by) = &self.total_by {
            return Err(Error::input(format!(
                "{} declares running totals by its {by}, but its values decrease by {:.3} mm {place}",
                self.whose,
                1e3 * metres
            ))
            .hint("state what its values count: --rain-values interval for the rain of each interval, or accumulated for running totals"));
        }
        self.totals.falls += 1;
        if self.totals.worst.as_ref().is_none_or(|(worst, _)| metres > *worst) {
            self.totals.worst = Some((metres, place));
        }
        Ok(())
    }

    /// Adds the first raster of totals. Leaves it out with a warning if it exceeds every later
    /// increment: then its rain fell earlier.
    fn first(&mut self) {
        let Some(first) = self.totals.first.take() else { return };
        if first.sum <= self.totals.most_added {
            push(self.rates, first.footprint, first.peak, (first.start, first.end));
            return;
        }
        let metres = first.peak * (first.end - first.start);
        self.rates.notices.warn(format!(
            "{} begins with totals of up to {:.1} mm, more than falls between any two later rasters; the time of this rain is unknown, and it is left out",
            self.whose,
            1e3 * metres
        ));
    }

    /// Adds the notices about all frames.
    fn finish(mut self) {
        self.first();
        let rates = self.rates;
        if let Some((metres, place)) = self.totals.worst.take() {
            rates.notices.warn(format!(
                "{} holds running totals, but they decrease in {} by up to {:.3} mm, {place}; no rain falls there until they exceed the earlier totals",
                self.whose,
                counted(self.totals.falls, "raster", "rasters"),
                1e3 * metres
            ));
        }
        if self.beside.values.is_none() && !self.by_file && self.means.look_like_totals() {
            rates.notices.warn(format!(
                "{} never decreases over the domain except at resets: for running totals give --rain-values accumulated, otherwise interval",
                self.whose
            ));
        }
        let (frames, without, most) = self.uncovered;
        if without > 0 {
            let part = 100.0 * most as f64 / rates.ground.bed.domain_cells() as f64;
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

/// Returns the precision of the values of a file.
fn exactness(file: &RasterFile, frame: &TimedBand) -> TotalsPrecision {
    let band = Attributes::of(&file.dataset, frame.band);
    let is_grib = band.is_some_and(|band| band.item("GRIB_ELEMENT").is_some());
    TotalsPrecision { step: file.resolution(), rounding: if is_grib { PACKING } else { ROUNDING } }
}

/// Adds rain with a rate of up to `peak` (m/s) in an interval.
fn push(rates: &mut RateReader, footprint: Footprint, peak: f64, (start, end): (Second, Second)) {
    rates.read.rain(footprint, peak, start.max(0.0), Some(end));
}
