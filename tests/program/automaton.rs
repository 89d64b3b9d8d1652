//! `inundate automaton`: valid input, output, and invalid input.

use crate::cli_common;

use cli_common::{Raster, Workshop};
use gdal::Dataset;

/// Reads the bytes of a band.
fn band(workshop: &Workshop, name: &str, band: usize) -> Vec<u8> {
    let file = Dataset::open(workshop.path(name)).unwrap();
    let size = file.raster_size();
    let read = file.rasterband(band).unwrap().read_as::<u8>((0, 0), size, size, None).unwrap();
    read.data().to_vec()
}

fn automaton(workshop: &Workshop, arguments: &str) -> cli_common::Ran {
    let words: Vec<&str> =
        std::iter::once("automaton").chain(arguments.split_whitespace()).collect();
    workshop.inundate(&words)
}

const GLIDER: &str = "#C a glider\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n";

#[test]
fn runs_a_pattern_and_writes_states_counts_and_pictures() {
    let workshop = Workshop::empty();
    workshop.file("glider.rle", GLIDER);
    let arguments = "life --in glider.rle --size 12x10 --steps 8 --every 4 --frames png --device cpu --out life";
    let ran = automaton(&workshop, arguments).done();
    assert!(
        ran.out.contains("12 x 10 cells") && ran.out.contains("population: dead 115, alive 5"),
        "{}",
        ran.out
    );
    let expected = [
        "automaton.json",
        "frame_step0.png",
        "frame_step4.png",
        "frame_step8.png",
        "population.csv",
        "states.tif",
        "states_step0.tif",
        "states_step4.tif",
        "states_step8.tif",
    ];
    let names: Vec<String> =
        workshop.names("life").into_iter().filter(|name| !name.ends_with(".aux.xml")).collect();
    assert_eq!(names, expected);
    let counts = workshop.text("life/population.csv");
    assert_eq!(counts, "step,dead,alive\n0,115,5\n4,115,5\n8,115,5\n");
    // It moved by (2, 2) in 8 steps.
    let (first, last) =
        (band(&workshop, "life/states_step0.tif", 1), band(&workshop, "life/states.tif", 1));
    assert_eq!(first.iter().filter(|state| **state == 1).count(), 5);
    for (at, state) in first.iter().enumerate() {
        let (x, y) = ((at % 12 + 2) % 12, (at / 12 + 2) % 10);
        assert_eq!(last[y * 12 + x], *state, "{x}, {y}");
    }
    let file = Dataset::open(workshop.path("life/states.tif")).unwrap();
    let band = file.rasterband(1).unwrap();
    assert!(band.color_table().is_some_and(|table| table.entry_count() >= 2));
    // SAFETY: the band is open; the list belongs to the band.
    let names = unsafe {
        let names = gdal_sys::GDALGetRasterCategoryNames(band.c_rasterband());
        assert!(!names.is_null());
        std::ffi::CStr::from_ptr(*names.add(1)).to_str().unwrap().to_string()
    };
    assert_eq!(names, "alive");
    // Again: refused, then replaced, and the earlier pictures are removed.
    automaton(&workshop, arguments).says(&["holds the results of an earlier run", "--overwrite"]);
    let again = "life --in glider.rle --steps 1 --every 1 --frames gif --device cpu --overwrite --quiet --out life";
    assert_eq!(automaton(&workshop, again).done().out, "");
    let names: Vec<String> =
        workshop.names("life").into_iter().filter(|name| !name.ends_with(".aux.xml")).collect();
    assert_eq!(
        names,
        [
            "automaton.json",
            "population.csv",
            "states.gif",
            "states.tif",
            "states_step0.tif",
            "states_step1.tif"
        ]
    );
    assert!(std::fs::read(workshop.path("life/states.gif")).unwrap().starts_with(b"GIF89a"));
}

#[test]
fn every_technique_runs_a_raster_to_the_same_states() {
    let workshop = Workshop::empty();
    let wires = Raster::new(23, 11, |x, y| {
        if y == 5 { [3.0, 1.0, 2.0][(x % 9).min(2) * usize::from(x % 9 < 3)] } else { 0.0 }
    });
    workshop.raster("wires.tif", &wires);
    let mut first: Option<Vec<u8>> = None;
    for technique in ["auto", "int", "byte", "fused"] {
        let arguments = format!(
            "wireworld --in wires.tif --edges dead --steps 7 --technique {technique} --device cpu --overwrite --json --out out"
        );
        let json = automaton(&workshop, &arguments).done().json();
        let expected = if technique == "auto" { "fused" } else { technique };
        assert_eq!(
            (&json["technique"], &json["steps"], &json["edges"]),
            (&expected.into(), &7.into(), &"dead".into())
        );
        let states = band(&workshop, "out/states.tif", 1);
        assert!(states.contains(&1), "no electron is left");
        assert_eq!(first.get_or_insert_with(|| states.clone()), &states, "{technique}");
    }
    // It keeps its position, and can be continued.
    let file = Dataset::open(workshop.path("out/states.tif")).unwrap();
    assert_eq!(file.geo_transform().unwrap(), wires.transform);
    assert!(file.projection().contains("UTM zone 33N"));
    automaton(&workshop, "wireworld --in out/states.tif --steps 1 --device cpu --out more").done();
}

#[test]
fn clouds_have_a_band_per_layer_and_a_cover() {
    let workshop = Workshop::empty();
    automaton(&workshop, "clouds --random 3 --size 20x14x5 --steps 6 --device cpu --out sky")
        .done();
    let file = Dataset::open(workshop.path("sky/states.tif")).unwrap();
    assert_eq!((file.raster_size(), file.raster_count()), ((20, 14), 5));
    let mut cover = vec![0; 20 * 14];
    for layer in 1..=5 {
        let (states, clouds) =
            (band(&workshop, "sky/states.tif", layer), band(&workshop, "sky/clouds.tif", layer));
        for (at, state) in states.iter().enumerate() {
            assert_eq!(clouds[at], state >> 2);
            cover[at] |= clouds[at];
        }
    }
    assert_eq!(band(&workshop, "sky/cover.tif", 1), cover);
    assert!(cover.contains(&1) && cover.contains(&0), "all or nothing is covered");
    // The layers can be read again, and continuing gives the same as an uninterrupted run.
    automaton(&workshop, "clouds --in sky/states.tif --steps 3 --device cpu --out more").done();
    automaton(&workshop, "clouds --random 3 --size 20x14x5 --steps 9 --device cpu --out through")
        .done();
    for layer in 1..=5 {
        assert_eq!(
            band(&workshop, "more/states.tif", layer),
            band(&workshop, "through/states.tif", layer)
        );
    }
}

#[test]
fn invalid_options_are_refused_with_the_expected_values() {
    let workshop = Workshop::empty();
    workshop.file("glider.rle", GLIDER);
    workshop.file("broken.rle", "x = 3, y = 3\nbo?!");
    workshop.file("empty.tif", "");
    workshop.raster("high.tif", &Raster::new(4, 3, |x, _| x as f64));
    workshop.raster("half.tif", &Raster::new(4, 3, |_, _| 0.5));
    workshop.raster("gap.tif", &Raster::new(4, 3, |_, _| 1.0).with(2, 1, -9999.0));
    automaton(&workshop, "clouds --random 1 --size 4x4x3 --steps 0 --device cpu --out three")
        .done();
    for (arguments, parts) in [
        (
            "life --in high.tif --steps 1",
            &[
                "'high.tif' has 2 in column 2, row 0, which is not a state of life",
                "0 dead, 1 alive",
            ][..],
        ),
        ("life --in half.tif --steps 1", &["has 0.5 in column 0, row 0"]),
        ("life --in gap.tif --steps 1", &["has no value in column 2, row 1"]),
        (
            "life --in three/states.tif --steps 1",
            &["has 3 bands, but life reads a single band", "gdal_translate -b 1"],
        ),
        ("life --in empty.tif --steps 1", &["'empty.tif' is empty (0 bytes)"]),
        ("life --in none.tif --steps 1", &["cannot open 'none.tif'"]),
        ("life --in none.rle --steps 1", &["cannot read 'none.rle'"]),
        ("life --in broken.rle --steps 1", &["'?' is not a state"]),
        ("life --in glider.rle --size 2 --steps 1", &["2 x 2 cells are fewer than the 3 x 3"]),
        ("life --in high.tif --size 9 --steps 1", &["the size of a raster is given by the file"]),
        ("clouds --in glider.rle --steps 1", &["is a two-dimensional pattern"]),
        ("life --random 1 --size 0 --steps 1", &["'0' is not a size of life", "640x480"]),
        ("clouds --random 1 --size 4x4 --steps 1", &["is not a size of clouds", "512x512x64"]),
        ("life --random 1 --size 9999999x9999999 --steps 1", &["of memory, but only"]),
        ("life --random 1 --states 3 --steps 1", &["life cannot have 3 states"]),
        ("cyclic --random 1 --states 99 --steps 1", &["cannot have 99 states", "give 3 to 32"]),
        ("life --random 1 --steps 1 --technique quick", &["no technique 'quick'", "fused"]),
        ("life --random 1 --steps 1 --technique texture", &["texture does not run on the CPU"]),
        (
            "clouds --random 1 --size 8 --steps 1 --technique fused",
            &["fused does not support clouds"],
        ),
        ("life --random 1 --steps 1 --frames gif", &["need a series", "--every"]),
        ("life --random 1 --steps 1 --every 0", &["--every"]),
        ("life --steps 1", &["--in"]),
        ("lives --random 1 --steps 1", &["'lives'", "forest-fire"]),
    ] {
        let ran =
            automaton(&workshop, &format!("{arguments} --device cpu --out refused")).says(parts);
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.err);
        assert!(!workshop.path("refused").exists(), "{arguments}");
    }
}
