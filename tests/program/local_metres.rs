//! Grids in local metres, on no map: flumes and test cases, with layers without a CRS.

use crate::cli_common::vectors::{Shapes, text};
use crate::cli_common::{Raster, Workshop};
use gdal::spatial_ref::SpatialRef;

const RUN: [&str; 5] = ["run", "--dem", "dem.tif", "--duration", "2 s"];
const LOCAL: &str = "LOCAL_CS[\"flume\",UNIT[\"metre\",1],AXIS[\"x\",EAST],AXIS[\"y\",NORTH]]";

/// Creates a flume 0.6 m long and 0.4 m wide, whose coordinates could be degrees.
fn flume() -> Workshop {
    let metres = [3.0, 0.005, 0.0, 5.0, 0.0, -0.005];
    Workshop::with_dem(&Raster::terrain(120, 80).epsg(None).transform(metres))
}

/// Writes a gauge in the middle of it, in a GeoJSON file without a CRS.
fn gauge(workshop: &Workshop) {
    workshop.file(
        "gauges.geojson",
        r#"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"middle"},
            "geometry":{"type":"Point","coordinates":[3.3025,4.7975]}}]}"#,
    );
}

#[test]
fn a_flume_and_its_layers_can_be_declared_in_local_metres() {
    let workshop = flume();
    gauge(&workshop);
    let flood = [&RUN[..], &["--rain", "9 mm/h"]].concat();
    workshop.refuses(&flood, &["look like degrees", "--local-metres"]);
    let local = [&flood[..], &["--local-metres", "--gauges", "gauges.geojson"]].concat();
    workshop.inundate(&local).done().never_says("coordinate").never_says("warning: gauges");
    let report = workshop.report("results");
    assert_eq!(report["grid"]["dx_m"].as_f64(), Some(0.005));
    assert!(report["grid"]["crs"].is_null());
    let place = &report["gauges"][0];
    assert_eq!((place["column"].as_u64(), place["row"].as_u64()), (Some(60), Some(40)));
}

#[test]
fn a_local_crs_must_be_declared_where_layers_have_none() {
    let workshop = Workshop::new();
    let dem = workshop.path("dem.tif");
    let mut file = gdal::Dataset::open_ex(
        &dem,
        gdal::DatasetOptions {
            open_flags: gdal::GdalOpenFlags::GDAL_OF_UPDATE,
            ..Default::default()
        },
    )
    .unwrap();
    file.set_spatial_ref(&SpatialRef::from_wkt(LOCAL).unwrap()).unwrap();
    file.close().unwrap();
    Shapes::texts("flow")
        .epsg(None)
        .with("POINT (6.5 4.5)", &[text("1 m3/s")])
        .write(&workshop, "source.gpkg");
    let flood = [&RUN[..], &["--source", "source.gpkg"]].concat();
    workshop.refuses(&flood, &["its coordinate reference system is not known", "--local-metres"]);
    workshop.file("s.toml", "local_metres = true\n");
    let said = [&["run", "s.toml"], &flood[1..]].concat();
    workshop.inundate(&said).done().never_says("coordinate");
}

#[test]
fn a_georeferenced_dem_is_not_local() {
    let workshop = Workshop::new();
    let local = [&RUN[..], &["--rain", "9 mm/h", "--local-metres"]].concat();
    workshop.refuses(
        &local,
        &["local_metres: 'dem.tif' has a coordinate reference system on the Earth", "UTM zone 33N"],
    );
}
