//! Checks of a sewer network against the run: its options, its nodes and the ground, and rain that
//! would be counted twice.

use super::{Sewers, cell_at};
use crate::error::{Error, Result};
use crate::input::notice::Notices;
use crate::input::sewer_file::{SewerFile, Subcatchment};
use crate::machine::swmm::network::{Node, NodeKind};
use crate::scenario::options::Options;
use crate::scenario::subgrid::ComputationalGrid;
use crate::units::Metre;
use crate::words::{and_more, counted};
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
    if file.has("IGNORE_ROUTING", "YES") {
        return Err(Error::input("sewers: IGNORE_ROUTING is YES, so no water flows in the pipes")
            .hint("set it to NO in the [OPTIONS] of the input file"));
    }
    Ok(())
}

/// Reports nodes outside the map, without a place, or far above or below the ground.
pub fn check_nodes(
    sewers: &Sewers,
    nodes: &[Node],
    points: &BTreeMap<String, (f64, f64)>,
    selected: bool,
    notices: &mut Notices,
) -> Result<()> {
    let list = |names: &[&str]| and_more(names.iter(), NAMED);
    let on_map: HashSet<&str> = sewers.nodes.iter().map(|node| node.name.as_str()).collect();
    if sewers.nodes.is_empty() {
        return Err(Error::input(format!(
            "sewers: none of the {} nodes is in the domain of the DEM",
            nodes.len()
        ))
        .hint("check the [COORDINATES] of the input file; give their CRS with sewer_crs if it is not the DEM's"));
    }
    if !selected {
        let names = |placed: bool| -> Vec<&str> {
            let others = nodes.iter().map(|node| node.name.as_str());
            let others = others.filter(|name| !on_map.contains(name));
            others.filter(|name| points.contains_key(*name) == placed).collect()
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
    let first = |node: usize| sewers.inlets.iter().find(|inlet| inlet.node == node);
    let crests: Vec<Metre> =
        (0..sewers.nodes.len()).map(|node| first(node).map_or(0.0, |inlet| inlet.crest)).collect();
    let pairs = || sewers.nodes.iter().zip(&crests);
    let (mut above, mut below, mut high) = (Vec::new(), Vec::new(), Vec::new());
    for (node, crest) in pairs() {
        if node.kind == NodeKind::Outfall {
            continue;
        }
        if node.invert > *crest {
            high.push(node.name.as_str());
        } else if node.rim > crest + FAR {
            above.push(node.name.as_str());
        } else if node.rim < crest - FAR {
            below.push(node.name.as_str());
        }
    }
    for (names, what) in [
        (&high, "invert above the ground, so that water of the network would stand above the map"),
        (&above, "rim more than 0.5 m above the ground; water enters and leaves at the ground"),
        (&below, "rim more than 0.5 m below the ground; water enters and leaves at the ground"),
    ] {
        if !names.is_empty() {
            let have = counted(names.len(), "node has its", "nodes have their");
            notices.warn(format!("sewers: {have} {what}: {}", list(names)));
        }
    }
    let sealed: Vec<&str> = sewers
        .nodes
        .iter()
        .filter(|node| node.sealed.is_some())
        .map(|node| node.name.as_str())
        .collect();
    if !sealed.is_empty() {
        notices.note(format!(
            "sewers: {} sealed (with a surcharge depth): no water enters there, and it leaves only if the head exceeds that depth over the rim: {}",
            counted(sealed.len(), "node is", "nodes are"),
            list(&sealed)
        ));
    }
    Ok(())
}

/// Refuses rain on the map and also on subcatchments of the network there.
pub fn check_subcatchments(
    options: &Options,
    file: &SewerFile,
    points: &BTreeMap<String, (f64, f64)>,
    ground: &ComputationalGrid,
) -> Result<()> {
    let dry = ["IGNORE_RAINFALL", "IGNORE_RUNOFF"].iter().any(|option| file.has(option, "YES"));
    if options.rain.is_none() || dry {
        return Ok(());
    }
    let covered = |subcatchment: &&Subcatchment| {
        let outlet = points.get(&subcatchment.outlet);
        let corners = subcatchment.corners.iter();
        let mut places = if subcatchment.corners.is_empty() {
            outlet.into_iter().collect::<Vec<_>>()
        } else {
            corners.collect()
        }
        .into_iter();
        places.any(|point| cell_at(*point, ground).is_some())
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
    let staged = sewers.nodes.iter().filter(|node| file.staged.contains(&node.name));
    let staged: Vec<String> = staged.map(|node| node.name.clone()).collect();
    if !staged.is_empty() {
        notices.note(format!(
            "sewers: the stage of {} is the water level on the map, instead of that in the input file: {}",
            counted(staged.len(), "outfall", "outfalls"),
            and_more(staged.iter(), NAMED)
        ));
    }
    let drains = options.losses.drainage.is_some();
    if drains {
        notices.warn(
            "sewers: drainage also removes water into sewers, everywhere on the map: give one of the two",
        );
    }
}
