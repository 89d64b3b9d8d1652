//! Compiles kernels as C++ for this processor, and calls them.

// Each test program uses only a part of this module.
#![allow(dead_code)]

use inundate_engine::backend::cuda::compile::source::Unit;
use inundate_engine::words::hexadecimal;
use libloading::Library;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A function of `twin.h`: constants, number of cases, input columns and output columns.
type Function = unsafe extern "C" fn(*const f32, usize, *const *const u32, *const *mut u32);

/// A kernel: number of blocks across and down, threads per block, and arguments.
type Kernel = unsafe extern "C" fn(*const u32, *const u32, *const *const ());

/// Kernels and functions of a unit.
pub struct Twins {
    library: Library,
    /// Name of the unit, for messages.
    pub name: String,
}

impl Twins {
    /// Compiles a unit with the functions in a header of this folder, or uses a library compiled
    /// earlier from the same sources. As on a GPU, layouts and constants that differ from Rust's do
    /// not compile.
    pub fn new(unit: &Unit, functions: &str) -> Twins {
        let source =
            format!("#include \"cuda.h\"\n{}\n#include \"{functions}\"\n", for_host(&unit.source));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("host_twins");
        std::fs::create_dir_all(&folder).expect("a folder");
        let name = format!("{}-{functions}", unit.name);
        let (made, made_of) =
            (folder.join(format!("{name}.so")), folder.join(format!("{name}.txt")));
        let sources = fingerprint(&source);
        if !made.exists() || std::fs::read_to_string(&made_of).ok().as_ref() != Some(&sources) {
            let _ = std::fs::remove_file(&made_of);
            compile(&source, &unit.name, &made);
            std::fs::write(&made_of, sources).expect("a file");
        }
        // SAFETY: the library has no constructors.
        let library = unsafe { Library::new(&made) }.unwrap_or_else(|error| panic!("{error}"));
        Twins { library, name: unit.name.clone() }
    }

    /// Applies a function to columns of numbers; returns the results as bits.
    pub fn call(
        &self,
        function: &str,
        constants: &[f32],
        input: &[Vec<u32>],
        outputs: usize,
    ) -> Vec<Vec<u32>> {
        let count = input[0].len();
        let mut output = vec![vec![0; count]; outputs];
        let from: Vec<*const u32> = input.iter().map(|column| column.as_ptr()).collect();
        let to: Vec<*mut u32> = output.iter_mut().map(|column| column.as_mut_ptr()).collect();
        // SAFETY: every function in this folder has this type; the tests give the right number of
        // columns.
        unsafe {
            let name = format!("twin_{function}");
            let function = self.library.get::<Function>(name.as_bytes());
            let function = function.unwrap_or_else(|error| panic!("{}: {error}", self.name));
            function(constants.as_ptr(), count, from.as_ptr(), to.as_ptr());
        }
        output
    }

    /// Launches a kernel.
    ///
    /// # Safety
    /// The arguments must match the kernel, and pointers among them must be valid.
    pub unsafe fn launch(
        &self,
        kernel: &str,
        blocks: [u32; 2],
        threads: [u32; 2],
        arguments: &[*const ()],
    ) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.launch_along(kernel, &blocks, &threads, arguments) }
    }

    /// Launches a kernel along as many axes as the exported function takes.
    ///
    /// # Safety
    /// As for [`Twins::launch`].
    pub unsafe fn launch_along(
        &self,
        kernel: &str,
        blocks: &[u32],
        threads: &[u32],
        arguments: &[*const ()],
    ) {
        let name = format!("launch_{kernel}");
        // SAFETY: guaranteed by the caller.
        unsafe {
            let function = self.library.get::<Kernel>(name.as_bytes());
            let function = function.unwrap_or_else(|error| panic!("{}: {error}", self.name));
            function(blocks.as_ptr(), threads.as_ptr(), arguments.as_ptr());
        }
    }
}

/// Compiler options: no contraction of operations, and only symbols marked for export are visible.
const OPTIONS: [&str; 9] = [
    "-std=c++17",
    "-O1",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-w",
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-xc++",
];

fn compiler() -> String {
    std::env::var("CXX").unwrap_or_else(|_| "c++".into())
}

/// Returns the folders of the headers.
fn headers() -> [PathBuf; 2] {
    // Crates at different depths use this module.
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let root = above.find(|folder| folder.join("Cargo.lock").exists()).expect("the workspace");
    ["tests/host_twins", "kernels"].map(|folder| root.join(folder))
}

/// Compiles a source to a library, which is created atomically.
fn compile(source: &str, name: &str, to: &Path) {
    let part = tempfile::NamedTempFile::new_in(to.parent().expect("a folder")).expect("a file");
    let mut compile = Command::new(compiler());
    compile.args(OPTIONS).arg("-o").arg(part.path());
    for folder in headers() {
        compile.arg("-I").arg(folder);
    }
    let compile = compile.arg("-").stdin(Stdio::piped()).spawn();
    let mut compile = compile
        .unwrap_or_else(|error| panic!("{}, which `make test` installs: {error}", compiler()));
    let mut input = compile.stdin.take().expect("a pipe");
    input.write_all(source.as_bytes()).expect("a compiler that reads");
    drop(input);
    let done = compile.wait().expect("a compiler that ends");
    assert!(done.success(), "{name} does not compile for this processor");
    part.persist(to).expect("a file");
}

/// Returns a hash of compiler, source and headers.
fn fingerprint(source: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{} {OPTIONS:?}\n{source}", compiler()));
    let [ours, kernels] = headers();
    for folder in
        [ours, kernels.join("solvers"), kernels.join("sites"), kernels.join("structures"), kernels]
    {
        let files = std::fs::read_dir(folder).expect("a folder");
        let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.is_file()) {
            hash.update(std::fs::read(file).expect("a file"));
        }
    }
    hexadecimal(&hash.finalize())
}

/// Converts NVRTC's syntax for the offset of a field in a constant expression to GNU's.
fn for_host(source: &str) -> String {
    let mut parts = source.split("__INTADDR__(&");
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        // `((S *)0)->field)`, possibly in further brackets.
        let (of, rest) = part.split_once("->").expect("a field");
        let (field, rest) = rest.split_once(')').expect("its end");
        let structure = of.trim_start_matches('(').split(' ').next().expect("a struct");
        let open = of.matches('(').count() - of.matches(')').count();
        let rest = rest.strip_prefix(&")".repeat(open)).expect("as many brackets");
        text += &format!("__builtin_offsetof({structure}, {field}){rest}");
    }
    text
}
