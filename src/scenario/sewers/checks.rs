//! Checks of a sewer network against the run: its options, its nodes and the ground, and rain that
//! would be counted twice.

use super::{Sewers, cell_at};
use crate::error::{Error, Result};
use crate::input::notice::Notices;
use crate::input::raster::place::transformed;
use crate::input::sewer_file::{SewerFile, Subcatchment, id};
use crate::machine::swmm::network::{Node, NodeKind};
use crate::scenario::options::Options;
use crate::scenario::subgrid::ComputationalGrid;
use crate::units::Metre;
use crate::words::{and_more, counted};
use gdal::spatial_ref::CoordTransform;
use geo::{Contains, LineString, Point, Polygon};
use std::collections::{BTreeMap, HashSet};

/// Difference between a rim and the ground above which they probably do not belong together (m).
const FAR: Metre = 0.5;
/// Number of names in a notice.
const NAMED: usize = 5;

/// Refuses networks whose heads SWMM does not compute.
pub fn check_options(file: &SewerFile) -> Result<()> {
    // SWMM's default is dynamic wave routing, for which it has two names.
    let routing = file.options.get("FLOW_ROUTING").map_or("DYNWAVE", String::as_str);
    if !["DYNWAVE", "DW"].iter().any(|name| routing.starts_with(name)) {
        return Err(Error::input(format!(
            "sewers: FLOW_ROUTING is {routing}, which computes neither pressure in the pipes nor backwater, so that the nodes have no heads for the exchange"
        ))
        .hint("set FLOW_ROUTING to DYNWAVE, and ROUTING_STEP to a few seconds, in the [OPTIONS] of the input file"));
    }
    if let Some(path) = file.saves.first() {
        return Err(Error::input(format!(
            "sewers: the input file lets SWMM write '{}', and a run writes nothing beside its results",
            path.display()
        ))
        .hint("remove the lines with SAVE from its [FILES]"));
    }
    if file.has("IGNORE_ROUTING", "YES") {
        return Err(Error::input("sewers: IGNORE_ROUTING is YES, so no water flows in the pipes")
            .hint("set it to NO in the [OPTIONS] of the input file"));
    }
    Ok(())
}

/// Returns the first names, and the number of the others.
fn list(names: &[&str]) -> String {
    and_more(names.iter(), NAMED)
}

/// Reports nodes outside the map, without a place, or far above or below the ground. `listed` are
/// the names in the layer of nodes, if there is one; `is_inside` tests for the domain.
pub fn check_nodes(
    sewers: &Sewers,
    nodes: &[Node],
    points: &BTreeMap<String, (f64, f64)>,
    listed: Option<HashSet<&str>>,
    is_inside: &dyn Fn((f64, f64)) -> bool,
    notices: &mut Notices,
) -> Result<()> {
    let on_map: HashSet<&str> = sewers.nodes.iter().map(|node| node.name.as_str()).collect();
    if sewers.nodes.is_empty() {
        return Err(Error::input(format!(
            "sewers: none of the {} nodes is in the domain of the DEM",
            nodes.len()
        ))
        .hint("check the [COORDINATES] of the input file; give their CRS with sewer_crs if it is not the DEM's"));
    }
    let others = nodes.iter().map(|node| node.name.as_str());
    let others: Vec<&str> = others.filter(|name| !on_map.contains(name)).collect();
    report_unconnected(&others, points, listed, is_inside, notices);
    report_levels(sewers, notices);
    let sealed = sewers.nodes.iter().filter(|node| node.sealed.is_some());
    let sealed: Vec<&str> = sealed.map(|node| node.name.as_str()).collect();
    if !sealed.is_empty() {
        notices.note(format!(
            "sewers: {} sealed (with a surcharge depth): no water enters there, and it leaves only if the head exceeds that depth over the rim: {}",
            counted(sealed.len(), "node is", "nodes are"),
            list(&sealed)
        ));
    }
    Ok(())
}

/// Reports nodes without exchange with the surface, of `others` than those on the map.
fn report_unconnected(
    others: &[&str],
    points: &BTreeMap<String, (f64, f64)>,
    listed: Option<HashSet<&str>>,
    is_inside: &dyn Fn((f64, f64)) -> bool,
    notices: &mut Notices,
) {
    let others = || others.iter().copied();
    if let Some(listed) = listed {
        let outside: Vec<&str> = others().filter(|name| listed.contains(name)).collect();
        if !outside.is_empty() {
            notices.warn(format!(
                "sewer_nodes: {} in the domain, and so without water from the surface: {}",
                counted(outside.len(), "node has no point", "nodes have no point"),
                list(&outside)
            ));
        }
        let is_omitted = |name: &&str| {
            !listed.contains(name) && points.get(&id(name)).is_some_and(|at| is_inside(*at))
        };
        let omitted: Vec<&str> = others().filter(is_omitted).collect();
        if !omitted.is_empty() {
            notices.warn(format!(
                "sewers: {} in the domain but not in the layer of sewer_nodes, and so without exchange with the surface: {}",
                counted(omitted.len(), "node is", "nodes are"),
                list(&omitted)
            ));
        }
    } else {
        let names = |placed: bool| -> Vec<&str> {
            others().filter(|name| points.contains_key(&id(name)) == placed).collect()
        };
        let (outside, unplaced) = (names(true), names(false));
        if !outside.is_empty() {
            notices.note(format!(
                "sewers: {} outside the domain and {} no water with the surface: {}",
                counted(outside.len(), "node is", "nodes are"),
                if outside.len() == 1 { "exchanges" } else { "exchange" },
                list(&outside)
            ));
        }
        if !unplaced.is_empty() {
            notices.warn(format!(
                "sewers: {} no coordinates and {} no water with the surface: {}",
                counted(unplaced.len(), "node has", "nodes have"),
                if unplaced.len() == 1 { "exchanges" } else { "exchange" },
                list(&unplaced)
            ));
        }
    }
}

/// Reports nodes whose rims, inverts or conduits do not fit the ground.
fn report_levels(sewers: &Sewers, notices: &mut Notices) {
    let first = |node: usize| sewers.inlets.iter().find(|inlet| inlet.node == node);
    let crests: Vec<Metre> =
        (0..sewers.nodes.len()).map(|node| first(node).map_or(0.0, |inlet| inlet.crest)).collect();
    let (mut above, mut below, mut high) = (Vec::new(), Vec::new(), Vec::new());
    let mut buried = Vec::new();
    for (node, crest) in sewers.nodes.iter().zip(&crests) {
        if node.kind == NodeKind::Outfall {
            if *crest > node.invert + node.crown + FAR {
                buried.push(node.name.as_str());
            }
        } else if node.invert >= *crest {
            high.push(node.name.as_str());
        } else if node.rim > crest + FAR {
            above.push(node.name.as_str());
        } else if node.rim < crest - FAR {
            below.push(node.name.as_str());
        }
    }
    for (names, what) in [
        (&high, "invert above the ground; water enters and leaves above the invert"),
        (
            &buried,
            "conduits more than 0.5 m below the ground of their cell, whose water backs up into them; lower the DEM there, or use --subgrid",
        ),
        (&above, "rim more than 0.5 m above the ground; water enters and leaves at the ground"),
        (&below, "rim more than 0.5 m below the ground; water enters and leaves at the ground"),
    ] {
        if !names.is_empty() {
            let have = counted(names.len(), "node has its", "nodes have their");
            notices.warn(format!("sewers: {have} {what}: {}", list(names)));
        }
    }
}

/// Refuses rain on the map and also on subcatchments of the network there.
pub fn check_subcatchments(
    options: &Options,
    file: &SewerFile,
    points: &BTreeMap<String, (f64, f64)>,
    to_dem: &Option<CoordTransform>,
    ground: &ComputationalGrid,
) -> Result<()> {
    let dry = ["IGNORE_RAINFALL", "IGNORE_RUNOFF"].iter().any(|option| file.has(option, "YES"));
    if options.rain.is_none() || dry {
        return Ok(());
    }
    let covered = |subcatchment: &&Subcatchment| {
        let is_inside = |point: &(f64, f64)| cell_at(*point, ground).is_some();
        if subcatchment.corners.is_empty() {
            return points.get(&id(&subcatchment.outlet)).is_some_and(is_inside);
        }
        let corner = |point: &(f64, f64)| match to_dem {
            Some(to_dem) => transformed(to_dem, *point),
            None => Some(*point),
        };
        let corners: Vec<(f64, f64)> = subcatchment.corners.iter().filter_map(corner).collect();
        corners.iter().any(is_inside) || samples_in(&corners, ground).iter().any(is_inside)
    };
    let both: Vec<&Subcatchment> = file.subcatchments.iter().filter(covered).collect();
    let Some(first) = both.first() else { return Ok(()) };
    Err(Error::input(format!(
        "sewers: rain falls on the map, and SWMM lets it rain on {} there as well ('{}' first): the rain would be counted twice",
        counted(both.len(), "subcatchment", "subcatchments"),
        first.name
    ))
    .hint("set IGNORE_RAINFALL to YES in the [OPTIONS] of the input file, so that rain runs off over the map into the inlets; or leave rain out"))
}

/// Returns points of the DEM that are in a polygon, of some hundreds that are spread evenly.
fn samples_in(corners: &[(f64, f64)], ground: &ComputationalGrid) -> Vec<(f64, f64)> {
    const ACROSS: usize = 64;
    let grid = ground.dem.ground().grid;
    let polygon = Polygon::new(LineString::from(corners.to_vec()), Vec::new());
    let at = |number: usize, cells: usize| (2 * number + 1) * cells / (2 * ACROSS);
    let places = (0..ACROSS).flat_map(|j| (0..ACROSS).map(move |i| (i, j)));
    let points = places.map(|(i, j)| grid.centre(at(i, grid.columns), at(j, grid.rows)));
    points.filter(|&(x, y)| polygon.contains(&Point::new(x, y))).collect()
}

/// Notes what the coupling changes in the network.
pub fn note_what_changes(
    sewers: &Sewers,
    nodes: &[Node],
    file: &SewerFile,
    options: &Options,
    notices: &mut Notices,
) {
    let of = |node: &super::SewerNode| &nodes[node.index];
    let ponded = file.has("ALLOW_PONDING", "YES")
        && sewers.nodes.iter().any(|node| of(node).ponded_area > 0.0);
    if ponded {
        notices.note(
            "sewers: ALLOW_PONDING is ignored at nodes on the map, where the water stands on the map instead",
        );
    }
    let staged = sewers.nodes.iter().filter(|node| file.staged.contains(&id(&node.name)));
    let staged: Vec<String> = staged.map(|node| node.name.clone()).collect();
    if !staged.is_empty() {
        notices.note(format!(
            "sewers: the stage of {} is the water level on the map, instead of that in the input file, which only sets the water in the pipes at the start (Initial Stored Volume in sewers.rpt): {}",
            counted(staged.len(), "outfall", "outfalls"),
            and_more(staged.iter(), NAMED)
        ));
    }
    if options.rain.is_some() && !file.rain_inflows.is_empty() {
        let names: Vec<&String> = file.rain_inflows.iter().collect();
        notices.warn(format!(
            "sewers: rain of the input file enters {} by RDII, in addition to the rain on the map: {}",
            counted(names.len(), "node", "nodes"),
            and_more(names.iter(), NAMED)
        ));
    }
    if file.has_events {
        notices.warn(
            "sewers: SWMM computes the flow during the [EVENTS] of the input file only; water that enters at other times stays in its nodes",
        );
    }
    let drains = options.losses.drainage.is_some();
    if drains {
        notices.warn(
            "sewers: drainage also removes water into sewers, everywhere on the map: give one of the two",
        );
    }
}
