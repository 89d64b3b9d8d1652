//! What is read with help is what is read alone, to the bit. Here helpers are threads; tests/program/ranks_reading.rs has processes.

use super::*;
use crate::engine::grid::Bed;
use crate::input::gdal_log;
use crate::input::layer::{self, Cover, Report};
use crate::input::raster::Undeclared;
use gdal::DriverManager;
use gdal::raster::{Buffer, RasterCreationOptions};
use gdal::spatial_ref::SpatialRef;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

type Bytes = Vec<u8>;

/// Helpers that are threads.
struct Threads {
    to: Vec<Mutex<Sender<Bytes>>>,
    from: Vec<Mutex<Receiver<Bytes>>>,
    answers: Arc<AtomicUsize>,
}

impl Threads {
    /// So many of them, each with some threads to work with. What they answer goes through `change` first.
    fn new(count: usize, change: fn(usize, Bytes) -> Bytes) -> Threads {
        let answers = Arc::new(AtomicUsize::new(0));
        let mut all = Threads { to: Vec::new(), from: Vec::new(), answers };
        for who in 1..=count {
            let (to, asked) = channel::<Bytes>();
            let (answer, from) = channel();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            let serve = move || {
                gdal_log::keep_apart();
                let mut desk = Desk::new(format!("host{who}"));
                for asked in asked {
                    let _ = answer.send(change(who, desk.answer(&asked)));
                }
            };
            std::thread::spawn(move || pool.install(serve));
            all.to.push(Mutex::new(to));
            all.from.push(Mutex::new(from));
        }
        all
    }
}

impl Helpers for Threads {
    fn count(&self) -> usize {
        self.to.len()
    }

    fn worth_cells(&self) -> usize {
        1
    }

    fn ask(&self, who: usize, what: Bytes) -> Result<()> {
        self.to[who - 1].lock().unwrap().send(what).unwrap();
        Ok(())
    }

    fn answer(&self, who: usize) -> Result<Bytes> {
        self.answers.fetch_add(1, Ordering::Relaxed);
        Ok(self.from[who - 1].lock().unwrap().recv().unwrap())
    }

    fn answered(&self, who: usize) -> Result<Option<Bytes>> {
        let found = self.from[who - 1].lock().unwrap().try_recv().ok();
        self.answers.fetch_add(usize::from(found.is_some()), Ordering::Relaxed);
        Ok(found)
    }
}

/// Writes a packed GeoTIFF about Berlin, of whole numbers or not, with holes that nothing declares.
fn raster(folder: &Path, name: &str, place: (u32, [f64; 6]), whole: bool) -> PathBuf {
    raster_of((310, 520), folder, name, place, whole)
}

/// The same of so many columns and rows.
fn raster_of(
    (columns, rows): (usize, usize),
    folder: &Path,
    name: &str,
    (epsg, transform): (u32, [f64; 6]),
    whole: bool,
) -> PathBuf {
    let value = |cell: usize| match cell % 97 {
        0 => -9999.0,
        1 => f64::from(f32::MAX),
        _ if whole => (cell % 251) as f64,
        _ => (cell % 251) as f64 / 7.0,
    };
    let options = ["COMPRESS=DEFLATE", "TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=64"];
    let path = folder.join(name);
    let driver = DriverManager::get_driver_by_name("GTiff").unwrap();
    let options = RasterCreationOptions::from_iter(options);
    let made =
        driver.create_with_band_type_with_options::<f64, _>(&path, columns, rows, 1, &options);
    let mut file = made.unwrap();
    file.set_geo_transform(&transform).unwrap();
    file.set_spatial_ref(&SpatialRef::from_epsg(epsg).unwrap()).unwrap();
    let values = (0..columns * rows).map(value).collect();
    let mut band = file.rasterband(1).unwrap();
    band.write((0, 0), (columns, rows), &mut Buffer::new((columns, rows), values)).unwrap();
    file.close().unwrap();
    path
}

fn open(path: &Path, help: Option<&Arc<Help>>) -> RasterFile {
    let mut file = RasterFile::open(path, "rain").unwrap();
    file.help = help.cloned();
    file
}

/// All values (bits), and what was taken as NoData.
fn rows(file: &RasterFile) -> Result<(Vec<u64>, Undeclared)> {
    let mut all = Vec::new();
    let undeclared = file.for_each_row(|row, values| {
        assert_eq!(all.len(), row * file.columns, "rows come in their order");
        all.extend(values.iter().map(|value| value.to_bits()));
        Ok(())
    })?;
    Ok((all, undeclared))
}

/// A grid of 1 m in UTM 33N, of several strips.
fn grid() -> Grid {
    let transform = [390_000.0, 1.0, 0.0, 5_820_000.0, 0.0, -1.0];
    let crs = Some(SpatialRef::from_epsg(32633).unwrap().to_wkt().unwrap());
    Grid { columns: 1000, rows: 4500, transform, dx: 1.0, dy: 1.0, crs }
}

fn layer(file: &RasterFile) -> Result<(Vec<u64>, Report)> {
    let grid = grid();
    let bed = Bed { levels: vec![0; grid.cells()], blocked: Vec::new(), shut: Vec::new() };
    let mut all = Vec::new();
    let report = layer::read_file(file, &grid, &bed, Cover::Field, |_, values| {
        all.extend(values.iter().map(|value| value.to_bits()));
        Ok(())
    })?;
    Ok((all, report))
}

/// About what the grid covers, in degrees.
const DEGREES: (u32, [f64; 6]) = (4326, [13.381, 0.00005, 0.0, 52.521, 0.0, -0.00008]);
const METRES: (u32, [f64; 6]) = (32633, [390_000.0, 3.0, 0.0, 5_820_000.0, 0.0, -9.0]);

#[test]
fn what_is_read_with_help_is_what_is_read_alone() {
    let folder = tempfile::tempdir().unwrap();
    for (name, whole) in [("whole.tif", true), ("parts.tif", false)] {
        let path = raster(folder.path(), name, METRES, whole);
        let alone = rows(&open(&path, None)).unwrap();
        assert!(alone.1 != Undeclared::default());
        for count in [1, 2, 4] {
            let threads = Threads::new(count, |_, answer| answer);
            let answers = threads.answers.clone();
            let with_help = rows(&open(&path, Some(&Help::by(threads)))).unwrap();
            assert!(with_help == alone, "{name} with {count}");
            // Each says what it sees; and each is given rows before this thread takes any.
            assert!(answers.load(Ordering::Relaxed) >= 2 * count, "{name} with {count}");
        }
    }
}

#[test]
fn what_helpers_read_by_several_threads_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = raster_of((2100, 2050), folder.path(), "large.tif", METRES, false);
    let help = Help::by(Threads::new(2, |_, answer| answer));
    assert!(rows(&open(&path, Some(&help))).unwrap() == rows(&open(&path, None)).unwrap());
}

#[test]
fn what_is_warped_with_help_is_what_is_warped_alone() {
    let folder = tempfile::tempdir().unwrap();
    for (name, place) in [("degrees.tif", DEGREES), ("metres.tif", METRES)] {
        let path = raster(folder.path(), name, place, false);
        let (values, report) = layer(&open(&path, None)).unwrap();
        assert!(report.warped && report.before > 0.0 && report.undeclared != Undeclared::default());
        for count in [1, 3] {
            let help = Help::by(Threads::new(count, |_, answer| answer));
            let (with_help, of_help) = layer(&open(&path, Some(&help))).unwrap();
            assert!(with_help == values, "{name} with {count}");
            assert_eq!(of_help, report, "{name} with {count}");
        }
    }
}

/// What helpers do wrong.
fn fails(who: usize, answer: Bytes) -> Bytes {
    let seen = matches!(order::unpack(&answer, who), Ok((order::Answer::Seen(_), _)));
    if seen { answer } else { order::pack(&order::Answer::Failed("no disk".into())) }
}

#[test]
fn what_helpers_cannot_read_is_read_here() {
    let folder = tempfile::tempdir().unwrap();
    let path = raster(folder.path(), "a.tif", METRES, false);
    let help = Help::by(Threads::new(2, fails));
    assert!(rows(&open(&path, Some(&help))).unwrap() == rows(&open(&path, None)).unwrap());
    assert_eq!(*help.told.lock().unwrap(), HashSet::from([1, 2]));
    // It is over with the raster: the next finds no answers of this one.
    assert!(rows(&open(&path, Some(&help))).is_ok());
}

#[test]
fn an_error_of_who_looks_leaves_no_answers_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = raster(folder.path(), "a.tif", METRES, false);
    let help = Help::by(Threads::new(3, |_, answer| answer));
    let file = open(&path, Some(&help));
    let told = file.for_each_row(|row, _| match row {
        70 => Err(crate::error::Error::input("row 70")),
        _ => Ok(()),
    });
    assert_eq!(told.unwrap_err().what, "row 70");
    assert!(rows(&file).unwrap() == rows(&open(&path, None)).unwrap());
}

#[test]
fn a_damaged_raster_is_the_same_error_with_help() {
    let folder = tempfile::tempdir().unwrap();
    let path = raster(folder.path(), "a.tif", METRES, false);
    let bytes = std::fs::read(&path).unwrap();
    gdal_log::keep_apart();
    // In the middle of a tile.
    let mut damaged = bytes.clone();
    let middle = bytes.len() / 2;
    damaged[middle..middle + 400].fill(0x55);
    std::fs::write(&path, damaged).unwrap();
    let alone = rows(&open(&path, None)).unwrap_err();
    let help = Help::by(Threads::new(2, |_, answer| answer));
    let with_help = rows(&open(&path, Some(&help))).unwrap_err();
    assert_eq!((with_help.what, with_help.hint), (alone.what, alone.hint));
}

/// Those who do some jobs, and die.
struct Mortal {
    threads: Threads,
    left: AtomicUsize,
}

impl Mortal {
    fn lives(&self, found: bool) -> Result<()> {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(usize::from(found)), Ordering::Relaxed);
        if left == 0 { Err(crate::error::Error::run("rank 1 is gone")) } else { Ok(()) }
    }
}

impl Helpers for Mortal {
    fn count(&self) -> usize {
        self.threads.count()
    }

    fn worth_cells(&self) -> usize {
        1
    }

    fn ask(&self, who: usize, what: Bytes) -> Result<()> {
        self.threads.ask(who, what)
    }

    fn answer(&self, who: usize) -> Result<Bytes> {
        self.lives(true)?;
        self.threads.answer(who)
    }

    fn answered(&self, who: usize) -> Result<Option<Bytes>> {
        self.lives(false)?;
        let found = self.threads.answered(who)?;
        self.lives(found.is_some())?;
        Ok(found)
    }
}

#[test]
fn who_dies_while_all_read_ends_it_with_one_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = raster(folder.path(), "a.tif", METRES, false);
    for left in 0..4 {
        let threads = Threads::new(1, |_, answer| answer);
        let help = Help::by(Mortal { threads, left: AtomicUsize::new(left) });
        assert_eq!(rows(&open(&path, Some(&help))).unwrap_err().what, "rank 1 is gone");
    }
}
