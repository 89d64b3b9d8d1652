//! Ranks read the input together, and no one sees it: a run has the results, warnings and errors of one process. Ranks that see
//! another disk are let be, or end the run with one clear error.

use crate::cli_common;
use crate::ranks::{assert_same, end, rank};

use cli_common::under_way::UnderWay;
use cli_common::{Raster, Workshop};
use std::fs::{self, File};
use std::process::ExitStatus;
use std::time::SystemTime;

/// A run of a DEM, and of roughness and rain in degrees, all with holes that they do not declare.
const RUN: [&str; 16] = [
    "run",
    "--dem",
    "dem.tif",
    "--roughness",
    "rough.tif",
    "--rain",
    "rain.tif",
    "--duration",
    "2min",
    "--open",
    "all",
    "--layers",
    "max_depth,arrival_time",
    "--threads",
    "1",
    "--overwrite",
];

/// A raster of which some cells are −9999, which nothing declares.
fn with_holes(raster: Raster) -> Raster {
    let mut raster = raster.nodata(None);
    raster.values.iter_mut().step_by(1013).for_each(|value| *value = -9999.0);
    raster
}

fn workshop() -> Workshop {
    let (columns, rows) = (160, 130);
    let workshop = Workshop::with_dem(&with_holes(Raster::terrain(columns, rows)));
    let rough = Raster::new(190, 160, |column, row| 0.03 + ((column + row) % 7) as f64 / 300.0);
    let degrees = [14.999, 0.00012, 0.0, 45.1555, 0.0, -0.00009];
    // Its hole lies beside the DEM: every cell needs a roughness.
    let rough = rough.epsg(4326).transform(degrees).nodata(None).with(0, 0, -9999.0);
    workshop.raster("rough.tif", &rough);
    let rain = Raster::new(190, 160, |column, row| ((column * row) % 90) as f64);
    let rain = rain.unit("mm/h").epsg(4326).transform(degrees);
    workshop.raster("rain.tif", &with_holes(rain));
    workshop
}

/// All ranks of a run, who ask for help with the smallest raster; those after the first in a folder of their own if it is named.
fn start(
    workshop: &Workshop,
    arguments: &[&str],
    of: usize,
    folder: Option<&str>,
) -> Vec<UnderWay> {
    let one = |number: usize| {
        let mut one = rank(workshop, arguments, (number, of));
        one.env("INUNDATE_RANKS_WORTH_CELLS", "1");
        if let Some(folder) = folder.filter(|_| number > 0) {
            one.current_dir(workshop.path(folder));
        }
        UnderWay::start(one)
    };
    (0..of).map(one).collect()
}

/// The warnings and notes in what a process says.
fn told(said: &str) -> Vec<&str> {
    said.lines().filter(|line| line.contains("warning:") || line.contains("note:")).collect()
}

#[test]
fn every_file_and_warning_is_the_same_however_many_read() {
    let workshop = workshop();
    let alone = workshop.inundate(&[&RUN[..], &["--out", "alone"]].concat()).done();
    let alone = alone.says(&[
        "rain.tif' was warped",
        "dem.tif' hold -9999",
        "rough.tif' hold -9999",
        "rain.tif' hold -9999",
    ]);
    for of in [2, 3, 5] {
        let out = format!("of{of}");
        let ranks = start(&workshop, &[&RUN[..], &["--out", &out]].concat(), of, None);
        let ends = end(ranks);
        assert!(ends.iter().all(|end| end.0.success()), "{ends:?}");
        assert!(ends[1..].iter().all(|end| end.1.is_empty()), "only the first speaks: {ends:?}");
        assert_eq!(told(&ends[0].1), told(&alone.err));
        assert_same(&workshop, &out, "alone");
    }
}

/// A workshop with another folder, in which there are copies of the rasters of the same time.
fn workshop_with_copies() -> Workshop {
    let workshop = workshop();
    fs::create_dir(workshop.path("elsewhere")).unwrap();
    for name in ["dem.tif", "rough.tif", "rain.tif"] {
        let copy = format!("elsewhere/{name}");
        fs::copy(workshop.path(name), workshop.path(&copy)).unwrap();
        set_time(&workshop, &copy, time(&workshop, name));
    }
    workshop
}

fn time(workshop: &Workshop, name: &str) -> SystemTime {
    fs::metadata(workshop.path(name)).unwrap().modified().unwrap()
}

fn set_time(workshop: &Workshop, name: &str, time: SystemTime) {
    let file = File::options().write(true).open(workshop.path(name)).unwrap();
    file.set_modified(time).unwrap();
}

/// Two ranks, of which the second sees what the other folder holds: how the first ends.
fn two(workshop: &Workshop) -> (ExitStatus, String) {
    // The folder in which whoever opens it was started.
    let here = |name: &str| format!("/proc/self/cwd/{name}");
    let [dem, rough, rain] = ["dem.tif", "rough.tif", "rain.tif"].map(here);
    let arguments = RUN.map(|argument| match argument {
        "dem.tif" => &dem,
        "rough.tif" => &rough,
        "rain.tif" => &rain,
        other => other,
    });
    let ranks =
        start(workshop, &[&arguments[..], &["--out", "two"]].concat(), 2, Some("elsewhere"));
    let mut ends = end(ranks).into_iter();
    let (first, second) = (ends.next().expect("a first"), ends.next().expect("a second"));
    assert_eq!(first.0.success(), second.0.success(), "{}{}", first.1, second.1);
    first
}

/// That the run of two has the results of one alone; what it said.
fn two_are_as_one(workshop: &Workshop) -> String {
    workshop.inundate(&[&RUN[..], &["--out", "one"]].concat()).done();
    let (status, said) = two(workshop);
    assert!(status.success(), "{said}");
    for name in ["max_depth.tif", "arrival_time.tif"] {
        let [one, two] = ["one", "two"].map(|folder| workshop.path(folder).join(name));
        assert!(fs::read(one).unwrap() == fs::read(two).unwrap(), "{name}");
    }
    said
}

#[test]
fn a_rank_that_has_no_such_file_is_let_be() {
    let workshop = workshop_with_copies();
    fs::remove_file(workshop.path("elsewhere/dem.tif")).unwrap();
    fs::remove_file(workshop.path("elsewhere/rain.tif")).unwrap();
    let said = two_are_as_one(&workshop);
    assert!(said.contains("note: dem: rank 1 cannot read '/proc/self/cwd/dem.tif'"), "{said}");
    assert_eq!(said.matches("cannot read").count(), 1, "it is said once: {said}");
}

#[test]
fn a_copy_of_another_time_is_the_same() {
    let workshop = workshop_with_copies();
    set_time(&workshop, "elsewhere/dem.tif", SystemTime::UNIX_EPOCH);
    let said = two_are_as_one(&workshop);
    assert!(!said.contains("cannot read"), "{said}");
}

#[test]
fn a_rank_that_sees_another_version_of_a_file_ends_the_run() {
    let workshop = workshop_with_copies();
    let before = fs::read(workshop.path("elsewhere/rain.tif")).unwrap();
    let mut of_other_contents = before.clone();
    *of_other_contents.last_mut().unwrap() ^= 1;
    let mut longer = before.clone();
    longer.push(0);
    for (other, tells) in
        [(of_other_contents, "as long, of other contents"), (longer, " bytes there, ")]
    {
        workshop.file("elsewhere/rain.tif", other);
        let (status, said) = two(&workshop);
        assert_eq!(status.code(), Some(2), "{said}");
        assert!(said.contains("rain: rank 1 (on "), "{said}");
        assert!(said.contains("sees another '/proc/self/cwd/rain.tif' than the first"), "{said}");
        assert!(
            said.contains(tells) && said.contains("one file, on a disk that all hosts"),
            "{said}"
        );
        assert_eq!(said.matches("error:").count(), 1, "{said}");
        assert!(!workshop.path("two").exists());
    }
}

#[test]
fn what_a_rank_cannot_read_whole_is_read_by_the_first() {
    let workshop = workshop_with_copies();
    // As long and as old, but of another compression: no part of it can be read.
    let name = "elsewhere/dem.tif";
    let mut bytes = fs::read(workshop.path(name)).unwrap();
    let compression = [0x03, 0x01, 0x03, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00];
    let at = bytes.windows(10).position(|window| window == compression).expect("none is declared");
    bytes[at + 8] = 8;
    workshop.file(name, bytes);
    set_time(&workshop, name, time(&workshop, "dem.tif"));
    let said = two_are_as_one(&workshop);
    assert!(said.contains("rank 1 cannot read '/proc/self/cwd/dem.tif' (dem: "), "{said}");
}

#[test]
fn a_damaged_file_is_the_same_error_with_ranks() {
    let workshop = workshop();
    for name in ["dem.tif", "rough.tif"] {
        let whole = fs::read(workshop.path(name)).unwrap();
        workshop.file(name, &whole[..whole.len() - 4000]);
        let alone = workshop.inundate(&RUN);
        assert_eq!(alone.code, Some(2), "{}", alone.err);
        for of in [2, 3] {
            let (status, said) = end(start(&workshop, &RUN, of, None)).swap_remove(0);
            assert_eq!((status.code(), &said), (Some(2), &alone.err));
        }
        workshop.file(name, whole);
    }
}
