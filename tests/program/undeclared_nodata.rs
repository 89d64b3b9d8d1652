//! Undeclared NoData, alone or blended into adjacent values by a warp; heights in units other than
//! metres; and negative amounts due to rounding.

use crate::cli_common;

use cli_common::{CORNER, Raster, UTM33, Workshop, pixels};
use gdal::raster::{Buffer, GdalType};
use gdal::spatial_ref::SpatialRef;
use gdal::{Dataset, DriverManager};

const RAIN: [&str; 4] = ["--rain", "20 mm/h", "--duration", "1min"];
const SIDE: usize = 60;

/// Returns the height of hills between 100 and 130 m.
fn hill(column: usize, row: usize) -> f64 {
    115.0 + 10.0 * (column as f64 / 6.0).sin() + 5.0 * (row as f64 / 4.0).cos()
}

/// Returns hills with a slanting edge and a hole, filled with `code`.
fn torn(code: f64) -> Raster {
    let is_missing = |column: usize, row: usize| {
        3 * column + row < 40 || ((38..43).contains(&column) && (30..34).contains(&row))
    };
    let value = |column, row| if is_missing(column, row) { code } else { hill(column, row) };
    Raster::new(SIDE, SIDE, value).nodata(None)
}

/// Resamples `raw.tif` to cells of 7 m, without and with its NoData declared.
fn warp(workshop: &Workshop, code: f64, how: &str) {
    let of = "gdalwarp -q -overwrite -tr 7 7";
    workshop
        .shell(&format!(
            "{of} -r {how} raw.tif dem.tif && {of} -r {how} -srcnodata {code} -dstnodata -9999 raw.tif true.tif"
        ))
        .done();
}

#[test]
fn removes_values_blended_from_undeclared_nodata_with_count_range_place_and_fix() {
    for (code, how) in
        [(-9999.9, "bilinear"), (-9999.9, "cubic"), (-99999.99, "bilinear"), (32000.0, "cubic")]
    {
        let workshop = Workshop::empty();
        workshop.raster("raw.tif", &torn(code));
        warp(&workshop, code, how);
        let ran = workshop.run(&RAIN).done();
        let warning = ran.err.lines().find(|line| line.contains("a warp interpolated them"));
        let warning = warning.unwrap_or_else(|| panic!("{code}, {how}: {}", ran.err));
        for part in ["cells of 'dem.tif' hold ", "the first in column ", "gdalwarp -srcnodata"] {
            assert!(warning.contains(part), "{code}, {how}: no {part:?} in {warning}");
        }
        let kept = pixels(workshop.path("results/depth.tif"));
        let (heights, truth) =
            (pixels(workshop.path("dem.tif")), pixels(workshop.path("true.tif")));
        let is_ground = |height: f32| (95.0..=135.0).contains(&height);
        let mut lost = 0;
        for (cell, &kept) in kept.iter().enumerate() {
            let is_kept = kept != -9999.0;
            assert!(!is_kept || is_ground(heights[cell]), "{code}, {how}: {} stays", heights[cell]);
            // Ground without blended NoData.
            let is_pure = is_ground(truth[cell]) && (heights[cell] - truth[cell]).abs() < 0.5;
            lost += usize::from(is_pure && !is_kept);
        }
        let ground = truth.iter().filter(|&&height| is_ground(height)).count();
        assert!(20 * lost < ground, "{code}, {how}: {lost} of {ground} cells of ground are lost");
    }
}

#[test]
fn the_user_may_declare_blended_heights_valid() {
    let workshop = Workshop::empty();
    workshop.raster("raw.tif", &torn(-9999.9));
    warp(&workshop, -9999.9, "bilinear");
    workshop
        .run(&[&RAIN[..], &["--nodata", "nan"]].concat())
        .done()
        .never_says("outside the domain");
    // Another declared value does not hide blended NoData.
    let idle = "nodata: has no effect, because no cell of 'dem.tif' holds -1";
    workshop
        .run(&[&RAIN[..], &["--nodata", "-1", "--overwrite"]].concat())
        .says(&["a warp interpolated them", idle]);
}

#[test]
fn removes_single_cells_beyond_the_heights_of_the_earth() {
    for value in [-9999.9, 9999.0, -99999.99, 20_000.0] {
        let ground = Raster::new(SIDE, SIDE, hill).nodata(None).with(30, 20, value);
        let workshop = Workshop::with_dem(&ground);
        let message = format!("1 cell of 'dem.tif' holds {value}, far");
        let place = "in column 30, row 20 (at 500305.0,4999795.0)";
        let fix = format!("--nodata {value}");
        workshop.run(&RAIN).done().says(&[&message, place, &fix]);
        assert_eq!(workshop.report("results")["grid"]["domain_cells"], SIDE * SIDE - 1);
        workshop
            .run(&[&RAIN[..], &["--overwrite", "--nodata", &value.to_string()]].concat())
            .done()
            .never_says("warning");
    }
}

#[test]
fn refuses_impossible_heights_and_suggests_units() {
    let scaled = |factor: f64| Raster::new(20, 15, move |i, j| hill(i, j) * factor);
    let cases = [
        (100.0, "cm", "--height-unit cm (they then reach 1"),
        (1000.0, "mm", "--height-unit mm (they then reach 1"),
    ];
    for (factor, unit, hint) in cases {
        let workshop = Workshop::with_dem(&scaled(factor));
        let refused = [&["run", "--dem", "dem.tif"], &RAIN[..]].concat();
        workshop.refuses(&refused, &["dem: ", "'dem.tif'", hint]);
        workshop.run(&[&RAIN[..], &["--height-unit", unit]].concat()).done().never_says("warning");
        let highest = workshop.report("results")["grid"]["bed_range_m"][1].as_f64();
        let expected = (0..300).map(|cell| hill(cell % 20, cell / 20)).fold(0.0, f64::max);
        assert!((highest.unwrap() - expected).abs() < 1e-3, "{highest:?} for {expected}");
    }
    // A unit given by the user is accepted, with a warning.
    let workshop = Workshop::with_dem(&scaled(100.0));
    workshop
        .run(&[&RAIN[..], &["--height-unit", "m"]].concat())
        .done()
        .says(&["no ground on Earth is below -11000 or above 8849 m"]);
    let sunk = Raster::new(20, 15, |i, j| hill(i, j) - 15_000.0);
    Workshop::with_dem(&sunk)
        .refuses(&[&["run", "--dem", "dem.tif"], &RAIN[..]].concat(), &["no ground on Earth"]);
}

#[test]
fn accepts_sea_beds_quarries_and_walls_as_ground() {
    let sea = |column: usize, row: usize| 80.0 - 90.0 * column as f64 - row as f64;
    let quarry = |column: usize, row: usize| match ((20..40).contains(&column), row) {
        (true, 20..40) => -60.5 + (column % 4) as f64,
        _ => hill(column, row),
    };
    let walls = |column: usize, row: usize| match (column, row) {
        (0, _) | (_, 0) => 1000.0,
        (30, 10..50) => 1000.0 + row as f64,
        (column, row) => (column + row) as f64 / 100.0,
    };
    let wide = [CORNER.0, 450.0, 0.0, CORNER.1, 0.0, -450.0];
    let dems = [
        Raster::new(SIDE, SIDE, sea).transform(wide),
        Raster::new(SIDE, SIDE, quarry),
        Raster::new(SIDE, SIDE, walls),
    ];
    for dem in dems {
        let workshop = Workshop::with_dem(&dem);
        let message = "--rain '20 mm/h' --duration 1min --nodata -9999";
        workshop.run(message).done().never_says("outside the domain");
        assert_eq!(workshop.report("results")["grid"]["domain_cells"], SIDE * SIDE);
    }
}

/// Writes integers with a scale and an offset on the grid of `dem.tif`.
fn packed<T: Copy + GdalType>(
    workshop: &Workshop,
    name: &str,
    (scale, offset): (f64, f64),
    value: impl Fn(usize) -> T,
) {
    let driver = DriverManager::get_driver_by_name("GTiff").unwrap();
    let mut file: Dataset =
        driver.create_with_band_type::<T, _>(workshop.path(name), 12, 8, 1).unwrap();
    file.set_geo_transform(&[CORNER.0, 10.0, 0.0, CORNER.1, 0.0, -10.0]).unwrap();
    file.set_spatial_ref(&SpatialRef::from_epsg(UTM33).unwrap()).unwrap();
    let mut band = file.rasterband(1).unwrap();
    band.set_scale(scale).unwrap();
    band.set_offset(offset).unwrap();
    band.write((0, 0), (12, 8), &mut Buffer::new((12, 8), (0..96).map(value).collect())).unwrap();
    file.close().unwrap();
}

#[test]
fn zeros_slightly_below_0_from_packing_are_zeros() {
    // As weather archives pack: the offset is half the range, so 0 is not a multiple of the scale.
    let (scale, offset): (f64, f64) = (2.7e-4, 8.846_8);
    let zero = (-offset / scale).round() as i16;
    let rounding = f64::from(zero) * scale + offset;
    assert!(rounding < 0.0 && rounding > -scale, "{rounding} is not what the test is about");
    let given = [
        ["--rain", "p.tif"],
        ["--initial-depth", "p.tif"],
        ["--inflow-depth", "p.tif"],
        ["--source", "p.tif"],
        ["--infiltration", "p.tif"],
    ];
    for given in given {
        let workshop = Workshop::new();
        let rain: &[&str] = if given[0] == "--rain" { &[] } else { &["--rain", "20 mm/h"] };
        let arguments = [&given[..], rain, &["--duration", "1min"]].concat();
        packed(&workshop, "p.tif", (scale, offset), |cell| zero + (cell % 2) as i16);
        workshop.run(&arguments).done();
        workshop.raster("p.tif", &Raster::new(12, 8, |i, _| [-8.7e-19, 0.25][i % 2]));
        workshop.run(&[&arguments[..], &["--overwrite"]].concat()).done();
        // One packing step below 0 is not a rounding error.
        packed(&workshop, "p.tif", (scale, offset), |cell| zero - 1 + (cell % 2) as i16);
        let refused = [&["run", "--dem", "dem.tif"], &arguments[..]].concat();
        let workshop = {
            let other = Workshop::new();
            packed(&other, "p.tif", (scale, offset), |cell| zero - 1 + (cell % 2) as i16);
            other
        };
        let role = given[0].trim_start_matches("--").replace('-', "_");
        workshop.refuses(&refused, &[&format!("{role}: 'p.tif' holds -")]);
    }
}

#[test]
fn a_raster_that_declares_another_value_is_mended_with_it() {
    let holed = |i: usize, j: usize| if (i, j) == (3, 2) { f64::NAN } else { 100.0 };
    let workshop = Workshop::with_dem(&Raster::new(12, 8, holed).with(5, 5, -9999.0));
    workshop.run(&RAIN[..]).done().says(&[
        "holds NaN, which is not declared as NoData",
        "--calc='where(isnan(A), -9999, A)' --NoDataValue=-9999",
    ]);
}

#[test]
fn a_raster_without_values_on_the_domain_is_not_said_to_be_elsewhere() {
    let workshop = Workshop::new();
    workshop.raster("a.tif", &Raster::new(12, 8, |_, _| -9999.0));
    let run = "run --dem dem.tif --duration 1min --rain a.tif";
    workshop.refuses(run, &["rain: 'a.tif' has no value in the domain", "NoData"]);
}

#[test]
fn codes_far_below_0_in_rasters_of_amounts_are_missing_values() {
    for code in [-9999.9, -99999.99, -999.0] {
        let holed = |i: usize, j: usize| if i < 2 && j < 3 { code } else { 0.25 };
        for key in ["--rain", "--initial-depth", "--source"] {
            let workshop = Workshop::new();
            let rain: &[&str] = if key == "--rain" { &[] } else { &["--rain", "20 mm/h"] };
            // On the DEM's grid and on a grid that is warped: the code must not be blended.
            for shift in [0.0, 3.0] {
                let place = [CORNER.0 + shift, 10.0, 0.0, CORNER.1, 0.0, -10.0];
                workshop.raster("a.tif", &Raster::new(12, 8, holed).nodata(None).transform(place));
                let arguments =
                    [&[key, "a.tif", "--duration", "1min", "--overwrite"], rain].concat();
                let message = format!("6 cells of 'a.tif' hold {code}, which is not declared");
                workshop.run(&arguments).done().says(&[&message, "taken as missing"]);
            }
        }
        let workshop = Workshop::new();
        let sinks = |i: usize, j: usize| if i < 2 && j < 3 { code } else { f64::from(i == 7) };
        workshop.raster("a.tif", &Raster::new(12, 8, sinks).nodata(None));
        let message = format!("6 cells of 'a.tif' hold {code}, which is not declared");
        workshop.run(&[&RAIN[..], &["--sinks", "a.tif"]].concat()).done().says(&[&message]);
        assert!(pixels(workshop.path("results/depth.tif"))[0] > 0.0, "{code} is no sink");
        // If every cell needs a value, a missing one is an error that names the code.
        let workshop = Workshop::new();
        workshop.raster("n.tif", &Raster::new(12, 8, |i, j| holed(i, j) / 5.0).nodata(None));
        let code = holed(0, 0) / 5.0;
        let refused = "run --dem dem.tif --roughness n.tif --duration 1min";
        let code = (code as f32).to_string();
        workshop.refuses(&format!("{refused} --rain '20 mm/h'"), &[&code]);
    }
}

#[test]
fn negative_amounts_blended_by_a_warp_are_reported_once_with_their_range() {
    let workshop = Workshop::new();
    let mixed = |i: usize, j: usize| if i == 0 { -7473.0 + 900.0 * j as f64 } else { 0.25 };
    workshop.raster("d.tif", &Raster::new(12, 8, mixed).nodata(None));
    let ran = workshop.run(&[&RAIN[..], &["--initial-depth", "d.tif"]].concat()).done();
    let message =
        "initial_depth: 8 cells of 'd.tif' hold -7473 to -1173: most likely a warp interpolated";
    let ran = ran.says(&[message, "gdalwarp -srcnodata"]);
    assert_eq!(ran.err.matches("-srcnodata").count(), 1, "{}", ran.err);
}

#[test]
fn ignores_a_negligible_rotation() {
    let skewed = |skew: f64| [CORNER.0, 10.0, skew, CORNER.1, -skew, -10.0];
    let workshop = Workshop::new();
    let plain = workshop.run(&RAIN).done();
    let depths = pixels(workshop.path("results/depth.tif"));
    drop(plain);
    for skew in [1e-16, -3e-4] {
        workshop.raster("dem.tif", &Raster::terrain(12, 8).transform(skewed(skew)));
        workshop.raster("rain.tif", &Raster::new(12, 8, |_, _| 20.0).transform(skewed(skew / 2.0)));
        workshop.raster("n.tif", &Raster::new(12, 8, |_, _| 0.03).transform(skewed(-skew)));
        let arguments = "--rain rain.tif --duration 1min --overwrite";
        workshop.run(arguments).done().never_says("warning").never_says("warped");
        assert_eq!(pixels(workshop.path("results/depth.tif")), depths);
        let rough = format!("{arguments} --roughness n.tif");
        workshop.run(&rough).done().never_says("another grid");
    }
    workshop.raster("dem.tif", &Raster::terrain(12, 8).transform(skewed(0.02)));
    let refused = [&["run", "--dem", "dem.tif", "--overwrite"], &RAIN[..]].concat();
    workshop.refuses(&refused, &["dem: the grid of 'dem.tif' is rotated"]);
}
