//! Thread pools whose threads have ended when the pool is dropped.

use crate::error::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Interval between calls of `meanwhile`.
const BEAT: Duration = Duration::from_millis(100);

/// A pool of threads; dropping it waits until the threads have ended.
///
/// Rayon's own pool does not wait. GDAL frees a thread's data at the very end of the thread, which
/// must not coincide with the end of the process, when GDAL frees its global data.
pub struct Threads {
    /// Set until the pool is dropped.
    pool: Option<ThreadPool>,
    started: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl Threads {
    /// Starts `number` threads; zero starts one per processor.
    ///
    /// # Errors
    /// If the system cannot start more threads.
    pub fn start(number: usize) -> Result<Threads> {
        let started = Arc::new(Mutex::new(Vec::new()));
        let of_pool = Arc::clone(&started);
        let pool = ThreadPoolBuilder::new()
            .num_threads(number)
            .spawn_handler(move |thread| {
                let handle = std::thread::Builder::new().spawn(|| thread.run())?;
                of_pool.lock().expect("nothing panics with it").push(handle);
                Ok(())
            })
            .build()
            .map_err(|error| Error::run("cannot start threads").because(error))?;
        Ok(Threads { pool: Some(pool), started })
    }

    /// Runs a closure on the pool.
    pub fn install<T: Send>(&self, what: impl FnOnce() -> T + Send) -> T {
        self.pool.as_ref().expect("it is there until it is dropped").install(what)
    }

    /// Runs a closure on the pool. Until it ends, the calling thread calls `meanwhile` ten times a
    /// second, and at least once.
    ///
    /// # Panics
    /// If the closure panics.
    pub fn install_beside<T: Send>(
        &self,
        what: impl FnOnce() -> T + Send,
        mut meanwhile: impl FnMut(),
    ) -> T {
        let (stop, stopped) = channel::<()>();
        let mut result = None;
        let pool = self.pool.as_ref().expect("it is there until it is dropped");
        let made = &mut result;
        pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                *made = Some(what());
                // Wakes the waiting thread at once, after a panic too.
                drop(stop);
            });
            meanwhile();
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(BEAT) {
                meanwhile();
            }
        });
        result.expect("it was done, or has panicked")
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        drop(self.pool.take());
        let started = std::mem::take(&mut *self.started.lock().expect("nothing panics with it"));
        for thread in started {
            // A panic has already been reported.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Thread-local data that is slow to drop.
    struct Kept(Arc<AtomicUsize>);

    impl Drop for Kept {
        fn drop(&mut self) {
            std::thread::sleep(Duration::from_millis(50));
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    thread_local! {
        static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
    }

    #[test]
    fn they_have_given_back_what_they_kept_when_it_is_dropped() {
        let given_back = Arc::new(AtomicUsize::new(0));
        let threads = Threads::start(3).unwrap();
        threads.install(|| {
            rayon::broadcast(|_| KEPT.set(Some(Kept(Arc::clone(&given_back)))));
        });
        assert_eq!(given_back.load(Ordering::SeqCst), 0);
        drop(threads);
        assert_eq!(given_back.load(Ordering::SeqCst), 3);
    }
}
