//! Maps over runs on the same grid, computed in windows so that the rasters are never all in
//! memory.

use super::annual::Event;
use super::maps::Aggregate;
use crate::engine::clock::Clock;
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::gdal_access::gdal_log;
use crate::output::colour::{NODATA, Scales};
use crate::output::folder::cannot_write;
use crate::output::format::{Labels, Sheet, USUAL};
use crate::output::layers::DepthRounding;
use crate::output::own_files::VERSION_ITEM;
use gdal::Dataset;
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Columns of a window, and its rows unless there are very many runs; matches the tiles of our own
/// files.
const WINDOW: usize = 512;
/// Cells of all runs in memory at a time, at most.
const MOST_CELLS: usize = 1 << 26;

/// A layer of a run.
#[derive(Clone, Debug)]
pub struct Member {
    /// Name of the run, for messages.
    pub name: String,
    /// Path of the layer's raster.
    pub path: PathBuf,
    /// Weight of the run.
    pub weight: f64,
    /// Resolution of its depths.
    pub rounding: DepthRounding,
    /// Its part in annual statistics; the members are in ascending order of return periods.
    pub event: Option<Event>,
}

/// Extent of flooding in a layer of depths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extent {
    /// Greatest depth of any cell (m).
    pub max_depth: f32,
    /// Number of wet cells.
    pub wet: u64,
    /// Number of cells deeper than each of the requested depths.
    pub above: Vec<u64>,
}

impl Extent {
    /// Adds values to the extent above `depths`, as rounded in the map (m).
    fn add(&mut self, values: &[f32], depths: &[f32]) {
        self.above.resize(depths.len(), 0);
        for &value in values.iter().filter(|value| **value != NODATA) {
            self.max_depth = self.max_depth.max(value);
            self.wet += u64::from(value > 0.0);
            for (count, depth) in self.above.iter_mut().zip(depths) {
                *count += u64::from(value > *depth);
            }
        }
    }
}

/// Common properties of the maps over runs.
#[derive(Clone, Copy)]
pub struct Common<'a> {
    /// Grid of the runs.
    pub grid: &'a Grid,
    /// A clock with the units of the runs.
    pub clock: &'a Clock,
    /// Folder of the maps.
    pub folder: &'a Path,
    /// Note for their metadata.
    pub note: &'a str,
}

/// Computes the maps of a layer over runs on one grid and writes each as `<stem>.tif`. A cell's
/// statistics use the runs that have a value there. Returns the extent of each run above `depths`,
/// and updates the colour scales with the runs' values.
pub fn aggregate(
    members: &[Member],
    sheet: &Common,
    maps: &[Aggregate],
    depths: &[f64],
    scales: &mut Scales,
) -> Result<Vec<Extent>> {
    let Common { grid, folder, .. } = *sheet;
    let failed = cannot_write::<std::io::Error>(format!("in '{}'", folder.display()));
    gdal_log::install();
    let mut extents = vec![Extent::default(); members.len()];
    // Maps as raw temporary files, written window by window; GeoTIFFs must be written in row order.
    let mut raw = Vec::new();
    for _ in maps {
        raw.push(tempfile::tempfile_in(folder).map_err(&failed)?);
    }
    let columns = WINDOW.min(grid.columns);
    let rows = (MOST_CELLS / (columns * members.len().max(1))).clamp(1, WINDOW).min(grid.rows);
    for first_row in (0..grid.rows).step_by(rows) {
        for first_column in (0..grid.columns).step_by(columns) {
            let size = (columns.min(grid.columns - first_column), rows.min(grid.rows - first_row));
            let read = |member: &Member| read(member, grid, (first_column, first_row), size);
            let values: Vec<Vec<f32>> = members.par_iter().map(read).collect::<Result<_>>()?;
            extents.par_iter_mut().zip(members.par_iter().zip(&values)).for_each(
                |(extent, (member, values))| {
                    extent.add(values, &member.rounding.thresholds(depths));
                },
            );
            if let Some(map) = maps.first() {
                values.iter().for_each(|values| scales.add(map.layer.scale, values));
            }
            let lines: Vec<Vec<f32>> = (0..size.1)
                .into_par_iter()
                .map(|row| line(members, maps, &values, row * size.0, size.0))
                .collect();
            for (row, line) in lines.iter().enumerate() {
                for (map, part) in line.chunks(size.0).enumerate() {
                    let cell = (first_row + row) * grid.columns + first_column;
                    let bytes: Vec<u8> =
                        part.iter().flat_map(|value| value.to_le_bytes()).collect();
                    raw[map].seek(SeekFrom::Start(4 * cell as u64)).map_err(&failed)?;
                    raw[map].write_all(&bytes).map_err(&failed)?;
                }
            }
        }
    }
    for (map, raw) in maps.iter().zip(raw) {
        write(map, raw, sheet)?;
    }
    Ok(extents)
}

/// Reads a window (first column and row, columns and rows) of a run's layer.
fn read(
    member: &Member,
    grid: &Grid,
    first: (usize, usize),
    size: (usize, usize),
) -> Result<Vec<f32>> {
    let broken = |why: String| {
        let why = gdal_log::why(why);
        Error::run(format!(
            "run '{}': '{}' cannot be read: {why}",
            member.name,
            member.path.display()
        ))
        .hint("remove that file and run the study again: only this run is repeated")
    };
    let file = Dataset::open(&member.path).map_err(|error| broken(error.to_string()))?;
    if file.raster_size() != (grid.columns, grid.rows) {
        let (columns, rows) = file.raster_size();
        return Err(broken(format!(
            "it has {columns} × {rows} cells, but its run.json says {} × {}",
            grid.columns, grid.rows
        )));
    }
    let mut values = vec![NODATA; size.0 * size.1];
    let corner = (first.0 as isize, first.1 as isize);
    file.rasterband(1)
        .and_then(|band| band.read_into_slice(corner, size, size, &mut values, None))
        .map_err(|error| broken(error.to_string()))?;
    Ok(values)
}

/// Computes a row of every map, concatenated.
fn line(
    members: &[Member],
    maps: &[Aggregate],
    values: &[Vec<f32>],
    first: usize,
    columns: usize,
) -> Vec<f32> {
    let sort = maps.iter().any(Aggregate::needs_order);
    let rounding = coarsest(members.iter().map(|member| member.rounding));
    let mut line = vec![NODATA; maps.len() * columns];
    let mut depths: Vec<(f32, f64)> = Vec::with_capacity(members.len());
    let mut events: Vec<Event> = Vec::with_capacity(members.len());
    for column in 0..columns {
        depths.clear();
        events.clear();
        for (member, values) in members.iter().zip(values) {
            let value = values[first + column];
            if value != NODATA {
                depths.push((value, member.weight));
                events.extend(member.event);
            }
        }
        if depths.is_empty() {
            continue;
        }
        if sort {
            depths.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        }
        for (number, map) in maps.iter().enumerate() {
            line[number * columns + column] = map.of(&depths, &events, rounding);
        }
    }
    line
}

/// Returns the resolution of the depths in maps over runs.
///
/// # Panics
/// If there are no runs.
pub fn coarsest(all: impl Iterator<Item = DepthRounding>) -> DepthRounding {
    all.reduce(DepthRounding::coarser).expect("there is a run")
}

fn write(map: &Aggregate, mut raw: File, sheet: &Common) -> Result<()> {
    let Common { grid, clock, folder, note } = *sheet;
    let lost = |error: std::io::Error| Error::run("cannot read back a map").because(error);
    raw.seek(SeekFrom::Start(0)).map_err(lost)?;
    let mut raw = BufReader::new(raw);
    let mut bytes = vec![0; 4 * grid.columns];
    let description = map.description(clock);
    let metadata = [
        (VERSION_ITEM, env!("CARGO_PKG_VERSION").to_string()),
        ("INUNDATE_RUNS", note.to_string()),
    ];
    let downsampling = map.downsampling();
    let unit = map.unit(clock);
    let labels = Labels { downsampling, metadata: &metadata, ..Labels::of(&description, unit) };
    let path = folder.join(USUAL.file(&map.stem()));
    USUAL.write_rows(Sheet::new(&path, grid, &labels), |_, values| {
        raw.read_exact(&mut bytes).map_err(lost)?;
        for (value, four) in values.iter_mut().zip(bytes.chunks_exact(4)) {
            *value = f32::from_le_bytes(four.try_into().expect("four bytes"));
        }
        Ok(())
    })?;
    Ok(())
}
