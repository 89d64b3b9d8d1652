//! Writes NetCDF-4 with GDAL's multidimensional driver.

use super::{Array, Attribute, Stack, Values};
use crate::error::{Error, Result};
use crate::input::gdal_access::gdal_log;
use crate::output::colour::NODATA;
use crate::output::compression::Compression;
use gdal::DriverManager;
use gdal::cpl::CslStringList;
use gdal::raster::GdalType;
use gdal_sys::{
    GDALDimensionH, GDALDimensionHS, GDALExtendedDataTypeHS, GDALGroupHS, GDALMDArrayHS,
};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

/// Name of GDAL's driver.
const DRIVER: &str = "netCDF";

/// Returns `true` if the installed GDAL has the driver.
pub fn is_there() -> bool {
    DriverManager::get_driver_by_name(DRIVER).is_ok()
}

/// Writes a series to a file.
pub fn write(stack: &Stack, arrays: &[Array], path: &Path) -> Result<()> {
    let failed = |()| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let said = gdal_log::take_any().unwrap_or_else(|| "GDAL gives no reason".into());
        Error::run(format!("cannot write {name}: {said}")).hint("is the disk full?")
    };
    gdal_log::install();
    gdal_log::take();
    let file = File::create(path).map_err(failed)?;
    for (name, attribute) in stack.about() {
        file.describe(Of::File, name, &attribute).map_err(failed)?;
    }
    let mut known: Vec<(&str, Dimension)> = Vec::new();
    let names: Vec<&str> = arrays.iter().flat_map(|array| array.dimensions).copied().collect();
    for name in names {
        if known.iter().all(|(known, _)| *known != name) {
            known.push((name, file.dimension(name, stack.size(name).0).map_err(failed)?));
        }
    }
    for array in arrays {
        let dimensions: Vec<GDALDimensionH> = array
            .dimensions
            .iter()
            .filter_map(|name| known.iter().find(|(known, _)| known == name))
            .map(|(_, dimension)| dimension.handle)
            .collect();
        let written = WrittenArray::create(&file, stack, array, dimensions).map_err(failed)?;
        for (name, attribute) in &array.attributes {
            file.describe(Of::Array(&written), name, attribute).map_err(failed)?;
        }
        match &array.values {
            Values::Nothing => {}
            Values::Numbers(numbers) => {
                written.write(&[0], &[numbers.len()], numbers).map_err(failed)?;
            }
            Values::Maps(maps) => {
                for (time, map) in maps.iter().enumerate() {
                    stack.bands(map, |first, values| {
                        let size = [1, values.len() / stack.grid.columns, stack.grid.columns];
                        let from = [time as u64, first as u64, 0];
                        written.write(&from, &size, values).map_err(failed)
                    })?;
                }
            }
        }
    }
    drop(known);
    // Some errors occur only on closing.
    drop(file);
    match gdal_log::take_any() {
        None => Ok(()),
        Some(said) => Err(Error::run(format!("cannot write the series: {said}"))),
    }
}

/// Result of a GDAL call; the reason of a failure is in GDAL's log.
type Done<T> = std::result::Result<T, ()>;

fn c(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).expect("it has no zero")
}

fn done(yes: c_int) -> Done<()> {
    if yes == 0 { Err(()) } else { Ok(()) }
}

/// A GDAL object that is released when dropped.
struct Owned<T> {
    handle: *mut T,
    release: unsafe extern "C" fn(*mut T),
}

impl<T> Owned<T> {
    /// Wraps an object that GDAL has created, unless it is null, with its release function.
    fn of(handle: *mut T, release: unsafe extern "C" fn(*mut T)) -> Done<Owned<T>> {
        if handle.is_null() { Err(()) } else { Ok(Owned { handle, release }) }
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the function is the one that releases this type of handle, and `drop` calls it
        // once.
        unsafe { (self.release)(self.handle) }
    }
}

/// A file with its root group, which must be released first.
struct File {
    root: Owned<GDALGroupHS>,
    _dataset: Owned<c_void>,
}

/// Owner of an attribute.
enum Of<'a> {
    File,
    Array(&'a WrittenArray),
}

type Dimension = Owned<GDALDimensionHS>;

/// An array in the file, with its data type.
struct WrittenArray {
    array: Owned<GDALMDArrayHS>,
    kind: Kind,
}

/// A numeric or text data type.
type Kind = Owned<GDALExtendedDataTypeHS>;

impl File {
    fn create(path: &Path) -> Done<File> {
        let driver = DriverManager::get_driver_by_name(DRIVER).map_err(|_| ())?;
        let mut options = CslStringList::new();
        options.set_name_value("FORMAT", "NC4").map_err(|_| ())?;
        let name = c(&path.to_string_lossy());
        // SAFETY: driver, name and options live until the end of the call, and the file is closed
        // only after its group is released.
        unsafe {
            let made = gdal_sys::GDALCreateMultiDimensional(
                driver.c_driver(),
                name.as_ptr(),
                ptr::null_mut(),
                options.as_ptr(),
            );
            let dataset = Owned::of(made, close)?;
            let root = gdal_sys::GDALDatasetGetRootGroup(made);
            Ok(File { root: Owned::of(root, gdal_sys::GDALGroupRelease)?, _dataset: dataset })
        }
    }

    fn dimension(&self, name: &str, size: usize) -> Done<Dimension> {
        let (name, none) = (c(name), ptr::null::<c_char>());
        // SAFETY: the group is open, and the name is null-terminated.
        let made = unsafe {
            gdal_sys::GDALGroupCreateDimension(
                self.root.handle,
                name.as_ptr(),
                none,
                none,
                size as u64,
                ptr::null_mut(),
            )
        };
        Owned::of(made, gdal_sys::GDALDimensionRelease)
    }

    /// Sets an attribute of the file or of an array.
    fn describe(&self, of: Of, name: &str, attribute: &Attribute) -> Done<()> {
        let name = c(name);
        let (kind, count) = match attribute {
            Attribute::Text(_) => (text()?, 0),
            Attribute::Numbers(numbers) => (numbers_of::<f64>()?, numbers.len()),
        };
        // A single number or text has no dimension.
        let (dimensions, size) = (usize::from(count > 1), count as u64);
        // SAFETY: group, array, name and type live until the end of the call.
        let made = unsafe {
            let (name, size, none) = (name.as_ptr(), &raw const size, ptr::null_mut());
            let kind = kind.handle;
            match of {
                Of::File => {
                    let root = self.root.handle;
                    gdal_sys::GDALGroupCreateAttribute(root, name, dimensions, size, kind, none)
                }
                Of::Array(WrittenArray { array, .. }) => {
                    let array = array.handle;
                    gdal_sys::GDALMDArrayCreateAttribute(array, name, dimensions, size, kind, none)
                }
            }
        };
        let made = Owned::of(made, gdal_sys::GDALAttributeRelease)?;
        // SAFETY: the attribute was just created for values of this type and number.
        done(unsafe {
            match attribute {
                Attribute::Text(text) => {
                    gdal_sys::GDALAttributeWriteString(made.handle, c(text).as_ptr())
                }
                Attribute::Numbers(numbers) => gdal_sys::GDALAttributeWriteDoubleArray(
                    made.handle,
                    numbers.as_ptr(),
                    numbers.len(),
                ),
            }
        })
    }
}

/// Closes a file; failures are in GDAL's log.
unsafe extern "C" fn close(dataset: gdal_sys::GDALDatasetH) {
    // SAFETY: the caller guarantees that the dataset is open.
    unsafe { gdal_sys::GDALClose(dataset) };
}

fn numbers_of<T: GdalType>() -> Done<Kind> {
    // SAFETY: the handle is owned by the value returned, which releases it when dropped.
    let made = unsafe { gdal_sys::GDALExtendedDataTypeCreate(T::gdal_ordinal()) };
    Owned::of(made, gdal_sys::GDALExtendedDataTypeRelease)
}

fn text() -> Done<Kind> {
    // SAFETY: the handle is owned by the value returned, which releases it when dropped.
    let made = unsafe { gdal_sys::GDALExtendedDataTypeCreateString(0) };
    Owned::of(made, gdal_sys::GDALExtendedDataTypeRelease)
}

impl WrittenArray {
    fn create(
        file: &File,
        stack: &Stack,
        array: &Array,
        mut dimensions: Vec<GDALDimensionH>,
    ) -> Done<WrittenArray> {
        let mut options = CslStringList::new();
        let is_of_maps = matches!(array.values, Values::Maps(_));
        let kind = if is_of_maps { numbers_of::<f32>()? } else { numbers_of::<f64>()? };
        if is_of_maps {
            let sizes = array.dimensions.iter().map(|name| stack.size(name).1.to_string());
            let block = sizes.collect::<Vec<_>>().join(",");
            options.set_name_value("BLOCKSIZE", &block).map_err(|_| ())?;
            if stack.compression != Compression::None {
                options.set_name_value("COMPRESS", "DEFLATE").map_err(|_| ())?;
                options.set_name_value("ZLEVEL", "1").map_err(|_| ())?;
            }
        }
        // SAFETY: the group is open; name, dimensions, type and options live until the end of the
        // call.
        let made = unsafe {
            gdal_sys::GDALGroupCreateMDArray(
                file.root.handle,
                c(array.name).as_ptr(),
                dimensions.len(),
                dimensions.as_mut_ptr(),
                kind.handle,
                options.as_ptr(),
            )
        };
        let written = WrittenArray { array: Owned::of(made, gdal_sys::GDALMDArrayRelease)?, kind };
        if is_of_maps {
            // SAFETY: the array is open.
            done(unsafe {
                gdal_sys::GDALMDArraySetNoDataValueAsDouble(written.array.handle, f64::from(NODATA))
            })?;
        }
        Ok(written)
    }

    /// Writes values from an index on, with a count along each dimension.
    fn write<T: GdalType>(&self, from: &[u64], count: &[usize], values: &[T]) -> Done<()> {
        assert_eq!(count.iter().product::<usize>(), values.len());
        let start = values.as_ptr().cast::<c_void>();
        // SAFETY: there is an index and a count for each dimension, and `count` values of the
        // array's type.
        done(unsafe {
            gdal_sys::GDALMDArrayWrite(
                self.array.handle,
                from.as_ptr(),
                count.as_ptr(),
                ptr::null(),
                ptr::null(),
                self.kind.handle,
                start,
                start,
                size_of_val(values),
            )
        })
    }
}
