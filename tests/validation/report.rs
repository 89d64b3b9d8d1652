//! Output: lines, `target/validation.json`, and the tables of `docs/validation.md`.

use crate::bench::Outcome;
use crate::cases::Case;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

const START: &str = "<!-- validation:begin -->\n";
const END: &str = "<!-- validation:end -->";

/// Formats the line of a figure.
pub fn line(outcome: &Outcome) -> String {
    let Outcome { case, rule, metric, value, limit, peers, not_run } = outcome;
    if let Some(why) = not_run {
        return format!("NOT RUN  {case}  {rule:<13} {why}");
    }
    let verdict = match limit {
        None => "        ",
        Some(_) if outcome.passes() => "pass    ",
        Some(_) => "MISSED  ",
    };
    let limit = limit.map_or(String::new(), |limit| format!("  (at most {})", figure(limit)));
    let peers = if peers.is_empty() { String::new() } else { format!("  [{peers}]") };
    format!("{verdict} {case}  {rule:<13} {metric}: {}{limit}{peers}", figure(*value))
}

/// Formats a number with its significant digits.
pub fn figure(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if value.is_nan() => "none".into(),
        _ if value == value.round() && size < 1e9 => format!("{value:.0}"),
        _ if size >= 100.0 => format!("{value:.0}"),
        _ if size >= 10.0 => format!("{value:.1}"),
        _ if size >= 1e-3 => {
            // Three significant digits.
            let digits = (2 - size.log10().floor() as i32).max(0) as usize;
            format!("{value:.digits$}")
        }
        _ => format!("{value:.1e}"),
    }
}

/// Writes `validation.json`.
pub fn write_json(path: &Path, cases: &[Case], outcomes: &[Outcome]) -> std::io::Result<()> {
    let entry = |outcome: &Outcome| -> Value {
        let case = cases.iter().find(|case| case.key == outcome.case).expect("a case that exists");
        let name = format!("{}. {}", case.key, case.title);
        if let Some(why) = &outcome.not_run {
            return json!({ "name": name, "rule": outcome.rule, "metric": outcome.metric, "value": null,
                "limit": null, "pass": null, "not_run": why });
        }
        json!({ "name": name, "rule": outcome.rule, "metric": outcome.metric, "value": outcome.value,
            "limit": outcome.limit, "pass": outcome.passes() })
    };
    let all = json!({ "cases": outcomes.iter().map(entry).collect::<Vec<Value>>() });
    std::fs::create_dir_all(path.parent().expect("a path in a folder"))?;
    std::fs::write(path, serde_json::to_string_pretty(&all)? + "\n")
}

/// Cases whose run times are in the page; those of the others are in the JSON.
const WALL_TIMES: [&str; 5] = ["aa", "ab", "g", "j", "l"];

/// Writes the tables of the cases that were run between the marks of `docs/validation.md`, and
/// leaves the others unchanged.
pub fn write_docs(page: &Path, cases: &[Case], outcomes: &[Outcome]) -> std::io::Result<()> {
    let text = std::fs::read_to_string(page)?;
    let parts =
        text.split_once(START).and_then(|(before, rest)| Some((before, rest.split_once(END)?)));
    let (before, (known, after)) =
        parts.ok_or_else(|| std::io::Error::other("docs/validation.md has lost its marks"))?;
    std::fs::write(page, format!("{before}{START}{}\n{END}{after}", tables(cases, outcomes, known)))
}

fn tables(cases: &[Case], outcomes: &[Outcome], known: &str) -> String {
    let mut text = String::new();
    for case in cases {
        if outcomes.iter().all(|outcome| outcome.case != case.key) {
            let begins = format!("{}. ", case.key);
            let earlier = known.split("\n### ").find(|section| section.starts_with(&begins));
            if let Some(earlier) = earlier {
                writeln!(text, "\n### {}", earlier.trim_end()).unwrap();
            }
            continue;
        }
        let shown = |o: &&Outcome| {
            o.case == case.key
                && (WALL_TIMES.contains(&case.key) || !o.metric.contains("wall time"))
        };
        let mut ours: Vec<&Outcome> = outcomes.iter().filter(shown).collect();
        // Figures with a limit first.
        ours.sort_by_key(|outcome| outcome.limit.is_none() && outcome.not_run.is_none());
        writeln!(text, "\n### {}. {}\n\n{}\n", case.key, case.title, case.about).unwrap();
        writeln!(
            text,
            "| rule | figure | result | at most | others, remarks |\n|---|---|---|---|---|"
        )
        .unwrap();
        for outcome in ours {
            let limit = outcome.limit.map_or("".into(), figure);
            let (result, remark) = match &outcome.not_run {
                Some(why) => ("not run".to_string(), why.as_str()),
                None if outcome.passes() => (figure(outcome.value), outcome.peers.as_str()),
                None => (format!("**{} (missed)**", figure(outcome.value)), outcome.peers.as_str()),
            };
            let Outcome { rule, metric, .. } = outcome;
            writeln!(text, "| `{rule}` | {metric} | {result} | {limit} | {remark} |").unwrap();
        }
        for plot in case.plots {
            writeln!(text, "\n![{}](images/validation/{}.svg)", plot.title, plot.file).unwrap();
        }
    }
    text
}
