//! Cloud-optimized GeoTIFFs: tiled, compressed, with overviews, unit and statistics.

use super::banded::Banded;
use super::{Downsampling, Format, Labels, MapWriter, Sheet, name_of};
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::gdal_access::{gdal_log, gdal_option};
use crate::output::colour::NODATA;
use crate::output::compression::Compression;
use crate::output::statistics::Statistics;
use gdal::cpl::CslStringList;
use gdal::errors::GdalError;
use gdal::{Dataset, DriverManager, Metadata};
use std::borrow::Cow;
use std::ffi::CString;
use std::path::Path;

/// The GeoTIFF format.
pub const FORMAT: Format = Format { name: "GeoTIFF", endings: &["tif", "tiff"], open };

/// Tile sides (cells): the usual one, unless the raster is smaller, and the one of a narrow strip.
const BLOCK: usize = 512;
const NARROW_BLOCK: usize = 64;
/// Sides of tiles must be multiples of this in TIFF (cells).
const TILE_UNIT: usize = 16;

/// While copying, GDAL would read the CRS back from the file that it has just written. This takes
/// longer than everything else for a small map, because it looks up names in PROJ's database.
const UNREAD: (&str, &str) = ("GDAL_GEOREF_SOURCES", "NONE");

/// Memory per cell while its map is written: its value (bytes).
pub const BYTES_PER_CELL: f64 = 4.0;

/// Block cache for writing, once a run has read all its input (bytes).
const BLOCKS: i64 = 128 << 20;

/// Limits GDAL's cache of raster blocks, so that the blocks of large maps reuse the same memory.
/// Blocks should not have to be read again after this.
pub fn hold_few_blocks() {
    // SAFETY: GDAL allows any thread to set the limit at any time.
    unsafe { gdal_sys::GDALSetCacheMax64(gdal_sys::GDALGetCacheMax64().min(BLOCKS)) };
}

/// A map that is being written.
struct GeoTiff<'a> {
    sheet: Sheet<'a>,
    values: Values<'a>,
}

/// Values received so far.
enum Values<'a> {
    Nothing,
    /// The values of the whole map.
    Whole(Cow<'a, [f32]>),
    /// The first bands of the map.
    Banded(Banded),
}

fn open<'a>(sheet: Sheet<'a>) -> Result<Box<dyn MapWriter<'a> + 'a>> {
    gdal_log::install();
    gdal_log::take();
    Ok(Box::new(GeoTiff { sheet, values: Values::Nothing }))
}

impl<'a> MapWriter<'a> for GeoTiff<'a> {
    fn rows(&mut self, values: Cow<'a, [f32]>) -> Result<()> {
        let Sheet { path, grid, .. } = self.sheet;
        let failed = |error: GdalError| write_failed(&name_of(path), &error.to_string());
        match &mut self.values {
            Values::Nothing if values.len() == grid.cells() => self.values = Values::Whole(values),
            Values::Nothing => {
                let mut banded = Banded::begin(path, grid, BLOCK)
                    .map_err(|why| write_failed(&name_of(path), &why))?;
                banded.rows(&values).map_err(failed)?;
                self.values = Values::Banded(banded);
            }
            Values::Whole(_) => panic!("more rows than the grid has"),
            Values::Banded(banded) => banded.rows(&values).map_err(failed)?,
        }
        Ok(())
    }

    fn finish(self: Box<Self>, statistics: Option<Statistics>) -> Result<()> {
        let Sheet { path, grid, labels, compression } = self.sheet;
        let name = name_of(path);
        let failed = |error: GdalError| write_failed(&name, &error.to_string());
        let write = || match self.values {
            Values::Banded(banded) => {
                let (mut image, _file) = banded.finish()?;
                label(&mut image, grid, labels, statistics)?;
                // Flush GDAL's auxiliary data into the file.
                image.flush_cache()?;
                copy_optimized(&image, path, compression, labels.downsampling)
            }
            Values::Whole(values) => {
                let mut image = image_of(&values, grid)?;
                label(&mut image, grid, labels, statistics)?;
                copy_optimized(&image, path, compression, labels.downsampling)
            }
            Values::Nothing => Err(GdalError::BadArgument("no row was received".into())),
        };
        write().map_err(failed)?;
        // Some write errors occur only when the file is closed, and then only in GDAL's log.
        if let Some(said) = gdal_log::take_any() {
            return Err(write_failed(&name, &said));
        }
        verify(path, grid).map_err(failed)
    }
}

/// Sets the description, unit and georeference of an image.
fn label(
    image: &mut Dataset,
    grid: &Grid,
    labels: &Labels,
    statistics: Option<Statistics>,
) -> gdal::errors::Result<()> {
    image.set_geo_transform(&grid.transform)?;
    if let Some(crs) = &grid.crs {
        image.set_projection(crs)?;
    }
    for (key, value) in labels.metadata {
        image.set_metadata_item(key, value, "")?;
    }
    let mut band = image.rasterband(1)?;
    band.set_no_data_value(Some(f64::from(NODATA)))?;
    band.set_description(labels.description)?;
    let unit = CString::new(labels.unit).expect("units hold no zero byte");
    // SAFETY: the band is open and the string is null-terminated.
    unsafe {
        gdal_sys::GDALSetRasterUnitType(band.c_rasterband(), unit.as_ptr());
        if let Some(Statistics { min, max, mean, deviation }) = statistics {
            gdal_sys::GDALSetRasterStatistics(band.c_rasterband(), min, max, mean, deviation);
        }
    }
    Ok(())
}

/// Wraps values in a dataset without copying; it must not outlive them.
fn image_of(values: &[f32], grid: &Grid) -> gdal::errors::Result<Dataset> {
    let memory = DriverManager::get_driver_by_name("MEM")?;
    let image = memory.create_with_band_type::<f32, _>("", grid.columns, grid.rows, 0)?;
    let mut options = CslStringList::new();
    options.set_name_value("DATAPOINTER", &format!("{:p}", values.as_ptr()))?;
    // SAFETY: the buffer has as many values as the band has cells and is only read. Callers drop
    // the dataset before the values.
    let added = unsafe {
        gdal_sys::GDALAddBand(
            image.c_dataset(),
            gdal_sys::GDALDataType::GDT_Float32,
            options.as_ptr(),
        )
    };
    done(added, "GDALAddBand")?;
    Ok(image)
}

/// Returns the error of a function of GDAL that has failed.
pub fn done(class: gdal_sys::CPLErr::Type, what: &'static str) -> gdal::errors::Result<()> {
    match class {
        gdal_sys::CPLErr::CE_None => Ok(()),
        class => Err(GdalError::CplError { class, number: 0, msg: what.into() }),
    }
}

/// Returns `true` if a raster is so long and narrow that tiles of the usual size would be mostly
/// padding (a billion cells for a row of a million), and overviews would have no height.
fn is_strip((columns, rows): (usize, usize)) -> bool {
    columns.min(rows) <= NARROW_BLOCK && columns.max(rows) > 16 * BLOCK
}

/// Returns the side of the tiles for a raster with these columns and rows (cells): a fitting tile
/// is faster to compress than one that is mostly padding.
fn block_of((columns, rows): (usize, usize)) -> usize {
    columns.max(rows).next_multiple_of(TILE_UNIT).min(BLOCK)
}

/// Copies a raster to a cloud-optimized GeoTIFF with overviews. Blocks without values take no
/// space in it.
fn copy_optimized(
    image: &Dataset,
    path: &Path,
    compression: Compression,
    downsampling: Downsampling,
) -> gdal::errors::Result<()> {
    let mut options = CslStringList::new();
    let size = image.raster_size();
    let strip = is_strip(size);
    let block = if strip { NARROW_BLOCK } else { block_of(size) };
    let one = strip || size.0.max(size.1) <= block;
    let (block, threads) = (block.to_string(), if one { 1 } else { rayon::current_num_threads() });
    let threads = threads.to_string();
    let overviews = if strip { "NONE" } else { "IGNORE_EXISTING" };
    let resampling = match downsampling {
        Downsampling::Mean => "AVERAGE",
        Downsampling::Nearest => "NEAREST",
    };
    let own: [(&str, &str); 6] = [
        ("BLOCKSIZE", block.as_str()),
        ("BIGTIFF", "IF_SAFER"),
        ("SPARSE_OK", "YES"),
        ("NUM_THREADS", threads.as_str()),
        ("OVERVIEWS", overviews),
        ("OVERVIEW_RESAMPLING", resampling),
    ];
    for (key, value) in own.into_iter().chain(compression.creation_options()) {
        options.set_name_value(key, value)?;
    }
    let driver = DriverManager::get_driver_by_name("COG")?;
    gdal_option::with(UNREAD, || image.create_copy(&driver, path, &options)?.close())
}

/// Opens the written file and reads its last cell, which is in the file's last block.
fn verify(path: &Path, grid: &Grid) -> gdal::errors::Result<()> {
    let written = Dataset::open(path)?;
    if written.raster_size() != (grid.columns, grid.rows) {
        return Err(gdal::errors::GdalError::BadArgument("the file is cut short".into()));
    }
    let band = written.rasterband(1)?;
    let last = (grid.columns as isize - 1, grid.rows as isize - 1);
    band.read_as::<f32>(last, (1, 1), (1, 1), None)?;
    Ok(())
}

fn write_failed(name: &str, said: &str) -> Error {
    let said = gdal_log::take_any().unwrap_or_else(|| said.to_string());
    Error::run(format!("cannot write {name}: {said}")).hint(
        "free disk space or raise the limit on file sizes; nothing incomplete was left behind",
    )
}
