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
