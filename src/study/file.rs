//! Reads the study file, `study.toml`.

use super::matrix::{self, MOST_RUNS, Variation, too_many};
use super::{Study, StudyRun, distinct, is_none};
use crate::error::{Error, Result};
use crate::input::text;
use crate::measures;
use crate::output::layers::{self, DEFAULTS, Layer, MAX_DEPTH};
use crate::scenario::options::{Options, keys};
use crate::scenario::toml_text::{Place, TomlText, together};
use crate::suggest;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Default depths above which a cell counts as flooded (m).
pub const DEFAULT_DEPTHS: [f64; 1] = [0.1];
/// Percentiles that are mapped by default.
pub const DEFAULT_PERCENTILES: [f64; 3] = [5.0, 50.0, 95.0];
/// Output folder that is used by default.
pub const DEFAULT_OUT: &str = "study";

/// Keys of a study file, each with its synonyms.
pub const KEYS: [(&str, &str); 7] = [
    ("base", "scenario"),
    ("out", "output output_dir output_folder results dir folder"),
    ("aggregates", "layers maps statistics"),
    ("depths", "thresholds depth"),
    ("percentiles", "quantiles"),
    ("matrix", "parameters vary variations values"),
    ("run", "runs variants"),
];
/// Keys that the study sets for every run.
pub const ITS_OWN: [&str; 4] = ["out", "overwrite", "quiet", "json"];
const EXAMPLE: &str = "a study has a base scenario and variations:\n    base = \"scenario.toml\"\n    [matrix]\n    rain = [\"30 mm/h\", \"50 mm/h\"]\n    roughness = [0.03, 0.05]";

/// The scenario that is varied.
struct Base {
    keys: Table,
    /// Location of the base, for messages.
    place: String,
    /// Folder to which its paths are relative.
    folder: PathBuf,
    file: Option<PathBuf>,
}

/// Reads a study file and derives the options of every run. Does not yet read rasters and tables.
pub fn read(path: &Path) -> Result<Study> {
    let place = format!("'{}'", path.display());
    let text = text::text(path, text::SCENARIO).map_err(|error| {
        Error::input(format!("cannot open the study {place}")).because(error).hint(EXAMPLE)
    })?;
    let name = path.display().to_string();
    let (text, table) = TomlText::parse(&text, &name)?;
    let folder = absolute(path)?.parent().unwrap_or(Path::new("/")).to_path_buf();
    let mut errors = unknown_keys(&table, text);
    let base = kept(base(&table, text, &folder), &mut errors);
    let variations = kept(variations(&table, text), &mut errors);
    let aggregates = kept(aggregates(&table, &place), &mut errors);
    let out = kept(out(&table, path, &place), &mut errors);
    let depths = kept(depths(&table, &place), &mut errors);
    together(errors)?;
    let all = base.zip(variations).zip(aggregates).zip(out).zip(depths);
    let ((((base, mut variations), aggregates), out), depths) = all.expect("there is no error");
    matrix::settle_names(&mut variations, &place)?;
    let varied = distinct(variations.iter().flat_map(|run| run.keys.keys().cloned()));
    let runs = variations.into_iter().enumerate();
    let runs = runs.map(|(i, variation)| {
        let run = run(i + 1, variation, &base, &place, &folder)?;
        Ok(with_layers(run, table.get("aggregates").map_or(&[], |_| &aggregates)))
    });
    let runs: Vec<StudyRun> = runs.collect::<Result<_>>()?;
    matrix::check_distinct(&runs, &place)?;
    let warnings = idle_depths(&table, &aggregates, &place).into_iter().collect();
    Ok(Study {
        out,
        warnings,
        depths,
        percentiles: percentiles(&table, &place, &runs)?,
        runs,
        aggregates,
        varied,
        base: base.file,
        file: path.to_path_buf(),
    })
}

/// Returns the value of a result, or keeps its error.
fn kept<T>(result: Result<T>, errors: &mut Vec<Error>) -> Option<T> {
    result.map_err(|error| errors.push(error)).ok()
}

/// Returns the errors of unknown keys at the top of the file.
fn unknown_keys(table: &Table, text: TomlText) -> Vec<Error> {
    let known = KEYS.map(|(key, _)| key);
    let unknown = table.keys().filter(|key| !known.contains(&key.as_str()));
    let error = |key: &String| {
        let hint = if keys().contains(key) {
            format!("'{key}' is a scenario key: put it in the base, in [matrix] or in [[run]]")
        } else {
            suggest::hint(&suggest::meant(key, KEYS), &format!("all keys: {}", known.join(", ")))
        };
        Error::input(format!("{}: unknown key '{key}'", text.place(&[key]))).hint(hint)
    };
    unknown.map(error).collect()
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path)
        .map_err(|error| Error::input(format!("cannot open '{}'", path.display())).because(error))
}

fn base(table: &Table, text: TomlText, folder: &Path) -> Result<Base> {
    let place = text.place(&[]);
    match table.get("base") {
        Some(Value::String(name)) => {
            let file = folder.join(name);
            // Read it as a run would, so that errors come with their line.
            Options::from_file(&file)?;
            let keys =
                std::fs::read_to_string(&file).ok().and_then(|text| toml::from_str(&text).ok());
            let folder = file.parent().unwrap_or(folder).to_path_buf();
            let place = format!("'{}'", file.display());
            Ok(Base { keys: keys.unwrap_or_default(), place, folder, file: Some(file) })
        }
        Some(Value::Table(keys)) => {
            let entries = keys.iter().map(|(key, value)| (&key[..], vec![value]));
            let at = |key: &str| text.place(&["base", key]);
            together(Options::errors_in(entries, ", base", at))?;
            let place = format!("{place}, base");
            Options::from_table(keys, &place, folder)?;
            Ok(Base { keys: keys.clone(), place, folder: folder.to_path_buf(), file: None })
        }
        Some(other) => Err(Error::input(format!(
            "{place}: base is {other}, which is neither a scenario file nor a table of keys"
        ))
        .hint("write base = \"scenario.toml\", or its keys below [base]")),
        None => Err(Error::input(format!("{place}: there is no base scenario")).hint(EXAMPLE)),
    }
}

fn variations(table: &Table, text: TomlText) -> Result<Vec<Variation>> {
    let place = &text.place(&[]).to_string();
    let mut all = Vec::new();
    let mut errors = Vec::new();
    match table.get("matrix") {
        Some(Value::Table(matrix)) if !matrix.is_empty() => {
            let lists = matrix.iter().map(|(key, list)| (&key[..], matrix::values(list).collect()));
            errors.extend(wrong_keys(lists, ", matrix", |key| text.place(&["matrix", key])));
            all = kept(matrix::product(matrix, &format!("{place}, matrix")), &mut errors)
                .unwrap_or_default();
        }
        Some(Value::Table(_)) => {
            return Err(Error::input(format!("{place}: the matrix is empty"))
                .hint("give it a key and its values: rain = [\"30 mm/h\", \"50 mm/h\"]"));
        }
        Some(_) => {
            return Err(Error::input(format!("{place}: matrix is not a table")).hint(
                "write [matrix] on a line of its own, and below it rain = [\"30 mm/h\", …]",
            ));
        }
        None => {}
    }
    let listed = match table.get("run") {
        Some(Value::Array(list)) => list.as_slice(),
        Some(_) => {
            return Err(Error::input(format!("{place}: run is not a list of tables"))
                .hint("write [[run]], with two brackets, above each run"));
        }
        None => &[],
    };
    for (number, listed) in listed.iter().enumerate() {
        let at = format!("{place}, run {}", all.len() + 1);
        let Value::Table(listed) = listed else {
            return Err(Error::input(format!("{at} is not a table of keys"))
                .hint("write [[run]] above each run"));
        };
        let mut keys = listed.clone();
        let name = keys.remove("name").map(|name| matrix::given_name(&name, &at)).transpose()?;
        let weight = keys.remove("weight").map(|w| matrix::weight_of(&w, &at)).transpose()?;
        let period = keys.remove("return_period");
        let return_period =
            period.map(|period| matrix::return_period_of(&period, &at)).transpose()?;
        let named = name.is_some();
        let whose = name.as_ref().map_or((all.len() + 1).to_string(), |name| format!("'{name}'"));
        let entries = keys.iter().map(|(key, value)| (&key[..], vec![value]));
        errors.extend(wrong_keys(entries, &format!(", run {whose}"), |key| {
            text.place(&["run", &number.to_string(), key])
        }));
        let name = name.unwrap_or_else(|| matrix::name_of(&keys));
        let variant = String::new();
        all.push(Variation { name, named, weight, return_period, variant, keys });
    }
    together(errors)?;
    if all.is_empty() {
        return Err(Error::input(format!("{place}: it has no runs")).hint(EXAMPLE));
    }
    if all.len() > MOST_RUNS {
        return Err(too_many(place));
    }
    all_or_none(&all, place, "weight", |run| run.weight.is_some())?;
    all_or_none(&all, place, "return period", |run| run.return_period.is_some())?;
    Ok(all)
}

/// Fails if some runs have a number and others do not.
fn all_or_none(
    all: &[Variation],
    place: &str,
    what: &str,
    has: impl Fn(&Variation) -> bool,
) -> Result<()> {
    match (all.iter().find(|run| has(run)), all.iter().find(|run| !has(run))) {
        (Some(Variation { name: with, .. }), Some(Variation { name: without, .. })) => {
            Err(Error::input(format!(
                "{place}: run '{with}' has a {what}, but run '{without}' has none"
            ))
            .hint(format!("give every run a {what}, or none")))
        }
        _ => Ok(()),
    }
}

/// Returns the errors of keys that runs set, and of their values; the study itself sets some.
fn wrong_keys<'a, 'b>(
    entries: impl Iterator<Item = (&'a str, Vec<&'a Value>)>,
    at: &str,
    place: impl Fn(&str) -> Place<'b>,
) -> Vec<Error> {
    let entries: Vec<(&str, Vec<&Value>)> = entries.collect();
    let own = entries.iter().filter(|(key, _)| ITS_OWN.contains(key)).map(|(key, _)| {
        Error::input(format!("{}{at}: {key} cannot be varied", place(key))).hint(
            "every run has its own folder below the study's `out`, with its messages in run.log",
        )
    });
    let own: Vec<Error> = own.collect();
    let set = entries.into_iter().map(|(key, mut values)| {
        values.retain(|value| !is_none(value));
        (key, values)
    });
    own.into_iter().chain(Options::errors_in(set, at, place)).collect()
}

fn run(
    index: usize,
    variation: Variation,
    base: &Base,
    place: &str,
    folder: &Path,
) -> Result<StudyRun> {
    let Variation { name, weight, return_period, variant, keys, .. } = variation;
    // Keys of a run override those of the base. An empty list removes the key, whatever its type.
    let rest = base.keys.iter().filter(|(key, _)| !keys.contains_key(*key));
    let rest: Table = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
    let set = keys.iter().filter(|(_, value)| !is_none(value));
    let set: Table = set.map(|(key, value)| (key.clone(), value.clone())).collect();
    let own = Options::from_table(&set, &format!("{place}, run {index} '{name}'"), folder)?;
    let options = own.over(Options::from_table(&rest, &base.place, &base.folder)?);
    let options = Options { out: None, overwrite: false, quiet: false, json: false, ..options };
    let weight = weight.unwrap_or(1.0);
    Ok(StudyRun { index, name, weight, return_period, variant, varied: keys, options })
}

/// Returns the layers to map: by default the maximum depth.
fn aggregates(table: &Table, place: &str) -> Result<Vec<&'static Layer>> {
    let names: Vec<String> = match table.get("aggregates") {
        None => return Ok(vec![&MAX_DEPTH]),
        Some(Value::Array(list)) => list.iter().map(super::in_words).collect(),
        Some(one) => vec![super::in_words(one)],
    };
    if names.is_empty() {
        return Err(Error::input(format!("{place}: aggregates: the list is empty"))
            .hint("leave the key out for maps of the maximum depth only"));
    }
    // Layers that a run cannot write are reported with the run.
    layers::choose(&names, true, true)
        .map_err(|error| error.of(format_args!("{place}: aggregates")))
}

/// Adds the wanted layers to a run's output.
fn with_layers(mut run: StudyRun, wanted: &[&Layer]) -> StudyRun {
    let named = &mut run.options.layers;
    let has = |layer: &Layer, named: &[String]| {
        let names = named.iter().flat_map(|names| names.split(',')).map(str::trim);
        let mut names = names.map(|name| name.replace('-', "_"));
        match named {
            [] => DEFAULTS.iter().any(|default| default.key == layer.key),
            _ => names.any(|name| name == layers::ALL || name == layer.key),
        }
    };
    for layer in wanted {
        if !has(layer, named) {
            if named.is_empty() {
                named.extend(DEFAULTS.iter().map(|layer| layer.key.to_string()));
            }
            named.push(layer.key.into());
        }
    }
    run
}

fn out(table: &Table, path: &Path, place: &str) -> Result<PathBuf> {
    let name = match table.get("out") {
        None => DEFAULT_OUT,
        Some(Value::String(name)) if !name.is_empty() => name,
        Some(other) => {
            return Err(Error::input(format!("{place}: out is {other}, not the name of a folder"))
                .hint("write out = \"study\""));
        }
    };
    Ok(path.parent().unwrap_or(Path::new("")).join(name))
}

fn depths(table: &Table, place: &str) -> Result<Vec<f64>> {
    let at = format!("{place}: depths");
    let depth = |value: &Value| {
        measures::parse_depth(&super::in_words(value)).map_err(|error| error.of(&at))
    };
    list(table, "depths", &at, &DEFAULT_DEPTHS, depth)
}

/// Returns a warning if depths are given whose exceedance no map shows.
fn idle_depths(table: &Table, aggregates: &[&Layer], place: &str) -> Option<String> {
    let key = MAX_DEPTH.key;
    let has_maps = aggregates.iter().any(|layer| layer.key == key);
    let is_given = matches!(table.get("depths"), Some(Value::Array(list)) if !list.is_empty())
        || matches!(table.get("depths"), Some(other) if !other.is_array());
    (is_given && !has_maps).then(|| {
        format!(
            "{place}: depths: has no effect on the maps, because '{key}' is not in aggregates; add it to map where the water is deeper"
        )
    })
}

/// Returns the percentiles to map: none of runs with return periods, which are not a sample.
fn percentiles(table: &Table, place: &str, runs: &[StudyRun]) -> Result<Vec<f64>> {
    let at = format!("{place}: percentiles");
    if runs.iter().all(|run| run.return_period.is_some()) {
        return match table.get("percentiles") {
            Some(_) => Err(Error::input(format!(
                "{at}: the runs have return periods, over which there are no percentiles"
            ))
            .hint("remove the key: the study maps annual exceedance probabilities instead")),
            None => Ok(Vec::new()),
        };
    }
    let percentile = |value: &Value| {
        // Avoid -0, which would appear in a file name.
        let number = super::number(value).map(|number| number + 0.0);
        number.filter(|number| (0.0..=100.0).contains(number)).ok_or_else(|| {
            Error::input(format!("{at}: {value} is not a number from 0 to 100"))
                .hint("write percentiles = [5, 50, 95]")
        })
    };
    let numbers = list(table, "percentiles", &at, &DEFAULT_PERCENTILES, percentile)?;
    let is_fraction = |number: &f64| 0.0 < *number && *number < 1.0;
    if numbers.iter().any(is_fraction) && numbers.iter().all(|number| *number <= 1.0) {
        let meant: Vec<f64> = numbers.iter().map(|n| (n * 1e8).round() / 1e6).collect();
        return Err(Error::input(format!("{at}: {numbers:?} are fractions, not percentiles"))
            .hint(format!("percentiles range from 0 to 100: write percentiles = {meant:?}")));
    }
    Ok(numbers)
}

fn list(
    table: &Table,
    key: &str,
    at: &str,
    default: &[f64],
    read: impl Fn(&Value) -> Result<f64>,
) -> Result<Vec<f64>> {
    let mut numbers = match table.get(key) {
        None => default.to_vec(),
        Some(Value::Array(list)) => list.iter().map(read).collect::<Result<_>>()?,
        Some(one) => vec![read(one)?],
    };
    numbers.sort_by(f64::total_cmp);
    if let Some(twice) = numbers.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::input(format!("{at}: {} appears twice", twice[0])).hint("remove one"));
    }
    Ok(numbers)
}
