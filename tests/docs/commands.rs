//! Every command that the README and the docs show in `sh` blocks runs and succeeds. Each page gets
//! its own folder with the demo's terrain as `dem.tif`, and its blocks run in order. The README
//! also gets the demo's storm; other pages write theirs. Set-up commands (`make …`) must name a
//! target of the Makefile. Then the figures that the page lists in comments are compared with the
//! results (`figures.py`).
//!
//! The commands are unchanged, but only `make docs-check` and `make test-all` use the pages' cell
//! sizes. In `make test`, the terrain has cells of twice the size, and so have the grids that pages
//! make with GDAL's tools; `bench` steps a smaller grid. Figures are then only looked up in the text.

use crate::cli_common::Raster;
use crate::tier;
use gdal::Dataset;
use gdal::raster::ResampleAlg;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the `sh` blocks of a page.
fn blocks(page: &str) -> Vec<String> {
    let mut inside = false;
    let mut blocks: Vec<String> = Vec::new();
    for line in page.lines() {
        match (inside, line.trim_end()) {
            (false, "```sh") => {
                inside = true;
                blocks.push(String::new());
            }
            (true, "```") => inside = false,
            (true, line) => *blocks.last_mut().unwrap() += &format!("{line}\n"),
            _ => {}
        }
    }
    blocks
}

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for folder in ["docs", "docs/decisions", "docs/tutorials"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        pages.extend(entries.map(|entry| entry.unwrap().path()));
    }
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    if let Err(why) = inundate::machine::swmm::library::swmm() {
        let required = std::env::var("INUNDATE_REQUIRE_SWMM").is_ok_and(|value| value == "1");
        assert!(!required, "SWMM is required, but: {}", why.what);
        pages.retain(|page| !page.ends_with("tutorials/sewers.md"));
    }
    pages.sort();
    pages
}

/// Ratio of the cell size in `make test` to the cell size of the pages.
const COARSER: usize = 2;

/// The grid of a page's `bench`, and its replacement in `make test`.
const BENCH: [&str; 2] = ["bench --size 1024", "bench --size 128"];

/// Writes the demo's terrain with larger cells.
fn write_coarser(from: &Path, to: &Path) {
    let file = Dataset::open(from).unwrap();
    let (columns, rows) = file.raster_size();
    let size = (columns / COARSER, rows / COARSER);
    let window = (size.0 * COARSER, size.1 * COARSER);
    let band = file.rasterband(1).unwrap();
    let values = band.read_as::<f64>((0, 0), window, size, Some(ResampleAlg::Average)).unwrap();
    let mut transform = file.geo_transform().unwrap();
    for step in [1, 2, 4, 5] {
        transform[step] *= COARSER as f64;
    }
    let code = file.spatial_ref().unwrap().auth_code().unwrap();
    let mut raster = Raster::new(size.0, size.1, |_, _| 0.0).transform(transform);
    raster = raster.epsg(code as u32).nodata(band.no_data_value());
    raster.values = values.data().to_vec();
    raster.write(to);
}

/// Writes tools to a folder that take precedence over GDAL's, and make larger cells than requested.
fn write_coarser_tools(folder: &Path, path: &str) {
    use std::os::unix::fs::PermissionsExt;
    for tool in ["gdalwarp", "gdal_rasterize"] {
        let found = path.split(':').map(|folder| Path::new(folder).join(tool)).find(|p| p.exists());
        let found = found.unwrap_or_else(|| panic!("there is no {tool}: make setup-tools"));
        let script = format!(
            "#!/bin/bash\nall=()\nwhile [ $# -gt 0 ]; do\n  all+=(\"$1\")\n  if [ \"$1\" = -tr ]; then\n    \
             all+=($(($2 * {COARSER})) $(($3 * {COARSER})))\n    shift 2\n  fi\n  shift\ndone\n\
             exec {} \"${{all[@]}}\"\n",
            found.display()
        );
        let to = folder.join(tool);
        std::fs::write(&to, script).unwrap();
        std::fs::set_permissions(&to, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Compares the figures that a page lists in comments with the results in a folder. Results of other
/// cells than the page's have other figures: then only the texts are checked.
fn check_figures(page: &Path, folder: &Path, search: &str) {
    let checker = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/docs/figures.py");
    let mut command = Command::new("python3");
    command.arg(checker).arg(page).current_dir(folder).env("PATH", search);
    if !tier::all() {
        command.arg("--texts");
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_command_in_the_docs_runs_and_its_figures_match() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let binary = Path::new(env!("CARGO_BIN_EXE_inundate"));
    let path = std::env::var("PATH").unwrap();
    let mut search = format!("{}:{path}", binary.parent().unwrap().display());
    let terrain = root.join("data/jacksboro.tif");
    let tools = tempfile::tempdir().unwrap();
    if !tier::all() {
        write_coarser_tools(tools.path(), &path);
        search = format!("{}:{search}", tools.path().display());
    }
    let run = |page: PathBuf| {
        let folder = tempfile::tempdir().unwrap();
        let dem = folder.path().join("dem.tif");
        match tier::all() {
            true => drop(std::fs::copy(&terrain, dem).unwrap()),
            false => write_coarser(&terrain, &dem),
        }
        if page.ends_with("README.md") {
            std::fs::copy(root.join("data/storm.csv"), folder.path().join("storm.csv")).unwrap();
        }
        let text = std::fs::read_to_string(&page).unwrap();
        let mut count = 0;
        for mut block in blocks(&text) {
            if !tier::all() {
                block = block.replace(BENCH[0], BENCH[1]);
            }
            let output = Command::new("bash")
                .args(["-euc", &block])
                .current_dir(folder.path())
                .env("PATH", &search)
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{}: this failed:\n{block}{}",
                page.display(),
                String::from_utf8_lossy(&output.stderr)
            );
            count += block.lines().filter(|line| line.starts_with("inundate ")).count();
        }
        if text.contains("\n<!-- figure: ") {
            check_figures(&page, folder.path(), &search);
        }
        count
    };
    // One page at a time on each processor: commands mostly use one thread.
    let count: usize = pages().into_par_iter().map(run).sum();
    assert!(count >= 10, "the docs show commands, but only {count} were found");
}

#[test]
fn every_make_target_in_the_docs_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let makefile = std::fs::read_to_string(root.join("Makefile")).unwrap();
    let mut count = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        // In code, inline or indented; "make" in prose is not a command.
        for piece in text.split("`make ").chain(text.split("    make ")).skip(1) {
            let end = piece.find(|c: char| !(c.is_ascii_lowercase() || c == '-'));
            let target = &piece[..end.unwrap_or(piece.len())];
            if !target.is_empty() && piece.len() < text.len() {
                let exists = makefile.lines().any(|line| line.starts_with(&format!("{target}:")));
                assert!(exists, "{}: there is no `make {target}`", page.display());
                count += 1;
            }
        }
    }
    assert!(count >= 4, "the docs name targets, but only {count} were found");
}

#[test]
fn the_demo_installs_everything_the_quickstart_and_tutorials_use() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // On a machine without any program, make would install everything; here it only lists it.
    let make = Command::new("make")
        .args(["--dry-run", "--no-print-directory", "demo"])
        .current_dir(root)
        .output();
    let Ok(make) = make else { return eprintln!("skipped: there is no make") };
    let said = String::from_utf8_lossy(&make.stdout);
    assert!(make.status.success(), "{}", String::from_utf8_lossy(&make.stderr));
    let installs = |package: &str| {
        said.lines().any(|line| line.contains("apt-get install") && line.contains(package))
    };
    assert!(installs("libgdal-dev"), "{said}");
    let quickstart = std::fs::read_to_string(root.join("docs/quickstart.md")).unwrap();
    assert!(quickstart.contains("`make demo` also installs"));
    for (program, package) in
        [("gdalwarp ", "gdal-bin"), ("gdal_rasterize ", "gdal-bin"), ("python3 ", "python3")]
    {
        let used = pages().into_iter().any(|page| {
            let text = std::fs::read_to_string(page).unwrap();
            blocks(&text).iter().any(|block| block.contains(program))
        });
        assert!(used, "no page uses {program}: then it need not be installed");
        assert!(installs(package), "the tutorials use {program}: {said}");
    }
}
