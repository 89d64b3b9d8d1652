//! The running program: observed, stopped and killed.

use super::{Arguments, Ran, Workshop};
use std::io::Read;
use std::process::{Child, Command, Output, Stdio};
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
        RunningProgram(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    pub fn id(&self) -> u32 {
        self.0.id()
    }

    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Sends a signal; returns `false` if the process had already ended.
    pub fn signal(&mut self, signal: libc::c_int) -> bool {
        // SAFETY: the child is ours and has not been waited for.
        !self.has_ended() && unsafe { libc::kill(self.0.id() as libc::pid_t, signal) } == 0
    }

    pub fn end(&mut self) -> Ran {
        let status = wait_until("the end", || self.0.try_wait().unwrap());
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        self.0.stdout.as_mut().unwrap().read_to_end(&mut stdout).unwrap();
        self.0.stderr.as_mut().unwrap().read_to_end(&mut stderr).unwrap();
        Ran::from(Output { status, stdout, stderr })
    }

    /// Stops the run by a signal, and waits for its end.
    #[track_caller]
    pub fn stop(&mut self, signal: libc::c_int) -> Ran {
        assert!(self.signal(signal), "it has ended: {}", self.end().err);
        let ran = self.end();
        assert_eq!(ran.code, Some(130), "{}", ran.err);
        ran
    }
}

impl Workshop {
    /// Starts the program in the folder.
    pub fn start(&self, arguments: &(impl Arguments + ?Sized)) -> RunningProgram {
        RunningProgram::start(self.command(arguments))
    }

    /// Starts a run, and stops it when there is a file.
    #[track_caller]
    pub fn stop_at(&self, file: &str, arguments: &(impl Arguments + ?Sized)) -> Ran {
        let mut running = self.start(arguments);
        let path = self.path(file);
        // A run that cannot start has none.
        wait_until(file, || (path.exists() || running.has_ended()).then_some(()));
        running.stop(libc::SIGTERM)
    }
}
