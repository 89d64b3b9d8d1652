//! Tables of Manning's n by land cover class: invalid tables, and the bundled ones.

use crate::cli_common;

use cli_common::{Raster, Workshop};
use inundate::engine::roughness::RANGE;
use inundate::input::tables::class_table::{BUNDLED, ClassTable};

const RAIN: [&str; 4] = ["--rain", "30 mm/h", "--duration", "5min"];
const COVER: [&str; 4] = ["--land-cover", "lc.tif", "--land-cover-table", "t.csv"];

/// Creates a folder with `dem.tif`, the classes 10, -3 and 30 as `lc.tif`, and a table of them as
/// `t.csv`.
fn workshop() -> Workshop {
    let workshop = Workshop::new();
    let class = |column: usize, _| [10.0, -3.0, 30.0][column % 3];
    workshop.raster("lc.tif", &Raster::new(12, 8, class));
    workshop.file("t.csv", "class,n\n10,0.16\n-3,0.02\n30,0.035\n");
    workshop
}

fn with<'a>(first: &[&'a str], then: &[&'a str]) -> Vec<&'a str> {
    [first, then].concat()
}

#[test]
fn names_the_line_of_an_error_in_a_table() {
    let workshop = workshop();
    let run = [&["run", "--dem", "dem.tif"], &RAIN[..], &COVER].concat();
    for (text, parts) in [
        ("", &["line 1: the file is empty"][..]),
        ("# nothing but this\n\n", &["the file is empty"]),
        ("class,n\n", &["line 1: no class follows the header"]),
        (
            "10,0.1\n30,0.2\n",
            &["line 1: the header must be class,n or class,n,name, but is 10,0.1"],
        ),
        ("# a\n\n# b\nclass,manning\n1,0.1\n", &["line 4: the header must be", "class,manning"]),
        ("class,n\n10,0.1\n\n# c\nten,0.1\n", &["line 5: the class 'ten' is not a whole number"]),
        ("class,n\n10.5,0.1\n", &["line 2: the class '10.5' is not a whole number"]),
        (
            "class,n\r\n10,0.1\r\n\r\n20,0\r\n",
            &["line 4: the n of class 20, '0', is not", "0.001 to 10"],
        ),
        ("class,n\n10,11\n", &["line 2: the n of class 10, '11', is not"]),
        ("class,n\n10,nan\n", &["line 2: the n of class 10, 'nan', is not"]),
        ("class,n\n10,rough\n", &["line 2: the n of class 10, 'rough', is not"]),
        (
            "class,n\n10,0.1\n30,0.1\n10,0.2\n",
            &["line 4: class 10 appears twice (first in line 2)"],
        ),
        (
            "class,n,name\n10,0.1,a\n30,0.1,b, c\n",
            &["line 3: 4 columns, but the header has 3", "double quotes"],
        ),
        ("class,n,name\n10,0.1\n", &["line 2: 2 columns, but the header has 3"]),
    ] {
        workshop.file("t.csv", text);
        workshop.refuses(&run, &with(&["land_cover_table: 't.csv', "], parts));
    }
    workshop.file("t.csv", b"class,n,name\n10,0.1,For\xeat\n");
    workshop.refuses(&run, &["line 2: it is not text in UTF-8"]);
    // As written by spreadsheets: a byte order mark, spaces, capitals.
    workshop.file("t.csv", "\u{feff}Class, N, Name\r\n10, 0.16, a\r\n-3,0.02,\r\n30,0.035,c\r\n");
    workshop.inundate(&run).done();
}

#[test]
fn refuses_an_incomplete_pair_and_two_rasters() {
    let workshop = workshop();
    workshop.raster("n.tif", &Raster::new(12, 8, |_, _| 0.05));
    let run = [&["run", "--dem", "dem.tif"], &RAIN[..]].concat();
    for (arguments, parts) in [
        (
            &["--land-cover", "lc.tif"][..],
            &["land_cover: the classes have no Manning's n", "worldcover, nlcd"][..],
        ),
        (&["--land-cover-table", "nlcd"], &["land_cover_table: has no effect without land_cover"]),
        (
            &["--land-cover", "lc.tif", "--land-cover-table", "corine"],
            &["land_cover_table: cannot open 'corine'", "worldcover, nlcd"],
        ),
        (
            &["--land-cover", "none.tif", "--land-cover-table", "nlcd"],
            &["land_cover: cannot open 'none.tif'"],
        ),
        (
            &[&COVER[..], &["--roughness", "n.tif"]].concat(),
            &["roughness: 'n.tif' is a raster, and land_cover", "without a class"],
        ),
        (&[&COVER[..], &["--roughness", "rough"]].concat(), &["roughness: 'rough' is neither"]),
    ] {
        workshop.refuses(&with(&run, arguments), parts);
    }
}

#[test]
fn the_bundled_tables_are_complete_and_within_range() {
    // The legends: WorldCover's Product User Manual 2.0, and NLCD 2019's with Alaska's classes.
    let legends: [(&str, &[i64]); 2] = [
        ("worldcover", &[10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100]),
        ("nlcd", &[11, 12, 21, 22, 23, 24, 31, 41, 42, 43, 51, 52, 71, 72, 73, 74, 81, 82, 90, 95]),
    ];
    for ((name, about, text), (legend, classes)) in BUNDLED.into_iter().zip(legends) {
        assert_eq!(name, legend);
        assert!(!about.is_empty());
        let table = ClassTable::parse(text.as_bytes(), name).unwrap();
        let found: Vec<i64> = table.classes.iter().map(|line| line.class).collect();
        assert_eq!(found, classes, "{name}");
        for line in &table.classes {
            assert!(RANGE.contains(&line.n) && line.n <= 0.2, "{line:?}");
            assert!(line.name.is_some(), "{line:?}");
        }
    }
}

#[test]
fn the_nlcd_table_is_within_the_ranges_of_hec_ras() {
    // HEC-RAS 2D User's Manual, Manning's n by NLCD class; it has none for ice, lichens and moss.
    let ranges = [
        (11, 0.025, 0.05),
        (21, 0.03, 0.05),
        (22, 0.06, 0.12),
        (23, 0.08, 0.16),
        (24, 0.12, 0.20),
        (31, 0.023, 0.030),
        (41, 0.10, 0.20),
        (42, 0.08, 0.16),
        (43, 0.08, 0.20),
        (51, 0.025, 0.05),
        (52, 0.07, 0.16),
        (71, 0.025, 0.05),
        (72, 0.025, 0.05),
        (81, 0.025, 0.05),
        (82, 0.020, 0.05),
        (90, 0.045, 0.15),
        (95, 0.05, 0.085),
    ];
    let table = ClassTable::parse(BUNDLED[1].2.as_bytes(), "nlcd").unwrap();
    for (class, low, high) in ranges {
        let line = table.classes.iter().find(|line| line.class == class).unwrap();
        assert!((low..=high).contains(&line.n), "{line:?}");
    }
}
