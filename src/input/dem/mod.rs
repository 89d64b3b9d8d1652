//! The DEM: the computational grid and the bed.

mod distortion;
pub mod fine_ground;
mod marker;
mod no_ground;
pub(in crate::input) mod on_earth;
mod plausible;
mod smear;
mod spikes;
pub mod topography;

use self::no_ground::{Levels, Stored};
use self::on_earth::{check_distortion, check_local, check_place, check_unnamed, metres_per_unit};
use crate::engine::grid::{Bed, Grid};
use crate::error::{Error, Result};
use crate::input::dem::topography::{RaisedCells, Topography};
use crate::input::description::vertical;
use crate::input::notice::Notice;
use crate::input::raster::RasterFile;
use crate::machine::host_memory;
use crate::measures::quantity::HEIGHT;
use rayon::prelude::*;
use std::path::Path;

/// DEM in the form that the engine needs.
#[derive(Debug)]
pub struct Dem {
    /// Grid of the DEM.
    pub grid: Grid,
    /// Bed levels.
    pub bed: Bed,
    /// Cells raised by buildings and walls.
    pub raised: RaisedCells,
    /// Metres per unit of the heights in the file.
    pub height_unit: f64,
    /// Lowest and highest level in the domain (m).
    pub range: (f64, f64),
    /// Number of cells in the domain.
    pub domain_cells: usize,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Note that depths were read as heights.
    pub note: Option<Notice>,
    /// Assumption about the unit of the heights, if one was made.
    pub assumed: Option<Notice>,
}

impl Dem {
    /// Returns the grid and the bed levels.
    pub fn ground(&self) -> Topography<'_> {
        Topography { grid: &self.grid, bed: &self.bed, raised: &self.raised }
    }

    /// Updates the cell count and the range of levels after the bed has changed.
    pub fn look_again(&mut self) {
        self.domain_cells = self.bed.domain_cells();
        let metres = |level: i32| f64::from(level) / Bed::PER_METRE;
        let range = self.bed.range().map(|(low, high)| (metres(low), metres(high)));
        self.range = range.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
    }

    /// Like [`Dem::look_again`], and rejects an implausible range; `by` names what changed the bed.
    pub fn check_changed(&mut self, by: &str) -> Result<()> {
        self.look_again();
        let (lowest, highest) = self.range;
        if highest - lowest <= Bed::RELIEF {
            return Ok(());
        }
        Err(Error::input(format!(
            "with {by} the bed ranges from {lowest} to {highest} m, which is not plausible terrain"
        )))
    }
}

/// The user's options for the DEM.
#[derive(Clone, Debug, Default)]
pub struct DemOptions {
    /// Additional NoData value, as the file stores it.
    pub nodata: Option<f64>,
    /// Unit of the heights that replaces the declared one.
    pub height_unit: Option<String>,
    /// `true` to accept any distortion of lengths by the CRS.
    pub accept_distortion: bool,
    /// `true` if the DEM has local coordinates in metres, without a CRS.
    pub local_metres: bool,
    /// Minimum memory for each cell in addition to its level (bytes).
    pub bytes_per_cell: usize,
}

/// Reads a DEM.
pub fn read(path: &Path, options: &DemOptions) -> Result<Dem> {
    let mut file = RasterFile::open(path, "dem")?;
    if let Some(nodata) = options.nodata {
        file.also_nodata(nodata);
    }
    let mut warnings: Vec<String> = file.gap().into_iter().collect();
    let shown = path.display();
    if file.has_palette() {
        warnings
            .push(format!("dem: '{shown}' has a colour table; its values are taken as heights"));
    }
    let grid = grid_of(&file, options.local_metres, &mut warnings)?;
    if let Some(crs) = &grid.crs {
        let accepted = options.accept_distortion;
        warnings.extend(check_distortion(&file, crs, &grid.transform, accepted)?);
    }
    let down = vertical::counts_down(&file.dataset, 1).map_err(|error| {
        error.of(format_args!("dem: '{shown}'")).hint(
            "remove the wrong declaration; of a NetCDF variable z, for example: ncatted -a positive,z,d,,",
        )
    })?;
    if let (None, Some(name)) = (&down, vertical::named_like_depths(&file.dataset, 1)) {
        warnings.push(format!(
            "dem: '{shown}' is called '{name}', but nothing declares that its values count down; they are taken as heights. If they are depths, declare it: the attribute positive = \"down\" of a NetCDF variable, or gdal_translate -scale 0 1 0 -1"
        ));
    }
    let note = down.map(|declared| {
        file.count_up();
        file.notice(format_args!(
            "declares depths ({declared}); they are read as heights of the opposite sign"
        ))
    });
    let (mut assumed, mut of_crs) = (None, None);
    let metres = height_unit(&file, options, &grid, (&mut warnings, &mut assumed, &mut of_crs))?;
    warnings.extend(of_crs.iter().map(|taken| format!("dem: {taken}")));
    let (levels, stored) = read_levels(&file, &grid, metres, options, &mut warnings)?;
    let bed = Bed { levels, ..Bed::default() };
    let (range, domain_cells) = (stored.range, stored.cells);
    let mut dem = Dem {
        grid,
        bed,
        raised: RaisedCells::default(),
        height_unit: metres,
        range,
        domain_cells,
        warnings,
        note,
        assumed,
    };
    let taken_out = judged(&file, &mut dem).take_out(options.nodata, &stored);
    if !taken_out.is_empty() {
        dem.warnings.extend(taken_out);
        dem.look_again();
    }
    dem.warnings.extend(spikes::warnings(&file, &dem.grid, metres, &dem.bed.levels));
    if dem.domain_cells == 0 {
        let cells = dem.grid.cells();
        return Err(file
            .wrong(format_args!("has no valid cell: all {cells} are NoData"))
            .hint("check it with gdalinfo -stats"));
    }
    let range = dem.range;
    let beyond = judged(&file, &mut dem).check(range, options.height_unit.is_some(), &stored);
    dem.warnings.extend(beyond.map_err(|error| match of_crs {
        Some(taken) => Error { what: format!("{}; {taken}", error.what), ..error },
        None => error,
    })?);
    let (lowest, highest) = range;
    if highest - lowest > Bed::RELIEF {
        return Err(Error::input(format!(
            "dem: the heights of '{shown}' run from {lowest} to {highest} m, which is more than any terrain"
        ))
        .hint("if one of them marks missing data, declare it: --nodata VALUE"));
    }
    Ok(dem)
}

/// Reads the levels of a DEM whose unit is `metres`, with their statistics.
fn read_levels(
    file: &RasterFile,
    grid: &Grid,
    metres: f64,
    options: &DemOptions,
    warnings: &mut Vec<String>,
) -> Result<(Vec<i32>, Stored)> {
    let per_cell = size_of::<i32>() + options.bytes_per_cell;
    let needed = (grid.cells() as u64).saturating_mul(per_cell as u64);
    let fits = || host_memory::room().is_none_or(|room| room.bytes >= needed);
    let levels = if fits() { host_memory::zeros(grid.cells()) } else { None };
    let shown = file.path.display().to_string();
    let mut levels = levels.ok_or_else(|| host_memory::too_large(&shown, grid, needed))?;
    let mut stored = Stored::default();
    let quantize = |row: usize, values: &[f64], levels: &mut [i32]| {
        let mut stored = Stored::default();
        for (column, (&value, to)) in values.iter().zip(levels).enumerate() {
            if value.is_nan() {
                *to = Bed::OUTSIDE;
                continue;
            }
            if value.is_infinite() {
                return Err((value, (column, row)));
            }
            // Heights beyond the limit are judged when all heights have been read.
            let level = (value * metres).clamp(-Bed::LIMIT, Bed::LIMIT);
            *to = Bed::quantize(level).expect("a level within the limit");
            stored.add(value, level, (column, row));
        }
        Ok(stored)
    };
    let undeclared = file.for_each_rows(|first, values| {
        let of_rows: Vec<std::result::Result<Stored, _>> = levels[first * grid.columns..]
            .par_chunks_mut(grid.columns)
            .zip(values.par_chunks(grid.columns))
            .enumerate()
            .map(|(row, (levels, values))| quantize(first + row, values, levels))
            .collect();
        for of_row in of_rows {
            stored.merge(&of_row.map_err(|(value, at)| no_ground::no_height(file, value, at))?);
        }
        Ok(())
    })?;
    warnings.extend(undeclared.warnings(file, "outside the domain", Some("--nodata")));
    warnings.extend(file.idle_nodata());
    Ok((levels, stored))
}

/// Returns the levels of a DEM, for checks.
fn judged<'a>(file: &'a RasterFile, dem: &'a mut Dem) -> Levels<'a> {
    Levels { file, grid: &dem.grid, metres: dem.height_unit, levels: &mut dem.bed.levels }
}

/// Returns the grid of a raster, with its cell size in metres. If `local`, the grid has no CRS.
pub(crate) fn grid_of(file: &RasterFile, local: bool, warnings: &mut Vec<String>) -> Result<Grid> {
    let (role, shown) = (&file.role, file.path.display());
    let crs = file.crs().map(vertical::for_metres_up);
    let transform = file.transform().unwrap_or_else(|| {
        warnings
            .push(format!("{role}: '{shown}' has no georeference; cells are taken as 1 m squares"));
        [0.0, 1.0, 0.0, file.rows as f64, 0.0, -1.0]
    });
    let [_, dx, skew_x, _, skew_y, dy] = transform;
    let placed = || {
        let command = file.declare("-a_ullr WEST NORTH EAST SOUTH");
        format!("georeference it again: {command}")
    };
    if !transform.iter().all(|number| number.is_finite()) {
        return Err(Error::input(format!(
            "{role}: the geotransform of '{shown}' is not finite: {transform:?}"
        ))
        .hint(placed()));
    }
    if skew_x != 0.0 || skew_y != 0.0 {
        return Err(Error::input(format!("{role}: the grid of '{shown}' is rotated"))
            .hint(format!("turn it north up first: gdalwarp -r bilinear '{shown}' north_up.tif")));
    }
    if dx == 0.0 || dy == 0.0 {
        return Err(file.wrong(format_args!("has cells of {dx} x {}", dy.abs())).hint(placed()));
    }
    if dx <= 0.0 || dy >= 0.0 {
        let (lines, direction) = match dx <= 0.0 {
            true => ("columns", "west to east"),
            false => ("rows", "north to south"),
        };
        return Err(Error::input(format!(
            "{role}: the {lines} of '{shown}' do not run from {direction}"
        ))
        .hint(format!("turn it north up first: gdalwarp -r near '{shown}' north_up.tif")));
    }
    let metres = match &crs {
        own if local => check_local(file, own.as_deref())?,
        None if file.transform().is_none() => 1.0,
        None => {
            check_unnamed(file, &transform, warnings)?;
            1.0
        }
        Some(wkt) => metres_per_unit(file, wkt, &transform)?,
    };
    check_place(file, &transform, metres)?;
    Ok(Grid {
        columns: file.columns,
        rows: file.rows,
        transform,
        dx: dx * metres,
        dy: -dy * metres,
        last: [1.0; 2],
        crs: crs.filter(|_| !local),
    })
}

/// Returns `true` if two units of height (m) differ by more than the foot and the US survey foot.
fn differ(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() > 1e-4
}

/// Returns the metres per unit of the heights: as set by the user, else as declared for the values
/// or in the vertical part of the CRS, else the unit of the CRS, with a warning in `of_crs`, but
/// metres if that unit is like the km.
fn height_unit(
    file: &RasterFile,
    options: &DemOptions,
    grid: &Grid,
    (warnings, assumed, of_crs): (&mut Vec<String>, &mut Option<Notice>, &mut Option<String>),
) -> Result<f64> {
    let shown = file.path.display();
    let vertical = file.crs().and_then(|wkt| vertical::unit_of(&wkt));
    let vertical = vertical.map(|(metres, name)| (metres.abs(), name));
    if let Some(unit) = &options.height_unit {
        let metres = HEIGHT.factor(unit).map_err(|error| error.of("height_unit"))?;
        let of_values = file.units.of(&HEIGHT).next().map(|unit| unit.text.clone());
        let own = match (of_values, vertical) {
            (Some(text), _) => Some((HEIGHT.factor(&text).ok(), text)),
            (None, Some((metres, name))) => Some((Some(metres), name)),
            (None, None) => None,
        };
        let is_other = |own: &Option<f64>| own.is_none_or(|own| differ(own, metres));
        if let Some((_, text)) = own.filter(|(own, _)| is_other(own)) {
            warnings.push(format!(
                "dem: '{shown}' declares its heights in '{text}'; height_unit = \"{unit}\" is used instead"
            ));
        }
        return Ok(metres);
    }
    let fix = |error: Error| {
        error
            .of(format_args!("dem: '{shown}'"))
            .hint_also("state the unit of its heights, for example --height-unit m")
    };
    let declared = file.units.factor(&HEIGHT).map_err(fix)?;
    match (declared, vertical) {
        (Some(metres), Some((other, name))) if differ(metres, other) => {
            let unit = file.units.of(&HEIGHT).next().map_or("", |declared| &declared.text);
            Err(fix(Error::input(format!(
                "its values are in '{unit}', but the vertical part of its CRS is in '{name}'"
            ))))
        }
        (Some(metres), _) | (None, Some((metres, _))) => Ok(metres),
        (None, None) => {
            let of_length = grid.metres_per_unit();
            let metres = vertical::of_length(of_length);
            let shown_unit = (of_length * 1e7).round() / 1e7;
            if (metres - 1.0).abs() > 1e-9 {
                *of_crs = Some(format!(
                    "heights are taken to be in the CRS's unit of {shown_unit} m (override with --height-unit m)"
                ));
            } else {
                let instead = match metres == of_length {
                    true => String::new(),
                    false => format!(", not in its CRS's unit of {shown_unit} m"),
                };
                *assumed = Some(file.notice(format_args!(
                    "declares no unit; its values are taken as heights in m{instead}"
                )));
            }
            Ok(metres)
        }
    }
}
