//! What a rank is told of a run: the problem without its rasters, and of those the rows of its strip.

use super::orders::{Order, bytes_of, order, pack, unpack, words_of};
use super::wire::{Lane, Wire};
use crate::backend::Problem;
use crate::backend::canvas::Canvas;
use crate::backend::cuda::source::fingerprint;
use crate::backend::laid::Laid;
use crate::backend::worker::VisitForcing;
use crate::error::{Error, Result};
use crate::forcing::ports::Port;
use crate::forcing::timeline::Timeline;
use crate::forcing::zones::Zones;
use crate::forcing::{Footprint, Share};
use crate::gauged::Gauges;
use crate::tiling::rect::Rect;
use crate::tiling::visit::{MARGIN, VisitPlan};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// This program, and the kernels in it.
pub fn version() -> String {
    format!("{} ({})", env!("CARGO_PKG_VERSION"), fingerprint())
}

/// What is told in one message. Rows of rasters follow, in the order of [`send`].
#[derive(Deserialize, Serialize)]
struct Brief {
    /// The program and its kernels: others would not compute the same bits.
    version: String,
    problem: Problem,
    plan: VisitPlan,
    visit: usize,
    forcing: VisitForcing,
    gauges: Gauges,
    ports: Vec<(usize, Port)>,
    timeline: Timeline,
    /// Which rate layers have a share per cell.
    shares: Vec<bool>,
    /// Cells of every zone, for each of the maps of zones, and the map of each rate layer that has one.
    zones: Vec<Vec<u32>>,
    zone_maps: Vec<Option<usize>>,
}

/// What a rank was told.
pub struct Told {
    /// The problem.
    pub problem: Problem,
    /// The plan for all ranks, and which visit is this one's.
    pub plan: VisitPlan,
    pub visit: usize,
    /// The canvas, of which it has its strip's rows, and what falls into that. No memory is touched for the rest.
    pub laid: Laid,
}

/// Rows of the grid that a frame of the canvas has.
fn on_grid(frame: Rect, rows: usize) -> Range<usize> {
    let first = frame.row.max(MARGIN) - MARGIN;
    first..(frame.row + frame.rows).saturating_sub(MARGIN).min(rows)
}

/// Tells a rank of its visit.
pub fn send(
    wire: &dyn Wire,
    to: usize,
    problem: Problem,
    laid: &Laid,
    plan: &VisitPlan,
    visit: usize,
) -> Result<Problem> {
    let canvas = &laid.canvas;
    let mut known = Vec::new();
    let map = |footprint: &Footprint| match footprint {
        Footprint::Zones(zoned) => Some(zoned.number(&mut known)),
        _ => None,
    };
    let zone_maps = problem.forcing.rates.iter().map(|rate| &rate.footprint).map(map).collect();
    let brief = Brief {
        version: version(),
        plan: plan.clone(),
        visit,
        forcing: laid.forcing[visit].clone(),
        gauges: laid.gauges.clone(),
        ports: canvas.ports.clone(),
        timeline: laid.timeline.clone(),
        shares: canvas.shares.iter().map(|shares| !shares.is_empty()).collect(),
        zones: canvas.zones.iter().map(|zones| zones.cells.clone()).collect(),
        zone_maps,
        problem,
    };
    order(wire, to, &Order::Begin)?;
    wire.send(to, Lane::Order, pack(&brief))?;
    let frame = plan.visits[visit].frame;
    let rows = frame.row..frame.row + frame.rows;
    let cells = rows.start * canvas.columns..rows.end * canvas.columns;
    for &field in &canvas.fields {
        wire.send(to, Lane::Order, bytes_of(&canvas.of(field)[cells.clone()]))?;
    }
    wire.send(to, Lane::Order, canvas.flags[cells].to_vec())?;
    let columns = canvas.columns - 2 * MARGIN;
    let rows = on_grid(frame, canvas.rows - 2 * MARGIN);
    let cells = rows.start * columns..rows.end * columns;
    for shares in canvas.shares.iter().filter(|shares| !shares.is_empty()) {
        let bits: Vec<u32> = shares[cells.clone()].iter().map(|share| share.bits()).collect();
        wire.send(to, Lane::Order, bytes_of(&bits))?;
    }
    for zones in &canvas.zones {
        wire.send(to, Lane::Order, bytes_of(&zones.of[cells.clone()]))?;
    }
    Ok(brief.problem)
}

/// What this rank is told by the first.
pub fn receive(wire: &dyn Wire) -> Result<Told> {
    let next = || wire.receive(0, Lane::Order);
    let brief: Brief = unpack(&next()?, 0)?;
    if brief.version != version() {
        let what =
            format!("this rank is inundate {}, and the first is {}", version(), brief.version);
        return Err(Error::input(what).hint("start the same program on every host"));
    }
    let Brief { mut problem, plan, visit, forcing, gauges, ports, timeline, .. } = brief;
    let mut canvas = Canvas::blank(&problem, ports);
    let frame = plan.visits[visit].frame;
    let cells = frame.row * canvas.columns..(frame.row + frame.rows) * canvas.columns;
    for number in 0..canvas.fields.len() {
        words_of(&next()?, &mut canvas.now[number][cells.clone()], 0)?;
    }
    let mut flags = vec![0; canvas.columns * canvas.rows];
    flags[cells].copy_from_slice(&next()?);
    canvas.flags = Arc::new(flags);
    let (columns, rows) = (problem.grid.columns, problem.grid.rows);
    let on_grid = on_grid(frame, rows);
    let cells = on_grid.start * columns..on_grid.end * columns;
    let words = || -> Result<Vec<u32>> {
        let mut words = vec![0; columns * rows];
        words_of(&next()?, &mut words[cells.clone()], 0)?;
        Ok(words)
    };
    let shares = || -> Result<Vec<Share>> {
        let mut bits = vec![0; cells.len()];
        words_of(&next()?, &mut bits, 0)?;
        let mut shares = vec![Share::NONE; columns * rows];
        let told = bits.into_iter().map(Share::from_bits);
        shares[cells.clone()].iter_mut().zip(told).for_each(|(share, told)| *share = told);
        Ok(shares)
    };
    for has in brief.shares {
        let shares = if has { shares()? } else { Vec::new() };
        canvas.shares.push(Arc::new(shares));
    }
    for cells in brief.zones {
        canvas.zones.push(Arc::new(Zones { of: words()?, cells }));
    }
    for (rate, map) in problem.forcing.rates.iter_mut().zip(&brief.zone_maps) {
        if let (Footprint::Zones(zoned), Some(map)) = (&mut rate.footprint, map) {
            zoned.zones = canvas.zones[*map].clone();
        }
    }
    let laid = Laid::told(&problem, canvas, (plan.visits.len(), visit, forcing), gauges, timeline);
    Ok(Told { problem, plan, visit, laid })
}
