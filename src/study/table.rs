//! `runs.csv`, with a row per run.

use super::row::Row;
use super::{Study, distinct, in_words, number};
use crate::error::Result;
use crate::output::tables::write_columns;
use crate::words::cell;
use std::fmt::Display;
use std::path::Path;

/// Writes the table of runs.
pub fn write(path: &Path, study: &Study, rows: &[Row]) -> Result<()> {
    let column = |name: &str, of: &dyn Fn(&Row) -> String| {
        (name.to_string(), rows.iter().map(of).collect::<Vec<_>>())
    };
    let mut columns = vec![
        column("run", &|row| row.run.to_string()),
        column("name", &|row| cell(&row.name).into_owned()),
        column("weight", &|row| row.weight.to_string()),
    ];
    if rows.iter().any(|row| row.return_period.is_some()) {
        columns.push(column("return_period", &|row| text(row.return_period)));
    }
    let said = |key: &String, row: &Row| {
        let text = row.varied.get(key).map(in_words).unwrap_or_default();
        cell(&text).into_owned()
    };
    columns.extend(study.varied.iter().map(|key| column(key, &|row| said(key, row))));
    columns.extend([
        column("status", &|row| row.status.name().into()),
        column("verdict", &|row| text(row.verdict.as_ref())),
        column("warnings", &|row| row.warnings.len().to_string()),
        column("ran_on", &|row| text(row.ran_on.as_ref())),
        column("wall_s", &|row| text(row.wall_s)),
        column("steps_taken", &|row| text(row.steps_taken)),
        column("simulated_s", &|row| text(row.simulated_s)),
    ]);
    // Runs that lack a mass balance term of others leave it empty.
    let volumes = rows.iter().flat_map(|row| row.volume.iter().flatten());
    columns.extend(distinct(volumes.map(|(name, _)| name)).into_iter().map(|name| {
        let volume = |row: &Row| number(row.volume.as_ref()?.get(name)?);
        column(name, &|row| text(volume(row)))
    }));
    columns.push(column("max_depth_m", &|row| text(row.max_depth_m)));
    columns.push(column("wet_area_m2", &|row| text(row.wet_area_m2)));
    columns.extend(study.depths.iter().enumerate().map(|(at, depth)| {
        let area = |row: &Row| row.areas_above_m2.as_ref()?.get(at).copied();
        column(&format!("area_above_{depth}m_m2"), &|row| text(area(row)))
    }));
    if rows.iter().any(|row| row.damage.is_some()) {
        columns.push(column("damage", &|row| text(row.damage)));
    }
    columns.push(column("folder", &|row| cell(&row.folder).into_owned()));
    columns.push(column("error", &|row| cell(&text(row.error.as_ref())).into_owned()));
    write_columns(path, &format!("'{}'", path.display()), &columns)
}

fn text(value: Option<impl Display>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
