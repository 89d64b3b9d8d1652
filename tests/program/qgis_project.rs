//! The QGIS project of a run: well-formed, with existing files and relative paths, and a temporal
//! series; and valid in QGIS itself, if it is installed.

use crate::cli_common;

use cli_common::{Raster, UTM33, Workshop, write_layer};
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::path::{Path, PathBuf};
use std::process::Command;

const TIMED: [&str; 8] =
    ["--rain", "60 mm/h", "--duration", "10min", "--output-every", "200s", "--open", "east"];

/// Folder of QGIS's own plugins on Debian and Ubuntu.
const PLUGINS: &str = "/usr/share/qgis/python/plugins";

/// Creates a study in a folder whose name needs escaping.
fn study() -> Workshop {
    let workshop = Workshop::empty();
    std::fs::create_dir(workshop.path("R&D <1>")).unwrap();
    workshop.raster("R&D <1>/\"dem\".tif", &Raster::terrain(40, 30).with(3, 3, -9999.0));
    let spring = [("POINT (500105 4999855)", "spring", Some(2.5))];
    write_layer(&workshop.path("R&D <1>/spring.gpkg"), "GPKG", UTM33, "flow", &spring);
    let files = ["--dem", "R&D <1>/\"dem\".tif", "--source", "R&D <1>/spring.gpkg"];
    workshop.inundate(&[&["run"], &files[..], &TIMED, &["--out", "R&D <1>/out"]].concat()).done();
    workshop
}

/// An element of a project: its path of names separated by `/`, its attributes and its text.
struct Element {
    path: String,
    attributes: Vec<(String, String)>,
    text: String,
}

impl Element {
    fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        &found.unwrap_or_else(|| panic!("{} has no {name}", self.path)).1
    }
}

/// Returns every element of a well-formed document.
fn elements(document: &str) -> Vec<Element> {
    let mut reader = Reader::from_str(document);
    let (mut all, mut open) = (Vec::<Element>::new(), Vec::<usize>::new());
    let begin = |all: &mut Vec<Element>, open: &[usize], start: &BytesStart| {
        let within = open.last().map_or("", |&outer: &usize| &all[outer].path);
        let name = start.name().as_ref().to_string();
        let path = format!("{within}/{name}");
        let attribute = |attribute: Result<quick_xml::events::attributes::Attribute, _>| {
            let attribute = attribute.unwrap();
            let key = attribute.key.as_ref().to_string();
            (
                key,
                attribute
                    .normalized_value(quick_xml::XmlVersion::Explicit1_0)
                    .unwrap()
                    .into_owned(),
            )
        };
        let attributes = start.attributes().map(attribute).collect();
        all.push(Element { path, attributes, text: String::new() });
    };
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                begin(&mut all, &open, &start);
                open.push(all.len() - 1);
            }
            Event::Empty(start) => begin(&mut all, &open, &start),
            Event::End(_) => drop(open.pop()),
            Event::Text(text) => {
                if let Some(&inner) = open.last() {
                    all[inner].text += &text;
                }
            }
            Event::GeneralRef(reference) => {
                let name = &*reference;
                let text = quick_xml::escape::unescape(&format!("&{name};")).unwrap().into_owned();
                all[*open.last().unwrap()].text += &text;
            }
            Event::Eof => return all,
            _ => {}
        }
    }
}

fn project(workshop: &Workshop, folder: &str) -> Vec<Element> {
    let path = workshop.path(folder).join("project.qgs");
    elements(&std::fs::read_to_string(path).unwrap())
}

fn texts<'a>(project: &'a [Element], path: &str) -> Vec<&'a str> {
    let found = project.iter().filter(|element| element.path.ends_with(path));
    found.map(|element| element.text.trim()).collect()
}

#[test]
fn every_file_is_in_the_project_by_a_relative_path() {
    let workshop = study();
    let project = project(&workshop, "R&D <1>/out");
    let sources = texts(&project, "/maplayer/datasource");
    for source in &sources {
        assert!(source.starts_with("./") || source.starts_with("../"), "{source}");
        let file = source.split('|').next().unwrap();
        assert!(workshop.path("R&D <1>/out").join(file).is_file(), "{source}");
    }
    let report = workshop.report("R&D <1>/out");
    let outputs = report["outputs"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    let outputs: Vec<&str> = outputs.collect();
    for raster in outputs.iter().filter(|name| name.ends_with(".tif")) {
        assert!(sources.contains(&&*format!("./{raster}")), "{raster} is not in {sources:?}");
    }
    assert!(outputs.contains(&"project.qgs"), "{outputs:?}");
    assert!(sources.contains(&"../\"dem\".tif") && sources.contains(&"../spring.gpkg"));
    let in_tree: Vec<&str> = project
        .iter()
        .filter(|element| element.path.ends_with("/layer-tree-layer"))
        // The sheets' legends have separate trees.
        .filter(|element| !element.path.contains("/Layouts/"))
        .map(|element| element.attribute("source"))
        .collect();
    assert_eq!(in_tree, sources);
    let authid = texts(&project, "/qgis/projectCrs/spatialrefsys/authid");
    assert_eq!(authid, ["EPSG:32633"]);
}

#[test]
fn a_series_is_temporal_and_steps_are_not() {
    let workshop = study();
    let timed = project(&workshop, "R&D <1>/out");
    let starts = ["2000-01-01T00:03:21Z", "2000-01-01T00:06:41Z", "2000-01-01T00:10:01Z"];
    let ends = ["2000-01-01T00:06:39Z", "2000-01-01T00:09:59Z", "2000-01-01T00:13:19Z"];
    assert_eq!(texts(&timed, "/temporal/fixedRange/start"), starts);
    assert_eq!(texts(&timed, "/temporal/fixedRange/end"), ends);
    let settings = timed.iter().find(|element| element.path == "/qgis/ProjectTimeSettings");
    let settings = settings.expect("there are time settings");
    assert_eq!((settings.attribute("timeStep"), settings.attribute("timeStepUnit")), ("200", "s"));

    let counted = Workshop::new();
    counted.run("--rain '1 mm/step' --steps 20 --output-every 5").done();
    let counted = project(&counted, "results");
    assert_eq!(texts(&counted, "/maplayer/id").len(), 3 + 4 + 2);
    assert!(!counted.iter().any(|e| e.path.contains("emporal") || e.path.contains("TimeSettings")));
}

#[test]
fn each_map_and_each_series_has_its_own_theme() {
    let workshop = Workshop::new();
    let start = ["--start", "2012-06-28T15:00+01:00"];
    let layers = ["--layers", "velocity_x,arrival_time", "--arrival-depth", "0.05 m,0.3 m,1 m"];
    workshop.run(&[&TIMED[..], &start, &layers].concat()).done();
    let project = project(&workshop, "results");
    let names = |path: &str| -> Vec<&str> {
        let found = project.iter().filter(|element| element.path.ends_with(path));
        found.map(|element| element.attribute("name")).collect()
    };
    let groups = names("/layer-tree-group/layer-tree-group");
    assert_eq!(groups[..2], ["Results", "Flow velocity to the east, series"]);
    assert!(groups[2].starts_with("Basemap (drag one in") && groups[3..] == ["Terrain"]);
    let mut themes = names("/visibility-preset");
    themes.sort();
    let expected = [
        "Arrival time above 0.05 m",
        "Arrival time above 0.3 m",
        "Arrival time above 1 m",
        "Flow velocity to the east",
        "Flow velocity to the east, series",
    ];
    assert_eq!(themes, expected);
    let starts = texts(&project, "/temporal/fixedRange/start");
    assert_eq!(starts[0], "2012-06-28T14:03:21Z");
}

#[test]
fn leaves_out_a_dem_that_qgis_would_misplace() {
    // Without a georeference, QGIS counts rows downwards from 0.
    let workshop = Workshop::new();
    let dem = gdal::Dataset::open(workshop.path("dem.tif")).unwrap();
    let plain = gdal::DriverManager::get_driver_by_name("GTiff").unwrap();
    let plain =
        plain.create_with_band_type::<f32, _>(workshop.path("plain.tif"), 12, 8, 1).unwrap();
    let mut heights = dem.rasterband(1).unwrap().read_band_as::<f32>().unwrap();
    plain.rasterband(1).unwrap().write((0, 0), (12, 8), &mut heights).unwrap();
    plain.close().unwrap();
    let steps = "--rain '1 mm/step' --steps 5";
    workshop.inundate(&format!("run --dem plain.tif {steps}")).done();
    let project = project(&workshop, "results");
    let groups = project.iter().filter(|e| e.path.ends_with("group/layer-tree-group"));
    let groups: Vec<&str> = groups.map(|group| group.attribute("name")).collect();
    assert!(groups.len() == 2 && groups[0] == "Results" && groups[1].starts_with("Basemap"));
    assert!(texts(&project, "/projectCrs/spatialrefsys/wkt").is_empty());
}

/// Creates gauges, sections, sources, links and rain gauges, given as text and as CSV.
fn told_in_words() -> Workshop {
    let workshop = Workshop::with_dem(&Raster::terrain(40, 30));
    workshop.file("rain_1.csv", "time [h],rain [mm/h]\n0,40\n");
    workshop.file("rain.csv", "x,y,series\n500105,4999855,rain_1.csv\n500305,4999755,rain_1.csv\n");
    workshop.file("flow.csv", "time [h],flow [m3/s]\n0,1\n1,2\n");
    workshop.file(
        "links.csv",
        "x1,y1,x2,y2,kind,capacity,name\n500105,4999855,500155,4999855,pump,0.1,P & Q\n",
    );
    workshop.file("gauges.csv", "name,x,y\nmill,500205,4999805\n");
    let files = ["--rain", "rain.csv", "--links", "links.csv", "--gauges", "gauges.csv"];
    let texts =
        ["--gauges", "500255,4999855,ford <1>", "--sections", "500200,4999900,500200,4999700,weir"];
    let sources = ["--source", "500055,4999855,1.5 m3/s", "--source", "500055,4999805,flow.csv"];
    let time = ["--duration", "10min", "--output-every", "200s", "--overwrite"];
    workshop.raster("photo.tif", &Raster::new(40, 30, |column, _| column as f64));
    workshop.file("logo.svg", "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 2 1'/>");
    let report_details = ["--background", "photo.tif", "--logo", "logo.svg", "--author", "A & B"];
    workshop.run(&[&files[..], &texts, &sources, &time, &report_details].concat()).done();
    workshop
}

#[test]
fn shows_input_given_as_text_or_csv() {
    let workshop = told_in_words();
    let path = workshop.path("results/features.gpkg");
    let file = gdal::Dataset::open(&path).unwrap();
    let names = |table: &str| -> Vec<String> {
        use gdal::vector::LayerAccess;
        let mut layer = file.layer_by_name(table).unwrap();
        assert!(layer.spatial_ref().unwrap().auth_code().is_ok_and(|code| code == 32633));
        layer.features().map(|f| f.field_as_string(0).unwrap().unwrap()).collect()
    };
    assert_eq!(names("gauges"), ["mill", "ford <1>"]);
    assert_eq!(names("sections"), ["weir"]);
    assert_eq!(names("sources"), ["500055,4999855,1.5 m3/s", "500055,4999805,flow.csv"]);
    assert_eq!(names("links"), ["P & Q"]);
    assert_eq!(names("rain_gauges"), ["rain_1", "rain_1"]);
    drop(file);
    let project = project(&workshop, "results");
    let sources = texts(&project, "/maplayer/datasource");
    for table in ["gauges", "sections", "sources", "links", "rain_gauges"] {
        let source = format!("./features.gpkg|layername={table}");
        assert!(sources.contains(&&*source), "no {source} in {sources:?}");
    }
    let report = workshop.report("results");
    assert!(report["outputs"].as_array().unwrap().iter().any(|name| name == "features.gpkg"));
    // It does not contain its time of writing, and a run without these inputs removes it.
    let before = std::fs::read(&path).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(std::fs::read(told_in_words().path("results/features.gpkg")).unwrap(), before);
    workshop.run("--rain '9 mm/h' --duration 1min --overwrite").done();
    assert!(!path.exists());
}

#[test]
fn sources_of_layers_are_points_with_the_names_and_volumes_of_the_report() {
    use gdal::vector::LayerAccess;
    let workshop = Workshop::with_dem(&Raster::terrain(40, 30));
    let springs = [
        ("LINESTRING (500105 4999855, 500125 4999855)", "spring", Some(2.0)),
        ("POINT (500205 4999755)", "spring", Some(1.0)),
    ];
    write_layer(&workshop.path("springs.gpkg"), "GPKG", UTM33, "flow", &springs);
    let point = "--source '500305,4999855,0.5 m3/s' --source springs.gpkg";
    workshop.run(&format!("{point} --duration 10min")).done();
    let file = gdal::Dataset::open(workshop.path("results/features.gpkg")).unwrap();
    let mut layer = file.layer_by_name("sources").unwrap();
    let shown = layer.features().map(|feature| {
        let at = feature.geometry().unwrap().get_point(0);
        let volume = feature.field_as_double(2).unwrap().unwrap();
        (feature.field_as_string(0).unwrap().unwrap(), at.0, at.1, volume)
    });
    let shown: Vec<(String, f64, f64, f64)> = shown.collect();
    let report = workshop.report("results");
    for (source, (name, _, _, volume)) in report["sources"].as_array().unwrap().iter().zip(&shown) {
        assert_eq!((&source["name"], &source["inflow_m3"]), (&name[..].into(), &(*volume).into()));
    }
    let places: Vec<(&str, f64, f64)> =
        shown.iter().map(|(name, x, y, _)| (&**name, *x, *y)).collect();
    assert_eq!(
        places,
        [
            ("500305,4999855,0.5 m3/s", 500_305.0, 4_999_855.0),
            ("spring", 500_115.0, 4_999_855.0),
            ("spring (2)", 500_205.0, 4_999_755.0),
        ]
    );
}

#[test]
fn each_map_has_a_sheet_with_all_its_elements() {
    let workshop = told_in_words();
    let project = project(&workshop, "results");
    let of = |path: &str, name: &str| -> Vec<&str> {
        let found = project.iter().filter(|element| element.path.ends_with(path));
        found.map(|element| element.attribute(name)).collect()
    };
    let sheets = of("/Layouts/Layout", "name");
    assert_eq!(sheets, ["Water depth", "Maximum water depth", "Arrival time above 0.05 m"]);
    let kinds = of("/Layouts/Layout/LayoutItem", "type");
    // Map, title, legend, scale bar, north arrow, facts, and description of the map.
    assert_eq!(kinds[..7], ["65639", "65641", "65642", "65646", "65640", "65641", "65641"]);
    let facts = project.iter().filter(|e| e.path.ends_with("/LayoutItem"));
    let facts = facts.filter(|e| e.attributes.iter().any(|(key, _)| key == "labelText"));
    let facts: Vec<&str> = facts.map(|e| e.attribute("labelText")).collect();
    assert_eq!((facts[0], facts[2]), ("Flood from rain and inflow", "Water depth\nA & B"));
    for part in
        ["Simulated: 10 min", "Rain and inflow: ", "Volume error: 0 m³", "Solver: shallow-water"]
    {
        assert!(facts[1].contains(part), "no {part} in {}", facts[1]);
    }
    let legend = of("/LayoutItem/layer-tree-group/layer-tree-layer", "name");
    assert_eq!(legend[..3], ["Water depth", "Gauges", "Rain gauges"]);
    assert!(!legend.contains(&"Hillshade"));
}

/// Runs a script of `tests/program/qgis` in QGIS's Python, with a separate home folder; returns its
/// output, or `None` if QGIS is not installed.
fn in_qgis(
    workshop: &Workshop,
    needs: &str,
    script: &str,
    arguments: &[PathBuf],
) -> Option<String> {
    let python = || {
        let mut python = Command::new("/usr/bin/python3");
        python.env("HOME", workshop.path("home")).env("XDG_RUNTIME_DIR", workshop.path("home"));
        python.env("INUNDATE", env!("CARGO_BIN_EXE_inundate"));
        python
    };
    let probe = format!("import sys; sys.path.append('{PLUGINS}'); import {needs}");
    let mut has = python();
    has.env("QT_QPA_PLATFORM", "offscreen").args(["-c", &probe]);
    if !has.output().is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no QGIS (apt-get install python3-qgis qgis-providers)");
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/qgis").join(script);
    let output = python().arg(script).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn qgis_opens_the_project_without_complaint() {
    let check = |workshop: &Workshop, folder: &str, expected: &str| {
        let folder = workshop.path(folder);
        let arguments = [folder.join("project.qgs"), folder];
        let said = in_qgis(workshop, "qgis.core", "check_project.py", &arguments);
        assert!(said.as_ref().is_none_or(|said| said.contains(expected)), "{said:?}");
    };
    let timed = study();
    check(&timed, "R&D <1>/out", "10 layers, 4 themes, 3 frames in EPSG:32633");
    check(&told_in_words(), "results", "14 layers, 4 themes, 3 frames in EPSG:32633");
    let study = Workshop::new();
    let matrix = "[matrix]\nrain = ['20 mm/h', '60 mm/h']\n";
    study.file("study.toml", format!("[base]\ndem = 'dem.tif'\nduration = '5 min'\n{matrix}"));
    study.inundate("study study.toml").done();
    check(&study, "study", "11 layers, 2 themes, 0 frames in EPSG:32633");
    let counted = Workshop::new();
    counted.run("--rain '1 mm/step' --steps 20 --output-every 5").done();
    check(&counted, "results", "9 layers, 4 themes, 0 frames in EPSG:32633");
}

#[test]
fn the_plugin_runs_a_flood_checks_refuses_and_cancels() {
    let metadata = include_str!("../../data/qgis_plugin/inundate/metadata.txt");
    assert!(metadata.contains(concat!("\nversion=", env!("CARGO_PKG_VERSION"), "\n")));
    let workshop = study();
    let files = ["R&D <1>/\"dem\".tif", "R&D <1>/spring.gpkg", "R&D <1>"];
    let arguments = files.map(|file| workshop.path(file));
    in_qgis(&workshop, "qgis.core, processing", "check_plugin.py", &arguments);
}

#[test]
fn the_documented_qgis_process_calls_work_with_and_without_debians_wrapper() {
    let page = include_str!("../../docs/qgis.md");
    let lines = page.split("Without a display:").nth(1).unwrap().lines().skip(2);
    let block: Vec<&str> = lines.map_while(|line| line.strip_prefix("    ")).collect();
    assert!(block.len() == 5 && block[1].starts_with("qgis="), "{block:?}");
    // With the program behind the wrapper, and with qgis_process as the program.
    let workshop = Workshop::new();
    for (name, others) in [("qgis_process", vec![]), ("qgis_process.bin", vec!["qgis_process"])] {
        let bin = workshop.path(&format!("bin of {name}"));
        std::fs::create_dir(&bin).unwrap();
        let script = |file: &str, text: &str| std::fs::write(bin.join(file), text).unwrap();
        script(name, "#!/bin/sh\necho right \"$@\"\n");
        others.iter().for_each(|other| script(other, "#!/bin/sh\necho wrapper\n"));
        workshop.shell(&format!("chmod +x '{}'/*", bin.display())).done();
        let said = workshop.shell(&format!("PATH='{}'\n{}", bin.display(), block.join("\n")));
        assert_eq!(said.out.matches("right").count(), 3, "{name}: {}{}", said.out, said.err);
        assert!(!said.out.contains("wrapper") && said.out.contains("RAIN=40 mm/h"), "{}", said.out);
    }
    if !Path::new("/usr/bin/qgis_process").exists() {
        return println!("skipped: there is no qgis_process (apt-get install qgis)");
    }
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    std::os::unix::fs::symlink(data, workshop.path("data")).unwrap();
    std::fs::create_dir(workshop.path("home")).unwrap();
    workshop.file("scenario.toml", "dem = 'dem.tif'\nrain = '9 mm/h'\nduration = '2 min'\n");
    let home = "export HOME=$PWD/home XDG_RUNTIME_DIR=$PWD/home";
    let ran = workshop.shell(&format!("set -e; {home}\n{}", block.join("\n"))).done();
    assert!(ran.out.contains("0 m³ exactly"), "{}", ran.out);
    assert!(workshop.path("flood/max_depth.tif").is_file());
}
