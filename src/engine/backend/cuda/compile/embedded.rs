//! Kernels that come with the binary, so that a machine with nothing but a driver can run them: PTX for any GPU, and machine code
//! for those of some architectures, with which no first run waits for a compiler.
//!
//! The feature `embedded-ptx` takes them from the folder `INUNDATE_PTX_DIR`, where `inundate kernels --ptx` and `--cubin` wrote
//! them (see `make dist`). Code of other sources than this binary's is never used.

use crate::backend::cuda::compile::source::{Unit, fingerprint};
use crate::backend::cuda::device::library::Version;

/// Name of the unit and PTX, made by `build.rs`.
#[cfg(feature = "embedded-ptx")]
const TABLE: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded_ptx.rs"));
#[cfg(not(feature = "embedded-ptx"))]
const TABLE: &[(&str, &str)] = &[];

/// Name of the unit and its architecture (`common.sm_90`), and machine code as [`packed`] has it.
#[cfg(feature = "embedded-ptx")]
const CUBINS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/embedded_cubins.rs"));
#[cfg(not(feature = "embedded-ptx"))]
const CUBINS: &[(&str, &[u8])] = &[];

/// What starts the line that says of which sources code is.
const STAMP: &str = "// inundate kernels ";

/// The GPUs that embedded PTX is made for, and later ones: capability 7.5.
pub const CAPABILITY: u32 = 75;

/// PTX with a first line that says of which sources it is.
pub fn stamped(ptx: &str) -> String {
    format!("{STAMP}{}\n{ptx}", fingerprint())
}

/// Machine code made by an NVRTC of some version, compressed, behind lines that say of which sources and which CUDA it is.
pub fn packed(code: &[u8], made: Version) -> Vec<u8> {
    let head = format!("{STAMP}{}\n{made}\n", fingerprint());
    [head.as_bytes(), &lz4_flex::compress_prepend_size(code)].concat()
}

/// Whether a file's contents begin as PTX of [`stamped`] or machine code of [`packed`], of whatever sources.
pub fn is_stamped(contents: &[u8]) -> bool {
    contents.starts_with(STAMP.as_bytes())
}

/// Machine code and the CUDA that it is of, unless it is of other sources or damaged.
fn unpacked(packed: &[u8]) -> Option<(Vec<u8>, Version)> {
    let mut parts = packed.splitn(3, |&byte| byte == b'\n');
    let (stamp, made, code) = (parts.next()?, parts.next()?, parts.next()?);
    let (major, minor) = std::str::from_utf8(made).ok()?.split_once('.')?;
    let made = Version::new(major.parse().ok()?, minor.parse().ok()?);
    let is_current = stamp.strip_prefix(STAMP.as_bytes()) == Some(fingerprint().as_bytes());
    let code = is_current.then(|| lz4_flex::decompress_size_prepended(code).ok())?;
    Some((code?, made))
}

/// Whether machine code of a unit is embedded beside its PTX: not where a run has structures or
/// tables, which few do.
pub fn has_cubin(unit: &Unit) -> bool {
    !unit.name.contains("-structures") && !unit.name.contains("-tables")
}

/// The embedded machine code of a unit that runs on GPUs of a capability (90 for 9.0) with a driver, and the CUDA that it is of:
/// GPUs run that of their own major capability and no later minor one, drivers that of their own major version and before.
pub fn find_cubin(unit: &Unit, capability: u32, driver: Version) -> Option<(Vec<u8>, Version)> {
    let runs = |(name, _): &&(&str, &[u8])| {
        let arch = name.strip_prefix(unit.name.as_str())?.strip_prefix(".sm_")?;
        let arch: u32 = arch.parse().ok()?;
        (arch / 10 == capability / 10 && arch <= capability).then_some(arch)
    };
    let (_, code) = CUBINS.iter().filter(|row| runs(row).is_some()).max_by_key(runs)?;
    unpacked(code).filter(|(_, made)| made.major <= driver.major)
}

/// The embedded PTX of a unit.
pub fn find(unit: &Unit) -> Option<&'static str> {
    let (_, ptx) = TABLE.iter().find(|(name, _)| *name == unit.name)?;
    is_current(ptx).then_some(ptx)
}

/// The oldest driver that takes the embedded PTX, if there is any that is current.
pub(crate) fn needed_driver() -> Option<Version> {
    let versions = TABLE.iter().filter(|(_, ptx)| is_current(ptx)).map(|(_, ptx)| {
        // PTX that does not say is taken for the latest.
        ptx_version(ptx).map_or(Version::new(99, 0), cuda_of_ptx)
    });
    versions.max()
}

fn is_current(ptx: &str) -> bool {
    ptx.lines().next().and_then(|line| line.strip_prefix(STAMP)) == Some(fingerprint())
}

/// The version of the PTX language: 8.0 of `.version 8.0`.
fn ptx_version(ptx: &str) -> Option<Version> {
    let number = ptx.lines().find_map(|line| line.strip_prefix(".version "))?;
    let (major, minor) = number.trim().split_once('.')?;
    Some(Version::new(major.parse().ok()?, minor.parse().ok()?))
}

/// The CUDA with which a version of PTX came ("PTX ISA", release notes).
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
        assert_eq!(unpacked(&packed[..packed.len() / 2]), None);
        assert_eq!(unpacked(b""), None);
    }

    #[test]
    fn all_units_are_embedded_or_none() {
        let found = every_unit().iter().filter(|unit| find(unit).is_some()).count();
        let expected = if cfg!(feature = "embedded-ptx") { every_unit().len() } else { 0 };
        assert_eq!(found, expected);
        assert_eq!(needed_driver().is_some(), expected > 0);
        // Those of every architecture that there is machine code for.
        let units: Vec<Unit> = every_unit().into_iter().filter(has_cubin).collect();
        assert_eq!(CUBINS.len() % units.len(), 0);
        let driver = Version::new(99, 0);
        for unit in units.iter().filter(|_| !CUBINS.is_empty()) {
            assert!(find_cubin(unit, 90, driver).is_some(), "{}", unit.name);
            assert_eq!(find_cubin(unit, 90, Version::new(12, 9)), None);
        }
    }
}
