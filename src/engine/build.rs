//! Gathers the PTX that the feature `embedded-ptx` puts into the binary.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=INUNDATE_PTX_DIR");
    if env::var_os("CARGO_FEATURE_EMBEDDED_PTX").is_none() {
        return;
    }
    let help =
        "embedded-ptx: INUNDATE_PTX_DIR must name the folder that `inundate kernels --ptx` wrote";
    let folder = env::var("INUNDATE_PTX_DIR").expect(help);
    println!("cargo:rerun-if-changed={folder}");
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{help}: '{folder}': {error}"));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect(help).path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    paths.sort();
    assert!(!paths.is_empty(), "{help}: there is no PTX in '{folder}'");
    let lines = paths.iter().map(|path| {
        let (name, path) = (path.file_stem().unwrap(), fs::canonicalize(path).expect(help));
        format!("    ({name:?}, include_str!({path:?})),\n")
    });
    let table = format!("&[\n{}]\n", lines.collect::<String>());
    let to = Path::new(&env::var_os("OUT_DIR").unwrap()).join("embedded_ptx.rs");
    fs::write(to, table).unwrap();
}
