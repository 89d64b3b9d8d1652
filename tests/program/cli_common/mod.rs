//! A working folder, small GeoTIFFs, and the program run in it.

// Each test program uses only a part of this module.
#![allow(dead_code)]

pub mod flood;
pub mod netcdf;
pub mod rain;
pub mod running;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod starter;
pub mod state_files;
pub mod vectors;

use crate::tier;
use gdal::raster::{Buffer, RasterCreationOptions};
use gdal::spatial_ref::{AxisMappingStrategy, SpatialRef};
use gdal::vector::{Feature, Geometry, LayerAccess, LayerOptions, OGRFieldType};
use gdal::{Dataset, DriverManager};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// WGS 84 / UTM zone 33N, the default CRS of the rasters.
pub const UTM33: u32 = 32633;
/// West and north of the rasters.
pub const CORNER: (f64, f64) = (500_000.0, 5_000_000.0);

/// A raster to write.
#[derive(Clone)]
pub struct Raster {
    pub columns: usize,
    pub rows: usize,
    pub epsg: Option<u32>,
    pub transform: [f64; 6],
    pub nodata: Option<f64>,
    pub unit: Option<&'static str>,
    pub values: Vec<f64>,
}

impl Raster {
    /// Creates a raster with cells of 10 m in UTM 33N, and values by column and row.
    pub fn new(columns: usize, rows: usize, value: impl Fn(usize, usize) -> f64) -> Raster {
        let values =
            (0..columns * rows).map(|cell| value(cell % columns, cell / columns)).collect();
        let transform = [CORNER.0, 10.0, 0.0, CORNER.1, 0.0, -10.0];
        let (epsg, nodata, unit) = (Some(UTM33), Some(-9999.0), None);
        Raster { columns, rows, epsg, transform, nodata, unit, values }
    }

    /// Creates a bumpy slope down to the east between about 100 and 120 m.
    pub fn terrain(columns: usize, rows: usize) -> Raster {
        Raster::new(columns, rows, |column, row| {
            let bump = ((column * 7 + row * 13) % 11) as f64 * 0.25;
            120.0 - 10.0 * column as f64 / columns as f64 - bump
        })
    }

    pub fn epsg(mut self, epsg: impl Into<Option<u32>>) -> Raster {
        self.epsg = epsg.into();
        self
    }

    pub fn transform(mut self, transform: [f64; 6]) -> Raster {
        self.transform = transform;
        self
    }

    pub fn nodata(mut self, nodata: impl Into<Option<f64>>) -> Raster {
        self.nodata = nodata.into();
        self
    }

    pub fn unit(mut self, unit: &'static str) -> Raster {
        self.unit = Some(unit);
        self
    }

    pub fn with(mut self, column: usize, row: usize, value: f64) -> Raster {
        self.values[row * self.columns + column] = value;
        self
    }

    /// Writes an uncompressed GeoTIFF of f32.
    pub fn write(&self, path: &Path) {
        let driver = DriverManager::get_driver_by_name("GTiff").unwrap();
        let options = RasterCreationOptions::from_iter(["TILED=NO"]);
        let mut file = driver
            .create_with_band_type_with_options::<f32, _>(
                path,
                self.columns,
                self.rows,
                1,
                &options,
            )
            .unwrap();
        file.set_geo_transform(&self.transform).unwrap();
        if let Some(epsg) = self.epsg {
            file.set_spatial_ref(&SpatialRef::from_epsg(epsg).unwrap()).unwrap();
        }
        let mut band = file.rasterband(1).unwrap();
        band.set_no_data_value(self.nodata).unwrap();
        if let Some(unit) = self.unit {
            let unit = CString::new(unit).unwrap();
            // SAFETY: the band is open and the string ends in a zero.
            unsafe { gdal_sys::GDALSetRasterUnitType(band.c_rasterband(), unit.as_ptr()) };
        }
        let size = (self.columns, self.rows);
        let values = self.values.iter().map(|value| *value as f32).collect();
        band.write((0, 0), size, &mut Buffer::new(size, values)).unwrap();
        file.close().unwrap();
    }
}

/// Writes a vector layer of geometries (WKT) with a name and a number each; the number is in
/// `field`, empty if missing.
pub fn write_layer(
    path: &Path,
    driver: &str,
    epsg: u32,
    field: &str,
    features: &[(&str, &str, Option<f64>)],
) {
    let mut srs = SpatialRef::from_epsg(epsg).unwrap();
    srs.set_axis_mapping_strategy(AxisMappingStrategy::TraditionalGisOrder);
    let mut file =
        DriverManager::get_driver_by_name(driver).unwrap().create_vector_only(path).unwrap();
    let first = Geometry::from_wkt(features[0].0).unwrap();
    let options = LayerOptions {
        name: "observed",
        srs: Some(&srs),
        ty: first.geometry_type(),
        options: None,
    };
    let layer = file.create_layer(options).unwrap();
    let fields = [("name", OGRFieldType::OFTString), (field, OGRFieldType::OFTReal)];
    layer.create_defn_fields(&fields).unwrap();
    for (wkt, name, value) in features {
        let mut feature = Feature::new(layer.defn()).unwrap();
        feature.set_geometry(Geometry::from_wkt(wkt).unwrap()).unwrap();
        feature.set_field_string(0, name).unwrap();
        if let Some(value) = value {
            feature.set_field_double(1, *value).unwrap();
        }
        feature.create(&layer).unwrap();
    }
    file.close().unwrap();
}

/// Reads the first band of a raster file.
pub fn pixels(path: impl AsRef<Path>) -> Vec<f32> {
    let file = Dataset::open(path).unwrap();
    file.rasterband(1).unwrap().read_band_as::<f32>().unwrap().data().to_vec()
}

/// Returns the coordinates `x,y` of a point by its distance in columns and rows of 10 m from the
/// north-west corner.
pub fn at(column: f64, row: f64) -> String {
    format!("{},{}", CORNER.0 + 10.0 * column, CORNER.1 - 10.0 * row)
}

/// Result of running the program.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    fn from(output: Output) -> Ran {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Asserts success.
    #[track_caller]
    pub fn done(self) -> Ran {
        self.exits(0)
    }

    /// Asserts an exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{}", self.err);
        self
    }

    /// Reads the JSON on stdout.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).expect("nothing but JSON on stdout")
    }

    /// Asserts that stderr contains all parts.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Ran {
        has(&self.err, parts);
        self
    }

    /// Asserts that stdout contains all parts.
    #[track_caller]
    pub fn prints(&self, parts: &[&str]) {
        has(&self.out, parts);
    }

    /// Asserts that stderr does not contain a part.
    #[track_caller]
    pub fn never_says(self, part: &str) -> Ran {
        assert!(!self.err.contains(part), "there is {part:?} in: {}", self.err);
        self
    }
}

/// Asserts that a text contains all parts.
#[track_caller]
pub fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in: {text}");
    }
}

/// Arguments of the program: a list of words, or a text in which spaces separate the words, except
/// in single quotes.
pub trait Arguments {
    fn words(&self) -> Vec<&str>;
}

impl Arguments for str {
    fn words(&self) -> Vec<&str> {
        let mut is_quoted = false;
        let ends_word = |character| {
            is_quoted ^= character == '\'';
            character == ' ' && !is_quoted
        };
        let words = self.split(ends_word).filter(|word| !word.is_empty());
        words.map(|word| word.trim_matches('\'')).collect()
    }
}

impl Arguments for String {
    fn words(&self) -> Vec<&str> {
        self.as_str().words()
    }
}

impl<T: AsRef<str>> Arguments for [T] {
    fn words(&self) -> Vec<&str> {
        self.iter().map(AsRef::as_ref).collect()
    }
}

impl<const N: usize> Arguments for [&str; N] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<T: AsRef<str>> Arguments for Vec<T> {
    fn words(&self) -> Vec<&str> {
        self.as_slice().words()
    }
}

/// Contents of files by path; folders have none.
pub type Contents = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// A temporary folder in which the program runs.
pub struct Workshop {
    folder: tempfile::TempDir,
}

impl Workshop {
    pub fn empty() -> Workshop {
        Workshop { folder: tempfile::tempdir().unwrap() }
    }

    /// Creates a folder with `dem.tif`, a terrain of 12 × 8 cells.
    pub fn new() -> Workshop {
        Workshop::with_dem(&Raster::terrain(12, 8))
    }

    /// Creates a folder with `dem.tif`, flat ground at 10 m of 12 × 8 cells.
    pub fn flat() -> Workshop {
        Workshop::with_dem(&Raster::new(12, 8, |_, _| 10.0))
    }

    pub fn with_dem(dem: &Raster) -> Workshop {
        let workshop = Workshop::empty();
        workshop.raster("dem.tif", dem);
        workshop
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn raster(&self, name: &str, raster: &Raster) {
        raster.write(&self.path(name));
    }

    pub fn file(&self, name: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), contents).unwrap();
    }

    /// Returns every file below the folder with its contents, and every folder.
    pub fn contents(&self) -> Contents {
        fn collect(top: &Path, folder: &Path, into: &mut Contents) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(top).unwrap().to_path_buf();
                if path.is_dir() {
                    into.insert(name, None);
                    collect(top, &path, into);
                } else {
                    // A dangling link has no contents.
                    into.insert(name, Some(std::fs::read(&path).unwrap_or_default()));
                }
            }
        }
        let mut contents = BTreeMap::new();
        collect(self.folder.path(), self.folder.path(), &mut contents);
        contents
    }

    /// Creates a folder with the files and folders of another.
    pub fn holding(contents: &Contents) -> Workshop {
        let workshop = Workshop::empty();
        for (name, contents) in contents {
            let path = workshop.folder.path().join(name);
            match contents {
                Some(contents) => std::fs::write(path, contents).unwrap(),
                None => std::fs::create_dir(path).unwrap(),
            }
        }
        workshop
    }

    /// Returns the names in a folder, sorted, including hidden ones.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Returns the command of the program, to be run in the folder.
    pub fn command(&self, arguments: &(impl Arguments + ?Sized)) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_inundate"));
        command.args(arguments.words()).current_dir(self.folder.path());
        command
    }

    /// Runs the program in the folder.
    pub fn inundate(&self, arguments: &(impl Arguments + ?Sized)) -> Ran {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        if !tier::all() {
            return starter::run(self.folder.path(), &arguments.words());
        }
        Ran::from(self.command(arguments).output().unwrap())
    }

    /// Runs `inundate run --dem dem.tif` with further arguments.
    pub fn run(&self, arguments: &(impl Arguments + ?Sized)) -> Ran {
        self.inundate(&[&["run", "--dem", "dem.tif"], &arguments.words()[..]].concat())
    }

    /// Runs a shell command in the folder, with the program's path in `$INUNDATE`.
    pub fn shell(&self, command: &str) -> Ran {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(self.folder.path());
        shell.env("INUNDATE", env!("CARGO_BIN_EXE_inundate"));
        Ran::from(shell.output().unwrap())
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Reads `run.json` of a results folder.
    pub fn report(&self, folder: &str) -> Value {
        self.json(&format!("{folder}/run.json"))
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    /// Reads the columns of a CSV as numbers, by their headers; a text is NaN.
    pub fn table(&self, name: &str) -> BTreeMap<String, Vec<f64>> {
        let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (header, value) in self.rows(name).into_iter().flatten() {
            columns.entry(header).or_default().push(value.parse().unwrap_or(f64::NAN));
        }
        columns
    }

    /// Reads a column of a CSV.
    pub fn column(&self, name: &str, header: &str) -> Vec<String> {
        let cell = |mut row: BTreeMap<String, String>| row.remove(header);
        let column = self.rows(name).into_iter().map(cell).collect::<Option<_>>();
        column.unwrap_or_else(|| panic!("no column '{header}' in {name}"))
    }

    /// Reads the rows of a CSV, by header.
    pub fn rows(&self, name: &str) -> Vec<BTreeMap<String, String>> {
        let mut reader = csv::Reader::from_path(self.path(name)).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    }

    /// Returns a mass balance term of a run [m³].
    pub fn volume(&self, folder: &str, name: &str) -> f64 {
        self.report(folder)["volume"][name].as_f64().unwrap()
    }

    /// Asserts that the program refuses the arguments with exit code 2 and all `parts` in its
    /// message, writes nothing to stdout and changes no file. `check` must refuse them too, if it
    /// is asked ([`asks_check`]).
    #[track_caller]
    pub fn refuses(&self, arguments: &(impl Arguments + ?Sized), parts: &[&str]) -> Ran {
        let arguments = arguments.words();
        let before = self.contents();
        let ran = self.inundate(&arguments).says(parts);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert_eq!(ran.out, "");
        assert_eq!(self.contents(), before, "files have changed");
        if arguments[0] == "run" && asks_check(&arguments.concat()) {
            self.refuses(&[&["check"], &arguments[1..]].concat(), parts);
        }
        ran
    }
}

/// Returns `true` if `check` is also tested with what `run` refuses: one of three with `make test`,
/// selected by its words.
pub fn asks_check(words: &str) -> bool {
    tier::all() || words.bytes().map(u32::from).sum::<u32>().is_multiple_of(3)
}

/// Returns the command in the hint of an error: the text after the first colon of its last line.
pub fn hinted_command(ran: &Ran) -> String {
    let hint = ran.err.lines().find(|line| line.contains("hint:")).expect("there is a hint");
    hint.rsplit_once(": ").unwrap().1.to_string()
}
