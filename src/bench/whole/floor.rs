//! The least that a whole run can take on a machine: its bytes at the speed at which the machine reads, writes, packs and
//! unpacks them with all cores, and its steps.

use crate::error::{Error, Result};
use gdal::raster::{Buffer, RasterCreationOptions};
use gdal::{Dataset, DriverManager, vsi};
use rayon::prelude::*;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Rows that a thread packs or unpacks at a time: those of the tiles of our files.
const ROWS: usize = 512;

/// Share that overviews add to a map.
const WITH_OVERVIEWS: f64 = 4.0 / 3.0;

/// The parts of the floor (s).
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Floor {
    /// Reading the DEM's bytes.
    pub read: f64,
    /// Unpacking them.
    pub unpack: f64,
    /// The run's own steps.
    pub steps: f64,
    /// Packing the maps, with overviews.
    pub pack: f64,
    /// Writing their bytes.
    pub write: f64,
}

impl Floor {
    /// Of a run with a DEM and maps, whose steps took so long (s); `place` is for bytes that are written to try the disk.
    pub fn measure(dem: &Path, maps: &[PathBuf], steps: f64, place: &Path) -> Result<Floor> {
        let failed = |error: gdal::errors::GdalError| {
            Error::run("the machine's floor cannot be measured").because(error)
        };
        let broken = |error: std::io::Error| {
            Error::run("the machine's floor cannot be measured").because(error)
        };
        let began = Instant::now();
        fs::read(dem).map_err(broken)?;
        let read = began.elapsed().as_secs_f64();
        let (unpack, _) = unpacked(dem).map_err(failed)?;
        let (mut pack, mut bytes) = (0.0, 0);
        for map in maps {
            let (_, strips) = unpacked(map).map_err(failed)?;
            pack += WITH_OVERVIEWS * packed(strips).map_err(failed)?;
            bytes += fs::metadata(map).map_err(broken)?.len();
        }
        let all = vec![0u8; bytes as usize];
        let began = Instant::now();
        fs::write(place.join("bytes"), all).map_err(broken)?;
        let write = began.elapsed().as_secs_f64();
        fs::remove_file(place.join("bytes")).map_err(broken)?;
        Ok(Floor { read, unpack, steps, pack, write })
    }

    /// All of it.
    pub fn sum(&self) -> f64 {
        self.read + self.unpack + self.steps + self.pack + self.write
    }
}

/// Unpacks a raster by all threads, each with a handle of its own: how long it took (s), and its strips.
fn unpacked(path: &Path) -> gdal::errors::Result<(f64, Vec<Buffer<f32>>)> {
    let (columns, rows) = Dataset::open(path)?.raster_size();
    let began = Instant::now();
    let firsts: Vec<usize> = (0..rows).step_by(ROWS).collect();
    let strips = firsts.into_par_iter().map(|first| {
        let size = (columns, ROWS.min(rows - first));
        Dataset::open(path)?.rasterband(1)?.read_as((0, first as isize), size, size, None)
    });
    let strips: gdal::errors::Result<Vec<_>> = strips.collect();
    Ok((began.elapsed().as_secs_f64(), strips?))
}

/// Packs strips by all threads, each into a file in memory, with the default compression: how long it took (s).
fn packed(strips: Vec<Buffer<f32>>) -> gdal::errors::Result<f64> {
    let began = Instant::now();
    strips.into_par_iter().enumerate().try_for_each(|(number, mut strip)| {
        let (columns, rows) = strip.shape();
        let memory = DriverManager::get_driver_by_name("MEM")?;
        let image = memory.create_with_band_type::<f32, _>("", columns, rows, 1)?;
        image.rasterband(1)?.write((0, 0), (columns, rows), &mut strip)?;
        let name = format!("/vsimem/inundate-floor-{}-{number}.tif", std::process::id());
        let options = RasterCreationOptions::from_iter([
            "TILED=YES",
            "BLOCKXSIZE=512",
            "BLOCKYSIZE=512",
            "COMPRESS=DEFLATE",
            "ZLEVEL=1",
            "PREDICTOR=3",
        ]);
        image
            .create_copy(&DriverManager::get_driver_by_name("GTiff")?, &name, &options)?
            .close()?;
        vsi::unlink_mem_file(&name)
    })?;
    Ok(began.elapsed().as_secs_f64())
}
