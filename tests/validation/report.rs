//! Writes the results: lines on the terminal, `target/validation.json`, and the tables of the pages
//! in `docs/validation/`.

use crate::bench::Outcome;
use crate::cases::Case;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Page below `docs/` that counts the limits of all others.
const SUMMARY: &str = "validation.md";

const START: &str = "<!-- validation:begin -->\n";
const END: &str = "<!-- validation:end -->";

/// Formats the line of a figure.
pub fn line(outcome: &Outcome) -> String {
    let Outcome { case, solver, metric, value, limit, peers, not_run } = outcome;
    if let Some(why) = not_run {
        return format!("NOT RUN  {case}  {solver:<13} {why}");
    }
    let verdict = match limit {
        None => "        ",
        Some(_) if outcome.passes() => "pass    ",
        Some(_) => "MISSED  ",
    };
    let limit = limit.map_or(String::new(), |limit| format!("  (at most {})", figure(limit)));
    let peers = if peers.is_empty() { String::new() } else { format!("  [{peers}]") };
    format!("{verdict} {case}  {solver:<13} {metric}: {}{limit}{peers}", figure(*value))
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
            return json!({ "name": name, "solver": outcome.solver, "metric": outcome.metric, "value": null,
                "limit": null, "pass": null, "not_run": why });
        }
        json!({ "name": name, "solver": outcome.solver, "metric": outcome.metric, "value": outcome.value,
            "limit": outcome.limit, "pass": outcome.passes() })
    };
    let all = json!({ "cases": outcomes.iter().map(entry).collect::<Vec<Value>>() });
    std::fs::create_dir_all(path.parent().expect("a path in a folder"))?;
    std::fs::write(path, serde_json::to_string_pretty(&all)? + "\n")
}

/// Cases whose run times are in the page; the JSON has the run times of all others.
const WALL_TIMES: [&str; 5] = ["aa", "ab", "g", "j", "l"];

/// Cases that share a page of `docs/validation/`.
struct Group {
    /// Name of the page, without `.md`.
    page: &'static str,
    title: &'static str,
    cases: &'static [&'static str],
}

impl Group {
    /// Returns the path of the page below `docs/`.
    fn path(&self) -> String {
        format!("validation/{}.md", self.page)
    }
}

/// Pages of the cases; every case is on exactly one.
const GROUPS: [Group; 9] = [
    Group {
        page: "slow_flow",
        title: "Rain, rivers and flood plains",
        cases: &["a", "b", "c", "f", "h", "q", "u", "ar", "as"],
    },
    Group {
        page: "fast_flow",
        title: "Dam breaks, jumps and waves",
        cases: &["i", "m", "n", "o", "p"],
    },
    Group { page: "invariants", title: "Rest, symmetry and convergence", cases: &["d", "k", "r"] },
    Group {
        page: "benchmarks",
        title: "Environment Agency benchmarks",
        cases: &["ap", "e", "af", "g", "ag", "ah", "aq"],
    },
    Group {
        page: "grid_orientation",
        title: "Channels and walls across the grid",
        cases: &["v", "w", "x", "y", "z"],
    },
    Group {
        page: "subgrid",
        title: "Subgrid tables, walls and rivers",
        cases: &["aa", "ab", "ac", "ad"],
    },
    Group { page: "structures", title: "Structures", cases: &["ae", "aj", "al"] },
    Group { page: "sewers", title: "Sewers", cases: &["ak"] },
    Group {
        page: "real_floods",
        title: "Real terrain and surveyed floods",
        cases: &["j", "ai", "l", "s", "t"],
    },
];

/// Panics unless every case has one page, and all pages equal those that [`write_docs`] writes if
/// nothing was run.
pub fn self_check(docs: &Path, cases: &[Case]) {
    for case in cases {
        let pages = GROUPS.iter().filter(|group| group.cases.contains(&case.key)).count();
        assert_eq!(pages, 1, "case {} is on {pages} pages of GROUPS, not on one", case.key);
    }
    for group in &GROUPS {
        let text = std::fs::read_to_string(docs.join(group.path())).expect("a page");
        let [_, known, _] = parts(&text).expect("marks");
        let made = tables(group.cases, cases, &[], known) + "\n";
        assert_eq!(made, known, "{} is not as the generator lays it out", group.path());
    }
    let text = std::fs::read_to_string(docs.join(SUMMARY)).expect("a page");
    let [_, known, _] = parts(&text).expect("marks");
    assert_eq!(summary(docs).expect("pages"), known, "{SUMMARY} is not up to date");
}

/// Returns the text before, between and after the marks of a page.
fn parts(text: &str) -> std::io::Result<[&str; 3]> {
    let parts =
        text.split_once(START).and_then(|(before, rest)| Some((before, rest.split_once(END)?)));
    parts
        .map(|(before, (known, after))| [before, known, after])
        .ok_or_else(|| std::io::Error::other("a page of the validation has lost its marks"))
}

/// Replaces the text between the marks of a page.
fn replace(page: &Path, make: impl FnOnce(&str) -> String) -> std::io::Result<()> {
    let text = std::fs::read_to_string(page)?;
    let [before, known, after] = parts(&text)?;
    std::fs::write(page, format!("{before}{START}{}{END}{after}", make(known)))
}

/// Writes the tables of the cases that were run to the pages below `docs`, keeps those of other
/// cases, and counts the limits of all pages in the summary.
pub fn write_docs(docs: &Path, cases: &[Case], outcomes: &[Outcome]) -> std::io::Result<()> {
    for group in &GROUPS {
        replace(&docs.join(group.path()), |known| {
            tables(group.cases, cases, outcomes, known) + "\n"
        })?;
    }
    let summary = summary(docs)?;
    replace(&docs.join(SUMMARY), |_| summary)
}

/// Returns the table of pages, with the numbers of met and missed limits on each.
fn summary(docs: &Path) -> std::io::Result<String> {
    let mut text =
        String::from("| group | cases | limits kept | limits missed |\n|---|---|---|---|\n");
    let (mut kept_in_all, mut missed_in_all) = (0, 0);
    for group in &GROUPS {
        let page = std::fs::read_to_string(docs.join(group.path()))?;
        let (mut kept, mut missed) = (0, 0);
        for row in page.lines().filter(|line| line.starts_with("| `")) {
            let columns: Vec<&str> = row.split(" | ").collect();
            match columns[..] {
                [_, _, result, limit, ..] if !limit.trim().is_empty() => {
                    let misses = result.contains("(missed)");
                    missed += usize::from(misses);
                    kept += usize::from(!misses);
                }
                _ => {}
            }
        }
        (kept_in_all, missed_in_all) = (kept_in_all + kept, missed_in_all + missed);
        let cases = group.cases.join(", ");
        writeln!(text, "| [{}]({}) | {cases} | {kept} | {missed} |", group.title, group.path())
            .unwrap();
    }
    writeln!(text, "| all | | {kept_in_all} | {missed_in_all} |").unwrap();
    Ok(text)
}

/// Returns the sections of a page: new ones for cases with outcomes, the others from `known`.
fn tables(keys: &[&str], cases: &[Case], outcomes: &[Outcome], known: &str) -> String {
    let mut text = String::new();
    for case in keys.iter().filter_map(|key| cases.iter().find(|case| case.key == *key)) {
        if outcomes.iter().all(|outcome| outcome.case != case.key) {
            let begins = format!("{}. ", case.key);
            let earlier = known.split("\n## ").find(|section| section.starts_with(&begins));
            if let Some(earlier) = earlier {
                writeln!(text, "\n## {}", earlier.trim_end()).unwrap();
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
        writeln!(text, "\n## {}. {}\n\n{}\n", case.key, case.title, case.about).unwrap();
        writeln!(
            text,
            "| solver | figure | result | at most | others, remarks |\n|---|---|---|---|---|"
        )
        .unwrap();
        for outcome in ours {
            let limit = outcome.limit.map_or("".into(), figure);
            let (result, remark) = match &outcome.not_run {
                Some(why) => ("not run".to_string(), why.as_str()),
                None if outcome.passes() => (figure(outcome.value), outcome.peers.as_str()),
                None => (format!("**{} (missed)**", figure(outcome.value)), outcome.peers.as_str()),
            };
            let Outcome { solver, metric, .. } = outcome;
            writeln!(text, "| `{solver}` | {metric} | {result} | {limit} | {remark} |").unwrap();
        }
        for plot in case.plots {
            writeln!(text, "\n![{}](../images/validation/{}.svg)", plot.title, plot.file).unwrap();
        }
    }
    text
}
