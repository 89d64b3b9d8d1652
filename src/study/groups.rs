//! Groups of runs with common maps, and the maps, styles and extents of each group.

use super::Study;
use super::aggregate::{Common, Member, aggregate};
use super::annual;
use super::check::Checked;
use super::distinct;
use super::extents;
use super::maps::Aggregate;
use super::place::check_inside;
use super::points::whose;
use super::row::{EXTENTS, GRID, MAPS, Row, VARIANT};
use super::show::Sheets;
use crate::engine::clock::Clock;
use crate::error::{Error, Result};
use crate::output::colour::{Choice, Scales};
use crate::output::folder::cannot_write;
use crate::output::format::USUAL;
use crate::output::layers::{Layer, MAX_DEPTH};
use crate::results::report::GridFacts;
use std::fs;
use std::path::{Path, PathBuf};

/// Finished runs with common maps: those on the same grid, whose layers have the same units, and of
/// the same variant if they are events with return periods.
pub struct Group<'a> {
    /// Grid of the runs.
    pub facts: &'a GridFacts,
    /// Units of the mapped layers: those of times are hours or steps.
    units: Vec<&'static str>,
    /// Variant of the runs; empty for runs without return periods.
    variant: &'a str,
    /// The runs, in ascending order of their return periods.
    pub members: Vec<usize>,
}

/// Groups the finished runs, in order of first appearance.
pub fn groups<'a>(
    study: &Study,
    runs: &'a [Checked],
    warnings: &mut Vec<String>,
) -> Vec<Group<'a>> {
    let mut groups: Vec<Group> = Vec::new();
    for (number, checked) in runs.iter().enumerate() {
        let Some(past) = checked.state.past() else { continue };
        for layer in study.aggregates.iter().filter(|layer| !checked.wrote(layer)) {
            let (name, file) = (&checked.run.name, USUAL.file(layer.key));
            warnings
                .push(format!("run '{name}' wrote no {file}, so its maps do not include the run"));
        }
        let facts = past.map_grid();
        let variant = if study.has_events() { &checked.run.variant[..] } else { "" };
        let clock = clock_of(checked);
        let units: Vec<_> = study.aggregates.iter().map(|layer| (layer.unit)(&clock)).collect();
        let is_its_own = |group: &&mut Group| {
            group.variant == variant && group.units == units && same_place(group.facts, facts)
        };
        match groups.iter_mut().find(is_its_own) {
            Some(group) => group.members.push(number),
            None => groups.push(Group { facts, units, variant, members: vec![number] }),
        }
    }
    let years = |run: &usize| runs[*run].run.return_period.unwrap_or(0.0);
    groups.iter_mut().for_each(|group| {
        group.members.sort_by(|a, b| years(a).total_cmp(&years(b)));
    });
    let mut pairs = groups.iter().enumerate().flat_map(|(at, one)| {
        let others = groups[at + 1..].iter();
        others.filter(|other| other.variant == one.variant).map(move |other| (one, other))
    });
    if let Some((one, other)) = pairs.next() {
        let what = match same_place(one.facts, other.facts) {
            true => "times in different units",
            false => "different grids",
        };
        let [one, other] = [one, other].map(|group| &runs[group.members[0]].run.name);
        warnings.push(format!(
            "the runs have {what} ('{one}' and '{other}' differ), so there are separate maps for each, in {MAPS}/{GRID}1 and so on"
        ));
    }
    groups
}

/// Writer of the maps of all groups.
pub struct GroupWriter<'a> {
    /// The study.
    pub study: &'a Study,
    /// All runs of the study.
    pub runs: &'a [Checked<'a>],
    /// Folder in which results are staged.
    pub staging: &'a Path,
    /// Depths of the extents (m).
    pub extent_depths: Vec<f64>,
    /// Rows of the table, which receive the depths and areas of the runs.
    pub rows: Vec<Row>,
    /// Warnings about the results.
    pub warnings: Vec<String>,
}

impl<'a> GroupWriter<'a> {
    /// Writes the maps, styles and extents of a group. Returns the maps, and the names of all files.
    pub fn write(
        &mut self,
        groups: &[Group<'a>],
        number: usize,
    ) -> Result<(Sheets<'a>, Vec<String>)> {
        let group = &groups[number];
        let (place, name) = self.place_and_name(groups, number);
        check_inside(&self.study.out, Path::new(&place))?;
        let folder = self.staging.join(&place);
        fs::create_dir_all(&folder).map_err(|error| self.failed(error))?;
        let grid = GridFacts::grid(group.facts);
        let clock = clock_of(&self.runs[group.members[0]]);
        let mut scales = Scales::new(Choice::Data, group.facts.bed_range_m.0, 0.0);
        let mut maps = Vec::new();
        let sheet = Common { grid: &grid, clock: &clock, folder: &folder, note: "" };
        let layers = &self.study.aggregates;
        if !layers.iter().any(|layer| layer.key == MAX_DEPTH.key) {
            // The table needs the depths of all runs, whichever maps are requested.
            self.map_layer(group, &MAX_DEPTH, sheet, false, &mut scales)?;
        }
        for layer in layers {
            maps.extend(self.map_layer(group, layer, sheet, true, &mut scales)?);
        }
        let mut sheets = Sheets {
            place,
            name,
            grid,
            bed_range: group.facts.bed_range_m,
            clock,
            scales,
            maps,
            extents: self.extent_depths.clone(),
            runs: group.members.iter().map(|run| &self.runs[*run]).collect(),
        };
        let mut files = self.write_styles(&sheets)?;
        files.extend(self.write_extents(&mut sheets)?);
        Ok((sheets, files))
    }

    /// Returns the folder of a group's maps, relative to the study's, and the group's name.
    fn place_and_name(&self, groups: &[Group], number: usize) -> (String, String) {
        let variant = groups[number].variant;
        let variants = variants(self.study);
        let (mut place, mut name) = (MAPS.to_string(), String::new());
        if variants.len() > 1 {
            let number = variants.iter().position(|own| own == variant).expect("one of them") + 1;
            place += &format!("/{VARIANT}{number}");
            name = variant.to_string();
        }
        let of_variant = |groups: &[Group]| groups.iter().filter(|g| g.variant == variant).count();
        if of_variant(groups) > 1 {
            let number = of_variant(&groups[..number]) + 1;
            place += &format!("/{GRID}{number}");
            name += &format!("{}grid {number}", if name.is_empty() { "" } else { ", " });
        }
        (place, name)
    }

    /// Writes the maps of a layer over the runs of a group that wrote it, if `is_mapped`, and sets
    /// the depths and areas of these runs. Returns the maps.
    fn map_layer(
        &mut self,
        group: &Group,
        layer: &'static Layer,
        sheet: Common,
        is_mapped: bool,
        scales: &mut Scales,
    ) -> Result<Vec<Aggregate>> {
        let (study, runs) = (self.study, self.runs);
        let having: Vec<usize> =
            group.members.iter().copied().filter(|run| runs[*run].wrote(layer)).collect();
        if having.is_empty() {
            return Ok(Vec::new());
        }
        let note = format!("{} of {}", having.len(), runs.len());
        let mut members: Vec<Member> =
            having.iter().map(|run| member(&runs[*run], layer, &study.out)).collect();
        let events = study.runs.iter().filter(|run| run.variant == group.variant).count();
        let is_whole = study.has_events() && events == having.len();
        if is_whole {
            let runs: Vec<_> = having.iter().map(|run| runs[*run].run).collect();
            for (member, event) in members.iter_mut().zip(annual::events(&runs)) {
                member.event = Some(event);
            }
        }
        let maps = match () {
            () if !is_mapped => Vec::new(),
            () if study.has_events() => Aggregate::annual(layer, &study.depths, is_whole),
            () => Aggregate::all(layer, &study.depths, &study.percentiles),
        };
        let is_depth = layer.key == MAX_DEPTH.key;
        if study.has_events() && !is_whole && is_depth && !maps.is_empty() {
            self.warnings.push(format!(
                "there are no maps of annual exceedance probabilities{}: {} of its {events} runs are done on this grid",
                whose(group.variant), having.len()
            ));
        }
        let sheet = Common { note: &note, ..sheet };
        let extents = aggregate(&members, &sheet, &maps, &study.depths, scales)?;
        if is_depth {
            for (run, extent) in having.iter().zip(extents) {
                let (row, area) = (&mut self.rows[*run], sheet.grid.cell_area());
                row.max_depth_m = Some(extent.max_depth);
                row.wet_area_m2 = Some(extent.wet as f64 * area);
                let above = extent.above.iter().map(|cells| *cells as f64 * area);
                row.areas_above_m2 = Some(above.collect());
            }
        }
        Ok(maps)
    }

    /// Writes the styles of maps. Returns the names of the maps and their styles.
    fn write_styles(&self, sheets: &Sheets) -> Result<Vec<String>> {
        let mut files = Vec::new();
        for map in &sheets.maps {
            let style = format!("{}/{}.qml", sheets.place, map.stem());
            fs::write(self.staging.join(&style), sheets.ramp(map).to_qml())
                .map_err(|error| self.failed(error))?;
            files.extend([sheets.file(map), style]);
        }
        Ok(files)
    }

    /// Writes the extents of the flood, if any are requested. Returns the name of the file.
    fn write_extents(&mut self, sheets: &mut Sheets) -> Result<Option<String>> {
        if self.extent_depths.is_empty() {
            return Ok(None);
        }
        let file = format!("{}/{EXTENTS}", sheets.place);
        match extents::write(sheets, &self.extent_depths, &self.study.out, self.staging)? {
            Ok(()) => Ok(Some(file)),
            Err(why) => {
                sheets.extents.clear();
                self.warnings.push(format!(
                    "{file} could not be written, but all other results are complete: {why}"
                ));
                Ok(None)
            }
        }
    }

    fn failed(&self, error: std::io::Error) -> Error {
        cannot_write(format!("in '{}'", self.study.out.display()))(error)
    }
}

/// Returns the variants of a study of events, in the order of the runs; a single empty one of other
/// studies.
fn variants(study: &Study) -> Vec<String> {
    match study.has_events() {
        true => distinct(study.runs.iter().map(|run| run.variant.clone())),
        false => vec![String::new()],
    }
}

fn same_place(a: &GridFacts, b: &GridFacts) -> bool {
    (a.columns, a.rows, a.transform, &a.crs) == (b.columns, b.rows, b.transform, &b.crs)
}

/// Returns a clock with the units of a finished run: time or steps.
fn clock_of(checked: &Checked) -> Clock {
    match checked.state.past().and_then(|past| past.simulated_s) {
        Some(end) => Clock::adaptive(end, 1.0, 1.0),
        None => Clock::steps(1),
    }
}

fn member(checked: &Checked, layer: &Layer, out: &Path) -> Member {
    let path: PathBuf = out.join(checked.run.folder()).join(USUAL.file(layer.key));
    let (name, weight) = (checked.run.name.clone(), checked.run.weight);
    let rounding = checked.state.past().expect("the run is done").rounding();
    Member { name, path, weight, rounding, event: None }
}
