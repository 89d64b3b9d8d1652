//! Zarr, version 2 (zarr-specs.readthedocs.io): folders with JSON files and a file per chunk.
//! Implemented here in a page of code, because the available libraries would double this program's
//! dependencies. All metadata are also consolidated in one file, for xarray.

use super::describe::{X, Y};
use super::grid_mapping::GRID_MAPPING;
use super::{Array, Attribute, CHUNK, Stack, Values};
use crate::error::Result;
use crate::output::colour::NODATA;
use crate::output::compression::Compression;
use crate::output::folder::cannot_write;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::{Result as IoResult, Write};
use std::path::Path;

/// Deflate level; higher ones take several times as long and save a few percent.
const LEVEL: u32 = 1;

/// Writes a series to a folder.
pub fn write(stack: &Stack, arrays: &[Array], path: &Path) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let failed = cannot_write::<std::io::Error>(name);
    let mut all = Map::new();
    all.insert(".zgroup".into(), json!({ "zarr_format": 2 }));
    all.insert(".zattrs".into(), attributes(&stack.about()));
    for array in arrays {
        let folder = path.join(array.name);
        fs::create_dir_all(&folder).map_err(&failed)?;
        all.insert(format!("{}/.zarray", array.name), layout(stack, array));
        all.insert(format!("{}/.zattrs", array.name), said(stack, array));
        match &array.values {
            Values::Nothing => fs::write(folder.join("0"), 0i64.to_le_bytes()).map_err(&failed)?,
            Values::Numbers(numbers) => {
                let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
                fs::write(folder.join("0"), bytes).map_err(&failed)?;
            }
            Values::Maps(maps) => {
                let (compression, folder) = (stack.compression, &folder);
                let size = (stack.size(Y).1, stack.size(X));
                for (time, map) in maps.iter().enumerate() {
                    stack.bands(map, |first, values| {
                        let row = first / CHUNK;
                        let write = |column: usize, chunk: &[f32]| {
                            let packed = pack(chunk, compression)?;
                            fs::write(folder.join(format!("{time}.{row}.{column}")), packed)
                        };
                        chunks(size, values, write).map_err(&failed)
                    })?;
                }
            }
        }
    }
    for (name, value) in &all {
        fs::write(path.join(name), value.to_string()).map_err(&failed)?;
    }
    let consolidated = json!({ "zarr_consolidated_format": 1, "metadata": all });
    fs::write(path.join(".zmetadata"), consolidated.to_string()).map_err(&failed)
}

/// Returns the content of `.zarray`.
fn layout(stack: &Stack, array: &Array) -> Value {
    let sizes = array.dimensions.iter().map(|dimension| stack.size(dimension));
    let (shape, mut chunks): (Vec<usize>, Vec<usize>) = sizes.unzip();
    let (kind, nothing, mut packing) = match &array.values {
        Values::Nothing => ("<i8", Value::Null, Value::Null),
        Values::Numbers(_) => {
            // All values in a single chunk.
            chunks.clone_from(&shape);
            ("<f8", Value::Null, Value::Null)
        }
        Values::Maps(_) => ("<f4", json!(NODATA), json!({ "id": "zlib", "level": LEVEL })),
    };
    if stack.compression == Compression::None {
        packing = Value::Null;
    }
    json!({
        "zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": kind, "compressor": packing,
        "fill_value": nothing, "order": "C", "filters": null, "dimension_separator": ".",
    })
}

/// Returns the content of `.zattrs` of an array.
fn said(stack: &Stack, array: &Array) -> Value {
    let mut said = attributes(&array.attributes);
    said["_ARRAY_DIMENSIONS"] = json!(array.dimensions);
    // GDAL has its own convention for the CRS.
    if let Some(crs) = stack.grid.crs.as_ref().filter(|_| array.dimensions.ends_with(&[Y, X])) {
        said["_CRS"] = json!({ "wkt": crs });
    } else if array.name == GRID_MAPPING {
        said["_ARRAY_DIMENSIONS"] = json!([]);
    }
    said
}

fn attributes(attributes: &[(&'static str, Attribute)]) -> Value {
    let value = |attribute: &Attribute| match attribute {
        Attribute::Text(text) => json!(text),
        Attribute::Numbers(numbers) if numbers.len() == 1 => json!(numbers[0]),
        Attribute::Numbers(numbers) => json!(numbers),
    };
    attributes.iter().map(|(name, attribute)| ((*name).to_string(), value(attribute))).collect()
}

/// Splits a row of chunks in parallel and calls `write` with each chunk's column and values, padded
/// to equal size. Chunks without a value are skipped.
fn chunks(
    (height, (columns, width)): (usize, (usize, usize)),
    values: &[f32],
    write: impl Fn(usize, &[f32]) -> IoResult<()> + Sync,
) -> IoResult<()> {
    (0..columns.div_ceil(CHUNK)).into_par_iter().try_for_each(|column| {
        let mut chunk = vec![NODATA; height * width];
        for (to, line) in chunk.chunks_mut(width).zip(values.chunks(columns)) {
            let line = &line[column * width..columns.min((column + 1) * width)];
            to[..line.len()].copy_from_slice(line);
        }
        if chunk.iter().all(|&value| value == NODATA) {
            return Ok(());
        }
        write(column, &chunk)
    })
}

fn pack(values: &[f32], compression: Compression) -> IoResult<Vec<u8>> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    if compression == Compression::None {
        return Ok(bytes);
    }
    let mut packed = ZlibEncoder::new(Vec::new(), flate2::Compression::new(LEVEL));
    packed.write_all(&bytes)?;
    packed.finish()
}
