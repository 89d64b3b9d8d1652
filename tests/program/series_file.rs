//! The series of a run as one file: GDAL's own drivers read the same values as in the GeoTIFFs, at
//! the same places.

use crate::cli_common::{Raster, Workshop, pixels};
use gdal::{Dataset, DriverManager};
use std::fs;

const RUN: [&str; 8] =
    ["--rain", "3000 mm/h", "--duration", "6min", "--output-every", "2min", "--open", "all"];
const TIMES: [&str; 3] = ["000h02m00s", "000h04m00s", "000h06m00s"];

/// Returns a terrain of several chunks, the first of which has no data, with non-square cells.
fn large() -> Raster {
    let terrain = Raster::new(600, 540, |column, row| match column < 520 && row < 520 {
        true => -9999.0,
        false => 100.0 + ((column * 31 + row * 17) % 97) as f64 * 0.1,
    });
    terrain.transform([500_000.0, 10.0, 0.0, 5_000_000.0, 0.0, -5.0])
}

/// Runs with a series in a format, and compares it with the GeoTIFFs through GDAL; the name of a
/// layer's array is `name(layer)`.
fn is_the_geotiffs(format: &str, file: &str, name: impl Fn(&str, usize) -> (String, isize)) {
    let workshop = Workshop::with_dem(&large());
    let more = ["--series", format, "--layers", "depth,velocity", "--out", "out"];
    workshop.run(&[&RUN[..], &more].concat()).done();
    let report = workshop.report("out");
    assert!(report["outputs"].as_array().unwrap().iter().any(|output| output == file));
    for layer in ["depth", "velocity"] {
        for (time, stamp) in TIMES.iter().enumerate() {
            let (name, band) = name(&workshop.path(&format!("out/{file}")).to_string_lossy(), time);
            let read = Dataset::open(name.replace("LAYER", layer)).unwrap();
            assert_eq!(read.raster_size(), (600, 540));
            let transform = read.geo_transform().unwrap();
            assert_eq!(transform, [500_000.0, 10.0, 0.0, 5_000_000.0, 0.0, -5.0]);
            assert!(read.spatial_ref().unwrap().to_wkt().unwrap().contains("UTM zone 33N"));
            let band = read.rasterband(band as usize).unwrap();
            assert_eq!(band.no_data_value(), Some(-9999.0));
            let found = band.read_band_as::<f32>().unwrap();
            let tif = pixels(workshop.path(&format!("out/{layer}_{stamp}.tif")));
            assert!(tif.iter().any(|value| *value > 0.0));
            assert!(found.data() == tif, "{format}, {layer}, {stamp}");
        }
    }
    // An earlier series is removed, whatever the new run writes.
    workshop.run(&[&RUN[..], &["--out", "out", "--overwrite"]].concat()).done();
    assert!(!workshop.path(&format!("out/{file}")).exists());
}

#[test]
fn zarr_matches_the_geotiffs() {
    if DriverManager::get_driver_by_name("Zarr").is_err() {
        eprintln!("skipped: this GDAL has no Zarr driver to read with");
        return;
    }
    is_the_geotiffs("zarr", "series.zarr", |path, time| {
        (format!("ZARR:\"{path}\":/LAYER:{time}"), 1)
    });
}

#[test]
fn netcdf_matches_the_geotiffs() {
    if DriverManager::get_driver_by_name("netCDF").is_err() {
        eprintln!("skipped: this GDAL has no netCDF driver");
        return;
    }
    is_the_geotiffs("netcdf", "series.nc", |path, time| {
        (format!("NETCDF:\"{path}\":LAYER"), time as isize + 1)
    });
}

#[test]
fn empty_chunks_take_no_file_and_metadata_are_consolidated() {
    let workshop = Workshop::with_dem(&large());
    workshop.run(&[&RUN[..], &["--series", "zarr", "--out", "out"]].concat()).done();
    let chunk = |name: &str| workshop.path(&format!("out/series.zarr/depth/{name}")).exists();
    assert!(!chunk("0.0.0") && chunk("0.0.1") && chunk("0.1.0") && chunk("2.1.1"));
    let metadata = &workshop.json("out/series.zarr/.zmetadata")["metadata"];
    assert_eq!(metadata[".zattrs"]["Conventions"], "CF-1.10");
    assert_eq!(metadata["depth/.zarray"]["shape"], serde_json::json!([3, 540, 600]));
    assert_eq!(metadata["time/.zattrs"]["units"], "s");
    let mapping = &metadata["spatial_ref/.zattrs"];
    assert_eq!(mapping["grid_mapping_name"], "transverse_mercator");
    assert_eq!(mapping["longitude_of_central_meridian"], 15.0);
    assert_eq!(mapping["false_easting"], 500_000.0);
}

#[test]
fn time_has_a_calendar_if_the_start_is_known() {
    let workshop = Workshop::new();
    let more = ["--series", "zarr", "--start", "2021-07-14T12:00+02:00"];
    workshop.run(&[&RUN[..], &more].concat()).done();
    let said = workshop.text("results/series.zarr/time/.zattrs");
    assert!(said.contains("\"seconds since 2021-07-14 10:00:00\""), "{said}");
    assert!(said.contains("\"proleptic_gregorian\""), "{said}");
    // Steps without a duration are counted.
    let automaton = "--rain '1 mm/step' --steps 4 --output-every 2";
    workshop.run(&format!("{automaton} --series zarr --out steps")).done();
    let steps = fs::read(workshop.path("steps/series.zarr/step/0")).unwrap();
    assert_eq!(steps, [2f64.to_le_bytes(), 4f64.to_le_bytes()].concat());
}

#[test]
fn refuses_an_impossible_series_before_reading_anything() {
    let workshop = Workshop::new();
    for command in ["run", "check"] {
        let alone = [
            command,
            "--dem",
            "none.tif",
            "--rain",
            "1 mm/h",
            "--duration",
            "1min",
            "--series",
            "zarr",
        ];
        workshop.refuses(&alone, &["series: the run writes no maps during", "--output-every"]);
        workshop.shell(&format!(
            "GDAL_SKIP=netCDF exec $INUNDATE {command} --dem dem.tif --rain '1 mm/h' --duration 2min \
             --output-every 1min --series netcdf"
        )).exits(2).says(&["series: this program's GDAL cannot write NetCDF", "--series zarr"]);
        assert!(!workshop.path("results").exists());
    }
}

#[test]
fn does_not_remove_a_foreign_folder() {
    let workshop = Workshop::new();
    workshop.run(&RUN).done();
    fs::create_dir_all(workshop.path("results/series.zarr")).unwrap();
    workshop.file("results/series.zarr/mine.txt", "mine");
    let again = [&["run", "--dem", "dem.tif", "--overwrite"], &RUN[..]].concat();
    workshop.inundate(&again).done();
    let series = [&again[..], &["--series", "zarr"]].concat();
    workshop.refuses(&series, &["'results/series.zarr' is a folder"]);
    assert!(workshop.path("results/series.zarr/mine.txt").exists());
}
