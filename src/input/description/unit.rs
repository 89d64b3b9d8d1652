//! The unit that a raster declares for its values, wherever the format stores it.

use super::sources;
use crate::error::{Error, Result};
use crate::measures::quantity::Quantity;
use gdal::{Dataset, Metadata};

/// Metadata items that hold a unit.
const ITEMS: [&str; 5] = ["GRIB_UNIT", "units", "UNITS", "unit", "UNIT"];
/// Texts that declare no unit.
const NOTHING: [&str; 7] = ["", "unknown", "none", "undefined", "unspecified", "n/a", "-"];

/// Unit declared by a file.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredUnit {
    /// Text of the unit; empty for a source that declares none, beside others that do.
    pub text: String,
    /// Place of the declaration, for messages.
    place: String,
}

/// Units that a file declares for a band, the most specific first; one unless declarations differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeclaredUnits(Vec<DeclaredUnit>);

impl DeclaredUnits {
    /// Collects the declarations for a band (from 1): GDAL's band unit, the band's metadata
    /// (`GRIB_UNIT`, `units`), the attribute of its NetCDF variable (`tp#units`) and the dataset's
    /// metadata (`units`, as written by rioxarray). For a VRT without any, those of its sources
    /// count.
    pub fn of_band(dataset: &Dataset, number: usize) -> DeclaredUnits {
        let mut found = DeclaredUnits::of_one(dataset, number);
        if !found.0.is_empty() {
            return found;
        }
        let mut silent = None;
        for source in sources::of_band(dataset, number) {
            let of_source = DeclaredUnits::of_one(&source.dataset, source.number);
            if of_source.0.is_empty() {
                silent.get_or_insert(source.name);
            } else {
                for DeclaredUnit { text, place } in of_source.0 {
                    found.add(text, format!("{place} of '{}'", source.name));
                }
            }
        }
        if let Some(name) = silent.filter(|_| !found.0.is_empty()) {
            found.0.push(DeclaredUnit { text: String::new(), place: format!("'{name}'") });
        }
        found
    }

    fn add(&mut self, text: String, place: String) {
        if !self.0.iter().any(|declared| declared.text == text) {
            self.0.push(DeclaredUnit { text, place });
        }
    }

    fn of_one(dataset: &Dataset, number: usize) -> DeclaredUnits {
        let mut found = DeclaredUnits::default();
        let mut add = |text: Option<String>, place: String| {
            let text = text.unwrap_or_default().trim().to_string();
            if !NOTHING.contains(&text.to_lowercase().as_str()) {
                found.add(text, place);
            }
        };
        let Ok(band) = dataset.rasterband(number) else { return found };
        add(Some(band.unit()), "the band's unit".into());
        for item in ITEMS {
            add(band.metadata_item(item, ""), format!("the band's metadata {item}"));
        }
        if let Some(variable) = band.metadata_item("NETCDF_VARNAME", "") {
            let item = format!("{variable}#units");
            add(dataset.metadata_item(&item, ""), format!("the metadata {item}"));
        }
        for item in ITEMS {
            add(dataset.metadata_item(item, ""), format!("the metadata {item}"));
        }
        found
    }

    /// Returns the most specific declaration.
    pub fn first(&self) -> Option<&str> {
        self.0.first().map(|declared| declared.text.as_str())
    }

    /// Returns the factor from the declared unit to the unit of a quantity; `None` if none is
    /// declared.
    ///
    /// # Errors
    /// If the declared unit does not measure the quantity, or two declarations differ.
    pub fn factor(&self, quantity: &Quantity) -> Result<Option<f64>> {
        let Some((first, others)) = self.0.split_first() else { return Ok(None) };
        let factor = quantity.factor(&first.text)?;
        let of = |other: &DeclaredUnit| match other.text.is_empty() {
            true => Ok(1.0),
            false => quantity.factor(&other.text),
        };
        let differs = |other: &&DeclaredUnit| of(other).is_ok_and(|f| f != factor);
        if let Some(other) = others.iter().find(differs) {
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
