//! Rasters: contents, storage, and declared positions.

use crate::bad_corpus::harness::Expect::{Refused, Taken, Warned};
use crate::bad_corpus::harness::{Case, rained, run};
use crate::cli_common::{CORNER, Raster, Workshop};
use gdal::raster::{Buffer, ColorEntry, ColorInterpretation, ColorTable, GdalType};
use gdal::spatial_ref::SpatialRef;
use gdal::{Dataset, DriverManager};

/// Writes a raster of any type on the grid of `dem.tif`, and modifies it further.
fn typed<T: Copy + GdalType>(
    workshop: &Workshop,
    name: &str,
    bands: usize,
    value: impl Fn(usize) -> T,
    more: impl Fn(&mut Dataset),
) {
    let driver = DriverManager::get_driver_by_name("GTiff").unwrap();
    let mut file = driver.create_with_band_type::<T, _>(workshop.path(name), 12, 8, bands).unwrap();
    file.set_geo_transform(&[CORNER.0, 10.0, 0.0, CORNER.1, 0.0, -10.0]).unwrap();
    file.set_spatial_ref(&SpatialRef::from_epsg(32633).unwrap()).unwrap();
    more(&mut file);
    for band in 1..=bands {
        let values = (0..12 * 8).map(&value).collect();
        let mut band = file.rasterband(band).unwrap();
        band.write((0, 0), (12, 8), &mut Buffer::new((12, 8), values)).unwrap();
    }
    file.close().unwrap();
}

fn cut(workshop: &Workshop, name: &str, keep: f64) {
    let whole = std::fs::read(workshop.path(name)).unwrap();
    workshop.file(name, &whole[..(keep * whole.len() as f64) as usize]);
}

fn dem(workshop: &Workshop, dem: Raster) {
    workshop.raster("dem.tif", &dem);
}

/// Returns heights between 108 and 120 m, with a block of another value.
fn block(value: f64) -> Raster {
    let cells = [(2, 2), (3, 2), (4, 2), (2, 3), (3, 3), (4, 3)];
    cells.iter().fold(Raster::terrain(12, 8).nodata(None), |dem, &(i, j)| dem.with(i, j, value))
}

fn bands_of_colour(workshop: &Workshop) {
    let colours = [
        ColorInterpretation::RedBand,
        ColorInterpretation::GreenBand,
        ColorInterpretation::BlueBand,
    ];
    typed(
        workshop,
        "dem.tif",
        3,
        |cell| (100 + cell % 50) as u8,
        |file| {
            for (at, colour) in colours.iter().enumerate() {
                let colour = ColorInterpretation::from_c_int(colour.c_int()).unwrap();
                file.rasterband(at + 1).unwrap().set_color_interpretation(colour).unwrap();
            }
        },
    );
}

fn palette(workshop: &Workshop, name: &str, value: impl Fn(usize) -> u8) {
    typed(workshop, name, 1, value, |file| {
        let mut table = ColorTable::default();
        for class in 0..=100 {
            table.set_color_entry(class, &ColorEntry::rgba(class as i16, 100, 200, 255));
        }
        file.rasterband(1).unwrap().set_color_table(&table);
    });
}

pub fn cases() -> Vec<Case> {
    vec![
        rained("a DEM cut off in its header", |w| cut(w, "dem.tif", 0.2), "", Refused(&["dem: "])),
        rained(
            "an empty roughness raster",
            |w| w.file("n.tif", ""),
            "--roughness n.tif",
            Refused(&["roughness: 'n.tif' is empty (0 bytes)"]),
        ),
        rained(
            "a truncated roughness raster",
            |w| {
                w.raster("n.tif", &Raster::new(90, 90, |_, _| 0.03));
                cut(w, "n.tif", 0.5);
            },
            "--roughness n.tif",
            Refused(&["roughness: 'n.tif' cannot be read completely"]),
        ),
        run(
            "a truncated rain raster",
            |w| {
                w.raster("rain.tif", &Raster::new(12, 8, |_, _| 20.0));
                cut(w, "rain.tif", 0.6);
            },
            "--rain rain.tif --duration 2min",
            Refused(&["rain: 'rain.tif' cannot be read completely"]),
        ),
        rained(
            "a truncated raster of land cover on a grid of its own",
            |w| {
                let fine = [CORNER.0, 1.0, 0.0, CORNER.1, 0.0, -1.0];
                w.raster("lc.tif", &Raster::new(120, 80, |_, _| 10.0).transform(fine));
                cut(w, "lc.tif", 0.5);
            },
            "--land-cover lc.tif --land-cover-table worldcover",
            Refused(&["land_cover: 'lc.tif' "]),
        ),
        rained(
            "an infinite height",
            |w| dem(w, Raster::terrain(12, 8).with(3, 4, f64::INFINITY)),
            "",
            Refused(&["dem: 'dem.tif' holds inf at column 3, row 4"]),
        ),
        rained(
            "a DEM of two bands",
            |w| typed(w, "dem.tif", 2, |cell| 100.0 + (cell % 5) as f32, |_| {}),
            "",
            Refused(&["dem: 'dem.tif' has 2 bands"]),
        ),
        rained(
            "land cover of many classes that no table has",
            |w| {
                w.raster(
                    "lc.tif",
                    &Raster::new(12, 8, |column, row| (1000 + row * 12 + column) as f64),
                )
            },
            "--land-cover lc.tif --land-cover-table nlcd",
            Refused(&[
                "land_cover: 'lc.tif' has classes that the table 'nlcd' lacks: 1000 (1 cell)",
                "more",
            ]),
        ),
        rained(
            "nothing but NaN",
            |w| dem(w, Raster::new(12, 8, |_, _| f64::NAN).nodata(None)),
            "",
            Refused(&["dem: 'dem.tif' has no valid cell: all 96 are NoData"]),
        ),
        rained(
            "whole numbers of 16 bits without NoData, -32768 in a corner",
            |w| {
                typed(w, "dem.tif", 1, |cell| if cell < 2 { -32768_i16 } else { 100 }, |_| {});
            },
            "",
            Warned(&["dem: 2 cells of 'dem.tif' hold -32768", "not declared as NoData"]),
        ),
        rained(
            "65535 in a DEM of unsigned numbers",
            |w| typed(w, "dem.tif", 1, |cell| if cell < 2 { 65535_u16 } else { 100 }, |_| {}),
            "",
            Refused(&["dem: 'dem.tif' holds 65535 at column 0, row 0", "--nodata 65535"]),
        ),
        rained(
            "9999 for what is missing",
            |w| dem(w, block(9999.0)),
            "",
            Warned(&[
                "dem: 6 cells of 'dem.tif' hold 9999, which is not declared as NoData",
                "taken as outside the domain",
                "gdal_edit.py -a_nodata 9999 'dem.tif', or give --nodata 9999",
                "If it is a height, give --nodata nan",
            ]),
        ),
        rained(
            "-9998 for what is missing, beside -9999",
            |w| dem(w, block(-9998.0).nodata(-9999.0).with(11, 7, -9999.0)),
            "",
            Warned(&["dem: 6 cells of 'dem.tif' hold -9998, which is not declared as NoData"]),
        ),
        rained(
            "0 beside real heights",
            |w| dem(w, block(0.0)),
            "",
            Warned(&["dem: 6 cells of 'dem.tif' hold 0, which is not declared as NoData"]),
        ),
        rained(
            "-9999.9 for what is missing",
            |w| dem(w, block(-9999.9)),
            "",
            Warned(&["dem: 6 cells of 'dem.tif' hold -9999.9, which", "or give --nodata -9999.9"]),
        ),
        rained(
            "-99999.99 for what is missing",
            |w| dem(w, block(-99999.99)),
            "",
            Warned(&["dem: 6 cells of 'dem.tif' hold -99999.99", "or give --nodata -99999.99"]),
        ),
        rained(
            "-9999 feet, converted to metres with the heights",
            |w| dem(w, block(-9999.0 * 0.3048)),
            "",
            Warned(&["dem: 6 cells of 'dem.tif' hold -3047.6953"]),
        ),
        rained("0 said to be NoData", |w| dem(w, block(0.0)), "--nodata 0", Taken),
        rained("0 said to be a height", |w| dem(w, block(0.0)), "--nodata nan", Taken),
        rained(
            "a sea at 0 before a flat coast",
            |w| dem(w, Raster::new(12, 8, |i, j| (i as f64 - 4.0).max(0.0) * (5 + j) as f64 / 3.0)),
            "",
            Taken,
        ),
        rained(
            "a DEM of complex numbers",
            |w| complex(w, "dem.tif"),
            "",
            Refused(&["dem: 'dem.tif' holds complex numbers"]),
        ),
        rained(
            "a picture in place of a DEM",
            bands_of_colour,
            "",
            Refused(&["dem: 'dem.tif' is a picture"]),
        ),
        rained(
            "a picture with transparency in place of a DEM",
            |w| {
                bands_of_colour(w);
                w.shell("gdal_translate -q -of PNG -b 1 -b 2 -b 3 -b 3 -colorinterp_4 alpha dem.tif d.png && gdal_translate -q -a_srs EPSG:32633 -a_ullr 500000 5000000 500120 4999920 d.png dem.tif && rm d.png*").done();
            },
            "",
            Refused(&["dem: 'dem.tif' is a picture"]),
        ),
        rained(
            "three bands of bytes that name no colours",
            |w| typed(w, "dem.tif", 3, |cell| (100 + cell % 50) as u8, |_| {}),
            "",
            Refused(&["dem: 'dem.tif' is a picture"]),
        ),
        rained(
            "a DEM with a palette",
            |w| palette(w, "dem.tif", |cell| cell as u8),
            "",
            Warned(&["dem: 'dem.tif' has a colour table"]),
        ),
        rained(
            "land cover with a palette",
            |w| palette(w, "lc.tif", |cell| 10 * (1 + (cell % 4) as u8)),
            "--land-cover lc.tif --land-cover-table worldcover",
            Taken,
        ),
        rained(
            "land cover of broken numbers",
            |w| w.raster("lc.tif", &Raster::new(12, 8, |_, _| 10.5)),
            "--land-cover lc.tif --land-cover-table worldcover",
            Refused(&["land_cover: 'lc.tif' has classes that the table", "10.5"]),
        ),
        rained(
            "a roughness of Strickler's coefficients",
            |w| w.raster("ks.tif", &Raster::new(12, 8, |_, _| 30.0)),
            "--roughness ks.tif",
            Refused(&["roughness: 'ks.tif' holds 30 at column 0, row 0"]),
        ),
        rained("a roughness of 0", |_| {}, "--roughness 0", Refused(&["roughness: '0'"])),
        rained("a Strickler coefficient", |_| {}, "--roughness 30", Refused(&["roughness: '30'"])),
        rained(
            "an initial depth below 0",
            |w| w.raster("d.tif", &Raster::new(12, 8, |_, _| 0.5).with(2, 2, -0.1)),
            "--initial-depth d.tif",
            Refused(&["initial_depth: 'd.tif' holds -0.10000000149011612 at column 2, row 2"]),
        ),
        rained(
            "sinks without a sink",
            |w| w.raster("s.tif", &Raster::new(12, 8, |_, _| 0.0)),
            "--sinks s.tif",
            Warned(&["sinks: 's.tif' has no sink cell"]),
        ),
        run(
            "a source raster without a source",
            |w| w.raster("q.tif", &Raster::new(12, 8, |_, _| 0.0)),
            "--source q.tif --duration 2min",
            Warned(&["source: 'q.tif' brings no water"]),
        ),
        run(
            "rain in metres per hour",
            |_| {},
            "--rain '20 m/h' --duration 2min --open east",
            Warned(&[
                "rain: up to 20000 mm/h",
                "more than ever measured on Earth",
                "check its unit",
            ]),
        ),
        run(
            "rain of 2000 mm in an hour",
            |_| {},
            "--rain '2000 mm/h' --duration 2min",
            Warned(&["rain: up to 2000 mm/h, and 167 mm in 5 min, is more than ever measured"]),
        ),
        run(
            "a day of a cloudburst",
            |w| w.file("storm.csv", "time [h],rain [mm/h]\n0,0\n1,90\n25,0\n"),
            "--rain storm.csv --duration 26h --step 10min",
            Warned(&["rain: up to 90 mm/h, and 2160 mm in 24 h", "(1825 mm in that time)"]),
        ),
        run("a cloudburst of ten minutes", |_| {}, "--rain '300 mm/h' --duration 2min", Taken),
        run(
            "rain that no sky has held",
            |w| w.raster("rain.tif", &Raster::new(12, 8, |_, _| 20_000.0)),
            "--rain rain.tif --duration 2min --open east",
            Warned(&["rain: up to 20000 mm/h"]),
        ),
        run(
            "an infinite rate of rain",
            |w| w.raster("rain.tif", &Raster::new(12, 8, |_, _| 2.0).with(1, 1, f64::INFINITY)),
            "--rain rain.tif --duration 2min",
            Refused(&["rain: 'rain.tif' holds inf at column 1, row 1"]),
        ),
        rained(
            "inflow cells in millimetres",
            |w| w.raster("d.tif", &Raster::new(12, 8, |_, _| 0.0).with(1, 1, 2500.0)),
            "--inflow-depth d.tif",
            Refused(&["m of water in a cell at once"]),
        ),
        rained(
            "the DEM as initial depth",
            |_| {},
            "--initial-depth dem.tif",
            Refused(&["initial_depth: 'dem.tif' is the DEM"]),
        ),
        rained("the DEM as roughness", |_| {}, "--roughness dem.tif", Refused(&["roughness"])),
        rained(
            "a vector layer as roughness",
            |w| {
                w.layer("n.gpkg", "n", &[("POLYGON ((0 0, 9 0, 9 9, 0 0))", "1")]);
            },
            "--roughness n.gpkg",
            Refused(&[
                "roughness: 'n.gpkg' holds features or a table, not a raster",
                "gdal_rasterize",
            ]),
        ),
    ]
}

fn complex(workshop: &Workshop, name: &str) {
    workshop
        .shell(&format!(
            "gdal_translate -q -ot CFloat32 dem.tif c.tif && mv c.tif {name} && rm -f c.tif.aux.xml"
        ))
        .done();
}
