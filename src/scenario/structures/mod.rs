//! Structures on the edges between cells, from a vector layer of lines or a CSV. Each kind is a
//! file here; it reads the parameters of its [law](crate::engine::forcing::structures).

mod breach;
mod bridge;
mod edge_line;
mod facts;
mod froehlich;
mod gate;
mod kind;
mod weir;

use super::line_features::{FieldSpec, LineFeature};
use super::water::Time;
use crate::engine::forcing::sites::PlacedSite;
use crate::engine::forcing::structures::{Structure, StructureKind};
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, Grid};
use crate::engine::range::range;
use crate::engine::solver::SolverInfo;
use crate::engine::subgrid::tables::Tables;
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::notice::Reading;
use crate::input::tables::dialect::is_a_csv;
use crate::input::vector::Shape;
use crate::input::vector::named::read_named;
use crate::measures;
use crate::output::watch::Section;
use crate::units::Metre;
use crate::words::counted;
use edge_line::{EdgeBetween, EdgeLine};
use facts::BreachStart;
pub use facts::{BreachFacts, StructureFacts};
use kind::{BuiltStructure, Crest, FaceStructure, StructureReader};
use std::collections::BTreeMap;
use std::path::Path;

/// Fields of a structure besides its line and its kind.
const SPEC: FieldSpec = FieldSpec {
    key: "structures",
    names: &[
        "name",
        "width",
        "coefficient",
        "crest",
        "height",
        "modular_limit",
        "sill",
        "opening",
        "opening_series",
        "top",
        "soffit",
        "deck",
        "bottom_level",
        "bottom_width",
        "average_width",
        "side_slope",
        "formation_time",
        "reservoir_volume",
        "failure",
        "start",
        "trigger_level",
    ],
    example: "the file starts like this:\n    x1,y1,x2,y2,kind,crest\n    612300,4052100,612400,4052100,weir,12.4 m",
};

/// A crest this far above the ground is a likely mistake (m).
const HIGH: Metre = 50.0;

/// Share of a structure's width, below which less of its faces is open at its crest, that is
/// reported.
const NARROW: f64 = 0.8;

/// Structures of a run, with the sections that measure them and their triggers.
#[derive(Debug, Default)]
pub struct StructureInput {
    /// One structure per edge.
    pub structures: Vec<Structure>,
    /// Facts about each structure that was given.
    pub facts: Vec<StructureFacts>,
    /// Lines of the structures as sections, to record the discharge.
    pub sections: Vec<Section>,
    /// Triggers of breaches.
    begins: Vec<BreachStart>,
}

/// Name of a kind, and its reader.
type Kind = (&'static str, fn(&mut StructureReader) -> Result<BuiltStructure>);
const KINDS: [Kind; 4] = [
    ("weir", weir::read),
    ("gate", gate::read),
    ("bridge", bridge::read),
    ("breach", breach::read),
];

impl StructureInput {
    /// Reads the structures; their lookup tables are added to the run's tables.
    pub fn read(
        path: Option<&Path>,
        ground: Topography,
        solver: &SolverInfo,
        time: Time,
        tables: &mut Vec<f32>,
    ) -> Result<Reading<StructureInput>> {
        let mut input = Reading::<StructureInput>::default();
        let Some(path) = path else { return Ok(input) };
        if !solver.is_timed() {
            return Err(Error::input(format!(
                "structures: '{}' is an automaton, which has no discharge over edges",
                solver.name
            ))
            .hint("use --solver shallow-water, or give them as walls"));
        }
        let lines = match is_a_csv(path) {
            true => input.notices.of(LineFeature::read_table(path, SPEC)?),
            false => input.layer(path, ground.grid)?,
        };
        for line in &lines {
            let added = input.add(line, ground, time, tables);
            added.map_err(|error| error.at(&line.place))?;
            line.note_bare_levels(&mut input.notices);
        }
        input.check_apart(ground.grid)?;
        Ok(input)
    }

    /// Returns warnings about weirs and gates on cells with tables, where the ground of a part of
    /// their faces is above the crest: the law knows only the lowest ground of a face.
    pub fn beside_openings(&self, tables: &Tables, grid: &Grid) -> Vec<String> {
        let mut rest = &self.structures[..];
        let mut warnings = Vec::new();
        for fact in &self.facts {
            let (own, others) = rest.split_at(fact.edges);
            rest = others;
            let widths: Vec<f64> = own
                .iter()
                .filter(|it| matches!(it.kind, StructureKind::Weir | StructureKind::Gate))
                .filter_map(|it| {
                    let (column, row) = grid.column_row(it.cell);
                    let crest = Bed::quantize(it.crest.clamp(-Bed::LIMIT, Bed::LIMIT))?;
                    tables.width_below(it.axis, [column as isize, row as isize], crest)
                })
                .collect();
            let open = widths.iter().sum::<f64>() / widths.len() as f64;
            let sides = own.iter().map(|it| [grid.dy, grid.dx][it.axis]).sum::<f64>();
            let drawn = sides / f64::from(own.first().map_or(1.0, |it| it.detour));
            let taken = fact.width_m / drawn;
            if open < NARROW * taken {
                warnings.push(format!(
                    "structures: the ground is above the crest of '{}' on {:.0} % of its faces, but the law takes their lowest ground for {:.0} % of them, so too much passes; give the width of the opening, here about width = {:.1} m",
                    fact.name,
                    100.0 * (1.0 - open),
                    100.0 * taken.min(1.0),
                    open * drawn
                ));
            }
        }
        warnings
    }

    /// Returns the sites of the triggers, ascending by cell, for a run with this grain and
    /// `others`.
    ///
    /// # Errors
    /// If another site with a state is in one of the cells.
    pub fn triggers(
        &self,
        ground: Topography,
        grain: Grain,
        others: &[PlacedSite],
    ) -> Result<Vec<PlacedSite>> {
        let remembers = others.iter().filter(|site| site.given.kind.info().remembers);
        let mut known: BTreeMap<usize, &str> =
            remembers.map(|site| (site.cell, "an outlet")).collect();
        let mut all = Vec::new();
        for begins in &self.begins {
            for trigger in begins.sites(ground.bed, grain) {
                if let Some(other) = known.insert(trigger.cell, &begins.name) {
                    return Err(Error::input(format!(
                        "structures: '{}' has its trigger in a cell that belongs to {other}",
                        begins.name
                    ))
                    .at(ground.place(trigger.cell))
                    .hint("move one of them by at least a cell"));
                }
                all.push(trigger);
            }
        }
        all.sort_by_key(|trigger| trigger.cell);
        Ok(all)
    }
}

impl Reading<StructureInput> {
    fn layer(&mut self, path: &Path, grid: &Grid) -> Result<Vec<LineFeature>> {
        let fields: Vec<&str> = ["kind"].iter().chain(SPEC.names).copied().collect();
        let layer = read_named(path, "structures", Shape::Lines, &fields, grid)?;
        let drawn = self.notices.of(layer).into_iter().map(|mut feature| {
            let place = format!("{}, feature {}", path.display(), feature.id);
            let kind = feature.said.remove(0).unwrap_or_default();
            LineFeature::of(path, place, SPEC, kind, feature.points, feature.said)
        });
        Ok(drawn.collect())
    }

    fn add(
        &mut self,
        line: &LineFeature,
        ground: Topography,
        time: Time,
        tables: &mut Vec<f32>,
    ) -> Result<()> {
        let Some((_, read)) = KINDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&line.kind))
        else {
            let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.0).collect();
            return Err(line
                .wrong(format_args!("'{}' is not a kind of structure", line.kind))
                .hint(format!("kinds, in the field kind: {}", kinds.join(", "))));
        };
        let edge_line = EdgeLine::on(&line.points, ground)?;
        let notices = &mut self.notices;
        let made =
            read(&mut StructureReader { line, edge_line: &edge_line, time, tables, notices })?;
        let crests = edge_line.edges.iter().map(|edge| made.crest.over(edge.ground));
        let crest_m = range(crests);
        match made.crest {
            Crest::Level(level) => self.judge(line, &edge_line, level),
            Crest::Height(_) => self.warn_of_raised(line, &edge_line, ground),
        }
        if edge_line.beyond {
            self.notices
                .warn(line.notice("the line extends beyond the DEM; only the part inside is used"));
        }
        let number = self.facts.len() + 1;
        let name = line.text("name").map_or(format!("{} {number}", made.name), str::to_string);
        line.check_used()?;
        let mut levels_m = BTreeMap::new();
        for level in StructureFacts::LEVELS {
            levels_m.extend(line.parsed(level, measures::parse_level)?.map(|at| (level, at)));
        }
        if self.facts.iter().any(|other| other.name == name) {
            return Err(line
                .wrong(format_args!("two are called '{name}'"))
                .hint("give every structure a unique name"));
        }
        let cells = made.breach.as_ref().map(|(_, begins)| begins.cells);
        let detour = edge_line.detour as f32;
        for (edge, on) in edge_line.edges.iter().zip(made.edges) {
            let (cell, axis) = (edge.cells[0], edge.axis);
            let FaceStructure { kind, crest, numbers, waits } = on;
            let waits = cells.filter(|_| waits);
            self.structures.push(Structure { cell, axis, kind, crest, numbers, detour, waits });
        }
        let (breach, begins) = made.breach.unzip();
        self.begins.extend(begins.map(|begins| BreachStart { name: name.clone(), ..begins }));
        self.facts.push(StructureFacts {
            name: name.clone(),
            kind: made.name,
            width_m: made.width,
            edges: edge_line.edges.len(),
            crest_m,
            levels_m,
            breach,
        });
        self.sections.push(Section { name, line: line.points.clone(), stairs: edge_line.stairs });
        Ok(())
    }

    /// Warns if the height of a crest counts from the top of a building or wall.
    fn warn_of_raised(&mut self, line: &LineFeature, edge_line: &EdgeLine, ground: Topography) {
        let on_edge = |edge: &EdgeBetween| {
            let [a, b] = edge.cells;
            ground.raised_by(if ground.level(a) < ground.level(b) { b } else { a })
        };
        let raised: Vec<&str> = edge_line.edges.iter().filter_map(on_edge).collect();
        if let Some(what) = raised.first() {
            let edges = counted(edge_line.edges.len(), "edge", "edges");
            self.notices.warn(line.notice(format_args!(
                "in {} of its {edges} the crest counts from the top of {what}; give it as a level, or move the line beside it",
                raised.len()
            )));
        }
    }

    /// Warns if a crest is a likely mistake.
    fn judge(&mut self, line: &LineFeature, edge_line: &EdgeLine, level: Metre) {
        let (low, high) = edge_line.ground();
        let below = edge_line.edges.iter().filter(|edge| level < edge.ground).count();
        let (kind, edges) = (&line.kind, edge_line.edges.len());
        if level - high > HIGH {
            self.notices.warn(line.notice(format_args!(
                "the crest of a {kind} at {level} m is {:.1} m above the ground beside it; check its level and its unit",
                level - high
            )));
        } else if below > 0 {
            self.notices.warn(line.notice(format_args!(
                "the crest of a {kind} at {level} m is below the ground at {below} of its {edges} edges, by up to {:.2} m: there the ground is the crest (lowest ground: {low:.2} m)",
                high - level
            )));
        }
    }

    /// Checks that no two structures are on one edge.
    ///
    /// # Errors
    /// If two are.
    fn check_apart(&self, grid: &Grid) -> Result<()> {
        let owners = self.facts.iter().flat_map(|fact| std::iter::repeat_n(&fact.name, fact.edges));
        let mut seen = BTreeMap::new();
        for (structure, name) in self.structures.iter().zip(owners) {
            if let Some(other) = seen.insert((structure.cell, structure.axis), name) {
                let (column, row) = grid.column_row(structure.cell);
                let side = ["east", "south"][structure.axis];
                let whose = match other == name {
                    true => format!("'{name}' follows an edge twice"),
                    false => format!("'{other}' and '{name}' are on the same edge"),
                };
                return Err(Error::input(format!("structures: {whose}"))
                    .at(format!("{side} of {}", crate::words::place(column, row)))
                    .hint("draw them at least a cell apart, or end to end"));
            }
        }
        Ok(())
    }
}
