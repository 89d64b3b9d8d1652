//! Inlets of a sewer network from a vector layer of points.

use crate::engine::grid::Grid;
use crate::error::{Error, Result};
use crate::input::notice::Reading;
use crate::input::sewer_file::id;
use crate::input::vector::Shape;
use crate::input::vector::named::read_named;
use crate::machine::swmm::network::{Node, NodeKind};
use crate::measures;
use crate::measures::quantity::{self, number_and_rest};
use crate::units::Metre;
use std::collections::HashMap;
use std::path::Path;

const FIELDS: [&str; 4] = ["crest", "area", "length", "inlets"];
/// Units of numbers without one.
const UNITS: [&str; 4] = ["m", "m2", "m", ""];
const HOW: &str = "fields: name (of a node in the network), crest (m above the DEM's zero), area (m²), length (m) and inlets (a number); all but the name may be empty";

/// Inlet of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct InletFeature {
    /// Index of its node in the network.
    pub node: usize,
    /// Position in the DEM's CRS.
    pub point: (f64, f64),
    /// Level of the crest (m).
    pub crest: Option<Metre>,
    /// Area of an opening (m²).
    pub area: Option<f64>,
    /// Length of the crest of an opening (m).
    pub length: Option<Metre>,
    /// Number of equal openings.
    pub inlets: Option<f64>,
}

/// Reads the inlets of a layer.
///
/// # Errors
/// If the layer cannot be read, or a feature names no node of the network or has an invalid value.
pub fn read(path: &Path, nodes: &[Node], grid: &Grid) -> Result<Reading<Vec<InletFeature>>> {
    let layer = read_named(path, "sewer_nodes", Shape::Points, &FIELDS, grid)?;
    let mut read = Reading { value: Vec::new(), notices: layer.notices };
    let known: HashMap<String, usize> =
        nodes.iter().enumerate().map(|(at, node)| (id(&node.name), at)).collect();
    for feature in layer.value {
        let place = format!("{}, feature {}", path.display(), feature.id);
        let wrong =
            |what: String| Error::input(format!("sewer_nodes: {what}")).at(&place).hint(HOW);
        let name = feature.name.ok_or_else(|| wrong("the point has no name".into()))?;
        let Some(&node) = known.get(&id(&name)) else {
            return Err(wrong(format!("the network has no node '{name}'")));
        };
        let said = |at: usize| feature.said[at].as_deref().filter(|text| !text.trim().is_empty());
        let positive = |at: usize| {
            let parse = |text: &str| {
                let size = number_and_rest(text).and_then(|(number, unit)| match unit {
                    "" => Some(number),
                    unit => Some(number * quantity::ratio(unit, UNITS[at])?),
                });
                let size = size.filter(|size| *size > 0.0 && size.is_finite());
                size.ok_or_else(|| wrong(format!("{}: '{text}' is not a size above 0", FIELDS[at])))
            };
            said(at).map(parse).transpose()
        };
        let crest = said(0).map(|text| {
            measures::parse_level(text).map_err(|error| error.of("sewer_nodes: crest").at(&place))
        });
        let inlet = InletFeature {
            node,
            point: feature.points[0],
            crest: crest.transpose()?,
            area: positive(1)?,
            length: positive(2)?,
            inlets: positive(3)?,
        };
        let opens = inlet.crest.is_some() || inlet.area.is_some() || inlet.length.is_some();
        if nodes[node].kind == NodeKind::Outfall && opens {
            return Err(wrong(format!("'{name}' is an outfall, which has no opening")));
        }
        if inlet.inlets.is_some_and(|count| count.fract() != 0.0) {
            return Err(wrong(format!(
                "inlets: {} is not a whole number",
                inlet.inlets.unwrap_or_default()
            )));
        }
        read.value.push(inlet);
    }
    Ok(read)
}
