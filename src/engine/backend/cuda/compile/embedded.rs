//! Kernels embedded in the binary, so that a machine with only a driver can run them: PTX for any
//! GPU, and machine code for some architectures, which saves the first run the compilation.
//!
//! The feature `embedded-ptx` takes them from the folder `INUNDATE_PTX_DIR`, to which
//! `inundate kernels --ptx` and `--cubin` wrote them (see `make dist`). Code from sources other
//! than this binary's is never used.

use crate::backend::cuda::compile::source::{Unit, fingerprint};
use crate::backend::cuda::device::library::Version;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

/// What `build.rs` writes: the beginning of one of the PTX files, which all begin alike, and the
/// archives of the units' code by name: `ptx`, and the architectures (`sm_90`) with machine code as
/// encoded by [`packed`].
#[cfg(feature = "embedded-ptx")]
mod written {
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

    pub fn decompressed(archive: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut decoder = zstd::Decoder::new(archive)?;
        decoder.window_log_max(31)?;
        let mut contents = Vec::new();
        std::io::Read::read_to_end(&mut decoder, &mut contents)?;
        Ok(contents)
    }
}
#[cfg(not(feature = "embedded-ptx"))]
mod written {
    pub const PTX_HEAD: &str = "";
    pub const ARCHIVES: &[(&str, &[u8])] = &[];

    pub fn decompressed(_: &[u8]) -> std::io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}

use written::{ARCHIVES, PTX_HEAD, decompressed};

/// Name of the archive of PTX.
const PTX: &str = "ptx";

/// Code by the names of its units.
type Archive = HashMap<String, Vec<u8>>;

/// Prefix of the line that identifies the sources of the code.
const STAMP: &str = "// inundate kernels ";

/// Minimum compute capability for embedded PTX: 7.5.
pub const CAPABILITY: u32 = 75;

/// Prepends the line that identifies its sources to PTX.
pub fn stamped(ptx: &str) -> String {
    format!("{STAMP}{}\n{ptx}", fingerprint())
}

/// Prepends lines that identify its sources and the CUDA version of the NVRTC that compiled it to
/// machine code.
pub fn packed(code: &[u8], made: Version) -> Vec<u8> {
    let head = format!("{STAMP}{}\n{made}\n", fingerprint());
    [head.as_bytes(), code].concat()
}

/// Returns `true` if a file's contents begin like the output of [`stamped`] or [`packed`], from any
/// sources.
pub fn is_stamped(contents: &[u8]) -> bool {
    contents.starts_with(STAMP.as_bytes())
}

/// Decodes machine code and its CUDA version; `None` if it was compiled from other sources.
fn unpacked(packed: &[u8]) -> Option<(Vec<u8>, Version)> {
    let mut parts = packed.splitn(3, |&byte| byte == b'\n');
    let (stamp, made, code) = (parts.next()?, parts.next()?, parts.next()?);
    let (major, minor) = std::str::from_utf8(made).ok()?.split_once('.')?;
    let made = Version::new(major.parse().ok()?, minor.parse().ok()?);
    let is_current = stamp.strip_prefix(STAMP.as_bytes()) == Some(fingerprint().as_bytes());
    is_current.then(|| (code.to_vec(), made))
}

/// Returns an archive, decompressed the first time; `None` if there is none of that name, or if it
/// is damaged.
fn archive(name: &str) -> Option<&'static Archive> {
    static READ: Mutex<BTreeMap<&str, &Archive>> = Mutex::new(BTreeMap::new());
    let (name, compressed) = ARCHIVES.iter().find(|(known, _)| *known == name)?;
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(archive) = read.get(name) {
        return Some(archive);
    }
    let archive: &Archive = Box::leak(Box::new(entries(&decompressed(compressed).ok()?)?));
    read.insert(name, archive);
    Some(archive)
}

/// Decodes the entries of an archive: a line each with the name and the length, and the code.
fn entries(mut contents: &[u8]) -> Option<Archive> {
    let mut archive = Archive::new();
    while !contents.is_empty() {
        let mut parts = contents.splitn(3, |&byte| byte == b'\n');
        let (name, length, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let length: usize = std::str::from_utf8(length).ok()?.parse().ok()?;
        let (code, others) = rest.split_at_checked(length)?;
        archive.insert(String::from_utf8(name.to_vec()).ok()?, code.to_vec());
        contents = others;
    }
    Some(archive)
}

/// Returns the architecture (`sm_90`) of the embedded machine code for GPUs of a capability (90 for
/// 9.0), if there is any. GPUs run code of the same major capability and an equal or lower minor
/// one.
pub fn machine_code_for(capability: u32) -> Option<&'static str> {
    let runs = |name: &&str| {
        let arch: u32 = name.strip_prefix("sm_")?.parse().ok()?;
        (arch / 10 == capability / 10 && arch <= capability).then_some(arch)
    };
    ARCHIVES.iter().map(|(name, _)| *name).filter(|name| runs(name).is_some()).max_by_key(runs)
}

/// Finds the embedded machine code of a unit for GPUs of a capability and a driver, with its CUDA
/// version. Drivers run code of the same major version.
pub fn find_cubin(unit: &Unit, capability: u32, driver: Version) -> Option<(Vec<u8>, Version)> {
    let name = machine_code_for(capability)?;
    unpacked(archive(name)?.get(&unit.name)?).filter(|(_, made)| made.major <= driver.major)
}

/// Finds the embedded PTX of a unit.
pub fn find(unit: &Unit) -> Option<&'static str> {
    let ptx = std::str::from_utf8(archive(PTX)?.get(&unit.name)?).ok()?;
    is_current(ptx).then_some(ptx)
}

/// Returns the oldest driver that accepts the embedded PTX, if there is any that is current.
pub(crate) fn needed_driver() -> Option<Version> {
    // PTX without a version is assumed to be the latest.
    let version = || ptx_version(PTX_HEAD).map_or(Version::new(99, 0), cuda_of_ptx);
    is_current(PTX_HEAD).then(version)
}

fn is_current(ptx: &str) -> bool {
    ptx.lines().next().and_then(|line| line.strip_prefix(STAMP)) == Some(fingerprint())
}

/// Returns the version of the PTX language: 8.0 for `.version 8.0`.
fn ptx_version(ptx: &str) -> Option<Version> {
    let number = ptx.lines().find_map(|line| line.strip_prefix(".version "))?;
    let (major, minor) = number.trim().split_once('.')?;
    Some(Version::new(major.parse().ok()?, minor.parse().ok()?))
}

/// Returns the CUDA version that introduced a PTX version ("PTX ISA", release notes).
fn cuda_of_ptx(ptx: Version) -> Version {
    match (ptx.major, ptx.minor) {
        (8, 5) => Version::new(12, 5),
        (8, minor @ 6..) => Version::new(12, minor + 1),
        (major, minor) => Version::new(major + 4, minor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cuda::compile::source::every_unit;

    #[test]
    fn the_version_of_ptx_tells_the_driver() {
        let ptx = "// x\n.version 8.0\n.target sm_75\n";
        assert_eq!(ptx_version(ptx), Some(Version::new(8, 0)));
        assert_eq!(ptx_version("nothing"), None);
        for (ptx, cuda) in [
            ((7, 8), (11, 8)),
            ((8, 0), (12, 0)),
            ((8, 5), (12, 5)),
            ((8, 7), (12, 8)),
            ((9, 0), (13, 0)),
        ] {
            let version = cuda_of_ptx(Version::new(ptx.0, ptx.1));
            assert_eq!(version, Version::new(cuda.0, cuda.1), "{ptx:?}");
        }
    }

    #[test]
    fn ptx_of_other_sources_is_not_current() {
        assert!(is_current(&stamped(".version 8.0\n")));
        assert!(!is_current(".version 8.0\n"));
        assert!(!is_current(&format!("{STAMP}0123\n.version 8.0\n")));
    }

    #[test]
    fn machine_code_comes_back_as_it_was_packed_and_none_of_other_sources() {
        let code: Vec<u8> = (0..5000u32).map(|at| (at * at / 77) as u8).collect();
        let made = Version::new(13, 0);
        let packed = packed(&code, made);
        assert_eq!(unpacked(&packed), Some((code, made)));
        let mut other = packed.clone();
        other[STAMP.len()] ^= 1;
        assert_eq!(unpacked(&other), None);
        assert_eq!(unpacked(b""), None);
    }

    #[test]
    fn entries_of_an_archive_come_back_and_none_of_a_damaged_one() {
        let contents = b"common\n3\na\nbfused-inertial\n0\nlast\n2\n\n\n";
        let found = entries(contents).unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!((&*found["common"], &*found["last"]), (&b"a\nb"[..], &b"\n\n"[..]));
        assert!(found["fused-inertial"].is_empty() && entries(b"").unwrap().is_empty());
        assert!(entries(&contents[..contents.len() - 1]).is_none());
        assert!(entries(b"common\nthree\nabc").is_none());
    }

    #[test]
    fn all_units_are_embedded_or_none() {
        let found = every_unit().iter().filter(|unit| find(unit).is_some()).count();
        let expected = if cfg!(feature = "embedded-ptx") { every_unit().len() } else { 0 };
        assert_eq!(found, expected);
        assert_eq!(needed_driver().is_some(), expected > 0);
        let driver = Version::new(99, 0);
        for unit in every_unit().iter().filter(|_| archive("sm_90").is_some()) {
            assert!(find_cubin(unit, 90, driver).is_some(), "{}", unit.name);
            assert_eq!(find_cubin(unit, 90, Version::new(12, 9)), None);
        }
    }
}
