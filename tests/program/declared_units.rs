//! Inputs that declare a unit: it is applied for every option, an unknown unit is refused, and
//! without a declaration the assumption is reported.

use crate::cli_common;

use cli_common::netcdf::Rain;
use cli_common::vectors::{Shapes, number};
use cli_common::{Ran, Raster, Workshop};
use gdal::Metadata;
use gdal::raster::RasterCreationOptions;
use gdal::vector::OGRFieldType::OFTReal;
use gdal::{Dataset, DatasetOptions, DriverManager, GdalOpenFlags};

/// Number of cells of the DEM of [`Workshop::new`], and their area (m²).
const CELLS: f64 = 96.0;
const CELL_AREA: f64 = 100.0;
const FOOT: f64 = 0.3048;

/// An option that accepts a raster of a quantity.
struct Case {
    key: &'static str,
    /// Other required options; a case omits that which its raster replaces.
    with: &'static [&'static str],
    /// Unit assumed without a declaration.
    assumed: &'static str,
    /// A value in that unit.
    value: f64,
    /// Another unit, and its size in the assumed one.
    other: (&'static str, f64),
    /// A unit of another quantity.
    unknown: &'static str,
}

const RAIN: &[&str] = &["--rain '30 mm/h'"];
const WET: &[&str] = &["--initial-depth '0.4 m'"];
const GREEN_AMPT: &[&str] = &[
    "--initial-depth '0.4 m'",
    "--green-ampt-conductivity '5 mm/h'",
    "--green-ampt-suction '100 mm'",
    "--green-ampt-deficit 0.3",
];
const HORTON: &[&str] = &[
    "--initial-depth '0.4 m'",
    "--horton-first '60 mm/h'",
    "--horton-last '5 mm/h'",
    "--horton-decay '4 1/h'",
];

/// Every option that accepts a raster of a quantity.
const CASES: &[Case] = &[
    case("initial_depth", &[], "m", 0.5, ("cm", 0.01), "m3/s"),
    case("inflow_depth", &[], "m", 0.5, ("ft", FOOT), "furlong"),
    case("source", &[], "m3/s", 0.002, ("l/s", 0.001), "mm/h"),
    case("rain", &[], "mm/h", 30.0, ("kg m-2 s-1", 3600.0), "K"),
    case("roughness", WET, "s/m^(1/3)", 0.05, ("s m-1/3", 1.0), "m^(1/3)/s"),
    case("infiltration", WET, "mm/h", 25.4, ("in/h", 25.4), "m"),
    case("drainage", WET, "mm/h", 36.0, ("m/s", 3.6e6), "m3/s"),
    case("initial_loss", RAIN, "mm", 2.0, ("cm", 10.0), "mm/h"),
    case("horton_first", HORTON, "mm/h", 60.0, ("in/h", 25.4), "mm"),
    case("horton_last", HORTON, "mm/h", 5.0, ("cm/h", 10.0), "mm"),
    case("horton_decay", HORTON, "1/h", 4.0, ("1/min", 60.0), "h"),
    case("green_ampt_conductivity", GREEN_AMPT, "mm/h", 5.0, ("mm/day", 1.0 / 24.0), "mm"),
    case("green_ampt_suction", GREEN_AMPT, "mm", 100.0, ("cm", 10.0), "kPa"),
    case("green_ampt_deficit", GREEN_AMPT, "1", 0.3, ("%", 0.01), "m"),
    case("curve_number", RAIN, "1", 80.0, ("1", 1.0), "mm"),
];

const fn case(
    key: &'static str,
    with: &'static [&'static str],
    assumed: &'static str,
    value: f64,
    other: (&'static str, f64),
    unknown: &'static str,
) -> Case {
    Case { key, with, assumed, value, other, unknown }
}

impl Case {
    /// Returns the arguments of a command with a raster for the option.
    fn arguments(&self, command: &str, raster: &str) -> String {
        let flag = format!("--{}", self.key.replace('_', "-"));
        let others = self.with.iter().copied().filter(|option| !option.starts_with(&flag));
        let others = others.collect::<Vec<_>>().join(" ");
        format!("{command} --dem dem.tif --duration 10min {flag} {raster} {others}")
    }
}

/// Runs with a raster of one value in a unit, declared or not, and returns the volumes of the mass
/// balance.
fn volumes(workshop: &Workshop, case: &Case, raster: &str, out: &str) -> serde_json::Value {
    workshop.inundate(&format!("{} --out {out}", case.arguments("run", raster))).done();
    workshop.report(out)["volume"].clone()
}

#[test]
fn reads_every_raster_in_its_declared_unit() {
    let workshop = Workshop::new();
    for (at, case) in CASES.iter().enumerate() {
        let raster = |value: f64| Raster::new(12, 8, move |_, _| value);
        let (unit, size) = case.other;
        workshop.raster("bare.tif", &raster(case.value));
        workshop.raster("other.tif", &raster(case.value / size).unit(unit));
        workshop.raster("unknown.tif", &raster(case.value).unit(case.unknown));
        let [bare, other] = ["bare", "other"]
            .map(|name| volumes(&workshop, case, &format!("{name}.tif"), &format!("{name}_{at}")));
        let parts = |volume: &serde_json::Value| {
            let parts = volume.as_object().unwrap().iter();
            parts.map(|(name, value)| (name.clone(), value.as_f64().unwrap())).collect::<Vec<_>>()
        };
        for ((name, a), (_, b)) in parts(&bare).into_iter().zip(parts(&other)) {
            let near = 1e-3 * a.abs().max(1e-3);
            assert!(
                (a - b).abs() <= near,
                "{}: {name} {a} without a unit, {b} in {unit}",
                case.key
            );
        }
        let assumed = workshop.report(&format!("bare_{at}"))["assumed"].to_string();
        let unit = if case.assumed == "1" { "plain numbers" } else { case.assumed };
        let said = format!("{}: 'bare.tif' declares no unit; its values are taken as", case.key);
        assert!(assumed.contains(&said) && assumed.contains(unit), "{}: {assumed}", case.key);
        let declared = workshop.report(&format!("other_{at}"))["assumed"].to_string();
        assert!(!declared.contains("other.tif"), "{}: {declared}", case.key);
        let refused = case.arguments("check", "unknown.tif");
        let what = format!("{}: 'unknown.tif'", case.key);
        workshop.refuses(&refused, &[&what, case.unknown, "units of"]);
    }
}

#[test]
fn refuses_several_bands_for_every_raster() {
    let workshop = Workshop::new();
    workshop.raster("one.tif", &Raster::new(12, 8, |_, _| 0.5));
    workshop.shell("gdalbuildvrt -q -separate two.vrt one.tif one.tif").done();
    let parts = |role: &str| format!("{role}: 'two.vrt' has 2 bands, but its values must be in");
    let fix = "gdal_translate -b 1 'two.vrt' one.tif";
    // Several bands of rain are a series.
    for case in CASES.iter().filter(|case| case.key != "rain") {
        let arguments = case.arguments("check", "two.vrt");
        workshop.refuses(&arguments, &[&parts(case.key), fix]);
    }
    let run = "run --duration 10min";
    let classes = "--land-cover-table worldcover --land-cover";
    for (role, flags) in [("sinks", "--sinks"), ("land_cover", classes)] {
        let own = format!("{run} --dem dem.tif {flags} two.vrt");
        workshop.refuses(&own, &[&parts(role), fix]);
    }
    workshop.refuses(&format!("{run} --dem two.vrt"), &[&parts("dem"), fix]);
    // A time series of depths.
    Rain::of("m", &[(0.0, 1.0), (1.0, 2.0)]).write(&workshop, "depths.nc");
    let depths = "--dem dem.tif --initial-depth depths.nc";
    let parts = ["initial_depth: 'depths.nc' has 2 bands along 'time', but its values must be in"];
    workshop.refuses(&format!("{run} {depths}"), &parts);
}

#[test]
fn depths_and_losses_in_other_units_give_the_right_volumes() {
    let workshop = Workshop::with_dem(&Raster::new(12, 8, |_, _| 100.0));
    let area = CELLS * CELL_AREA;
    let declared = |name: &str, value: f64, unit: &'static str| {
        workshop.raster(name, &Raster::new(12, 8, move |_, _| value).unit(unit));
    };
    declared("depth.tif", 50.0, "cm");
    declared("inches.tif", 2.0, "in/h");
    declared("flow.tif", 0.5, "l/s");
    let run = |arguments: &[&str], part: &str| {
        let all = [&["--duration", "1h", "--overwrite"], arguments].concat();
        workshop.run(&all).done();
        workshop.volume("results", part)
    };
    let near = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} m³, not {expected}");
    };
    near(run(&["--initial-depth", "depth.tif"], "initial_m3"), 0.5 * area);
    // Water covers everything for the whole hour.
    let infiltration =
        ["--initial-depth", "depth.tif", "--infiltration", "inches.tif", "--dt-max", "10s"];
    let wet = run(&infiltration, "infiltration_m3");
    assert!((wet / (0.0508 * area) - 1.0).abs() < 0.2, "{wet} m³");
    near(run(&["--source", "flow.tif"], "inflow_m3"), 0.0005 * CELLS * 3600.0);
}

/// Adds items to the metadata of a raster or, with a number, of one of its bands.
fn add_metadata(workshop: &Workshop, name: &str, band: Option<usize>, items: &[(&str, &str)]) {
    let flags = GdalOpenFlags::GDAL_OF_UPDATE | GdalOpenFlags::GDAL_OF_RASTER;
    let options = DatasetOptions { open_flags: flags, ..DatasetOptions::default() };
    let mut file = Dataset::open_ex(workshop.path(name), options).unwrap();
    for (key, value) in items {
        match band {
            Some(band) => file.rasterband(band).unwrap().set_metadata_item(key, value, "").unwrap(),
            None => file.set_metadata_item(key, value, "").unwrap(),
        }
    }
    file.close().unwrap();
}

#[test]
fn finds_the_unit_wherever_a_format_stores_it() {
    type Items = &'static [(&'static str, &'static str)];
    let places: [(Option<usize>, Items); 5] = [
        (Some(1), &[("GRIB_UNIT", "[cm]")]),
        (Some(1), &[("units", "cm")]),
        (None, &[("units", "cm")]),
        (Some(1), &[("NETCDF_VARNAME", "water")]),
        (Some(1), &[("units", "kg m-2")]),
    ];
    for (at, (band, items)) in places.into_iter().enumerate() {
        let workshop = Workshop::new();
        let value = if at == 4 { 500.0 } else { 50.0 };
        workshop.raster("depth.tif", &Raster::new(12, 8, move |_, _| value));
        add_metadata(&workshop, "depth.tif", band, items);
        if at == 3 {
            add_metadata(&workshop, "depth.tif", None, &[("water#units", "cm")]);
        }
        workshop.run("--duration 1min --initial-depth depth.tif").done();
        let volume = workshop.volume("results", "initial_m3");
        assert!((volume / (0.5 * CELLS * CELL_AREA) - 1.0).abs() < 1e-6, "{items:?}: {volume} m³");
    }
}

#[test]
fn refuses_two_conflicting_units() {
    let workshop = Workshop::new();
    workshop.raster("depth.tif", &Raster::new(12, 8, |_, _| 50.0).unit("m"));
    add_metadata(&workshop, "depth.tif", None, &[("units", "cm")]);
    workshop.refuses(
        "run --dem dem.tif --duration 1min --initial-depth depth.tif",
        &["initial_depth: 'depth.tif'", "two units", "'m'", "'cm'", "gdal_edit.py"],
    );
}

/// Writes a mosaic without declarations, as `gdalbuildvrt` does, of tiles one above the other, each as
/// large as the DEM of [`Workshop::new`].
fn mosaic(workshop: &Workshop, name: &str, tiles: &[&str]) {
    let first = Dataset::open(workshop.path(tiles[0])).unwrap();
    let transform = first.geo_transform().unwrap().map(|number| number.to_string()).join(",");
    let part = |(at, tile): (usize, &&str)| {
        format!(
            "<SimpleSource><SourceFilename relativeToVRT='1'>{tile}</SourceFilename>\
             <SourceBand>1</SourceBand><SrcRect xOff='0' yOff='0' xSize='12' ySize='8'/>\
             <DstRect xOff='0' yOff='{}' xSize='12' ySize='8'/></SimpleSource>",
            8 * at
        )
    };
    let parts: String = tiles.iter().enumerate().map(part).collect();
    let rows = 8 * tiles.len();
    workshop.file(
        name,
        format!(
            "<VRTDataset rasterXSize='12' rasterYSize='{rows}'><SRS>{}</SRS>\
             <GeoTransform>{transform}</GeoTransform><VRTRasterBand dataType='Float64' band='1'>\
             {parts}</VRTRasterBand></VRTDataset>",
            first.projection()
        ),
    );
}

#[test]
fn a_mosaic_has_the_unit_and_the_direction_of_its_tiles() {
    let workshop = Workshop::new();
    workshop.raster("cm.tif", &Raster::new(12, 8, |_, _| 50.0).unit("cm"));
    mosaic(&workshop, "tiles.vrt", &["cm.tif"]);
    mosaic(&workshop, "depth.vrt", &["tiles.vrt"]);
    let run = ["--duration", "1min", "--initial-depth", "depth.vrt"];
    workshop.run(&run).done().never_says("'depth.vrt' declares no unit");
    let volume = workshop.volume("results", "initial_m3");
    assert!((volume / (0.5 * CELLS * CELL_AREA) - 1.0).abs() < 1e-6, "{volume} m³");

    let bed = |name: &str, unit: &'static str| {
        let bed = Raster::new(12, 8, |column, _| 10.0 + column as f64);
        workshop.raster(name, &if unit.is_empty() { bed } else { bed.unit(unit) });
    };
    bed("down.tif", "ft");
    add_metadata(&workshop, "down.tif", None, &[("positive", "down")]);
    bed("up.tif", "ft");
    bed("plain.tif", "");
    let check = "check --json --dem dem.vrt --rain '10 mm/h' --duration 1min";
    mosaic(&workshop, "dem.vrt", &["down.tif", "down.tif"]);
    let down = bed_range(&workshop.inundate(check).done());
    assert!((down[0] + 21.0 * FOOT).abs() < 1e-3 && (down[1] + 10.0 * FOOT).abs() < 1e-3);
    let refused = |tiles: &[&str], parts: &[&str]| {
        mosaic(&workshop, "dem.vrt", tiles);
        workshop.refuses(check, parts);
    };
    refused(&["down.tif", "up.tif"], &["'down.tif' count down (positive = \"down\")", "'up.tif'"]);
    refused(&["up.tif", "plain.tif"], &["two units: 'ft' in", "'up.tif' and none in 'plain.tif'"]);
}

/// Writes a copy of the DEM as a VRT, in a CRS.
fn in_crs(workshop: &Workshop, crs: &str) {
    let source = Dataset::open(workshop.path("dem.tif")).unwrap();
    let vrt = DriverManager::get_driver_by_name("VRT").unwrap();
    let path = workshop.path("dem.vrt");
    let mut copy = source.create_copy(&vrt, &path, &RasterCreationOptions::default()).unwrap();
    copy.set_spatial_ref(&gdal::spatial_ref::SpatialRef::from_definition(crs).unwrap()).unwrap();
    copy.close().unwrap();
}

/// Returns the lowest and the highest bed from `check` (m).
fn bed_range(ran: &Ran) -> [f64; 2] {
    let found = ran.json();
    [0, 1].map(|at| found["bed_range_m"][at].as_f64().unwrap())
}

/// Returns UTM 18N with a third axis in a unit.
fn in_three_dimensions(unit: &str) -> String {
    let crs = gdal::spatial_ref::SpatialRef::from_epsg(26918).unwrap();
    // SAFETY: the CRS is open, and null keeps its name and its base.
    unsafe { gdal_sys::OSRPromoteTo3D(crs.to_c_hsrs(), std::ptr::null()) };
    let wkt = crs.to_wkt().unwrap();
    let at = wkt.find("AXIS[\"ellipsoidal height").expect("a third axis");
    let (flat, third) = wkt.split_at(at);
    let (start, rest) = third.split_once("LENGTHUNIT[").unwrap();
    format!("{flat}{start}{unit}{}", rest.split_once(']').unwrap().1)
}

#[test]
fn heights_are_in_the_unit_of_the_vertical_axis() {
    let survey_foot = 1200.0 / 3937.0;
    for (crs, metres) in [
        ("EPSG:26918+6360", survey_foot),
        ("EPSG:26918+8228", FOOT),
        ("EPSG:26918+5703", 1.0),
        // Horizontal unit feet, vertical unit metres.
        ("EPSG:2263+5703", 1.0),
        (&in_three_dimensions("LENGTHUNIT[\"US survey foot\",0.304800609601219]"), survey_foot),
        (&in_three_dimensions("LENGTHUNIT[\"metre\",1]"), 1.0),
    ] {
        let north = if crs.starts_with("EPSG:2263") { 2e5 } else { 4.5e6 };
        let transform =
            [1e6 - 5e5 * f64::from(u8::from(north > 1e6)), 10.0, 0.0, north, 0.0, -10.0];
        let dem = Raster::new(12, 8, |column, _| 100.0 + column as f64).epsg(None);
        let dem = dem.transform(transform);
        let workshop = Workshop::with_dem(&dem);
        in_crs(&workshop, crs);
        let check =
            "check --dem dem.vrt --rain '10 mm/h' --duration 1min --json --accept-distortion";
        let ran = workshop.inundate(check).done();
        let [low, high] = bed_range(&ran);
        assert!(
            (low - 100.0 * metres).abs() < 1e-3 && (high - 111.0 * metres).abs() < 1e-3,
            "{crs}: {low} to {high} m"
        );
    }
}

#[test]
fn recognizes_spelled_out_height_units() {
    for (unit, metres) in [
        ("US survey foot", 1200.0 / 3937.0),
        ("centimetre", 0.01),
        ("international foot", FOOT),
        ("mm", 0.001),
    ] {
        let dem = Raster::new(12, 8, |column, _| 100.0 + column as f64).unit(unit);
        let workshop = Workshop::with_dem(&dem);
        let ran = workshop.inundate("check --dem dem.tif --rain '10 mm/h' --duration 1min --json");
        let [low, _] = bed_range(&ran.done());
        assert!((low - 100.0 * metres).abs() < 1e-4, "{unit}: {low} m");
    }
    let workshop = Workshop::with_dem(&Raster::terrain(12, 8).unit("furlong"));
    let check = "check --dem dem.tif --rain '10 mm/h' --duration 1min";
    workshop.refuses(check, &["dem: 'dem.tif'", "'furlong'", "units of height", "--height-unit"]);
}

#[test]
fn refuses_a_unit_that_contradicts_the_vertical_axis() {
    let dem = Raster::new(12, 8, |column, _| 100.0 + column as f64).epsg(None).unit("m");
    let workshop = Workshop::with_dem(&dem);
    in_crs(&workshop, "EPSG:26918+6360");
    let check = "check --dem dem.vrt --rain '10 mm/h' --duration 1min";
    workshop.refuses(check, &["dem: 'dem.vrt'", "'m'", "vertical", "--height-unit"]);
}

/// Writes an ASCII grid `NAME.asc` and a raw grid `NAME.flt` of a value, both with a `.prj` file in
/// ESRI's older form.
fn esri_grids(workshop: &Workshop, name: &str, value: f32, z_units: &str) {
    let head = "ncols 12\nnrows 8\nxllcorner 500000\nyllcorner 4999920\ncellsize 10\n";
    let row = format!("{value} ").repeat(12) + "\n";
    workshop.file(&format!("{name}.asc"), format!("{head}NODATA_value -9999\n{}", row.repeat(8)));
    workshop.file(&format!("{name}.hdr"), format!("{head}byteorder LSBFIRST\n"));
    workshop.file(&format!("{name}.flt"), value.to_le_bytes().repeat(96));
    let prj =
        format!("Projection UTM\nDatum WGS84\n{z_units}\nUnits METERS\nZone 33\nParameters\n");
    workshop.file(&format!("{name}.prj"), prj);
}

#[test]
fn heights_and_depths_are_in_the_z_unit_of_an_old_prj_file() {
    let workshop = Workshop::new();
    let bare = "its values are taken as heights in m";
    for (z_units, metres) in
        [("Zunits FEET", FOOT), ("Zunits  METERS", 1.0), ("ZUNITS 100", 0.01), ("Zunits NO", 1.0)]
    {
        esri_grids(&workshop, "z", 200.0, z_units);
        for name in ["z.asc", "z.flt"] {
            let check =
                ["check", "--dem", name, "--rain", "1 mm/h", "--duration", "1min", "--json"];
            let ran = workshop.inundate(&check).done();
            let [low, _] = bed_range(&ran);
            assert!((low - 200.0 * metres).abs() < 1e-4, "{name}, {z_units}: {low} m");
            assert_eq!(ran.err.contains(bare), z_units.ends_with("NO"), "{z_units}: {}", ran.err);
        }
    }
    // Values of other quantities have no height.
    esri_grids(&workshop, "z", 2.0, "Zunits FEET");
    let run = |arguments: &[&str], volume: &str| {
        workshop.run(&[arguments, &["--duration", "1h", "--overwrite"]].concat()).done();
        workshop.volume("results", volume)
    };
    let depth = run(&["--initial-depth", "z.asc"], "initial_m3") / (CELLS * CELL_AREA);
    assert!((depth - 2.0 * FOOT).abs() < 1e-6, "{depth} m");
    let rain = run(&["--rain", "z.asc"], "rain_m3") / (CELLS * CELL_AREA);
    assert!((rain - 0.002).abs() < 1e-6, "{rain} m");
    esri_grids(&workshop, "z", 2.0, "Zunits FURLONGS");
    let check = "check --dem z.asc --rain '1 mm/h' --duration 1min";
    workshop.refuses(check, &["dem: 'z.asc'", "'FURLONGS'", "Zunits of", "--height-unit"]);
}

/// Depths of 2 to 3.1 m.
fn depths() -> Raster {
    Raster::new(12, 8, |column, _| 2.0 + 0.1 * column as f64).epsg(None)
}

#[test]
fn declared_depths_become_heights_of_the_opposite_sign() {
    const DOWN: (&str, &str) = ("positive", "down");
    const NAME: (&str, &str) = ("standard_name", "sea_floor_depth_below_geoid");
    for (crs, items) in
        [("EPSG:26918+5715", &[][..]), ("EPSG:26918", &[DOWN]), ("EPSG:26918", &[NAME])]
    {
        let workshop = Workshop::with_dem(&depths());
        add_metadata(&workshop, "dem.tif", Some(1), items);
        in_crs(&workshop, crs);
        let run = "run --dem dem.vrt --initial-level '0 m' --duration 1min";
        let ran = workshop.inundate(&format!("{run} --layers max_depth,max_level"));
        ran.done().says(&["note: dem: 'dem.vrt' declares depths"]).never_says("warning");
        let bed = workshop.report("results")["grid"]["bed_range_m"].clone();
        assert!((bed[0].as_f64().unwrap() + 3.1).abs() < 1e-4, "{crs} {items:?}: {bed}");
        assert!((bed[1].as_f64().unwrap() + 2.0).abs() < 1e-4, "{crs} {items:?}: {bed}");
        // Levels count up.
        let level = Dataset::open(workshop.path("results/max_level.tif")).unwrap();
        assert!(level.projection().starts_with("PROJCS"), "{}", level.projection());
        assert!(level.spatial_ref().unwrap().is_projected());
    }
}

#[test]
fn heights_that_are_called_depths_are_warned_of() {
    let workshop = Workshop::with_dem(&depths());
    let check = || workshop.inundate("check --dem dem.tif --rain '10 mm/h' --duration 1min").done();
    check().never_says("is called");
    add_metadata(&workshop, "dem.tif", Some(1), &[("long_name", "Bathymetry (positive down)")]);
    check().says(&["dem: 'dem.tif' is called 'Bathymetry (positive down)', but nothing declares"]);
    add_metadata(&workshop, "dem.tif", Some(1), &[("positive", "up")]);
    check().never_says("is called");
}

#[test]
fn refuses_heights_that_are_declared_to_count_up_and_down() {
    let workshop = Workshop::with_dem(&depths());
    add_metadata(&workshop, "dem.tif", Some(1), &[("positive", "down")]);
    in_crs(&workshop, "EPSG:26918+5714");
    let check = ["check", "--dem", "dem.vrt", "--rain", "10 mm/h", "--duration", "1min"];
    workshop.refuses(&check, &["dem: 'dem.vrt'", "positive = \"down\"", "axis up", "ncatted"]);
    workshop.raster("dem.tif", &depths().epsg(26918));
    let both = [("positive", "up"), ("standard_name", "depth")];
    add_metadata(&workshop, "dem.tif", Some(1), &both);
    let check = "check --dem dem.tif --rain '10 mm/h' --duration 1min";
    workshop.refuses(check, &["\"depth\"", "positive = \"up\""]);
}

#[test]
fn notes_a_level_without_a_unit_over_a_dem_in_feet() {
    let dem = Raster::new(12, 8, |column, _| 100.0 + column as f64).unit("ft");
    let workshop = Workshop::with_dem(&dem);
    let run = |level: &str| {
        workshop.inundate(&format!("check --dem dem.tif --duration 1min --level '{level}'")).done()
    };
    run("west,31").says(&["level: '31' has no unit; it is taken in metres"]);
    run("west,31 m").never_says("has no unit");
    let wall = Shapes::new(&[("level", OFTReal)]).with("LINESTRING (2 1, 2 6)", &[number(33.0)]);
    wall.write(&workshop, "walls.gpkg");
    let check = "check --dem dem.tif --duration 1min --rain '9 mm/h' --walls walls.gpkg";
    workshop.inundate(check).done().says(&["walls: '33' has no unit; it is taken in metres"]);
    let metric = Workshop::new();
    metric
        .inundate("check --dem dem.tif --duration 1min --level west,121")
        .done()
        .never_says("has no unit");
}
