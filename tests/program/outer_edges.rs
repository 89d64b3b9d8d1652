//! Lines and points exactly on the outer edges of the DEM belong to the outermost cells.

use crate::cli_common;

use cli_common::vectors::{Shapes, text};
use cli_common::{Raster, Workshop, at, pixels};

/// Columns and rows of the DEM.
const SIZE: (f64, f64) = (12.0, 8.0);

/// Sides, each with a line on the outer edge and one through the centres of the outermost cells
/// (columns and rows from the north-west corner).
const SIDES: [(&str, &str, &str); 4] = [
    ("west", "LINESTRING (0 2.2, 0 5.8)", "LINESTRING (0.5 2.2, 0.5 5.8)"),
    ("east", "LINESTRING (12 2.2, 12 5.8)", "LINESTRING (11.5 2.2, 11.5 5.8)"),
    ("north", "LINESTRING (2.2 0, 8.8 0)", "LINESTRING (2.2 0.5, 8.8 0.5)"),
    ("south", "LINESTRING (2.2 8, 8.8 8)", "LINESTRING (2.2 7.5, 8.8 7.5)"),
];

fn workshop() -> Workshop {
    let slope = Raster::new(SIZE.0 as usize, SIZE.1 as usize, |column, row| {
        10.0 + 0.05 * ((column * 7 + row * 5) % 11) as f64
    });
    let workshop = Workshop::with_dem(&slope);
    workshop.file("levels.csv", "level [m],flow [m3/s]\n10,0\n11,4\n");
    workshop
}

/// Returns the final depths of a run, as bits.
#[track_caller]
fn depths(workshop: &Workshop, more: &str) -> Vec<u32> {
    let run = "--rain '90 mm/h' --duration '4 min' --layers depth --overwrite";
    workshop.run(&format!("{run} {more}")).done().never_says("beyond the domain");
    pixels(workshop.path("results/depth.tif")).iter().map(|depth| depth.to_bits()).collect()
}

#[test]
fn lines_on_an_outer_edge_act_on_the_outermost_cells() {
    let workshop = workshop();
    let without = depths(&workshop, "");
    for (option, field, value) in [
        ("--open", "name", "weir"),
        ("--level", "level", "10.9 m"),
        ("--rating", "rating", "levels.csv"),
        ("--source", "flow", "2 m3/s"),
        ("--walls", "height", "2 m"),
    ] {
        for (side, on_edge, inside) in SIDES {
            let with = |line: &str| {
                let shapes = Shapes::texts(field).with(line, &[text(value)]);
                shapes.write(&workshop, "drawn.geojson");
                std::fs::rename(workshop.path("drawn.geojson"), workshop.path("lines.geojson"))
                    .unwrap();
                depths(&workshop, &format!("'{option}' lines.geojson"))
            };
            let (on_edge, inside) = (with(on_edge), with(inside));
            assert!(on_edge == inside, "{option} along the {side} edge");
            assert!(on_edge != without, "{option} along the {side} edge does something");
        }
    }
}

#[test]
fn points_on_an_outer_edge_or_corner_act_on_the_outermost_cell() {
    let workshop = workshop();
    let place = |(column, row): (f64, f64)| at(column, row);
    let centre = |(column, row): (f64, f64)| {
        (column.floor().min(SIZE.0 - 1.0) + 0.5, row.floor().min(SIZE.1 - 1.0) + 0.5)
    };
    for point in [
        (0.0, 3.3),
        (12.0, 3.3),
        (4.6, 0.0),
        (4.6, 8.0),
        (0.0, 0.0),
        (12.0, 0.0),
        (0.0, 8.0),
        (12.0, 8.0),
    ] {
        let with = |point: (f64, f64)| {
            let place = place(point);
            let [source, rating, gauge] =
                ["3 m3/s", "levels.csv", "gauge"].map(|what| format!("{place},{what}"));
            let poured = depths(&workshop, &format!("--source '{source}' --gauges '{gauge}'"));
            let gauged = workshop.text("results/gauges.csv");
            (poured, depths(&workshop, &format!("--rating '{rating}'")), gauged)
        };
        assert!(with(point) == with(centre(point)), "{point:?}");
        let section = format!("{},{},section", place(point), place((6.0, 4.0)));
        depths(&workshop, &format!("--sections '{section}'"));
    }
}
