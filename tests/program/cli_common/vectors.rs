//! Small vector files, and the volumes of runs with them.

use super::{CORNER, UTM33, Workshop};
use gdal::DriverManager;
use gdal::spatial_ref::{AxisMappingStrategy, CoordTransform, SpatialRef};
use gdal::vector::{Feature, FieldValue, Geometry, LayerAccess, LayerOptions, OGRFieldType};

/// A layer to write.
#[derive(Clone)]
pub struct Shapes {
    epsg: Option<u32>,
    fields: Vec<(&'static str, OGRFieldType::Type)>,
    features: Vec<(String, Vec<Option<FieldValue>>)>,
}

/// The value of a layer's only field.
pub trait Only: Copy {
    const TYPE: OGRFieldType::Type;
    fn value(self) -> Option<FieldValue>;
}

impl Only for &str {
    const TYPE: OGRFieldType::Type = OGRFieldType::OFTString;

    fn value(self) -> Option<FieldValue> {
        text(self)
    }
}

impl Only for f64 {
    const TYPE: OGRFieldType::Type = OGRFieldType::OFTReal;

    fn value(self) -> Option<FieldValue> {
        number(self)
    }
}

impl Workshop {
    /// Writes a layer with one field; see `Shapes::with`.
    pub fn layer<V: Only>(&self, name: &str, field: &'static str, features: &[(&str, V)]) {
        let empty = Shapes::new(&[(field, V::TYPE)]);
        let add = |shapes: Shapes, &(wkt, value): &(&str, V)| shapes.with(wkt, &[value.value()]);
        features.iter().fold(empty, add).write(self, name);
    }
}

/// Returns a text value of a field.
pub fn text(value: &str) -> Option<FieldValue> {
    Some(FieldValue::StringValue(value.into()))
}

/// Returns a numeric value of a field.
pub fn number(value: f64) -> Option<FieldValue> {
    Some(FieldValue::RealValue(value))
}

impl Shapes {
    /// Creates a layer in UTM 33N.
    pub fn new(fields: &[(&'static str, OGRFieldType::Type)]) -> Shapes {
        Shapes { epsg: Some(UTM33), fields: fields.to_vec(), features: Vec::new() }
    }

    /// Creates a layer with one text field.
    pub fn texts(field: &'static str) -> Shapes {
        Shapes::new(&[(field, OGRFieldType::OFTString)])
    }

    pub fn epsg(mut self, epsg: impl Into<Option<u32>>) -> Shapes {
        self.epsg = epsg.into();
        self
    }

    /// Adds a feature, with coordinates in cells from the north-west corner (columns, rows).
    pub fn with(mut self, wkt: &str, values: &[Option<FieldValue>]) -> Shapes {
        self.features.push((wkt.into(), values.to_vec()));
        self
    }

    /// Writes the layer in the format of the name's extension.
    pub fn write(&self, workshop: &Workshop, name: &str) {
        let driver = match name.rsplit_once('.').unwrap().1 {
            "gpkg" => "GPKG",
            "shp" => "ESRI Shapefile",
            _ => "GeoJSON",
        };
        let srs = |epsg| {
            let mut srs = SpatialRef::from_epsg(epsg).unwrap();
            srs.set_axis_mapping_strategy(AxisMappingStrategy::TraditionalGisOrder);
            srs
        };
        let own = self.epsg.map(srs);
        let driver = DriverManager::get_driver_by_name(driver).unwrap();
        let mut file = driver.create_vector_only(workshop.path(name)).unwrap();
        let options = LayerOptions { name: "drawn", srs: own.as_ref(), ..Default::default() };
        let layer = file.create_layer(options).unwrap();
        layer.create_defn_fields(&self.fields).unwrap();
        for (wkt, values) in &self.features {
            let mut feature = Feature::new(layer.defn()).unwrap();
            if !wkt.is_empty() {
                let mut geometry = placed(wkt);
                if let Some(own) = &own {
                    let to_own = CoordTransform::new(&srs(UTM33), own).unwrap();
                    geometry.transform_inplace(&to_own).unwrap();
                }
                feature.set_geometry(geometry).unwrap();
            }
            for (field, value) in values.iter().enumerate() {
                match value {
                    Some(value) => feature.set_field(field, value).unwrap(),
                    None => feature.set_field_null(field).unwrap(),
                }
            }
            feature.create(&layer).unwrap();
        }
        file.close().unwrap();
    }
}

/// Returns a geometry given in cells of 10 m, in UTM 33N.
fn placed(wkt: &str) -> Geometry {
    let mut text = String::new();
    let mut word = String::new();
    let mut along_x = true;
    for c in wkt.chars().chain([' ']) {
        if c.is_ascii_digit() || c == '.' || c == '-' {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            let at: f64 = word.parse().unwrap();
            let at = if along_x { CORNER.0 + 10.0 * at } else { CORNER.1 - 10.0 * at };
            text += &at.to_string();
            along_x = !along_x;
            word.clear();
        }
        text.push(c);
    }
    Geometry::from_wkt(text.trim()).unwrap()
}

/// A solver with physical time, and an automaton.
const SOLVERS: [&[&str]; 2] = [&[], &["--step", "10s"]];

/// Runs with further arguments and every solver, and passes each run's inflow, outflow and stored
/// volume to `each`.
#[track_caller]
pub fn volumes(workshop: &Workshop, arguments: &[&str], mut each: impl FnMut(f64, f64, f64)) {
    for solver in SOLVERS {
        workshop.run(&[arguments, solver, &["--overwrite"]].concat()).done();
        let volume = |name| workshop.volume("results", name);
        assert_eq!(volume("error_m3"), 0.0);
        each(volume("inflow_m3"), volume("outflow_m3"), volume("stored_m3"));
    }
}
