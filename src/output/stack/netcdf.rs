//! NetCDF-4, by GDAL's driver for arrays of many dimensions.

use super::{Array, Attribute, Stack, Values};
use crate::error::{Error, Result};
use crate::input::gdal_log;
use crate::output::colour::NODATA;
use crate::output::compression::Compression;
use gdal::DriverManager;
use gdal::cpl::CslStringList;
use gdal_sys::{GDALAttributeH, GDALDimensionH, GDALExtendedDataTypeH, GDALGroupH, GDALMDArrayH};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

/// What GDAL calls it.
const DRIVER: &str = "netCDF";

/// Whether the GDAL at hand writes it.
pub fn is_there() -> bool {
    DriverManager::get_driver_by_name(DRIVER).is_ok()
}

/// Writes a series into a file.
pub fn write(stack: &Stack, arrays: &[Array], path: &Path) -> Result<()> {
    let failed = |()| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let said = gdal_log::take_any().unwrap_or_else(|| "GDAL does not say why".into());
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
            .map(|(_, dimension)| dimension.0)
            .collect();
        let written = Written::create(&file, stack, array, dimensions).map_err(failed)?;
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
    file.close().map_err(failed)?;
    match gdal_log::take_any() {
        None => Ok(()),
        Some(said) => Err(Error::run(format!("cannot write the series: {said}"))),
    }
}

/// What GDAL says went wrong is in its log.
type Done<T> = std::result::Result<T, ()>;

fn c(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).expect("it has no zero")
}

fn done(yes: c_int) -> Done<()> {
    if yes == 0 { Err(()) } else { Ok(()) }
}

/// A file with its root group.
struct File {
    dataset: gdal_sys::GDALDatasetH,
    root: GDALGroupH,
}

/// What an attribute is of.
enum Of<'a> {
    File,
    Array(&'a Written),
}

struct Dimension(GDALDimensionH);

/// An array in the file, and the type of its numbers.
struct Written {
    array: GDALMDArrayH,
    kind: Kind,
}

/// A type of numbers, or of text.
struct Kind(GDALExtendedDataTypeH);

impl File {
    fn create(path: &Path) -> Done<File> {
        let driver = DriverManager::get_driver_by_name(DRIVER).map_err(|_| ())?;
        let mut options = CslStringList::new();
        options.set_name_value("FORMAT", "NC4").map_err(|_| ())?;
        let name = c(&path.to_string_lossy());
        // SAFETY: the driver, the name and the options live until the call is over; the results are looked at.
        let (dataset, root) = unsafe {
            let none = ptr::null_mut();
            let dataset = gdal_sys::GDALCreateMultiDimensional(
                driver.c_driver(),
                name.as_ptr(),
                none,
                options.as_ptr(),
            );
            if dataset.is_null() {
                return Err(());
            }
            (dataset, gdal_sys::GDALDatasetGetRootGroup(dataset))
        };
        let file = File { dataset, root };
        if root.is_null() { Err(()) } else { Ok(file) }
    }

    fn dimension(&self, name: &str, size: usize) -> Done<Dimension> {
        let (name, none) = (c(name), ptr::null::<c_char>());
        // SAFETY: the group is open, and the name ends in a zero.
        let made = unsafe {
            gdal_sys::GDALGroupCreateDimension(
                self.root,
                name.as_ptr(),
                none,
                none,
                size as u64,
                ptr::null_mut(),
            )
        };
        if made.is_null() { Err(()) } else { Ok(Dimension(made)) }
    }

    /// Says something of the file or of an array.
    fn describe(&self, of: Of, name: &str, attribute: &Attribute) -> Done<()> {
        let name = c(name);
        let (kind, count) = match attribute {
            Attribute::Text(_) => (Kind::text(), 0),
            Attribute::Numbers(numbers) => (Kind::of::<f64>(), numbers.len()),
        };
        // A single number or text has no dimension.
        let (dimensions, size) = (usize::from(count > 1), count as u64);
        // SAFETY: group, array, name and type live until the call is over.
        let made: GDALAttributeH = unsafe {
            match of {
                Of::File => gdal_sys::GDALGroupCreateAttribute(
                    self.root,
                    name.as_ptr(),
                    dimensions,
                    &raw const size,
                    kind.0,
                    ptr::null_mut(),
                ),
                Of::Array(written) => gdal_sys::GDALMDArrayCreateAttribute(
                    written.array,
                    name.as_ptr(),
                    dimensions,
                    &raw const size,
                    kind.0,
                    ptr::null_mut(),
                ),
            }
        };
        if made.is_null() {
            return Err(());
        }
        // SAFETY: the attribute was made just now for such values, and is released once.
        unsafe {
            let yes = match attribute {
                Attribute::Text(text) => gdal_sys::GDALAttributeWriteString(made, c(text).as_ptr()),
                Attribute::Numbers(numbers) => {
                    gdal_sys::GDALAttributeWriteDoubleArray(made, numbers.as_ptr(), numbers.len())
                }
            };
            gdal_sys::GDALAttributeRelease(made);
            done(yes)
        }
    }

    /// Closes it: some errors show only now.
    fn close(self) -> Done<()> {
        drop(self);
        Ok(())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: both were opened with it, and are released once.
        unsafe {
            if !self.root.is_null() {
                gdal_sys::GDALGroupRelease(self.root);
            }
            gdal_sys::GDALClose(self.dataset);
        }
    }
}

impl Drop for Dimension {
    fn drop(&mut self) {
        // SAFETY: it is released once.
        unsafe { gdal_sys::GDALDimensionRelease(self.0) }
    }
}

/// A number that GDAL knows.
trait Number {
    const TYPE: gdal_sys::GDALDataType::Type;
}

impl Number for f32 {
    const TYPE: gdal_sys::GDALDataType::Type = gdal_sys::GDALDataType::GDT_Float32;
}

impl Number for f64 {
    const TYPE: gdal_sys::GDALDataType::Type = gdal_sys::GDALDataType::GDT_Float64;
}

impl Kind {
    fn of<T: Number>() -> Kind {
        // SAFETY: it is released when dropped.
        Kind(unsafe { gdal_sys::GDALExtendedDataTypeCreate(T::TYPE) })
    }

    fn text() -> Kind {
        // SAFETY: as above.
        Kind(unsafe { gdal_sys::GDALExtendedDataTypeCreateString(0) })
    }
}

impl Drop for Kind {
    fn drop(&mut self) {
        // SAFETY: it is released once.
        unsafe { gdal_sys::GDALExtendedDataTypeRelease(self.0) }
    }
}

impl Written {
    fn create(
        file: &File,
        stack: &Stack,
        array: &Array,
        mut dimensions: Vec<GDALDimensionH>,
    ) -> Done<Written> {
        let mut options = CslStringList::new();
        let is_of_maps = matches!(array.values, Values::Maps(_));
        let kind = if is_of_maps { Kind::of::<f32>() } else { Kind::of::<f64>() };
        if is_of_maps {
            let sizes = array.dimensions.iter().map(|name| stack.size(name).1.to_string());
            let block = sizes.collect::<Vec<_>>().join(",");
            options.set_name_value("BLOCKSIZE", &block).map_err(|_| ())?;
            if stack.compression != Compression::None {
                options.set_name_value("COMPRESS", "DEFLATE").map_err(|_| ())?;
                options.set_name_value("ZLEVEL", "1").map_err(|_| ())?;
            }
        }
        // SAFETY: the group is open; name, dimensions, type and options live until the call is over.
        let made = unsafe {
            gdal_sys::GDALGroupCreateMDArray(
                file.root,
                c(array.name).as_ptr(),
                dimensions.len(),
                dimensions.as_mut_ptr(),
                kind.0,
                options.as_ptr(),
            )
        };
        if made.is_null() {
            return Err(());
        }
        let written = Written { array: made, kind };
        if is_of_maps {
            // SAFETY: the array is open.
            done(unsafe {
                gdal_sys::GDALMDArraySetNoDataValueAsDouble(written.array, f64::from(NODATA))
            })?;
        }
        Ok(written)
    }

    /// Writes values from a place on, so many along each dimension.
    fn write<T: Number>(&self, from: &[u64], count: &[usize], values: &[T]) -> Done<()> {
        assert_eq!(count.iter().product::<usize>(), values.len());
        let start = values.as_ptr().cast::<c_void>();
        // SAFETY: there are as many places and counts as dimensions, and as many values of the array's type as are counted.
        done(unsafe {
            gdal_sys::GDALMDArrayWrite(
                self.array,
                from.as_ptr(),
                count.as_ptr(),
                ptr::null(),
                ptr::null(),
                self.kind.0,
                start,
                start,
                size_of_val(values),
            )
        })
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        // SAFETY: it is released once.
        unsafe { gdal_sys::GDALMDArrayRelease(self.array) }
    }
}
