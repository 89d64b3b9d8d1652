//! Maps are compressed as requested, without loss, and their files have the same bytes for any
//! number of threads.

use crate::cli_common::{self, Raster, Workshop, pixels};
use gdal::{Dataset, Metadata};
use std::fs;

const RUN: &str = "--rain '20 mm/step' --steps 4 --solver aqua-graph";
const LAYERS: [&str; 3] = ["depth", "max_depth", "arrival_time"];

/// Returns a terrain of several tiles, the first of which have no data.
fn large() -> Raster {
    Raster::new(1100, 530, |column, row| match column < 600 {
        true => -9999.0,
        false => 100.0 + ((column * 31 + row * 17) % 97) as f64 * 0.1,
    })
}

#[test]
fn every_codec_keeps_every_pixel() {
    let workshop = Workshop::with_dem(&large());
    for (codec, found) in
        [("deflate", "DEFLATE"), ("zstd", "ZSTD"), ("lerc", "LERC_DEFLATE"), ("none", "")]
    {
        workshop.run(&format!("{RUN} --compress '{codec}' --out '{codec}'")).done();
        for layer in LAYERS {
            let path = workshop.path(&format!("{codec}/{layer}.tif"));
            let file = Dataset::open(&path).unwrap();
            let structure = |key| file.metadata_item(key, "IMAGE_STRUCTURE");
            assert_eq!(structure("COMPRESSION").unwrap_or_default(), found);
            assert_eq!(structure("LAYOUT").as_deref(), Some("COG"));
            let as_usual = pixels(workshop.path(&format!("deflate/{layer}.tif")));
            assert!(pixels(&path) == as_usual, "{codec}/{layer}");
        }
    }
    workshop.refuses(
        &format!("run --dem dem.tif --compress lossy {RUN}"),
        &["lossy", "deflate", "zstd", "lerc", "none"],
    );
}

#[test]
fn refuses_a_codec_missing_from_gdal_before_reading_anything() {
    let workshop = Workshop::with_dem(&large());
    for command in ["run", "check"] {
        workshop.shell(&format!(
            "GDAL_SKIP=COG exec $INUNDATE {command} --dem dem.tif --rain '1 mm/step' --steps 1 --compress zstd"
        )).exits(2).says(&["compress: this program's GDAL cannot write zstd", "--compress"]);
        assert!(!workshop.path("results").exists());
    }
}

#[test]
fn files_are_byte_identical_for_any_number_of_threads() {
    let workshop = Workshop::with_dem(&large());
    for codec in ["deflate", "zstd", "lerc"] {
        let bytes = |threads: &str| {
            let out = format!("{codec}_{threads}");
            let more = format!("--compress '{codec}' --threads '{threads}' --out '{out}'");
            workshop.run(&format!("{RUN} {more} --output-every 2")).done();
            let names = workshop.names(&out);
            let maps = names.into_iter().filter(|name| name.ends_with(".tif"));
            maps.map(|name| (fs::read(workshop.path(&out).join(&name)).unwrap(), name))
                .collect::<Vec<_>>()
        };
        let one = bytes("1");
        assert_eq!(one.len(), 5);
        for threads in ["2", "5"] {
            for ((bytes, name), (as_one, _)) in bytes(threads).iter().zip(&one) {
                assert!(bytes == as_one, "{codec}, {name}, {threads} threads");
            }
        }
    }
}

#[test]
fn overviews_average_valid_pixels_and_empty_blocks_take_no_space() {
    let workshop = Workshop::with_dem(&large());
    workshop.run(RUN).done();
    let path = workshop.path("results/depth.tif");
    let values = pixels(&path);
    let file = Dataset::open(&path).unwrap();
    let band = file.rasterband(1).unwrap();
    let offset = |block: &str| band.metadata_item(&format!("BLOCK_OFFSET_{block}"), "TIFF");
    assert_eq!(offset("0_0"), None, "a block of no data is in the file");
    assert!(offset("2_0").is_some());
    let overview = band.overview(0).unwrap();
    let (columns, rows) = overview.size();
    assert_eq!((columns, rows), (550, 265));
    let overview = overview.read_as::<f32>((0, 0), (550, 265), (550, 265), None).unwrap();
    for row in 0..rows {
        for column in 0..columns {
            let four = [(0, 0), (1, 0), (0, 1), (1, 1)]
                .map(|(x, y)| values[(2 * row + y) * 1100 + 2 * column + x]);
            let known: Vec<f64> =
                four.iter().filter(|v| **v != -9999.0).map(|v| f64::from(*v)).collect();
            let mean = match known.len() {
                0 => -9999.0,
                count => (known.iter().sum::<f64>() / count as f64) as f32,
            };
            assert_eq!(overview.data()[row * columns + column], mean, "{column}, {row}");
        }
    }
    // Overviews of classes and times use the nearest cell: no new values occur.
    let path = workshop.path("results/arrival_time.tif");
    let file = Dataset::open(&path).unwrap();
    let overview = file.rasterband(1).unwrap().overview(0).unwrap();
    let overview = overview.read_as::<f32>((0, 0), (550, 265), (550, 265), None).unwrap();
    let among = cli_common::pixels(&path);
    let is_known = |value: &f32| among.iter().any(|other| other == value);
    assert!(overview.data().iter().take(40_000).all(is_known));
}
