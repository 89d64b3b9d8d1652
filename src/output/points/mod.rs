//! Results at many points: the maxima of the run at each feature of a layer, and the resulting
//! damage.

mod read;
mod spans;
mod write;

pub use spans::{Span, Spans};

use crate::engine::clock::Clock;
use crate::error::Result;
use crate::input::dem::fine_ground::FineGround;
use crate::input::tables::damage_curves::{Curves, DamageUnit};
use crate::input::vector::all_features::Field;
use crate::output::features::WriteOutcome;
use crate::output::folder::{OutputFolder, POINTS_LAYER, POINTS_TABLE};
use crate::output::layers::{Layer, MAX_DEPTH, NODATA, Now};
use gdal::vector::FieldValue;
use gdal_sys::OGRwkbGeometryType;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Column of the damaged share of a feature's value.
pub const SHARE: &str = "damage_share";
/// Column of the damage, in the unit of the values or of the curves.
pub const DAMAGE: &str = "damage";
/// First column: number of the feature in its layer.
pub const FID: &str = "fid";
/// Geometry column of the layer.
pub const GEOMETRY: &str = "geom";

/// Features of a layer with the cells that they cover.
#[derive(Debug)]
pub struct Points {
    /// Fields of the layer that are kept.
    pub fields: Vec<Field>,
    /// Features, in layer order.
    pub features: Vec<PointFeature>,
    /// Geometry type of the features.
    pub kind: OGRwkbGeometryType::Type,
    /// Cells or pixels of the features, on the grid of the DEM.
    pub spans: Spans,
    /// Damage curves, if damage is requested.
    pub curves: Option<Curves>,
    /// Set if damage has an amount, not only a share.
    pub has_amount: bool,
}

/// A feature of the layer.
#[derive(Debug)]
pub struct PointFeature {
    /// Number in the layer.
    pub id: u64,
    /// Geometry as WKB, in the CRS of the run.
    pub geometry: Vec<u8>,
    /// Values of its fields.
    pub values: Vec<Option<FieldValue>>,
    /// Set if it has cells in the domain.
    pub placed: bool,
    /// Index of its damage curve, if it has one.
    pub curve: Option<usize>,
    /// Value or area (m²), as its curve requires; `None` if unknown.
    pub worth: Option<f64>,
}

/// A result column.
struct Column {
    name: &'static str,
    unit: &'static str,
    /// One value per feature.
    values: Vec<Option<f64>>,
}

impl Column {
    /// Returns its name in the table.
    fn head(&self) -> String {
        head(self.name, self.unit)
    }
}

/// Returns the name of a column of the table, with the unit in brackets.
fn head(name: &str, unit: &str) -> String {
    match unit {
        "" => name.into(),
        unit => format!("{name} [{unit}]"),
    }
}

/// Returns the field name in the written layer, with the unit appended.
fn field_name(name: &str, unit: &str) -> String {
    match unit {
        "" => name.into(),
        unit => format!("{name}_{}", unit.replace('/', "_").replace('²', "2").replace('³', "3")),
    }
}

/// Returns the names that the results use in the table and the layer, which no other field may have.
pub fn taken_names(layers: &[&Layer], clock: &Clock) -> Vec<String> {
    let spelled = |name: fn(&str, &str) -> String| {
        layers.iter().map(move |layer| name(layer.key, (layer.unit)(clock)))
    };
    let of_layers = spelled(field_name).chain(spelled(head));
    of_layers.chain([FID, GEOMETRY, SHARE, DAMAGE].map(String::from)).collect()
}

/// Section of `run.json` on the features.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PointsReport {
    /// Number of features in the layer.
    pub features: usize,
    /// Number of features in the domain.
    pub placed: usize,
    /// Number of features that ever had water deeper than `arrival_depth_m`.
    pub flooded: usize,
    /// Result columns of the table.
    pub columns: Vec<String>,
    /// Damage, if it was requested.
    pub damage: Option<DamageReport>,
}

/// Damage to the features.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DamageReport {
    /// Number of features with a known damage, including 0.
    pub features: usize,
    /// Number of features with a damage above 0.
    pub damaged: usize,
    /// Total damage in the unit of the values or of the curves; `None` if only shares are known.
    pub total: Option<f64>,
}

impl Points {
    /// Returns the number of features.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Returns `true` if the layer has no features.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// Reads the `layers` at each feature at the end of a run, on the fine `ground` if there is
    /// one, and writes the table and the GeoPackage layer, ready to be published. `wet` is the
    /// depth above which a feature counts as flooded, as rounded in maps (m). Returns the report, and whether GDAL could write the layer.
    ///
    /// # Errors
    /// If the state cannot be read, or the disk is full.
    pub fn stage(
        &self,
        now: &Now,
        layers: &[&'static Layer],
        ground: Option<&Arc<FineGround>>,
        wet: f32,
        folder: &OutputFolder,
    ) -> Result<(PointsReport, WriteOutcome)> {
        let mut columns = Vec::new();
        for &layer in layers {
            let values = read::at_each(self, now, layer, ground)?;
            let shown = values.iter().map(|value| (*value != NODATA).then(|| shown(*value)));
            let unit = (layer.unit)(now.clock);
            columns.push(Column { name: layer.key, unit, values: shown.collect() });
        }
        let depths = columns.iter().find(|column| column.name == MAX_DEPTH.key);
        let depths = &depths.expect("points have depths").values;
        let flooded = depths.iter().flatten().filter(|depth| **depth > shown(wet)).count();
        let damage = self.curves.as_ref().map(|curves| self.damage(curves, depths));
        let damages = damage.as_ref().map(|damage| report_of(damage));
        columns.extend(damage.into_iter().flatten());
        write::table(self, &columns, folder)?;
        let crs = now.maps.grid.crs.as_deref();
        let written = write::layer(self, &columns, crs, &folder.staged(POINTS_LAYER))?;
        let report = PointsReport {
            features: self.len(),
            placed: self.features.iter().filter(|feature| feature.placed).count(),
            flooded,
            columns: columns.iter().map(Column::head).collect(),
            damage: damages,
        };
        Ok((report, written))
    }

    /// Checks whether a GeoPackage can store these points, with the additional fields in
    /// `added_fields`; the error is the reason why it cannot.
    pub fn rehearse(&self, added_fields: &[String]) -> WriteOutcome {
        let mut ids: Vec<u64> = self.features.iter().map(|feature| feature.id).collect();
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("two features have the id {}", twice[0]));
        }
        let lower: Vec<String> = self.fields.iter().map(|of| of.name.to_lowercase()).collect();
        for (at, name) in lower.iter().enumerate() {
            if let Some(before) = lower[..at].iter().position(|known| known == name) {
                let [one, other] = [before, at].map(|at| &self.fields[at].name);
                return Err(format!("the fields '{one}' and '{other}' differ only in case"));
            }
        }
        write::rehearse_layer(self, added_fields)
    }

    /// Returns the files that a run with points writes.
    pub fn names() -> [&'static str; 2] {
        [POINTS_TABLE, POINTS_LAYER]
    }

    /// Computes the damage of depths (m): the share of the value and the amount, or only the amount
    /// for curves of amounts.
    fn damage(&self, curves: &Curves, depths: &[Option<f64>]) -> Vec<Column> {
        let by_curve = |(feature, depth): (&PointFeature, &Option<f64>)| {
            Some(curves.curves[feature.curve?].at((*depth)?))
        };
        let shares: Vec<Option<f64>> = self.features.iter().zip(depths).map(by_curve).collect();
        let amounts = self.features.iter().zip(&shares);
        let amounts = amounts.map(|(feature, share)| Some((*share)? * feature.worth?)).collect();
        let share = (curves.counted == DamageUnit::Share).then_some((SHARE, shares));
        let amount = self.has_amount.then_some((DAMAGE, amounts));
        let columns = share.into_iter().chain(amount);
        columns.map(|(name, values)| Column { name, unit: "", values }).collect()
    }
}

/// Summarizes damage columns, the last of which is the amount if it is known.
fn report_of(columns: &[Column]) -> DamageReport {
    let last = columns.last().expect("damage has a column");
    let known = || last.values.iter().flatten();
    DamageReport {
        features: known().count(),
        damaged: known().filter(|damage| **damage > 0.0).count(),
        total: (last.name == DAMAGE).then(|| known().sum()),
    }
}

/// Converts a raster value to the f64 with the same shortest decimal form.
fn shown(value: f32) -> f64 {
    value.to_string().parse().expect("a number as it was written")
}
