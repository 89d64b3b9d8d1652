//! The Python module `inundate_engine`: runs of the program, stepped from Python. The package
//! `inundate` wraps a run as a `Model`.
//!
//! Arrays are passed as bytes of f64. Errors are raised as the package's exceptions, and no panic
//! crosses the boundary. While a run steps, other Python threads can run, and the waiting thread
//! still handles Ctrl-C.

mod errors;

use errors::guarded;
use inundate::cli;
use inundate::engine::cadence::Leg;
use inundate::engine::notices;
use inundate::error::{Error, Result};
use inundate::input::gdal_access::own_gdal;
use inundate::run::model::Model;
use inundate::run::quantities::{self, QUANTITIES, QuantityLocation};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use std::sync::{Mutex, MutexGuard};
use std::thread::{self, ThreadId};

/// Description of a quantity in [`quantities_of_runs`]: name, meaning, unit, location of its
/// values, and whether it can be set.
type About = (&'static str, &'static str, &'static str, &'static str, bool);

/// A run in progress.
#[pyclass(frozen, module = "inundate_engine")]
struct Run {
    model: Mutex<Model>,
    /// Thread that is stepping the run.
    stepping: Mutex<Option<ThreadId>>,
    /// Warnings and notes from reading the input.
    #[pyo3(get)]
    warnings: Vec<String>,
    #[pyo3(get)]
    notes: Vec<String>,
    /// Names of the sources.
    #[pyo3(get)]
    sources: Vec<String>,
    /// Positions of the sources: east and north.
    #[pyo3(get)]
    source_places: Vec<(f64, f64)>,
    /// GDAL geotransform of the grid.
    #[pyo3(get)]
    transform: [f64; 6],
    /// Set if time is in seconds, not in steps.
    #[pyo3(get)]
    timed: bool,
    /// Set if the solver has velocities and discharges.
    #[pyo3(get)]
    flows: bool,
}

#[pymethods]
impl Run {
    /// Starts a run from the words that follow `run` on a command line. `command` is recorded in
    /// the report as the origin of the run.
    #[new]
    fn start(py: Python<'_>, words: Vec<String>, command: Vec<String>) -> PyResult<Run> {
        guarded(py, || {
            let mut options = cli::options_of(&words)?;
            options.quiet = true;
            let (mut warnings, mut notes) = (Vec::new(), Vec::new());
            let mut model = Model::start(&options, command, |scenario| {
                warnings.clone_from(&scenario.facts.warnings);
                let facts = &scenario.facts;
                notes.extend(facts.assumed.iter().map(|assumed| format!("assumed: {assumed}")));
                notes.extend_from_slice(&facts.notes);
            })?;
            let places = model.with(|run| Ok((run.sources().to_vec(), run.source_places())))?;
            let (sources, source_places) = places;
            let kind = model.with(|run| Ok((run.transform(), run.is_timed()?, run.has_flow())))?;
            let (transform, timed, flows) = kind;
            let model = Mutex::new(model);
            let stepping = Mutex::default();
            Ok(Run {
                model,
                stepping,
                warnings,
                notes,
                sources,
                source_places,
                transform,
                timed,
                flows,
            })
        })
    }

    /// Takes `number` steps, of the lengths that an uninterrupted run would take.
    fn steps(&self, py: Python<'_>, number: u64) -> PyResult<()> {
        self.step(py, Leg::steps(number))
    }

    /// Steps to a time (s, or steps).
    fn until(&self, py: Python<'_>, time: f64) -> PyResult<()> {
        self.step(py, Leg::until(time))
    }

    /// Returns the current time, the end time (s, or steps), and the number of steps taken.
    fn clock(&self, py: Python<'_>) -> PyResult<(f64, f64, u64)> {
        self.with(py, |model| {
            model.with(|run| run.clock().map(|clock| (clock.now(), clock.end(), clock.taken())))
        })
    }

    /// Returns the number of rows and columns of the values at a place.
    fn shape(&self, py: Python<'_>, place: &str) -> PyResult<(usize, usize)> {
        let all = [
            QuantityLocation::Cells,
            QuantityLocation::EastEdges,
            QuantityLocation::SouthEdges,
            QuantityLocation::Sources,
        ];
        let known = all.into_iter().find(|known| known.name() == place);
        self.with(py, |model| {
            let place = known.ok_or_else(|| Error::input("no such place"))?;
            model.with(|run| Ok(run.shape(place)))
        })
    }

    /// Returns the current values of a quantity, as bytes of f64 owned by Python.
    fn read<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyByteArray>> {
        let values = self.with(py, |model| model.read(quantities::find(name)?))?;
        PyByteArray::new_with(py, 8 * values.len(), |bytes| {
            let bytes = bytes.chunks_exact_mut(8).zip(&values);
            bytes.for_each(|(bytes, value)| bytes.copy_from_slice(&value.to_ne_bytes()));
            Ok(())
        })
    }

    /// Sets a quantity from bytes of f64.
    fn set(&self, py: Python<'_>, name: &str, bytes: &[u8]) -> PyResult<()> {
        let number = |bytes: &[u8]| f64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
        self.with(py, |model| {
            let values: Vec<f64> = bytes.chunks_exact(8).map(number).collect();
            model.set(quantities::find(name)?, &values)
        })
    }

    /// Returns the current terms of the mass balance (m3), and its error.
    fn ledger(&self, py: Python<'_>) -> PyResult<Vec<(String, f64)>> {
        self.with(py, |model| {
            model.with(|run| {
                let volumes = run.volumes()?;
                let lines = volumes.lines().map(|(line, volume)| (line.key, volume));
                let all = lines.chain([("error", volumes.error())]);
                Ok(all.map(|(key, volume)| (format!("{key}_m3"), volume)).collect())
            })
        })
    }

    /// Writes the results. Returns the folder and new warnings, or `None` if the run took no step.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<(String, Vec<String>)>> {
        self.with(py, |model| {
            let finished = model.finish()?;
            let result = finished.map(|finished| {
                (finished.out.to_string_lossy().into_owned(), finished.late_warnings)
            });
            Ok(result)
        })
    }

    /// Ends the run without writing anything more.
    fn give_up(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |model| {
            model.give_up("it was abandoned");
            Ok(())
        })
    }
}

impl Run {
    fn step(&self, py: Python<'_>, leg: Leg) -> PyResult<()> {
        let mut signal = None;
        let went_on = self.with(py, |model| {
            let _stepping = Stepping::of(&self.stepping);
            model.step(leg, || match Python::attach(|py| py.check_signals()) {
                Ok(()) => true,
                Err(raised) => {
                    signal = Some(raised);
                    false
                }
            })
        });
        match signal {
            Some(raised) => Err(raised),
            None => went_on.map(|_| ()),
        }
    }

    /// Runs a closure on the model while other Python threads can run. A panic ends the model.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        what: impl FnOnce(&mut Model) -> Result<T> + Send,
    ) -> PyResult<T> {
        // A signal handler runs on the stepping thread, and would wait for itself.
        let steps_here = *held(&self.stepping) == Some(thread::current().id());
        let free = || match steps_here {
            true => Err(Error::input("the model is stepping")
                .hint("let the signal handler set a flag, and act on it after update() returns")),
            false => what(&mut self.model()),
        };
        guarded(py, free).inspect_err(|error| {
            if errors::is_of_a_panic(py, error) {
                py.detach(|| self.model().give_up("it has failed"));
            }
        })
    }

    fn model(&self) -> MutexGuard<'_, Model> {
        held(&self.model)
    }
}

/// Returns the content of a lock, even after a panic.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Marks the current thread as stepping while it lives.
struct Stepping<'a>(&'a Mutex<Option<ThreadId>>);

impl Stepping<'_> {
    fn of(stepping: &Mutex<Option<ThreadId>>) -> Stepping<'_> {
        *held(stepping) = Some(thread::current().id());
        Stepping(stepping)
    }
}

impl Drop for Stepping<'_> {
    fn drop(&mut self) {
        *held(self.0) = None;
    }
}

/// Writes to the package's log. The caller has released the GIL.
fn log(what: &str) {
    let say = |py: Python<'_>| -> PyResult<()> {
        let log = py.import("logging")?.call_method1("getLogger", ("inundate",))?;
        log.call_method1("info", (what,)).map(|_| ())
    };
    // A failure cannot be reported anywhere.
    let _ = Python::attach(say);
}

/// Lists the quantities that can be read from a run.
#[pyfunction]
#[pyo3(name = "quantities")]
fn quantities_of_runs() -> Vec<About> {
    let about = QUANTITIES.iter();
    about.map(|q| (q.name, q.about, q.unit, q.place.name(), q.can_be_set())).collect()
}

/// Runs of inundate, stepped from Python; the package `inundate` has `Model`.
#[pymodule]
fn inundate_engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    own_gdal::keep_to_itself_among_others();
    notices::listen(log);
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Run>()?;
    module.add_function(wrap_pyfunction!(quantities_of_runs, module)?)
}
