//! GDAL datasets: opening them for their features, and listing the files that they consist of.

use gdal::raster::GdalType;
use gdal::{Dataset, DatasetOptions, DriverManager, GdalOpenFlags};
use std::path::{Path, PathBuf};

/// Opens a file as a vector dataset.
pub fn vectors(path: &Path) -> gdal::errors::Result<Dataset> {
    let flags = GdalOpenFlags::GDAL_OF_VECTOR | GdalOpenFlags::GDAL_OF_VERBOSE_ERROR;
    Dataset::open_ex(path, DatasetOptions { open_flags: flags, ..DatasetOptions::default() })
}

/// Creates a raster in memory; `crs` may be empty.
pub fn in_memory<T: GdalType + Copy>(
    size: (usize, usize),
    bands: usize,
    transform: &[f64; 6],
    crs: &str,
) -> gdal::errors::Result<Dataset> {
    let driver = DriverManager::get_driver_by_name("MEM")?;
    let mut dataset = driver.create_with_band_type::<T, _>("", size.0, size.1, bands)?;
    dataset.set_geo_transform(transform)?;
    if !crs.is_empty() {
        dataset.set_projection(crs)?;
    }
    Ok(dataset)
}

/// Lists the files that GDAL reads for a dataset; a Shapefile consists of several.
pub fn files(dataset: &Dataset, path: &Path) -> Vec<PathBuf> {
    // SAFETY: `dataset` is borrowed, so its handle is open. GDAL returns a null-terminated list (or
    // null, whose count is 0) that we own; its strings are copied before it is freed, once.
    let mut files: Vec<PathBuf> = unsafe {
        let list = gdal_sys::GDALGetFileList(dataset.c_dataset());
        let count = gdal_sys::CSLCount(list) as usize;
        let name = |at: usize| std::ffi::CStr::from_ptr(*list.add(at)).to_string_lossy();
        let names = (0..count).map(|at| PathBuf::from(name(at).into_owned())).collect();
        gdal_sys::CSLDestroy(list);
        names
    };
    if !files.iter().any(|file| file == path) {
        files.insert(0, path.to_path_buf());
    }
    files
}
