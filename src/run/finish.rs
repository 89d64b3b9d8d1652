//! Writes the results at the end of a run.

use super::Run;
use super::observers::RunRecords;
use super::sewers::SewerOutcome;
use crate::engine::simulation::Simulation;
use crate::error::Result;
use crate::observer::interrupt::{Phase, enter};
use crate::output::extents::{Extent, RunExtents};
use crate::output::features::{self, FEATURES, WriteOutcome};
use crate::output::folder::{
    self, EXTENTS, PAGE, POINTS_LAYER, POINTS_TABLE, REPORT, SEWER_FILES, STATE, cannot_write,
    json_text,
};
use crate::output::format::geotiff;
use crate::output::layers::{
    ARRIVAL_ABOVE, ARRIVAL_TIME, DEPTH, DepthRounding, INFILTRATION, Layer, MAX_DEPTH, Maps, Now,
    arrival_above_name, at_points,
};
use crate::output::points::PointsReport;
use crate::output::project::PROJECT;
use crate::output::results::{NewMap, Writing};
use crate::output::sewers;
use crate::output::small;
use crate::output::stack::Stack;
use crate::output::tables::Tables;
use crate::output::timings::Waits;
use crate::results::page;
use crate::results::project;
use crate::results::report::Report;
use crate::scenario::Facts;
use std::fs::File;
use std::time::Instant;

/// A run that has taken its last step.
pub struct End<'a> {
    /// Run that has ended.
    pub run: &'a Run,
    /// Final state of the run.
    pub simulation: &'a Simulation,
    /// Records of the observers; finally with all maps.
    pub recorded: RunRecords,
    /// Results of the sewer network, if there is one.
    pub sewers: Option<SewerOutcome>,
}

impl End<'_> {
    /// Writes and publishes the remaining results. Returns the report and its new warnings.
    pub fn write(mut self) -> Result<(Report, Vec<String>)> {
        let began = Instant::now();
        geotiff::hold_few_blocks();
        let folder = &self.run.folder;
        let mut files = self.stage_results()?;
        files.extend(self.stage_tables()?);
        files.extend(self.stage_state()?);
        let mut lost = Lost::default();
        let points = self.stage_points()?.map(|(report, written)| {
            files.push(POINTS_TABLE.into());
            files.extend(lost.unless(written, POINTS_LAYER));
            report
        });
        let extents = self.stage_extents()?.and_then(|(extents, written)| {
            let file = lost.unless(written, EXTENTS)?;
            files.push(file);
            Some(extents)
        });
        let already = folder.published();
        let (mut report, mut late_warnings) = self.report()?;
        report.points = points;
        report.extents = extents.unwrap_or_default();
        files.extend(self.stage_project(&report, &files, &mut lost)?);
        files.extend(self.stage_series(&report.title)?);
        files.push(PAGE.into());
        files.retain(|name| {
            let is_taken = folder.is_taken(name);
            if is_taken {
                lost.note(name, "a file that this run did not make has taken its place");
            }
            !is_taken
        });
        late_warnings.extend(lost.warnings.iter().cloned());
        report.warnings.extend(lost.warnings);
        report.outputs = [&already[..], &files, &[REPORT.to_string()]].concat();
        report.styles = self.recorded.results.styles();
        report.maps = std::mem::take(&mut self.recorded.results.maps);
        late_warnings.extend(self.stage_report(&mut report, began)?);
        enter(Phase::Publishing);
        // Everything is complete: replace the results of earlier runs now, if a map series has not
        // already done so.
        for file in &report.outputs[already.len()..] {
            folder.publish(file)?;
        }
        Ok((report, late_warnings))
    }

    /// Returns the state for reading layers.
    pub(super) fn now(&self) -> Now<'_> {
        let Simulation { backend, clock, .. } = self.simulation;
        Now { maps: &self.run.maps, backend: &**backend, clock, above: 0 }
    }

    /// Writes every final layer; they are published together once all are complete. Then sets the
    /// colours of these maps and of the series from the values of all.
    fn stage_results(&mut self) -> Result<Vec<String>> {
        let Run { facts, maps, folder, compression, .. } = self.run;
        let Simulation { backend, clock, .. } = self.simulation;
        let results = &mut self.recorded.results;
        let on_the_way = results.maps.len();
        let mut writing = Writing::new(maps, *compression, &Waits::default());
        let now = Now { maps, backend: &**backend, clock, above: 0 };
        for &layer in &facts.layers.layers {
            let name = layer.key.to_string();
            let about = &match maps.name_of(layer, clock) {
                _ if layer.key == ARRIVAL_TIME.key => {
                    arrival_above_name(clock, facts.arrival_depth)
                }
                name if layer.key == INFILTRATION.key && facts.continues_infiltration => {
                    format!("{name}, including earlier runs")
                }
                name => name,
            };
            let picture = page::shows(layer).then_some(small::LONGEST);
            let above = counts(facts, maps, layer);
            let sheet = NewMap { layer, name, about, time: None, picture, above };
            writing.stage(results, folder, &now, sheet)?;
        }
        for &depth in &facts.layers.arrivals {
            let above = facts.flow.grain.from_depth(depth).expect("it was judged");
            let (name, about) =
                (folder::above(ARRIVAL_ABOVE.key, depth), &arrival_above_name(clock, depth));
            let (layer, time, picture) = (&ARRIVAL_ABOVE, None, None);
            let sheet = NewMap { layer, name, about, time, picture, above: None };
            writing.stage(results, folder, &Now { above, ..now }, sheet)?;
        }
        writing.finish(results)?;
        results.maps.iter().try_for_each(|map| results.stage_style(folder, map))?;
        let (before, last) = results.maps.split_at(on_the_way);
        before.iter().try_for_each(|map| folder.replace(&map.style()))?;
        Ok(last.iter().flat_map(|map| [map.raster(), map.style()]).collect())
    }

    /// Writes the tables of the gauges, the mass balance and the sewers.
    fn stage_tables(&self) -> Result<Vec<String>> {
        let Run { facts, folder, observers, .. } = self.run;
        let clock = &self.simulation.clock;
        let tables = Tables {
            watched: &facts.watched,
            records: observers.records(),
            clock,
            grain: facts.flow.grain,
            grid: &facts.grid,
            start: facts.start.as_ref(),
        };
        let mut files = tables.stage(folder)?;
        if let Some(SewerOutcome { nodes, records, .. }) = &self.sewers {
            records.stage(nodes, clock, facts.start.as_ref(), folder)?;
            sewers::stage_nodes(nodes, folder)?;
            files.extend(SEWER_FILES.map(String::from));
        }
        Ok(files)
    }

    /// Writes the final state, if it is requested.
    fn stage_state(&self) -> Result<Option<String>> {
        let Run { folder, at_end, .. } = self.run;
        let Simulation { clock, backend, .. } = self.simulation;
        let Some(header) = at_end else { return Ok(None) };
        let header = header.at(clock, &**backend)?;
        let written =
            File::create(folder.staged(STATE)).and_then(|file| header.write(&file, &**backend));
        written.map_err(cannot_write(folder.named(STATE)))??;
        Ok(Some(STATE.into()))
    }

    /// Writes the QGIS project of a run with these `files`, and its layer of features.
    fn stage_project(
        &self,
        report: &Report,
        files: &[String],
        lost: &mut Lost,
    ) -> Result<Vec<String>> {
        let Run { options, facts, folder, .. } = self.run;
        let map = project::ProjectInputs {
            options,
            facts,
            clock: &self.simulation.clock,
            report,
            results: &self.recorded.results,
            has_points_layer: files.iter().any(|name| name == POINTS_LAYER),
        };
        let mut staged = Vec::new();
        let mut tables = project::features(&map);
        if !tables.is_empty() {
            let crs = facts.grid.crs.as_deref();
            let written = features::write(&folder.staged(FEATURES), crs, &tables)?;
            match lost.unless(written, FEATURES) {
                Some(file) => staged.push(file),
                None => tables.clear(),
            }
        }
        match project::to_xml(folder.path(), &map, &tables) {
            Ok(xml) => {
                folder.stage_text(PROJECT, &xml)?;
                staged.push(PROJECT.into());
            }
            Err(error) => lost.note(PROJECT, &error.to_string()),
        }
        Ok(staged)
    }

    /// Writes the map series as one file, if it is requested.
    fn stage_series(&self, title: &str) -> Result<Option<String>> {
        let Run { options, facts, maps, folder, compression, .. } = self.run;
        let timed = self.recorded.results.maps.iter().filter(|map| map.time.is_some());
        let series = Stack {
            grid: maps.raster_grid(),
            maps: timed.collect(),
            folder,
            clock: &self.simulation.clock,
            start: facts.start.as_ref(),
            title,
            compression: *compression,
        };
        Ok(series.stage(options.series.unwrap_or_default())?.map(String::from))
    }

    /// Writes the report and its page; `began` is when the results began to be written. Returns
    /// the new warnings, which are in the report too.
    fn stage_report(&self, report: &mut Report, began: Instant) -> Result<Vec<String>> {
        let Run { facts, folder, bed, observers, .. } = self.run;
        let clock = &self.simulation.clock;
        let page = page::PageInputs { facts, clock, records: observers.records(), bed };
        let pictures = page::draw(report, &page);
        let missing = pictures.iter().flat_map(|pictures| pictures.warnings.clone());
        let mut warnings: Vec<String> = missing.collect();
        report.warnings.extend(warnings.iter().cloned());
        let mut spent = self.run.spent;
        spent.write += began.elapsed().as_secs_f64();
        report.took(spent);
        let page = pictures.and_then(|pictures| page::html(report, &page, pictures));
        if let Err(error) = &page {
            // A failure to draw the page must not lose the computed results.
            let warning = format!("{PAGE} could not be made: {error}");
            report.outputs.retain(|name| name != PAGE);
            report.warnings.push(warning.clone());
            warnings.push(warning);
        }
        folder.stage_text(REPORT, &json_text(&report, REPORT)?)?;
        if let Ok(page) = page {
            folder.stage_text(PAGE, &page)?;
        }
        Ok(warnings)
    }

    /// Writes the extents of the flood, if they are requested.
    fn stage_extents(&self) -> Result<Option<(Vec<Extent>, WriteOutcome)>> {
        let Run { facts, folder, maps, .. } = self.run;
        let extents = RunExtents {
            depths: &facts.extents,
            with_series: facts.extent_series,
            maps: &self.recorded.results.maps,
            grid: maps.raster_grid(),
            rounding: maps.rounding(),
            folder,
            clock: &self.simulation.clock,
            start: facts.start.as_ref(),
        };
        (!facts.extents.is_empty()).then(|| extents.stage()).transpose()
    }

    /// Writes the results at points, if there are any.
    fn stage_points(&self) -> Result<Option<(PointsReport, WriteOutcome)>> {
        let Run { facts, maps, folder, .. } = self.run;
        let Some(points) = &facts.points else { return Ok(None) };
        let layers = at_points(facts.has_clock, &facts.layers.layers);
        let ground = facts.fine.as_ref();
        let rounding = DepthRounding { is_fine: ground.is_some(), ..maps.rounding() };
        let wet = rounding.threshold(facts.arrival_depth);
        points.stage(&self.now(), &layers, ground, wet, folder).map(Some)
    }
}

/// Files that could not be written; the others are published all the same.
#[derive(Default)]
struct Lost {
    /// One warning per file that could not be written.
    warnings: Vec<String>,
}

impl Lost {
    /// Returns the name of a file if it was `written`; otherwise adds a warning.
    fn unless(&mut self, written: WriteOutcome, name: &str) -> Option<String> {
        match written {
            Ok(()) => Some(name.into()),
            Err(why) => {
                self.note(name, &why);
                None
            }
        }
    }

    fn note(&mut self, name: &str, why: &str) {
        self.warnings.push(format!(
            "{name} could not be written, but all other results are complete: {why}"
        ));
    }
}

/// Returns the value above which the report counts pixels of a final map, if it counts them.
pub(super) fn counts(facts: &Facts, maps: &Maps, layer: &Layer) -> Option<f32> {
    match layer.key {
        key if key == MAX_DEPTH.key => Some(maps.rounding().threshold(facts.arrival_depth)),
        key if key == DEPTH.key => Some(0.0),
        _ => None,
    }
}
