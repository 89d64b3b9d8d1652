//! Names of files and folders, and locations of results.

use crate::bad_corpus::harness::Expect::{Refused, Taken};
use crate::bad_corpus::harness::{Case, command, run};
use crate::cli_common::Workshop;

const RAIN: &str = "--rain '20 mm/h' --duration 1min";

fn out(
    name: &'static str,
    build: fn(&Workshop),
    folder: &'static str,
    parts: &'static [&'static str],
) -> Case {
    run(name, build, &format!("{RAIN} --out {folder}"), Refused(parts))
}

pub fn cases() -> Vec<Case> {
    vec![
        out(
            "an output folder that is a DEM",
            |_| {},
            "dem.tif",
            &["out: 'dem.tif' is a file, not a folder"],
        ),
        out(
            "a folder called like a result",
            |w| std::fs::create_dir_all(w.path("results/max_depth.tif")).unwrap(),
            "results",
            &["out: 'results/max_depth.tif' is a folder", "rename or remove it"],
        ),
        command(
            "a folder called like a map of a series, with --overwrite",
            |w| std::fs::create_dir_all(w.path("results/depth_000h01m00s.tif")).unwrap(),
            "run --dem dem.tif --rain '20 mm/h' --duration 1min --output-every 1min --overwrite",
            Refused(&["out: 'results/depth_000h01m00s.tif' is a folder"]),
        ),
        out(
            "an output folder below a DEM",
            |_| {},
            "dem.tif/results",
            &["out: cannot write in 'dem.tif/results'"],
        ),
        out(
            "an output folder on a disk that is not there",
            |_| {},
            "/proc/sys/results",
            &["out: cannot write in '/proc/sys/results'"],
        ),
        command(
            "an output folder without a name",
            |w| {
                w.file(
                    "s.toml",
                    "dem = 'dem.tif'\nrain = '5 mm/h'\nduration = '1 min'\nout = ''\n",
                );
            },
            "run s.toml",
            Refused(&["out: it is empty", "results"]),
        ),
        out(
            "an output folder with a name that is too long",
            |_| {},
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            &["out: cannot write in 'aaaa", "too long"],
        ),
        out(
            "a dangling link as output folder",
            |w| {
                #[cfg(unix)]
                std::os::unix::fs::symlink("nowhere/at/all", w.path("gone")).unwrap();
            },
            "gone",
            &["out: cannot write in 'gone': it is a dangling link"],
        ),
        command(
            "an input under a name of the results",
            |w| {
                std::fs::rename(w.path("dem.tif"), w.path("depth.tif")).unwrap();
            },
            "run --dem depth.tif --rain '20 mm/h' --duration 1min --out . --overwrite",
            Refused(&["out: 'depth.tif' is an input of this run"]),
        ),
        run("results beside the inputs", |_| {}, "--rain '20 mm/h' --duration 1min --out .", Taken),
        command(
            "names with blanks and letters of many alphabets",
            |w| {
                std::fs::create_dir(w.path("Höhen und Flüsse")).unwrap();
                std::fs::rename(w.path("dem.tif"), w.path("Höhen und Flüsse/地形 modèle.tif"))
                    .unwrap();
                w.file(
                    "Höhen und Flüsse/дождь 'x' & co.csv",
                    "time [min],rain [mm/h]\n0,20\n1,0\n",
                );
            },
            &[
                "run",
                "--dem",
                "Höhen und Flüsse/地形 modèle.tif",
                "--rain",
                "Höhen und Flüsse/дождь 'x' & co.csv",
                "--duration",
                "2min",
                "--out",
                "Ergebnisse ü/Lauf 1",
            ],
            Taken,
        ),
        command(
            "a name with a line break",
            |w| {
                std::fs::rename(w.path("dem.tif"), w.path("a\nb.tif")).unwrap();
            },
            &["run", "--dem", "a\nb.tif", "--rain", "20 mm/h", "--duration", "1min"],
            Taken,
        ),
        command(
            "a name that looks like a flag",
            |w| {
                std::fs::rename(w.path("dem.tif"), w.path("-dem.tif")).unwrap();
            },
            "run --dem=-dem.tif --rain '20 mm/h' --duration 1min",
            Taken,
        ),
        command(
            "a DEM that is not there, in a folder that is not",
            |_| {},
            "run --dem 'no such/dém.tif' --rain '20 mm/h' --duration 1min",
            Refused(&["dem: cannot open 'no such/dém.tif'"]),
        ),
        command(
            "a comparison of a result with itself that is not there",
            |_| {},
            "compare results --with results",
            Refused(&["result: cannot open 'results"]),
        ),
        command(
            "a study of a scenario that is not there",
            |w| w.file("study.toml", "base = 'none.toml'\nout = 'runs'\n[[run]]\nname = 'a'\n"),
            "study study.toml",
            Refused(&["none.toml"]),
        ),
        command(
            "a study of a base that is a DEM",
            |w| w.file("study.toml", "base = 'dem.tif'\n[matrix]\nroughness = [0.02, 0.03]\n"),
            "study study.toml",
            Refused(&["dem.tif"]),
        ),
        command(
            "a comparison with an unfinished folder",
            |w| std::fs::create_dir(w.path("results")).unwrap(),
            "compare results --with dem.tif",
            Refused(&["result: ", "max_depth.tif"]),
        ),
    ]
}
