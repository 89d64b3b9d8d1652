//! `report.html`: a run on one page, in a self-contained file.

mod atlas;
mod chart;
mod curves;
mod greatest;
mod ground;
mod labels;
mod ledger;
pub mod map;
mod obstacles;
pub(crate) mod picture;
mod play;
mod quality;
mod step_limits;
mod ticks;

pub use atlas::shows;

use crate::engine::clock::{Clock, TimeUnit};
use crate::engine::grid::CellLocation;
use crate::error::{Error, Result};
use crate::input::logo::Logo;
use crate::input::time::wall_time;
use crate::output::layers::MAX_HAZARD;
use crate::output::points::PointsReport;
use crate::output::sewers::SewerReport;
use crate::output::small::Small;
use crate::output::watch::{GaugeReport, Records, SectionReport};
use crate::results::headline::{self, grouped, show_grouped, show_round};
use crate::results::report::{GridFacts, LevelVolumes, LinkVolumes, Report};
use crate::scenario::options::OutputGrid;
use crate::scenario::{BreachFacts, Facts, StructureFacts};
use crate::units::{show_count, show_duration};
use crate::words::{counted, in_order, printable};
use askama::Template;
use atlas::Atlas;
use curves::Figure;
use jiff::Zoned;
use map::plate_size;
use obstacles::Overlay;
use play::Play;
use serde_json::Value;

/// Maximum number of names in a line of facts.
const MOST_NAMES: usize = 8;

/// Filters for the templates.
pub(crate) mod filters {
    /// Formats a length with one decimal.
    #[askama::filter_fn]
    pub fn round1(
        value: impl std::borrow::Borrow<f64>,
        _: &dyn askama::Values,
    ) -> askama::Result<String> {
        Ok(format!("{:.1}", value.borrow()))
    }
}

/// Inputs of a page.
pub struct PageInputs<'a> {
    /// Facts about the run.
    pub facts: &'a Facts,
    /// Clock at the end of the run.
    pub clock: &'a Clock,
    /// Recorded time series.
    pub records: &'a Records,
    /// Bed levels, reduced.
    pub bed: &'a Small,
}

/// A table with a heading per column.
#[derive(Debug)]
struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns a table, unless it has no rows.
    fn of(head: Vec<&'static str>, rows: impl Iterator<Item = Vec<String>>) -> Option<Table> {
        let rows: Vec<Vec<String>> = rows.collect();
        (!rows.is_empty()).then_some(Table { head, rows })
    }
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: String,
    /// Project, author and date.
    report_details: Vec<String>,
    logo: Option<&'a Logo>,
    report: &'a Report,
    /// Highlights: a value, its unit, and a description.
    highlights: Vec<(String, String)>,
    /// Greatest values, with places and times.
    greatest_table: Option<Table>,
    /// Set if the greatest hazard is included.
    has_hazard: bool,
    pictures: Pictures,
    /// Width and height of each map.
    plate: (f64, f64),
    gauge_table: Option<Table>,
    gauges: Vec<Figure>,
    speeds: Option<Figure>,
    section_table: Option<Table>,
    sections: Vec<Figure>,
    link_table: Option<Table>,
    structure_table: Option<Table>,
    breach_table: Option<Table>,
    structures: Vec<Figure>,
    /// Reliability of the result, for solvers with physical time.
    quality_table: Option<Table>,
    /// Places that limited the steps.
    holds_table: Option<Table>,
    rates: Vec<Figure>,
    balance: Vec<Figure>,
    /// Sign, name and volume of the terms of the mass balance.
    ledger: Vec<ledger::Entry>,
    error: String,
    facts: Vec<(&'static str, String)>,
    parameters: Vec<(String, Vec<String>)>,
    command: String,
}

/// The pictures of a run's page, which take the longest to make.
#[derive(Debug)]
pub struct Pictures {
    atlas: Atlas,
    /// The series of depths, if there is one.
    play: Option<Play>,
    /// Picture of the ground under all maps.
    ground: Option<String>,
    /// Buildings and walls, drawn above the maps.
    obstacles: Option<Overlay>,
    /// Warnings about pictures that could not be drawn.
    pub warnings: Vec<String>,
}

/// Draws the pictures for the page of a run.
pub fn draw(report: &Report, run: &PageInputs) -> Result<Pictures> {
    // Without it the maps have the bare ground below them.
    let drawn = ground::draw(run.facts, run.bed);
    let warnings =
        drawn.as_ref().err().map(|error| format!("the report has no background: {error}"));
    let (ground, warnings) = (drawn.ok().flatten(), warnings.into_iter().collect());
    let has_ground = ground.is_some();
    let maps = || {
        rayon::join(|| atlas::draw(report, run, has_ground), || play::draw(report, run, has_ground))
    };
    let ((atlas, play), obstacles) = rayon::join(maps, || obstacles::draw(run.facts));
    Ok(Pictures { atlas: atlas?, play: play?, ground, obstacles: obstacles?, warnings })
}

/// Renders the page of a run with the pictures already drawn.
pub fn html(report: &Report, run: &PageInputs, pictures: Pictures) -> Result<String> {
    let PageInputs { facts, clock, .. } = run;
    let volume = &report.volume;
    let length = report.simulated_s.map_or(format!("{} steps", clock.taken()), show_duration);
    let mut highlights = vec![(length, "simulated".to_string())];
    highlights.extend(
        pictures.atlas.deepest.map(|deepest| (format!("{deepest:.2} m"), "greatest depth".into())),
    );
    let about = format!("deeper than {} m at some time", facts.arrival_depth);
    highlights.push((show_area(report.flooded_area()), about));
    let water = headline::water(report).into_iter();
    highlights.extend(water.map(|(volume, what)| (show_round(volume), what.into())));
    highlights.extend(report.points.as_ref().and_then(damage));
    highlights.push((format!("{} m³", volume.error()), "mass balance error, exactly".into()));
    let show = |time: f64| show_time(time, facts, clock);
    let page = Page {
        title: report.title.clone(),
        report_details: headline::report_details(facts),
        logo: facts.report_details.logo.as_ref(),
        highlights,
        greatest_table: greatest::table(&report.greatest, report.quality.as_ref(), &show),
        has_hazard: report.greatest.iter().any(|one| one.layer == MAX_HAZARD.key),
        pictures,
        plate: plate_size(facts.map_grid()),
        gauge_table: gauge_table(report, &show),
        gauges: run.gauges()?,
        speeds: run.speeds()?,
        section_table: section_table(report, facts, &show),
        sections: run.sections()?,
        link_table: link_table(report),
        structure_table: structure_table(report, &show),
        breach_table: breach_table(report, &show),
        structures: run.structures(&report.structures)?,
        holds_table: report.step_held.as_ref().and_then(|held| step_limits::table(held, &show)),
        quality_table: report.quality.as_ref().and_then(|quality| quality::table(quality, &show)),
        rates: run.rates()?,
        balance: run.balance()?,
        ledger: ledger::lines(report),
        error: format!("{} m³ exactly", volume.error()),
        facts: facts_of(report, facts),
        parameters: parameters(&report.parameters),
        command: shell_command(&report.command),
        report,
    };
    let html =
        page.render().map_err(|error| Error::run("cannot write the report").because(error))?;
    Ok(printable(&html).into_owned())
}

/// Returns the damage at points, if known: a value, and its description.
fn damage(points: &PointsReport) -> Option<(String, String)> {
    let damage = points.damage.as_ref()?;
    let of = counted(damage.features, "point", "points");
    Some((grouped(&format!("{:.0}", damage.total?)), format!("damage at {of}")))
}

fn show_area(square_metres: f64) -> String {
    match square_metres {
        area if area >= 1e6 => format!("{:.2} km²", area / 1e6),
        area if area >= 1e4 => format!("{:.2} ha", area / 1e4),
        area => grouped(&format!("{area:.0} m²")),
    }
}

/// Formats the start of a run, with its offset from UTC.
fn show_start(start: &Zoned) -> String {
    start.strftime("%Y-%m-%d %H:%M:%S %:z").to_string()
}

/// Formats a time of the run (s, or steps): by the wall clock if known, otherwise since the start.
fn show_time(time: f64, facts: &Facts, clock: &Clock) -> String {
    let start = facts.start.as_ref().filter(|_| clock.unit == TimeUnit::Seconds);
    // Steps end on a minute up to rounding.
    let then = start.and_then(|start| wall_time::moment(start, time.round()));
    // In a short run, minutes are too coarse.
    let format = if clock.end() < 7200.0 { "%Y-%m-%d %H:%M:%S" } else { "%Y-%m-%d %H:%M" };
    then.map_or_else(|| clock.show(time), |then| then.strftime(format).to_string())
}

/// Formats a number with at most `decimals` decimals, without zeros at their end.
fn trimmed(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    match decimals {
        0 => text,
        _ => text.trim_end_matches('0').trim_end_matches('.').into(),
    }
}

/// Formats the coordinates of a place: degrees need more digits than metres and feet.
fn show_place(CellLocation { x, y, .. }: CellLocation) -> [String; 2] {
    let decimals = if x.abs() <= 360.0 && y.abs() <= 90.0 { 6 } else { 1 };
    [x, y].map(|at| trimmed(at, decimals))
}

fn gauge_table(report: &Report, show: &dyn Fn(f64) -> String) -> Option<Table> {
    let time = |time: Option<f64>| time.map_or("–".into(), show);
    let mut head =
        vec!["gauge", "x", "y", "bed [m]", "max. depth [m]", "max. level [m]", "at", "arrival"];
    let flows = report.gauges.iter().any(|gauge| gauge.max_velocity_m_s.is_some());
    head.extend(flows.then_some("max. velocity [m/s]"));
    let row = |gauge: &GaugeReport| {
        let [x, y] = show_place(gauge.at);
        let mut row = vec![
            gauge.name.clone(),
            x,
            y,
            format!("{:.2}", gauge.bed_m),
            format!("{:.2}", gauge.max_depth_m),
            format!("{:.2}", gauge.max_level_m),
            time(gauge.time_of_max),
            time(gauge.arrival),
        ];
        row.extend(gauge.max_velocity_m_s.map(|speed| format!("{speed:.2}")));
        row
    };
    Table::of(head, report.gauges.iter().map(row))
}

fn section_table(report: &Report, facts: &Facts, show: &dyn Fn(f64) -> String) -> Option<Table> {
    let row = |section: &SectionReport| {
        vec![
            section.name.clone(),
            significant(section.peak_m3_s),
            show(section.time_of_peak),
            show_grouped(section.volume_m3),
            section.edges.to_string(),
        ]
    };
    let head = vec!["section", "peak discharge [m³/s]", "at", "volume", "cell edges"];
    let others = report.sections.iter().filter(|section| facts.structure(&section.name).is_none());
    Table::of(head, others.map(row))
}

fn link_table(report: &Report) -> Option<Table> {
    let row = |volumes: &LinkVolumes| {
        let link = &volumes.link;
        vec![
            link.name.clone(),
            link.kind.name().into(),
            show_grouped(volumes.forward_m3),
            show_grouped(volumes.back_m3),
        ]
    };
    let head = vec!["link", "kind", "from inlet to outlet", "back"];
    Table::of(head, report.links.iter().map(row))
}

fn structure_table(report: &Report, show: &dyn Fn(f64) -> String) -> Option<Table> {
    let row = |structure: &StructureFacts| {
        let flow = report.sections.iter().find(|section| section.name == structure.name);
        let of = |show: &dyn Fn(&SectionReport) -> String| flow.map_or("–".into(), show);
        vec![
            structure.name.clone(),
            structure.kind.into(),
            structure.shown_levels(""),
            format!("{:.1}", structure.width_m),
            of(&|flow| significant(flow.peak_m3_s)),
            of(&|flow| show(flow.time_of_peak)),
            of(&|flow| show_grouped(flow.volume_m3)),
        ]
    };
    let head = vec![
        "structure",
        "kind",
        "levels [m]",
        "width [m]",
        "peak discharge [m³/s]",
        "at",
        "volume",
    ];
    Table::of(head, report.structures.iter().map(row))
}

fn breach_table(report: &Report, show: &dyn Fn(f64) -> String) -> Option<Table> {
    let row = |structure: &StructureFacts| {
        let BreachFacts {
            bottom_level_m, bottom_width_m, side_slope, formation_s, began_s, ..
        } = structure.breach?;
        Some(vec![
            structure.name.clone(),
            format!("{bottom_level_m:.2}"),
            format!("{bottom_width_m:.1}"),
            format!("{side_slope:.2}"),
            show_duration(formation_s),
            began_s.map_or("not reached".into(), show),
        ])
    };
    let head = vec![
        "breach",
        "final bottom [m]",
        "bottom width [m]",
        "side slope, horizontal to 1",
        "formation time",
        "start",
    ];
    Table::of(head, report.structures.iter().filter_map(row))
}

/// Formats a number with about three digits.
fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        0.0 => 0,
        size => (2.0 - size.log10().floor()).clamp(4.0, 12.0) as usize,
    };
    grouped(&trimmed(value, decimals))
}

/// Joins the words of a command, quoted for a shell where necessary.
fn shell_command(words: &[String]) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_@%+=:,./-".contains(letter);
    let quoted = |word: &String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Describes the sewer network, and SWMM's own error, which is no part of the mass balance.
fn sewers_fact(sewers: &SewerReport) -> String {
    let SewerReport { nodes, inlets, interval_s, swmm, swmm_flow_error_percent, .. } = sewers;
    let transit = show_grouped(sewers.in_transit_m3);
    format!(
        "{nodes} nodes with {inlets} inlets, every {interval_s} s; {transit} on the way at the end; SWMM {swmm}, its own continuity error {swmm_flow_error_percent:.2} %"
    )
}

fn facts_of(report: &Report, run: &Facts) -> Vec<(&'static str, String)> {
    let Report { grid, flow, .. } = report;
    let (low, high) = grid.bed_range_m;
    let size = |GridFacts { columns, rows, dx_m, dy_m, .. }: &GridFacts, of: &str| {
        let (dx, dy) = (trimmed(*dx_m, 3), trimmed(*dy_m, 3));
        format!("{columns} × {rows}{of} of {dx} × {dy} m")
    };
    let cells = grouped(&grid.domain_cells.to_string());
    let (order, neighbourhood) = (in_order(flow.order), flow.neighbourhood.name());
    let mut facts = vec![
        ("Program", report.version.clone()),
        ("Grid", size(grid, " cells")),
        ("Domain", format!("{cells} cells, bed {low:.2} to {high:.2} m")),
        ("CRS", headline::crs_name(&run.grid).unwrap_or_else(|| "not known".into())),
        ("Solver", format!("{}{order}, {neighbourhood}", flow.solver)),
    ];
    if let Some(subgrid) = &report.subgrid {
        let drawn = if subgrid.output_grid == OutputGrid::Fine { "its maps" } else { "tables" };
        let (ratio, size) = (subgrid.ratio, size(&subgrid.fine, ""));
        let text = format!("{ratio} × {ratio} pixels a cell: {size}, for {drawn}");
        facts.insert(2, ("Ground in cells", text));
    }
    if let Some((low, high)) = flow.roughness {
        let range = if low == high { format!("{low}") } else { format!("{low} to {high}") };
        facts.push(("Manning's n", format!("{range} s/m^⅓")));
    }
    if let Some(alpha) = flow.alpha {
        facts.push(("Relaxation α", alpha.to_string()));
    }
    let open = flow.open_sides().into_iter().map(|(side, part)| format!("{side}{part}"));
    let open: Vec<String> = open.collect();
    let open = if open.is_empty() { "none".into() } else { open.join(", ") };
    let named = |all: &[LevelVolumes]| {
        let names: Vec<&str> = all.iter().map(|it| &it.name[..]).take(MOST_NAMES).collect();
        let more = all.len() - names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!all.is_empty()).then(|| names.join(", ") + &more)
    };
    let boundaries = [
        ("Stage boundaries", named(&report.held_levels)),
        ("Rating curves", named(&report.ratings)),
    ];
    facts.push(("Open edges", open));
    facts.extend(boundaries.into_iter().filter_map(|(what, names)| Some((what, names?))));
    facts.extend(report.sewers.as_ref().map(|sewers| ("Sewers", sewers_fact(sewers))));
    let count = grouped(&report.steps.to_string());
    let steps = match report.dt_range_s {
        Some((short, long)) if short < long => {
            format!("{count} of {} to {} s", significant(short), significant(long))
        }
        Some((dt, _)) if report.calibrated => format!("{count} of {dt} s (calibrated)"),
        _ => count,
    };
    facts.push(("Time steps", steps));
    facts.extend(run.start.as_ref().map(|start| ("Start", show_start(start))));
    if let Some(share) = report.flow_cut_share {
        facts.push(("Flow limited", format!("{:.2} %", 100.0 * share)));
    }
    facts.extend(report.points.as_ref().map(|points| ("Points", points_fact(points))));
    let greatest = report.extents.iter().filter(|extent| extent.time.is_none());
    let greatest = greatest.map(|extent| {
        let (area, volume) = (show_area(extent.area_m2), show_round(extent.volume_m3));
        format!("{area} deeper than {} m, with {volume} of water", extent.depth_m)
    });
    let greatest: Vec<String> = greatest.collect();
    facts.extend((!greatest.is_empty()).then(|| ("Extents", greatest.join("; "))));
    facts.push(("Device", report.device.clone()));
    let speed = show_count(report.cell_steps_per_s);
    facts.push(("Wall time", format!("{:.1} s, {speed} cell-steps/s", report.wall_s)));
    facts
}

fn points_fact(points: &PointsReport) -> String {
    let flooded = format!("{} of {} were flooded", points.flooded, points.features);
    match &points.damage {
        Some(damage) => format!("{flooded}, {} damage", damage.damaged),
        None => flooded,
    }
}

/// Lists the keys of the scenario with their values, one per line.
fn parameters(keys: &Value) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let lines = |value: &Value| match value {
        Value::Array(values) => values.iter().map(text).collect(),
        other => vec![text(other)],
    };
    let keys = keys.as_object().into_iter().flatten();
    keys.map(|(key, value)| (key.clone(), lines(value))).collect()
}
