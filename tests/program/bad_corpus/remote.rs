//! Input on remote machines, in databases, or in unrelated files.

use crate::bad_corpus::harness::Expect::{self, Refused, Taken};
use crate::bad_corpus::harness::{Case, command, run};
use crate::cli_common::Workshop;

const RAIN: &str = "--rain '20 mm/h' --duration 1min";
const ELSEWHERE: &str = "is on another machine or in a database";

/// Returns a case with a DEM of this name.
fn dem(name: &'static str, dem: &'static str, parts: &'static [&'static str]) -> Case {
    command(name, |_| {}, &format!("run --dem '{dem}' {RAIN}"), Refused(parts))
}

/// Returns a case whose DEM is a VRT.
fn vrt(name: &'static str, build: fn(&Workshop), expect: Expect) -> Case {
    command(name, build, &format!("run --dem dem.vrt {RAIN}"), expect)
}

/// Writes a VRT on the DEM's grid with a band.
fn write(workshop: &Workshop, name: &str, band: &str) {
    workshop.file(
        name,
        format!(
            "<VRTDataset rasterXSize='12' rasterYSize='8'><SRS>EPSG:32633</SRS>\
             <GeoTransform>500000, 10, 0, 5000000, 0, -10</GeoTransform>{band}</VRTDataset>"
        ),
    );
}

/// Returns a band from a file.
fn from(source: &str) -> String {
    format!(
        "<VRTRasterBand dataType='Float32' band='1'><SimpleSource>\
         <SourceFilename relativeToVRT='1'>{source}</SourceFilename><SourceBand>1</SourceBand>\
         </SimpleSource></VRTRasterBand>"
    )
}

/// Returns a band of the bytes of a file.
fn raw(source: &str) -> String {
    format!(
        "<VRTRasterBand dataType='Byte' band='1' subClass='VRTRawRasterBand'>\
         <SourceFilename relativetoVRT='1'>{source}</SourceFilename><ImageOffset>0</ImageOffset>\
         <PixelOffset>1</PixelOffset><LineOffset>12</LineOffset></VRTRasterBand>"
    )
}

pub fn cases() -> Vec<Case> {
    vec![
        dem(
            "a DEM on a web server",
            "/vsicurl/http://127.0.0.1:9/dem.tif",
            &["dem: '/vsicurl/http://127.0.0.1:9/dem.tif'", ELSEWHERE, "--allow-remote"],
        ),
        command(
            "a source in a database, in a scenario of another folder",
            |workshop| {
                std::fs::create_dir(workshop.path("case")).unwrap();
                let keys = "dem = '../dem.tif'\nsource = 'PG:dbname=flood'\nduration = '1min'\n";
                workshop.file("case/flood.toml", keys);
            },
            "run case/flood.toml",
            Refused(&["source: 'PG:dbname=flood'", ELSEWHERE]),
        ),
        dem("a DEM in a bucket", "/vsis3/bucket/dem.tif", &[ELSEWHERE]),
        dem(
            "a DEM in an archive on a web server",
            "/vsizip//vsicurl/http://127.0.0.1:9/a.zip/dem.tif",
            &[ELSEWHERE],
        ),
        dem("a DEM in a database", "PG:host=127.0.0.1 port=9 dbname=dem", &[ELSEWHERE]),
        run(
            "sources in a database",
            |_| {},
            &format!("{RAIN} --source 'PG:host=10.255.255.1 dbname=flood'"),
            Refused(&["source: ", ELSEWHERE]),
        ),
        run(
            "buildings on a server",
            |_| {},
            &format!("{RAIN} --buildings WFS:http://127.0.0.1:9/wfs"),
            Refused(&["buildings: ", ELSEWHERE]),
        ),
        vrt(
            "a mosaic of a web server",
            |w| write(w, "dem.vrt", &from("/vsicurl/http://127.0.0.1:9/dem.tif")),
            Refused(&["dem: 'dem.vrt' reads '/vsicurl/http://127.0.0.1:9/dem.tif'", ELSEWHERE]),
        ),
        vrt(
            "a mosaic of a mosaic of a web server, under other names",
            |w| {
                write(w, "dem.vrt", &from("inner.xml"));
                write(w, "inner.xml", &from("http&#58;//127.0.0.1:9/dem.tif"));
            },
            Refused(&["dem: 'inner.xml' reads 'http://127.0.0.1:9/dem.tif'", ELSEWHERE]),
        ),
        vrt("a mosaic of a file here", |w| write(w, "dem.vrt", &from("dem.tif")), Taken),
        vrt(
            "a mosaic of itself",
            |w| write(w, "dem.vrt", &from("dem.vrt")),
            Refused(&["dem: 'dem.vrt'"]),
        ),
        vrt(
            "raw numbers from any file of the machine",
            |w| write(w, "dem.vrt", &raw("/etc/passwd")),
            Refused(&["dem: 'dem.vrt' reads raw numbers from '/etc/passwd'", "--allow-remote"]),
        ),
        vrt(
            "raw numbers from a part of any file of the machine",
            |w| {
                write(
                    w,
                    "dem.vrt",
                    &raw("/vsisubfile/0_96,/etc/passwd").replace("='1'>/", "='0'>/"),
                )
            },
            Refused(&["dem: 'dem.vrt' reads raw numbers from '/vsisubfile/0_96,/etc/passwd'"]),
        ),
        vrt(
            "a mosaic within a mosaic",
            |w| write(w, "dem.vrt", &from("&lt;VRTDataset&gt;&lt;/VRTDataset&gt;")),
            Refused(&["dem: 'dem.vrt' contains a source that is not a file name"]),
        ),
        vrt(
            "raw numbers from a file beside it",
            |w| {
                write(w, "dem.vrt", &raw("numbers"));
                w.file("numbers", (10..106).collect::<Vec<u8>>());
            },
            Taken,
        ),
        run(
            "a layer of a server behind a file",
            |w| {
                w.file(
                    "s.vrt",
                    "<OGRVRTDataSource><OGRVRTLayer name='s'><SrcDataSource>PG:host=10.255.255.1 dbname=x\
                     </SrcDataSource></OGRVRTLayer></OGRVRTDataSource>",
                );
            },
            &format!("{RAIN} --buildings s.vrt"),
            Refused(&["buildings: 's.vrt' reads 'PG:host=10.255.255.1 dbname=x'", ELSEWHERE]),
        ),
        command(
            "a server asked for in a scenario that does not allow it",
            |w| {
                w.file(
                    "s.toml",
                    "dem = '/vsicurl/http://127.0.0.1:9/dem.tif'\nrain = '5 mm/h'\nduration = '1 min'\n",
                );
            },
            "run s.toml",
            Refused(&[ELSEWHERE, "allow_remote = true"]),
        ),
        command(
            "a server that is allowed, and not there",
            |w| {
                w.file(
                    "s.toml",
                    "dem = '/vsicurl/http://127.0.0.1:9/dem.tif'\nrain = '5 mm/h'\nduration = '1 min'\nallow_remote = true\n",
                );
            },
            "run s.toml",
            Refused(&[
                "dem: '/vsicurl/http://127.0.0.1:9/dem.tif' is not a raster that GDAL can read",
            ]),
        ),
    ]
}
