//! JSON Schema of a study file.

use super::file::{ITS_OWN, KEYS};
use super::matrix::CHOICE_KEYS;
use crate::output::layers::{ALL, LAYERS};
use crate::scenario::schema::{self, DIALECT};
use serde_json::{Map, Value, json};

/// Returns the schema of a study file. Values of scenario keys refer to [`schema::scenario`].
pub fn study() -> Value {
    let keys = schema::properties();
    let refer = |key: &String| (key.clone(), json!({ "$ref": format!("#/$defs/{key}") }));
    let all: Map<String, Value> = keys.keys().map(refer).collect();
    let own = |key: &&String| !ITS_OWN.contains(&key.as_str());
    let or_none = |key: &String| {
        let (key, value) = refer(key);
        (key, json!({ "anyOf": [value, { "type": "array", "maxItems": 0 }] }))
    };
    let mut run: Map<String, Value> = keys.keys().filter(own).map(or_none).collect();
    let axes: Map<String, Value> =
        run.iter().map(|(key, value)| (key.clone(), axis(value))).collect();
    run.extend(about_run());
    let properties: Map<String, Value> =
        KEYS.into_iter().map(|(key, _)| (key.to_string(), top(key, &all, &axes, &run))).collect();
    json!({
        "$schema": DIALECT,
        "title": "Study of inundate",
        "description": "A scenario in many variations.",
        "type": "object",
        "additionalProperties": false,
        "required": ["base"],
        "anyOf": [{ "required": ["matrix"] }, { "required": ["run"] }],
        "properties": properties,
        "$defs": keys,
    })
}

/// Returns the schema of a top-level key; `all`, `axes` and `run` are the keys below `[base]`,
/// `[matrix]` and `[[run]]`.
fn top(
    key: &str,
    all: &Map<String, Value>,
    axes: &Map<String, Value>,
    run: &Map<String, Value>,
) -> Value {
    let table =
        |keys| json!({ "type": "object", "additionalProperties": false, "properties": keys });
    let percent = json!({ "type": "number", "minimum": 0, "maximum": 100 });
    match key {
        "base" => json!({
            "description": "The scenario that is varied: a file, or its keys below [base]",
            "anyOf": [{ "type": "string" }, table(all)],
        }),
        "out" => json!({
            "description": "Output folder (default: study)", "type": "string", "minLength": 1,
        }),
        "depths" => json!({
            "description": "Depths above which a cell counts as flooded (default: [\"0.1 m\"])",
            "anyOf": one_or_more(&json!({ "type": ["string", "number"] })),
        }),
        "aggregates" => json!({
            "description": "Layers that maps over the runs are made of (default: [\"max_depth\"])",
            "anyOf": one_or_more(&json!({ "enum": layer_names() })),
        }),
        "percentiles" => json!({
            "description": "Percentiles of their values, 0 to 100 (default: [5, 50, 95])",
            "anyOf": one_or_more(&percent),
        }),
        "matrix" => {
            let mut matrix = table(axes);
            matrix["description"] =
                "Keys of the scenario, each with a list of values: every combination is a run"
                    .into();
            matrix["minProperties"] = 1.into();
            matrix
        }
        "run" => json!({
            "description": "Runs: keys of the scenario, and maybe a name and a weight",
            "type": "array",
            "items": table(run),
        }),
        other => panic!("the key '{other}' of a study has no schema yet"),
    }
}

/// Returns the names of all layers, and the name for all together.
fn layer_names() -> Vec<&'static str> {
    LAYERS.iter().map(|layer| layer.key).chain([ALL]).collect()
}

fn one_or_more(one: &Value) -> Value {
    json!([one, { "type": "array", "items": one }])
}

/// Returns the schema of a key of the matrix.
fn axis(value: &Value) -> Value {
    let [of, ..] = CHOICE_KEYS;
    let properties: Map<String, Value> =
        [(of.to_string(), value.clone())].into_iter().chain(about_run()).collect();
    let choice = json!({
        "type": "object",
        "additionalProperties": false,
        "required": [of],
        "properties": properties,
    });
    json!({ "type": "array", "minItems": 1, "items": { "anyOf": [value, choice] } })
}

/// Returns the keys of a run, or of a value of the matrix, that are none of the scenario, with their
/// schemas.
fn about_run() -> impl Iterator<Item = (String, Value)> {
    let [_, name, weight, return_period] = CHOICE_KEYS.map(String::from);
    let schemas = [
        (
            name,
            json!({ "description": "Name of the run, and of its folder", "type": "string", "minLength": 1 }),
        ),
        (
            weight,
            json!({ "description": "Weight of the run; only ratios count", "type": "number", "exclusiveMinimum": 0 }),
        ),
        (
            return_period,
            json!({ "description": "Return period of the run (years)", "type": "number", "minimum": 1 }),
        ),
    ];
    schemas.into_iter()
}
