//! Report of a finished run.

use super::finish::{End, counts};
use super::{Run, closed_side};
use crate::engine::backend::{Backend, SampleRequest};
use crate::engine::clock::TimeUnit;
use crate::engine::field::{Field, words};
use crate::engine::forcing::link::LinkState;
use crate::engine::grid::Grid;
use crate::engine::ledger::{Ledger, Term, Volumes};
use crate::engine::simulation::Simulation;
use crate::error::{Error, Result};
use crate::observer::quality::judge::{Quality, judge};
use crate::output::bands::in_bands;
use crate::output::layers::fine::FineMap;
use crate::output::layers::{DEPTH, Layer, MAX_DEPTH};
use crate::output::results::Map;
use crate::output::timings::WallParts;
use crate::output::watch::{Accounts, Records, VolumesByAccount};
use crate::results::headline;
use crate::results::report::{
    GridFacts, LevelVolumes, LinkVolumes, Report, SideVolume, SourceVolume, SubgridFacts, VERSION,
};
use crate::scenario::options::OutputGrid;
use crate::scenario::source_facts::{self, SourceFacts};
use crate::scenario::{LinkFacts, StructureFacts};
use rayon::prelude::*;
use std::collections::BTreeMap;

impl End<'_> {
    /// Returns the report, except for the files written after it and the wall-clock time, and its
    /// new warnings.
    pub(super) fn report(&self) -> Result<(Report, Vec<String>)> {
        let Run { facts, options, maps, observers, .. } = self.run;
        let Simulation { backend, clock, .. } = self.simulation;
        let (backend, watched) = (&**backend, &facts.watched);
        let (grain, area) = (facts.flow.grain, facts.grid.cell_area());
        let cell = f64::from(grain.metres()) * area;
        let timed = clock.unit == TimeUnit::Seconds;
        let records = observers.records();
        let ledger = backend.ledger();
        if ledger.error() != 0 {
            return Err(Error::always(format!(
                "the mass balance is off by {} units of depth, which is a defect of this program",
                ledger.error()
            ))
            .hint("please report it with the scenario"));
        }
        let volume = ledger.volumes(grain, area);
        let wanted = SampleRequest { places: Vec::new(), ..watched.wanted() };
        let seen = backend.sample(&wanted, clock.done, clock.now())?;
        let brought = watched.accounts.at(clock.now(), grain, &seen.port_volumes, &seen.links);
        check_lines(&watched.accounts, &brought, &ledger)?;
        let mut held_levels = level_volumes(&watched.accounts.levels, &brought, cell);
        let ratings = held_levels.split_off(watched.accounts.stages());
        let quality = judge(backend, clock, facts, records)?;
        let subgrid = self.subgrid()?;
        let late_warnings = self.late_warnings(quality.as_ref(), subgrid.as_ref(), &volume);
        let resumed = self.run.resumed_at_steps.iter();
        let sewers = self.sewers.as_ref().map(|sewers| sewers.report.clone());
        let from_sewers = sewers.as_ref().map_or(0.0, |sewers| sewers.onto_surface_m3);
        let report = Report {
            version: VERSION.into(),
            title: headline::title(facts, &volume, from_sewers),
            command: self.run.command.clone(),
            parameters: options.parameters(),
            inputs: facts.inputs.clone(),
            grid: GridFacts::of(&facts.grid, facts.domain_cells, facts.bed_range),
            subgrid,
            flow: facts.flow.clone(),
            arrival_depth_m: facts.arrival_depth,
            hazard_depth_m: facts.hazard_depth,
            device: backend.describe(),
            tile: backend.tile(),
            steps: clock.taken(),
            time_unit: if timed { "seconds" } else { "steps" },
            calibrated: clock.is_calibrated(),
            simulated_s: timed.then(|| clock.now()),
            dt_range_s: clock.step_range(),
            epochs_redone: facts.has_clock.then(|| backend.epochs_redone()),
            quality,
            maps: Vec::new(),
            styles: BTreeMap::new(),
            greatest: self.recorded.greatest.clone(),
            step_held: self.recorded.step_held.clone(),
            flow_cut_share: facts.has_clock.then(|| backend.flux_statistics().share_cut()),
            wall_s: 0.0,
            wall_parts_s: WallParts::default(),
            resumed_at_steps: resumed.map(|step| step - clock.first).collect(),
            cell_steps_per_s: 0.0,
            wet_cells: backend.wet_cells(),
            flooded_cells: flooded_cells(backend, &facts.grid)?,
            structures: facts.structures.clone(),
            links: link_volumes(backend, &facts.links, &watched.accounts.links, cell)?,
            sources: source_volumes(&facts.sources, &watched.accounts.sources, &brought, cell),
            held_levels,
            ratings,
            sewers,
            sewer_nodes: self.sewers.as_ref().map_or(Vec::new(), |sewers| sewers.nodes.clone()),
            other_inflow_m3: watched
                .accounts
                .has_other
                .then(|| brought.other(&ledger) as f64 * cell),
            open_sides: side_volumes(&watched.accounts.sides.names, &brought, cell),
            points: None,
            extents: Vec::new(),
            gauges: Records::gauge_reports(watched, maps, backend)?,
            sections: records.section_reports(watched),
            gauge_every: watched.every,
            released_m3: self.released(&volume, cell)?,
            rain_mm: 1000.0 * volume.of(Term::Rain) / facts.domain_area(),
            volume,
            outputs: Vec::new(),
            assumed: facts.assumed.clone(),
            warnings: [&facts.warnings[..], &late_warnings].concat(),
        };
        Ok((report, late_warnings))
    }

    /// Returns the warnings that only the results give.
    fn late_warnings(
        &self,
        quality: Option<&Quality>,
        subgrid: Option<&SubgridFacts>,
        volume: &Volumes,
    ) -> Vec<String> {
        let facts = &self.run.facts;
        let mut warnings: Vec<String> =
            quality.into_iter().flat_map(Quality::warnings).map(String::from).collect();
        let [initial, rain, inflow, outflow] =
            [Term::Initial, Term::Rain, Term::Inflow, Term::Outflow].map(|term| volume.of(term));
        warnings.extend(subgrid.and_then(|subgrid| subgrid.misses(volume.of(Term::Stored))));
        warnings.extend(source_facts::lost(&facts.sources, initial + rain + inflow, outflow));
        warnings.extend(facts.structures.iter().filter_map(StructureFacts::that_waits));
        warnings.extend(self.sewers.iter().flat_map(|sewers| sewers.report.warnings()));
        let still = outflow == 0.0 && facts.watched.accounts.stages() == 0;
        if facts.has_clock && still && rain + inflow > initial {
            let deepest = self.recorded.greatest.first();
            let warning = |deepest| closed_side::warning(deepest, &facts.grid, facts.flow.open);
            warnings.extend(deepest.and_then(warning));
        }
        warnings
    }

    /// Returns the volume that has left the initially wet area (m³), if nothing else brings water
    /// and the ground, sewers and air take none; `cell` is the volume of a grain in a cell (m³).
    fn released(&self, volume: &Volumes, cell: f64) -> Result<Option<f64>> {
        let others = [
            Term::Rain,
            Term::Inflow,
            Term::InitialLoss,
            Term::Infiltration,
            Term::Drainage,
            Term::Evaporation,
        ];
        let alone = others.iter().all(|&term| volume.of(term) == 0.0);
        let Some(standing) = self.run.standing.as_ref().filter(|_| alone) else { return Ok(None) };
        let backend = &*self.simulation.backend;
        let there = standing.now(backend, &self.run.facts.grid)? as f64 * cell;
        Ok(Some((volume.of(Term::Initial) - there).max(0.0)))
    }

    /// Returns the report's figures on the subgrid terrain, if there is any.
    fn subgrid(&self) -> Result<Option<SubgridFacts>> {
        let facts = &self.run.facts;
        let Some(ground) = &facts.fine else { return Ok(None) };
        let (mut flooded_pixels, mut shown_m3) = (None, None);
        if facts.draws_fine {
            let of = |layer: &Layer| {
                let last = |map: &&Map| map.time.is_none() && map.layer.key == layer.key;
                let maps = &self.recorded.results.maps;
                match maps.iter().find(last).and_then(|map| map.tally) {
                    Some(tally) => Ok(tally),
                    None => {
                        let above = counts(facts, &self.run.maps, layer).unwrap_or_default();
                        FineMap::of(&self.now(), layer, ground)?.tally(above)
                    }
                }
            };
            flooded_pixels = Some(of(&MAX_DEPTH)?.above);
            shown_m3 = Some(of(&DEPTH)?.sum * ground.grid.cell_area());
        }
        let fine = GridFacts::of(&ground.grid, ground.open, facts.bed_range);
        let output_grid = if facts.draws_fine { OutputGrid::Fine } else { OutputGrid::Coarse };
        let ratio = ground.ratio;
        Ok(Some(SubgridFacts {
            ratio,
            output_grid,
            output_surface: facts.surface,
            fine,
            flooded_pixels,
            shown_m3,
        }))
    }
}

/// Counts the cells where water ever counted as arrived.
fn flooded_cells(backend: &dyn Backend, grid: &Grid) -> Result<usize> {
    let mut count = 0;
    in_bands(backend, grid, Field::Arrival, |_, bits| {
        count += words::<f32>(bits).par_iter().filter(|time| **time >= 0.0).count();
    })?;
    Ok(count)
}

/// Fails unless the booked terms add up to the inflow and outflow of the mass balance.
fn check_lines(accounts: &Accounts, brought: &VolumesByAccount, ledger: &Ledger) -> Result<()> {
    let (came, left) = (brought.other(ledger), brought.other_out(ledger));
    if left == 0 && (came == 0 || (accounts.has_other && came > 0)) {
        return Ok(());
    }
    Err(Error::always(format!(
        "the lines of the mass balance are off by {came} units of inflow and {left} of outflow, which is a defect of this program"
    ))
    .hint("please report it with the scenario"))
}

/// Returns the inflow and outflow of each stage boundary; `grain` is the volume of a grain in a
/// cell (m³).
fn level_volumes(names: &[String], brought: &VolumesByAccount, grain: f64) -> Vec<LevelVolumes> {
    let volumes = |(name, &(came, left)): (&String, &(u64, u64))| LevelVolumes {
        name: name.clone(),
        inflow_m3: came as f64 * grain,
        outflow_m3: left as f64 * grain,
    };
    names.iter().zip(&brought.levels).map(volumes).collect()
}

/// Returns the outflow over each open side; `grain` is the volume of a grain in a cell (m³).
fn side_volumes(names: &[&'static str], brought: &VolumesByAccount, grain: f64) -> Vec<SideVolume> {
    let sides = names.iter().zip(&brought.sides);
    sides.map(|(&side, &left)| SideVolume { side, outflow_m3: left as f64 * grain }).collect()
}

/// Returns the volume from each source; `grain` is the volume of a grain in a cell (m³).
fn source_volumes(
    sources: &[SourceFacts],
    names: &[String],
    brought: &VolumesByAccount,
    grain: f64,
) -> Vec<SourceVolume> {
    let volumes = sources.iter().zip(names).zip(&brought.sources);
    let volume = |((source, name), &grains): ((&SourceFacts, &String), &u64)| SourceVolume {
        name: name.clone(),
        cells: source.cells,
        inflow_m3: grains as f64 * grain,
    };
    volumes.map(volume).collect()
}

/// Returns the volumes through each link, under its name in the mass balance; `grain` is the volume of a grain in a cell (m³).
fn link_volumes(
    backend: &dyn Backend,
    links: &[LinkFacts],
    names: &[String],
    grain: f64,
) -> Result<Vec<LinkVolumes>> {
    let named = links.iter().zip(names);
    let volumes = |((link, name), state): ((&LinkFacts, &String), LinkState)| LinkVolumes {
        link: LinkFacts { name: name.clone(), ..link.clone() },
        forward_m3: state.forward as f64 * grain,
        back_m3: state.back as f64 * grain,
    };
    Ok(named.zip(backend.link_states()?).map(volumes).collect())
}
