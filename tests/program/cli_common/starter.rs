//! Starts the program in about a millisecond: most of a start is finding and relocating the hundred
//! libraries of GDAL, so one process does that and waits before `main`, and a copy of it (fork)
//! runs each command (`starter.c`).

use super::Ran;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::{NamedTempFile, TempDir};

/// Maximum duration of a command before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(600);

/// The waiting process; it ends together with this one, which closes the pipe to it.
struct Starter {
    folder: TempDir,
    _process: Child,
}

impl Starter {
    fn new() -> Starter {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("starter.so");
        let source =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/cli_common/starter.c");
        let mut compiler = Command::new("cc");
        compiler
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .arg(&library)
            .arg(source);
        assert!(compiler.status().expect("there is a C compiler").success());
        let listener = UnixListener::bind(folder.path().join("socket")).unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_inundate"));
        program.env("LD_PRELOAD", library).stdin(OwnedFd::from(listener)).stdout(Stdio::piped());
        let _process = program.spawn().unwrap();
        Starter { folder, _process }
    }
}

/// Runs the program in a folder, with this process's environment and an empty stdin.
pub fn run(folder: &Path, arguments: &[&str]) -> Ran {
    static STARTER: OnceLock<Starter> = OnceLock::new();
    let starter = STARTER.get_or_init(Starter::new);
    let heard = || NamedTempFile::new_in(starter.folder.path()).unwrap();
    let (out, err) = (heard(), heard());
    let mut request = Vec::new();
    let mut word = |parts: &[&OsStr]| {
        parts.iter().for_each(|part| request.extend_from_slice(part.as_bytes()));
        request.push(0);
    };
    word(&[folder.as_os_str()]);
    word(&[out.path().as_os_str()]);
    word(&[err.path().as_os_str()]);
    word(&[arguments.len().to_string().as_ref()]);
    arguments.iter().for_each(|argument| word(&[argument.as_ref()]));
    std::env::vars_os().for_each(|(name, value)| word(&[&name, "=".as_ref(), &value]));

    let mut connection = UnixStream::connect(starter.folder.path().join("socket")).unwrap();
    connection.write_all(&request).unwrap();
    connection.shutdown(Shutdown::Write).unwrap();
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut number = || {
        let mut bytes = [0; 4];
        connection.read_exact(&mut bytes).map(|()| i32::from_ne_bytes(bytes))
    };
    let process = number().unwrap();
    let status = number().unwrap_or_else(|error| {
        // SAFETY: the process exists, because its parent waits for it and has not answered.
        unsafe { libc::kill(process, libc::SIGKILL) };
        panic!("{arguments:?} does not end: {error}")
    });
    let heard = |file: NamedTempFile| std::fs::read(file.path()).unwrap();
    let (stdout, stderr) = (heard(out), heard(err));
    Ran::from(Output { status: ExitStatus::from_raw(status), stdout, stderr })
}
