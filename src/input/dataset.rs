//! GDAL's datasets: opened for their features, and the files that they are made of.

use gdal::{Dataset, DatasetOptions, GdalOpenFlags};
use std::path::{Path, PathBuf};

/// Opens a file for the features in it.
pub fn vectors(path: &Path) -> gdal::errors::Result<Dataset> {
    let flags = GdalOpenFlags::GDAL_OF_VECTOR | GdalOpenFlags::GDAL_OF_VERBOSE_ERROR;
    Dataset::open_ex(path, DatasetOptions { open_flags: flags, ..DatasetOptions::default() })
}

/// The files that GDAL reads for a dataset: a Shapefile is made of several.
pub fn files(dataset: &Dataset, path: &Path) -> Vec<PathBuf> {
    // SAFETY: the dataset is open; the list is ours, and freed after it is copied.
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
