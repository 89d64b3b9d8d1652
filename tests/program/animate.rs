//! `inundate animate`: a GIF of a series, complete or absent, and the message if there is no
//! series.

use crate::cli_common;

use cli_common::{Raster, Workshop};
use gdal::Dataset;

const SERIES: &str = "--rain '60 mm/h' --duration 10min --output-every '1 min'";

fn flood() -> Workshop {
    let workshop = Workshop::with_dem(&Raster::terrain(60, 40).with(3, 3, -9999.0));
    workshop.run(&format!("{SERIES} --layers depth,velocity -q")).done();
    workshop
}

/// A GIF as displayed: width, height, delays (1/100 s), and the colours of each composed frame.
struct Shown {
    size: (usize, usize),
    delays: Vec<u16>,
    frames: Vec<Vec<[u8; 3]>>,
}

fn shown(path: &std::path::Path) -> Shown {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::Indexed);
    let mut decoder = options.read_info(std::fs::File::open(path).unwrap()).unwrap();
    let size = (usize::from(decoder.width()), usize::from(decoder.height()));
    let palette: Vec<u8> = decoder.global_palette().unwrap().to_vec();
    let mut canvas = vec![[0u8; 3]; size.0 * size.1];
    let (mut delays, mut frames) = (Vec::new(), Vec::new());
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let width = usize::from(frame.width);
        for (at, &colour) in frame.buffer.iter().enumerate() {
            if Some(colour) == frame.transparent {
                continue;
            }
            let (row, column) = (at / width, at % width);
            let place = (usize::from(frame.top) + row) * size.0 + usize::from(frame.left) + column;
            let colour = usize::from(colour) * 3;
            canvas[place] = [palette[colour], palette[colour + 1], palette[colour + 2]];
        }
        delays.push(frame.delay);
        frames.push(canvas.clone());
    }
    Shown { size, delays, frames }
}

#[test]
fn renders_a_series_with_ground_time_and_legend() {
    let workshop = flood();
    let said = workshop.inundate("animate results").done().out;
    assert!(said.starts_with("results/depth.gif: 10 frames, "), "{said}");
    let Shown { size, delays, frames } = shown(&workshop.path("results/depth.gif"));
    assert_eq!((frames.len(), delays.len()), (10, 10));
    assert_eq!((delays[0], delays[9]), (20, 200));
    assert!(size.0 > 480 && size.1 > 320 && size.0 < 1000, "{size:?}");
    let at = |frame: usize, across: usize, down: usize| frames[frame][down * size.0 + across];
    // Eight pixels per cell; the map is below the title line.
    let cell =
        |frame: usize, column: usize, row: usize| at(frame, 12 + 8 * column + 4, 40 + 8 * row + 4);
    let paper = [255; 3];
    assert_eq!(cell(9, 3, 3), paper, "outside the domain");
    let grounds: std::collections::BTreeSet<[u8; 3]> =
        (0..60 * 40).map(|at| cell(0, at % 60, at / 60)).collect();
    assert!(grounds.len() > 4, "the ground is lit: {grounds:?}");
    // Water is blue, and increases until the end.
    let blue = |frame: usize| {
        let cells = (0..60 * 40).map(|at| cell(frame, at % 60, at / 60));
        cells.filter(|[red, _, blue]| *blue > red.saturating_add(40)).count()
    };
    assert!(blue(9) > blue(0) && blue(9) > 50, "{} and {}", blue(0), blue(9));
    // Each frame shows its time at the top right; title and legend stay.
    let part = |frame: usize, left: usize, right: usize, top: usize, bottom: usize| {
        let rows = top..bottom;
        let row = |row: usize| frames[frame][row * size.0 + left..row * size.0 + right].to_vec();
        rows.map(row).collect::<Vec<_>>().concat()
    };
    let time = |frame| part(frame, size.0 - 150, size.0 - 8, 8, 32);
    let legend = |frame| part(frame, 12 + 480, size.0, 40, size.1);
    for frame in 1..10 {
        assert_ne!(time(frame), time(frame - 1), "the time of frame {frame}");
        assert_eq!(legend(frame), legend(0));
    }
    assert!(legend(0).iter().any(|[red, _, blue]| *blue > red.saturating_add(40)));
    assert!(part(0, 12, 200, 8, 32).iter().any(|colour| colour[0] < 100), "there is a title");
}

#[test]
fn respects_frame_count_and_size_and_shows_other_series() {
    let workshop = flood();
    let to = ["--to", "v.gif", "--frames", "4", "--size", "40", "--rate", "10", "--json"];
    let layer = ["animate", "results", "--layer", "velocity"];
    let json = workshop.inundate(&[&layer[..], &to].concat()).done().json();
    assert_eq!((&json["frames"], &json["maps"]), (&4.into(), &10.into()));
    let small = shown(&workshop.path("v.gif"));
    assert_eq!((small.frames.len(), small.delays[0]), (4, 10));
    let sizes = ["30", "120", "240"].map(|size| {
        let to = ["--to", "s.gif", "--size", size, "--overwrite"];
        workshop.inundate(&[&layer[..], &to].concat()).done();
        shown(&workshop.path("s.gif")).size
    });
    assert!(sizes.is_sorted() && sizes[2].0 > sizes[0].0 + 100, "{sizes:?}");
    let bytes = std::fs::metadata(workshop.path("v.gif")).unwrap().len();
    assert_eq!(json["bytes"], bytes);
    // Without its DEM the ground is flat; from another folder, the project has the path.
    let before = std::fs::read(workshop.path("v.gif")).unwrap();
    std::fs::create_dir(workshop.path("elsewhere")).unwrap();
    let again = "cd elsewhere && $INUNDATE animate ../results --layer velocity --to ../w.gif --frames 4 --size 40 --rate 10";
    assert_eq!(workshop.shell(again).done().err, "");
    assert_eq!(std::fs::read(workshop.path("w.gif")).unwrap(), before);
    std::fs::remove_file(workshop.path("dem.tif")).unwrap();
    workshop.inundate("animate results").done().says(&["note: the run's DEM is no longer where"]);
}

#[test]
fn a_run_without_a_series_gets_a_hint_on_writing_one() {
    let workshop = Workshop::new();
    workshop.refuses("animate nowhere", &["'nowhere' is not the output folder of a finished run"]);
    workshop.run("--rain '9 mm/h' --duration 1min -q").done();
    let parts = ["'results' has no series of maps", "output_every", "--output-every 10min"];
    workshop.refuses("animate results", &parts);
    workshop.run(&format!("{SERIES} -q --overwrite")).done();
    let velocity = "animate results --layer velocity";
    workshop.refuses(velocity, &["no series of 'velocity'", "it has depth", "--layers velocity"]);
    workshop.refuses("animate results --layer depht", &["no series of 'depht'"]);
    workshop.refuses("animate results --to a.mp4", &["does not end in .gif"]);
    workshop.refuses("animate results --rate 0", &["frames a second"]);
    workshop.file("results/run.json", "{}");
    workshop.refuses("animate results", &["is not that of a run"]);
}

#[test]
fn the_file_is_complete_or_absent_and_removed_with_the_run() {
    let workshop = flood();
    workshop.inundate("animate results -q").done();
    workshop.refuses("animate results", &["exists already", "--overwrite"]);
    let before = std::fs::read(workshop.path("results/depth.gif")).unwrap();
    // The limit on file sizes simulates a full disk.
    let limit = "ulimit -f 4; $INUNDATE animate results --overwrite";
    let ran = workshop.shell(limit).exits(1);
    assert!(ran.err.contains("cannot write 'results/depth.gif'"), "{}", ran.err);
    assert_eq!(std::fs::read(workshop.path("results/depth.gif")).unwrap(), before);
    assert!(workshop.names("results").iter().all(|name| !name.starts_with('.')));
    // A broken map does not destroy a complete animation.
    workshop.file("results/depth_000h05m00s.tif", "broken");
    workshop.inundate("animate results --overwrite").exits(1);
    assert_eq!(std::fs::read(workshop.path("results/depth.gif")).unwrap(), before);
    Dataset::open(workshop.path("results/depth.gif")).expect("GDAL reads it, too");
    // A new run removes animations of the old one.
    workshop.run("--rain '9 mm/h' --duration 1min -q --overwrite").done();
    assert!(!workshop.names("results").contains(&"depth.gif".to_string()));
}

#[test]
fn shades_the_ground_of_the_run_whichever_way_it_counts() {
    let hill = |column: usize, row: usize| -5.0 - 0.05 * column.abs_diff(20).pow(2).max(row) as f64;
    let [up, down] = [1.0, -1.0].map(|sign| {
        let dem = Raster::new(60, 40, |column, row| sign * hill(column, row));
        let workshop = Workshop::with_dem(&dem);
        if sign < 0.0 {
            let update = gdal::DatasetOptions {
                open_flags: gdal::GdalOpenFlags::GDAL_OF_UPDATE,
                ..Default::default()
            };
            let dem = Dataset::open_ex(workshop.path("dem.tif"), update).unwrap();
            let mut band = dem.rasterband(1).unwrap();
            gdal::Metadata::set_metadata_item(&mut band, "positive", "down", "").unwrap();
        }
        workshop.run(&format!("{SERIES} --layers depth -q")).done();
        workshop
    });
    let frame = |workshop: &Workshop| {
        workshop.inundate("animate results --overwrite").done();
        shown(&workshop.path("results/depth.gif")).frames.remove(0)
    };
    let drawn = frame(&up);
    assert!(drawn == frame(&down), "depths are shaded as heights");
    // A file that took the place of the DEM is not the ground of the run.
    up.raster("dem.tif", &Raster::new(60, 40, |column, row| -hill(column, row)));
    let flat = frame(&up);
    assert!(flat != drawn && flat != frame(&down), "another DEM is shaded");
}

#[test]
fn draws_square_metres_of_oblong_cells() {
    let dem = Raster::terrain(40, 60).transform([0.0, 30.0, 0.0, 600.0, 0.0, -10.0]);
    let workshop = Workshop::with_dem(&dem.with(30, 9, -9999.0));
    workshop.run(&format!("{SERIES} --layers depth -q")).done();
    workshop.inundate("animate results").done();
    let Shown { size, frames, .. } = shown(&workshop.path("results/depth.gif"));
    let at = |across: usize, down: usize| frames[9][down * size.0 + across];
    // 1200 x 600 m on 480 x 240 pixels.
    assert_eq!(size.1, 40 + 240 + 12);
    let (left, top) = (12 + 12 * 30, 40 + 4 * 9);
    let paper = [255; 3];
    for (across, down) in [(0, 0), (11, 3)] {
        assert_eq!(at(left + across, top + down), paper, "outside the domain");
    }
    for (across, down) in [(left - 1, top), (left + 12, top), (left, top - 1), (left, top + 4)] {
        assert_ne!(at(across, down), paper, "a neighbour");
    }
    // The bar of 200 m.
    let ink = at(24, 40 + 240 - 13);
    let bar = (24..size.0).take_while(|&across| at(across, 40 + 240 - 13) == ink).count();
    assert_eq!(bar, 80);
}
