//! Pictures of small rasters.

use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::gdal_access::{dataset, gdal_log};
use crate::output::colour::{Colour, NODATA};
use crate::output::small::Small;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gdal::raster::processing::dem::{HillshadeOptions, ShadingMode, hillshade};
use gdal::raster::{
    Buffer, ColorEntry, ColorTable, PaletteInterpretation, RasterCreationOptions, RgbaEntry,
};
use gdal::{Dataset, Driver, DriverManager, vsi};
use std::sync::atomic::{AtomicU64, Ordering};

/// Shade of flat ground, and maximum deviation of slopes from it (0 to 255).
const SHADES: (f32, f32) = (232.0, 110.0);

impl Small {
    /// Computes the hillshade of the ground, lit from the north-west (0 to 255, 255 for flat ground
    /// in the sun), on any DEM; flat country is exaggerated so that its forms are visible.
    pub fn shade(&self, grid: &Grid) -> Result<Vec<u8>> {
        let cell = (
            grid.dx * grid.columns as f64 / self.columns as f64,
            grid.dy * grid.rows as f64 / self.rows as f64,
        );
        let (mut rises, mut count) = (0.0, 0);
        for pair in self.values.windows(2).filter(|pair| !pair.contains(&NODATA)) {
            rises += f64::from((pair[1] - pair[0]).abs()) / cell.0;
            count += 1;
        }
        let slope = rises / f64::from(count.max(1));
        let steeper = (0.25 / slope.max(1e-9)).clamp(1.0, 12.0);
        let shade = || {
            let size = (self.columns, self.rows);
            let transform = [0.0, cell.0, 0.0, 0.0, 0.0, -cell.1];
            let file = dataset::in_memory::<f32>(size, 1, &transform, "")?;
            let mut band = file.rasterband(1)?;
            band.set_no_data_value(Some(f64::from(NODATA)))?;
            band.write((0, 0), size, &mut Buffer::new(size, self.values.clone()))?;
            let mut options = HillshadeOptions::new();
            options.with_compute_edges(true).with_z_factor(steeper);
            options.with_shading_mode(ShadingMode::Multidirectional);
            let name = name_in_memory("tif");
            let shaded = hillshade(&file, &name, &options)?;
            let shades = shaded.rasterband(1)?.read_band_as::<u8>()?.data().to_vec();
            drop(shaded);
            vsi::unlink_mem_file(&name)?;
            Ok(shades)
        };
        shade().map_err(failed)
    }
}

/// Returns a unique name for a file in memory.
fn name_in_memory(ending: &str) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("/vsimem/inundate-page-{}-{number}.{ending}", std::process::id())
}

/// Returns the brightness of ground from its hillshade (0 to 255); flat ground has a hillshade of
/// 180.
pub fn ground_shade(lit: u8) -> f32 {
    (SHADES.0 + (f32::from(lit) - 180.0) / 255.0 * SHADES.1).clamp(0.0, 255.0)
}

/// Blends a colour over ground of a given brightness: red, green, blue.
pub fn mix([red, green, blue, opacity]: Colour, shade: f32) -> [u8; 3] {
    let share = f32::from(opacity) / 255.0;
    [red, green, blue].map(|part| (f32::from(part) * share + shade * (1.0 - share)).round() as u8)
}

/// Blends colours over shaded ground; the picture is transparent outside the domain.
pub fn over_ground(ground: &Small, shades: &[u8], colour: impl Fn(usize) -> Colour) -> Vec<Colour> {
    let pixel = |(at, level): (usize, &f32)| {
        if *level == NODATA {
            return [0; 4];
        }
        let [red, green, blue] = mix(colour(at), ground_shade(shades[at]));
        [red, green, blue, 255]
    };
    ground.values.iter().enumerate().map(pixel).collect()
}

/// Encodes a picture as a PNG in a `data:` URI.
pub fn data_uri(size: (usize, usize), pixels: &[Colour]) -> Result<String> {
    image(size, pixels, 4).and_then(|image| to_png(&image)).map_err(failed)
}

/// Encodes a picture with indexed colours as a PNG in a `data:` URI.
pub fn indexed_uri(size: (usize, usize), pixels: &[u8], colours: &[Colour]) -> Result<String> {
    let image = || {
        let image = blank(size, 1)?;
        let mut band = image.rasterband(1)?;
        band.write((0, 0), size, &mut Buffer::new(size, pixels.to_vec()))?;
        let mut table = ColorTable::new(PaletteInterpretation::Rgba);
        for (number, &[red, green, blue, opacity]) in colours.iter().enumerate() {
            let [r, g, b, a] = [red, green, blue, opacity].map(i16::from);
            table.set_color_entry(number as u16, &ColorEntry::Rgba(RgbaEntry { r, g, b, a }));
        }
        band.set_color_table(&table);
        Ok(image)
    };
    image().and_then(|image| to_png(&image)).map_err(failed)
}

/// Encodes a photograph, which may be compressed with loss, as a `data:` URI: without loss it would
/// be ten times as large.
pub fn photograph_uri(size: (usize, usize), pixels: &[Colour]) -> Result<String> {
    let photograph = || {
        let jpeg = DriverManager::get_driver_by_name("JPEG")?;
        encode(&image(size, pixels, 3)?, &jpeg, "jpg", "image/jpeg", "QUALITY=80")
    };
    // Not every GDAL has JPEG.
    photograph().or_else(|_| data_uri(size, pixels))
}

/// Creates a picture in memory from the first `parts` components of colours.
fn image(size: (usize, usize), pixels: &[Colour], parts: usize) -> gdal::errors::Result<Dataset> {
    let image = blank(size, parts)?;
    for part in 0..parts {
        let bytes = pixels.iter().map(|pixel| pixel[part]).collect();
        image.rasterband(part + 1)?.write((0, 0), size, &mut Buffer::new(size, bytes))?;
    }
    Ok(image)
}

/// Creates an empty picture in memory.
fn blank(size: (usize, usize), bands: usize) -> gdal::errors::Result<Dataset> {
    let memory = DriverManager::get_driver_by_name("MEM")?;
    memory.create_with_band_type::<u8, _>("", size.0, size.1, bands)
}

fn to_png(image: &Dataset) -> gdal::errors::Result<String> {
    let png = DriverManager::get_driver_by_name("PNG")?;
    // Level 6 takes three times as long for the same size, and level 9, on maps with sharp forms,
    // thirty times, for an eighth less.
    encode(image, &png, "png", "image/png", "ZLEVEL=3")
}

/// Encodes a picture as a file of some format in a `data:` URI.
fn encode(
    image: &Dataset,
    driver: &Driver,
    extension: &str,
    media_type: &str,
    option: &str,
) -> gdal::errors::Result<String> {
    let name = name_in_memory(extension);
    image.create_copy(driver, &name, &RasterCreationOptions::from_iter([option]))?.close()?;
    let bytes = vsi::get_vsi_mem_file_bytes_owned(&name)?;
    // GDAL writes whatever such a file cannot hold beside it.
    let _ = vsi::unlink_mem_file(format!("{name}.aux.xml"));
    gdal_log::take();
    Ok(format!("data:{media_type};base64,{}", STANDARD.encode(bytes)))
}

/// Returns the error for a map that cannot be drawn.
pub fn failed(error: gdal::errors::GdalError) -> Error {
    let said = gdal_log::why(error);
    Error::run(format!("cannot draw the maps: {said}"))
}
