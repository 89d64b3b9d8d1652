//! Points: the features of a layer, the cells of each, and their exposure to damage.

mod around;
mod exposed;

use super::options::Options;
use super::terrain::FineTerrain;
use crate::engine::clock::Clock;
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::notice::Reading;
use crate::input::tables::damage_curves::Curves;
use crate::input::vector::all_features::{Field, Whole, kind_of_all, read_whole};
use crate::output::layers::{LAYERS, at_points};
use crate::output::points::{FID, GEOMETRY, PointFeature, Points, Spans, taken_names};
use crate::words::{and_so_on, counted};
use around::seen_from;
use exposed::Exposure;
use gdal_sys::OGRwkbGeometryType;
use std::path::Path;

/// Maximum number of features named in a warning.
const NAMED: usize = 5;

/// Reads the damage curves that the options name, before any raster is read.
///
/// # Errors
/// If they are invalid, or there are no points for them.
pub fn curves(options: &Options) -> Result<Option<Curves>> {
    let alone = |key: &str, needs: &str, flag: &str| {
        Error::input(format!("{key}: has no effect without {needs}"))
            .hint(format!("give {flag}, or leave {key} out"))
    };
    match (&options.points, &options.damage_curves, &options.damage_field) {
        (None, Some(_), _) => Err(alone("damage_curves", "points", "--points buildings.gpkg")),
        (_, None, Some(_)) => {
            Err(alone("damage_field", "damage curves", "--damage-curves curves.csv"))
        }
        (_, Some(path), _) => Curves::read(path, "damage_curves").map(Some),
        _ => Ok(None),
    }
}

/// Reads the points of a run on the DEM's grid.
pub fn read(
    options: &Options,
    curves: Option<Curves>,
    terrain: &FineTerrain,
    clock: &Clock,
) -> Result<Option<Reading<Points>>> {
    let Some(path) = &options.points else { return Ok(None) };
    let assumed = curves.as_ref().and_then(|curves| curves.assumed.clone());
    let FineTerrain { dem, .. } = terrain;
    let mut reader = PointsReader {
        ground: dem.ground(),
        taken: taken_names(&at_points(true, LAYERS), clock),
        exposure: Exposure::new(curves, options.damage_field.as_deref(), path),
        fields: Vec::new(),
        features: Vec::new(),
        kind: None,
        spans: Spans::new(dem.grid.columns),
        without: Vec::new(),
        partly: 0,
        on_raised: 0,
    };
    let layer =
        read_whole(path, "points", dem.ground(), |fields, whole| reader.take(fields, whole))?;
    let mut read = reader.finish(path)?;
    read.notices.add(layer);
    if let Some(path) = &options.damage_curves {
        read.notices.read("damage_curves", path)?;
        assumed.into_iter().for_each(|assumed| read.notices.assume(assumed));
    }
    Ok(Some(read))
}

/// Reader of features.
struct PointsReader<'a> {
    ground: Topography<'a>,
    taken: Vec<String>,
    exposure: Exposure<'a>,
    /// All fields of the layer.
    fields: Vec<Field>,
    features: Vec<PointFeature>,
    kind: Option<OGRwkbGeometryType::Type>,
    spans: Spans,
    /// Features without a cell in the domain.
    without: Vec<u64>,
    /// Number of features with a part outside the domain.
    partly: usize,
    /// Number of features on buildings.
    on_raised: usize,
}

impl PointsReader<'_> {
    /// Adds a feature; returns true if it has cells in the domain.
    fn take(&mut self, fields: &[Field], whole: Whole) -> Result<bool> {
        if self.features.is_empty() {
            self.fields = fields.to_vec();
            self.exposure.find_fields(fields)?;
        }
        let seen = seen_from(self.ground, &whole.cells);
        let placed = !seen.cells.is_empty();
        match placed {
            true => self.spans.add(self.features.len(), &seen.cells),
            false => self.without.push(whole.id),
        }
        self.partly += usize::from(placed && whole.partly);
        self.on_raised += usize::from(seen.on_raised);
        self.kind = Some(kind_of_all(self.kind, whole.kind));
        let (curve, worth) = self.exposure.of(&whole)?;
        let kept = whole.values.into_iter().zip(fields);
        let kept = kept.filter(|(_, field)| !is_taken(&self.taken, field));
        let values = kept.map(|(value, _)| value).collect();
        let (id, geometry) = (whole.id, whole.geometry);
        self.features.push(PointFeature { id, geometry, values, placed, curve, worth });
        Ok(placed)
    }

    /// Returns the points and adds notices.
    fn finish(self, path: &Path) -> Result<Reading<Points>> {
        let PointsReader { taken, exposure, fields, features, without, partly, on_raised, .. } =
            self;
        let mut read = Reading {
            value: Points {
                has_amount: exposure.has_amount(),
                curves: None,
                fields: Vec::new(),
                kind: self.kind.unwrap_or(OGRwkbGeometryType::wkbUnknown),
                spans: self.spans.sorted(),
                features,
            },
            notices: Default::default(),
        };
        let count = read.len();
        let (lost, fields): (Vec<Field>, Vec<Field>) =
            fields.into_iter().partition(|field| is_taken(&taken, field));
        read.fields = fields;
        // The feature's number and geometry are not fields of the layer, nor are names of the table.
        let mut added_fields: Vec<String> = taken
            .iter()
            .filter(|name| ![FID, GEOMETRY].contains(&name.as_str()) && !name.ends_with(']'))
            .cloned()
            .collect();
        added_fields.sort_unstable();
        added_fields.dedup();
        if let Err(why) = read.rehearse(&added_fields) {
            let shown = path.display();
            return Err(Error::input(format!("points: '{shown}': points.gpkg cannot hold it: {why}"))
                .hint(format!("give each feature an id and each field a name of its own, or leave fields out: ogr2ogr -unsetFid -select name,value points.gpkg '{shown}'")));
        }
        read.notices.note_all(lost.iter().map(|field| {
            format!(
                "points: the field '{}' is not kept, because the run writes a field of this name",
                field.name
            )
        }));
        if !without.is_empty() {
            let named = and_so_on(without.iter(), NAMED);
            read.notices.warn(format!(
                "points: {} of {count} features are outside the DEM or on its NoData cells and have no values: {named}",
                without.len(),
            ));
        }
        if partly > 0 {
            let but = exposure.worth_field().map_or_else(String::new, |name| {
                format!(", but the field '{name}' counts as a whole")
            });
            read.notices.warn(format!(
                "points: {} beyond the DEM or onto its NoData cells; only the part inside counts{but}",
                counted(partly, "feature extends", "features extend")
            ));
        }
        if on_raised > 0 {
            read.notices.note(format!(
                "points: {} on buildings or walls: their values are from the ground beside",
                counted(on_raised, "feature is", "features are")
            ));
        }
        exposure.say(&read.value.fields, &mut read.notices)?;
        read.curves = exposure.curves;
        Ok(read)
    }
}

/// Returns true if the run uses the name of a field itself.
fn is_taken(taken: &[String], field: &Field) -> bool {
    taken.iter().any(|name| name.eq_ignore_ascii_case(&field.name))
}
