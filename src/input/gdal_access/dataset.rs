//! GDAL datasets: opening them for their features, and listing the files that they consist of.

use gdal::raster::GdalType;
use gdal::{Dataset, DatasetOptions, DriverManager, GdalOpenFlags};
use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};

/// Opens a file as a vector dataset.
pub fn vectors(path: &Path) -> gdal::errors::Result<Dataset> {
    let flags = GdalOpenFlags::GDAL_OF_VECTOR | GdalOpenFlags::GDAL_OF_VERBOSE_ERROR;
    Dataset::open_ex(path, DatasetOptions { open_flags: flags, ..DatasetOptions::default() })
}

/// Returns `true` if a driver of vector formats recognizes a file.
pub fn has_vector_driver(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_encoded_bytes()) else { return false };
    let (none, flags) = (std::ptr::null(), GdalOpenFlags::GDAL_OF_VECTOR.bits());
    // SAFETY: `path` is null-terminated and outlives the call; null lists allow every driver and
    // list no files. The returned driver is GDAL's own.
    unsafe { !gdal_sys::GDALIdentifyDriverEx(path.as_ptr(), flags, none, none).is_null() }
}

/// Opens a NetCDF file as a multidimensional raster.
pub fn multidimensional(path: &Path) -> gdal::errors::Result<Dataset> {
    netcdf(path, GdalOpenFlags::GDAL_OF_MULTIDIM_RASTER)
}

/// Opens a file with GDAL's driver of NetCDF, also one with the extension of HDF5.
pub fn netcdf(path: &Path, open_flags: GdalOpenFlags) -> gdal::errors::Result<Dataset> {
    let allowed_drivers = Some(&["netCDF"][..]);
    let options = DatasetOptions { open_flags, allowed_drivers, ..DatasetOptions::default() };
    Dataset::open_ex(format!("NETCDF:\"{}\"", path.display()), options)
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
    // SAFETY: `dataset` is borrowed, so its handle is open. GDAL returns a list that we own.
    let names = unsafe { texts(gdal_sys::GDALGetFileList(dataset.c_dataset())) };
    let mut files: Vec<PathBuf> = names.into_iter().map(PathBuf::from).collect();
    if !files.iter().any(|file| file == path) {
        files.insert(0, path.to_path_buf());
    }
    files
}

/// Returns the first lines, at most `count`, of a text file that GDAL can read, also in an archive;
/// none if it cannot.
pub fn lines(path: &Path, count: i32) -> Vec<String> {
    let Ok(path) = CString::new(path.as_os_str().as_encoded_bytes()) else { return Vec::new() };
    // SAFETY: `path` is null-terminated and outlives the call; lines of any length and no options
    // are allowed. GDAL returns a list that we own.
    unsafe { texts(gdal_sys::CSLLoad2(path.as_ptr(), count, -1, std::ptr::null_mut())) }
}

/// Copies and frees a list of GDAL's texts.
///
/// # Safety
/// `list` must be null, or a null-terminated list of texts that the caller owns.
unsafe fn texts(list: *mut *mut c_char) -> Vec<String> {
    // SAFETY: GDAL counts the texts of the list, 0 of null; they are copied before it is freed.
    unsafe {
        let text = |at: usize| CStr::from_ptr(*list.add(at)).to_string_lossy().into_owned();
        let texts = (0..gdal_sys::CSLCount(list) as usize).map(text).collect();
        gdal_sys::CSLDestroy(list);
        texts
    }
}
