//! Compiles kernels with NVRTC.
//!
//! Options that affect arithmetic are fixed: every operation is correctly rounded, without
//! contraction and without flushing to zero, so that a GPU computes the same bits as a CPU.

pub(crate) mod assertions;
pub mod cache;
pub(crate) mod constants;
pub mod embedded;
pub mod fields;
pub mod load;
pub mod nvrtc;
pub mod source;
pub mod usage;

use crate::backend::cuda::compile::nvrtc::{Bytes, Nvrtc, Program, Size, Status, nvrtc};
use crate::backend::cuda::compile::source::{Unit, files};
use crate::error::{Error, Result};
use std::ffi::{CString, c_char, c_int};

/// Compilation target. Numbers are compute capabilities: 90 for 9.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Machine code (CUBIN) for GPUs of this capability.
    Sm(u32),
    /// PTX text, which drivers compile for GPUs of this capability and later.
    Ptx(u32),
}

impl Target {
    /// Returns the best target of an NVRTC for a GPU: machine code, or PTX for the latest earlier
    /// architecture. `None` if all architectures that NVRTC supports are later.
    pub fn best(capability: u32, architectures: &[u32]) -> Option<Target> {
        if architectures.contains(&capability) {
            return Some(Target::Sm(capability));
        }
        architectures.iter().copied().filter(|arch| *arch < capability).max().map(Target::Ptx)
    }

    /// Returns the name of the architecture: `sm_90`, `compute_75`.
    pub fn architecture(self) -> String {
        match self {
            Target::Sm(number) => format!("sm_{number}"),
            Target::Ptx(number) => format!("compute_{number}"),
        }
    }
}

/// Result of compiling a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// A CUBIN, or PTX as text without a terminating zero.
    pub code: Vec<u8>,
    /// Log of NVRTC; for machine code with the register usage per kernel
    /// ([`crate::backend::cuda::compile::usage`]).
    pub log: String,
}

/// Returns the hint if there is no NVRTC of a driver's major version.
pub(crate) fn get_nvrtc(major: u32) -> String {
    let package = if major < 13 { "nvidia-cuda-nvrtc-cu12" } else { "nvidia-cuda-nvrtc==13.0.*" };
    format!(
        "install NVRTC (`pip install {package}`) and set INUNDATE_NVRTC to the folder with its \
         libnvrtc.so, or use the release binary, which has the kernels compiled"
    )
}

/// Returns NVRTC, or the error that it is missing.
pub fn compiler() -> Result<&'static Nvrtc> {
    nvrtc()
        .map_err(|why| Error::input(format!("cannot compile kernels: {why}")).hint(get_nvrtc(13)))
}

/// NVRTC has no offsetof; the assertions of a struct's layout use it under its builtin name.
const OFFSETOF: &str =
    "--define-macro=__builtin_offsetof(type,member)=__INTADDR__(&((type*)0)->member)";

/// Returns the options of a compilation.
pub fn options(target: Target) -> Vec<String> {
    let mut options = vec![
        format!("--gpu-architecture={}", target.architecture()),
        "--std=c++17".into(),
        "--fmad=false".into(),
        "--ftz=false".into(),
        "--prec-div=true".into(),
        "--prec-sqrt=true".into(),
        OFFSETOF.into(),
    ];
    if let Target::Sm(_) = target {
        options.push("--ptxas-options=-v".into());
    }
    // Lets a profiler show lines of source beside machine code.
    if std::env::var_os("INUNDATE_LINEINFO").is_some_and(|value| !value.is_empty() && value != "0")
    {
        options.push("--generate-line-info".into());
    }
    options
}

/// Compiles a unit with a given NVRTC.
pub fn compile_with(nvrtc: &Nvrtc, unit: &Unit, target: Target) -> Result<Compiled> {
    let failed = |what: &str, status: Status| {
        Error::run(format!("kernel {}: {what}: {}", unit.name, nvrtc.explain(status)))
    };
    let program = Running::create(nvrtc, unit).map_err(|status| failed("NVRTC failed", status))?;
    let options: Vec<CString> = options(target).into_iter().map(c_string).collect();
    let pointers = pointers(&options);
    // SAFETY: the program has not been destroyed, and `pointers` holds as many null-terminated
    // strings as its length.
    let status = unsafe {
        (nvrtc.compile_program)(program.program, pointers.len() as c_int, pointers.as_ptr())
    };
    let log = program.get(nvrtc.log).map_err(|status| failed("NVRTC returned no log", status))?;
    let log = String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_string();
    if status != 0 {
        let error = failed(&format!("does not compile for {}", target.architecture()), status);
        return Err(Error { what: format!("{}\n{log}", error.what), ..error });
    }
    let code = match target {
        Target::Sm(_) => program.get(nvrtc.cubin),
        Target::Ptx(_) => program.get(nvrtc.ptx),
    };
    let mut code = code.map_err(|status| failed("NVRTC returned no code", status))?;
    if let Target::Ptx(_) = target {
        while code.last() == Some(&0) {
            code.pop();
        }
    }
    if code.is_empty() {
        return Err(Error::run(format!("kernel {}: NVRTC returned no code", unit.name)));
    }
    Ok(Compiled { code, log })
}

/// A program at NVRTC, with the strings to which it may refer.
struct Running<'a> {
    nvrtc: &'a Nvrtc,
    program: Program,
    _texts: Vec<CString>,
}

impl<'a> Running<'a> {
    fn create(nvrtc: &'a Nvrtc, unit: &Unit) -> std::result::Result<Running<'a>, Status> {
        let (names, headers): (Vec<CString>, Vec<CString>) =
            files().map(|(name, text)| (c_string(name), c_string(text))).unzip();
        let (source, name) =
            (c_string(unit.source.as_str()), c_string(format!("{}.cu", unit.name)));
        let mut program: Program = std::ptr::null_mut();
        // SAFETY: both strings are null-terminated and outlive the call, which copies them.
        let status = unsafe {
            (nvrtc.create_program)(
                &mut program,
                source.as_ptr(),
                name.as_ptr(),
                headers.len() as c_int,
                pointers(&headers).as_ptr(),
                pointers(&names).as_ptr(),
            )
        };
        // Moved, not copied: the pointers stay valid.
        let texts = names.into_iter().chain(headers).chain([source, name]).collect();
        if status == 0 { Ok(Running { nvrtc, program, _texts: texts }) } else { Err(status) }
    }

    /// Fetches an output that NVRTC returns as a size and bytes.
    fn get(&self, (size, bytes): (Size, Bytes)) -> std::result::Result<Vec<u8>, Status> {
        let mut length = 0;
        // SAFETY: the program has not been destroyed, and the pointer is to a local.
        let status = unsafe { size(self.program, &mut length) };
        let mut to = vec![0u8; length];
        if status != 0 || length == 0 {
            return if status == 0 { Ok(to) } else { Err(status) };
        }
        // SAFETY: `to` has room for the number of bytes that NVRTC has just returned.
        let status = unsafe { bytes(self.program, to.as_mut_ptr().cast()) };
        if status == 0 { Ok(to) } else { Err(status) }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        // SAFETY: the program was created in `create` and is destroyed only here.
        unsafe { (self.nvrtc.destroy_program)(&mut self.program) };
    }
}

/// Converts text to a C string, replacing zeros, which sources and options do not contain.
fn c_string(text: impl Into<String>) -> CString {
    CString::new(text.into().replace('\0', " ")).expect("zeros are replaced")
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_where_nvrtc_can_and_else_the_latest_ptx_before_it() {
        let known = [75, 80, 86, 90];
        assert_eq!(Target::best(86, &known), Some(Target::Sm(86)));
        assert_eq!(Target::best(89, &known), Some(Target::Ptx(86)));
        assert_eq!(Target::best(120, &known), Some(Target::Ptx(90)));
        assert_eq!(Target::best(70, &known), None);
        assert_eq!(Target::best(70, &[]), None);
    }

    #[test]
    fn arithmetic_is_pinned_for_every_target() {
        for target in [Target::Sm(90), Target::Ptx(75)] {
            let options = options(target);
            for option in ["--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"] {
                assert!(options.iter().any(|given| given == option), "{target:?}: {option}");
            }
        }
    }
}
