//! Feature tables of a run's gauges, sections, sources and links, from text, a CSV or a layer.

use super::ProjectInputs;
use crate::input::tables::columns::CsvTable;
use crate::input::tables::dialect::is_a_csv;
use crate::output::features::{Fact, Feature, FeatureTable};
use crate::output::project::MapLayerKind::{self, Lines, Points};
use crate::output::sewers::SewerNodeReport;
use crate::output::style::Symbol;
use crate::output::symbols::{self, KindSymbol};
use crate::output::watch::{GaugeReport, SectionReport};
use crate::results::report::{LinkVolumes, SourceVolume};
use crate::scenario::options::{Options, ValueOrFile};
use crate::scenario::{Facts, SourceFacts};
use std::path::Path;

/// Table of a kind of feature: its name in the file, in the layer tree, and its symbol.
pub struct FeatureKind {
    /// Name in the file.
    pub table: &'static str,
    /// Title in the layer tree and in legends.
    pub title: &'static str,
    /// Symbol on the map.
    pub look: Symbol,
}

const fn look(colour: [u8; 3], shape: &'static str) -> Symbol {
    Symbol { colour, shape, filled: false }
}

/// Field with the kind of a structure, link or node.
const KIND: &str = "kind";

/// The kinds, topmost first. Layers that the run read have the same symbols.
pub const SORTS: [FeatureKind; 7] = [
    FeatureKind { table: "gauges", title: "Gauges", look: look([255, 213, 74], "circle") },
    FeatureKind {
        table: "rain_gauges",
        title: "Rain gauges",
        look: look([38, 110, 200], "diamond"),
    },
    FeatureKind { table: "sources", title: "Sources", look: look([230, 97, 1], "triangle") },
    FeatureKind { table: "links", title: "Links", look: look([0, 121, 107], "square") },
    FeatureKind { table: "structures", title: "Structures", look: look([123, 31, 162], "line") },
    FeatureKind { table: "sections", title: "Sections", look: look([194, 24, 91], "line") },
    FeatureKind { table: "sewer_nodes", title: "Sewer nodes", look: look([93, 64, 55], "circle") },
];

/// Returns the non-empty tables of a run.
pub fn tables(run: &ProjectInputs) -> Vec<FeatureTable> {
    let tables = [
        gauges(run),
        rain_gauges(run.options),
        sources(run),
        links(run),
        structures(run),
        sections(run),
        sewer_nodes(run),
    ];
    tables.into_iter().filter(|table| !table.features.is_empty()).collect()
}

/// Returns `true` if a run will have features to write.
pub fn are_expected(options: &Options, facts: &Facts) -> bool {
    !facts.watched.gauges.is_empty()
        || !facts.watched.sections.is_empty()
        || !facts.links.is_empty()
        || facts.sources.iter().any(|source| source.centre.is_some())
        || facts.sewers.is_some()
        || !rain_gauges(options).features.is_empty()
}

fn table(
    sort: usize,
    kind: MapLayerKind,
    features: impl IntoIterator<Item = Feature>,
) -> FeatureTable {
    let (name, features) = (SORTS[sort].table, features.into_iter().collect());
    FeatureTable { name, kind, features }
}

fn number(field: &'static str, value: f64) -> (&'static str, Fact) {
    (field, Fact::Number(Some(value)))
}

fn text(field: &'static str, value: impl Into<String>) -> (&'static str, Fact) {
    (field, Fact::Text(value.into()))
}

fn gauges(run: &ProjectInputs) -> FeatureTable {
    let feature = |gauge: &GaugeReport| Feature {
        name: gauge.name.clone(),
        points: vec![(gauge.at.x, gauge.at.y)],
        facts: vec![
            number("bed_m", gauge.bed_m),
            number("max_depth_m", gauge.max_depth_m),
            number("max_level_m", gauge.max_level_m),
            ("max_velocity_m_s", Fact::Number(gauge.max_velocity_m_s)),
        ],
    };
    table(0, Points, run.report.gauges.iter().map(feature))
}

/// Returns the nodes of the sewer network, with their peaks and volumes.
fn sewer_nodes(run: &ProjectInputs) -> FeatureTable {
    let feature = |node: &SewerNodeReport| Feature {
        name: node.name.clone(),
        points: vec![(node.x, node.y)],
        facts: vec![
            text(KIND, node.kind),
            number("invert_m", node.invert_m),
            number("rim_m", node.rim_m),
            number("max_head_m", node.peaks.max_head_m),
            number("max_into_sewer_m3_s", node.peaks.max_into_sewer_m3_s),
            number("max_onto_surface_m3_s", node.peaks.max_onto_surface_m3_s),
            number("into_sewer_m3", node.into_sewer_m3),
            number("onto_surface_m3", node.onto_surface_m3),
        ],
    };
    table(6, Points, run.report.sewer_nodes.iter().map(feature))
}

/// Returns sections that are not the lines of structures.
fn sections(run: &ProjectInputs) -> FeatureTable {
    let feature = |section: &SectionReport| Feature {
        name: section.name.clone(),
        points: section.line.clone(),
        facts: flows(section).to_vec(),
    };
    let is_other = |section: &&SectionReport| run.facts.structure(&section.name).is_none();
    let sections = run.report.sections.iter().filter(is_other);
    table(5, Lines, sections.map(feature))
}

/// Returns the fields of the flow through a section.
fn flows(section: &SectionReport) -> [(&'static str, Fact); 2] {
    [number("peak_m3_s", section.peak_m3_s), number("volume_m3", section.volume_m3)]
}

/// Returns the structures, with their kinds, as given and not as the cell edges that they follow.
fn structures(run: &ProjectInputs) -> FeatureTable {
    let feature = |section: &SectionReport| {
        let structure = run.facts.structure(&section.name)?;
        let own = [
            text(KIND, structure.kind),
            text("levels_m", structure.shown_levels("")),
            number("width_m", structure.width_m),
        ];
        let (name, points) = (section.name.clone(), section.line.clone());
        Some(Feature { name, points, facts: own.into_iter().chain(flows(section)).collect() })
    };
    table(4, Lines, run.report.sections.iter().filter_map(feature))
}

/// Returns links as lines between the centres of their end cells.
fn links(run: &ProjectInputs) -> FeatureTable {
    let middle = |(column, row)| run.facts.grid.centre(column, row);
    let feature = |volumes: &LinkVolumes| Feature {
        name: volumes.link.name.clone(),
        points: vec![middle(volumes.link.inlet), middle(volumes.link.outlet)],
        facts: vec![
            text(KIND, volumes.link.kind.name()),
            number("forward_m3", volumes.forward_m3),
            number("back_m3", volumes.back_m3),
        ],
    };
    table(3, Lines, run.report.links.iter().map(feature))
}

/// Returns the symbols of the kinds in a table of structures or links.
pub fn kinds(table: &FeatureTable) -> Vec<&'static KindSymbol> {
    let has = |symbol: &&KindSymbol| {
        let kind = text(KIND, symbol.kind);
        table.features.iter().any(|feature| feature.facts.first() == Some(&kind))
    };
    symbols::KINDS.iter().filter(has).collect()
}

/// Returns the sources as points at the centres of their inflow.
fn sources(run: &ProjectInputs) -> FeatureTable {
    let feature = |(facts, volume): (&SourceFacts, &SourceVolume)| {
        Some(Feature {
            name: volume.name.clone(),
            points: vec![facts.centre?],
            facts: vec![
                number("cells", volume.cells as f64),
                number("inflow_m3", volume.inflow_m3),
            ],
        })
    };
    table(2, Points, run.facts.sources.iter().zip(&run.report.sources).filter_map(feature))
}

/// Rain gauges from a CSV of `x,y,series`, which the run has read and found right.
fn rain_gauges(options: &Options) -> FeatureTable {
    let named = options.rain.as_ref().and_then(ValueOrFile::file);
    let features = named.filter(|path| is_a_csv(path)).and_then(read_rain_gauges);
    table(1, Points, features.into_iter().flatten())
}

fn read_rain_gauges(path: &Path) -> Option<Vec<Feature>> {
    let table = CsvTable::read(path, "rain", "").ok()?;
    let find = |names: &[&str]| {
        let is = |name: &str| names.iter().any(|wanted| name.eq_ignore_ascii_case(wanted));
        table.header.iter().position(is)
    };
    let (x, y, series) = (find(&["x"])?, find(&["y"])?, find(&["series", "hyetograph", "file"])?);
    let feature = |(_, record): &(u64, csv::StringRecord)| {
        let file = record.get(series)?.to_string();
        let name = Path::new(&file).file_stem()?.to_string_lossy().into_owned();
        let points = vec![(record.get(x)?.parse().ok()?, record.get(y)?.parse().ok()?)];
        Some(Feature { name, points, facts: vec![text("series", file)] })
    };
    table.rows.iter().map(feature).collect()
}
