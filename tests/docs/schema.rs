//! The JSON Schema of scenario and study files accepts the same files as the program.

use crate::cli_common;

use cli_common::Workshop;
use inundate::scenario::options::{Options, keys};
use inundate::scenario::schema;
use inundate::study;
use jsonschema::Validator;
use serde_json::Value;
use std::path::Path;

/// Converts TOML as an editor does for a schema: to JSON, with dates as text.
fn json(value: &toml::Value) -> Value {
    match value {
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(list) => list.iter().map(json).collect(),
        toml::Value::Table(table) => table.iter().map(|(k, v)| (k.clone(), json(v))).collect(),
        plain => serde_json::to_value(plain).unwrap(),
    }
}

fn parsed(text: &str) -> Value {
    json(&toml::Value::Table(
        toml::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")),
    ))
}

fn of_scenarios() -> Validator {
    jsonschema::draft202012::new(&schema::scenario()).unwrap()
}

fn of_studies() -> Validator {
    jsonschema::draft202012::new(&study::schema::study()).unwrap()
}

#[track_caller]
fn fits(schema: &Validator, text: &str) {
    let value = parsed(text);
    let errors: Vec<String> =
        schema.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:?} in:\n{text}");
}

#[track_caller]
fn is_refused(schema: &Validator, text: &str) {
    assert!(!schema.is_valid(&parsed(text)), "the schema lets this pass: {text}");
}

#[test]
fn both_schemas_are_valid_in_their_dialect() {
    for schema in [schema::scenario(), study::schema::study()] {
        assert!(jsonschema::draft202012::meta::is_valid(&schema));
    }
}

#[test]
fn every_key_has_a_type_and_a_description() {
    let properties = schema::properties();
    let former = properties.values().filter(|key| key["deprecated"] == true).count();
    assert_eq!(properties.len() - former, keys().len());
    for key in keys() {
        let about = properties[&key]["description"].as_str().unwrap();
        assert!(about.len() > 10, "{key}: {about}");
    }
    // From the registries: lost if a key were renamed.
    for (key, word) in [
        ("solver", "shallow-water"),
        ("layers", "max_velocity"),
        ("open", "north"),
        ("height_unit", "us-ft"),
        ("land_cover_table", "worldcover"),
        ("loss_table", "usda-texture"),
        ("infiltration", "green-ampt"),
        ("device", "cuda"),
        ("grain", "coarse"),
        ("neighbourhood", "moore"),
    ] {
        assert!(properties[key].to_string().contains(&format!("\"{word}\"")), "{key}: {word}");
    }
}

#[test]
fn the_template_validates_with_every_example() {
    let workshop = Workshop::new();
    let template = workshop.inundate(&["new", "dem.tif"]).done().out;
    assert!(template.starts_with("#:schema ./scenario.schema.json\n"), "{template}");
    let keys = keys();
    let mut count = 0;
    let lines = template.lines().map(|line| {
        let example = line.strip_prefix("# ").filter(|rest| {
            rest.split_once(" = ").is_some_and(|(key, _)| keys.iter().any(|known| known == key))
        });
        count += usize::from(example.is_some() || !line.starts_with('#') && !line.is_empty());
        example.unwrap_or(line)
    });
    let all = lines.collect::<Vec<_>>().join("\n");
    assert_eq!(count, keys.len(), "{all}");
    assert!(!all.contains("= \"\""), "an example is missing: {all}");
    fits(&of_scenarios(), &all);
    Options::from_toml(&all, "template").unwrap();
}

/// Returns the `toml` blocks of a page.
fn blocks(page: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let blocks = text.split("```toml\n").skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap().to_string()).collect()
}

#[test]
fn scenarios_in_the_docs_and_the_demo_validate() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/demo.toml");
    fits(&of_scenarios(), &std::fs::read_to_string(demo).unwrap());
    let scenarios = blocks("docs/scenario.md");
    assert!(scenarios.len() >= 5);
    scenarios.iter().for_each(|text| fits(&of_scenarios(), text));
    let studies = blocks("docs/study.md");
    assert!(!studies.is_empty());
    studies.iter().for_each(|text| fits(&of_studies(), text));
}

#[test]
fn schema_and_program_agree_on_keys_and_types() {
    let schema = of_scenarios();
    for good in [
        "",
        "rain = 1e-6",
        "rain = '30 mm/h'",
        "nodata = -9999",
        "nodata = -9999.5",
        "roughness = 1",
        "source = '1,2,3 m3/s'",
        "source = ['1,2,3 m3/s', 'sources.gpkg']",
        "source = []",
        "outflow_slope = 0.001",
        "start = 2021-07-14T12:00:00+02:00",
        "start = '2021-07-14T12:00[Europe/Berlin]'",
        "device = 'cuda:12'",
        "steps = 0",
        "layers = 'depth, max-velocity'",
        "layers = ['depth,level', 'all']",
        "open = 'north, e'",
        "open = ''",
        "open = 'west: 0-1200 m, n'",
        "open = 'outlets.gpkg'",
        "closed = 'west:0-100.5'",
        "nodata = 'nan'",
        "order = 2",
        "tile = '512 x 256'",
        "rain_factor = 0",
        "height_unit = 'feet'",
        "infiltration = 'soil.tif'",
        "quiet = false",
    ] {
        fits(&schema, good);
        Options::from_toml(good, "good").unwrap();
    }
    for bad in [
        "rian = '30 mm/h'",
        "dem = 3",
        "rain = ['30 mm/h']",
        "rain = true",
        "nodata = 'none'",
        "threads = -1",
        "steps = 10.5",
        "source = [3.0]",
        "gauges = true",
        "quiet = 'yes'",
        "start = 5",
        "neighbourhood = 'hexagon'",
        "grain = 'sand'",
        "device = 'gpu'",
        "device = 'cuda:x'",
        "dem = { path = 'dem.tif' }",
    ] {
        is_refused(&schema, bad);
        Options::from_toml(bad, "bad").unwrap_err();
    }
    // These are read as text, and refused when the scenario is built.
    for bad in [
        "solver = 'swe'",
        "layers = 'depht'",
        "layers = ['depth', 'x']",
        "open = 'nroth'",
        "closed = 'lines.gpkg'",
        "subgrid = 0",
        "subgrid = 257",
        "order = 3",
        "threads = 0",
        "rain_factor = -1",
        "tile = 0",
        "tile = '0x3'",
        "title = ' '",
    ] {
        is_refused(&schema, bad);
    }
}

#[test]
fn schema_and_program_agree_on_studies() {
    let schema = of_studies();
    let workshop = Workshop::new();
    workshop.file("scenario.toml", "dem = 'dem.tif'\nduration = '60'\n");
    let base = "base = 'scenario.toml'";
    for (good, text) in [
        (true, format!("{base}\n[matrix]\nrain = ['3 mm/h', {{ value = '9 mm/h', name = 'T9' }}]")),
        (
            true,
            format!("{base}\n[matrix]\nlinks = ['pumps.csv', []]\n[[run]]\nrain = []\nsteps = 3"),
        ),
        (false, format!("{base}\n[matrix]\nlinks = ['pumps.csv', ['a.csv']]")),
        (true, format!("{base}\ndepths = 0.5\n[[run]]\nname = 'a'\nweight = 2\nsource = []")),
        (
            true,
            "out = 'o'\npercentiles = [5, 50]\n[base]\ndem = 'dem.tif'\n[[run]]\nduration = 9"
                .into(),
        ),
        (false, base.into()),
        (false, "[matrix]\nrain = ['3 mm/h']".into()),
        (false, format!("{base}\n[matrix]\nrain = '3 mm/h'")),
        (false, format!("{base}\n[matrix]\nrain = []")),
        (false, format!("{base}\n[matrix]\n")),
        (false, format!("{base}\n[matrix]\nrian = ['3 mm/h']")),
        (false, format!("{base}\n[matrix]\nquiet = [true]")),
        (false, format!("{base}\n[matrix]\nrain = [{{ name = 'T9' }}]")),
        (false, format!("{base}\n[[run]]\nweight = 0")),
        (true, format!("{base}\n[[run]]\nreturn_period = 100")),
        (false, format!("{base}\n[[run]]\nreturn_period = 0.5")),
        (false, format!("{base}\n[[run]]\nrain = true")),
        (false, format!("{base}\npercentiles = [101]\n[[run]]\nrain = '3 mm/h'")),
        (false, format!("{base}\nrain = 3\n[[run]]\nrain = '3 mm/h'")),
    ] {
        workshop.file("study.toml", &text);
        let read = study::file::read(&workshop.path("study.toml"));
        assert_eq!(read.is_ok(), good, "{text}");
        if good { fits(&schema, &text) } else { is_refused(&schema, &text) }
    }
}

#[test]
fn the_command_prints_both_schemas() {
    let workshop = Workshop::empty();
    let printed = |args: &[&str]| -> Value {
        serde_json::from_str(&workshop.inundate(args).done().out).unwrap()
    };
    assert_eq!(printed(&["schema"]), schema::scenario());
    assert_eq!(printed(&["schema", "--study"]), study::schema::study());
}
