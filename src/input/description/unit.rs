//! The unit that a raster declares for its values, wherever the format stores it.

use super::attributes::Attributes;
use super::sources;
use crate::error::{Error, Result};
use crate::input::gdal_access::dataset;
use crate::measures::quantity::{HEIGHT, Quantity};
use gdal::{Dataset, Metadata};
use std::path::{Path, PathBuf};

/// Metadata items that hold a unit.
const ITEMS: [&str; 5] = ["GRIB_UNIT", "units", "UNITS", "unit", "UNIT"];
/// Texts that declare no unit.
const NOTHING: [&str; 8] = ["", "unknown", "none", "no", "undefined", "unspecified", "n/a", "-"];

/// GDAL's drivers that read the CRS from a `.prj` file in ESRI's older form.
const WITH_PRJ: [&str; 2] = ["AAIGrid", "EHdr"];
/// Maximum number of lines of such a file.
const PRJ_LINES: i32 = 100;

/// Unit declared by a file.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredUnit {
    /// Text of the unit; empty for a source that declares none, beside others that do.
    pub text: String,
    /// Place of the declaration, for messages.
    place: String,
    /// `true` if it counts only for heights and depths of water.
    of_heights: bool,
}

/// Units that a file declares for a band, the most specific first; one unless declarations differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeclaredUnits(Vec<DeclaredUnit>);

impl DeclaredUnits {
    /// Collects the declarations for a band (from 1): GDAL's band unit, the band's metadata
    /// (`GRIB_UNIT`, `units`), the attribute of its NetCDF variable (`tp#units`), the dataset's
    /// metadata (`units`, as written by rioxarray), and `Zunits` of ESRI's older `.prj` files. For
    /// a VRT without any, those of its sources count.
    pub fn of_band(dataset: &Dataset, number: usize) -> DeclaredUnits {
        let mut found = DeclaredUnits::of_one(dataset, number);
        if !found.0.is_empty() {
            return found;
        }
        let mut silent = None;
        for source in sources::of_band(dataset, number) {
            let of_source = DeclaredUnits::of_one(&source.dataset, source.number).0;
            if of_source.is_empty() {
                silent.get_or_insert(source.name);
            } else {
                let within = |place: String| format!("{place} of '{}'", source.name);
                let declared = of_source.into_iter();
                declared
                    .for_each(|unit| found.add(DeclaredUnit { place: within(unit.place), ..unit }));
            }
        }
        if let Some(name) = silent.filter(|_| !found.0.is_empty()) {
            let place = format!("'{name}'");
            found.add(DeclaredUnit { text: String::new(), place, of_heights: false });
        }
        found
    }

    fn add(&mut self, unit: DeclaredUnit) {
        if !self.0.iter().any(|known| known.text == unit.text) {
            self.0.push(unit);
        }
    }

    fn of_one(dataset: &Dataset, number: usize) -> DeclaredUnits {
        let mut found = DeclaredUnits::default();
        let mut add = |text: Option<String>, place: String, of_heights: bool| {
            let text = text.unwrap_or_default().trim().to_string();
            if !NOTHING.contains(&text.to_lowercase().as_str()) {
                found.add(DeclaredUnit { text, place, of_heights });
            }
        };
        let Ok(band) = dataset.rasterband(number) else { return found };
        add(Some(band.unit()), "the band's unit".into(), false);
        for item in ITEMS {
            add(band.metadata_item(item, ""), format!("the band's metadata {item}"), false);
        }
        if let Some(variable) = band.metadata_item("NETCDF_VARNAME", "") {
            let item = format!("the metadata {variable}#units");
            let band = Attributes::of(dataset, number);
            add(band.and_then(|band| band.of_dimension(&variable, "units")), item, false);
        }
        for item in ITEMS {
            add(dataset.metadata_item(item, ""), format!("the metadata {item}"), false);
        }
        if let Some((text, prj)) = z_unit(dataset) {
            add(Some(text), format!("Zunits of '{}'", prj.display()), true);
        }
        found
    }

    /// Returns the most specific declaration of the values, of any quantity.
    pub fn first(&self) -> Option<&str> {
        self.0.iter().find(|unit| !unit.of_heights).map(|unit| unit.text.as_str())
    }

    /// Returns the declarations for a quantity, the most specific first.
    pub fn of(&self, quantity: &Quantity) -> impl Iterator<Item = &DeclaredUnit> {
        let is_height = quantity.unit == HEIGHT.unit;
        self.0.iter().filter(move |unit| is_height || !unit.of_heights)
    }

    /// Returns the factor from the declared unit to the unit of a quantity; `None` if none is
    /// declared.
    ///
    /// # Errors
    /// If the declared unit does not measure the quantity, or two declarations differ.
    pub fn factor(&self, quantity: &Quantity) -> Result<Option<f64>> {
        let mut declared = self.of(quantity);
        let Some(first) = declared.next() else { return Ok(None) };
        let factor = quantity.factor(&first.text).map_err(|error| error.at(&first.place))?;
        let of = |other: &DeclaredUnit| match other.text.is_empty() {
            true => Ok(1.0),
            false => quantity.factor(&other.text),
        };
        if let Some(other) = declared.find(|other| of(other).is_ok_and(|f| f != factor)) {
            return Err(Error::input(format!(
                "it declares two units: '{}' in {} and {} in {}",
                first.text,
                first.place,
                match &other.text[..] {
                    "" => "none".into(),
                    text => format!("'{text}'"),
                },
                other.place
            )));
        }
        Ok(Some(factor))
    }
}

/// Returns the unit of heights in a `.prj` file in ESRI's older form, whose lines are a key and a
/// value: `Zunits FEET`, or a number of units per metre; and the file. GDAL does not return it.
fn z_unit(dataset: &Dataset) -> Option<(String, PathBuf)> {
    if !WITH_PRJ.contains(&dataset.driver().short_name().as_str()) {
        return None;
    }
    let files = dataset::files(dataset, Path::new(""));
    let is_prj = |file: &&PathBuf| file.extension().is_some_and(|e| e.eq_ignore_ascii_case("prj"));
    let prj = files.iter().find(is_prj)?;
    let value = |line: &String| {
        let (key, value) = line.trim().split_once(char::is_whitespace)?;
        key.eq_ignore_ascii_case("Zunits").then(|| value.trim().to_string())
    };
    let text = dataset::lines(prj, PRJ_LINES).iter().find_map(value)?;
    let text = text.parse::<f64>().map_or(text, |per_metre| format!("{} m", 1.0 / per_metre));
    Some((text, prj.clone()))
}
