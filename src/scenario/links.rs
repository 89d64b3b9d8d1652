//! Pumps and culverts, from a vector layer of lines or a CSV of points.

use super::line_features::{FieldSpec, LineFeature};
use super::places::cell_of;
use super::water::Time;
use crate::engine::forcing::culvert::{CONCRETE, Culvert, CulvertSection};
use crate::engine::forcing::link::{Link, LinkDriver, Rating};
use crate::engine::grid::Grid;
use crate::engine::roughness;
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::notice::{Notice, Reading};
use crate::input::tables::dialect::is_a_csv;
use crate::input::tables::rating;
use crate::input::vector::point_position::nearest_free;
use crate::input::vector::{self, Fields, Shape, Value};
use crate::measures::{self, Per};
use crate::units::Metre;
use serde::Serialize;
use std::path::Path;
use std::str::FromStr;

/// Fields of a link besides its kind and its ends.
const MORE: [&str; 14] = [
    "name",
    "capacity",
    "start_depth",
    "stop_depth",
    "rating",
    "diameter",
    "width",
    "height",
    "length",
    "n",
    "inlet",
    "inlet_level",
    "outlet_level",
    "barrels",
];
const FIELDS: Fields = Fields::one("kind").with(&MORE).only(Shape::Lines);
const KINDS: &str = "kinds: pump (with a capacity), culvert and flap (with a rating, a diameter, or a width and a height)";
/// Sample content of a CSV of links, for hints.
const EXAMPLE: &str = "the file starts like this:\n    x1,y1,x2,y2,kind,capacity\n    612300,4052100,612400,4052100,pump,0.5 m3/s";
const SPEC: FieldSpec = FieldSpec { key: "links", names: &MORE, example: EXAMPLE };

/// Links and their facts.
#[derive(Debug, Default)]
pub struct LinkInput {
    pub links: Vec<Link>,
    pub facts: Vec<LinkFacts>,
    /// Numbers of barrels without a roughness, and without an inlet.
    without: [usize; 2],
}

/// Kind of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum LinkKind {
    /// Pump with a constant capacity.
    #[serde(rename = "pump")]
    Pump,
    /// Culvert, which carries water in both directions.
    #[serde(rename = "culvert")]
    Culvert,
    /// Culvert that carries water only from its inlet to its outlet.
    #[serde(rename = "flap")]
    FlapGate,
}

impl LinkKind {
    /// Returns its name in inputs and outputs.
    pub fn name(self) -> &'static str {
        match self {
            LinkKind::Pump => "pump",
            LinkKind::Culvert => "culvert",
            LinkKind::FlapGate => "flap",
        }
    }
}

impl FromStr for LinkKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<LinkKind> {
        let all = [LinkKind::Pump, LinkKind::Culvert, LinkKind::FlapGate];
        let known = all.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name));
        known.ok_or_else(|| {
            Error::input(format!("links: '{name}' is not a kind of link")).hint(KINDS)
        })
    }
}

/// Facts about a link for outputs and messages.
#[derive(Clone, Debug, Serialize)]
pub struct LinkFacts {
    /// Name of the link, for outputs.
    pub name: String,
    /// Kind of the link.
    pub kind: LinkKind,
    /// Column and row of the inlet cell.
    pub inlet: (usize, usize),
    /// Column and row of the outlet cell.
    pub outlet: (usize, usize),
}

/// An invert this far above the ground is a likely mistake (m).
const HIGH: Metre = 20.0;
/// An invert this far below the ground of its end is a likely mistake (m).
const LOW: Metre = 5.0;
/// A wider or higher culvert is probably given in mm (m).
const WIDE: Metre = 30.0;

impl LinkInput {
    /// Reads the links.
    pub fn read(path: Option<&Path>, ground: Topography, time: Time) -> Result<Reading<LinkInput>> {
        let mut input = Reading::<LinkInput>::default();
        let Some(path) = path else { return Ok(input) };
        time.check_timed("links: the flow of a link is a rate in time")?;
        let entries = if is_a_csv(path) {
            input.notices.of(LineFeature::read_table(path, SPEC)?)
        } else {
            input.layer(path, ground)?
        };
        for entry in entries {
            let added = input.entry(&entry, ground);
            added.map_err(|error| error.at(&entry.place))?;
            entry.note_bare_levels(&mut input.notices);
        }
        let defaults = [("n", "0.013 (concrete)"), ("inlet", "headwall (square edges)")];
        for (count, (field, default)) in input.without.into_iter().zip(defaults) {
            if count > 0 {
                let culverts = if count == 1 { "a culvert" } else { &format!("{count} culverts") };
                let what = format!("has {culverts} without {field}: {default} is assumed");
                input.notices.assume(Notice::of("links", &path.display().to_string(), what));
            }
        }
        Ok(input)
    }
}

impl Reading<LinkInput> {
    fn layer(&mut self, path: &Path, ground: Topography) -> Result<Vec<LineFeature>> {
        let layer = self.notices.of(vector::read(path, "links", FIELDS, ground)?);
        let mut entries = Vec::with_capacity(layer.features.len());
        for feature in layer.features {
            let place = format!("{}, feature {}", path.display(), feature.id);
            let Value::Constant(kind) = feature.value else { unreachable!("all have a kind") };
            let ends = feature.ends.ok_or_else(|| {
                let error = Error::input("links: the line has several parts");
                error.at(&place).hint("draw one line from the inlet to the outlet")
            })?;
            entries.push(LineFeature::of(path, place, SPEC, kind, ends.to_vec(), feature.more));
        }
        Ok(entries)
    }

    fn entry(&mut self, entry: &LineFeature, ground: Topography) -> Result<()> {
        let grid = ground.grid;
        let [inlet, outlet] =
            [("inlet", entry.points[0]), ("outlet", entry.points[1])].map(|(end, point)| {
                let whose = format!("links: the {end} ({}, {})", point.0, point.1);
                cell_of(point, &whose, None, ground).map(|(_, cell)| cell)
            });
        let (inlet, outlet) = (inlet?, outlet?);
        let place = |cell| ground.grid.column_row(cell);
        if inlet == outlet {
            return Err(Error::input("links: the inlet and the outlet are in the same cell")
                .at(ground.place(inlet))
                .hint("move them at least a cell apart"));
        }
        let kind: LinkKind = entry.kind.parse()?;
        let (drive, rating) = match kind {
            LinkKind::Pump => pump(entry)?,
            LinkKind::Culvert | LinkKind::FlapGate => {
                let rating = self.rating_of(entry, grid)?.times(barrels(entry)?);
                let beds = [inlet, outlet].map(|cell| ground.level(cell));
                let keys = ["inlet_level", "outlet_level"];
                let inverts = [entry.level(keys[0])?, entry.level(keys[1])?];
                // A missing one of the two is at the bed of its cell.
                let crest = (inverts != [None; 2])
                    .then(|| inverts[0].unwrap_or(beds[0]).max(inverts[1].unwrap_or(beds[1])));
                let above = crest.map(|crest| crest - beds[0].max(beds[1]));
                if above.is_some_and(|above| above > HIGH) {
                    self.notices.warn(entry.notice(format_args!(
                        "the invert of this {} is {:.1} m above the ground of both its ends, so it carries little water; check its levels",
                        entry.kind,
                        above.unwrap_or_default()
                    )));
                }
                for ((key, invert), bed) in keys.into_iter().zip(inverts).zip(beds) {
                    let below = invert.map_or(0.0, |invert| bed - invert);
                    if below > LOW {
                        self.notices.warn(entry.notice(format_args!(
                            "the {key} of this {} is {below:.1} m below the ground of its end, so it runs full from there; check its levels",
                            entry.kind
                        )));
                    }
                }
                (LinkDriver::Fall { crest, one_way: kind == LinkKind::FlapGate }, rating)
            }
        };
        let number = self.links.len() + 1;
        let name =
            entry.text("name").map_or_else(|| format!("{} {number}", kind.name()), str::to_string);
        entry.check_used()?;
        for (end, cell, point) in
            [("inlet", inlet, entry.points[0]), ("outlet", outlet, entry.points[1])]
        {
            if let Some(what) = ground.raised_by(cell) {
                let free = nearest_free(point, ground);
                self.notices.warn(entry.notice(format_args!(
                    "the {end} of this {} is on {what}, so it carries water only from there or up to there; move the {end} beside it{free}",
                    entry.kind
                )));
            }
        }
        self.facts.push(LinkFacts {
            name: name.clone(),
            kind,
            inlet: place(inlet),
            outlet: place(outlet),
        });
        self.links.push(Link { name, inlet, outlet, drive, rating });
        Ok(())
    }

    /// Reads the rating of a culvert, from a CSV or its dimensions.
    fn rating_of(&mut self, entry: &LineFeature, grid: &Grid) -> Result<Rating> {
        let file = entry.text("rating");
        let diameter = entry.length("diameter")?;
        let (width, height) = (entry.length("width")?, entry.length("height")?);
        let section = match (file, diameter, width, height) {
            (Some(file), None, None, None) => {
                let path = entry.folder.join(file);
                let (pairs, assumed) = rating::read(&path)?;
                assumed.into_iter().for_each(|assumed| self.notices.assume(assumed));
                if let Some(pair) = pairs.windows(2).find(|pair| pair[1].1 < pair[0].1) {
                    self.notices.warn(format!(
                        "links: the flow of '{}' falls from a head of {} m to {} m, though more head drives more water",
                        path.display(),
                        pair[0].0,
                        pair[1].0
                    ));
                }
                if !self.notices.have_read(&path) {
                    self.notices.read("links", &path)?;
                }
                return Ok(Rating::of_difference(&pairs));
            }
            (None, Some(diameter), None, None) => CulvertSection::Circle(diameter),
            (None, None, Some(width), Some(height)) => CulvertSection::Box(width, height),
            _ => {
                return Err(Error::input(format!(
                    "links: the flow through this {} is not defined in one way",
                    entry.kind
                ))
                .hint("give either a rating (a CSV), or a diameter, or a width and a height"));
            }
        };
        let widest = diameter.into_iter().chain(width).chain(height).fold(0.0, f64::max);
        if widest > WIDE {
            self.notices.warn(entry.notice(format_args!(
                "this {} is {widest} m wide or high; a number without a unit is in m",
                entry.kind
            )));
        }
        let [(x1, y1), (x2, y2)] = entry.points[..] else { unreachable!("a link has two ends") };
        let apart = (x2 - x1).hypot(y2 - y1) * grid.metres_per_unit();
        let roughness = match entry.text("n") {
            None => {
                self.without[0] += 1;
                CONCRETE
            }
            Some(text) => {
                let number = text.parse::<f64>().ok().filter(|n| roughness::RANGE.contains(n));
                number.ok_or_else(|| {
                    Error::input(format!("links: '{text}' is not a Manning's n"))
                        .hint("give about 0.013 for concrete, 0.024 for corrugated steel")
                })?
            }
        };
        let length = entry.length("length")?.unwrap_or(apart);
        let inlet = match entry.text("inlet") {
            None => {
                self.without[1] += 1;
                section.inlets()[0]
            }
            Some(text) => {
                let known =
                    section.inlets().iter().find(|inlet| inlet.name.eq_ignore_ascii_case(text));
                *known.ok_or_else(|| {
                    let names: Vec<&str> =
                        section.inlets().iter().map(|inlet| inlet.name).collect();
                    let shape = if diameter.is_some() { "pipe" } else { "box" };
                    Error::input(format!("links: '{text}' is not an inlet of a {shape}"))
                        .hint(format!("inlets of a {shape}: {}", names.join(", ")))
                })?
            }
        };
        Ok(Culvert { section, inlet, length, roughness }.rating())
    }
}

/// Returns the number of equal barrels of a culvert.
fn barrels(entry: &LineFeature) -> Result<u8> {
    let Some(text) = entry.text("barrels") else { return Ok(1) };
    text.parse().ok().filter(|barrels| *barrels > 0).ok_or_else(|| {
        Error::input(format!("links: '{text}' is not a number of barrels"))
            .hint("give a whole number from 1 to 255")
    })
}

fn pump(entry: &LineFeature) -> Result<(LinkDriver, Rating)> {
    let capacity = entry.parsed("capacity", measures::parse_flow)?.ok_or_else(|| {
        Error::input("links: the pump has no capacity").hint("give one: 0.5 m3/s")
    })?;
    if capacity.per == Per::Step {
        return Err(Error::input("links: capacity: the flow is per step")
            .hint("give a flow in time: 0.5 m3/s"));
    }
    let start = entry.parsed("start_depth", measures::parse_depth)?.unwrap_or(0.0);
    let stop = entry.parsed("stop_depth", measures::parse_depth)?.unwrap_or(start);
    if stop > start {
        return Err(Error::input(format!(
            "links: the pump stops at {stop} m, above the {start} m at which it starts"
        ))
        .hint("give a stop_depth of at most start_depth"));
    }
    Ok((LinkDriver::Pump { start, stop }, Rating::constant(capacity.value)))
}
