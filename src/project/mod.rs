//! From a finished run to its QGIS project: results over the terrain, and the water that went in.

mod inputs;
mod path;
mod results;
mod terrain;

use crate::clock::{Clock, TimeUnit};
use crate::error::Result;
use crate::output::folder::OutputFolder;
use crate::output::project::time::{DEFAULT_START, Timeline};
use crate::output::project::{Group, Kind, MapLayer, PROJECT, Project};
use crate::scenario::Facts;
use crate::scenario::options::Options;
use jiff::Timestamp;
use path::Base;

/// What a project is made of.
pub struct Run<'a> {
    /// What was asked for.
    pub options: &'a Options,
    /// What is known of the run.
    pub facts: &'a Facts,
    /// Its clock.
    pub clock: &'a Clock,
    /// When it starts; [`DEFAULT_START`] if it does not say.
    pub start: Option<Timestamp>,
}

/// Writes the project of a run whose `files` are in the folder, ready to be published. Returns its name.
pub fn stage(folder: &OutputFolder, files: &[String], run: &Run) -> Result<String> {
    let base = Base::of(folder.path());
    let (results, animation) = results::groups(folder, files, run.timeline())?;
    let above = inputs::group(&run.facts.inputs, &base);
    let below = terrain::group(run, &base);
    let dem = run.options.dem.as_deref().and_then(|dem| dem.file_stem()).unwrap_or_default();
    let project = Project {
        title: format!("Flood over {}", dem.to_string_lossy()),
        crs: run.facts.grid.crs.clone(),
        extent: run.facts.grid.extent(),
        groups: above.into_iter().chain(results).chain(below).collect(),
        animation,
    };
    folder.stage_text(PROJECT, &project.to_xml()?)?;
    Ok(PROJECT.to_string())
}

impl Run<'_> {
    /// When its maps were written; none if steps have no duration or no series was asked for.
    fn timeline(&self) -> Option<Timeline> {
        let every = self.facts.output_every.filter(|_| self.clock.unit == TimeUnit::Seconds)?;
        Some(Timeline { start: self.start.unwrap_or(DEFAULT_START), every })
    }
}

/// A layer that is ticked, always shown, and in the project's CRS.
fn layer(id: &str, name: String, source: String, kind: Kind, style: Option<String>) -> MapLayer {
    MapLayer {
        // QGIS makes up another for one of fewer than ten letters.
        id: format!("inundate_{id}"),
        name,
        source,
        kind,
        style,
        shown: true,
        nodata: None,
        crs: None,
        during: None,
    }
}

/// A text with its first letter in upper case.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The group's layers, if it has any.
fn unless_empty(group: Group) -> Option<Group> {
    (!group.layers.is_empty()).then_some(group)
}
