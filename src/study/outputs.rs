//! The files that a study writes in its folder, and what they must not replace.

use super::publish::is_map;
use super::row::{EXPECTED, MAPS, POINTS, REPORT, TABLE};
use super::{Study, StudyRun};
use crate::error::{Error, Result};
use crate::output::folder::PAGE;
use crate::output::guard::spare_inputs;
use crate::output::own_files::{MadeFiles, Maker};
use crate::output::project::{PROJECT, is_saved_by_qgis};
use std::fs;
use std::path::Path;

/// Studies, as makers of files.
pub const STUDY: Maker = Maker {
    name: "a study",
    report: REPORT,
    list: "outputs",
    can_make: |name| BESIDE_MAPS.contains(&name) || is_map(name),
};

/// The files of a study beside its maps.
const BESIDE_MAPS: [&str; 6] = [TABLE, REPORT, PAGE, PROJECT, POINTS, EXPECTED];

/// Refuses a study whose tables and maps would replace something that no study made.
///
/// # Errors
/// If they would.
pub fn spare_others(study: &Study) -> Result<()> {
    let made = MadeFiles::by(&STUDY, &study.out);
    let strange = files(study).into_iter().find(|name| !made.has(name));
    let Some(name) = strange else { return Ok(()) };
    let shown = study.out.join(name);
    Err(Error::input(format!(
        "out: '{}' was not made by a study, which would replace it",
        shown.display()
    ))
    .hint("name another folder as the study's `out`, or move this one away"))
}

/// Refuses a study whose tables and maps would replace one of the `inputs` of its runs.
///
/// # Errors
/// If they would.
pub fn spare<'a>(study: &'a Study, inputs: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let files = files(study).into_iter().map(|name| study.out.join(name));
    let own = [Some(&study.file), study.base.as_ref()].into_iter().flatten();
    let inputs = inputs.into_iter().map(Path::new).chain(own.map(|path| path.as_path()));
    spare_inputs("out", "study", files, inputs)
}

/// Returns the existing files whose names the study may write.
fn files(study: &Study) -> Vec<String> {
    let has_points = |run: &StudyRun| run.options.points.is_some();
    let is_written = |name: &&str| match *name {
        POINTS => study.runs.iter().any(has_points),
        EXPECTED => study.runs.iter().any(has_points) && study.has_events(),
        // A project saved in QGIS is kept.
        PROJECT => !is_saved_by_qgis(&study.out.join(PROJECT)),
        _ => true,
    };
    let beside = BESIDE_MAPS.into_iter().filter(is_written);
    let there = beside.filter(|name| fs::symlink_metadata(study.out.join(name)).is_ok());
    let mut files: Vec<String> = there.map(String::from).collect();
    let mut folders = vec![MAPS.to_string()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(study.out.join(&folder)).into_iter().flatten().flatten() {
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if is_map(&name) {
                files.push(name);
            } else if folder == MAPS && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(name);
            }
        }
    }
    files
}
