//! PTX that comes with the binary, so that a machine with nothing but a driver can run the kernels.
//!
//! The feature `embedded-ptx` takes it from the folder `INUNDATE_PTX_DIR`, where
//! `inundate kernels --ptx` wrote it (see `make dist`). PTX of other sources than this binary's is
//! never used.

use super::library::Version;
use super::source::{Unit, fingerprint};

/// Name of the unit and PTX, made by `build.rs`.
#[cfg(feature = "embedded-ptx")]
const TABLE: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded_ptx.rs"));
#[cfg(not(feature = "embedded-ptx"))]
const TABLE: &[(&str, &str)] = &[];

/// What starts the line that says of which sources PTX is.
const STAMP: &str = "// inundate kernels ";

/// The GPUs that embedded PTX is made for, and later ones: capability 7.5.
pub const CAPABILITY: u32 = 75;

/// PTX with a first line that says of which sources it is.
pub fn stamped(ptx: &str) -> String {
    format!("{STAMP}{}\n{ptx}", fingerprint())
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
    use super::super::source::every_unit;
    use super::*;

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
    fn all_units_are_embedded_or_none() {
        let found = every_unit().iter().filter(|unit| find(unit).is_some()).count();
        let expected = if cfg!(feature = "embedded-ptx") { every_unit().len() } else { 0 };
        assert_eq!(found, expected);
        assert_eq!(needed_driver().is_some(), expected > 0);
    }
}
