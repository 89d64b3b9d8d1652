//! Writes NetCDF files in the classic format, byte by byte, as ECMWF distributes them; GDAL's
//! driver would write them differently.

use super::Workshop;

/// Values of an attribute or a variable.
#[derive(Clone)]
pub enum Values {
    Text(&'static str),
    Short(Vec<i16>),
    Int(Vec<i32>),
    Float(Vec<f32>),
    Double(Vec<f64>),
}

use Values::{Double, Float, Int, Short, Text};

impl Values {
    /// Returns type, number and bytes.
    fn bytes(&self) -> (u32, usize, Vec<u8>) {
        let (kind, count, mut bytes): (u32, usize, Vec<u8>) = match self {
            Text(text) => (2, text.len(), text.bytes().collect()),
            Short(all) => (3, all.len(), all.iter().flat_map(|n| n.to_be_bytes()).collect()),
            Int(all) => (4, all.len(), all.iter().flat_map(|n| n.to_be_bytes()).collect()),
            Float(all) => (5, all.len(), all.iter().flat_map(|n| n.to_be_bytes()).collect()),
            Double(all) => (6, all.len(), all.iter().flat_map(|n| n.to_be_bytes()).collect()),
        };
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        (kind, count, bytes)
    }
}

/// A variable: its name, the indices of its dimensions, attributes and values.
pub struct Variable {
    pub name: &'static str,
    pub dimensions: Vec<u32>,
    pub attributes: Vec<(&'static str, Values)>,
    pub values: Values,
}

fn word(file: &mut Vec<u8>, number: usize) {
    file.extend((number as u32).to_be_bytes());
}

fn name(file: &mut Vec<u8>, text: &str) {
    word(file, text.len());
    file.extend(text.bytes());
    file.resize(file.len().next_multiple_of(4), 0);
}

/// Writes a file with dimensions and variables.
pub fn write(
    workshop: &Workshop,
    path: &str,
    dimensions: &[(&str, usize)],
    variables: &[Variable],
) {
    let header = |begins: &[usize]| {
        let mut file = b"CDF\x01\0\0\0\0".to_vec();
        word(&mut file, 10);
        word(&mut file, dimensions.len());
        for (text, length) in dimensions {
            name(&mut file, text);
            word(&mut file, *length);
        }
        file.extend([0; 8]);
        word(&mut file, 11);
        word(&mut file, variables.len());
        for (variable, begin) in variables.iter().zip(begins) {
            name(&mut file, variable.name);
            word(&mut file, variable.dimensions.len());
            variable.dimensions.iter().for_each(|&number| word(&mut file, number as usize));
            word(&mut file, if variable.attributes.is_empty() { 0 } else { 12 });
            word(&mut file, variable.attributes.len());
            for (text, values) in &variable.attributes {
                let (kind, count, bytes) = values.bytes();
                name(&mut file, text);
                word(&mut file, kind as usize);
                word(&mut file, count);
                file.extend(bytes);
            }
            let (kind, _, bytes) = variable.values.bytes();
            word(&mut file, kind as usize);
            word(&mut file, bytes.len());
            word(&mut file, *begin);
        }
        file
    };
    let mut at = header(&vec![0; variables.len()]).len();
    let mut begins = Vec::new();
    for variable in variables {
        begins.push(at);
        at += variable.values.bytes().2.len();
    }
    let mut file = header(&begins);
    variables.iter().for_each(|variable| file.extend(variable.values.bytes().2));
    workshop.file(path, file);
}

/// Writes hourly precipitation in the form of ERA5: latitudes from north to south and longitudes
/// every quarter of a degree around 15° E, 45° N, no grid mapping, packed depths in m. In the pixel
/// around (15.0, 45.25), 10, 5 and 0 mm fall from noon on 2021-07-14; elsewhere nothing.
pub fn era5(workshop: &Workshop, path: &str) {
    let along = |first: f32, step: f32| (0..9).map(|at| first + step * at as f32).collect();
    let hour = 1_065_348;
    let mut depths = vec![-32767i16; 3 * 81];
    // 0 m is packed as −1000.
    depths.iter_mut().for_each(|depth| *depth = -1000);
    for (at, millimetres) in [10, 5, 0].into_iter().enumerate() {
        depths[at * 81 + 3 * 9 + 4] = millimetres * 100 - 1000;
    }
    let axis = |name, number, unit, first, step| Variable {
        name,
        dimensions: vec![number],
        attributes: vec![("units", Text(unit)), ("long_name", Text(name))],
        values: Float(along(first, step)),
    };
    write(
        workshop,
        path,
        &[("longitude", 9), ("latitude", 9), ("time", 3)],
        &[
            axis("longitude", 0, "degrees_east", 14.0, 0.25),
            axis("latitude", 1, "degrees_north", 46.0, -0.25),
            Variable {
                name: "time",
                dimensions: vec![2],
                attributes: vec![
                    ("units", Text("hours since 1900-01-01 00:00:00.0")),
                    ("long_name", Text("time")),
                    ("calendar", Text("gregorian")),
                ],
                values: Int((0..3).map(|at| hour + at).collect()),
            },
            Variable {
                name: "tp",
                dimensions: vec![2, 1, 0],
                attributes: vec![
                    ("scale_factor", Double(vec![1e-5])),
                    ("add_offset", Double(vec![0.01])),
                    ("_FillValue", Short(vec![-32767])),
                    ("missing_value", Short(vec![-32767])),
                    ("units", Text("m")),
                    ("long_name", Text("Total precipitation")),
                ],
                values: Short(depths),
            },
        ],
    );
}

/// Returns a value from the indices along the dimensions, which are looked up by name.
pub type ValueAt = dyn Fn(&dyn Fn(&str) -> usize) -> f32;

/// NetCDF file of rain around 15° E, 45° N, on 9 × 9 pixels of a quarter of a degree.
pub struct Rain {
    /// Name of the rain variable.
    pub name: &'static str,
    /// Attributes of the rain variable.
    pub attributes: Vec<(&'static str, Values)>,
    /// Times (h since 2021-07-14T00:00Z).
    pub times: Vec<f64>,
    /// Further attributes of the time axis.
    pub of_time: Vec<(&'static str, Values)>,
    /// Bounds of the times (h since midnight).
    pub bounds: Vec<[f64; 2]>,
    /// Attributes of the bounds.
    pub of_bounds: Vec<(&'static str, Values)>,
    /// Value at an index along each dimension; `lat` counts rows from the north.
    pub value: Box<ValueAt>,
    /// Dimensions in storage order: `time`, `lat`, `lon` and others.
    pub order: Vec<&'static str>,
    /// Other dimensions, with their coordinates and their units.
    pub others: Vec<(&'static str, Vec<i32>, &'static str)>,
    /// Pixel spacing (°), and whether latitudes increase.
    pub spacing: f32,
    pub south_up: bool,
    /// Axis whose third coordinate is half a pixel from its place.
    pub uneven: Option<&'static str>,
    /// Unit of the values.
    pub units: &'static str,
}

/// Number of pixels along a side.
const SIDE: usize = 9;

impl Rain {
    /// Creates a file with uniform values (in `units`) at given times (h since midnight).
    pub fn of(units: &'static str, series: &[(f64, f32)]) -> Rain {
        let values: Vec<f32> = series.iter().map(|(_, value)| *value).collect();
        Rain {
            name: "rain",
            attributes: Vec::new(),
            times: series.iter().map(|(time, _)| *time).collect(),
            of_time: Vec::new(),
            bounds: Vec::new(),
            of_bounds: Vec::new(),
            value: Box::new(move |at| values[at("time")]),
            order: vec!["time", "lat", "lon"],
            others: Vec::new(),
            spacing: 0.25,
            south_up: false,
            uneven: None,
            units,
        }
    }

    /// Adds an attribute of the variable.
    pub fn with(mut self, name: &'static str, text: &'static str) -> Rain {
        self.attributes.push((name, Text(text)));
        self
    }

    /// Adds bounds of the times (h since midnight).
    pub fn bounds(mut self, bounds: &[[f64; 2]]) -> Rain {
        self.bounds = bounds.to_vec();
        self.of_time.push(("bounds", Text("time_bnds")));
        self
    }

    /// Sets the storage order of the dimensions.
    pub fn order(mut self, order: &[&'static str]) -> Rain {
        self.order = order.to_vec();
        self
    }

    pub fn write(&self, workshop: &Workshop, path: &str) {
        let count = self.times.len();
        let mut dimensions = vec![("time", count), ("lat", SIDE), ("lon", SIDE), ("bnds", 2)];
        dimensions.extend(self.others.iter().map(|(name, values, _)| (*name, values.len())));
        let number = |name: &str| dimensions.iter().position(|(known, _)| *known == name).unwrap();
        let axis = |name: &'static str, unit: &'static str, first: f32, step: f32| Variable {
            name,
            dimensions: vec![number(name) as u32],
            attributes: vec![("units", Text(unit))],
            values: Float(
                (0..SIDE)
                    .map(|at| {
                        let off = if at == 2 && self.uneven == Some(name) { 0.5 } else { 0.0 };
                        first + step * (at as f32 + off)
                    })
                    .collect(),
            ),
        };
        let half = self.spacing * 4.0;
        let (first, step) =
            if self.south_up { (-half, self.spacing) } else { (half, -self.spacing) };
        let mut of_time = self.of_time.clone();
        if !of_time.iter().any(|(name, _)| *name == "units") {
            of_time.push(("units", Text("hours since 2021-07-14 00:00:00")));
        }
        let order: Vec<usize> = self.order.iter().map(|name| number(name)).collect();
        let sizes: Vec<usize> = order.iter().map(|&at| dimensions[at].1).collect();
        let value = |flat: usize| {
            let mut rest = flat;
            let mut index = vec![0; dimensions.len()];
            for (&at, &size) in order.iter().zip(&sizes).rev() {
                index[at] = rest % size;
                rest /= size;
            }
            if self.south_up {
                index[1] = SIDE - 1 - index[1];
            }
            (self.value)(&|name| index[number(name)])
        };
        let mut attributes = self.attributes.clone();
        attributes.push(("units", Text(self.units)));
        let mut variables = vec![
            axis("lon", "degrees_east", 15.0 - half, self.spacing),
            axis("lat", "degrees_north", 45.15 + first, step),
            Variable {
                name: "time",
                dimensions: vec![0],
                attributes: of_time,
                values: Double(self.times.clone()),
            },
            Variable {
                name: self.name,
                dimensions: order.iter().map(|&at| at as u32).collect(),
                attributes,
                values: Float((0..sizes.iter().product()).map(value).collect()),
            },
        ];
        if !self.bounds.is_empty() {
            variables.push(Variable {
                name: "time_bnds",
                dimensions: vec![0, 3],
                attributes: self.of_bounds.clone(),
                values: Double(self.bounds.concat()),
            });
        }
        for (name, values, unit) in &self.others {
            variables.push(Variable {
                name,
                dimensions: vec![number(name) as u32],
                attributes: vec![("units", Text(unit))],
                values: Int(values.clone()),
            });
        }
        write(workshop, path, &dimensions, &variables);
    }
}
