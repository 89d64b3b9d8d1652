//! Breaches of walls and dams.

use super::facts::{BreachFacts, BreachStart};
use super::froehlich::{Failure, HEIGHTS, VOLUMES};
use super::kind::{BuiltStructure, Crest, FaceStructure, StructureReader};
use crate::engine::forcing::structures::StructureKind;
use crate::engine::forcing::structures::breach::{Part, Trapezoid};
use crate::engine::forcing::structures::weir::{COEFFICIENT, MODULAR};
use crate::error::Result;
use crate::measures;
use crate::units::Metre;

/// Warns if the ground is above the bottom of a breach by more than this fraction of the breach's
/// height.
const STAYS: f64 = 0.1;

pub fn read(reader: &mut StructureReader) -> Result<BuiltStructure> {
    let (line, edge_line) = (reader.line, reader.edge_line);
    let wall = line.level("crest")?.ok_or_else(|| {
        line.wrong("the breach has no crest")
            .hint("give the level of the wall's crest above the DEM's zero: crest = 48.5 m")
    })?;
    if line.text("width").is_some() {
        return Err(line
            .wrong("width: the width of a wall with a breach is the length of its line")
            .hint("give the width of the breach as bottom_width or average_width"));
    }
    let bottom = line.level("bottom_level")?.unwrap_or(edge_line.ground().0);
    let depth = wall - bottom;
    if depth <= 0.0 {
        return Err(line
            .wrong(format_args!("the breach's bottom at {bottom:.2} m is not below the crest at {wall} m"))
            .hint("give a bottom_level below the crest, or leave it out for the lowest ground of the line"));
    }
    let facts = shape(reader, wall, bottom)?;
    let begins = begins(reader, wall)?;
    let facts = BreachFacts { cells: begins.cells, trigger_level: begins.level, ..facts };
    let coefficient = reader.number("coefficient", 0.01..10.0, COEFFICIENT)?;
    let breach = Trapezoid {
        depth: depth as f32,
        width: facts.bottom_width_m as f32,
        slope: facts.side_slope as f32,
        formation: facts.formation_s as f32,
        coefficient,
    };
    let half = facts.bottom_width_m / 2.0 + facts.side_slope * depth;
    if 2.0 * half > edge_line.length {
        reader.notices.warn(line.notice(format_args!(
            "a breach grows to a width of {:.1} m at its crest, but its line is {:.1} m long; the part beyond the line is ignored",
            2.0 * half,
                edge_line.length
        )));
    }
    let beside = |along: [Metre; 2]| {
        let [from, to] = along.map(|along| along - edge_line.length / 2.0);
        (to > -half && from < half).then_some([from, to])
    };
    let breached = edge_line.edges.iter().filter(|edge| beside(edge.along).is_some());
    let inside = |[from, to]: [Metre; 2]| to.min(half) - from.max(-half);
    let covered: Metre = breached.clone().filter_map(|edge| beside(edge.along)).map(inside).sum();
    let lost = (2.0 * half).min(edge_line.length) - covered;
    if lost > STAYS * 2.0 * half {
        reader.notices.warn(line.notice(format_args!(
            "{lost:.1} of the {:.1} m of a breach at its crest are on NoData or at the edge of the DEM, where nothing passes; it is in the middle of its line",
            2.0 * half
        )));
    }
    let high: Vec<Metre> = breached.clone().map(|edge| edge.ground - bottom).collect();
    let stays = high.iter().filter(|high| **high > STAYS * depth).count();
    if stays > 0 {
        let highest = high.iter().fold(0.0f64, |most, high| most.max(*high));
        let all = high.len();
        reader.notices.warn(line.notice(format_args!(
            "the bottom of a breach at {bottom:.2} m is below the ground at {stays} of its {all} edges, by up to {highest:.2} m: there it stops at the ground. If the wall is in the DEM, lower the DEM there"
        )));
    }
    let share = edge_line.share(edge_line.width);
    let tables = &mut *reader.tables;
    let edges = edge_line.edges.iter().map(|edge| {
        let Some([from, to]) = beside(edge.along) else {
            let numbers = [(share * edge.part) as f32 * coefficient, MODULAR, 0.0];
            let crest = wall.max(edge.ground);
            return FaceStructure { kind: StructureKind::Weir, crest, numbers, waits: false };
        };
        let crest = bottom.max(edge.ground);
        let part = Part { breach, raised: (crest - bottom) as f32, length: edge.length as f32 };
        let numbers = [from as f32, to as f32, part.table(tables)];
        FaceStructure { kind: StructureKind::Breach, crest, numbers, waits: true }
    });
    Ok(BuiltStructure {
        name: "breach",
        width: edge_line.width,
        crest: Crest::Level(wall),
        edges: edges.collect(),
        breach: Some((facts, begins)),
    })
}

/// Reads the final shape of the breach of a wall from its crest to the bottom (m), without its
/// cells and trigger.
fn shape(reader: &mut StructureReader, wall: Metre, bottom: Metre) -> Result<BreachFacts> {
    let line = reader.line;
    let depth = wall - bottom;
    let own = [line.length("bottom_width")?, line.length("average_width")?];
    let time = line.duration("formation_time")?;
    let said = line.text("failure");
    let (average, slope, formation) = match (
        line.parsed("reservoir_volume", measures::parse_volume)?,
        own,
        time,
    ) {
        (Some(volume), [None, None], None) => {
            let failure = match said.map(str::to_lowercase).as_deref() {
                Some("overtopping") => Failure::Overtopping,
                Some("piping") => Failure::Piping,
                _ => {
                    return Err(line
                        .wrong("the type of failure of this dam is missing")
                        .hint("give a failure: overtopping or piping"));
                }
            };
            let beyond = [
                (!HEIGHTS.contains(&depth)).then(|| format!("a height of {depth:.1} m")),
                (!VOLUMES.contains(&volume)).then(|| format!("a volume of {volume} m³")),
            ];
            for what in beyond.into_iter().flatten() {
                reader.notices.warn(line.notice(format_args!(
                    "{what} is outside the range of Froehlich's regression, 3 to 93 m and 0.014 to 660 million m³"
                )));
            }
            let found = failure.breach(depth, volume);
            (Some(found.average_width), found.side_slope, found.formation_time)
        }
        (None, [bottom, average], Some(time))
            if said.is_none() && bottom.is_some() != average.is_some() =>
        {
            (average, 1.0, time)
        }
        _ => {
            return Err(line.wrong("the growth of this breach is not defined in one way").hint(
                "give either bottom_width or average_width, and formation_time; or reservoir_volume and failure (overtopping, piping), for Froehlich's regression",
            ));
        }
    };
    if formation <= 0.0 {
        return Err(line
            .wrong("formation_time: it is 0")
            .hint("give 1 s for a wall that fails instantly"));
    }
    let mut side_slope = f64::from(reader.number("side_slope", 0.0..10.0, slope as f32)?);
    let bottom_width_m = match (own[0], average) {
        (Some(width), _) => width,
        (None, average) => {
            let average = average.expect("one of both");
            if average < side_slope * depth {
                side_slope = average / depth;
                reader.notices.warn(line.notice(format_args!(
                    "a breach {average:.1} m wide on average and {depth:.1} m deep is a triangle, with sides of {side_slope:.2} to 1"
                )));
            }
            average - side_slope * depth
        }
    };
    Ok(BreachFacts {
        cells: [0; 2],
        trigger_level: None,
        bottom_level_m: bottom,
        bottom_width_m,
        side_slope,
        formation_s: formation,
        began_s: None,
    })
}

/// Reads the trigger of the breach.
fn begins(reader: &mut StructureReader, wall: Metre) -> Result<BreachStart> {
    let line = reader.line;
    let time = line.duration("start")?;
    let level = line.level("trigger_level")?;
    let middle = reader.edge_line.length / 2.0;
    let far = |along: [Metre; 2]| ((along[0] + along[1]) / 2.0 - middle).abs();
    let edges = reader.edge_line.edges.iter();
    let lead = edges.min_by(|a, b| far(a.along).total_cmp(&far(b.along))).expect("an edge");
    let warn = |says: String| line.notice(format_args!("a breach {says}"));
    match (time, level) {
        (None, None) | (Some(_), Some(_)) => {
            let is = if time.is_some() { "defined twice" } else { "not defined" };
            return Err(line
                .wrong(format_args!("the start of this breach is {is}"))
                .hint("give start, a time, or trigger_level, a water level beside its middle"));
        }
        // The start of a continued breach counts from an earlier run.
        (Some(time), _) if time - reader.time.elapsed >= reader.time.end => {
            reader.notices.warn(warn("begins after the end of the run".into()));
        }
        (_, Some(level)) if level <= lead.ground => {
            let ground = lead.ground;
            reader.notices.warn(warn(format!(
                "begins at a level of {level} m, which is not above the ground beside it at {ground:.2} m"
            )));
        }
        (_, Some(level)) if level > wall + 5.0 => {
            let over = level - wall;
            reader.notices.warn(warn(format!(
                "begins at a level of {level} m, {over:.1} m above the crest of the wall"
            )));
        }
        _ => {}
    }
    Ok(BreachStart { name: String::new(), cells: lead.cells, level, time })
}
