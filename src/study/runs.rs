//! Table of runs in the report of a study.

use super::row::{Row, Status};
use super::{Study, in_words};
use crate::observer::quality::figure::Verdict;
use crate::output::folder::PAGE;
use crate::results::headline::grouped;

/// Maximum number of varied keys in the table; more would make it too wide. Names of runs and
/// `runs.csv` contain them all.
const MOST_KEYS: usize = 6;
/// Maximum length of a varied value in the table (characters).
const LONGEST: usize = 30;
/// Area from which areas are shown in km² (m²).
const LARGE: f64 = 1e6;

/// A run in the table.
pub struct ShownRun {
    /// Number of the run.
    pub number: usize,
    /// Name of the run.
    pub name: String,
    /// Link to its report, if it has one.
    pub page: Option<String>,
    /// Values of the varied keys.
    pub said: Vec<String>,
    /// Set if the run is done and not doubtful.
    pub is_sound: bool,
    /// State of the run, in words.
    pub status: String,
    /// Verdict of the run on its flow; a dash if there is none.
    pub verdict: String,
    /// Formatted results of the run.
    pub numbers: Vec<String>,
}

/// Returns the column names, for text and for numbers, and a row per run.
pub fn table(study: &Study, rows: &[Row]) -> ([Vec<String>; 2], Vec<ShownRun>) {
    let is_weighted = rows.iter().any(|row| row.weight != 1.0);
    let keys = if study.varied.len() <= MOST_KEYS { &study.varied[..] } else { &[] };
    let said = |row: &Row, key: &String| row.varied.get(key).map(in_words).unwrap_or_default();
    let fits = |key: &&String| rows.iter().all(|row| said(row, key).chars().count() <= LONGEST);
    let keys: Vec<&String> = keys.iter().filter(fits).collect();
    let largest = rows.iter().filter_map(|row| row.wet_area_m2).fold(0.0, f64::max);
    let (unit, per, decimals) = if largest < LARGE { ("m²", 1.0, 0) } else { ("km²", 1e6, 2) };
    let mut head: Vec<String> = vec!["".into(), "run".into()];
    head.extend(keys.iter().map(|key| key.to_string()));
    head.extend(is_weighted.then(|| "weight".into()));
    let has_period = rows.iter().any(|row| row.return_period.is_some());
    head.extend(has_period.then(|| "return period [years]".into()));
    head.extend(["status".into(), "verdict".into()]);
    let mut numbers =
        vec!["warnings".into(), "greatest depth [m]".to_string(), format!("wet area [{unit}]")];
    numbers.extend(study.depths.iter().map(|depth| format!("deeper than {depth} m [{unit}]")));
    let has_damage = rows.iter().any(|row| row.damage.is_some());
    numbers.extend(has_damage.then(|| "damage".to_string()));
    let number = |value: Option<f64>, decimals: usize| {
        value.map_or("–".into(), |value| grouped(&format!("{value:.decimals$}")))
    };
    let row = |row: &Row| {
        let mut cells: Vec<String> = keys.iter().map(|key| said(row, key)).collect();
        cells.extend(is_weighted.then(|| row.weight.to_string()));
        cells.extend(has_period.then(|| row.return_period.map_or("–".into(), |t| t.to_string())));
        let status = match &row.error {
            Some(error) => format!("{}: {error}", row.status.name()),
            None => row.status.name().into(),
        };
        let mut numbers =
            vec![row.warnings.len().to_string(), number(row.max_depth_m.map(f64::from), 2)];
        let areas = row.areas_above_m2.as_deref().unwrap_or_default();
        let areas = (0..study.depths.len()).map(|at| areas.get(at).copied());
        let areas = [row.wet_area_m2].into_iter().chain(areas);
        numbers.extend(areas.map(|area| number(area.map(|area| area / per), decimals)));
        numbers.extend(has_damage.then(|| number(row.damage, 0)));
        let is_done = row.status == Status::Done;
        let is_doubtful = row.verdict.as_deref() == Some(Verdict::Doubtful.word());
        ShownRun {
            number: row.run,
            name: row.name.clone(),
            page: is_done.then(|| address(&format!("{}/{PAGE}", row.folder))),
            said: cells,
            is_sound: is_done && !is_doubtful,
            status,
            verdict: row.verdict.clone().unwrap_or("–".into()),
            numbers,
        }
    };
    ([head, numbers], rows.iter().map(row).collect())
}

/// Returns the link to a path relative to the report. Names of runs contain no other characters
/// that need escaping.
fn address(path: &str) -> String {
    path.replace(' ', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_in_the_name_of_a_run_lead_to_its_page_all_the_same() {
        assert_eq!(address("runs/dike breach/report.html"), "runs/dike%20breach/report.html");
    }
}
