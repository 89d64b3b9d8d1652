//! Reads a layer of rivers.

use super::near::near;
use crate::engine::grid::{Bed, Grid};
use crate::engine::roughness::{RANGE, examples};
use crate::engine::subgrid::river::{Land, River, RiverBed};
use crate::error::{Error, Result};
use crate::input::notice::{Notice, Notices};
use crate::input::vector::lines::{Line, read_lines};
use crate::input::whereabouts::covered;
use crate::measures;
use std::fmt::Display;
use std::path::Path;

/// The fields of a river, in the order of [`Line::texts`].
const FIELDS: [&str; 7] =
    ["width", "bed_level", "bed_level_end", "depth", "shape", "side_slope", "roughness"];

/// A bed so far below the ground is a mistake (m), and one that is rather that.
const DEEPEST: f64 = 1000.0;
const DEEP: f64 = 50.0;

/// No river is wider (m), and few are as wide.
const WIDEST: f64 = 100_000.0;
const WIDE: f64 = 3000.0;

/// Sides that lean out further are no sides.
const FLATTEST: f64 = 100.0;

/// Beds that rise by less downstream are level (m).
const LEVEL: f64 = 0.01;

/// A river, and how wide it is at its banks (m).
pub struct Drawn {
    pub river: River,
    pub top_width: f64,
}

/// The rivers of a layer.
pub struct RiverLayer {
    /// Those that lie on the domain; one or more.
    pub rivers: Vec<Drawn>,
    /// How many others there are.
    pub left_out: usize,
}

/// Reads them for a land.
pub fn read(path: &Path, land: Land, grid: &Grid, said: &mut Notices) -> Result<RiverLayer> {
    let lines = said.of(read_lines(path, "rivers", &FIELDS, grid)?);
    let mut rivers = Vec::new();
    let mut left_out = 0;
    for line in lines {
        let place = format!("{}, feature {}", path.display(), line.id);
        let river = river(&line, grid, said).map_err(|error| error.at(&place))?;
        let known = rivers.len();
        for river in near(river, land) {
            if !lies_on(&river, land) {
                continue;
            }
            let deepest = river.greatest_depth(land);
            if deepest > DEEPEST {
                return Err(Error::input(format!("rivers: a bed {deepest:.0} m below the ground"))
                    .at(&place)
                    .hint("look at its unit, and at that of the DEM's heights"));
            }
            warn(&river, deepest, &place, said);
            rivers.push(Drawn { top_width: river.top_width(deepest), river });
        }
        left_out += usize::from(rivers.len() == known);
    }
    if rivers.is_empty() {
        return Err(outside("rivers", path, grid));
    }
    Ok(RiverLayer { left_out, rivers })
}

/// The error of a layer of which no line lies on the domain.
pub fn outside(role: &str, path: &Path, grid: &Grid) -> Error {
    Error::input(format!("{role}: '{}': no line of it lies on the DEM", path.display()))
        .hint(format!("{}; look at the layer's CRS, and at the DEM's NoData cells", covered(grid)))
}

/// Whether a line lies on open pixels somewhere.
pub fn lies_on(river: &River, land: Land) -> bool {
    river.places(land).any(|(segment, part, _)| land.at(river.point(segment, part, 0.0)).is_some())
}

/// Returns the points of a line in metres east and south of the north-west corner of a grid.
pub fn points(line: &Line, grid: &Grid) -> Vec<[f64; 2]> {
    let point = |&(x, y): &(f64, f64)| {
        let (column, row) = grid.place_of(x, y);
        [column * grid.dx, row * grid.dy]
    };
    line.points.iter().map(point).collect()
}

/// Levels at points, straight along their line from the first to the last (m).
pub fn straight(points: &[[f64; 2]], [first, last]: [f64; 2]) -> Vec<f64> {
    let far = points.iter().flatten().fold(0.0f64, |far, at| far.max(at.abs()));
    // Their squares are to be finite.
    let scale = if far > 1e100 { 1.0 / far } else { 1.0 };
    let mut along = vec![0.0];
    for ends in points.windows(2) {
        let [x, y] = [0, 1].map(|axis| scale * ends[1][axis] - scale * ends[0][axis]);
        along.push(along[along.len() - 1] + (x * x + y * y).sqrt());
    }
    let whole = along[along.len() - 1];
    along.iter().map(|at| first + at / whole * (last - first)).collect()
}

fn warn(river: &River, deepest: f64, place: &str, said: &mut Notices) {
    let mut warn = |text: &dyn Display| said.warn(Notice::at(place, format!("rivers: {text}")));
    if deepest <= 0.0 {
        warn(&"the bed lies nowhere below the ground along the line, so it lowers nothing");
    }
    if deepest > DEEP {
        warn(&format_args!(
            "the bed lies up to {deepest:.1} m below the ground; is its unit right?"
        ));
    }
    if river.width > WIDE {
        warn(&format_args!("a width of {} m; is its unit right?", river.width));
    }
    if let RiverBed::Levels(levels) = &river.bed {
        let rise = levels[levels.len() - 1] - levels[0];
        if rise > LEVEL {
            warn(&format_args!(
                "the bed rises by {rise:.2} m along the line; is it drawn upstream?"
            ));
        }
    }
}

/// What a line says.
fn river(line: &Line, grid: &Grid, said: &mut Notices) -> Result<River> {
    let [width, level, level_end, depth, shape, side_slope, roughness] = &line.texts[..] else {
        unreachable!("as many texts as fields")
    };
    let points = points(line, grid);
    let width = match width {
        Some(text) => measured("rivers: width", text, WIDEST)?,
        None => {
            return Err(Error::input("rivers: it has no 'width'")
                .hint("add a field 'width' (m), and fill it in"));
        }
    };
    let mut parse = |text: &String| said.level("rivers", text);
    let bed = match (level, depth, &line.heights) {
        (Some(_), Some(_), _) => {
            return Err(Error::input("rivers: it has both a 'bed_level' and a 'depth'")
                .hint("leave one of the fields empty (NULL)"));
        }
        (Some(first), None, _) => {
            let first = parse(first)?;
            let last = level_end.as_ref().map_or(Ok(first), &mut parse)?;
            RiverBed::Levels(straight(&points, [first, last]))
        }
        _ if level_end.is_some() => {
            return Err(Error::input("rivers: it has a 'bed_level_end' without a 'bed_level'")
                .hint("give the level of the bed at the first point of the line, too"));
        }
        (None, Some(text), _) => RiverBed::Below(measured("rivers: depth", text, DEEPEST)?),
        (None, None, Some(heights)) => {
            if let Some(wrong) = heights.iter().find(|height| Bed::quantize(**height).is_none()) {
                return Err(Error::input(format!("rivers: a point has a height of {wrong} m")));
            }
            RiverBed::Levels(heights.clone())
        }
        (None, None, None) => {
            return Err(Error::input(
                "rivers: it has neither a 'bed_level' nor a 'depth', and its line no heights",
            )
            .hint("fill in one of the fields: 'bed_level' (m above the DEM's zero) or 'depth' (m below the ground)"));
        }
    };
    let number = |name: &str, text: &String| {
        text.parse::<f64>()
            .map_err(|_| Error::input(format!("rivers: {name} '{text}' is no number")))
    };
    let side_slope = match (shape.as_deref().unwrap_or("rectangular"), side_slope) {
        ("trapezoid", Some(text)) => number("side_slope", text)?,
        ("trapezoid", None) => {
            return Err(Error::input("rivers: a trapezoid without a 'side_slope'")
                .hint("give how far its sides lean out for each metre that they rise, like 2"));
        }
        ("rectangular", None) => 0.0,
        ("rectangular", Some(_)) => {
            return Err(Error::input("rivers: a 'side_slope' without the shape 'trapezoid'")
                .hint("say trapezoid in the field 'shape', or leave 'side_slope' empty (NULL)"));
        }
        (other, _) => {
            return Err(Error::input(format!("rivers: there is no shape '{other}'"))
                .hint("shapes: rectangular, trapezoid"));
        }
    };
    if !(0.0..=FLATTEST).contains(&side_slope) {
        return Err(Error::input(format!("rivers: sides do not lean out by {side_slope}"))
            .hint("give how far they lean out for each metre that they rise, like 2"));
    }
    let roughness = roughness.as_ref().map(|text| number("roughness", text)).transpose()?;
    if let Some(n) = roughness.filter(|n| !RANGE.contains(n)) {
        return Err(Error::input(format!("rivers: {n} is no Manning's n")).hint(examples()));
    }
    Ok(River { points, bed, width, side_slope, roughness })
}

/// A length above 0 and no more than so much (m).
pub fn measured(name: &str, text: &str, most: f64) -> Result<f64> {
    let metres = measures::parse_depth(text).map_err(|error| error.of(name))?;
    if metres > 0.0 && metres <= most {
        return Ok(metres);
    }
    Err(Error::input(format!("{name}: {metres} m is none"))
        .hint(format!("give more than 0 and up to {most} m")))
}
