//! Openings: lines across roads and embankments of the DEM under which water can pass.

use super::burn::{self, BurnLevels, Reach};
use super::clip_lines::near;
use super::read::{lies_on, measured, outside, points, straight};
use crate::engine::grid::{Bed, Grid};
use crate::engine::subgrid::river::{Banks, Land, River, RiverBed};
use crate::error::{Error, Result};
use crate::input::notice::{Notice, Notices};
use crate::input::vector::lines::{Line, read_lines};
use crate::scenario::obstacles::outside_domain;
use std::fmt::Display;
use std::path::Path;

/// Fields of an opening, in the order of [`Line::texts`].
const FIELDS: [&str; 2] = ["level", "width"];

/// Maximum width of an opening (m).
const WIDEST: f64 = 10_000.0;

/// Depth of a cut that is a likely mistake (m).
const DEEP: f64 = 50.0;

/// Pixels that openings lower.
pub struct Opened {
    pub lows: BurnLevels,
    /// Number of openings.
    pub lines: usize,
    /// Note on lines outside the domain.
    pub left_out: String,
}

/// Reads the openings of a land.
pub fn read(path: &Path, land: Land, grid: &Grid, notices: &mut Notices) -> Result<Opened> {
    let lines = notices.of(read_lines(path, "openings", &FIELDS, grid)?);
    let all = lines.len();
    let mut openings = Vec::new();
    let pixel = land.pixel[0].min(land.pixel[1]);
    let mut left_out = 0;
    for line in lines {
        let place = format!("{}, feature {}", path.display(), line.id);
        let (parts, width) =
            opening(&line, land, grid, notices).map_err(|error| error.at(&place))?;
        if parts.is_empty() {
            left_out += 1;
            continue;
        }
        let mut warn =
            |text: &dyn Display| notices.warn(Notice::at(&place, format!("openings: {text}")));
        let lowered = burn::lows(&parts, land, Reach::Touched);
        let cuts = |(pixel, low): (&usize, &i32)| {
            (f64::from(land.levels[*pixel]) - f64::from(*low)) / Bed::PER_METRE
        };
        let deepest = lowered.iter().map(cuts).fold(0.0, f64::max);
        if deepest <= 0.0 {
            warn(&"the ground along the line is nowhere higher than its bed, so it has no effect");
        } else if deepest > DEEP {
            warn(&format_args!(
                "the line cuts {deepest:.1} m deep; check that it begins and ends beside the obstacle"
            ));
        }
        if let Some(width) = width.filter(|width| *width < 0.999 * pixel) {
            warn(&format_args!(
                "a width of {width} m is less than a cell of the DEM, so it is one cell wide, {pixel:.3} m; for a narrow passage use a culvert in links"
            ));
        }
        openings.extend(parts);
    }
    let lines = all - left_out;
    if openings.is_empty() {
        return Err(outside("openings", path, grid));
    }
    let wide = openings.iter().filter(|opening| opening.width >= pixel).cloned();
    notices.warn_all(burn::uneven("openings", path, &wide.collect::<Vec<_>>(), land));
    let lows = burn::lows(&openings, land, Reach::Touched);
    Ok(Opened { lows, lines, left_out: outside_domain(left_out) })
}

/// Returns the bed of an opening, `None` if it is outside the domain, and its width if given (m).
fn opening(
    line: &Line,
    land: Land,
    grid: &Grid,
    notices: &mut Notices,
) -> Result<(Vec<River>, Option<f64>)> {
    let [level, width] = &line.texts[..] else { unreachable!("as many texts as fields") };
    let points = points(line, grid);
    let own_width =
        width.as_ref().map(|text| measured("openings: width", text, WIDEST)).transpose()?;
    let level = level.as_ref().map(|text| notices.level("openings", text)).transpose()?;
    let bed = RiverBed::Below(0.0);
    let width = own_width.unwrap_or(0.0);
    let mut opening =
        River { points, bed, width, side_slope: 0.0, roughness: None, banks: Banks::Smooth };
    let is_on = |part: &River| lies_on(part, land);
    if !near(opening.clone(), land).iter().any(is_on) {
        return Ok((Vec::new(), own_width));
    }
    let ends = match level {
        Some(level) => [level; 2],
        None => {
            let (first, last) = (opening.points[0], opening.points[opening.points.len() - 1]);
            let ground = |point| {
                let (_, level) = land.at(point)?;
                Some(f64::from(level) / Bed::PER_METRE)
            };
            let (Some(first), Some(last)) = (ground(first), ground(last)) else {
                return Err(Error::input(
                    "openings: an end of the line is outside the domain, where there is no ground",
                )
                .hint("draw both ends onto the ground beside the obstacle, or give a 'level'"));
            };
            [first, last]
        }
    };
    opening.bed = RiverBed::Levels(straight(&opening.points, ends));
    Ok((near(opening, land).into_iter().filter(is_on).collect(), own_width))
}
