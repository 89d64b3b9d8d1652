//! Vector layers of named points or lines: gauges and sections.

pub use super::fields::NAMES;
use super::reader::Reader;
use super::{Fields, Shape};
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::input::notice::Reading;
use std::path::Path;

/// Point or line with a name.
#[derive(Clone, Debug)]
pub struct Named {
    /// Number in the layer.
    pub id: u64,
    /// Name, if it has one.
    pub name: Option<String>,
    /// Points, in the DEM's CRS.
    pub points: Vec<(f64, f64)>,
    /// Values of the additional fields, in the requested order.
    pub said: Vec<Option<String>>,
}

/// Reads a layer for `role`, in the DEM's CRS, with additional fields, which may be missing or
/// empty: at least one feature.
pub fn read_named(
    path: &Path,
    role: &str,
    wanted: Shape,
    more: &[&str],
    grid: &Grid,
) -> Result<Reading<Vec<Named>>> {
    let reader = Reader { path, role, fields: Fields::one(NAMES[0]), grid };
    let dataset = reader.opened()?;
    let mut layer = reader.open(&dataset)?;
    let labels = layer.columns(&NAMES)?;
    let label = labels.into_iter().find(|(_, at, _)| at.is_some());
    let label = label.unwrap_or((NAMES[0], None, None));
    let more = layer.columns(more)?;
    layer.each(|item| {
        let (said, name) = (item.texts(&more)?, item.text(label.clone())?);
        Ok(Named { id: item.id, name, points: item.drawn(wanted)?.0, said })
    })
}
