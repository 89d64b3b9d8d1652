//! Cache of compiled kernels on disk, so that a kernel is compiled once per machine.
//!
//! The cache may be deleted at any time: missing, damaged or unreadable entries are compiled again,
//! and failure to write one is not an error.

use crate::backend::cuda::compile::nvrtc::Nvrtc;
use crate::backend::cuda::compile::source::{Unit, fingerprint};
use crate::backend::cuda::compile::{Compiled, Target, compile_with, options};
use crate::error::Result;
use crate::own_file;
use crate::words::hexadecimal;
use sha2::{Digest, Sha256};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// First word of an entry; it changes with the format.
const MAGIC: &str = "inundate-kernel-1";

/// Maximum length of an entry (bytes).
const LONGEST: u64 = 1 << 28;

/// Returns the folder of compiled kernels: `kernels/` below `$INUNDATE_CACHE`, or
/// `$XDG_CACHE_HOME/inundate`, or `~/.cache/inundate`.
pub fn folder() -> Option<PathBuf> {
    let variable = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    let own = variable("INUNDATE_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|cache| cache.join("inundate")))
        .or_else(|| std::env::home_dir().map(|home| home.join(".cache/inundate")));
    own.map(|own| own.join("kernels"))
}

/// Compiles a unit, unless it is in the cache.
pub fn compile_once(nvrtc: &Nvrtc, unit: &Unit, target: Target) -> Result<Compiled> {
    let key = key(nvrtc, unit, target);
    through(folder().as_deref(), &key, || compile_with(nvrtc, unit, target))
}

/// Returns the SHA-256 of everything that the code depends on.
fn key(nvrtc: &Nvrtc, unit: &Unit, target: Target) -> String {
    let mut hash = Sha256::new();
    let options = options(target).join(" ");
    let version = nvrtc.version.to_string();
    let parts = [MAGIC, env!("CARGO_PKG_VERSION"), &version, &options, fingerprint(), &unit.source];
    for part in parts {
        hash.update(format!("{} {part}\n", part.len()));
    }
    hexadecimal(&hash.finalize())
}

/// Returns the entry of that key; creates and stores it if it is missing.
fn through(
    folder: Option<&Path>,
    key: &str,
    make: impl FnOnce() -> Result<Compiled>,
) -> Result<Compiled> {
    let Some(folder) = folder else { return make() };
    let path = folder.join(key);
    if let Some(found) = read(&path).ok().and_then(|entry| decode(&entry)) {
        return Ok(found);
    }
    let made = make()?;
    // Best effort: the next run compiles again if this fails.
    let _ = write(folder, &path, &encode(&made));
    Ok(made)
}

/// Reads an entry. Only files of this user or root are trusted as code.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut entry = Vec::new();
    own_file::open(path)?.take(LONGEST).read_to_end(&mut entry)?;
    Ok(entry)
}

/// Writes under a temporary name first, so that another process never reads half an entry.
fn write(folder: &Path, path: &Path, entry: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(entry)?;
    file.persist(path)?;
    Ok(())
}

/// Encodes an entry: a line with the code's length and the checksum of the rest; the code; the log.
fn encode(compiled: &Compiled) -> Vec<u8> {
    let body = [&compiled.code, compiled.log.as_bytes()].concat();
    let head = format!("{MAGIC} {} {}\n", compiled.code.len(), hexadecimal(&Sha256::digest(&body)));
    [head.into_bytes(), body].concat()
}

fn decode(entry: &[u8]) -> Option<Compiled> {
    let end = entry.iter().position(|byte| *byte == b'\n')?;
    let (head, body) = (std::str::from_utf8(&entry[..end]).ok()?, &entry[end + 1..]);
    let [magic, length, checksum] = head.split(' ').collect::<Vec<_>>().try_into().ok()?;
    if magic != MAGIC || checksum != hexadecimal(&Sha256::digest(body)) {
        return None;
    }
    let (code, log) = body.split_at_checked(length.parse().ok()?)?;
    Some(Compiled { code: code.to_vec(), log: String::from_utf8(log.to_vec()).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn made() -> Compiled {
        Compiled { code: b"\x7fELF\n\0code".to_vec(), log: "Used 7 registers\nµ".into() }
    }

    fn never() -> Result<Compiled> {
        panic!("it is in the cache")
    }

    #[test]
    fn what_was_made_once_is_not_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        assert_eq!(through(Some(&below), "k", || Ok(made())).unwrap(), made());
        assert_eq!(through(Some(&below), "k", never).unwrap(), made());
        let other = Compiled { log: String::new(), ..made() };
        assert_eq!(through(Some(&below), "other", || Ok(other.clone())).unwrap(), other);
        assert_eq!(std::fs::read_dir(&below).unwrap().count(), 2, "no temporary file is left");
    }

    #[test]
    fn a_damaged_entry_is_made_again_and_mended() {
        let folder = tempfile::tempdir().unwrap();
        let (place, path) = (Some(folder.path()), folder.path().join("k"));
        let whole = encode(&made());
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 1;
        let wrong_length = String::from_utf8_lossy(&whole).replacen(" 10 ", " 99 ", 1);
        assert_ne!(wrong_length.as_bytes(), whole);
        let cut = whole[..whole.len() - 3].to_vec();
        for damaged in [vec![], b"noise".to_vec(), flipped, wrong_length.into_bytes(), cut] {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(through(place, "k", || Ok(made())).unwrap(), made());
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
        // Unreadable, and impossible to replace.
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert_eq!(through(place, "k", || Ok(made())).unwrap(), made());
    }

    #[test]
    #[cfg(unix)]
    fn links_and_pipes_in_the_cache_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (place, path) = (folder.path().join("cache"), folder.path().join("cache/k"));
        std::fs::create_dir(&place).unwrap();
        let elsewhere = folder.path().join("planted");
        let planted = Compiled { code: b"\x7fELF planted".to_vec(), ..made() };
        std::fs::write(&elsewhere, encode(&planted)).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert_eq!(through(Some(&place), "k", || Ok(made())).unwrap(), made());
        assert_eq!(std::fs::read(&elsewhere).unwrap(), encode(&planted), "it is not written to");
        std::fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(through(Some(&place), "k", || Ok(made())).unwrap(), made());
    }

    #[test]
    fn without_a_place_to_write_kernels_are_compiled_every_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        for place in [None, Some(file.join("below"))] {
            for _ in 0..2 {
                let mut count = 0;
                let counted = || {
                    count += 1;
                    Ok(made())
                };
                assert_eq!(through(place.as_deref(), "k", counted).unwrap(), made());
                assert_eq!(count, 1);
            }
        }
    }

    #[test]
    fn a_failure_is_passed_on_and_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let failed = through(Some(folder.path()), "k", || Err(Error::run("broken"))).unwrap_err();
        assert_eq!(failed.what, "broken");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
