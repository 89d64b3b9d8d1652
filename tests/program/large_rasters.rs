//! Rasters that declare more data than fit in memory are refused before it is allocated, by every
//! reader.

use crate::cli_common;

use cli_common::{UTM33, Workshop};
use gdal::DriverManager;
use gdal::raster::RasterCreationOptions;
use gdal::spatial_ref::SpatialRef;
use std::path::Path;

const RAIN: &str = "--rain '20 mm/h' --duration 1min";

/// Writes an empty GeoTIFF with a given number of columns and rows of 1 cm.
fn sparse(path: &Path, side: usize) {
    let driver = DriverManager::get_driver_by_name("GTiff").unwrap();
    let options = RasterCreationOptions::from_iter([
        "SPARSE_OK=TRUE",
        "BIGTIFF=YES",
        "TILED=YES",
        "BLOCKXSIZE=16384",
        "BLOCKYSIZE=16384",
    ]);
    let mut file =
        driver.create_with_band_type_with_options::<f32, _>(path, side, side, 1, &options).unwrap();
    file.set_geo_transform(&[500_000.0, 0.01, 0.0, 5_000_000.0, 0.0, -0.01]).unwrap();
    file.set_spatial_ref(&SpatialRef::from_epsg(UTM33).unwrap()).unwrap();
    file.close().unwrap();
}

#[test]
fn refuses_a_dem_larger_than_the_available_memory() {
    let workshop = Workshop::new();
    sparse(&workshop.path("sparse.tif"), 1_000_000);
    workshop.file(
        "all.vrt",
        "<VRTDataset rasterXSize='2147483647' rasterYSize='2147483647'><SRS>EPSG:32633</SRS>\
         <GeoTransform>500000, 0.0001, 0, 5000000, 0, -0.0001</GeoTransform>\
         <VRTRasterBand dataType='Float32' band='1'></VRTRasterBand></VRTDataset>",
    );
    for (dem, cells) in [("sparse.tif", "1000000"), ("all.vrt", "2147483647")] {
        let said = format!("dem: '{dem}' has {cells} × {cells} cells (columns × rows)");
        let parts = [&said, "of memory, but there are ", "gdal_translate -srcwin", "gdalwarp -r"];
        workshop.refuses(&format!("run --dem '{dem}' {RAIN}"), &parts);
        workshop.refuses(&["new", dem], &parts);
    }
    // As a layer on another grid.
    let rain = ["run", "--dem", "dem.tif", "--rain", "all.vrt", "--duration", "1min"];
    workshop.refuses(&rain, &["rain: 'all.vrt' "]);
}

#[test]
fn respects_a_limit_on_the_address_space() {
    let workshop = Workshop::empty();
    sparse(&workshop.path("dem.tif"), 60_000);
    for command in ["run", "check"] {
        let rest = "--dem dem.tif --rain '20 mm/h' --duration 1min --threads 2";
        workshop
            .shell(&format!("ulimit -v 6000000; exec $INUNDATE {command} {rest}"))
            .exits(2)
            .says(&["dem: 'dem.tif' has 60000 × 60000 cells", "below the limit of ulimit -v"]);
    }
    // Rasters that fit are accepted.
    let workshop = Workshop::new();
    let few = "--dem dem.tif --rain '20 mm/h' --duration 1min --threads 2";
    workshop.shell(&format!("ulimit -v 6000000; exec $INUNDATE run {few}")).done();
}
