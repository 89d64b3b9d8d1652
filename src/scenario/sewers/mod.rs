//! The sewer network of a run, which SWMM computes: its nodes on the map, and the inlets through
//! which they exchange water with the surface.

mod checks;
mod features;

use super::options::Options;
use super::quantity::named;
use super::subgrid::ComputationalGrid;
use super::water::Time;
use crate::engine::forcing::Forcing;
use crate::engine::forcing::ports;
use crate::engine::forcing::sites::sewer_inlet::InletNumbers;
use crate::engine::forcing::sites::{PlacedSite, SiteKind, SiteParameters};
use crate::engine::grid::{Bed, Grid};
use crate::engine::solver::SolverInfo;
use crate::error::{Error, Result};
use crate::input::notice::{Notice, Notices, Reading};
use crate::input::raster::place::{projection, transformed};
use crate::input::sewer_file::{SewerFile, id};
use crate::input::time::wall_time::moment;
use crate::machine::swmm::network::{Network, Node, NodeKind};
use crate::measures;
use crate::output::checkpoint::sewers::{SewerHistory, sum_of_network};
use crate::units::{Metre, Second};
use features::InletFeature;
use gdal::spatial_ref::{CoordTransform, SpatialRef};
use jiff::civil::DateTime;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Opening of a manhole or an inlet without one of its own: a round cover of 0.6 m (m²).
pub const DEFAULT_AREA: f64 = 0.283;
/// Discharge coefficients of weirs and orifices with sharp edges.
const WEIR_COEFFICIENT: f64 = 0.6;
const ORIFICE_COEFFICIENT: f64 = 0.6;
/// Gravity (m/s²).
const GRAVITY: f64 = 9.81;
/// Shortest coupling interval (s), and the longest without a warning.
const SHORTEST: Second = 0.1;
const LONGEST: Second = 60.0;

/// Sewer network of a run.
#[derive(Clone, Debug)]
pub struct Sewers {
    /// SWMM input file.
    pub path: PathBuf,
    /// Start of the input file, which has no time zone.
    start: DateTime,
    /// Area (m²) on which the file lets water pond over each node of the network.
    pub ponded_areas: Vec<f64>,
    /// Coupling interval (s).
    pub every: Second,
    /// Nodes that exchange water with the surface.
    pub nodes: Vec<SewerNode>,
    /// Inlets of these nodes, at least one each.
    pub inlets: Vec<Inlet>,
    /// Offset of the numbers of the first inlet in the tables of the laws.
    pub table: usize,
    /// Port of the first inlet.
    pub port: ports::Port,
    /// Checksum of the network and of its inlets.
    pub sum: String,
    /// History of the network in the runs that this one continues, and the net volume through each
    /// inlet since its last interval (grains).
    pub earlier: Option<(SewerHistory, Vec<i64>)>,
}

/// Node that exchanges water with the surface.
#[derive(Clone, Debug)]
pub struct SewerNode {
    /// Name of the node.
    pub name: String,
    /// Index of the node in SWMM.
    pub index: usize,
    /// Kind of the node.
    pub kind: NodeKind,
    /// Invert level (m).
    pub invert: Metre,
    /// Rim level (m).
    pub rim: Metre,
    /// Head over the rim at which its sealed cover gives way (m); `None` if it is open.
    pub sealed: Option<Metre>,
    /// Height of the highest crown of its conduits over the invert (m).
    pub crown: Metre,
    /// Position in the DEM's CRS.
    pub point: (f64, f64),
}

/// Inlet through which a node exchanges water with a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Inlet {
    /// Index of the node.
    pub node: usize,
    /// Cell of the grid.
    pub cell: usize,
    /// Lowest ground of the cell (m).
    pub ground: Metre,
    /// Level of the crest (m).
    pub crest: Metre,
    /// Area of the opening (m²); 0 if no water passes but what the network releases.
    pub area: f64,
    /// Length of the crest (m).
    pub length: Metre,
}

impl Inlet {
    /// Returns its numbers in the tables of the laws, without the state of its node.
    pub fn numbers(&self) -> InletNumbers {
        let root = (2.0 * GRAVITY).sqrt();
        InletNumbers {
            crest: (self.crest - self.ground).max(0.0) as f32,
            orifice: (ORIFICE_COEFFICIENT * self.area * root) as f32,
            weir: (2.0 / 3.0 * WEIR_COEFFICIENT * self.length * root) as f32,
            ..InletNumbers::default()
        }
    }
}

impl Sewers {
    /// Reads the network that the options name, if any, and checks it against the ground.
    ///
    /// # Errors
    /// If SWMM is missing or refuses the network, or the network does not fit the run.
    pub fn read(
        options: &Options,
        ground: &ComputationalGrid,
        solver: &SolverInfo,
        time: Time,
    ) -> Result<Option<Reading<Sewers>>> {
        let Some(path) = &options.sewers else {
            refuse_other_options(options)?;
            return Ok(None);
        };
        if !solver.is_timed() {
            return Err(Error::input(format!(
                "sewers: '{}' is an automaton, which has no physical time",
                solver.name
            ))
            .hint("take --solver shallow-water, or leave the sewers out"));
        }
        let file = SewerFile::read(path)?;
        let scratch = tempfile::tempdir().map_err(|error| {
            Error::run("sewers: cannot create a temporary folder").because(error)
        })?;
        let report = scratch.path().join("sewers.rpt");
        let network = Network::open(path, &report, &scratch.path().join("sewers.out"))?;
        let nodes = network.nodes()?;
        checks::check_options(&file)?;
        check_duration(path, &network, time)?;
        let mut notices = Notices::default();
        notices.read("sewers", path)?;
        for named in file.reads.iter().filter(|named| named.is_file()) {
            notices.read("sewers", named)?;
        }
        let every = notices.of(interval(options, &network)?);
        let to_dem = transformation(options, &ground.dem.grid)?;
        let points = points_of(&file, &to_dem, options)?;
        let ponds = file.has("ALLOW_PONDING", "YES");
        let mut sewers = Sewers {
            path: path.clone(),
            start: network.start,
            ponded_areas: nodes
                .iter()
                .map(|node| if ponds { node.ponded_area } else { 0.0 })
                .collect(),
            every,
            nodes: Vec::new(),
            inlets: Vec::new(),
            table: 0,
            port: 0,
            sum: String::new(),
            earlier: None,
        };
        let features = match &options.sewer_nodes {
            Some(layer) => {
                let features = features::read(layer, &nodes, &ground.dem.grid)?;
                Some(notices.of(features))
            }
            None => None,
        };
        for (index, node) in nodes.iter().enumerate() {
            let own: Option<Vec<&InletFeature>> = features
                .as_ref()
                .map(|features| features.iter().filter(|feature| feature.node == index).collect());
            let is_inside = |point: &(f64, f64)| cell_at(*point, ground).is_some();
            let point = match &own {
                Some(own) => own.iter().map(|feature| feature.point).find(is_inside),
                None => points.get(&id(&node.name)).copied().filter(is_inside),
            };
            if let Some(point) = point {
                let crown = file.crowns.get(&id(&node.name)).copied().unwrap_or_default();
                let crown = crown * network.metres;
                sewers.add_node(index, node, crown, point, &own.unwrap_or_default(), ground)?;
            }
        }
        let listed = features.as_ref().map(|features| {
            features.iter().map(|feature| nodes[feature.node].name.as_str()).collect()
        });
        let place = |point: (f64, f64)| cell_at(point, ground).is_some();
        checks::check_nodes(&sewers, &nodes, &points, listed, &place, &mut notices)?;
        checks::check_subcatchments(options, &file, &points, &to_dem, ground)?;
        checks::note_what_changes(&sewers, &nodes, &file, options, &mut notices);
        sewers.sum = sewers.checksum(&file)?;
        Ok(Some(Reading { value: sewers, notices }))
    }

    /// Adds a node at a point inside the domain, with an inlet at each of its features, or at the
    /// point if it has none. `crown` is the height of its highest conduit (m).
    fn add_node(
        &mut self,
        index: usize,
        node: &Node,
        crown: Metre,
        point: (f64, f64),
        features: &[&InletFeature],
        ground: &ComputationalGrid,
    ) -> Result<()> {
        let is_sealed = node.surcharge > 0.0 && features.iter().all(|own| own.area.is_none());
        let sealed = is_sealed.then_some(node.surcharge);
        let number = self.nodes.len();
        self.nodes.push(SewerNode {
            name: node.name.clone(),
            index,
            kind: node.kind,
            invert: node.invert,
            rim: node.invert + node.full_depth,
            sealed,
            crown,
            point,
        });
        let closed = is_sealed || node.kind == NodeKind::Outfall;
        let mut place = |point: (f64, f64), feature: Option<&InletFeature>| -> Result<()> {
            let Some(cell) = cell_at(point, ground) else {
                return Err(Error::input(format!(
                    "sewer_nodes: an inlet of '{}' at ({}, {}) is outside the domain",
                    node.name, point.0, point.1
                ))
                .hint("move it, or leave it out"));
            };
            let level = level_at(point, cell, ground)?;
            let count = feature.and_then(|feature| feature.inlets).unwrap_or(1.0);
            let area = feature.and_then(|feature| feature.area).unwrap_or(DEFAULT_AREA);
            let length = feature.and_then(|feature| feature.length).unwrap_or_else(|| {
                // The circumference of a round opening.
                2.0 * (std::f64::consts::PI * area).sqrt()
            });
            self.inlets.push(Inlet {
                node: number,
                cell,
                ground: ground.dem.ground().level(cell),
                // SWMM's head of a dry node is its invert, and no water comes from there.
                crest: feature.and_then(|feature| feature.crest).unwrap_or(level).max(node.invert),
                area: if closed { 0.0 } else { area * count },
                length: if closed { 0.0 } else { length * count },
            });
            Ok(())
        };
        match features.is_empty() {
            true => place(point, None),
            false => features.iter().try_for_each(|own| place(own.point, Some(own))),
        }
    }

    /// Returns a warning if the input file starts at another time than the run, in the time zone of
    /// the run's start.
    pub fn check_start(&self, time: Time) -> Option<Notice> {
        let start = time.clock.start().and_then(|start| moment(start, -time.elapsed))?;
        let apart = start.datetime().duration_since(self.start).as_secs_f64();
        let whose = if time.elapsed > 0.0 { "the first of the runs" } else { "the run" };
        let what = format!(
            "starts at {}, but {whose} at {}; the start of the file is taken as that of the run (to match them, set START_DATE and START_TIME in its [OPTIONS], or start)",
            self.start.strftime("%Y-%m-%dT%H:%M:%S"),
            time.clock.show(-time.elapsed)
        );
        let name = self.path.display().to_string();
        (apart.abs() >= 1.0).then(|| Notice::of("sewers", &name, what))
    }

    fn checksum(&self, file: &SewerFile) -> Result<String> {
        let inlets = self.inlets.iter().map(|inlet| {
            let node = &self.nodes[inlet.node];
            let numbers = [inlet.ground, inlet.crest, inlet.area, inlet.length];
            (node.name.clone(), inlet.cell, numbers.map(f64::to_bits))
        });
        let inlets: Vec<_> = inlets.collect();
        let named = file.reads.iter().filter(|named| named.is_file());
        let files: Vec<&Path> =
            [self.path.as_path()].into_iter().chain(named.map(|named| named.as_path())).collect();
        sum_of_network(&files, &(self.every.to_bits(), inlets))
    }

    /// Adds the inlets to a forcing, on the ports from holder number `first` on.
    pub fn force(&mut self, forcing: &mut Forcing, first: usize, grid: &Grid) {
        let per_area = ((1.0 / grid.cell_area()) as f32).to_bits();
        self.table = forcing.tables.len();
        self.port = ports::of_holder(first as u32);
        let mut sites = Vec::new();
        for (number, inlet) in self.inlets.iter().enumerate() {
            let at = forcing.tables.len() as u32;
            forcing.tables.extend(inlet.numbers().to_table());
            let given = SiteParameters {
                port: self.port + number as u32,
                numbers: [at, per_area],
                ..SiteParameters::of(SiteKind::SewerInlet)
            };
            sites.push(PlacedSite { cell: inlet.cell, given });
        }
        sites.sort_by_key(|site| site.cell);
        forcing.sites.extend(sites);
    }
}

/// Refuses the options of sewers in a run without them.
fn refuse_other_options(options: &Options) -> Result<()> {
    let others = [
        ("sewer_nodes", options.sewer_nodes.is_some()),
        ("sewer_interval", options.sewer_interval.is_some()),
        ("sewer_crs", options.sewer_crs.is_some()),
    ];
    match others.into_iter().find(|(_, given)| *given) {
        Some((key, _)) => Err(Error::input(format!("{key}: the run has no sewers"))
            .hint("give the network with --sewers town.inp, or leave it out")),
        None => Ok(()),
    }
}

/// Checks that a network's simulation lasts until the end of the run.
fn check_duration(path: &Path, network: &Network, time: Time) -> Result<()> {
    let end = time.elapsed + time.end;
    if network.duration + 1e-3 >= end {
        return Ok(());
    }
    Err(Error::input(format!(
        "sewers: '{}' ends after {}, but the run ends after {}",
        path.display(),
        crate::units::show_duration(network.duration),
        crate::units::show_duration(end)
    ))
    .hint("move END_DATE and END_TIME of its [OPTIONS] to the end of the run or later"))
}

/// Returns the coupling interval (s): the option's, or SWMM's routing step.
fn interval(options: &Options, network: &Network) -> Result<Reading<Second>> {
    let requested = named("sewer_interval", &options.sewer_interval, measures::parse_duration)?;
    let routing = network.routing_step();
    let every = requested.unwrap_or(routing);
    let key = if requested.is_some() { "sewer_interval" } else { "sewers: ROUTING_STEP" };
    let hint = "set ROUTING_STEP to a few seconds in the [OPTIONS] of the input file, and leave sewer_interval out";
    if every < SHORTEST {
        return Err(Error::input(format!("{key}: {every} s is less than {SHORTEST} s")).hint(hint));
    }
    // Within a routing step, SWMM would receive the same water again and again, and release that of
    // a whole step at once.
    if every < routing - 1e-6 {
        return Err(Error::input(format!(
            "sewer_interval: {every} s is shorter than the ROUTING_STEP of the input file, {routing} s, in which SWMM advances"
        ))
        .hint(hint));
    }
    let mut notices = Notices::default();
    if every > LONGEST {
        notices.warn(format!(
            "{key}: the heads of the sewers follow the surface only every {}, so inlets take or release too much water in between; {hint}",
            crate::units::show_duration(every)
        ));
    }
    Ok(Reading { value: every, notices })
}

/// Creates an error of the option `sewer_crs`.
fn wrong_crs(options: &Options, what: &str) -> Error {
    let crs = options.sewer_crs.as_deref().unwrap_or_default();
    Error::input(format!("sewer_crs: '{crs}' {what}"))
        .hint("give the CRS of the coordinates in the input file, such as EPSG:25832")
}

/// Returns the transformation of an input file's coordinates to the DEM's CRS, if one is needed.
fn transformation(options: &Options, grid: &Grid) -> Result<Option<CoordTransform>> {
    let Some(crs) = &options.sewer_crs else { return Ok(None) };
    let wrong = |what: &str| wrong_crs(options, what);
    let own = SpatialRef::from_definition(crs).and_then(|srs| srs.to_wkt());
    let own = own.map_err(|_| wrong("is not a coordinate reference system"))?;
    let dem = grid.crs.as_deref();
    let dem =
        dem.ok_or_else(|| wrong("cannot be used: the DEM has no coordinate reference system"))?;
    Ok(projection(Some(&own), Some(dem)))
}

/// Returns the coordinates of the nodes of an input file in the DEM's CRS.
fn points_of(
    file: &SewerFile,
    to_dem: &Option<CoordTransform>,
    options: &Options,
) -> Result<BTreeMap<String, (f64, f64)>> {
    let mut points = file.coordinates.clone();
    if let Some(transform) = to_dem {
        for point in points.values_mut() {
            *point = transformed(transform, *point)
                .ok_or_else(|| wrong_crs(options, "does not fit the coordinates of the network"))?;
        }
    }
    Ok(points)
}

/// Returns the cell of the domain at a point; `None` outside it.
fn cell_at((x, y): (f64, f64), ground: &ComputationalGrid) -> Option<usize> {
    let topography = ground.dem.ground();
    let (column, row) = topography.grid.cell_at(x, y)?;
    let cell = row * topography.grid.columns + column;
    topography.is_inside(cell).then_some(cell)
}

/// Returns the level of the ground at a point (m): that of the cell, or of the pixel in it.
fn level_at((x, y): (f64, f64), cell: usize, ground: &ComputationalGrid) -> Result<Metre> {
    let level = ground.dem.ground().level(cell);
    let Some(subgrid) = &ground.subgrid else { return Ok(level) };
    let fine = &subgrid.fine;
    let Some((column, row)) = fine.grid.cell_at(x, y) else { return Ok(level) };
    let pixel = fine.rows(row, 1)?[column];
    Ok(if pixel == Bed::OUTSIDE { level } else { f64::from(pixel) / Bed::PER_METRE })
}
