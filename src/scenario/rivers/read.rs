//! Reads a layer of rivers.

use super::clip_lines::near;
use crate::engine::grid::{Bed, Grid};
use crate::engine::roughness::{RANGE, examples};
use crate::engine::subgrid::river::{Banks, Land, River, RiverBed};
use crate::error::{Error, Result};
use crate::input::notice::{Notice, Notices};
use crate::input::vector::lines::{Line, read_lines};
use crate::input::vector::point_position::covered;
use crate::measures;
use std::fmt::Display;
use std::path::Path;

/// Fields of a river, in the order of [`Line::texts`].
const FIELDS: [&str; 8] =
    ["width", "bed_level", "bed_level_end", "depth", "shape", "side_slope", "roughness", "banks"];

/// Depths of the bed below the ground that are refused (m), and that are unusual.
const DEEPEST: f64 = 1000.0;
const DEEP: f64 = 50.0;

/// Maximum width of a river (m), and unusual width.
const WIDEST: f64 = 100_000.0;
const WIDE: f64 = 3000.0;

/// Maximum side slope (horizontal to vertical).
const FLATTEST: f64 = 100.0;

/// Rise of the bed downstream that is still counted as level (m).
const LEVEL: f64 = 0.01;

/// River and its width at the banks (m).
pub struct RiverLine {
    pub river: River,
    pub top_width: f64,
}

/// Rivers of a layer.
pub struct RiverLayer {
    /// Rivers on the domain, at least one.
    pub rivers: Vec<RiverLine>,
    /// Number of rivers outside the domain.
    pub left_out: usize,
}

/// Reads the rivers of a land.
pub fn read(path: &Path, land: Land, grid: &Grid, notices: &mut Notices) -> Result<RiverLayer> {
    let lines = notices.of(read_lines(path, "rivers", &FIELDS, grid)?);
    let mut rivers = Vec::new();
    let mut left_out = 0;
    for line in lines {
        let place = format!("{}, feature {}", path.display(), line.id);
        let river = river(&line, grid, notices).map_err(|error| error.at(&place))?;
        let takes_heights = line.texts[1].is_none() && line.texts[3].is_none();
        if let Some([own, dem]) = line.other_datum.filter(|_| takes_heights) {
            notices.warn(Notice::at(
                &place,
                format!(
                    "rivers: the heights of the points are above {own}, but the DEM's above {dem}; they are not transformed"
                ),
            ));
        }
        let known = rivers.len();
        for river in near(river, land) {
            if !lies_on(&river, land) {
                continue;
            }
            let deepest = river.greatest_depth(land);
            if deepest > DEEPEST {
                return Err(Error::input(format!(
                    "rivers: a bed is {deepest:.0} m below the ground"
                ))
                .at(&place)
                .hint("check its unit and the unit of the DEM's heights"));
            }
            warn(&river, deepest, &place, notices);
            rivers.push(RiverLine { top_width: river.top_width(deepest), river });
        }
        left_out += usize::from(rivers.len() == known);
    }
    if rivers.is_empty() {
        return Err(outside("rivers", path, grid));
    }
    Ok(RiverLayer { left_out, rivers })
}

/// Creates the error for a layer without a line in the domain.
pub fn outside(role: &str, path: &Path, grid: &Grid) -> Error {
    Error::input(format!("{role}: '{}': none of its lines is on the DEM", path.display()))
        .hint(format!("{}; check the layer's CRS and the DEM's NoData cells", covered(grid)))
}

/// Returns true if a line passes through open pixels.
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

/// Interpolates levels at points linearly along their line from the first to the last (m).
pub fn straight(points: &[[f64; 2]], [first, last]: [f64; 2]) -> Vec<f64> {
    let far = points.iter().flatten().fold(0.0f64, |far, at| far.max(at.abs()));
    // Scaled so that squares stay finite.
    let scale = if far > 1e100 { 1.0 / far } else { 1.0 };
    let mut along = vec![0.0];
    for ends in points.windows(2) {
        let [x, y] = [0, 1].map(|axis| scale * ends[1][axis] - scale * ends[0][axis]);
        along.push(along[along.len() - 1] + (x * x + y * y).sqrt());
    }
    let whole = along[along.len() - 1];
    along.iter().map(|at| first + at / whole * (last - first)).collect()
}

fn warn(river: &River, deepest: f64, place: &str, notices: &mut Notices) {
    let mut warn = |text: &dyn Display| notices.warn(Notice::at(place, format!("rivers: {text}")));
    if deepest <= 0.0 {
        warn(&"the bed is nowhere below the ground along the line, so it has no effect");
    }
    if deepest > DEEP {
        warn(&format_args!("the bed is up to {deepest:.1} m below the ground; check its unit"));
    }
    if river.width > WIDE {
        warn(&format_args!("the width is {} m; check its unit", river.width));
    }
    if let RiverBed::Levels(levels) = &river.bed {
        let rise = levels[levels.len() - 1] - levels[0];
        if rise > LEVEL {
            warn(&format_args!(
                "the bed rises by {rise:.2} m along the line; the line may be drawn upstream"
            ));
        }
    }
}

/// Reads the texts of a line.
fn river(line: &Line, grid: &Grid, notices: &mut Notices) -> Result<River> {
    let [width, level, level_end, depth, shape, side_slope, roughness, banks] = &line.texts[..]
    else {
        unreachable!("as many texts as fields")
    };
    let points = points(line, grid);
    let width = match width {
        Some(text) => measured("rivers: width", text, WIDEST)?,
        None => {
            return Err(Error::input("rivers: the line has no 'width'")
                .hint("add a field 'width' (m), and fill it in"));
        }
    };
    let mut parse = |text: &String| notices.level("rivers", text);
    let bed = match (level, depth, &line.heights) {
        (Some(_), Some(_), _) => {
            return Err(Error::input("rivers: the line has both a 'bed_level' and a 'depth'")
                .hint("leave one of the fields empty (NULL)"));
        }
        (Some(first), None, _) => {
            let first = parse(first)?;
            let last = level_end.as_ref().map_or(Ok(first), &mut parse)?;
            RiverBed::Levels(straight(&points, [first, last]))
        }
        _ if level_end.is_some() => {
            return Err(Error::input(
                "rivers: the line has a 'bed_level_end' without a 'bed_level'",
            )
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
                "rivers: the line has neither a 'bed_level' nor a 'depth', and its points have no heights",
            )
            .hint("fill in one of the fields: 'bed_level' (m above the DEM's zero) or 'depth' (m below the ground)"));
        }
    };
    let number = |name: &str, text: &String| {
        text.parse::<f64>()
            .map_err(|_| Error::input(format!("rivers: {name} '{text}' is not a number")))
    };
    let shape = shape.as_ref().map_or("rectangular".into(), |text| text.to_lowercase());
    let side_slope = match (&shape[..], side_slope) {
        ("trapezoid", Some(text)) => number("side_slope", text)?,
        ("trapezoid", None) => {
            return Err(Error::input("rivers: the trapezoid has no 'side_slope'")
                .hint("give the horizontal distance of its sides per metre of rise, such as 2"));
        }
        ("rectangular", None) => 0.0,
        ("rectangular", Some(_)) => {
            return Err(Error::input("rivers: a 'side_slope' needs the shape 'trapezoid'")
                .hint("write trapezoid in the field 'shape', or leave 'side_slope' empty (NULL)"));
        }
        (other, _) => {
            return Err(Error::input(format!("rivers: '{other}' is not a shape"))
                .hint("shapes: rectangular, trapezoid"));
        }
    };
    if !(0.0..=FLATTEST).contains(&side_slope) {
        return Err(Error::input(format!("rivers: {side_slope} is not a valid 'side_slope'"))
            .hint("give the horizontal distance of the sides per metre of rise, such as 2"));
    }
    let roughness = roughness.as_ref().map(|text| number("roughness", text)).transpose()?;
    if let Some(n) = roughness.filter(|n| !RANGE.contains(n)) {
        return Err(Error::input(format!("rivers: {n} is not a Manning's n")).hint(examples()));
    }
    let banks = match banks.as_ref().map(|text| text.to_lowercase()).as_deref() {
        None | Some("rough") => Banks::Rough,
        Some("smooth") => Banks::Smooth,
        Some(other) => {
            return Err(Error::input(format!("rivers: '{other}' is not a kind of banks"))
                .hint("write rough (friction on bed and banks) or smooth (on the bed only)"));
        }
    };
    Ok(River { points, bed, width, side_slope, roughness, banks })
}

/// Parses a length above 0 and at most `most` (m).
pub fn measured(name: &str, text: &str, most: f64) -> Result<f64> {
    let metres = measures::parse_depth(text).map_err(|error| error.of(name))?;
    if metres > 0.0 && metres <= most {
        return Ok(metres);
    }
    Err(Error::input(format!("{name}: {metres} m is not a valid length"))
        .hint(format!("give more than 0 and up to {most} m")))
}
