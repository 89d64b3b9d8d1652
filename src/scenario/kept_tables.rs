//! Cache file of the subgrid tables, so that runs on the same terrain build them once.

use super::coarser::Coarser;
use crate::engine::backend::ranks::version;
use crate::engine::grid::{Bed, Grid};
use crate::engine::subgrid::channels::Channels;
use crate::engine::subgrid::layout::{cell, edge};
use crate::engine::subgrid::tables::Tables;
use crate::error::{Error, Result};
use crate::input::file::InputFile;
use crate::input::notice::Notices;
use crate::output::checkpoint::file::{CheckpointFault, CheckpointReader, Kind, Writer};
use crate::output::checkpoint::links;
use crate::output::folder::folder_of;
use crate::units::show_duration;
use crate::words::{hexadecimal, place};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

/// Kind and version of the file.
const TABLES: Kind = Kind { of: "subgrid tables", version: 6 };

/// Number of levels per thread for the checksum.
const PART: usize = 1 << 20;

/// Origin of the tables, to detect a file for other terrain.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Origin {
    /// Version of inundate that built the tables, since the layout may differ between versions.
    program: String,
    /// Number of pixels along a side of a cell.
    ratio: usize,
    /// SHA-256 of the shape and levels of the pixels, including rivers, openings, buildings and
    /// walls.
    ground: String,
    /// SHA-256 of the roughness files and their placement; `None` if the roughness is uniform,
    /// because the tables do not depend on it.
    roughness: Option<String>,
    /// SHA-256 of the rivers narrower than a cell and of the roughness of all rivers; `None`
    /// without them.
    rivers: Option<String>,
}

impl Origin {
    /// Computes the origin of tables of a grid with these levels (2⁻¹⁶ m). `roughness` has the text
    /// of the options and the files of a non-uniform roughness. `rivers` describes the rivers apart
    /// from the levels that they lower.
    pub fn of(
        ratio: usize,
        grid: &Grid,
        levels: &[i32],
        roughness: Option<(String, Vec<InputFile>)>,
        rivers: Option<String>,
    ) -> Origin {
        let part = |levels: &[i32]| {
            let mut hasher = Sha256::new();
            levels.iter().for_each(|level| hasher.update(level.to_le_bytes()));
            hasher.finalize()
        };
        let mut ground = Sha256::new();
        ground.update(format!("{} {} {}", grid.columns, grid.rows, grid.dy / grid.dx));
        levels
            .par_chunks(PART)
            .map(part)
            .collect::<Vec<_>>()
            .iter()
            .for_each(|of| ground.update(of));
        let roughness = roughness.map(|(said, files)| {
            let sums: Vec<_> = files.iter().map(|file| (&file.role, &file.sha256)).collect();
            let text = format!("{said} {sums:?} {:?} {:?}", grid.transform, grid.crs);
            hexadecimal(&Sha256::digest(text))
        });
        let rivers = rivers.map(|text| hexadecimal(&Sha256::digest(text)));
        let ground = hexadecimal(&ground.finalize());
        Origin { program: version(), ratio, ground, roughness, rivers }
    }

    /// Describes the first difference from another origin, for messages.
    fn differs(&self, other: &Origin) -> &'static str {
        if self.program != other.program {
            "another version of inundate"
        } else if self.ground != other.ground {
            "other ground (DEM, rivers, openings, buildings or walls)"
        } else if self.ratio != other.ratio {
            "another number of pixels per cell"
        } else if self.rivers != other.rivers {
            "other rivers"
        } else {
            "another roughness"
        }
    }
}

/// Maximum time to wait for another run that may be building the same tables.
const PATIENCE: Duration = Duration::from_secs(300);

/// Interval of checking whether the other run has finished.
const POLL_EVERY: Duration = Duration::from_millis(100);

/// Upper limit of a mean Manning's n (s/m^⅓).
const ROUGHEST: f32 = 1e3;

/// Open cache file of tables.
#[derive(Debug)]
pub struct KeptTables<'a> {
    /// Path as given by the user.
    path: &'a Path,
    /// Path of the file after following links.
    real: PathBuf,
    origin: Origin,
    /// Temporary file of new tables until they are complete.
    staged: Option<NamedTempFile>,
    /// Lock that keeps other runs from building the same tables at the same time.
    _lock: Option<File>,
}

/// Terrain that the tables must fit.
pub struct TableTerrain<'a> {
    /// Mapping of pixels to cells.
    pub coarser: Coarser,
    /// Geometry of the DEM.
    pub grid: &'a Grid,
    /// Levels of the pixels (2⁻¹⁶ m).
    pub levels: &'a [i32],
    /// Rivers that are narrower than a cell.
    pub channels: &'a Channels,
}

/// Header of the file.
#[derive(Deserialize, Serialize)]
struct Header {
    origin: Origin,
    columns: usize,
    rows: usize,
}

impl<'a> KeptTables<'a> {
    /// Opens a cache file for tables of an origin.
    ///
    /// # Errors
    /// If the file holds something else, or its folder does not exist.
    pub fn open(path: &'a Path, origin: Origin, notices: &mut Notices) -> Result<KeptTables<'a>> {
        let wrong =
            |what: &str| Error::input(format!("subgrid_tables: '{}' {what}", path.display()));
        let folder = folder_of(path);
        if !folder.is_dir() {
            return Err(wrong("is in a folder that does not exist").hint("make the folder first"));
        }
        let is_link = links::is(path, |data| data.is_symlink());
        let real = match path.canonicalize() {
            Ok(real) if is_link => real,
            Err(_) if is_link => {
                return Err(wrong("is a link to a file that does not exist")
                    .hint("name the file itself, or remove the link"));
            }
            _ => path.to_path_buf(),
        };
        if real.exists() {
            if !real.is_file() {
                return Err(wrong("is a folder, a pipe or a device")
                    .hint("name a new file, or one that an earlier run wrote"));
            }
            let mut begins = Vec::new();
            let mark = TABLES.any_mark();
            let read = links::read(&real)
                .and_then(|file| file.take(mark.len() as u64).read_to_end(&mut begins));
            if read.is_err() || begins != mark.as_bytes() {
                return Err(wrong("does not hold subgrid tables and is not replaced")
                    .hint("name a new file, or one that an earlier run wrote"));
            }
        }
        let lock = lock(folder, PATIENCE, notices);
        Ok(KeptTables { path, real, origin, staged: None, _lock: lock })
    }

    /// Creates the new file beside the old one before the tables are built. A link is left
    /// unchanged, with a warning.
    ///
    /// # Errors
    /// If the folder is not writable.
    pub fn prepare(&mut self, notices: &mut Notices) -> Result<()> {
        let shown = self.path.display();
        if self.real != self.path {
            notices.warn(format!(
                "subgrid_tables: '{shown}' is a link, so its target is not replaced and the new tables are not kept; name the file itself"
            ));
            return Ok(());
        }
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Like other new files: the umask removes permissions.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder_of(self.path)).map_err(|error| {
            Error::input(format!("subgrid_tables: cannot write '{shown}'"))
                .because(error)
                .hint("name a file in a folder that you may write to, or leave subgrid_tables out")
        })?;
        self.staged = Some(file);
        Ok(())
    }

    /// Reads the tables if the file has the same origin and fits the ground; notes the reason
    /// otherwise.
    pub fn tables(&self, ground: &TableTerrain, notices: &mut Notices) -> Option<Tables> {
        if !self.real.exists() {
            return None;
        }
        let read = || {
            let (header, reader) = CheckpointReader::open::<Header>(&self.real, TABLES)?;
            if header.origin != self.origin {
                return Ok(Err(self.origin.differs(&header.origin)));
            }
            ground.check_shape(&header)?;
            let tables = tables(&header, reader)?;
            ground.check(&tables)?;
            Ok(Ok(tables))
        };
        let shown = self.path.display();
        let anew = |what: &str| format!("subgrid_tables: '{shown}' {what}; they are built again");
        match read() {
            Ok(Ok(tables)) => {
                notices.note(format!("subgrid_tables: the tables are read from '{shown}'"));
                return Some(tables);
            }
            Ok(Err(why)) => notices.note(anew(&format!("has tables of {why}"))),
            Err(CheckpointFault::OtherVersion) => {
                notices.note(anew("has tables of another version of inundate"))
            }
            Err(CheckpointFault::Damaged(why)) => {
                notices.warn(anew(&format!("is damaged ({why})")))
            }
        }
        None
    }

    /// Writes the tables and then replaces the old file.
    ///
    /// # Errors
    /// If the tables cannot be written.
    pub fn keep(&mut self, tables: &Tables, notices: &mut Notices) -> Result<()> {
        let failed = |error: std::io::Error| {
            let what = format!("subgrid_tables: cannot write '{}'", self.path.display());
            Error::run(what).because(error)
        };
        let Some(file) = self.staged.take() else { return Ok(()) };
        let header =
            Header { origin: self.origin.clone(), columns: tables.columns, rows: tables.rows };
        let mut writer = Writer::new(file.as_file(), TABLES, &header).map_err(failed)?;
        each_plane(tables, |plane| writer.add(plane)).map_err(failed)?;
        writer.finish().map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(self.path).map_err(|error| failed(error.error))?;
        notices.note(format!("subgrid_tables: the tables are kept in '{}'", self.path.display()));
        Ok(())
    }
}

impl TableTerrain<'_> {
    /// Checks that the tables have as many columns and rows as the ground has cells.
    fn check_shape(&self, header: &Header) -> std::result::Result<(), CheckpointFault> {
        let [columns, rows] =
            [self.grid.columns, self.grid.rows].map(|pixels| pixels.div_ceil(self.coarser.ratio));
        let Header { origin: Origin { ratio, .. }, columns: theirs, rows: their_rows } = *header;
        if (ratio, theirs, their_rows) == (self.coarser.ratio, columns, rows) {
            return Ok(());
        }
        Err(CheckpointFault::Damaged(format!(
            "it has {theirs} x {their_rows} cells, and the ground has {columns} x {rows}"
        )))
    }

    /// Checks that the tables have the beds of the ground and valid roughness values.
    fn check(&self, tables: &Tables) -> std::result::Result<(), CheckpointFault> {
        let other = |cell: &usize| tables.bed[*cell] != self.bed(*cell);
        if let Some(cell) = (0..tables.bed.len()).into_par_iter().find_first(other) {
            let place = place(cell % tables.columns, cell / tables.columns);
            return Err(CheckpointFault::Damaged(format!(
                "its bed at {place} differs from the ground"
            )));
        }
        if !tables.roughness.iter().all(|n| (0.0..=ROUGHEST).contains(n)) {
            return Err(CheckpointFault::Damaged("it has an invalid roughness".into()));
        }
        Ok(())
    }

    /// Returns the lowest level of a cell (2⁻¹⁶ m), of its open pixels or of a river in it;
    /// [`Bed::OUTSIDE`] if no pixel is open.
    fn bed(&self, cell: usize) -> i32 {
        let open = self.coarser.pixels(cell, self.levels).filter(|level| *level != Bed::OUTSIDE);
        let Some(lowest) = open.min() else { return Bed::OUTSIDE };
        self.channels.lowest(cell).map_or(lowest, |bed| bed.min(lowest))
    }
}

/// Locks a folder in which another run may be building the same tables. Returns `None` where locks
/// are not supported, or if another process holds the lock longer than `patience`. Without the
/// lock, two runs may build the same tables, and the file is still correct.
fn lock(folder: &Path, patience: Duration, notices: &mut Notices) -> Option<File> {
    let file = File::open(folder).ok()?;
    let begun = Instant::now();
    let mut announced = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(TryLockError::Error(_)) => return None,
            Err(TryLockError::WouldBlock) => {}
        }
        if begun.elapsed() >= patience {
            notices.warn(format!(
                "subgrid_tables: another process has locked the folder '{}' for {}; the run continues without the lock",
                folder.display(),
                show_duration(patience.as_secs_f64())
            ));
            return None;
        }
        if !announced {
            errln!(
                "subgrid_tables: waiting for another run that builds tables in '{}', up to {}",
                folder.display(),
                show_duration(patience.as_secs_f64())
            );
            announced = true;
        }
        std::thread::sleep(POLL_EVERY.min(patience));
    }
}

/// Passes on the numbers of the tables, plane by plane, in the order of [`tables`].
fn each_plane(
    of: &Tables,
    mut each: impl FnMut(&[u32]) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let signless = |levels: &[i32]| levels.iter().map(|&level| level as u32).collect::<Vec<_>>();
    each(&signless(&of.bed))?;
    each(&of.parted.iter().map(|&parted| u32::from(parted)).collect::<Vec<_>>())?;
    each(&of.roughness.iter().map(|n| n.to_bits()).collect::<Vec<_>>())?;
    let edges = of.edges.iter().flatten();
    of.cells.iter().chain(edges).try_for_each(|plane| each(plane))
}

/// Reads the tables of a file.
fn tables(
    header: &Header,
    mut from: CheckpointReader,
) -> std::result::Result<Tables, CheckpointFault> {
    let Header { origin: Origin { ratio, ref roughness, .. }, columns, rows } = *header;
    // The shape was checked against the ground.
    let cells = columns * rows;
    let mut plane = |length: usize| {
        let mut plane = vec![0; length];
        from.take(&mut plane).map(|()| plane)
    };
    let bed = plane(cells)?.into_iter().map(|level| level as i32).collect();
    let parted = plane(cells)?.into_iter().map(|parted| parted != 0).collect();
    let is_rough = roughness.is_some();
    let roughness = plane(if is_rough { cells } else { 0 })?.into_iter().map(f32::from_bits);
    let roughness = roughness.collect();
    let mut planes =
        |count: usize, length: usize| -> std::result::Result<Vec<_>, CheckpointFault> {
            (0..count).map(|_| plane(length)).collect()
        };
    let tables = Tables {
        ratio,
        columns,
        rows,
        bed,
        roughness,
        parted,
        cells: planes(cell::WORDS, cells)?,
        edges: [
            planes(edge::WORDS, (columns + 1) * rows)?,
            planes(edge::WORDS, columns * (rows + 1))?,
        ],
    };
    if !from.is_at_the_end() {
        return Err(CheckpointFault::Damaged("it holds more than its tables".into()));
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_another_holds_is_waited_for_and_then_done_without() {
        let folder = tempfile::tempdir().unwrap();
        let held = File::open(folder.path()).unwrap();
        held.lock().unwrap();
        let mut notices = Notices::default();
        assert!(lock(folder.path(), Duration::from_millis(1), &mut notices).is_none());
        let warnings = notices.into_texts(1.0).warnings;
        assert!(warnings[0].contains("the run continues without the lock"), "{warnings:?}");
        let mut notices = Notices::default();
        let waits = std::thread::scope(|scope| {
            let other = scope.spawn(|| lock(folder.path(), PATIENCE, &mut notices).is_some());
            std::thread::sleep(POLL_EVERY);
            held.unlock().unwrap();
            other.join().unwrap()
        });
        assert!(waits && notices.into_texts(1.0).warnings.is_empty());
    }
}
