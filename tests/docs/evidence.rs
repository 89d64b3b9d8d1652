//! The summary of the evidence repeats figures of the cases: each must be in their tables.

use std::fs;

/// Factors between the units of a table and those of the summary (m to cm and mm, shares to %).
const FACTORS: [f64; 5] = [1.0, 1e2, 1e3, 1e-2, 1e-3];

/// Returns the numbers of a text, as they are written, without their signs.
fn numbers(text: &str) -> Vec<&str> {
    let parts = text.split(|letter: char| !letter.is_ascii_digit() && letter != '.');
    parts.map(|part| part.trim_matches('.')).filter(|part| !part.is_empty()).collect()
}

/// Returns the numbers in the tables of a case on a page.
fn of_case(page: &str, case: &str) -> Vec<f64> {
    let text = fs::read_to_string(format!("docs/{page}")).expect("a page of the evidence");
    let heading = format!("\n## {case}. ");
    let (_, section) = text.split_once(&heading).unwrap_or_else(|| panic!("{page}: no {case}"));
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with('|'));
    rows.flat_map(numbers).filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn the_summary_repeats_figures_of_the_cases() {
    let text = fs::read_to_string("docs/validation.md").expect("a page of the documents");
    let mut seen = 0;
    for row in text.lines().filter(|line| line.starts_with("| ")) {
        let [_, evidence, result] = row.trim_matches('|').split(" | ").collect::<Vec<_>>()[..]
        else {
            continue;
        };
        let mut known = Vec::new();
        for link in evidence.split("([").skip(1) {
            let Some((case, rest)) = link.split_once("](") else { continue };
            // Properties without limits have names, and no tables.
            if case.len() <= 2 {
                let page = rest.split([')', '#']).next().unwrap_or_default();
                known.extend(of_case(page, case));
            }
        }
        if known.is_empty() {
            continue;
        }
        for figure in numbers(result) {
            let digits = figure.split_once('.').map_or(0, |(_, digits)| digits.len());
            let is_it = |known: &f64| {
                FACTORS.iter().any(|factor| format!("{:.digits$}", known * factor) == figure)
            };
            assert!(known.iter().any(is_it), "'{figure}' is in no table of its cases: {row}");
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen} figures");
}
