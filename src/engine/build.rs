//! Collects the PTX and machine code that the feature `embedded-ptx` embeds in the binary.

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
    paths.sort();
    for (kind, include, to) in [
        ("ptx", "include_str", "embedded_ptx.rs"),
        ("cubin", "include_bytes", "embedded_cubins.rs"),
    ] {
        let of_kind = paths.iter().filter(|path| path.extension().is_some_and(|e| e == kind));
        let lines: Vec<String> = of_kind
            .map(|path| {
                let (name, path) = (path.file_stem().unwrap(), fs::canonicalize(path).expect(help));
                format!("    ({name:?}, {include}!({path:?})),\n")
            })
            .collect();
        assert!(kind != "ptx" || !lines.is_empty(), "{help}: there is no PTX in '{folder}'");
        let to = Path::new(&env::var_os("OUT_DIR").unwrap()).join(to);
        fs::write(to, format!("&[\n{}]\n", lines.concat())).unwrap();
    }
}
