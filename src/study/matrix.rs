//! Variations of a study: the product of a matrix, and the names of runs.

use super::resume::NOT_RESULTS;
use super::{StudyRun, in_words, number};
use crate::error::{Error, Result};
use crate::measures::quantity::normalized;
use crate::scenario::value_or_file::is_a_path;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use toml::{Table, Value};

/// Maximum number of runs; a larger matrix is probably a mistake.
pub const MOST_RUNS: usize = 100_000;

/// Returns the error of a matrix with too many runs.
pub fn too_many(place: &str) -> Error {
    Error::input(format!("{place}: there are more than {MOST_RUNS} runs"))
        .hint("a matrix runs every combination of its values; list the runs you want as [[run]]")
}

/// Maximum length of a run's name; a run with a longer automatic name is called by its number.
const LONGEST_NAME: usize = 100;

/// Keys of a matrix value with a name or a weight.
pub const CHOICE_KEYS: [&str; 4] = ["value", "name", "weight", "return_period"];

/// A prospective run: its name, its weight and the keys that it sets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variation {
    /// Name, given in the file or derived from the keys.
    pub name: String,
    /// Set if the name was given in the file.
    pub named: bool,
    /// Weight of the run, if given.
    pub weight: Option<f64>,
    /// Return period (years), if given.
    pub return_period: Option<f64>,
    /// Labels of the values without weight and return period.
    pub variant: String,
    /// Keys that the run sets.
    pub keys: Table,
}

/// A value of an axis.
#[derive(Clone, Debug)]
struct Choice {
    value: Value,
    /// Label of the value in the name of a run.
    label: String,
    weight: Option<f64>,
    return_period: Option<f64>,
}

/// Returns all combinations of the values of a matrix; the last key varies fastest. A run's weight
/// is the product of its values' weights, and its return period comes from the one value that has
/// one. `place` locates the matrix in messages.
pub fn product(matrix: &Table, place: &str) -> Result<Vec<Variation>> {
    let mut all = vec![Variation::default()];
    let mut events: Option<&str> = None;
    for (key, values) in matrix {
        let choices = choices(key, values, place)?;
        if choices[0].return_period.is_some()
            && let Some(other) = events.replace(key)
        {
            return Err(Error::input(format!(
                "{place}: both {other} and {key} have return periods, but a run can have only one"
            ))
            .hint("vary them together: list the runs as [[run]], each with its return_period"));
        }
        if all.len() * choices.len() > MOST_RUNS {
            return Err(too_many(place));
        }
        let with = |run: &Variation, choice: &Choice| {
            let mut run = run.clone();
            let separator = if run.name.is_empty() { "" } else { "_" };
            run.name += &format!("{separator}{}", choice.label);
            run.weight = match (run.weight, choice.weight) {
                (Some(a), Some(b)) => Some(a * b),
                (a, b) => a.or(b),
            };
            run.return_period = run.return_period.or(choice.return_period);
            if choice.weight.is_none() && choice.return_period.is_none() {
                let separator = if run.variant.is_empty() { "" } else { "_" };
                run.variant += &format!("{separator}{}", choice.label);
            }
            run.keys.insert(key.clone(), choice.value.clone());
            run
        };
        all = all
            .iter()
            .flat_map(|run| choices.iter().map(|c| with(run, c)).collect::<Vec<_>>())
            .collect();
    }
    Ok(all)
}

/// Returns the values in the list of a key.
pub fn values(list: &Value) -> impl Iterator<Item = &Value> {
    let each = list.as_array().into_iter().flatten();
    each.filter_map(|one| one.as_table().map_or(Some(one), |choice| choice.get("value")))
}

/// Returns a text that is equal for values with the same meaning: `30 mm/h` and `0.5 mm/min`.
fn meaning(value: &serde_json::Value) -> String {
    if let Some(list) = value.as_array() {
        return list.iter().map(meaning).collect::<Vec<_>>().join("; ");
    }
    let text = value.as_str().map_or_else(|| value.to_string(), |text| text.trim().into());
    normalized(&text).filter(|_| !is_a_path(&text)).unwrap_or(text)
}

/// Keys of the text and pictures of a report, which affect no value of the results.
const REPORT: &str = "title project author date logo background";

/// Refuses two runs with the same results, which would count twice in all statistics. Events with
/// different return periods may have the same flood.
pub fn check_distinct(runs: &[StudyRun], place: &str) -> Result<()> {
    let is_idle = |key: &String| {
        let mut idle = [NOT_RESULTS, REPORT].into_iter().flat_map(str::split_whitespace);
        idle.any(|idle| idle == key)
    };
    let mut known = HashMap::new();
    for run in runs {
        let parameters = run.options.parameters();
        let keys = parameters.as_object().into_iter().flatten();
        let (idle, scenario): (BTreeMap<_, _>, BTreeMap<_, _>) = keys
            .map(|(key, value)| (key.clone(), meaning(value)))
            .partition(|(key, _)| is_idle(key));
        let event = run.return_period.map(f64::to_bits);
        let Some((other, before)) = known.insert((scenario, event), (&run.name, idle.clone()))
        else {
            continue;
        };
        let differs = |key: &&String| before.get(*key) != idle.get(*key);
        let keys: BTreeSet<&String> = before.keys().chain(idle.keys()).filter(differs).collect();
        let keys: Vec<&str> = keys.into_iter().map(String::as_str).collect();
        let what = match keys.is_empty() {
            true => "have the same scenario".into(),
            false => {
                format!("have the same results, because they differ only in {}", keys.join(", "))
            }
        };
        return Err(Error::input(format!("{place}: runs '{other}' and '{}' {what}", run.name))
            .hint("remove one, because both would count; a weight makes one run count more"));
    }
    Ok(())
}

fn choices(key: &str, values: &Value, place: &str) -> Result<Vec<Choice>> {
    let wrong = |what: &str| Error::input(format!("{place}: {key} {what}"));
    let values = values.as_array().ok_or_else(|| {
        wrong("is not a list of values").hint(format!("put it in brackets: {key} = [{values}]"))
    })?;
    if values.is_empty() {
        return Err(wrong("has no value").hint("give one or more, or leave the key out"));
    }
    let mut choices: Vec<Choice> = Vec::new();
    for (number, value) in values.iter().enumerate() {
        let at = format!("{place}: {key}, value {}", number + 1);
        let mut choice = match value {
            Value::Table(table) => choice_of_table(key, table, &at)?,
            value => {
                let (label, value) = (label(key, value), value.clone());
                Choice { label, value, weight: None, return_period: None }
            }
        };
        let meaning = |value| serde_json::to_value(value).map(|value| meaning(&value)).ok();
        if choices.iter().any(|other| meaning(&other.value) == meaning(&choice.value)) {
            let shown = in_words(&choice.value);
            return Err(wrong(&format!("has {} twice", shown.trim()))
                .hint("remove one: both would be the same run"));
        }
        let same = |other: &Choice| other.label.to_lowercase() == choice.label.to_lowercase();
        if choices.iter().any(same) {
            choice.label += &format!("-{}", number + 1);
        }
        choices.push(choice);
    }
    let count = |has: fn(&Choice) -> bool| choices.iter().filter(|choice| has(choice)).count();
    for (what, with) in [
        ("weight", count(|choice| choice.weight.is_some())),
        ("return period", count(|choice| choice.return_period.is_some())),
    ] {
        if with != 0 && with != choices.len() {
            return Err(wrong(&format!(
                "has a {what} for only {with} of {} values",
                choices.len()
            ))
            .hint("give all of them one, or none"));
        }
    }
    Ok(choices)
}

/// Reads a value with a name or a weight: `{ value = "30 mm/h", name = "T10", weight = 0.9 }`.
fn choice_of_table(key: &str, table: &Table, at: &str) -> Result<Choice> {
    let example = format!("write {key} = [{{ value = …, name = \"T10\", weight = 0.9 }}, …]");
    if let Some(other) = table.keys().find(|key| !CHOICE_KEYS.contains(&key.as_str())) {
        return Err(Error::input(format!("{at}: unknown key '{other}'")).hint(example));
    }
    let Some(value) = table.get("value") else {
        return Err(Error::input(format!("{at} has no 'value'")).hint(example));
    };
    let name = table.get("name").map(|name| given_name(name, at)).transpose()?;
    let weight = table.get("weight").map(|weight| weight_of(weight, at)).transpose()?;
    let period = table.get("return_period").map(|period| return_period_of(period, at));
    let return_period = period.transpose()?;
    let label = name.unwrap_or_else(|| label(key, value));
    Ok(Choice { value: value.clone(), label, weight, return_period })
}

/// Reads a weight: a number above 0.
pub fn weight_of(value: &Value, at: &str) -> Result<f64> {
    number(value).filter(|weight| weight.is_finite() && *weight > 0.0).ok_or_else(|| {
        Error::input(format!("{at}: the weight {value} is not a number above 0"))
            .hint("leave out runs that should not count; only ratios of weights matter")
    })
}

/// Reads a return period: a number of years, 1 or more.
pub fn return_period_of(value: &Value, at: &str) -> Result<f64> {
    number(value).filter(|years| years.is_finite() && *years >= 1.0).ok_or_else(|| {
        Error::input(format!("{at}: the return period {value} is not a number of 1 or more"))
            .hint("give it in years, as in return_period = 100: the mean interval at which the event is reached or exceeded")
    })
}

/// Reads a name that is valid as a folder name on every system.
pub fn given_name(value: &Value, at: &str) -> Result<String> {
    let name = value.as_str().unwrap_or_default();
    let plain = |c: char| c.is_alphanumeric() || "._-+=,() ".contains(c);
    let edge = |c: Option<char>| c.is_some_and(|c| c != ' ' && c != '.');
    let fits = name.chars().all(plain) && edge(name.chars().next()) && edge(name.chars().last());
    if !fits || name.len() > LONGEST_NAME {
        return Err(Error::input(format!("{at}: {value} cannot be the name of a run")).hint(
            format!(
                "use a valid folder name: up to {LONGEST_NAME} letters, digits, spaces and . _ - + = , ( ), with no space or . at either end"
            ),
        ));
    }
    Ok(name.to_string())
}

/// Derives the name of a run from the keys that it sets.
pub fn name_of(keys: &Table) -> String {
    keys.iter().map(|(key, value)| label(key, value)).collect::<Vec<_>>().join("_")
}

/// Returns the label of a key and value in the name of a run: `rain-30mm-h`, `dem-survey_2020`.
fn label(key: &str, value: &Value) -> String {
    let text = in_words(value);
    let path = Path::new(&text);
    let is_file = path.extension().is_some_and(|ending| {
        ending.to_string_lossy().chars().next().is_some_and(char::is_alphabetic)
    });
    let stem = path.file_stem().filter(|_| is_file).map(|stem| stem.to_string_lossy());
    let text = stem.as_deref().unwrap_or(&text);
    let mut short = String::new();
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        let c = if c.is_alphanumeric() || "._+".contains(c) { c } else { '-' };
        if c != '-' || !short.ends_with('-') {
            short.push(c);
        }
    }
    format!("{key}-{}", short.trim_matches(['-', '.']))
}

/// Makes the names of the runs unique. Names from the file are kept; derived names that are taken,
/// too long or empty become `run-` and the run's number.
pub fn settle_names(runs: &mut [Variation], place: &str) -> Result<()> {
    let mut taken = BTreeMap::new();
    for given in [true, false] {
        for (number, run) in runs.iter_mut().enumerate().filter(|(_, run)| run.named == given) {
            if !given && (run.name.is_empty() || run.name.len() > LONGEST_NAME) {
                run.name = format!("run-{}", number + 1);
            }
            // Some file systems do not distinguish a and A.
            let mut key = run.name.to_lowercase();
            if !given && taken.contains_key(&key) {
                run.name = format!("run-{}", number + 1);
                key = run.name.clone();
            }
            if let Some(other) = taken.insert(key, number) {
                return Err(Error::input(format!(
                    "{place}: runs {} and {} are both called '{}'",
                    other + 1,
                    number + 1,
                    run.name
                ))
                .hint("their results would be in the same folder: rename one"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let mut runs = product(&toml::from_str(text).unwrap(), "matrix").unwrap();
        settle_names(&mut runs, "study").unwrap();
        runs.into_iter().map(|run| run.name).collect()
    }

    #[test]
    fn the_names_of_runs_tell_what_they_set() {
        assert_eq!(
            names("rain = ['30 mm/h', 'r/storm 1.csv']\ndem = ['a/dem.tif', 'b/dem.tif']\n"),
            [
                "rain-30mm-h_dem-dem",
                "rain-30mm-h_dem-dem-2",
                "rain-storm1_dem-dem",
                "rain-storm1_dem-dem-2"
            ]
        );
        assert_eq!(
            names("step = ['1.5 h']\nroughness = [{ value = 0.03, name = 'smooth' }, 0.05]"),
            ["step-1.5h_smooth", "step-1.5h_roughness-0.05"]
        );
        let long = format!("rain = ['{}', '5 mm/h']", "x".repeat(LONGEST_NAME));
        assert_eq!(names(&long), ["run-1", "rain-5mm-h"]);
    }

    #[test]
    fn weights_multiply() {
        let text = "rain = [{value = 1, weight = 0.9}, {value = 2, weight = 0.1}]\n\
                    open = [{value = 'all', weight = 3}, {value = 'east', weight = 1}]\ndt_max = [5, 9]";
        let runs = product(&toml::from_str(text).unwrap(), "matrix").unwrap();
        let weights: Vec<f64> = runs.iter().map(|run| run.weight.unwrap()).collect();
        let (a, b, c, d) = (0.9 * 3.0, 0.9, 0.1 * 3.0, 0.1);
        assert_eq!(weights, [a, a, b, b, c, c, d, d]);
    }
}
