//! Plausibility of the heights of a DEM: removes cells that hold no ground, and rejects heights
//! that do not exist on Earth.

use crate::engine::grid::{Bed, CellLocation, Grid};
use crate::error::{Error, Result};
use crate::input::dem::smear::{self, Smear};
use crate::input::dem::{marker, plausible};
use crate::input::raster::{RasterFile, Undeclared};
use crate::words::{self, counted, verb};

/// Tolerance within which a stored value is taken as a whole number.
const WHOLE: f64 = 1e-3;

/// Statistics of a DEM's heights as stored.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Lowest and highest height (m), cut at [`Bed::LIMIT`].
    pub range: (f64, f64),
    /// Number of cells with a height.
    pub cells: usize,
    /// Heights below and above the range of a bed.
    beyond: [Option<OutOfRange>; 2],
}

/// Heights outside the range of a bed.
#[derive(Clone, Copy, Debug)]
struct OutOfRange {
    /// First in row order, with its column and row.
    first: (f64, (usize, usize)),
    range: (f64, f64),
    cells: usize,
}

impl Default for Stored {
    fn default() -> Stored {
        Stored { range: NOTHING, cells: 0, beyond: [None, None] }
    }
}

/// Empty range.
const NOTHING: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

fn around(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}

impl Stored {
    /// Adds a value and its level (m).
    pub fn add(&mut self, value: f64, level: f64, place: (usize, usize)) {
        self.range = around(self.range, (level, level));
        self.cells += 1;
        if level.abs() >= Bed::LIMIT {
            let beyond = OutOfRange { first: (value, place), range: (value, value), cells: 1 };
            Stored::count(&mut self.beyond[usize::from(level > 0.0)], &beyond);
        }
    }

    /// Adds the statistics of later rows.
    pub fn merge(&mut self, later: &Stored) {
        self.range = around(self.range, later.range);
        self.cells += later.cells;
        for (known, later) in self.beyond.iter_mut().zip(&later.beyond) {
            later.iter().for_each(|later| Stored::count(known, later));
        }
    }

    fn count(known: &mut Option<OutOfRange>, later: &OutOfRange) {
        match known {
            None => *known = Some(*later),
            Some(known) => {
                known.range = around(known.range, later.range);
                known.cells += later.cells;
            }
        }
    }
}

/// Levels of a DEM, and their file.
pub struct Levels<'a> {
    pub file: &'a RasterFile,
    pub grid: &'a Grid,
    /// Metres per unit of the file's heights.
    pub metres: f64,
    pub levels: &'a mut [i32],
}

impl Levels<'_> {
    /// Returns the value that the file stores for a level.
    fn stored(&self, level: i32) -> f64 {
        let stored = self.file.stored(f64::from(level) / Bed::PER_METRE / self.metres);
        match (stored - stored.round()).abs() <= WHOLE {
            true => stored.round(),
            false => self.file.shortest(stored),
        }
    }

    /// Removes cells from the domain that most likely hold no ground, with a warning for each kind.
    /// Removes none if the user declares every value to be a height (`nodata` is NaN).
    pub fn take_out(&mut self, nodata: Option<f64>, stored: &Stored) -> Vec<String> {
        let mut warnings = Vec::new();
        if nodata.is_none() {
            self.take_marks_out(&mut warnings);
        }
        if nodata.is_none_or(|value| !value.is_nan()) {
            let is_code = |level: i32| {
                let value = self.stored(level);
                value == value.round()
            };
            for smear in smear::find(self.grid, self.levels, &is_code) {
                warnings.push(self.smear_warning(&smear, stored));
                smear.cells.iter().for_each(|&cell| self.levels[cell] = Bed::OUTSIDE);
            }
        }
        warnings
    }

    /// Removes cells that share a number which most likely marks missing data.
    fn take_marks_out(&mut self, warnings: &mut Vec<String>) {
        for (mark, count) in marker::find(self.levels) {
            let (value, level) = (self.stored(mark), f64::from(mark) / Bed::PER_METRE);
            // Marks are whole numbers or impossible heights; other numbers are more likely a tank
            // or a lake. The original values of clamped heights are not available here.
            let is_mark = value == value.round() || smear::is_unearthly(level);
            if !is_mark || level.abs() >= Bed::LIMIT {
                continue;
            }
            let marked = self.levels.iter_mut().filter(|level| **level == mark);
            marked.for_each(|level| *level = Bed::OUTSIDE);
            let undeclared = Undeclared::one(value, count);
            let of_mark = undeclared.warnings(self.file, "outside the domain", Some("--nodata"));
            warnings.extend(of_mark.into_iter().map(|warning| {
                format!(
                    "{warning}; it is far from all other heights. If it is a height, give --nodata nan"
                )
            }));
        }
    }

    fn smear_warning(&self, smear: &Smear, stored: &Stored) -> String {
        let shown = self.file.path.display();
        let limit = (Bed::LIMIT * Bed::PER_METRE) as i32;
        let (low, high) = smear.range;
        let declared = |mut beyond: OutOfRange| {
            let (low, high) = beyond.range;
            beyond.range = (self.file.declared(low), self.file.declared(high));
            beyond
        };
        let [below, above] = stored.beyond.map(|beyond| beyond.map(declared));
        let lowest = below.as_ref().filter(|_| low <= -limit).map(|beyond| beyond.range.0);
        let highest = above.as_ref().filter(|_| high >= limit).map(|beyond| beyond.range.1);
        let (from, to) = match (low == high, lowest, highest) {
            (true, Some(_), _) => below.map_or(NOTHING, |beyond| beyond.range),
            (true, _, Some(_)) => above.map_or(NOTHING, |beyond| beyond.range),
            _ => (
                lowest.unwrap_or_else(|| self.stored(low)),
                highest.unwrap_or_else(|| self.stored(high)),
            ),
        };
        let (from, to) = (self.file.shortest(from), self.file.shortest(to));
        let CellLocation { x, y, column, row } = self.grid.spot(smear.cells[0]);
        let cells = counted(smear.cells.len(), "cell", "cells");
        let hold = verb(smear.cells.len(), "hold");
        let first = format!("the first in {} (at {x:.1},{y:.1})", words::place(column, row));
        let beyond = if smear.is_below { "below" } else { "above" };
        let role = &self.file.role;
        if from == to {
            let declare = self.file.declare_nodata(from, &from.to_string());
            return format!(
                "{role}: {cells} of '{shown}' {hold} {from}, far {beyond} all other heights, {first}, which is not declared as NoData; taken as outside the domain (declare it with: {declare}, or give --nodata {from}; --nodata nan keeps it as a height)"
            );
        }
        let code = match smear.mark {
            Some(mark) if mark <= -limit => from.to_string(),
            Some(mark) if mark >= limit => to.to_string(),
            Some(mark) => self.stored(mark).to_string(),
            None => "VALUE".into(),
        };
        format!(
            "{role}: {cells} of '{shown}' {hold} {from} to {to}, far {beyond} the other heights, {first}: most likely a warp interpolated them between the ground and an undeclared NoData value; taken as outside the domain. Warp the original again with this value declared: gdalwarp -srcnodata {code} -dstnodata -9999; --nodata nan keeps them as heights"
        )
    }

    /// Rejects heights that do not exist on Earth, or warns of them if the user has named the unit.
    ///
    /// # Errors
    /// If heights are outside the range of a bed, or outside the range of ground on Earth and the
    /// user has not named their unit.
    pub fn check(
        &self,
        range: (f64, f64),
        is_unit_named: bool,
        stored: &Stored,
    ) -> Result<Option<String>> {
        let limit = (Bed::LIMIT * Bed::PER_METRE) as i32;
        let is_cut = |level: i32| level != Bed::OUTSIDE && level.abs() >= limit;
        let was_cut = stored.beyond.iter().any(Option::is_some);
        if was_cut && self.levels.iter().any(|&level| is_cut(level)) {
            let low = range.0 <= -Bed::LIMIT;
            let beyond = stored.beyond[usize::from(!low)].as_ref();
            if let Some(OutOfRange { first: (value, place), .. }) = beyond {
                let error = no_height(self.file, *value, *place);
                return Err(match self.units(range, stored) {
                    units if units.is_empty() => error,
                    units => {
                        error.hint_also(format_args!("if all heights are in another unit: {units}"))
                    }
                });
            }
        }
        if plausible::fits(range.0, range.1) {
            return Ok(None);
        }
        let is_beyond = |level: &i32| {
            let metres = f64::from(*level) / Bed::PER_METRE;
            *level != Bed::OUTSIDE && !plausible::fits(metres, metres)
        };
        let cells = self.levels.iter().filter(|level| is_beyond(level)).count();
        let first = self.levels.iter().position(is_beyond).unwrap_or(0);
        let CellLocation { x, y, column, row } = self.grid.spot(first);
        let value = self.stored(self.levels[first]);
        let (role, shown) = (&self.file.role, self.file.path.display());
        let what = format!(
            "{role}: the heights of '{shown}' run from {} to {} m, but no ground on Earth is below {} or above {} m: {} beyond, the first {value} in {} (at {x:.1},{y:.1})",
            plausible::rounded(range.0),
            plausible::rounded(range.1),
            plausible::LOWEST,
            plausible::HIGHEST,
            counted(cells, "cell is", "cells are"),
            words::place(column, row),
        );
        if is_unit_named {
            return Ok(Some(what));
        }
        let units = match self.units(range, stored) {
            units if units.is_empty() => String::new(),
            units => format!("if they are not in metres, name their unit: {units}; "),
        };
        Err(Error::input(what).hint(format!(
            "{units}if a value marks missing data: --nodata {value}; --height-unit m uses them unchanged"
        )))
    }

    /// Lists the units in which the heights would be plausible.
    fn units(&self, range: (f64, f64), stored: &Stored) -> String {
        let of = |height: f64, beyond: Option<f64>| beyond.unwrap_or(height / self.metres);
        let [below, above] = &stored.beyond;
        let lowest = below.filter(|_| range.0 <= -Bed::LIMIT).map(|beyond| beyond.range.0);
        let highest = above.filter(|_| range.1 >= Bed::LIMIT).map(|beyond| beyond.range.1);
        plausible::how_to_name_the_unit(of(range.0, lowest), of(range.1, highest))
    }
}

/// Returns the error for a value that cannot be a height.
pub fn no_height(file: &RasterFile, value: f64, (column, row): (usize, usize)) -> Error {
    let (shown, value) = (file.path.display(), file.shortest(file.declared(value)));
    let what = format!(
        "dem: '{shown}' holds {value} at {}, which is not a height",
        words::place(column, row)
    );
    Error::input(what).hint(match file.is_scaled() {
        true => {
            "if it marks missing data, give the number that the file stores: --nodata VALUE".into()
        }
        false => format!("if it marks missing data, declare it: --nodata {value}"),
    })
}
