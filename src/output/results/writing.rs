//! Writes maps in the background: values are read from the run's state, and everything else happens
//! on other threads.

use super::{Map, NewMap, Results};
use crate::engine::clock::{Clock, TimeUnit};
use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::gdal_access::gdal_log;
use crate::machine::host_memory;
use crate::machine::threads::Threads;
use crate::output::colour::scales::Counter;
use crate::output::colour::{Scale, Spread};
use crate::output::compression::Compression;
use crate::output::folder::OutputFolder;
use crate::output::format::geotiff::BYTES_PER_CELL;
use crate::output::format::{self, Labels, Sheet, USUAL};
use crate::output::layers::fine::{FineMap, PixelTally};
use crate::output::layers::{Maps, Now};
use crate::output::own_files::VERSION_ITEM;
use crate::output::small::Small;
use crate::output::timings::Waits;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// Maximum number of maps written at a time, however much memory there is. GDAL compresses the
/// blocks of a map on all threads, but a single thread distributes them and writes the file.
const MOST: u64 = 4;

/// A map to be written.
struct Job {
    map: Map,
    path: PathBuf,
    grid: Arc<Grid>,
    values: Values,
    compression: Compression,
    counter: Counter,
    /// Longer side of its picture (pixels), if one is needed.
    picture: Option<usize>,
    /// Value above which pixels of a fine grid are counted.
    above: Option<f32>,
    metadata: Vec<(&'static str, String)>,
}

/// Values of a map.
enum Values {
    /// All values.
    Whole(Vec<f32>),
    /// Source from which they are computed in bands.
    Fine(Box<FineMap>),
}

/// A written map with the distribution of its values.
struct Done {
    map: Map,
    scale: &'static Scale,
    counted: Spread,
}

/// Writes maps in the background, several at a time, each on all threads; they are completed in the
/// order in which they were submitted.
pub struct Writing {
    grid: Arc<Grid>,
    compression: Compression,
    waits: Waits,
    /// Maximum number of maps in memory.
    most: usize,
    /// Number of maps in memory.
    held: usize,
    /// Set when pending maps are not needed any more.
    given_up: Arc<AtomicBool>,
    /// Worker threads: the oldest pending map is with the first, the next one with the second, and
    /// so on.
    workers: VecDeque<Worker>,
}

/// A worker thread.
struct Worker {
    jobs: Sender<Job>,
    done: Receiver<Result<Done>>,
    thread: JoinHandle<()>,
}

impl Writing {
    /// Creates a writer for the maps of a run; `waits` accumulates the time that the run waits for
    /// them.
    pub fn new(maps: &Maps, compression: Compression, waits: &Waits) -> Writing {
        let grid = maps.raster_grid();
        let each = match &maps.fine {
            Some(ground) => FineMap::bytes(ground),
            None => (grid.cells() as f64 * BYTES_PER_CELL).max(1.0),
        };
        // Use half of the free memory, so that a run that fits continues to fit. One map is
        // included in the memory estimate of a run.
        let room = host_memory::free().map_or(1, |free| (free as f64 / 2.0 / each) as u64);
        Writing {
            grid: Arc::new(grid.clone()),
            compression,
            waits: waits.clone(),
            most: room.clamp(1, MOST) as usize,
            held: 0,
            given_up: Arc::default(),
            workers: VecDeque::new(),
        }
    }

    /// Reads a layer from the state and submits its raster for writing, ready to be published.
    /// Blocks while the maximum number of maps is in memory; adds finished maps to the results.
    pub fn stage(
        &mut self,
        results: &mut Results,
        folder: &OutputFolder,
        now: &Now,
        sheet: NewMap,
    ) -> Result<()> {
        while self.held >= self.most {
            self.take_next(results)?;
        }
        let NewMap { layer, name, about, time, picture, above } = sheet;
        let (about, unit) = (about.to_string(), (layer.unit)(now.clock).to_string());
        let (statistics, shown, tally) = (None, None, None);
        let map = Map { name, layer, about, unit, time, statistics, picture: shown, tally };
        let path = folder.staged(&map.raster());
        let values = match &now.maps.fine {
            Some(ground) => Values::Fine(Box::new(FineMap::of(now, layer, ground)?)),
            None => {
                let mut values = format::room(&path, &self.grid)?;
                now.read(layer, 0, &mut values)?;
                Values::Whole(values)
            }
        };
        let job = Job {
            map,
            path,
            grid: self.grid.clone(),
            values,
            compression: self.compression,
            counter: results.scales.counter(layer.scale),
            picture,
            above,
            metadata: metadata(now.clock),
        };
        if self.held == self.workers.len() {
            self.workers.push_back(Worker::start(self.given_up.clone())?);
        }
        self.workers[self.held].jobs.send(job).map_err(|_| ended())?;
        self.held += 1;
        Ok(())
    }

    /// Adds maps that are finished by now to the results.
    pub fn collect_finished(&mut self, results: &mut Results) -> Result<()> {
        while self.held > 0
            && let Ok(done) = self.workers[0].done.try_recv()
        {
            self.take(done, results)?;
        }
        Ok(())
    }

    /// Waits for all pending maps and adds them to the results.
    pub fn finish(&mut self, results: &mut Results) -> Result<()> {
        while self.held > 0 {
            self.take_next(results)?;
        }
        Ok(())
    }

    fn take_next(&mut self, results: &mut Results) -> Result<()> {
        let done = self.waits.during(|| self.workers[0].done.recv()).map_err(|_| ended())?;
        self.take(done, results)
    }

    fn take(&mut self, done: Result<Done>, results: &mut Results) -> Result<()> {
        self.held -= 1;
        self.workers.rotate_left(1);
        let Done { map, scale, counted } = done.inspect_err(|_| self.give_up())?;
        results.scales.take(scale, counted);
        results.maps.push(map);
        Ok(())
    }

    /// Stops writing: maps after one that failed are not published.
    fn give_up(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
        // Close all channels before waiting for the first thread.
        let workers = self.workers.drain(..);
        let threads: Vec<JoinHandle<()>> = workers.map(|worker| worker.thread).collect();
        for thread in threads {
            // A panic of the thread has already been reported.
            let _ = thread.join();
        }
        self.held = 0;
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        // The pending maps are no longer needed.
        self.give_up();
    }
}

impl Worker {
    /// Starts a worker with as many threads as the run has.
    fn start(given_up: Arc<AtomicBool>) -> Result<Worker> {
        let cannot = |error: &dyn std::fmt::Display| {
            Error::run(format!("cannot start threads that write maps: {error}"))
        };
        let pool = Threads::start(rayon::current_num_threads()).map_err(|error| cannot(&error))?;
        let ((jobs, to_do), (finished, done)) = (channel::<Job>(), channel());
        let write = |job: Job| {
            // No other map is written on this thread.
            gdal_log::keep_apart();
            job.write()
        };
        let work = move || {
            for job in to_do {
                if given_up.load(Ordering::Relaxed)
                    || finished.send(pool.install(|| write(job))).is_err()
                {
                    break;
                }
            }
        };
        let thread = std::thread::Builder::new().name("maps".into()).spawn(work);
        Ok(Worker { jobs, done, thread: thread.map_err(|error| cannot(&error))? })
    }
}

impl Job {
    fn write(self) -> Result<Done> {
        let Job { mut map, path, grid, values, compression, counter, picture, above, metadata } =
            self;
        let (description, unit) = (map.about.as_str(), map.unit.as_str());
        let downsampling = map.layer.downsampling;
        let labels = Labels { description, unit, downsampling, metadata: &metadata };
        let sheet = Sheet { path: &path, grid: &grid, labels: &labels, compression };
        let counted;
        (map.statistics, map.picture, counted) = match values {
            Values::Whole(values) => {
                let draw = |longest| {
                    Small::of_rows(&grid, longest, downsampling, |row, to| {
                        to.copy_from_slice(&values[row * grid.columns..][..grid.columns]);
                    })
                };
                // While one thread distributes the blocks, the others are free.
                let (written, (drawn, counted)) = rayon::join(
                    || USUAL.write(sheet, &values),
                    || (picture.map(draw), counter.count(&values)),
                );
                (written?, drawn, counted)
            }
            Values::Fine(of) => {
                let (mut counted, make) = (Spread::default(), of.rows()?);
                map.tally = above.map(|_| PixelTally::default());
                let written = USUAL.write_bands(sheet, of.rows_of_strip(), |first, count| {
                    let values = make(first, count)?;
                    counted.merge(counter.count(&values));
                    if let Some((tally, above)) = map.tally.as_mut().zip(above) {
                        tally.add(&values, grid.columns, above);
                    }
                    Ok(values)
                })?;
                // The overviews exist by now.
                let read = |longest| Small::read(&path, &grid, downsampling, longest);
                (written, picture.map(read).transpose()?, counted)
            }
        };
        Ok(Done { map, scale: counter.scale, counted })
    }
}

fn ended() -> Error {
    Error::always("the thread that writes maps has ended, which is a defect of this program")
}

/// Returns the metadata on the run for a map's file.
fn metadata(clock: &Clock) -> Vec<(&'static str, String)> {
    let now = clock.now();
    let (now, step) = match clock.unit {
        TimeUnit::Seconds if clock.is_calibrated() => {
            (format!("{now} s"), format!("{} s (calibrated)", clock.longest_step()))
        }
        TimeUnit::Seconds => (format!("{now} s"), "found by the solver".to_string()),
        TimeUnit::Steps => (format!("{now} steps"), "no duration".to_string()),
    };
    vec![
        (VERSION_ITEM, env!("CARGO_PKG_VERSION").to_string()),
        ("INUNDATE_TIME", now),
        ("INUNDATE_STEP", step),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::case::Case;
    use crate::engine::grains::Grain;
    use crate::engine::grid::Bed;
    use crate::output::colour::{Choice, Scales};
    use crate::output::folder::RUN;
    use crate::output::layers::{DEPTH, Domain};

    /// Writes the depths of a run at `times` times with at most `most` maps in memory; makes the
    /// folder unusable before the map with the number `broken`.
    fn write(most: usize, times: usize, broken: Option<usize>) -> (Result<()>, Results, Vec<f64>) {
        let case = Case::new(40, 30, 10.0).source(&[(2, 10)], 1.5);
        let mut run = case.start().unwrap();
        let grid = Grid::plain(40, 30, 10.0);
        let bed = Bed { levels: vec![0; grid.cells()], ..Bed::default() };
        let domain = Domain::of(&grid, &bed);
        let maps = Maps::plain(grid, domain, Grain::Fine);
        let place = tempfile::tempdir().unwrap();
        let folder = OutputFolder::prepare(place.path(), &RUN, false).unwrap();
        let mut results = Results::new(Scales::new(Choice::Data, 0.0, 1.0));
        let mut writing = Writing::new(&maps, Compression::Deflate, &Waits::default());
        writing.most = most;
        let mut means = Vec::new();
        let mut done = Ok(());
        for number in 0..times {
            run.advance(1).unwrap();
            if Some(number) == broken {
                writing.finish(&mut results).unwrap();
                std::fs::remove_dir_all(folder.staged("")).unwrap();
            }
            let now = Now { maps: &maps, backend: &*run.backend, clock: &run.clock, above: 0 };
            let depths = case.depths(&run).unwrap();
            means.push(depths.iter().map(|d| f64::from(*d)).sum::<f64>() / depths.len() as f64);
            let name = format!("depth_{number}");
            let sheet = NewMap {
                layer: &DEPTH,
                name,
                about: "depth",
                time: None,
                picture: Some(9),
                above: None,
            };
            done = writing.stage(&mut results, &folder, &now, sheet);
            assert!(writing.held <= most, "{} maps are held", writing.held);
            if done.is_err() {
                break;
            }
        }
        let done = done.and_then(|()| writing.finish(&mut results));
        (done, results, means)
    }

    #[test]
    fn however_few_maps_are_held_they_come_in_order_with_what_the_state_had() {
        for most in [1, 2, 3] {
            let (done, results, means) = write(most, 7, None);
            done.unwrap();
            let names: Vec<&str> = results.maps.iter().map(|map| map.name.as_str()).collect();
            assert_eq!(names, (0..7).map(|n| format!("depth_{n}")).collect::<Vec<_>>());
            for (map, mean) in results.maps.iter().zip(means) {
                let found = map.statistics.unwrap().mean;
                assert!((found - mean).abs() < 1e-9, "{}: {found}, not {mean}", map.name);
                assert_eq!(map.picture.as_ref().unwrap().values.len(), 8 * 6);
            }
        }
    }

    #[test]
    fn a_map_that_cannot_be_written_is_the_last_that_is_told_of() {
        for most in [1, 3] {
            let (done, results, _) = write(most, 7, Some(4));
            let error = done.unwrap_err();
            assert!(error.what.starts_with("cannot write depth_4.tif: "), "{error}");
            assert_eq!(results.maps.len(), 4);
        }
    }
}
