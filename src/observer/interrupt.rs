//! Ctrl-C: stop at the end of the step.

use crate::backend::Backend;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::simulation::Observer;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the run when a flag is raised.
pub struct Interrupt<'a>(pub &'a AtomicBool);

impl Observer for Interrupt<'_> {
    fn after_step(&mut self, clock: &Clock, _backend: &dyn Backend) -> Result<()> {
        if self.0.load(Ordering::Relaxed) && !clock.is_over() {
            let when = clock.show(clock.now());
            return Err(Error::interrupted(format!("stopped by the user at {when}")));
        }
        Ok(())
    }
}
