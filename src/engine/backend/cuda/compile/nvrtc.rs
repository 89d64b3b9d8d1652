//! NVRTC, NVIDIA's run-time compiler: finds, opens and binds it.
//!
//! Bound here and not through cudarc, which can neither open a library by its path nor pass
//! headers, and which panics if a function is missing. If `INUNDATE_NVRTC` (a file or a folder) is
//! set, only that place is searched; otherwise libraries beside a program installed by pip come
//! first.

use crate::backend::cuda::device::library::{Version, reason};
use crate::own_file;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Environment variable with NVRTC's file or folder.
pub(crate) const NVRTC_VARIABLE: &str = "INUNDATE_NVRTC";

/// Names by which the dynamic linker may find it, best first.
const NAMES: [&str; 4] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "libnvrtc.so.11.2"];

/// Handle of a program being compiled.
pub type Program = *mut c_void;
/// Status of NVRTC: 0 is success.
pub(crate) type Status = c_int;
/// A function that returns the size of an output (bytes).
pub type Size = unsafe extern "C" fn(Program, *mut usize) -> Status;
/// A function that writes an output of that size.
pub type Bytes = unsafe extern "C" fn(Program, *mut c_char) -> Status;
type Texts = *const *const c_char;

/// NVRTC, opened and never closed.
pub struct Nvrtc {
    /// Version of NVRTC.
    pub version: Version,
    /// File from which it was loaded.
    pub path: PathBuf,
    /// Architectures for which it generates machine code, in ascending order: 90 for `sm_90`.
    pub architectures: Vec<u32>,
    pub(in crate::backend::cuda) create_program: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        Texts,
        Texts,
    ) -> Status,
    pub(in crate::backend::cuda) compile_program:
        unsafe extern "C" fn(Program, c_int, Texts) -> Status,
    pub(in crate::backend::cuda) destroy_program: unsafe extern "C" fn(*mut Program) -> Status,
    pub(in crate::backend::cuda) log: (Size, Bytes),
    pub(in crate::backend::cuda) ptx: (Size, Bytes),
    pub(in crate::backend::cuda) cubin: (Size, Bytes),
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
}

impl Nvrtc {
    /// Returns the meaning of a status.
    pub fn explain(&self, status: Status) -> String {
        // SAFETY: NVRTC returns a static string for every number.
        let text = unsafe { CStr::from_ptr((self.error_string)(status)) };
        text.to_string_lossy().into_owned()
    }
}

/// Returns NVRTC, or the reason why it is missing.
pub fn nvrtc() -> Result<&'static Nvrtc, &'static str> {
    static NVRTC: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
    NVRTC.get_or_init(find).as_ref().map_err(String::as_str)
}

fn find() -> Result<Nvrtc, String> {
    let mut failures = Vec::new();
    for name in candidates()? {
        // SAFETY: opening a library runs its initializers. These are the names of NVRTC, which may
        // be loaded at any time.
        let bound = match unsafe { Library::new(&name) } {
            Ok(library) => bind(library),
            Err(error) => Err(error),
        };
        match bound {
            Ok(nvrtc) => {
                open_builtins(&nvrtc.path);
                return Ok(nvrtc);
            }
            // A name that no library has is not worth reporting.
            Err(error) if name.is_absolute() => failures.push(reason(&error)),
            Err(_) => {}
        }
    }
    Err(match failures.first() {
        Some(failure) => format!("NVRTC cannot be loaded: {failure}"),
        None => "NVRTC was not found".into(),
    })
}

fn candidates() -> Result<Vec<PathBuf>, String> {
    if let Some(place) = std::env::var_os(NVRTC_VARIABLE).filter(|place| !place.is_empty()) {
        // An absolute path, so that the dynamic linker takes it for a path.
        let place = std::path::absolute(&place).unwrap_or_else(|_| place.into());
        let files = if place.is_dir() { libraries_in(&place) } else { vec![place.clone()] };
        if files.is_empty() || !files[0].is_file() {
            return Err(format!(
                "{NVRTC_VARIABLE} is '{}', but there is no libnvrtc there",
                place.display()
            ));
        }
        return Ok(files);
    }
    // Prefer what was installed with this program, then what the dynamic linker finds.
    let own = std::env::current_exe().map_or(Vec::new(), |program| packages_beside(&program));
    let own = own.iter().flat_map(|folder| libraries_in(folder)).filter(|file| is_trusted(file));
    let mut candidates: Vec<PathBuf> = own.chain(NAMES.iter().map(PathBuf::from)).collect();
    candidates.extend(folders().iter().flat_map(|folder| libraries_in(folder)));
    Ok(candidates)
}

/// Returns `true` if a library that the user did not name may be loaded: a file of this user or of
/// root, in a folder that nobody else may write to.
fn is_trusted(library: &Path) -> bool {
    let folder = library.parent().unwrap_or(Path::new("/"));
    own_file::check_path(library).is_ok() && own_file::is_own_folder(folder)
}

/// Returns the folders in which NVIDIA's Python packages keep their libraries, for a program
/// installed by pip: for `bin/inundate`, `lib/python3.12/site-packages/nvidia/cu13/lib`.
fn packages_beside(program: &Path) -> Vec<PathBuf> {
    let Some(prefix) = program.parent().and_then(Path::parent) else { return Vec::new() };
    let pythons = ["lib", "lib64"].iter().flat_map(|lib| entries(&prefix.join(lib)));
    let pythons = pythons.filter(|path| file_name(path).starts_with("python"));
    let mut packages: Vec<PathBuf> = pythons
        .flat_map(|python| ["site-packages", "dist-packages"].map(|name| python.join(name)))
        .flat_map(|packages| entries(&packages.join("nvidia")))
        .collect();
    packages.sort_by_key(|package| std::cmp::Reverse(numbers(&file_name(package))));
    packages.iter().map(|package| package.join("lib")).collect()
}

/// Returns the folders in which a toolkit keeps its libraries.
fn folders() -> Vec<PathBuf> {
    let variables = ["CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"];
    let mut toolkits: Vec<PathBuf> =
        variables.iter().filter_map(std::env::var_os).map(PathBuf::from).collect();
    let mut installed: Vec<PathBuf> = entries(Path::new("/usr/local"))
        .into_iter()
        .filter(|path| file_name(path).starts_with("cuda"))
        .collect();
    installed.sort_by_key(|path| std::cmp::Reverse(numbers(&file_name(path))));
    toolkits.append(&mut installed);
    let arch = std::env::consts::ARCH;
    let below = ["lib64", "lib", &format!("targets/{arch}-linux/lib"), "targets/sbsa-linux/lib"]
        .map(PathBuf::from);
    toolkits.iter().flat_map(|toolkit| below.iter().map(|below| toolkit.join(below))).collect()
}

/// Returns the NVRTC libraries in a folder, newest first.
fn libraries_in(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = entries(folder)
        .into_iter()
        .filter(|path| file_name(path).starts_with("libnvrtc.so"))
        .collect();
    found.sort_by_key(|path| std::cmp::Reverse(numbers(&file_name(path))));
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Extracts the numbers in a name, to sort by version: 12 and 4 of `libnvrtc.so.12.4`.
fn numbers(name: &str) -> Vec<u32> {
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// Opens the companion library from NVRTC's own folder: NVRTC looks for it by name only, which
/// finds libraries that are already open.
fn open_builtins(nvrtc: &Path) {
    for path in entries(nvrtc.parent().unwrap_or(Path::new("/"))) {
        if file_name(&path).starts_with("libnvrtc-builtins.so") {
            // SAFETY: opening a library runs its initializers. NVRTC would load this one itself,
            // and reports an error later if it cannot.
            if let Ok(library) = unsafe { Library::new(&path) } {
                std::mem::forget(library);
            }
        }
    }
}

fn bind(library: Library) -> Result<Nvrtc, libloading::Error> {
    // SAFETY: the types match the declarations in nvrtc.h, which have not changed since 11.2. The
    // library is never closed, so its symbols stay valid.
    unsafe {
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status =
            *library.get(b"nvrtcVersion")?;
        let count: unsafe extern "C" fn(*mut c_int) -> Status =
            *library.get(b"nvrtcGetNumSupportedArchs")?;
        let list: unsafe extern "C" fn(*mut c_int) -> Status =
            *library.get(b"nvrtcGetSupportedArchs")?;
        let (mut major, mut minor, mut number) = (0, 0, 0);
        version(&mut major, &mut minor);
        count(&mut number);
        let mut architectures = vec![0; number.max(0) as usize];
        list(architectures.as_mut_ptr());
        architectures.sort_unstable();
        let nvrtc = Nvrtc {
            version: Version::new(major as u32, minor as u32),
            path: path_of(version as *const c_void),
            architectures: architectures.into_iter().map(|number| number as u32).collect(),
            create_program: *library.get(b"nvrtcCreateProgram")?,
            compile_program: *library.get(b"nvrtcCompileProgram")?,
            destroy_program: *library.get(b"nvrtcDestroyProgram")?,
            log: (*library.get(b"nvrtcGetProgramLogSize")?, *library.get(b"nvrtcGetProgramLog")?),
            ptx: (*library.get(b"nvrtcGetPTXSize")?, *library.get(b"nvrtcGetPTX")?),
            cubin: (*library.get(b"nvrtcGetCUBINSize")?, *library.get(b"nvrtcGetCUBIN")?),
            error_string: *library.get(b"nvrtcGetErrorString")?,
        };
        std::mem::forget(library);
        Ok(nvrtc)
    }
}

/// Returns the file from which a function was loaded.
#[cfg(unix)]
fn path_of(function: *const c_void) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    // SAFETY: `Dl_info` holds only pointers, for which null is valid.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is that of a function in an open library, and `info` is a writable local.
    if unsafe { libc::dladdr(function, &mut info) } == 0 || info.dli_fname.is_null() {
        return PathBuf::new();
    }
    // SAFETY: the linker's string is null-terminated and lives as long as the library, which is
    // never closed.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes()))
}

/// Not available on other systems.
#[cfg(not(unix))]
fn path_of(_function: *const c_void) -> PathBuf {
    PathBuf::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pip_installed_beside_a_program_is_found_the_newest_first() {
        let place = tempfile::tempdir().unwrap();
        let packages = place.path().join("lib/python3.12/site-packages/nvidia");
        for package in ["cuda_nvrtc", "cu13", "cublas"] {
            std::fs::create_dir_all(packages.join(package).join("lib")).unwrap();
        }
        std::fs::create_dir_all(place.path().join("lib/other/site-packages/nvidia/cu14/lib"))
            .unwrap();
        for name in ["cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12"] {
            std::fs::write(packages.join(name), "").unwrap();
        }
        let folders = packages_beside(&place.path().join("bin/inundate"));
        let found = folders.iter().flat_map(|folder| libraries_in(folder));
        let found: Vec<String> = found.map(|file| file_name(&file)).collect();
        assert_eq!(found, ["libnvrtc.so.13", "libnvrtc.so.12"]);
    }

    #[test]
    #[cfg(unix)]
    fn a_library_that_another_could_have_put_there_is_not_trusted() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("libnvrtc.so.13");
        std::fs::write(&file, "").unwrap();
        assert!(is_trusted(&file));
        let link = place.path().join("libnvrtc.so");
        symlink(&file, &link).unwrap();
        assert!(!is_trusted(&link));
        std::fs::set_permissions(place.path(), PermissionsExt::from_mode(0o777)).unwrap();
        assert!(!is_trusted(&file), "everyone may write to its folder");
    }
}
