//! Sites on the CPU, tile by tile: applies their laws to the cells of a frame.

use super::TooDeep;
use super::rain::Basin;
use super::tiles::{Tile, Tiles};
use crate::backend::sites::{SiteAt, SubdomainForcing};
use crate::crossed_sides::CrossedSides;
use crate::forcing::approach::{Entry, Side, sides_of};
use crate::forcing::normal_depth::over_sides;
use crate::forcing::ports::Port;
use crate::forcing::sites::flags::CROSSED;
use crate::forcing::sites::{
    CellView, Line, Site, SiteKind, SiteParameters, SiteTiming, StepContext, Tally, WithSite,
};
use crate::grains::MAX_WATER;
use crate::grid::Bed;
use crate::solver::SolverInfo;
use crate::subgrid::lookup::{height_and_rise, level_of};
use rayon::prelude::*;

impl Tiles {
    /// Assigns sites and crossed sides to the tiles that contain them, for a solver. `flags` returns
    /// the padded grid's flags by (column, row) of the frame, `ports` the ports of flagged cells,
    /// and `crossed` their crossed sides.
    pub(crate) fn hand_out(
        &mut self,
        forcing: &SubdomainForcing,
        solver: &SolverInfo,
        flags: impl Fn(usize, usize) -> u8 + Sync,
        ports: impl Fn(usize, usize) -> Port + Sync,
        crossed: impl Fn(usize, usize) -> CrossedSides + Sync,
    ) {
        for site in &forcing.sites {
            let tile = self.at(site.column as usize, site.row as usize);
            let sites = &mut self.each[tile].sites;
            match (site.given.kind.info().when)(solver) {
                Some(SiteTiming::BeforeFlow) => sites.before_flow.push(*site),
                _ => sites.after_flow.push(*site),
            }
        }
        let kinds: Vec<SiteKind> = SiteKind::acting(SiteTiming::WithFlow, solver).collect();
        let any = kinds.iter().fold(0, |any, kind| any | kind.info().flag);
        self.each.par_iter_mut().for_each(|Tile { area, own, sites, .. }| {
            for row in area.row..area.row + area.rows {
                for column in area.column..area.column + area.columns {
                    let flags = flags(column, row);
                    if flags & CROSSED != 0 {
                        let sides = Some(crossed(column, row)).filter(|sides| sides.any());
                        sites.crossed.extend(sides.map(|sides| ((column, row), sides)));
                    }
                    if flags & any == 0 {
                        continue;
                    }
                    for &kind in kinds.iter().filter(|kind| flags & kind.info().flag != 0) {
                        let port = (kind.info().port)(flags, ports(column, row));
                        let given = SiteParameters { port, ..SiteParameters::of(kind) };
                        let (column, row) = (column as u32, row as u32);
                        sites.flowing.push(SiteAt { column, row, own: *own, given });
                    }
                }
            }
        });
    }
}

/// Sites of one kind, to be applied.
struct SiteBatch<'a, 'b> {
    sites: &'a [SiteAt],
    now: &'a StepContext<'a>,
    to: Basin<'b>,
    /// The water before the flow, if the flow is done.
    before: Option<&'a [i32]>,
    across: usize,
    tally: &'a mut Tally,
    deepest: &'a mut i32,
}

impl WithSite for SiteBatch<'_, '_> {
    type Output = Result<(), TooDeep>;

    fn with<S: Site>(self) -> Result<(), TooDeep> {
        let SiteBatch { sites, now, to, before, across, tally, deepest } = self;
        let mut result = Ok(());
        for site in sites {
            let row = site.row as usize;
            let place = to.lead + row * to.stride + site.column as usize;
            // SAFETY: tiles do not overlap, so only the thread of this tile accesses the cell.
            let water = unsafe { to.water.cell(place) };
            let was = before.map_or(*water, |before| before[place]);
            // SAFETY: tiles do not overlap, so only the thread of this tile accesses the cell.
            let state = to.site_state.map(|states| unsafe { states.cell(place) });
            let known = state.as_deref().copied().unwrap_or(0);
            let bed = to.bed[place];
            let table = to.tables.map(|tables| tables.words(place));
            let conveys = table.filter(|_| S::OVER_SIDES).map(|words| {
                let metres = now.grain.metres();
                let level = level_of(&words, bed, was, metres);
                let port = site.given.port;
                over_sides(&to.edges, port, [place, to.stride], level, was as f32 * metres)
            });
            let seen = CellView { water: *water, before: was, bed, state: known, table, conveys };
            let by = S::change(&site.given, seen, now);
            if let (true, Some(state)) = (S::REMEMBERS, state) {
                *state = S::remembered(&site.given, seen, now);
            }
            if by > i64::from(MAX_WATER) - i64::from(*water) {
                // Continue with the other cells: this one may not count.
                result = Err(TooDeep);
                continue;
            }
            *water += by as i32;
            tally.add(&site.given, by);
            *deepest = (*deepest).max(*water);
            if let (Line::Rain, Some(rained)) = (site.given.line, to.rained) {
                // SAFETY: tiles do not overlap, so only the thread of this tile accesses the cell.
                *unsafe { rained.cell(place) } += by as u32;
            }
            if *water > 0 {
                // SAFETY: each tile has its own row flags in its column of tiles, so no other
                // thread writes this one.
                *unsafe { to.wet.cell(across * to.rows + row) } = true;
            }
        }
        result
    }
}

impl Basin<'_> {
    /// Sets the velocities with which water enters at a stage boundary.
    fn let_in(&self, site: &SiteAt, metres: f32) {
        let Some(velocities) = self.velocity else { return };
        let here = self.lead + site.row as usize * self.stride + site.column as usize;
        // SAFETY: while sites act, no thread but that of a cell's tile changes its water. The cell on
        // the other side has no site.
        let depth = |cell: usize| unsafe { *self.water.cell(cell) } as f32 * metres;
        for side in sides_of(site.given.numbers[1], self.stride) {
            let Side { axis, inward, .. } = side;
            let [behind, entered, inside] =
                [side.behind, side.entered, side.inside].map(|by| here.wrapping_add_signed(by));
            // SAFETY: no thread writes the velocity on a face towards a cell without a level now.
            let velocity = unsafe { *velocities[axis].cell(entered) } * inward;
            let water = depth(here);
            let (discharge, inside) = match self.tables {
                None => {
                    let rise = (self.bed[inside] - self.bed[here]) as f32 * Bed::STEP;
                    (velocity * (water - rise.max(0.0)).max(0.0), depth(inside))
                }
                Some(tables) => {
                    // SAFETY: as for `depth`.
                    let grains = unsafe { *self.water.cell(inside) };
                    let rises = height_and_rise(&tables.words(inside), grains, metres).1;
                    (self.discharge[axis][entered] * inward, depth(inside) * rises)
                }
            };
            let entry = Entry { velocity, discharge, depth: water, inside };
            // SAFETY: this face, behind the cell, belongs to this site alone.
            *unsafe { velocities[axis].cell(behind) } = entry.approaches() * inward;
        }
    }
}

impl Tile {
    /// Applies the sites that act before the flow or, given the water `before` it, those that act
    /// after it.
    pub(super) fn act(
        &mut self,
        now: &StepContext,
        before: Option<&[i32]>,
        to: Basin,
    ) -> Result<Tally, TooDeep> {
        let Tile { sites, across, deepest, .. } = self;
        let across = *across;
        let (mut tally, mut result) = (Tally::default(), Ok(()));
        let sites = if before.is_none() { &sites.before_flow } else { &sites.after_flow };
        for sites in sites.chunk_by(|a, b| a.given.kind == b.given.kind) {
            let (tally, deepest) = (&mut tally, &mut *deepest);
            let acting = SiteBatch { sites, now, to, before, across, tally, deepest };
            result = sites[0].given.kind.run(acting).and(result);
        }
        if before.is_none() && to.velocity.is_some() {
            let stages = self.sites.before_flow.iter();
            let stages = stages.filter(|site| site.given.kind == SiteKind::Stage);
            let sections = stages.filter(|site| site.given.numbers[1] != 0);
            sections.for_each(|site| to.let_in(site, now.grain.metres()));
        }
        result.map(|()| tally)
    }

    /// Iterates over the indices in a frame's arrays of the cells of sites that act after the flow.
    pub(super) fn after_flow_places(
        &self,
        lead: usize,
        stride: usize,
    ) -> impl Iterator<Item = usize> + '_ {
        let after = self.sites.after_flow.iter();
        after.map(move |site| lead + site.row as usize * stride + site.column as usize)
    }
}
