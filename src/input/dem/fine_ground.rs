//! Fine ground levels below coarse cells, kept on disk because they may not fit in memory: maps are
//! drawn from them after the run.

use crate::engine::grid::{Bed, Grid};
use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Size of a pixel (bytes).
const PIXEL: usize = size_of::<i32>();

/// Levels of all pixels of a fine grid (2⁻¹⁶ m, [`Bed::OUTSIDE`](crate::engine::grid::Bed::OUTSIDE)
/// for closed pixels), in an unnamed file that disappears with the process.
#[derive(Debug)]
pub struct FineGround {
    /// Fine grid.
    pub grid: Grid,
    /// Number of pixels along a side of a cell: cells are `ratio` × `ratio` pixels, counted from
    /// the north-west corner.
    pub ratio: usize,
    /// Number of open pixels.
    pub open: usize,
    /// `None` if only the shape was requested.
    file: Option<Mutex<File>>,
}

/// Writer of the pixels of a fine grid, from the north-west.
#[derive(Debug)]
pub struct FineGroundWriter {
    grid: Grid,
    ratio: usize,
    /// Folder and file, if the levels are kept.
    kept: Option<(PathBuf, File)>,
    /// Number of pixels written, and how many of them are open.
    written: usize,
    open: usize,
}

impl FineGround {
    /// Creates a writer for a fine grid of `ratio` × `ratio` pixels per cell, in an existing
    /// `folder`; without a folder only the shape is kept.
    ///
    /// # Errors
    /// If no file can be created in the folder.
    #[expect(
        clippy::new_ret_no_self,
        reason = "the ground is complete only after all rows have been written"
    )]
    pub fn new(grid: Grid, ratio: usize, folder: Option<&Path>) -> Result<FineGroundWriter> {
        let keep = |folder: &Path| match tempfile::tempfile_in(folder) {
            Ok(file) => Ok((folder.to_path_buf(), file)),
            Err(error) => Err(no_room(folder, &grid, error)),
        };
        let kept = folder.map(keep).transpose()?;
        Ok(FineGroundWriter { grid, ratio, kept, written: 0, open: 0 })
    }

    /// Reads the levels of `count` rows from row `first`, row-major (2⁻¹⁶ m). Threads may call this
    /// concurrently.
    ///
    /// # Errors
    /// If they cannot be read from the disk.
    ///
    /// # Panics
    /// If the grid does not have these rows, or the levels were not kept.
    pub fn rows(&self, first: usize, count: usize) -> Result<Vec<i32>> {
        assert!(first + count <= self.grid.rows, "rows of the fine grid");
        let mut bytes = vec![0; count * self.grid.columns * PIXEL];
        let start = SeekFrom::Start((first * self.grid.columns * PIXEL) as u64);
        let file = self.file.as_ref().expect("ground that was kept");
        let mut file = file.lock().expect("no thread ends while it reads");
        let read = file.seek(start).and_then(|_| file.read_exact(&mut bytes));
        drop(file);
        read.map_err(|error| {
            Error::run("cannot read the fine ground that was kept on disk").because(error)
        })?;
        Ok(bytes.as_chunks().0.iter().map(|level| i32::from_le_bytes(*level)).collect())
    }

    /// Returns the columns and rows of cells; cells at the east and south sides may extend beyond
    /// the pixels.
    pub fn cells(&self) -> (usize, usize) {
        (self.grid.columns.div_ceil(self.ratio), self.grid.rows.div_ceil(self.ratio))
    }
}

impl FineGroundWriter {
    /// Writes the next whole rows.
    ///
    /// # Errors
    /// If the disk is full.
    ///
    /// # Panics
    /// If `levels` is not whole rows, or there are more rows than in the grid.
    pub fn band(&mut self, levels: &[i32]) -> Result<()> {
        assert_eq!(levels.len() % self.grid.columns, 0, "whole rows");
        self.written += levels.len();
        assert!(self.written <= self.grid.cells(), "no more rows than the grid has");
        self.open += levels.iter().filter(|level| **level != Bed::OUTSIDE).count();
        let Some((folder, file)) = &mut self.kept else { return Ok(()) };
        let mut bytes = vec![0; levels.len() * PIXEL];
        for (to, level) in bytes.as_chunks_mut().0.iter_mut().zip(levels) {
            *to = level.to_le_bytes();
        }
        file.write_all(&bytes).map_err(|error| no_room(folder, &self.grid, error))
    }

    /// Returns the ground after all rows have been written.
    ///
    /// # Panics
    /// If rows are missing.
    pub fn finish(self) -> FineGround {
        assert_eq!(self.written, self.grid.cells(), "all rows of the grid");
        let FineGroundWriter { grid, ratio, kept, open, .. } = self;
        FineGround { grid, ratio, open, file: kept.map(|(_, file)| Mutex::new(file)) }
    }
}

fn no_room(folder: &Path, grid: &Grid, error: io::Error) -> Error {
    let megabytes = (grid.cells() * PIXEL).div_ceil(1 << 20);
    Error::run(format!("cannot keep the fine ground in '{}'", folder.display()))
        .because(error)
        .hint(format!(
            "maps on the fine grid need {megabytes} MiB of disk space there during the run; free some space, or use --output-grid coarse"
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn rows_come_back_as_they_went_to_any_thread() {
        let levels: Vec<i32> = (0..7 * 50).map(|n| n * n - 900).chain([Bed::OUTSIDE; 7]).collect();
        let folder = tempfile::tempdir().unwrap();
        let mut writer = FineGround::new(Grid::plain(7, 51, 1.0), 4, Some(folder.path())).unwrap();
        for band in levels.chunks(4 * 7) {
            writer.band(band).unwrap();
        }
        let ground = writer.finish();
        assert_eq!((ground.cells(), ground.open), ((2, 13), 7 * 50));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it has no name");
        (0..200).into_par_iter().for_each(|n| {
            let (first, count) = (n % 51, (n % 5).min(51 - n % 51));
            assert_eq!(ground.rows(first, count).unwrap(), levels[first * 7..][..count * 7]);
        });
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_disk_that_is_full_is_told() {
        let file = File::options().write(true).open("/dev/full").unwrap();
        let (grid, folder) = (Grid::plain(7, 5, 1.0), PathBuf::from("there"));
        let kept = Some((folder, file));
        let mut writer = FineGroundWriter { grid, ratio: 4, kept, written: 0, open: 0 };
        let error = writer.band(&[3; 7]).unwrap_err();
        assert!(error.what.starts_with("cannot keep the fine ground in 'there': "), "{error}");
        assert!(error.hint.unwrap().contains("--output-grid coarse"));
    }
}
