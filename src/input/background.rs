//! Background image, such as an aerial photograph: checked when the input is read, and warped to
//! the DEM's extent when the page is drawn.

use super::file::InputFile;
use super::notice::Notices;
use super::raster::RasterFile;
use super::raster::place::{Alignment, moved};
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::gdal_access::dataset::in_memory;
use crate::input::gdal_access::gdal_log;
use crate::input::vector::point_position::misses;
use gdal::raster::{Buffer, GdalDataType, ResampleAlg, reproject};
use std::path::Path;

/// Role in messages.
const ROLE: &str = "background";
/// Number of channels: red, green, blue and opacity.
const PARTS: usize = 4;

/// Checks that a background can be read and overlaps the grid. It does not affect results, so no
/// checksum of its contents, which may be large, is taken.
pub fn check(path: &Path, grid: &Grid) -> Result<Notices> {
    let file = RasterFile::open_bands(path, ROLE)?;
    let shown = path.display();
    let Some(own) = file.transform() else {
        let how = file.declare("-a_ullr WEST NORTH EAST SOUTH");
        return Err(file.wrong("has no georeference").hint(format!("georeference it: {how}")));
    };
    let overlaps = Alignment::new(&file, &own, grid).overlaps();
    gdal_log::take();
    if !overlaps {
        return Err(misses(&file, grid, ""));
    }
    // The file may be truncated, or compressed with a codec that this GDAL lacks.
    let whole = (file.columns, file.rows);
    let look =
        |band: usize| file.dataset.rasterband(band)?.read_as::<f32>((0, 0), whole, (1, 1), None);
    look(1).map_err(|error| {
        let said = gdal_log::why(error);
        file.wrong(format_args!("cannot be read: {said}"))
            .hint(format!("convert it to a plain GeoTIFF: gdal_translate '{shown}' {ROLE}.tif"))
    })?;
    let mut notices = Notices::default();
    notices.warn_all(super::raster::layer::without_crs(&file, grid)?);
    let path = path.to_string_lossy().into_owned();
    notices.inputs.push(InputFile {
        role: ROLE.into(),
        path,
        companions: Vec::new(),
        sha256: None,
    });
    Ok(notices)
}

/// Reads the part of a background that covers a grid, as `size` (columns, rows) pixels of red,
/// green, blue and opacity; transparent where the background has no data.
///
/// # Errors
/// If the file can no longer be read.
pub fn read(path: &Path, grid: &Grid, size: (usize, usize)) -> Result<Vec<[u8; 4]>> {
    let file = RasterFile::open_bands(path, ROLE)?;
    draw(&file, grid, size).map_err(|error| {
        let said = gdal_log::why(error);
        Error::run(format!("{ROLE}: cannot draw '{}': {said}", path.display()))
    })
}

fn draw(
    file: &RasterFile,
    grid: &Grid,
    size: (usize, usize),
) -> gdal::errors::Result<Vec<[u8; 4]>> {
    let nothing = vec![[0; PARTS]; size.0 * size.1];
    let Some(own) = file.transform() else { return Ok(nothing) };
    let coarser = (grid.columns as f64 / size.0 as f64, grid.rows as f64 / size.1 as f64);
    let [west, dx, a, north, b, dy] = grid.transform;
    let transform = [west, dx * coarser.0, a * coarser.1, north, b * coarser.0, dy * coarser.1];
    let picture = Grid { columns: size.0, rows: size.1, transform, ..grid.clone() };
    let Some((corner, part)) = Alignment::new(file, &own, &picture).window(0, size.1) else {
        return Ok(nothing);
    };
    // Read from overviews, at no higher resolution than needed: a photograph can have a thousand
    // times as many pixels as the page.
    let few = (part.0.min(2 * size.0), part.1.min(2 * size.1));
    let parts = parts(file, corner, part, few)?;
    let mut own = moved(&own, corner.0, corner.1);
    let finer = (part.0 as f64 / few.0 as f64, part.1 as f64 / few.1 as f64);
    [1, 4].iter().for_each(|&at| own[at] *= finer.0);
    [2, 5].iter().for_each(|&at| own[at] *= finer.1);
    let crs = grid.crs.clone().or_else(|| file.crs()).unwrap_or_default();
    let from = in_memory::<u8>(few, PARTS, &own, &file.crs().unwrap_or_else(|| crs.clone()))?;
    for (number, part) in parts.into_iter().enumerate() {
        from.rasterband(number + 1)?.write((0, 0), few, &mut Buffer::new(few, part))?;
    }
    let to = in_memory::<u8>(size, PARTS, &picture.transform, &crs)?;
    reproject(&from, &to)?;
    let mut pixels = nothing;
    for part in 0..PARTS {
        let values = to.rasterband(part + 1)?.read_band_as::<u8>()?;
        pixels.iter_mut().zip(values.data()).for_each(|(pixel, value)| pixel[part] = *value);
    }
    // Bilinear resampling blends edge pixels with missing data, so only fully opaque pixels are
    // kept.
    pixels.iter_mut().for_each(|pixel| pixel[3] = if pixel[3] == 255 { 255 } else { 0 });
    Ok(pixels)
}

/// Reads red, green, blue and mask of a window, resampled to a smaller size.
fn parts(
    file: &RasterFile,
    corner: (usize, usize),
    part: (usize, usize),
    few: (usize, usize),
) -> gdal::errors::Result<[Vec<u8>; PARTS]> {
    let corner = (corner.0 as isize, corner.1 as isize);
    let first = file.dataset.rasterband(1)?;
    let mask = first.open_mask_band()?;
    let mask = mask.read_as::<u8>(corner, part, few, None)?.data().to_vec();
    let colours = if let Some(table) = first.color_table() {
        let numbers = first.read_as::<u16>(corner, part, few, None)?;
        let entry = |number: &u16| match table.entry_as_rgb(usize::from(*number)) {
            Some(entry) => [entry.r, entry.g, entry.b].map(|part| part.clamp(0, 255) as u8),
            None => [0; 3],
        };
        let entries: Vec<[u8; 3]> = numbers.data().iter().map(entry).collect();
        [0, 1, 2].map(|part| entries.iter().map(|entry| entry[part]).collect())
    } else {
        // A file with fewer than three bands is grey.
        let of = |colour: usize| if file.bands() < 3 { 1 } else { colour + 1 };
        let read = |colour: usize| -> gdal::errors::Result<Vec<u8>> {
            let band = file.dataset.rasterband(of(colour))?;
            let values = band.read_as::<f32>(corner, part, few, Some(ResampleAlg::Average))?;
            Ok(bytes(values.data(), &mask, band.band_type() == GdalDataType::UInt8))
        };
        [read(0)?, read(1)?, read(2)?]
    };
    let [red, green, blue] = colours;
    Ok([red, green, blue, mask.iter().map(|seen| if *seen > 0 { 255 } else { 0 }).collect()])
}

/// Converts values to bytes. Types other than bytes are stretched between the lowest and the
/// highest visible value.
fn bytes(values: &[f32], mask: &[u8], are_bytes: bool) -> Vec<u8> {
    let (mut low, mut high) = (0.0, 255.0);
    if !are_bytes {
        let seen = values.iter().zip(mask).filter(|(value, seen)| **seen > 0 && value.is_finite());
        (low, high) = seen.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), (&value, _)| {
            (low.min(value), high.max(value))
        });
    }
    let byte = |value: &f32| (255.0 * (value - low) / (high - low).max(1e-9)).round() as u8;
    values.iter().map(byte).collect()
}
