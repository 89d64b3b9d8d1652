//! Threads of a run that have ended when it has.

use crate::error::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// A pool of threads; dropped, it waits until they are no more.
///
/// Rayon's own pool lets them end by themselves. What GDAL keeps for a thread is given back at the thread's very end, and
/// that must not meet the end of the process, which gives back what GDAL keeps for all.
pub struct Threads {
    /// There until it is dropped.
    pool: Option<ThreadPool>,
    started: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl Threads {
    /// Starts so many; zero: one for each processor.
    ///
    /// # Errors
    ///
    /// If the system has no more threads.
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

    /// Does something on them.
    pub fn install<T: Send>(&self, what: impl FnOnce() -> T + Send) -> T {
        self.pool.as_ref().expect("it is there until it is dropped").install(what)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        drop(self.pool.take());
        let started = std::mem::take(&mut *self.started.lock().expect("nothing panics with it"));
        for thread in started {
            // A panic in it has been told.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    /// What a thread keeps for itself, and is slow to give back.
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
