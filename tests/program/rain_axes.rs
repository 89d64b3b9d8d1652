//! Rain in NetCDF files falls where its axes say, for any storage order of its dimensions.

use crate::cli_common;

use cli_common::netcdf::{Rain, Values, Variable, write};
use cli_common::{Raster, Workshop, hinted_command};

/// Area of the domain of [`flat`] [m²].
const AREA: f64 = 9600.0;

/// Returns two hours of rain with different rates (mm/h) in every pixel: 3, then 5 over the DEM.
fn file() -> Rain {
    let mut file = Rain::of("mm/h", &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]);
    file.value = Box::new(|at| {
        let (column, row, hour) = (at("lon"), at("lat"), at("time"));
        match (column, row) {
            (4, 4) => [3.0, 5.0, 0.0][hour],
            _ => (10 + column + 9 * row + 81 * hour) as f32,
        }
    });
    file
}

#[track_caller]
fn brings(workshop: &Workshop, name: &str, mm: f64) {
    let run = format!("--rain '{name}' --start 2021-07-14T01:00Z --duration 2h");
    workshop.run(&format!("{run} --step 1min --overwrite")).done();
    let fell = workshop.volume("results", "rain_m3") / AREA * 1e3;
    assert!((fell - mm).abs() < 1e-3, "{name}: {fell} mm, not {mm}");
}

#[track_caller]
fn refused(workshop: &Workshop, name: &str, parts: &[&str]) -> cli_common::Ran {
    let run = format!("run --dem dem.tif --duration 1h --overwrite --rain '{name}'");
    workshop.refuses(&run, parts)
}

#[test]
fn dimensions_in_any_order_give_the_same_rain() {
    let workshop = Workshop::flat();
    for south_up in [false, true] {
        for order in [
            ["time", "lat", "lon"],
            ["time", "lon", "lat"],
            ["lat", "lon", "time"],
            ["lon", "lat", "time"],
            ["lat", "time", "lon"],
            ["lon", "time", "lat"],
        ] {
            let mut file = file().order(&order);
            file.south_up = south_up;
            file.write(&workshop, "r.nc");
            brings(&workshop, "r.nc", 8.0);
        }
    }
}

/// Moves the contents of a NetCDF file into a group.
fn into_group(workshop: &Workshop, from: &str, to: &str) {
    workshop.shell(&format!("gdalmdimtranslate -of VRT {from} group.vrt")).done();
    let root = workshop.text("group.vrt");
    let begins = "<Group name=\"/\">";
    let inner = root.replacen(begins, &format!("{begins}<Group name=\"Grid\">"), 1);
    workshop.file("group.vrt", inner.replace("</VRTDataset>", "</Group></VRTDataset>"));
    workshop.shell(&format!("gdalmdimtranslate -co FORMAT=NC4 -of netCDF group.vrt {to}")).done();
}

#[test]
fn variables_in_groups_are_read_like_those_of_the_root() {
    let workshop = Workshop::flat();
    for order in [["time", "lat", "lon"], ["time", "lon", "lat"]] {
        for south_up in [false, true] {
            let mut file = file().order(&order).bounds(&[[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]);
            file.south_up = south_up;
            file.write(&workshop, "root.nc");
            into_group(&workshop, "root.nc", "r.nc");
            // By the bounds, 5 mm/h fall in the first hour of the run and nothing in the second.
            brings(&workshop, "r.nc", 5.0);
        }
    }
    // The extension under which many archives distribute the format.
    std::fs::copy(workshop.path("r.nc"), workshop.path("r.HDF5")).unwrap();
    brings(&workshop, "r.HDF5", 5.0);
    let run = ["--start", "2021-07-14T01:00Z", "--duration", "1h", "--step=1min", "--overwrite"];
    let run = [&["--rain", "r.nc"], &run[..]].concat();
    for name in ["rain", "/Grid/rain"] {
        workshop.run(&[&run[..], &["--rain-variable", name]].concat()).done();
    }
    let mut file = file().order(&["time", "lon", "lat"]).with("cell_methods", "time: maximum");
    file.units = "m";
    file.write(&workshop, "root.nc");
    into_group(&workshop, "root.nc", "r.nc");
    let ran = workshop.run(&run).done();
    assert!(ran.err.contains("are the maximum of each interval"), "{}", ran.err);
}

#[test]
fn refuses_axes_that_are_not_evenly_spaced() {
    let workshop = Workshop::flat();
    for grouped in [false, true] {
        for (axis, order) in [
            ("lat", ["time", "lat", "lon"]),
            ("lon", ["time", "lat", "lon"]),
            ("lat", ["time", "lon", "lat"]),
        ] {
            let mut file = file().order(&order);
            file.uneven = Some(axis);
            file.write(&workshop, "root.nc");
            std::fs::copy(workshop.path("root.nc"), workshop.path("r.nc")).unwrap();
            if grouped {
                into_group(&workshop, "root.nc", "r.nc");
            }
            let what = format!(
                "'r.nc' has an axis that is not evenly spaced: '{axis}', with 0.125 to 0.375 degrees_"
            );
            let fix = format!(".interp({axis}=numpy.linspace(");
            refused(&workshop, "r.nc", &["rain: ", &what, "between its coordinates", &fix]);
        }
    }
}

#[test]
fn reads_the_attributes_of_transposed_variables() {
    let workshop = Workshop::flat();
    // Packed depths per hour, with bounds, stamped at the end of each hour.
    let mut file =
        file().order(&["lon", "lat", "time"]).bounds(&[[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]);
    file.units = "m";
    file.attributes.push(("scale_factor", Values::Double(vec![1e-3])));
    file.attributes.push(("_FillValue", Values::Float(vec![-1.0])));
    file.write(&workshop, "r.nc");
    brings(&workshop, "r.nc", 5.0);
}

#[test]
fn ignores_axes_of_length_one_and_refuses_longer_ones_with_a_fix() {
    let workshop = Workshop::flat();
    for (order, name) in [
        (["time", "number", "lat", "lon"], "number"),
        (["number", "time", "lat", "lon"], "number"),
        (["time", "lat", "lon", "height"], "height"),
    ] {
        let mut file = file().order(&order);
        file.others = vec![(name, vec![7], "1")];
        file.write(&workshop, "r.nc");
        brings(&workshop, "r.nc", 8.0);
    }
    for (name, values, parts) in [
        (
            "number",
            vec![0, 1, 2],
            ["'number' has 3 members of an ensemble", "ncks -d number,0 'r.nc'"],
        ),
        (
            "expver",
            vec![1, 5],
            ["'expver' holds both final and preliminary data (1 and 5)", "combine_first"],
        ),
        (
            "height",
            vec![2, 10],
            ["'height' has 2 values beside the times", "ncks -d height,0 'r.nc'"],
        ),
    ] {
        let mut file = file();
        file.order = vec!["time", name, "lat", "lon"];
        file.others = vec![(name, values, "1")];
        file.write(&workshop, "r.nc");
        refused(&workshop, "r.nc", &parts);
    }
}

#[test]
fn never_mistakes_a_time_axis_for_columns() {
    let workshop = Workshop::flat();
    let dimension = |name: &'static str, number: u32, count: usize| Variable {
        name,
        dimensions: vec![number],
        attributes: Vec::new(),
        values: Values::Double((0..count).map(|at| at as f64).collect()),
    };
    let mut time = dimension("time", 2, 4);
    time.attributes = vec![("units", Values::Text("hours since 2021-07-14"))];
    let rain = Variable {
        name: "rain",
        dimensions: vec![0, 1, 2],
        attributes: vec![("units", Values::Text("mm"))],
        values: Values::Float(vec![1.0; 3 * 3 * 4]),
    };
    let dimensions = [("first", 3), ("second", 3), ("time", 4)];
    let axes = [dimension("first", 0, 3), dimension("second", 1, 3), time, rain];
    write(&workshop, "r.nc", &dimensions, &axes);
    let parts = [
        "rain: 'r.nc'",
        "its variable 'rain' is stored with the axes first, second, time, and nothing declares which are its columns and rows",
        "ncpdq -a time,y,x",
    ];
    refused(&workshop, "r.nc", &parts);
}

#[test]
fn georeferences_a_dem_stored_by_columns() {
    let workshop = Workshop::new();
    let (columns, rows) = (12, 8);
    let level = |column: usize, row: usize| (column * 10 + row) as f32;
    let [x, dx, _, y, _, dy] = Raster::new(columns, rows, |_, _| 0.0).transform;
    let axis = |name, number, standard_name, first: f64, step: f64, count: usize| Variable {
        name,
        dimensions: vec![number],
        attributes: vec![
            ("standard_name", Values::Text(standard_name)),
            ("units", Values::Text("m")),
        ],
        values: Values::Double((0..count).map(|at| first + step * (at as f64 + 0.5)).collect()),
    };
    let height = Variable {
        name: "height",
        dimensions: vec![0, 1],
        attributes: vec![("units", Values::Text("m"))],
        values: Values::Float(
            (0..columns).flat_map(|column| (0..rows).map(move |row| level(column, row))).collect(),
        ),
    };
    let east = axis("east", 0, "projection_x_coordinate", x, dx, columns);
    let north = axis("north", 1, "projection_y_coordinate", y, dy, rows);
    write(&workshop, "dem.nc", &[("east", columns), ("north", rows)], &[east, north, height]);
    let raster = Raster::new(columns, rows, |column, row| f64::from(level(column, row)));
    workshop.raster("dem.tif", &raster.epsg(None));
    let maps = ["dem.nc", "dem.tif"].map(|dem| {
        let run = format!("run --dem '{dem}' --rain '30 mm/h' --duration 10min --overwrite");
        workshop.inundate(&format!("{run} --local-metres")).done();
        cli_common::pixels(workshop.path("results/max_depth.tif"))
    });
    assert_eq!(maps[0], maps[1]);
}

#[test]
fn suggests_a_command_for_curvilinear_grids() {
    let workshop = Workshop::flat();
    let place = |name, standard_name, unit, value: fn(usize, usize) -> f32| Variable {
        name,
        dimensions: vec![1, 2],
        attributes: vec![
            ("standard_name", Values::Text(standard_name)),
            ("units", Values::Text(unit)),
        ],
        values: Values::Float((0..81).map(|at| value(at % 9, at / 9)).collect()),
    };
    let time = Variable {
        name: "time",
        dimensions: vec![0],
        attributes: vec![("units", Values::Text("hours since 2021-07-14"))],
        values: Values::Double(vec![1.0, 2.0]),
    };
    let rain = Variable {
        name: "rain",
        dimensions: vec![0, 1, 2],
        attributes: vec![("units", Values::Text("mm/h")), ("coordinates", Values::Text("lat lon"))],
        values: Values::Float([[3.0; 81], [5.0; 81]].concat()),
    };
    let lat = place("lat", "latitude", "degrees_north", |column, row| {
        46.0 - 0.25 * row as f32 + 0.02 * column as f32
    });
    let lon = place("lon", "longitude", "degrees_east", |column, row| {
        14.0 + 0.25 * column as f32 + 0.02 * row as f32
    });
    write(&workshop, "r.nc", &[("time", 2), ("j", 9), ("i", 9)], &[time, lat, lon, rain]);
    let ran = refused(&workshop, "r.nc", &["rain: 'r.nc'", "gdalwarp -geoloc"]);
    workshop.shell(&hinted_command(&ran)).done();
    brings(&workshop, "placed.tif", 8.0);
}
