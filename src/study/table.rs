//! `runs.csv`: a row per run.

use super::row::Row;
use super::{Study, in_words};
use crate::error::Result;
use crate::output::folder::cannot_write;
use crate::words::cell;
use std::path::Path;

/// Writes the table.
pub fn write(path: &Path, study: &Study, rows: &[Row]) -> Result<()> {
    let failed = cannot_write::<csv::Error>(format!("'{}'", path.display()));
    // A line of the ledger that one run has and another has not is empty there.
    let mut volumes: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|row| row.volume.iter().flatten()) {
        if !volumes.contains(&name.as_str()) {
            volumes.push(name);
        }
    }
    let mut writer = csv::Writer::from_path(path).map_err(&failed)?;
    let mut header: Vec<String> = ["run", "name", "weight"].map(String::from).into();
    let has_period = rows.iter().any(|row| row.return_period.is_some());
    let has_damage = rows.iter().any(|row| row.damage.is_some());
    header.extend(has_period.then(|| "return_period".to_string()));
    header.extend(study.varied.iter().cloned());
    header.extend(["status", "ran_on", "wall_s", "steps_taken", "simulated_s"].map(String::from));
    header.extend(volumes.iter().map(|name| name.to_string()));
    header.extend(["max_depth_m", "wet_area_m2"].map(String::from));
    header.extend(study.depths.iter().map(|depth| format!("area_above_{depth}m_m2")));
    header.extend(has_damage.then(|| "damage".to_string()));
    header.extend(["folder", "error"].map(String::from));
    writer.write_record(&header).map_err(&failed)?;
    for (row, run) in rows.iter().zip(&study.runs) {
        let mut record =
            vec![row.run.to_string(), cell(&row.name).into_owned(), row.weight.to_string()];
        record.extend(has_period.then(|| text(row.return_period)));
        let value = |key: &String| run.varied.get(key).map(in_words).unwrap_or_default();
        record.extend(study.varied.iter().map(value));
        record.extend([
            row.status.to_string(),
            text(row.ran_on.as_ref()),
            text(row.wall_s),
            text(row.steps_taken),
            text(row.simulated_s),
        ]);
        for name in &volumes {
            let found = row.volume.iter().flatten().find(|(known, _)| known == name);
            record.push(text(found.map(|(_, volume)| volume)));
        }
        record.extend([text(row.max_depth_m), text(row.wet_area_m2)]);
        let areas = row.areas_above_m2.as_deref().unwrap_or_default();
        record.extend((0..study.depths.len()).map(|number| text(areas.get(number))));
        record.extend(has_damage.then(|| text(row.damage)));
        let error = text(row.error.as_ref());
        record.extend([&row.folder, &error].map(|text| cell(text).into_owned()));
        writer.write_record(&record).map_err(&failed)?;
    }
    writer.flush().map_err(|error| failed(error.into()))
}

fn text(value: Option<impl std::fmt::Display>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
