//! Exposure of features: the damage curve of each, by its class, and its value.

use crate::error::{Error, Result};
use crate::input::notice::Notices;
use crate::input::tables::damage_curves::{Curves, DamageUnit, GREATEST};
use crate::input::vector::all_features::{Field, Whole, text_of};
use crate::measures::quantity::ratio;
use crate::measures::{goes_on_after, header_unit, unit_after};
use crate::words::{and_so_on, counted, short};
use std::collections::BTreeMap;
use std::path::Path;

/// Default field of the class.
const CLASS: &str = "class";
/// Field of a feature's value.
const VALUE: &str = "value";
/// Field of a feature's area (m²).
const AREA: &str = "area";
/// Maximum number of named classes without a curve.
const NAMED: usize = 5;

/// Returns `true` for a unit per something, such as `EUR/m2`.
fn is_per(unit: &str) -> bool {
    unit.contains('/') || unit.contains(" per ")
}

/// Damage curves and fields of a layer, with counts of features.
pub struct Exposure<'a> {
    /// Damage curves; `None` if no damage is computed.
    pub curves: Option<Curves>,
    /// Field of the class, if an option names one.
    field: Option<&'a str>,
    path: &'a Path,
    /// Index of the class field; `None` if there is one curve for all.
    class: Option<usize>,
    /// Index of the value field, and the size of its unit: m² for an area.
    worth: Option<(usize, f64)>,
    /// Classes without a curve, with the number of their features.
    unknown: BTreeMap<String, usize>,
    /// Number of features with a curve.
    with_curve: usize,
    /// Number of features with a curve but without a value or area.
    worthless: usize,
}

impl<'a> Exposure<'a> {
    /// Creates an exposure without features.
    pub fn new(curves: Option<Curves>, field: Option<&'a str>, path: &'a Path) -> Exposure<'a> {
        let (class, worth, unknown) = (None, None, BTreeMap::new());
        Exposure { curves, field, path, class, worth, unknown, with_curve: 0, worthless: 0 }
    }

    fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::input(format!("points: '{}': {what}", self.path.display()))
    }

    /// Finds the needed fields.
    ///
    /// # Errors
    /// If there is no field of the class but several curves.
    pub fn find_fields(&mut self, fields: &[Field]) -> Result<()> {
        let Some(curves) = &self.curves else { return Ok(()) };
        let find =
            |name: &str| fields.iter().position(|field| field.name.eq_ignore_ascii_case(name));
        let name = self.field.unwrap_or(CLASS);
        self.class = find(name);
        if self.class.is_none() && (self.field.is_some() || curves.curves.len() > 1) {
            let names: Vec<&str> = fields.iter().map(|field| &field.name[..]).collect();
            let names = if names.is_empty() { "none".into() } else { names.join(", ") };
            let what = format!("it has no field '{name}'; its fields: {names}");
            return Err(self.wrong(what).hint(
                "name the field that holds the class of a damage curve: --damage-field use",
            ));
        }
        self.worth = self.find_worth(fields, curves.counted)?;
        Ok(())
    }

    /// Finds the field of the value, also with a unit: `area [ha]`, `area_ha`, `value [EUR]`.
    fn find_worth(&self, fields: &[Field], counted: DamageUnit) -> Result<Option<(usize, f64)>> {
        let name = worth_field(counted);
        for (at, field) in fields.iter().enumerate() {
            let (bare, unit) = header_unit(&field.name);
            let unit = match bare.eq_ignore_ascii_case(name) {
                true => unit,
                false => match unit_after(&field.name, name) {
                    Some(unit) if counted == DamageUnit::PerArea => Some(unit),
                    _ => continue,
                },
            };
            if counted == DamageUnit::Share && unit.is_some_and(is_per) {
                return Err(self
                    .wrong(format!("its field '{}' is not of whole values", field.name))
                    .hint("give the value of each feature, or curves with the column 'per_m2'"));
            }
            let size = match (counted, unit) {
                (DamageUnit::Share, _) | (_, None) => Some(1.0),
                (DamageUnit::PerArea, Some(unit)) => ratio(unit, "m2"),
            };
            let size = size.ok_or_else(|| {
                self.wrong(format!("the unit in its field '{}' is not one of areas", field.name))
                    .hint("write the unit like 'area [ha]', or leave it out for m²")
            })?;
            return Ok(Some((at, size)));
        }
        Ok(None)
    }

    /// Returns a field whose name begins like that of the area, but with a unit that is not known.
    fn unread_area<'f>(&self, fields: &'f [Field]) -> Option<&'f str> {
        let per_area =
            self.curves.as_ref().is_some_and(|curves| curves.counted == DamageUnit::PerArea);
        let mut names = fields.iter().map(|field| &field.name[..]);
        names.find(|name| per_area && self.worth.is_none() && goes_on_after(name, AREA))
    }

    /// Returns the index of a feature's curve, and its value.
    ///
    /// # Errors
    /// If its value is not a number, or it needs an area but has none.
    pub fn of(&mut self, whole: &Whole) -> Result<(Option<usize>, Option<f64>)> {
        let Some(curves) = &self.curves else { return Ok((None, None)) };
        let curve = match self.class {
            None => Some(0),
            Some(at) => {
                let class = whole.values[at].as_ref().map(text_of).unwrap_or_default();
                let curve = curves.find(&class);
                if curve.is_none() {
                    *self.unknown.entry(class.trim().to_string()).or_default() += 1;
                }
                curve
            }
        };
        let worth = self.worth_of(whole, curves.counted)?;
        self.with_curve += usize::from(curve.is_some());
        self.worthless += usize::from(curve.is_some() && worth.is_none());
        Ok((curve, worth))
    }

    fn worth_of(&self, whole: &Whole, counted: DamageUnit) -> Result<Option<f64>> {
        let (id, said) =
            (whole.id, self.worth.and_then(|(at, size)| Some((whole.values[at].as_ref()?, size))));
        if let Some((said, size)) = said {
            let text = text_of(said);
            let number = text.trim().parse::<f64>().ok();
            let number = number
                .map(|number| number * size)
                .filter(|number| (0.0..=GREATEST).contains(number));
            let name = worth_field(counted);
            return number.map(Some).ok_or_else(|| {
                self.wrong(format!("feature {id}: its {name} '{}' is not a number", short(&text)))
                    .hint(format!("give a number from 0 to {GREATEST:e}, or leave the field empty"))
            });
        }
        match counted {
            DamageUnit::Share => Ok(None),
            DamageUnit::PerArea if self.worth.is_some() || whole.area.is_some() => Ok(whole.area),
            DamageUnit::PerArea => Err(self
                .wrong(format!("feature {id} is a point, which has no area for a damage per_m2"))
                .hint(format!("add a field '{AREA}' (m²), or give a layer of polygons"))),
        }
    }

    /// Returns true if damage has an amount.
    pub fn has_amount(&self) -> bool {
        let is_share = |curves: &Curves| curves.counted == DamageUnit::Share;
        self.curves.as_ref().is_some_and(|curves| !is_share(curves) || self.worth.is_some())
    }

    /// Returns the name of the field of the value, if the layer has it.
    pub fn worth_field(&self) -> Option<&'static str> {
        self.worth.and(self.curves.as_ref()).map(|curves| worth_field(curves.counted))
    }

    /// Adds notices about missing classes and values in a layer with some fields.
    ///
    /// # Errors
    /// If no feature has a curve.
    pub fn say(&self, fields: &[Field], notices: &mut Notices) -> Result<()> {
        let Some(curves) = &self.curves else { return Ok(()) };
        if let Some(field) = self.unread_area(fields) {
            notices.warn(format!(
                "points: the field '{field}' is not read, and the areas of the polygons count; if it is an area, rename it like '{AREA} [ft2]'"
            ));
        }
        let names = self.unknown.keys().map(|name| match &name[..] {
            "" => "empty".to_string(),
            name => format!("'{}'", short(name)),
        });
        let unknown = and_so_on(names, NAMED);
        if self.with_curve == 0 {
            let known: Vec<&str> = curves.curves.iter().map(|curve| &curve.class[..]).collect();
            return Err(self
                .wrong(format!(
                    "no feature has a class with a damage curve; their classes: {unknown}"
                ))
                .hint(format!("damage_curves has: {}", known.join(", "))));
        }
        if !self.unknown.is_empty() {
            let count = self.unknown.values().sum();
            notices.warn(format!(
                "points: {} no damage curve and so no damage; classes: {unknown}",
                counted(count, "feature has", "features have")
            ));
        }
        if self.class.is_none() {
            let class = &curves.curves[0].class;
            notices.note(format!(
                "points: there is no field '{CLASS}': all features have the damage curve '{class}'"
            ));
        }
        if !self.has_amount() {
            notices.note(format!(
                "points: there is no field '{VALUE}': damage is a fraction, without amounts"
            ));
        } else if self.worthless > 0 {
            let name = worth_field(curves.counted);
            notices.warn(format!(
                "points: {} no {name}: their damage is unknown and not in the total",
                counted(self.worthless, "feature has", "features have")
            ));
        }
        Ok(())
    }
}

/// Returns the name of the field that holds the value of a feature.
fn worth_field(counted: DamageUnit) -> &'static str {
    match counted {
        DamageUnit::Share => VALUE,
        DamageUnit::PerArea => AREA,
    }
}
