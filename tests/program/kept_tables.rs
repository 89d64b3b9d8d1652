//! The file of `subgrid_tables` is untrusted input: whatever is in its place, no run hangs, no data
//! is lost, and tables that do not match the ground are not used.

use crate::cli_common;

use cli_common::state_files::StateFile;
use cli_common::{Raster, Workshop};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

const KEEPS: &str = "subgrid_tables: the tables are kept in 't.bin'";
const TAKES: &str = "subgrid_tables: the tables are read from 't.bin'";

const RUN: &str = "run --dem dem.tif --subgrid 3 --rain '60 mm/h' --duration '1 min' --overwrite";

fn run(workshop: &Workshop, file: &str) -> cli_common::Ran {
    workshop.inundate(&format!("{RUN} --subgrid-tables '{file}'"))
}

fn workshop() -> Workshop {
    Workshop::with_dem(&Raster::terrain(31, 20))
}

#[test]
fn rebuilds_tables_that_do_not_match_the_ground() {
    let workshop = workshop();
    run(&workshop, "t.bin").done().says(&[KEEPS]);
    let path = workshop.path("t.bin");
    let whole = std::fs::read(&path).unwrap();
    let kept = StateFile::read(&path);
    let cells = 11 * 7;
    type Forge<'a> = &'a dyn Fn(&mut StateFile);
    let forgeries: [(&str, Forge, &str); 9] = [
        (
            "endless columns",
            &|kept| kept.header["columns"] = json!(1u64 << 40),
            "cells, and the ground has 11 x 7",
        ),
        (
            "more rows than fit",
            &|kept| kept.header["rows"] = json!(u64::MAX),
            "and the ground has 11 x 7",
        ),
        (
            "rows for columns",
            &|kept| {
                kept.header["columns"] = json!(7);
                kept.header["rows"] = json!(11);
            },
            "it has 7 x 11 cells",
        ),
        ("no cells", &|kept| kept.header["columns"] = json!(0), "it has 0 x 7 cells"),
        (
            "another ratio",
            &|kept| kept.header["origin"]["ratio"] = json!(5),
            "another number of pixels per cell",
        ),
        (
            "a bed far below",
            &|kept| kept.numbers[cells - 1] = (-16_000i32 << 16) as u32,
            "its bed at column 10, row 6 differs from the ground",
        ),
        (
            "a bed far above",
            &|kept| kept.numbers[3] = 16_000 << 16,
            "its bed at column 3, row 0 differs from the ground",
        ),
        ("too little", &|kept| kept.numbers.truncate(cells), "is damaged (it is cut short)"),
        ("too much", &|kept| kept.numbers.push(1), "it holds more than its tables"),
    ];
    for (name, forge, says) in forgeries {
        let mut forged = kept.clone();
        forge(&mut forged);
        forged.write(&path);
        run(&workshop, "t.bin").done().says(&[says, "they are built again", KEEPS]);
        assert!(
            std::fs::read(&path).unwrap() == whole,
            "{name}: the new tables are those of the ground"
        );
    }
    run(&workshop, "t.bin").done().says(&[TAKES]);
}

#[test]
fn rebuilds_tables_of_a_roughness_with_another_companion_file() {
    let workshop = workshop();
    workshop.raster("n.tif", &Raster::new(31, 20, |_, _| 0.03));
    let run = || run(&workshop, "t.bin' --roughness 'n.tif").done();
    run().says(&[KEEPS]);
    run().says(&[TAKES]);
    let scale = "<PAMRasterBand band=\"1\"><Scale>2</Scale></PAMRasterBand>";
    workshop.file("n.tif.aux.xml", format!("<PAMDataset>{scale}</PAMDataset>"));
    run().says(&["another roughness", KEEPS]);
}

#[test]
fn refuses_pipes_devices_and_folders() {
    let (workshop, beside) = (workshop(), Workshop::empty());
    assert_eq!(beside.shell("mkfifo pipe; mkdir folder").code, Some(0));
    let [pipe, folder] = ["pipe", "folder"].map(|name| beside.path(name));
    for file in [pipe.to_str().unwrap(), folder.to_str().unwrap(), "/dev/null", "/dev/stdout"] {
        let words = format!("{RUN} --subgrid-tables '{file}'");
        workshop.refuses(&words, &["subgrid_tables: ", file]);
    }
}

#[test]
fn follows_links_to_matching_tables_and_never_replaces_them() {
    let workshop = workshop();
    run(&workshop, "t.bin").done();
    symlink("t.bin", workshop.path("link.bin")).unwrap();
    let takes = "subgrid_tables: the tables are read from 'link.bin'";
    run(&workshop, "link.bin").done().says(&[takes]).never_says("damaged");
    let kept = std::fs::read(workshop.path("t.bin")).unwrap();
    workshop.raster("dem.tif", &Raster::terrain(31, 20).with(3, 3, 117.0));
    run(&workshop, "link.bin")
        .done()
        .says(&["warning: subgrid_tables: 'link.bin' is a link", "the new tables are not kept"]);
    assert!(std::fs::read(workshop.path("t.bin")).unwrap() == kept);
    assert!(workshop.path("link.bin").is_symlink());
    symlink("nowhere.bin", workshop.path("lost.bin")).unwrap();
    let words = format!("{RUN} --subgrid-tables lost.bin");
    workshop.refuses(&words, &["'lost.bin' is a link to a file that does not exist"]);
}

#[test]
fn tables_have_the_mode_of_other_files() {
    let workshop = workshop();
    run(&workshop, "t.bin").done();
    let mode = |file: &str| std::fs::metadata(workshop.path(file)).unwrap().permissions().mode();
    assert_eq!(mode("t.bin"), mode("results/run.json"));
}

#[test]
fn finds_an_unwritable_folder_before_building_tables() {
    let workshop = workshop();
    std::fs::create_dir(workshop.path("shut")).unwrap();
    let mode = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(workshop.path("shut"), permissions).unwrap();
    };
    mode(0o555);
    let may_write = std::fs::write(workshop.path("shut/try"), "").is_ok();
    let words = format!("{RUN} --subgrid-tables shut/t.bin");
    // Root may write anywhere.
    if !may_write {
        workshop
            .refuses(&words, &["subgrid_tables: cannot write 'shut/t.bin'", "hint: name a file"]);
    }
    mode(0o755);
}

#[test]
fn reports_and_waits_for_a_lock_held_by_another_process() {
    let workshop = workshop();
    let folder = std::fs::File::open(workshop.path(".")).unwrap();
    folder.lock().unwrap();
    let words = format!("{RUN} --subgrid-tables t.bin");
    let mut run =
        workshop.command(&words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(run.stderr.take().unwrap()).lines().map(Result::unwrap);
    let waits = "subgrid_tables: waiting for another run that builds tables in '.'";
    assert!(said.any(|line| line.starts_with(waits)), "it has ended without waiting");
    assert!(!workshop.path("t.bin").exists());
    folder.unlock().unwrap();
    assert!(said.any(|line| line.contains(KEEPS)), "it keeps the tables");
    said.for_each(drop);
    assert!(run.wait().unwrap().success());
}

#[test]
fn the_key_without_tables_is_refused_or_noted() {
    let workshop = workshop();
    let plain = "run --dem dem.tif --rain '60 mm/h' --duration '1 min'";
    for more in ["", "--subgrid 1"] {
        let words = format!("{plain} {more} --subgrid-tables t.bin");
        workshop
            .refuses(&words, &["subgrid_tables: the cells of this run are the pixels of the DEM"]);
    }
    workshop.file("base.toml", "dem = 'dem.tif'\nduration = '1 min'\nsubgrid_tables = 't.bin'\n");
    workshop.file("study.toml", "base = 'base.toml'\n[matrix]\nrain = ['5 mm/h', '9 mm/h']\n");
    let ran = workshop.inundate("study study.toml");
    assert_ne!(ran.code, Some(0));
    ran.says(&["subgrid_tables: the cells of this run are the pixels of the DEM"]);
}
