//! The running program: observed, stopped and killed.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Maximum waiting time of a test; not a measure of speed.
const PATIENCE: Duration = Duration::from_secs(600);

/// Waits until something has happened.
pub fn wait_until<T>(what: &str, mut happened: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(result) = happened() {
            return result;
        }
        assert!(start.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A process, killed when dropped.
pub struct RunningProgram(Child);

impl Drop for RunningProgram {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl RunningProgram {
    pub fn start(mut command: Command) -> RunningProgram {
        RunningProgram(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap())
    }

    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Sends a signal; returns `false` if the process had already ended.
    pub fn signal(&mut self, signal: libc::c_int) -> bool {
        // SAFETY: the child is ours and has not been waited for.
        !self.has_ended() && unsafe { libc::kill(self.0.id() as libc::pid_t, signal) } == 0
    }

    /// Waits for the end; returns stderr too.
    pub fn end(&mut self) -> (ExitStatus, String) {
        let status = wait_until("the end", || self.0.try_wait().unwrap());
        let mut text = String::new();
        self.0.stderr.as_mut().unwrap().read_to_string(&mut text).unwrap();
        (status, text)
    }
}
