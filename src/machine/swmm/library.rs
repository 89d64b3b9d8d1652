//! SWMM's library: finds, opens and binds it.
//!
//! It is the `libswmm5.so` of the Python package `swmm-toolkit`. If `INUNDATE_SWMM` (a file or a
//! folder) is set, only that place is searched; otherwise the package beside a program installed by
//! pip comes first, then what the dynamic linker finds.

use crate::engine::own_file;
use crate::error::{Error, Result};
use libloading::Library;
use std::ffi::{c_char, c_double, c_float, c_int};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Environment variable with the library's file or folder.
pub const VARIABLE: &str = "INUNDATE_SWMM";

const NAME: &str = "libswmm5.so";
/// Folder of the library in the installed Python package.
const IN_PACKAGE: &str = "swmm/toolkit";
/// Versions with the functions of this binding: 5.2.0 to 5.2.999.
const VERSIONS: std::ops::Range<i32> = 52_000..53_000;
const HINT: &str = "install SWMM 5.2 with `pip install --target swmm swmm-toolkit==0.17.0`, and set INUNDATE_SWMM=swmm";

/// Status of SWMM: 0 is success.
pub(super) type Status = c_int;
type Texts = unsafe extern "C" fn(*const c_char, *const c_char, *const c_char) -> Status;
type Number = unsafe extern "C" fn(c_int, c_int, *mut c_double) -> Status;

/// SWMM's library, opened and never closed. All its state is global.
pub struct Swmm {
    /// Version, as 52004 for 5.2.4.
    pub version: i32,
    pub(super) open: Texts,
    pub(super) start: unsafe extern "C" fn(c_int) -> Status,
    pub(super) step: unsafe extern "C" fn(*mut c_double) -> Status,
    pub(super) end: unsafe extern "C" fn() -> Status,
    pub(super) report: unsafe extern "C" fn() -> Status,
    pub(super) close: unsafe extern "C" fn() -> Status,
    pub(super) error: unsafe extern "C" fn(*mut c_char, c_int) -> Status,
    pub(super) balance_errors:
        unsafe extern "C" fn(*mut c_float, *mut c_float, *mut c_float) -> Status,
    pub(super) count: unsafe extern "C" fn(c_int) -> c_int,
    pub(super) name: unsafe extern "C" fn(c_int, c_int, *mut c_char, c_int),
    pub(super) value: unsafe extern "C" fn(c_int, c_int) -> c_double,
    pub(super) date: unsafe extern "C" fn(
        c_int,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut c_int,
    ) -> Status,
    pub(super) node_parameter: Number,
    pub(super) set_node_parameter: unsafe extern "C" fn(c_int, c_int, c_double) -> Status,
    pub(super) node_result: Number,
    pub(super) set_inflow: unsafe extern "C" fn(c_int, c_double) -> Status,
    pub(super) set_stage: unsafe extern "C" fn(c_int, c_double) -> Status,
    /// SWMM's option ALLOW_PONDING, which its functions cannot set.
    pub(super) allow_ponding: Variable,
}

/// Global variable of SWMM.
pub(super) struct Variable(*mut c_int);

// SAFETY: the variable is used only by those who have opened SWMM, one at a time.
unsafe impl Send for Variable {}
// SAFETY: as above.
unsafe impl Sync for Variable {}

impl Variable {
    /// Sets the variable.
    ///
    /// # Safety
    /// SWMM must be open, and not in use by another thread.
    pub(super) unsafe fn set(&self, value: c_int) {
        // SAFETY: the address is that of a variable in a library that is never closed.
        unsafe { self.0.write(value) };
    }
}

/// Returns SWMM's library.
///
/// # Errors
/// If it is missing, or has another version.
pub fn swmm() -> Result<&'static Swmm> {
    static SWMM: OnceLock<Result<Swmm>> = OnceLock::new();
    SWMM.get_or_init(find).as_ref().map_err(Error::clone)
}

fn find() -> Result<Swmm> {
    let mut failure = None;
    for name in candidates()? {
        // SAFETY: opening a library runs its initializers. These are the names of SWMM's library,
        // which may be loaded at any time.
        match unsafe { Library::new(&name) } {
            Ok(library) => {
                return bind(library).map_err(|error| error.at(name.display()).hint(HINT));
            }
            // A name that no library has is not worth reporting.
            Err(error) if name.is_absolute() => failure = failure.or(Some(error)),
            Err(_) => {}
        }
    }
    let missing = "SWMM's library, which computes sewers, ";
    Err(match failure {
        Some(error) => {
            let reason = std::error::Error::source(&error).map(ToString::to_string);
            let reason = reason.unwrap_or_else(|| error.to_string());
            Error::input(format!("{missing}cannot be loaded: {reason}"))
        }
        None => Error::input(format!("{missing}was not found")),
    }
    .hint(HINT))
}

fn candidates() -> Result<Vec<PathBuf>> {
    if let Some(place) = std::env::var_os(VARIABLE).filter(|place| !place.is_empty()) {
        // An absolute path, so that the dynamic linker takes it for a path.
        let place = std::path::absolute(&place).unwrap_or_else(|_| place.into());
        let within = [place.join(NAME), place.join(IN_PACKAGE).join(NAME), place.clone()];
        let found = within.into_iter().find(|path| path.is_file()).ok_or_else(|| {
            let shown = place.display();
            Error::input(format!("{VARIABLE} is '{shown}', but there is no {NAME} there"))
                .hint(HINT)
        });
        return found.map(|path| vec![path]);
    }
    let beside = std::env::current_exe().map_or(Vec::new(), |program| packages_beside(&program));
    // A library that the user did not name must be a file of this user or of root, in a folder that
    // nobody else may write to.
    let is_trusted = |library: &PathBuf| {
        let folder = library.parent().unwrap_or(Path::new("/"));
        own_file::check_path(library).is_ok() && own_file::is_own_folder(folder)
    };
    let trusted = beside.into_iter().filter(is_trusted);
    Ok(trusted.chain([PathBuf::from(NAME)]).collect())
}

/// Returns the library in the Python packages beside a program installed by pip: for
/// `bin/inundate`, `lib/python3.12/site-packages/swmm/toolkit/libswmm5.so`.
fn packages_beside(program: &Path) -> Vec<PathBuf> {
    let Some(prefix) = program.parent().and_then(Path::parent) else { return Vec::new() };
    let entries = std::fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
    let pythons = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("python"));
    let place =
        |entry: std::fs::DirEntry| entry.path().join("site-packages").join(IN_PACKAGE).join(NAME);
    pythons.map(place).filter(|path| path.is_file()).collect()
}

fn bind(library: Library) -> Result<Swmm> {
    let version = {
        // SAFETY: every SWMM 5 has this function, with this type.
        let version = unsafe { library.get::<unsafe extern "C" fn() -> c_int>(b"swmm_getVersion") };
        // SAFETY: it only returns a constant.
        version.map(|version| unsafe { version() })
    };
    let version = version.map_err(|_| Error::input("sewers: the library is not SWMM's"))?;
    if !VERSIONS.contains(&version) {
        return Err(Error::input(format!(
            "sewers: the library is SWMM {}, but SWMM 5.2 is needed",
            show_version(version)
        )));
    }
    let swmm = bound(&library, version)
        .map_err(|_| Error::input("sewers: the library lacks the functions of SWMM's toolkit"))?;
    std::mem::forget(library);
    Ok(swmm)
}

/// Formats a version: 5.2.4 for 52004.
pub fn show_version(version: i32) -> String {
    format!("{}.{}.{}", version / 10_000, version / 1000 % 10, version % 1000)
}

fn bound(library: &Library, version: i32) -> std::result::Result<Swmm, libloading::Error> {
    // SAFETY: the types match the declarations in swmm5.h and toolkit.h of SWMM 5.2. The library is
    // never closed, so its symbols stay valid.
    unsafe {
        Ok(Swmm {
            version,
            open: *library.get(b"swmm_open")?,
            start: *library.get(b"swmm_start")?,
            step: *library.get(b"swmm_step")?,
            end: *library.get(b"swmm_end")?,
            report: *library.get(b"swmm_report")?,
            close: *library.get(b"swmm_close")?,
            error: *library.get(b"swmm_getError")?,
            balance_errors: *library.get(b"swmm_getMassBalErr")?,
            count: *library.get(b"swmm_getCount")?,
            name: *library.get(b"swmm_getName")?,
            value: *library.get(b"swmm_getValue")?,
            date: *library.get(b"swmm_getSimulationDateTime")?,
            node_parameter: *library.get(b"swmm_getNodeParam")?,
            set_node_parameter: *library.get(b"swmm_setNodeParam")?,
            node_result: *library.get(b"swmm_getNodeResult")?,
            set_inflow: *library.get(b"swmm_setNodeInflow")?,
            set_stage: *library.get(b"swmm_setOutfallStage")?,
            allow_ponding: Variable(*library.get::<*mut c_int>(b"AllowPonding")?),
        })
    }
}
