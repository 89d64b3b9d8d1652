//! Links the compression libraries that GDAL uses when it is built with some of the system's
//! libraries (`make dist`).

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=INUNDATE_CODECS");
    let codecs = std::env::var("INUNDATE_CODECS").unwrap_or_default();
    for codec in codecs.split(',').filter(|codec| !codec.is_empty()) {
        let package = format!("lib{codec}");
        let found = Command::new("pkg-config").args(["--variable=libdir", &package]).output();
        let found = found.expect("pkg-config finds libraries: install it");
        assert!(found.status.success(), "pkg-config finds no {package}: install {package}-dev");
        let folder = String::from_utf8_lossy(&found.stdout);
        println!("cargo:rustc-link-search=native={}", folder.trim());
        // Link the whole archive: the linker sees it before GDAL, which needs its symbols.
        println!("cargo:rustc-link-lib=static:+whole-archive,-bundle={codec}");
    }
}
