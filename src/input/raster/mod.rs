//! A raster file, read by windows. Only this module handles NoData, the mask, scale and offset of
//! the band: it converts stored numbers to values.

pub mod band_times;
mod fix_commands;
pub mod frames;
pub mod layer;
pub mod negative;
mod parallel;
pub mod pixels;
pub mod place;
mod rows;
mod sidecars;
pub mod totals;
pub mod warp;

use super::gdal_access::{dataset, remote, vrt};
use crate::engine::range::range;
use crate::error::{Error, Result};
use crate::input::description::attributes::Attributes;
use crate::input::description::netcdf::Layout;
use crate::input::description::unit::DeclaredUnits;
use crate::input::description::valid_values::ValidValues;
use crate::input::description::{axes, esri_corner, grib, order, spacing};
use crate::input::gdal_access::gdal_log;
use crate::input::notice::Notice;
use crate::machine::host_memory;
use crate::measures::quantity::Quantity;
use crate::units::show_bytes;
use crate::words::{counted, verb};
use gdal::raster::{ColorInterpretation, GdalDataType};
use gdal::{Dataset, DriverManager, GdalOpenFlags, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Approximate number of cells read at a time.
const WINDOW_CELLS: usize = 1 << 21;

/// Values that are NoData in practice, even if not declared.
const USUAL_NODATA: [f64; 2] = [-9999.0, -32768.0];
/// Magnitude above which values are some program's NoData (±3.4e38, 1e30 …).
const ABSURD: f64 = 1e20;

/// Maximum deviation, as a share of a cell, of grids that count as equal, or as north up.
pub(super) const NEGLIGIBLE: f64 = 0.01;

/// Amount that counts as 0, in any unit used for rasters.
pub(super) const NEGLIGIBLE_AMOUNT: f64 = 1e-9;
/// Value below which an amount cannot be a rounding error: it marks missing data.
const NO_AMOUNT: f64 = -99.0;
/// Maximum number of undeclared NoData values; more are interpolations between one of them and the
/// values around it.
const MOST_CODES: usize = 3;

/// Value of cells without a value.
pub const MISSING: f64 = f64::NAN;

/// Source of the validity mask of a raster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mask {
    None,
    /// GDAL's mask of the first band.
    Band,
    /// An alpha band that GDAL does not use as a mask because it is not of integers.
    Alpha(usize),
}

/// An open raster. The first band is used unless another is chosen.
pub struct RasterFile {
    /// Path as given by the user.
    pub path: PathBuf,
    /// Role of the raster, for messages: `dem`, `rain` …
    pub role: String,
    /// GDAL dataset.
    pub dataset: Dataset,
    /// Number of columns.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
    /// Current band, from 1.
    pub(super) band: usize,
    /// Units that the file declares for the current band.
    pub units: DeclaredUnits,
    /// Quantity of the values, if requested.
    quantity: Option<&'static Quantity>,
    /// Factor from the declared unit to the unit of the quantity; without a quantity 1, or −1 for
    /// depths that are read as heights.
    conversion: f64,
    /// NoData values as stored: the declared one and the user's.
    pub(super) nodata: Vec<f64>,
    /// The user's NoData value, and whether a cell holds it; shared by all handles on the file.
    pub(super) own_nodata: Option<Arc<(f64, AtomicBool)>>,
    /// Least and greatest valid stored value.
    valid: (f64, f64),
    /// Scale and offset: factor of stored values, and the number added afterwards.
    scale: (f64, f64),
    /// Source of the validity mask, in addition to NoData.
    mask: Mask,
    /// `true` if the band holds 32-bit floats, to which NoData is then rounded for comparison.
    single: bool,
    /// `true` if the values are amounts, which cannot be negative.
    amounts: bool,
}

impl RasterFile {
    /// Opens a raster of one band used as `role`; a mask or an alpha band may be beside it.
    ///
    /// # Errors
    /// If it cannot be opened, is not on a regular grid, or has several bands of values.
    pub fn open(path: &Path, role: &str) -> Result<RasterFile> {
        let file = RasterFile::open_bands(path, role)?;
        if file.is_picture() {
            return Err(file
                .wrong("is a picture: its bands are colours")
                .hint("give a raster of values, not a shaded or coloured map"));
        }
        let bands = file.bands();
        if bands == 1 {
            return Ok(file);
        }
        let axes = Attributes::of(&file.dataset, 1).map(|band| band.dimensions());
        let axes: Vec<String> =
            axes.into_iter().flatten().map(|(name, _)| format!("'{name}'")).collect();
        let along = if axes.is_empty() { "" } else { " along " };
        let along = format!("{along}{}", axes.join(" and "));
        let extract = format!("gdal_translate -b 1 '{}' one.tif", path.display());
        Err(file
            .wrong(format_args!(
                "has {bands} bands{along}, but its values must be in a single band"
            ))
            .hint(format!("extract the right one, for example the first: {extract}")))
    }

    /// Opens a raster of any number of bands used as `role`.
    pub fn open_bands(path: &Path, role: &str) -> Result<RasterFile> {
        let dataset = open_dataset(path, role)?;
        sidecars::check(path, role)?;
        if dataset.raster_count() == 0 {
            let shown = path.display();
            if dataset::vectors(path).is_ok_and(|features| features.layer_count() > 0) {
                return Err(Error::input(format!(
                    "{role}: '{shown}' holds features or a table, not a raster"
                ))
                .hint(
                    "give a raster; gdal_rasterize converts a vector layer to a raster on the DEM's grid",
                ));
            }
            return Err(Error::input(format!("{role}: '{shown}' has no raster band")).hint(
                format!("if it holds several rasters, name one: gdalinfo '{shown}' lists them"),
            ));
        }
        RasterFile::of(dataset, path, role)
    }

    /// Wraps an open dataset of a file that has a band.
    ///
    /// # Errors
    /// If its cells are not on a regular grid, or the band cannot be read.
    pub fn of(dataset: Dataset, path: &Path, role: &str) -> Result<RasterFile> {
        let layout = Layout::of_raster(&dataset, path);
        let uneven = layout.as_ref().and_then(|layout| spacing::uneven(layout, path));
        if let Some((what, fix)) = uneven {
            return Err(Error::input(format!("{role}: '{}' {what}", path.display())).hint(fix));
        }
        if let Some(what) = esri_corner::misplaced(&dataset) {
            return Err(Error::input(format!("{role}: '{}' {what}", path.display())).hint(
                "declare both coordinates of the corner (xllcorner and yllcorner) or of the centre of its cell (xllcenter and yllcenter), half a cell farther",
            ));
        }
        let dataset = order::in_order(dataset, layout.as_ref(), path)
            .map_err(|error| error.of(format_args!("{role}: '{}'", path.display())))?;
        let (columns, rows) = dataset.raster_size();
        let mut file = RasterFile {
            path: path.to_path_buf(),
            role: role.to_string(),
            dataset,
            columns,
            rows,
            band: 1,
            units: DeclaredUnits::default(),
            quantity: None,
            conversion: 1.0,
            nodata: Vec::new(),
            own_nodata: None,
            valid: (f64::NEG_INFINITY, f64::INFINITY),
            scale: (1.0, 0.0),
            mask: Mask::None,
            single: false,
            amounts: false,
        };
        file.choose(1)?;
        if let Some((unit, of_crs)) = axes::other_unit(&file.dataset) {
            return Err(file
                .wrong(format_args!("has axes in {unit}, but its CRS counts in {of_crs}"))
                .hint("convert its coordinates, for example: cdo setattribute, or gdal_translate -a_ullr WEST NORTH EAST SOUTH"));
        }
        if let Some((what, command)) = axes::irregular(&file.dataset) {
            return Err(file.wrong(what).hint(format!("warp it to a regular grid: {command}")));
        }
        Ok(file)
    }

    /// Creates an error about the raster.
    pub fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::input(format!("{}: '{}' {what}", self.role, self.path.display()))
    }

    /// Creates a notice about the raster.
    pub fn notice(&self, what: impl std::fmt::Display) -> Notice {
        Notice::of(&self.role, &self.path.display().to_string(), what)
    }

    /// Counts the bands of values, without alpha bands.
    pub fn bands(&self) -> usize {
        let count = self.dataset.raster_count();
        (1..=count).filter(|&band| !self.is_alpha(band)).count()
    }

    /// Returns `true` if the raster is an image: it has three bands or more, and the first is a
    /// colour or all are bytes.
    fn is_picture(&self) -> bool {
        let colours = [
            ColorInterpretation::RedBand,
            ColorInterpretation::CyanBand,
            ColorInterpretation::YCbCrSpaceYBand,
            ColorInterpretation::HueBand,
        ];
        let bands = || (1..=self.dataset.raster_count()).map(|at| self.dataset.rasterband(at));
        let is_colour = bands().next().is_some_and(|first| {
            first.is_ok_and(|band| colours.contains(&band.color_interpretation()))
        });
        let bytes =
            bands().all(|band| band.is_ok_and(|band| band.band_type() == GdalDataType::UInt8));
        self.bands() > 2 && (is_colour || bytes)
    }

    /// Returns `true` if the values of the first band are indices into a colour table.
    pub fn has_palette(&self) -> bool {
        self.dataset.rasterband(1).is_ok_and(|band| band.color_table().is_some())
    }

    fn is_alpha(&self, band: usize) -> bool {
        let band = self.dataset.rasterband(band);
        band.is_ok_and(|band| band.color_interpretation() == ColorInterpretation::AlphaBand)
    }

    /// Selects another band as the current one.
    ///
    /// # Panics
    /// If there is no such band.
    pub fn choose(&mut self, number: usize) -> Result<()> {
        let RasterFile { dataset, path, .. } = &*self;
        assert!((1..=dataset.raster_count()).contains(&number), "band {number}");
        let shown = path.display();
        let band = dataset.rasterband(number).map_err(|error| self.broken(error))?;
        let flags = band.mask_flags().map_err(|error| self.broken(error))?;
        let mask = if !flags.is_all_valid() && (!flags.is_nodata() || flags.is_per_dataset()) {
            Mask::Band
        } else {
            (2..=dataset.raster_count())
                .find(|&other| self.is_alpha(other))
                .map_or(Mask::None, Mask::Alpha)
        };
        let scale = (band.scale().unwrap_or(1.0), band.offset().unwrap_or(0.0));
        if !(scale.0.is_finite() && scale.0 != 0.0 && scale.1.is_finite()) {
            let (scale, offset) = scale;
            return Err(self
                .wrong(format_args!("declares a scale of {scale} and an offset of {offset}"))
                .hint(format!(
                    "declare the right ones: gdal_edit.py -scale 1 -offset 0 '{shown}'"
                )));
        }
        // SAFETY: `band` borrows the open dataset, so its handle is valid; both functions only
        // read.
        let is_complex = unsafe {
            gdal_sys::GDALDataTypeIsComplex(gdal_sys::GDALGetRasterDataType(band.c_rasterband()))
                != 0
        };
        if band.metadata_item("PIXELTYPE", "IMAGE_STRUCTURE").as_deref() == Some("SIGNEDBYTE") {
            return Err(self.wrong("holds signed bytes, which GDAL before 3.7 reads as unsigned").hint(
                "use a program with a newer GDAL, such as the released binary of inundate, or convert it with one: gdal_translate -ot Int16",
            ));
        }
        if is_complex {
            return Err(self.wrong("holds complex numbers").hint(format!(
                "extract their real part: gdal_translate -ot Float32 '{shown}' real.tif"
            )));
        }
        let ValidValues { range, missing } = ValidValues::of_band(dataset, number, scale.0);
        let nodata = band.no_data_value().into_iter().chain(missing).collect();
        let units = DeclaredUnits::of_band(dataset, number);
        let single = band.band_type() == GdalDataType::Float32;
        (self.band, self.units, self.single) = (number, units, single);
        (self.nodata, self.valid) = (nodata, range);
        (self.scale, self.mask) = (scale, mask);
        self.convert()
    }

    /// Reads the values as a quantity from now on: in the unit of the quantity, whatever unit the
    /// file declares.
    ///
    /// # Errors
    /// If the file declares a unit of another quantity, or two different units.
    pub fn measure(&mut self, quantity: &'static Quantity) -> Result<()> {
        self.quantity = Some(quantity);
        self.convert()
    }

    fn convert(&mut self) -> Result<()> {
        let Some(quantity) = self.quantity else { return Ok(()) };
        let factor = self.units.factor(quantity).map_err(|error| {
            let (role, shown) = (&self.role, self.path.display());
            let fix = self.declare_unit(quantity.unit);
            let error = error.of(format_args!("{role}: '{shown}'"));
            error.hint_also(format_args!("declare the right one: {fix}"))
        })?;
        self.conversion = factor.unwrap_or(1.0);
        Ok(())
    }

    /// Reads depths below a datum as heights above it from now on.
    pub fn count_up(&mut self) {
        self.conversion = -1.0;
    }

    /// Returns a value as the file declares it, with scale and offset but in its own unit and
    /// direction.
    pub fn declared(&self, value: f64) -> f64 {
        value / self.conversion
    }

    /// Returns the assumption about the unit; `None` if the file declares one, or no quantity was
    /// requested.
    pub fn assumed(&self) -> Option<Notice> {
        let quantity = self.quantity.filter(|quantity| self.units.of(quantity).next().is_none())?;
        let unit = match quantity.unit {
            "1" => "plain numbers".into(),
            unit => format!("{} in {unit}", quantity.of),
        };
        Some(self.notice(format_args!("declares no unit; its values are taken as {unit}")))
    }

    /// Returns a warning if the raster is a VRT whose sources leave a gap, which GDAL fills with 0
    /// if nothing declares it as NoData.
    pub fn gap(&self) -> Option<String> {
        if self.dataset.driver().short_name() != "VRT"
            || !self.nodata.is_empty()
            || self.mask != Mask::None
        {
            return None;
        }
        let share = vrt::uncovered(&self.path, self.band, (self.columns, self.rows));
        (share > 0.0).then(|| {
            format!(
                "{}: '{}' declares no NoData, and its sources leave {:.2} % of its cells without a value, which hold 0; declare NoData: gdalbuildvrt -vrtnodata -9999 …",
                self.role,
                self.path.display(),
                100.0 * share
            )
        })
    }

    /// Adds a stored value that means NoData.
    pub fn also_nodata(&mut self, value: f64) {
        self.nodata.push(value);
        self.own_nodata = Some(Arc::new((value, AtomicBool::new(false))));
    }

    /// Returns a warning if no cell that was read holds the value of [`RasterFile::also_nodata`].
    pub fn idle_nodata(&self) -> Option<String> {
        let (value, is_found) = &**self.own_nodata.as_ref()?;
        (!value.is_nan() && !is_found.load(Ordering::Relaxed)).then(|| {
            let shown = self.path.display();
            format!("nodata: has no effect, because no cell of '{shown}' holds {value}")
        })
    }

    /// Declares the values to be amounts: values far below 0 are then NoData, even if not declared.
    pub fn expect_amounts(&mut self) {
        self.amounts = true;
    }

    /// Returns `true` if the values are amounts.
    pub fn holds_amounts(&self) -> bool {
        self.amounts
    }

    /// Returns the step between neighbouring values in a band of scaled integers; else 0.
    pub fn resolution(&self) -> f64 {
        let stored = self.dataset.rasterband(self.band).map(|band| band.band_type());
        let is_float = matches!(stored, Ok(GdalDataType::Float32 | GdalDataType::Float64));
        let step = (self.scale.0 * self.conversion).abs();
        if is_float || !self.is_scaled() { 0.0 } else { step }
    }

    /// Returns `true` if the band has a scale or an offset.
    pub fn is_scaled(&self) -> bool {
        self.scale != (1.0, 0.0)
    }

    /// Returns `true` if the values of the band are sums over time of the quantity whose unit is
    /// declared, as in GRIB2.
    pub fn is_sum_over_time(&self) -> bool {
        Attributes::of(&self.dataset, self.band).is_some_and(|band| grib::is_sum(&band))
    }

    /// Returns the stored number of a value.
    pub fn stored(&self, value: f64) -> f64 {
        (value / self.conversion - self.scale.1) / self.scale.0
    }

    /// Shortens a stored value to the digits of the band's precision: −9999.9, not −9999.900390625.
    pub fn shortest(&self, value: f64) -> f64 {
        let short = if self.single { (value as f32).to_string().parse() } else { Ok(value) };
        short.unwrap_or(value)
    }

    /// Returns `true` if a stored value equals a number to the precision of the band.
    fn same(&self, value: f64, number: f64) -> bool {
        value == number
            || (self.single && value as f32 == number as f32)
            || (value.is_nan() && number.is_nan())
    }

    /// Returns the geotransform; `None` if the file has none. A rotation that moves every cell by
    /// less than a hundredth of a cell is ignored.
    pub fn transform(&self) -> Option<[f64; 6]> {
        let [west, dx, skew_x, north, skew_y, dy] = self.dataset.geo_transform().ok()?;
        let moves = |skew: f64, cells: usize, length: f64| {
            (skew * cells as f64).abs() >= NEGLIGIBLE * length.abs()
        };
        let is_rotated = moves(skew_x, self.rows, dx) || moves(skew_y, self.columns, dy);
        let (skew_x, skew_y) = if is_rotated { (skew_x, skew_y) } else { (0.0, 0.0) };
        Some([west, dx, skew_x, north, skew_y, dy])
    }

    /// Returns the CRS as WKT; `None` if the file has none.
    pub fn crs(&self) -> Option<String> {
        let named = Some(self.dataset.projection()).filter(|wkt| !wkt.is_empty());
        named.or_else(|| axes::crs(&self.dataset))
    }

    /// Allocates a buffer for values of the raster; an error if there is not enough memory.
    pub(crate) fn buffer<T: Copy>(&self, value: T, count: usize) -> Result<Vec<T>> {
        host_memory::filled(value, count).ok_or_else(|| {
            let bytes = show_bytes((count as u64).saturating_mul(size_of::<T>() as u64));
            self.wrong(format_args!(
                "has {} × {} cells (columns × rows), but there is not enough memory for the {bytes} of a part of it",
                self.columns, self.rows
            ))
            .hint(host_memory::how_to_cut(&self.path.display().to_string()))
        })
    }

    /// Creates the error for a band that cannot be read.
    fn broken(&self, error: gdal::errors::GdalError) -> Error {
        let said = gdal_log::why(error);
        self.wrong(format_args!("cannot be read completely: {said}"))
            .hint("the file may be damaged or truncated: copy it again")
    }

    /// Returns `true` if a stored value is NoData although not declared. In a scaled band, −9999
    /// may be an ordinary value.
    fn usual_nodata(&self, value: f64) -> bool {
        let is_usual = USUAL_NODATA.contains(&value);
        let marker = is_usual && !self.is_scaled();
        let meant = value * self.scale.0 + self.scale.1;
        let no_amount = self.amounts && (meant <= NO_AMOUNT || (meant < 0.0 && is_usual));
        value.is_nan() || (value.is_finite() && (value.abs() > ABSURD || no_amount)) || marker
    }

    /// Reads a window (first column and row, columns and rows) of the band, with NoData, scale and
    /// unit applied.
    pub fn read_window(
        &self,
        first: (usize, usize),
        size: (usize, usize),
        values: &mut [f64],
        undeclared: &mut Undeclared,
    ) -> Result<()> {
        gdal_log::take();
        self.read_part(first, size, values, undeclared)
    }

    /// Like [`RasterFile::read_window`], but keeps GDAL's earlier messages.
    fn read_part(
        &self,
        first: (usize, usize),
        size: (usize, usize),
        values: &mut [f64],
        undeclared: &mut Undeclared,
    ) -> Result<()> {
        let first = (first.0 as isize, first.1 as isize);
        let masked = self.mask != Mask::None;
        let mut mask = self.buffer(0.0f32, if masked { values.len() } else { 0 })?;
        let read = |mask: &mut [f32], values: &mut [f64]| {
            let band = self.dataset.rasterband(self.band)?;
            let mask_band = match self.mask {
                Mask::None => None,
                Mask::Band => Some(band.open_mask_band()?),
                Mask::Alpha(number) => Some(self.dataset.rasterband(number)?),
            };
            if let Some(mask_band) = mask_band {
                mask_band.read_into_slice(first, size, size, mask, None)?;
            }
            band.read_into_slice(first, size, size, values, None)
        };
        read(&mut mask, values).map_err(|error| self.broken(error))?;
        for (i, value) in values.iter_mut().enumerate() {
            let hidden = masked && mask[i] == 0.0;
            let (least, most) = self.valid;
            let invalid = *value < least || *value > most;
            if let Some(own) = &self.own_nodata
                && self.same(*value, own.0)
            {
                own.1.store(true, Ordering::Relaxed);
            }
            let is_nodata = || self.nodata.iter().any(|&nodata| self.same(*value, nodata));
            *value = if hidden || invalid || is_nodata() {
                MISSING
            } else if self.usual_nodata(*value) {
                undeclared.count(self, *value, 1);
                MISSING
            } else {
                (*value * self.scale.0 + self.scale.1) * self.conversion
            };
        }
        Ok(())
    }
}

/// Opens a raster's dataset, which may have no bands but subdatasets.
pub fn open_dataset(path: &Path, role: &str) -> Result<Dataset> {
    gdal_log::install();
    remote::check(path, role)?;
    let shown = path.display();
    let virtual_file = path.to_string_lossy().starts_with("/vsi");
    if !virtual_file {
        let data = std::fs::metadata(path).map_err(|error| {
            Error::input(format!("{role}: cannot open '{shown}'"))
                .because(error)
                .hint(check_the_path(path))
        })?;
        if data.is_file() && data.len() == 0 {
            return Err(Error::input(format!("{role}: '{shown}' is empty (0 bytes)"))
                .hint("copy or download it again"));
        }
    }
    gdal_log::take();
    let opened = Dataset::open(path);
    // GDAL's driver of HDF5 places no cells; that of NetCDF reads these files too.
    if opened.as_ref().is_ok_and(|dataset| dataset.driver().short_name() == "HDF5")
        && let Ok(dataset) = dataset::netcdf(path, GdalOpenFlags::GDAL_OF_RASTER)
    {
        return Ok(dataset);
    }
    opened.map_err(|_| {
        let said = gdal_log::why("format not recognized");
        if is_netcdf(path) && DriverManager::get_driver_by_name("netCDF").is_err() {
            return Error::input(format!(
                "{role}: '{shown}' is NetCDF, which this build of inundate cannot read"
            ))
            .hint(format!(
                "convert it where GDAL has NetCDF (apt install gdal-bin), which keeps its georeference and times: gdal_translate NETCDF:'{shown}':VARIABLE bands.tif"
            ));
        }
        Error::input(format!("{role}: '{shown}' is not a raster that GDAL can read: {said}"))
            .hint(format!("inspect it with gdalinfo '{shown}'"))
    })
}

/// Returns the number of cells of a raster; `None` if it cannot be opened, which its reader
/// reports.
pub fn cells_of(path: &Path) -> Option<usize> {
    let (columns, rows) = open_dataset(path, "dem").ok()?.raster_size();
    Some(columns.saturating_mul(rows))
}

/// Returns the hint for a path that cannot be opened.
fn check_the_path(path: &Path) -> &'static str {
    let text = path.to_string_lossy();
    match text.contains('~') || text.contains('$') {
        true => {
            "check the path: '~' and '$HOME' are not expanded in a scenario file, write them out"
        }
        false => "check the path; in a scenario file it is relative to that file's folder",
    }
}

/// Returns `true` if a file is NetCDF according to its first bytes or its extension.
fn is_netcdf(path: &Path) -> bool {
    let mut start = [0u8; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let named_so = matches!(ending.as_deref(), Some("nc" | "nc4" | "cdf" | "netcdf"));
    named_so || (read.is_ok() && start.starts_with(b"CDF"))
}

/// Values taken as NoData although not declared, with their counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Undeclared(Vec<(f64, usize)>);

impl Undeclared {
    /// Creates the record of one stored value.
    pub fn one(value: f64, count: usize) -> Undeclared {
        Undeclared(vec![(value, count)])
    }

    /// Sorts the values, so that their order does not depend on threads.
    pub(super) fn sort(&mut self) {
        self.0.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    }

    fn count(&mut self, file: &RasterFile, value: f64, more: usize) {
        match self.0.iter_mut().find(|(known, _)| file.same(value, *known)) {
            Some((_, count)) => *count += more,
            None => self.0.push((value, more)),
        }
    }

    /// Adds the values of another band.
    pub fn add(&mut self, file: &RasterFile, others: &Undeclared) {
        for &(value, count) in &others.0 {
            self.count(file, value, count);
        }
    }

    /// Returns a warning for each value; `taken_as` is the new meaning of the cells, `flag` an
    /// option that also declares the value.
    pub fn warnings(&self, file: &RasterFile, taken_as: &str, flag: Option<&str>) -> Vec<String> {
        let (role, shown) = (&file.role, file.path.display());
        let warning = |&(value, count): &(f64, usize)| {
            let (cells, hold) = (counted(count, "cell", "cells"), verb(count, "hold"));
            let short = match value.abs() > ABSURD {
                true => format!("{value:e}"),
                false => file.shortest(value).to_string(),
            };
            let what = if value.is_finite() { "it" } else { "NoData" };
            let mut declare =
                format!("declare {what} with: {}", file.declare_nodata(value, &short));
            if let (Some(flag), true) = (flag, value.is_finite()) {
                declare += &format!(", or give {flag} {short}");
            }
            format!(
                "{role}: {cells} of '{shown}' {hold} {short}, which is not declared as NoData; taken as {taken_as} ({declare})"
            )
        };
        let below: Vec<&(f64, usize)> =
            self.0.iter().filter(|(value, _)| *value < 0.0 && *value > -ABSURD).collect();
        if below.len() <= MOST_CODES {
            return self.0.iter().map(warning).collect();
        }
        let cells = counted(below.iter().map(|(_, count)| count).sum(), "cell", "cells");
        let (lowest, highest) = range(below.iter().map(|(value, _)| file.shortest(*value)));
        let mixed = format!(
            "{role}: {cells} of '{shown}' hold {lowest} to {highest}: most likely a warp interpolated them between an undeclared NoData value and the values around it; taken as {taken_as}. Warp the original again with this value declared: gdalwarp -srcnodata VALUE -dstnodata -9999"
        );
        let others = self.0.iter().filter(|(value, _)| !(*value < 0.0 && *value > -ABSURD));
        others.map(warning).chain([mixed]).collect()
    }
}
