//! Meaning of the values of a rain series, as declared by the attributes of its variable.

use super::attributes::Attributes;
use super::interval::time_axis;

/// Names of accumulated precipitation in ECMWF's models: total, convective and large-scale.
const ECMWF: [(&str, &str); 3] = [
    ("tp", "total precipitation"),
    ("cp", "convective precipitation"),
    ("lsp", "large-scale precipitation"),
];
/// Beginnings of words for a running total.
const TOTALS: [&str; 5] = ["accum", "acc", "cumul", "cum", "akkumul"];
/// Words that turn such a total into the total of an interval.
const INTERVALS: &str = "hourly daily monthly per interval last past previous preceding each every \
     hour hours hr day minute minutes min step timestep rate intensity";

/// Words for the interval before a time, if a word of a duration follows soon.
const BEFORE: [&str; 4] = ["preceding", "previous", "past", "last"];
/// Words of a duration, besides numbers.
const DURATIONS: &str = "hour hours hr h minute minutes min day days interval period step timestep";
/// Words for the start of a running total, soon after "since" in a description.
const STARTS: &str = "start beginning midnight initialization initialisation reset";

/// Methods over time whose values are for an interval, and those that say nothing else about rain.
const OVER: [&str; 5] = ["sum", "mean", "maximum", "minimum", "mid_range"];
const PLAIN: [&str; 3] = ["sum", "mean", "point"];

/// Meaning of the values of a series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RainMeaning {
    /// `true` if a value is for an interval; its time is then an end or the middle of the interval.
    pub over_interval: bool,
    /// `true` if the time is the end of the interval.
    pub at_end: bool,
    /// `true` if a value may be the total since the start of the day or of the forecast: some
    /// products of the same producer are such totals, and nothing in the file distinguishes them.
    pub perhaps_total: bool,
    /// Name that declares the values to be running totals.
    pub total_by: Option<String>,
    /// Statistic over an interval that is neither its sum nor its mean, for example `maximum`.
    pub statistic: Option<String>,
}

impl RainMeaning {
    /// Determines the meaning of the values of a band; `is_depth` is `true` for depths and `false`
    /// for rates.
    pub fn of(band: &Attributes, is_depth: bool) -> RainMeaning {
        if band.item("GRIB_ELEMENT").is_some() {
            // A depth of rain needs an interval; GRIB's valid time is its end.
            let over = is_depth;
            return RainMeaning {
                over_interval: over,
                at_end: over,
                perhaps_total: over,
                ..RainMeaning::default()
            };
        }
        let text = |name: &str| band.of_variable(name).unwrap_or_default();
        let methods = text("cell_methods");
        let total_by = if is_depth { total_by(band) } else { None };
        let step = match text("GRIB_stepType").as_str() {
            "" => of_ecmwf(band, is_depth),
            "accum" => Some(true),
            "avg" => Some(false),
            _ => None,
        };
        let method = method_over_time(&methods, time_axis(band).as_deref());
        RainMeaning {
            over_interval: step.is_some() || method.is_some_and(|name| OVER.contains(&name)),
            at_end: step.is_some() || ends_then(band),
            perhaps_total: step == Some(true) && is_depth,
            total_by,
            statistic: method.filter(|name| !PLAIN.contains(name)).map(str::to_string),
        }
    }
}

/// Returns `true` for the accumulations of ECMWF, `false` for means over an interval, and `None`
/// for other variables.
fn of_ecmwf(band: &Attributes, is_depth: bool) -> Option<bool> {
    let long_name = band.of_variable("long_name").unwrap_or_default().to_lowercase();
    let history = band.of_file("history").unwrap_or_default();
    let name = band.variable().unwrap_or_default();
    let named = ECMWF.iter().any(|(short, long)| *short == name && *long == long_name);
    let converted = history.contains("grib_to_netcdf");
    if is_depth && (named || (converted && long_name.contains("precipitation"))) {
        return Some(true);
    }
    let mean = long_name.starts_with("mean") || long_name.starts_with("time-mean");
    (converted && mean && !is_depth).then_some(false)
}

/// Returns `true` if the names of a variable describe values of the interval before their time.
fn ends_then(band: &Attributes) -> bool {
    let names = ["long_name", "description", "cell_methods"];
    let texts = names.iter().filter_map(|name| band.of_variable(name));
    let texts = texts.chain(band.variable().map(str::to_string));
    texts.into_iter().any(|text| names_the_interval_before(&text))
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Returns `true` if one of the words in a list is the word.
fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

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

/// Returns the name of a variable that declares running totals: its long name, standard name,
/// description or variable name.
fn total_by(band: &Attributes) -> Option<String> {
    let names = ["long_name", "standard_name"].map(|name| band.of_variable(name));
    let mut names = names.into_iter().flatten().chain(band.variable().map(str::to_string));
    let description = band.of_variable("description");
    names
        .find(|name| names_a_total(name, true))
        .or(description.filter(|text| names_a_total(text, false)))
}

/// Returns `true` if a text declares running totals. In a text that is not a name, "since" counts
/// only before a start.
fn names_a_total(name: &str, is_name: bool) -> bool {
    let words = words(name);
    let is_total = |word: &str| {
        TOTALS.iter().any(|start| match start.len() {
            ..4 => word == *start,
            _ => word.starts_with(start),
        })
    };
    let of_interval =
        |word: &str| is_in(INTERVALS, word) || word.starts_with(|c: char| c.is_ascii_digit());
    let after: Vec<&String> = words.iter().skip_while(|word| *word != "since").skip(1).collect();
    let is = |at: usize, of: fn(&str) -> bool| after.get(at).is_some_and(|word| of(word));
    // A year alone is not the start of an event.
    let is_year =
        |word: &str| word.len() == 4 && ["19", "20"].iter().any(|it| word.starts_with(it));
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let of_step = |word: &str| ["previous", "preceding"].contains(&word);
    let is_since = !after.is_empty()
        && !is(0, of_step)
        && !is(1, of_step)
        && (!is(0, is_year) || is(1, is_number));
    let starts = after.iter().take(3).any(|word| is_in(STARTS, word));
    (is_since && (is_name || starts))
        || (words.iter().any(|word| is_total(word)) && !words.iter().any(|word| of_interval(word)))
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
            assert!(names_a_total(name, true), "{name}");
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
            assert!(!names_a_total(name, true) && !names_a_total(name, false), "{name}");
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
