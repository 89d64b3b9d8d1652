//! Meaning of the values of a rain series, as declared by the attributes of its variable.

use super::attributes::Attributes;
use super::interval::time_axis;
use crate::measures::quantity::ratio;
use crate::units::Second;

/// Names of accumulated precipitation in ECMWF's models: total, convective and large-scale.
const ECMWF: [(&str, &str); 3] = [
    ("tp", "total precipitation"),
    ("cp", "convective precipitation"),
    ("lsp", "large-scale precipitation"),
];
/// Beginnings of words for a running total.
const TOTALS: [&str; 5] = ["accum", "acc", "cumul", "cum", "akkumul"];
/// Words that turn such a total into the total of an interval.
const INTERVALS: &str = "hourly daily monthly per interval each every hour hours hr day minute \
     minutes min step timestep rate intensity";

/// Words for the interval before a time, if a word of a duration follows soon.
const BEFORE: [&str; 4] = ["preceding", "previous", "past", "last"];
/// Words of a duration or of its start, after numbers if there are any.
const DURATIONS: &str =
    "hour hours hr h minute minutes min day days interval period step timestep time output";

/// Methods over time whose values are for an interval, and those that say nothing else about rain.
const OVER: [&str; 5] = ["sum", "mean", "maximum", "minimum", "mid_range"];
const PLAIN: [&str; 3] = ["sum", "mean", "point"];

/// Meaning of the values of a series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RainMeaning {
    /// `true` if a value is for an interval; its time is then an end or the middle of the interval.
    pub over_interval: bool,
    /// Declaration that the time is the end of the interval: the attribute and its text.
    pub at_end_by: Option<String>,
    /// Length of that interval as the same text declares it (s): of `previous 24 hours`.
    pub period: Option<Second>,
    /// `true` if a value may be the total since the start of the day or of the forecast: some
    /// products of the same producer are such totals, and nothing in the file distinguishes them.
    pub perhaps_total: bool,
    /// Declaration that the values are running totals: the attribute and its text.
    pub total_by: Option<String>,
    /// Statistic over an interval that is neither its sum nor its mean, for example `maximum`.
    pub statistic: Option<String>,
}

impl RainMeaning {
    /// Determines the meaning of the values of a band; `is_depth` is `true` for depths and `false`
    /// for rates.
    pub fn of(band: &Attributes, is_depth: bool) -> RainMeaning {
        if let Some(element) = band.item("GRIB_ELEMENT") {
            // A depth of rain needs an interval; GRIB's valid time is its end.
            let over = is_depth;
            return RainMeaning {
                over_interval: over,
                at_end_by: over.then(|| quote("GRIB_ELEMENT", &element)),
                perhaps_total: over,
                ..RainMeaning::default()
            };
        }
        let text = |name: &str| band.of_variable(name).unwrap_or_default();
        let methods = text("cell_methods");
        let of_names = Some(("cell_methods", methods.clone()))
            .into_iter()
            .chain(names(band))
            .find(|(_, text)| names_the_interval_before(text));
        let total = names(band).find(|(_, text)| is_depth && names_a_total(text));
        let step = match &text("GRIB_stepType")[..] {
            "" => of_ecmwf(band, is_depth),
            step @ ("accum" | "avg") => {
                Some((step == "accum", ("GRIB_stepType", step.to_string())))
            }
            _ => None,
        };
        let method = method_over_time(&methods, time_axis(band).as_deref());
        let quoted = |(name, text): &(&str, String)| quote(name, text);
        RainMeaning {
            over_interval: step.is_some() || method.is_some_and(|name| OVER.contains(&name)),
            at_end_by: step.as_ref().map(|(_, by)| by).or(of_names.as_ref()).map(quoted),
            period: of_names.as_ref().filter(|_| step.is_none()).and_then(|(_, it)| period_of(it)),
            perhaps_total: step.is_some_and(|(accumulates, _)| accumulates) && is_depth,
            total_by: total.filter(|_| of_names.is_none()).as_ref().map(quoted),
            statistic: method.filter(|name| !PLAIN.contains(name)).map(str::to_string),
        }
    }
}

/// Formats an attribute and its text for messages.
fn quote(name: &str, text: &str) -> String {
    format!("{name} '{text}'")
}

/// Returns the names of a variable, each with its attribute: `long_name`, or like WRF `description`
/// instead of it, `standard_name` and the variable's own name.
fn names(band: &Attributes) -> impl Iterator<Item = (&'static str, String)> {
    let of = |name| Some((name, band.of_variable(name)?));
    let own = band.variable().map(|name| ("name", name.to_string()));
    [of("long_name").or_else(|| of("description")), of("standard_name"), own].into_iter().flatten()
}

/// Returns `true` for the accumulations of ECMWF, `false` for means over an interval, each with the
/// attribute that declares them, and `None` for other variables.
fn of_ecmwf(band: &Attributes, is_depth: bool) -> Option<(bool, (&'static str, String))> {
    let written = band.of_variable("long_name").unwrap_or_default();
    let long_name = written.to_lowercase();
    let history = band.of_file("history").unwrap_or_default();
    let name = band.variable().unwrap_or_default();
    let named = ECMWF.iter().any(|(short, long)| *short == name && *long == long_name);
    let converted = history.contains("grib_to_netcdf");
    let accumulates = is_depth && (named || (converted && long_name.contains("precipitation")));
    let mean = long_name.starts_with("mean") || long_name.starts_with("time-mean");
    let is_mean = converted && mean && !is_depth;
    (accumulates || is_mean).then_some((accumulates, ("long_name", written)))
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Returns `true` if one of the words in a list is the word.
fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Returns `true` if a text declares values of the interval before their time.
fn names_the_interval_before(text: &str) -> bool {
    let words = words(text);
    let lasts = |word: &String| {
        is_in(DURATIONS, word.trim_start_matches(|digit: char| digit.is_ascii_digit()))
    };
    (0..words.len()).any(|at| {
        let [next, then] = [1, 2].map(|after| words.get(at + after));
        match words[at].as_str() {
            "ending" => {
                next.is_some_and(|word| word == "at") || words[..at].last().is_some_and(lasts)
            }
            word if BEFORE.contains(&word) => next.is_some_and(lasts) || then.is_some_and(lasts),
            _ => false,
        }
    })
}

/// Returns the length of the interval that a text declares before its time (s), if it has a number or one
/// unit of time: `last 10 minutes`, `previous hour`.
fn period_of(text: &str) -> Option<Second> {
    let words = words(text);
    let at = words.iter().position(|word| BEFORE.contains(&&word[..]))?;
    let (first, second) = (words.get(at + 1)?, words.get(at + 2));
    let (digits, unit) =
        first.split_at(first.find(|c: char| !c.is_ascii_digit()).unwrap_or(first.len()));
    let unit = if unit.is_empty() { second? } else { unit };
    let number = if digits.is_empty() { 1.0 } else { digits.parse().ok()? };
    Some(ratio(unit, "s")? * number)
}

/// Returns the method over time among cell methods (CF conventions 1.11, section 7.3).
fn method_over_time<'a>(methods: &'a str, axis: Option<&str>) -> Option<&'a str> {
    let is_time = |name: &str| name == "time" || name == "T" || Some(name) == axis;
    let mut is_of_time = false;
    for word in methods.split_whitespace() {
        match word.strip_suffix(':') {
            Some(name) => is_of_time |= is_time(name),
            None if is_of_time => return Some(word),
            None => is_of_time = false,
        }
    }
    None
}

/// Returns `true` if a name declares running totals: since a start that is more than a year, or
/// accumulated, but not over an interval.
fn names_a_total(name: &str) -> bool {
    if names_the_interval_before(name) {
        return false;
    }
    let words = words(name);
    let is_total = |word: &String| {
        TOTALS.iter().any(|start| match start.len() {
            ..4 => word == start,
            _ => word.starts_with(start),
        })
    };
    let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    let is_year =
        |word: &String| word.len() == 4 && ["19", "20"].iter().any(|it| word.starts_with(it));
    let mut after = words.iter().skip_while(|word| *word != "since").skip(1);
    let is_since =
        after.next().is_some_and(|start| !is_year(start) || after.next().is_some_and(is_number));
    let of_interval = |word: &String| is_in(INTERVALS, word) || is_number(word);
    is_since || (words.iter().any(is_total) && !words.iter().any(of_interval))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cell_methods_of_time_count_and_those_of_areas_do_not() {
        for (methods, expected) in [
            ("time: sum", true),
            ("area: mean time: mean (interval: 1 hour)", true),
            ("time: lat: lon: mean", true),
            ("valid_time: sum", true),
            ("time: point", false),
            ("area: sum", false),
            ("area: mean time: point", false),
            ("", false),
        ] {
            let method = method_over_time(methods, Some("valid_time"));
            assert_eq!(method.is_some_and(|name| OVER.contains(&name)), expected, "{methods}");
        }
    }

    #[test]
    fn periods_before_a_time_have_a_length() {
        for (text, expected) in [
            ("precipitation of the last hour", Some(3600.0)),
            ("rain of the previous 24 hours", Some(86_400.0)),
            ("time: sum (comment: past 3h)", Some(10_800.0)),
            ("10-minute rain", None),
            ("rain of the last 10-minute interval", Some(600.0)),
            ("rain since the previous output time", None),
        ] {
            assert_eq!(period_of(text), expected, "{text}");
        }
    }

    #[test]
    fn names_of_running_totals_are_told_from_those_of_intervals() {
        for name in [
            "accumulated precipitation",
            "Cumulative rainfall",
            "ACCUMULATED TOTAL GRID SCALE PRECIPITATION",
            "total rain since the start of the event",
            "rain_acc",
            "cum_rain",
            "rain since 00 UTC",
            "rain since 09 UTC",
            "rain since 1 January",
            "rain since the last reset",
            "total precipitation since the beginning of the forecast",
        ] {
            assert!(names_a_total(name), "{name}");
        }
        for name in [
            "rainfall",
            "Hourly accumulated rainfall",
            "1h accumulated precipitation",
            "accumulated rain in the last hour",
            "precipitation_amount",
            "accuracy of rain",
            "10-minute rainfall amount; product available since 2015",
            "precipitation accumulated since previous time",
        ] {
            assert!(!names_a_total(name), "{name}");
        }
    }

    #[test]
    fn only_words_about_an_interval_put_it_before_its_time() {
        for text in [
            "rain of the previous hour",
            "rain in the last 10 minutes",
            "rain_previous_hour",
            "rain_past_1h",
            "precipitation_last_hour",
            "sum over the interval ending at the time",
            "hour ending",
            "precipitation accumulated since previous time",
            "rain since the last output",
        ] {
            assert!(names_the_interval_before(text), "{text}");
        }
        for text in [
            "last updated 2021-08-01",
            "the last 3 releases differ",
            "the past 30 years",
            "replaces past versions",
            "rain",
            "previous model",
        ] {
            assert!(!names_the_interval_before(text), "{text}");
        }
    }
}
