//! Reads the gauges and sections of a run, and chooses the interval of their time series.

use super::options::{Options, Quantity};
use super::places::{NamedPlace, PlaceKind, cell_of};
use super::quantity::interval;
use super::rivers::NarrowRivers;
use crate::engine::backend::EdgeAt;
use crate::engine::clock::{Clock, TimeStepping};
use crate::engine::crossed_sides::CrossedSides;
use crate::engine::forcing::Forcing;
use crate::engine::forcing::sites::SiteKind;
use crate::engine::grid::Bed;
use crate::engine::solver::SolverInfo;
use crate::engine::subgrid::tables::Tables;
use crate::error::{Error, Result};
use crate::input::dem::fine_ground::FineGround;
use crate::input::dem::topography::Topography;
use crate::input::notice::{Notice, Notices, Reading};
use crate::input::vector::Shape;
use crate::input::vector::point_position::{covered, likely, nearest_free};
use crate::output::watch::{Accounts, Gauge, GaugeTable, Section, Stair, Watched, staircase};
use crate::words::counted;
use std::collections::BTreeSet;

const GAUGES: PlaceKind = PlaceKind {
    key: "gauges",
    one: "gauge",
    wanted: Shape::Points,
    how: "write a point as x,y or x,y,name: \"612300,4052100,bridge\"; or give a vector layer of points, or a CSV of name,x,y",
};
const SECTIONS: PlaceKind = PlaceKind {
    key: "sections",
    one: "section",
    wanted: Shape::Lines,
    how: "write a line as x1,y1,x2,y2 or x1,y1,x2,y2,name: \"612300,4052100,612300,4052900,weir\"; or give a vector layer of lines",
};

/// A gauge higher than this above the lowest ground of its cell is not in the channel (m).
const BESIDE: f64 = 0.1;

/// Default intervals to choose from (s).
const ROUND: [f64; 9] = [10.0, 15.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0];
/// Approximate number of values in a run with physical time, by default.
const RECORDS: f64 = 300.0;
/// Number of values for automata, with and without gauges or sections: each value ends a batch of
/// steps, and tiles on a device are loaded for many steps at a time.
const RECORDS_OF_STEPS: [f64; 2] = [100.0, 20.0];

/// Reads gauges and sections.
pub fn read(
    options: &Options,
    clock: &Clock,
    solver: &SolverInfo,
    ground: Topography,
) -> Result<Reading<Watched>> {
    let grid = ground.grid;
    let flows = solver.is_timed();
    if !flows && !options.sections.is_empty() {
        return Err(Error::input(format!(
            "sections: '{}' is an automaton, which has no discharge",
            solver.name
        ))
        .hint("take --solver shallow-water, or leave the sections out"));
    }
    let mut notices = Notices::default();
    let gauges = notices.of(GAUGES.read(&options.gauges, grid)?);
    let sections = notices.of(SECTIONS.read(&options.sections, grid)?);
    let gauges_read = gauges.iter().map(|place| gauge(place, ground));
    let sections_read = sections.iter().map(|place| section(place, ground, &mut notices));
    let (gauges_read, sections_read) =
        (gauges_read.collect::<Result<Vec<_>>>()?, sections_read.collect::<Result<Vec<_>>>()?);
    notices.warn_all(gauges_read.iter().filter_map(|gauge| {
        let what = ground.raised_by(gauge.cell)?;
        let free = nearest_free((gauge.x, gauge.y), ground);
        let advice = format!("is on {what}; move it beside it, or leave it out{free}");
        Some(Notice::of("gauges", &gauge.name, advice))
    }));
    let requested = !gauges_read.is_empty() || !sections_read.is_empty();
    let every = every(options, clock, requested)?;
    if every > clock.end() && options.gauge_every.is_some() {
        let [every, end] = [every, clock.end()].map(|time| clock.show(time));
        notices.warn(format!(
            "gauge_every: only the start and the end are recorded, because the run ends at {end}, before {every}; give a shorter interval, or leave it out"
        ));
    }
    let watched = Watched {
        gauges: gauges_read,
        sections: sections_read,
        every,
        flows,
        accounts: Accounts::default(),
    };
    Ok(Reading { value: watched, notices })
}

/// Adds the lines of structures as sections, so that their discharge is recorded.
///
/// # Errors
/// If a structure and a section have the same name.
pub fn add_structures(watched: &mut Watched, lines: &[Section]) -> Result<()> {
    for line in lines {
        if watched.sections.iter().any(|section| section.name == line.name) {
            return Err(Error::input(format!(
                "structures: '{}' is also the name of a section",
                line.name
            ))
            .hint("give it another name, or leave the section out: the discharge of a structure is written anyway"));
        }
    }
    watched.sections.extend_from_slice(lines);
    Ok(())
}

fn gauge(place: &NamedPlace, ground: Topography) -> Result<Gauge> {
    let NamedPlace { name, points } = place;
    let (x, y) = points[0];
    let whose = format!("gauges: '{name}' ({x}, {y})");
    let (place, cell) = cell_of((x, y), &whose, Some("gauge"), ground)?;
    let bed = ground.level(cell);
    Ok(Gauge {
        name: name.clone(),
        x,
        y,
        place,
        cell,
        bed,
        table: None,
        crossed: CrossedSides::default(),
    })
}

/// Places gauges on the pixels of the fine ground: their depths count from the pixel's ground.
/// Returns notes on gauges above the lowest ground of their cell.
///
/// # Errors
/// If a gauge is not on an open pixel.
pub fn lay_on_pixels(
    gauges: &mut [Gauge],
    ground: &FineGround,
    tables: &Tables,
    rivers: Option<&NarrowRivers>,
) -> Result<Vec<Notice>> {
    let mut notes = Vec::new();
    for gauge in gauges {
        let whose = format!("gauges: '{}' ({}, {})", gauge.name, gauge.x, gauge.y);
        let place = ground.grid.cell_at(gauge.x, gauge.y);
        let pixel = match place {
            Some((column, row)) => ground.rows(row, 1)?[column],
            None => Bed::OUTSIDE,
        };
        if pixel == Bed::OUTSIDE {
            return Err(Error::input(format!(
                "{whose} is on a pixel of the DEM that is closed, by NoData or a building"
            ))
            .hint("move it onto the terrain, or leave it out"));
        }
        let lowest = tables.bed[gauge.cell];
        // On a river, a gauge refers to the river's bed, not to the ground beside it.
        let of_river = place
            .zip(rivers)
            .and_then(|((column, row), rivers)| rivers.bed_at(row * ground.grid.columns + column));
        let pixel = of_river.map_or(pixel, |bed| bed.max(lowest));
        gauge.bed = f64::from(pixel) / Bed::PER_METRE;
        gauge.table = Some(GaugeTable { words: tables.words_of_cell(gauge.cell), lowest });
        let above = gauge.bed - f64::from(lowest) / Bed::PER_METRE;
        if above >= BESIDE {
            notes.push(Notice::of("gauges", &gauge.name, format!(
                "is {above:.2} m above the lowest ground of its cell; its depth counts from the ground of its pixel"
            )));
        }
    }
    Ok(notes)
}

fn section(place: &NamedPlace, ground: Topography, notices: &mut Notices) -> Result<Section> {
    let grid = ground.grid;
    let NamedPlace { name, points } = place;
    let wrong = |what: &str| Error::input(format!("sections: '{name}' {what}"));
    if points.windows(2).all(|ends| ends[0] == ends[1]) {
        return Err(wrong("is a single point").hint("draw it from bank to bank"));
    }
    let (stairs, beyond) = staircase(points, grid);
    let is_near = points.iter().any(|&(x, y)| grid.cell_at(x, y).is_some());
    if stairs.is_empty() && (beyond || !is_near) {
        return Err(wrong("is outside the DEM").hint(format!(
            "{}{}; move the section, or leave it out",
            covered(grid),
            likely(grid, points)
        )));
    }
    if stairs.is_empty() {
        return Err(wrong(
            "does not reach from one corner of the cells to another, so it follows no cell edge",
        )
        .hint("draw it longer, from bank to bank"));
    }
    // Flow can cross an edge between two cells of the domain. At the boundary of the raster one
    // cell is enough.
    let touches = stairs.iter().any(|(edge, _)| cells_beside(*edge, ground) != [None; 2]);
    if !touches {
        return Err(wrong("is on NoData cells of the DEM")
            .hint("move it onto the terrain, or leave it out"));
    }
    if beyond {
        notices.warn(Notice::of(
            "sections",
            name,
            "extends beyond the DEM; only the discharge inside the DEM counts",
        ));
    }
    Ok(Section { name: name.clone(), line: points.clone(), stairs })
}

/// Returns a warning for each section along the side of the domain where water leaves its cells by a
/// slope, a level or a rating rather than across the side.
pub fn check_sides(sections: &[Section], forcing: &Forcing, ground: Topography) -> Vec<Notice> {
    let stages = forcing.stage_boundaries.iter().flat_map(|stage| &stage.cells).copied();
    let rated = forcing.sites.iter().filter(|site| site.given.kind == SiteKind::Rated);
    let free = forcing.free.iter().map(|outflow| outflow.cell);
    let drains: BTreeSet<usize> = stages.chain(rated.map(|site| site.cell)).chain(free).collect();
    let drains_at = |&(edge, _): &Stair| {
        let sides = cells_beside(edge, ground).into_iter().flatten();
        let [cell] = sides.collect::<Vec<_>>()[..] else { return false };
        drains.contains(&cell)
    };
    let warning = |section: &Section| {
        let count = section.stairs.iter().filter(|stair| drains_at(stair)).count();
        (count > 0).then(|| {
            let what = format!(
                "follows the side of the domain along {}, in which a slope, a level or a rating lets water in or out: its discharge does not include that water; move it a cell inward",
                counted(count, "cell", "cells")
            );
            Notice::of("sections", &section.name, what)
        })
    };
    sections.iter().filter_map(warning).collect()
}

/// Returns the cells of the domain before and after an edge.
fn cells_beside(edge: EdgeAt, ground: Topography) -> [Option<usize>; 2] {
    let grid = ground.grid;
    let (line, at) = (edge.line as isize, edge.place as isize);
    let before = if edge.axis == 0 { (at - 1, line) } else { (at, line - 1) };
    [before, (at, line)].map(|(column, row)| {
        let on_grid =
            (0..grid.columns as isize).contains(&column) && (0..grid.rows as isize).contains(&row);
        let cell = on_grid.then(|| row as usize * grid.columns + column as usize)?;
        ground.is_inside(cell).then_some(cell)
    })
}

/// Returns the interval of the time series (s, or steps); `requested` is true if there are gauges
/// or sections.
fn every(options: &Options, clock: &Clock, requested: bool) -> Result<f64> {
    let Some(Quantity(text)) = &options.gauge_every else {
        return Ok(match clock.time_stepping {
            TimeStepping::Adaptive { end, .. } => {
                let round = ROUND.iter().find(|&&round| round * RECORDS >= end);
                *round.unwrap_or(&ROUND[ROUND.len() - 1])
            }
            TimeStepping::Equal { dt, steps } => {
                let records = if requested { RECORDS_OF_STEPS[0] } else { RECORDS_OF_STEPS[1] };
                round_up(steps as f64 / records) * dt
            }
        });
    };
    match interval("gauge_every", text, clock.unit, 10)? {
        every if every >= 1e-3 => Ok(every),
        _ => Err(Error::input(format!("gauge_every: '{text}' must be at least a millisecond"))
            .hint("give a time like --gauge-every 1min")),
    }
}

/// Rounds up to the next of 1, 2, 5, 10, 20, …
fn round_up(number: f64) -> f64 {
    let mut power = 1.0;
    loop {
        if let Some(round) = [1.0, 2.0, 5.0].map(|n| n * power).into_iter().find(|r| *r >= number) {
            return round;
        }
        power *= 10.0;
    }
}
