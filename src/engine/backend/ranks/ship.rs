//! Data sent to a rank: the problem, and the rows of its rasters around the strip, which the rank
//! lays out itself.

use super::commands::{Command, answer, bytes_of, command, pack, reply, unpack, words_of};
use super::wire::{Tag, Wire};
use crate::arrays::zeros;
use crate::backend::Problem;
use crate::backend::cuda::compile::source::fingerprint;
use crate::backend::ground::GhostBed;
use crate::backend::linked::SharedLinks;
use crate::backend::padded_grid::{PaddedGrid, row_of};
use crate::backend::rasters::Rasters;
use crate::backend::setup::Setup;
use crate::backend::worker::SubdomainForcing;
use crate::error::{Error, Result};
use crate::field::Field;
use crate::forcing::timeline::Timeline;
use crate::forcing::zones::Zones;
use crate::forcing::{Footprint, Share};
use crate::gauged::Gauges;
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::{MARGIN, SubdomainPlan};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Number of rows beside a frame that its content may depend on.
const BESIDE: usize = 2;

/// Returns the version of the program and of its kernels.
pub fn version() -> String {
    format!("{} ({})", env!("CARGO_PKG_VERSION"), fingerprint())
}

/// Set-up data sent in one message. Rows of rasters follow, in the order of [`RankSetup::send`].
#[derive(Deserialize, Serialize)]
struct RankMessage {
    /// Program and kernels: other versions would not compute the same bits.
    version: String,
    problem: Problem,
    around: GhostBed,
    plan: SubdomainPlan,
    subdomain: usize,
    forcing: SubdomainForcing,
    links: SharedLinks,
    gauges: Gauges,
    timeline: Timeline,
    /// Rasters that are present.
    rasters: [bool; 4],
    /// Rate layers with a share per cell.
    shares: Vec<bool>,
    /// Cells of every zone, for each of the zone maps, and the zone map of each rate layer that has
    /// one.
    zones: Vec<Vec<u32>>,
    zone_maps: Vec<Option<usize>>,
    /// Fields of the saved state that follows, if any.
    goes_on: Option<Vec<Field>>,
}

/// Data that a rank received.
pub struct RankPart {
    /// The problem, without its rasters.
    pub problem: Problem,
    /// The plan for all ranks, and the index of this rank's subdomain.
    pub plan: SubdomainPlan,
    pub subdomain: usize,
    /// The set-up, with a padded grid that holds only the rows of its strip; memory for the others
    /// is not touched.
    pub setup: Setup,
}

/// Returns the rows of the padded grid that a frame contains.
pub(crate) fn rows_of(frame: Rect) -> Range<usize> {
    frame.row..frame.row + frame.rows
}

/// Returns the cells of the grid, row-major, that a rank needs of every raster for its frame.
fn cells_for(frame: Rect, (columns, rows): (usize, usize)) -> Range<usize> {
    let on_grid = |row: usize| row.saturating_sub(MARGIN).min(rows);
    let first = on_grid(frame.row).saturating_sub(BESIDE);
    first * columns..(on_grid(frame.row + frame.rows) + BESIDE).min(rows) * columns
}

/// Sender of the set-up data for all ranks but the first.
pub(crate) struct RankSetup<'a> {
    /// Connections to the other ranks.
    pub wire: &'a dyn Wire,
    /// Plan for all ranks.
    pub plan: &'a SubdomainPlan,
    /// Grid-wide data on the ground.
    pub around: &'a GhostBed,
    /// Fields of the saved state that follows, if any.
    pub goes_on: Option<&'a [Field]>,
}

impl RankSetup<'_> {
    /// Sends a rank its subdomain and waits for the acknowledgement, so that only one is in
    /// transit.
    pub fn send(&self, rank: usize, mut problem: Problem, setup: &Setup) -> Result<Problem> {
        let (wire, plan) = (self.wire, self.plan);
        let mut known = Vec::new();
        let map = |footprint: &Footprint| match footprint {
            Footprint::Zones(zoned) => Some(zoned.number(&mut known)),
            _ => None,
        };
        let zone_maps = problem.forcing.rates.iter().map(|rate| &rate.footprint).map(map).collect();
        let zones = problem.forcing.zones();
        let rasters = problem.take_rasters();
        let shares = problem.forcing.take_shares();
        let brief = RankMessage {
            version: version(),
            around: self.around.clone(),
            plan: plan.clone(),
            subdomain: rank,
            forcing: setup.forcing[rank].clone(),
            links: setup.links.clone(),
            gauges: setup.gauges.clone(),
            timeline: setup.timeline.clone(),
            rasters: rasters.each().map(|raster| !raster.is_empty()),
            shares: shares.iter().map(|shares| !shares.is_empty()).collect(),
            zones: zones.iter().map(|zones| zones.cells.clone()).collect(),
            zone_maps,
            goes_on: self.goes_on.map(<[Field]>::to_vec),
            problem,
        };
        command(wire, rank, &Command::Begin)?;
        wire.send(rank, Tag::Command, pack(&brief))?;
        let grid = (brief.problem.grid.columns, brief.problem.grid.rows);
        let cells = cells_for(plan.subdomains[rank].extent, grid);
        let send = |words: &[u32]| wire.send(rank, Tag::Command, bytes_of(words));
        for raster in rasters.each().into_iter().filter(|raster| !raster.is_empty()) {
            send(&raster[cells.clone()])?;
        }
        if let Some(tables) = &rasters.tables {
            let rows = cells.start / grid.0..cells.end / grid.0;
            tables.of_rows(rows).try_for_each(send)?;
        }
        for shares in shares.iter().filter(|shares| !shares.is_empty()) {
            let bits: Vec<u32> = shares[cells.clone()].iter().map(|share| share.bits()).collect();
            send(&bits)?;
        }
        zones.iter().try_for_each(|zones| send(&zones.of[cells.clone()]))?;
        answer(wire, rank)?;
        problem = brief.problem;
        problem.put_rasters(rasters);
        problem.forcing.put_shares(shares);
        Ok(problem)
    }

    /// Returns a function that distributes the lines of a saved state, as they are read, to the
    /// ranks that hold them: field by field, each rank's part in one message with an
    /// acknowledgement.
    pub fn lines(&self, grid: (usize, usize)) -> impl FnMut(Field, usize, &[u32]) -> Result<()> {
        let mut pending: Vec<Vec<u32>> = vec![Vec::new(); self.plan.subdomains.len()];
        move |field, line, bits| {
            let row = row_of(field, line);
            let is_last = line + 1 == field.shape(grid).1;
            for (rank, subdomain) in self.plan.subdomains.iter().enumerate().skip(1) {
                let rows = rows_of(subdomain.extent);
                if !rows.contains(&row) {
                    continue;
                }
                pending[rank].extend_from_slice(bits);
                if row + 1 == rows.end || is_last {
                    let words = std::mem::take(&mut pending[rank]);
                    self.wire.send(rank, Tag::Command, bytes_of(&words))?;
                    answer(self.wire, rank)?;
                }
            }
            Ok(())
        }
    }
}

/// Receives this rank's data from the first rank.
pub fn receive(wire: &dyn Wire) -> Result<RankPart> {
    let next = || wire.receive(0, Tag::Command);
    let brief: RankMessage = unpack(&next()?, 0)?;
    if brief.version != version() {
        let what = format!(
            "this rank runs inundate {}, but the first rank runs {}",
            version(),
            brief.version
        );
        return Err(Error::input(what).hint("start the same program on every host"));
    }
    let RankMessage { mut problem, around, plan, subdomain, forcing, timeline, goes_on, .. } =
        brief;
    let (grid, frame) =
        ((problem.grid.columns, problem.grid.rows), plan.subdomains[subdomain].extent);
    let (count, cells) = (problem.grid.cells(), cells_for(frame, grid));
    let mut rasters = Rasters::blank(brief.rasters, count);
    for raster in rasters.each_mut().into_iter().filter(|raster| !raster.is_empty()) {
        words_of(&next()?, &mut raster[cells.clone()], 0)?;
    }
    if let Some(hollow) = &problem.subgrid {
        let mut tables = hollow.blank();
        for words in tables.of_rows_mut(cells.start / grid.0..cells.end / grid.0) {
            words_of(&next()?, words, 0)?;
        }
        rasters.tables = Some(Arc::new(tables));
    }
    problem.put_rasters(rasters);
    let shares = || -> Result<Vec<Share>> {
        let mut bits = vec![0; cells.len()];
        words_of(&next()?, &mut bits, 0)?;
        let mut shares = vec![Share::NONE; count];
        let received = bits.into_iter().map(Share::from_bits);
        shares[cells.clone()]
            .iter_mut()
            .zip(received)
            .for_each(|(share, received)| *share = received);
        Ok(shares)
    };
    let all = brief.shares.into_iter().map(|has| if has { shares() } else { Ok(Vec::new()) });
    problem.forcing.put_shares(all.collect::<Result<_>>()?);
    let mut zones = Vec::new();
    for of_zone in brief.zones {
        let mut of = zeros(count);
        words_of(&next()?, &mut of[cells.clone()], 0)?;
        zones.push(Arc::new(Zones { of, cells: of_zone }));
    }
    for (rate, map) in problem.forcing.rates.iter_mut().zip(&brief.zone_maps) {
        if let (Footprint::Zones(zoned), Some(map)) = (&mut rate.footprint, map) {
            zoned.zones = zones[*map].clone();
        }
    }
    acknowledge(wire)?;
    let mut padded_grid =
        PaddedGrid::of_rows(&mut problem, &around, rows_of(frame), rows_of(frame));
    if let Some(fields) = goes_on {
        let grid = (problem.grid.columns, problem.grid.rows);
        take_lines(wire, &fields, grid, frame, &mut padded_grid)?;
    }
    problem.take_rasters();
    let setup = Setup::received(
        &problem,
        padded_grid,
        (plan.subdomains.len(), subdomain, forcing),
        (brief.links, brief.gauges),
        timeline,
    );
    Ok(RankPart { problem, plan, subdomain, setup })
}

/// Acknowledges the receipt of everything sent so far.
fn acknowledge(wire: &dyn Wire) -> Result<()> {
    reply(wire, Ok(Vec::new()))
}

/// Receives the lines of a saved state that are in a frame.
fn take_lines(
    wire: &dyn Wire,
    fields: &[Field],
    grid: (usize, usize),
    frame: Rect,
    padded_grid: &mut PaddedGrid,
) -> Result<()> {
    for &field in fields {
        let (width, lines) = field.shape(grid);
        let own = |line: &usize| rows_of(frame).contains(&row_of(field, *line));
        let own: Vec<usize> = (0..lines).filter(own).collect();
        let mut words = vec![0; width * own.len()];
        words_of(&wire.receive(0, Tag::Command)?, &mut words, 0)?;
        for (line, bits) in own.into_iter().zip(words.chunks_exact(width)) {
            padded_grid.put_line(field, line, bits);
        }
        acknowledge(wire)?;
    }
    padded_grid.restored = true;
    Ok(())
}
