//! Polygons around the water of a map that is deeper than given depths. The map is read in bands,
//! so only the outlines are in memory.

use crate::output::colour::NODATA;
use crate::output::format::geotiff::done;
use gdal::cpl::CslStringList;
use gdal::errors::Result;
use gdal::raster::Buffer;
use gdal::vector::{Geometry, LayerAccess, LayerOptions};
use gdal::{Dataset, DriverManager, Metadata};
use gdal_sys::OGRwkbGeometryType::{wkbMultiPolygon, wkbPolygon};
use std::path::Path;
use std::ptr::null_mut;

/// Rows of a band, equal to the tiles of our own files.
const ROWS: usize = 512;

/// Area of the water of a map that is deeper than a depth.
pub struct Flooded {
    /// Outline along the sides of cells, in the CRS of the map: one polygon for each group of cells
    /// that are connected across their sides.
    pub outline: Geometry,
    /// Number of cells.
    pub cells: u64,
    /// Sum of their depths (m).
    pub depths: f64,
}

/// Returns the area of a map that is deeper than each depth, as rounded in the map (m). Masks are
/// written to the folder `scratch`.
///
/// # Errors
/// If the map cannot be read, or a mask cannot be written.
pub fn of_map(map: &Path, depths: &[f32], scratch: &Path) -> Result<Vec<Flooded>> {
    let map = Dataset::open(map)?;
    let (columns, rows) = map.raster_size();
    let options = CslStringList::from_iter(
        ["INTERLEAVE=BAND", "COMPRESS=LZW", "BIGTIFF=IF_SAFER"].map(String::from),
    );
    let driver = DriverManager::get_driver_by_name("GTiff")?;
    let path = scratch.join("mask.tif");
    let mut mask = driver.create_with_band_type_with_options::<u8, _>(
        &path,
        columns,
        rows,
        depths.len(),
        &options,
    )?;
    mask.set_geo_transform(&map.geo_transform()?)?;
    let values = map.rasterband(1)?;
    let mut sums = vec![(0, 0.0); depths.len()];
    for first in (0..rows).step_by(ROWS) {
        let (corner, size) = ((0, first as isize), (columns, ROWS.min(rows - first)));
        let values = values.read_as::<f32>(corner, size, size, None)?;
        for (band, (depth, (cells, sum))) in depths.iter().zip(&mut sums).enumerate() {
            let is_deeper = |value: f32| value != NODATA && value > *depth;
            let inside = values.data().iter().map(|value| u8::from(is_deeper(*value))).collect();
            mask.rasterband(band + 1)?.write(corner, size, &mut Buffer::new(size, inside))?;
            for value in values.data().iter().filter(|value| is_deeper(**value)) {
                *cells += 1;
                *sum += f64::from(*value);
            }
        }
    }
    mask.flush_cache()?;
    let of_band = |(band, (cells, depths)): (usize, (u64, f64))| {
        Ok(Flooded { outline: outline(&mask, band + 1)?, cells, depths })
    };
    sums.into_iter().enumerate().map(of_band).collect()
}

/// Returns the outline of the cells of a band that are not 0.
fn outline(mask: &Dataset, band: usize) -> Result<Geometry> {
    // Since GDAL 3.11, the driver of rasters in memory is also that of vectors.
    let memory = DriverManager::get_driver_by_name("MEM")?;
    let memory = match memory.metadata_item("DCAP_VECTOR", "") {
        Some(_) => memory,
        None => DriverManager::get_driver_by_name("Memory")?,
    };
    let mut file = memory.create_vector_only("")?;
    let options = LayerOptions { name: "polygons", srs: None, ty: wkbPolygon, options: None };
    let mut layer = file.create_layer(options)?;
    let band = mask.rasterband(band)?;
    // SAFETY: the bands and the layer are open; there are neither options nor a progress function.
    let polygonized = unsafe {
        let band = band.c_rasterband();
        gdal_sys::GDALPolygonize(band, band, layer.c_layer(), -1, null_mut(), None, null_mut())
    };
    done(polygonized, "GDALPolygonize")?;
    let mut all = Geometry::empty(wkbMultiPolygon)?;
    for feature in layer.features() {
        if let Some(polygon) = feature.geometry() {
            all.add_geometry(polygon.clone())?;
        }
    }
    Ok(all)
}
