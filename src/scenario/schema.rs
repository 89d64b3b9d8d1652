//! Builds the JSON Schema of a scenario file, for editors and other programs.
//!
//! The schema is generated from the command line's options: value types come from the flags, and
//! allowed words from the registries.

use super::options::{
    self, Device, Moment, Placed, Quantity, SideSlope, TableName, ValueOrFile, Written,
};
use super::solver::MOST_PIXELS;
use crate::engine::boundary::OpenSides;
use crate::engine::losses::parameter::Model;
use crate::engine::solver::SOLVERS;
use crate::input::tables::{class_table, loss_table};
use crate::measures::quantity::HEIGHT;
use crate::output::layers::{self, LAYERS};
use clap::{Arg, ArgAction};
use serde_json::{Map, Value, json};
use std::any::TypeId;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The dialect of the schemas: JSON Schema, draft 2020-12.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Pattern of a stretch after the name of a side.
const STRETCH: &str = r"(:\s*\+?[0-9.]+\s*-\s*[0-9.]+\s*m?)?";

/// Pattern of a text that can only be a path: its extension, or a slash.
const PATH: &str = r"\.[A-Za-z][^./]*$|/$|^\.{0,2}/";

/// Words that a key accepts.
enum Words {
    /// Any number of the words, separated by commas. A second pattern may follow a word, and a
    /// third describes other texts.
    List(Vec<&'static str>, &'static str, Option<&'static str>),
    /// Suggested words; other values, such as a file, are also valid.
    Suggested(Vec<&'static str>),
}

/// Returns the schema of a scenario file.
pub fn scenario() -> Value {
    json!({
        "$schema": DIALECT,
        "title": "Scenario of inundate",
        "description": "A run of a flood. Quantities carry units, as text; a bare number is SI.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties(),
    })
}

/// Returns the schema of each key's value.
pub fn properties() -> Map<String, Value> {
    let mut all = Map::new();
    for argument in options::arguments() {
        let schema = property(&argument);
        for former in argument.get_all_aliases().into_iter().flatten() {
            let mut schema = schema.clone();
            schema["deprecated"] = true.into();
            all.insert(former.replace('-', "_"), schema);
        }
        all.insert(argument.get_id().to_string(), schema);
    }
    all
}

fn property(argument: &Arg) -> Value {
    let mut schema = value(argument);
    let help = argument.get_long_help().or(argument.get_help());
    schema.insert("description".into(), help.map(ToString::to_string).unwrap_or_default().into());
    schema.into()
}

/// Returns the schema of the values that a key accepts.
fn value(argument: &Arg) -> Map<String, Value> {
    let key = argument.get_id().as_str();
    let one = match words(key) {
        Some(Words::List(words, more, other)) => {
            // Short forms are valid, but not suggested. Names may have dashes, as in flags.
            let any = format!("({}){more}", words.join("|").replace('_', "[_-]"));
            let pattern = format!("^\\s*({any})(\\s*,\\s*({any}))*\\s*$");
            let offered: Vec<&str> = words.into_iter().filter(|word| word.len() > 1).collect();
            let texts = [Some(pattern.as_str()), other].into_iter().flatten();
            let texts = texts.map(|pattern| json!({ "type": "string", "pattern": pattern }));
            let forms: Vec<Value> = [json!({ "enum": offered })].into_iter().chain(texts).collect();
            json!({ "anyOf": forms })
        }
        Some(Words::Suggested(words)) => {
            let other = typed(argument);
            json!({ "anyOf": [{ "enum": words }, other] })
        }
        None => typed(argument),
    };
    let Value::Object(mut one) = one else { unreachable!("schemas are objects") };
    one.extend(limits(key));
    if matches!(argument.get_action(), ArgAction::Append) {
        // A file may also give a single number without quotes; the elements of a list are texts.
        let list = json!({ "type": "array", "items": one });
        one = object(json!({ "anyOf": [one, { "type": "number" }, list] }));
    }
    one
}

/// Returns the schema of one value of a flag in a scenario file.
fn typed(argument: &Arg) -> Value {
    let choices = argument.get_possible_values();
    let id = argument.get_value_parser().type_id();
    let is = |other: TypeId| id == other;
    if matches!(argument.get_action(), ArgAction::SetTrue) {
        json!({ "type": "boolean" })
    } else if is(TypeId::of::<Device>()) {
        // `cuda:N` matches any number, `cuda:N,M` any list of numbers.
        let (numbered, plain): (Vec<&str>, Vec<&str>) =
            Device::FORMS.iter().map(|(form, _)| *form).partition(|form| form.contains(":N"));
        let pattern = |form: &&str| match form.split_once(":N") {
            Some((kind, ",M")) => format!("^{kind}:[0-9]+(,[0-9]+)+$"),
            Some((kind, _)) => format!("^{kind}:[0-9]+$"),
            None => unreachable!("it has a number"),
        };
        let patterns = numbered.iter().map(pattern);
        let patterns = patterns.map(|pattern| json!({ "type": "string", "pattern": pattern }));
        let forms: Vec<Value> = [json!({ "enum": plain })].into_iter().chain(patterns).collect();
        json!({ "anyOf": forms })
    } else if !choices.is_empty() {
        let names: Vec<&str> = choices.iter().map(|choice| choice.get_name()).collect();
        let about = choices.iter().map(|choice| choice.get_help().map(ToString::to_string));
        // Editors show this help beside each word; other programs ignore it.
        let about: Vec<String> = about.map(Option::unwrap_or_default).collect();
        json!({ "enum": names, "x-taplo": { "docs": { "enumValues": about } } })
    } else if matches!(argument.get_id().as_str(), "gauges" | "open" | "sections") {
        // A value of these is never a number.
        json!({ "type": "string" })
    } else if [TypeId::of::<Quantity>(), TypeId::of::<ValueOrFile>()].into_iter().any(is) {
        json!({ "type": ["string", "number"] })
    } else if argument.get_id() == "nodata" {
        json!({ "anyOf": [{ "type": "number" }, { "const": "nan" }] })
    } else if is(TypeId::of::<f64>()) {
        json!({ "type": "number" })
    } else if [TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()].into_iter().any(is)
    {
        json!({ "type": "integer", "minimum": 0 })
    } else if [
        TypeId::of::<String>(),
        TypeId::of::<PathBuf>(),
        TypeId::of::<Moment>(),
        TypeId::of::<Placed>(),
        TypeId::of::<TableName>(),
        TypeId::of::<Written<SideSlope>>(),
    ]
    .into_iter()
    .any(is)
    {
        json!({ "type": "string" })
    } else {
        // A test covers every key, so a missing type fails there.
        panic!("the type of '{}' has no schema yet", argument.get_id())
    }
}

/// Returns the limits of a key's values that its reader checks.
fn limits(key: &str) -> Map<String, Value> {
    object(match key {
        "subgrid" => json!({ "minimum": 1, "maximum": MOST_PIXELS }),
        "threads" => json!({ "minimum": 1 }),
        "rain_factor" => json!({ "minimum": 0 }),
        "order" => {
            let orders: BTreeSet<u32> = SOLVERS.iter().map(|solver| solver.order).collect();
            json!({ "enum": orders })
        }
        "tile" => {
            json!({ "minimum": 1, "multipleOf": 1, "pattern": r"^\s*0*[1-9][0-9]*\s*(x\s*0*[1-9][0-9]*\s*)?$" })
        }
        "title" => json!({ "pattern": r"\S" }),
        _ => json!({}),
    })
}

/// Returns the words of a key that has a registry of words.
fn words(key: &str) -> Option<Words> {
    Some(match key {
        "layers" => {
            let names = LAYERS.iter().map(|layer| layer.key);
            Words::List(names.chain([layers::ALL]).collect(), "", None)
        }
        "open" | "closed" => {
            Words::List(OpenSides::NAMES.to_vec(), STRETCH, (key == "open").then_some(PATH))
        }
        "height_unit" => Words::Suggested(HEIGHT.names().collect()),
        "land_cover_table" => {
            Words::Suggested(class_table::BUNDLED.iter().map(|(name, ..)| *name).collect())
        }
        "loss_table" => {
            Words::Suggested(loss_table::BUNDLED.iter().map(|(name, ..)| *name).collect())
        }
        "infiltration" => {
            let models = Model::ALL.into_iter().filter(|model| *model != Model::Constant);
            Words::Suggested(models.map(Model::name).collect())
        }
        _ => return None,
    })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => unreachable!("schemas are objects"),
    }
}
