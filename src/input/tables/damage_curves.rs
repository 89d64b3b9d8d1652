//! Depth-damage curves: a CSV of class, depth and damage.

use crate::error::Result;
use crate::input::notice::Notice;
use crate::input::tables::columns::CsvTable;
use crate::measures::quantity::{DEPTH, ratio};
use std::path::Path;

/// Example of such a file, for hints.
const EXAMPLE: &str = "the file starts like this:\n    class,depth [m],fraction\n    residential,0,0\n    residential,0.5,0.25\n  or has amounts per square metre:\n    class,depth [m],per_m2\n    maize,0.2,0.04";

/// Quantity of the damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageUnit {
    /// Share of a value, 0 to 1.
    Share,
    /// Amount per square metre.
    PerArea,
}

impl DamageUnit {
    /// Returns the name of its column.
    pub fn column(self) -> &'static str {
        match self {
            DamageUnit::Share => "fraction",
            DamageUnit::PerArea => "per_m2",
        }
    }
}

/// Curve of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the class.
    pub class: String,
    /// Depth (m), strictly increasing, and damage, not decreasing.
    points: Vec<(f64, f64)>,
}

impl Curve {
    /// Returns the damage at a depth (m): linear between the depths of the curve, 0 if dry or
    /// shallower than the first depth, and constant beyond the last.
    pub fn at(&self, depth: f64) -> f64 {
        let above = self.points.partition_point(|(known, _)| *known <= depth);
        if depth <= 0.0 || above == 0 {
            return 0.0;
        }
        let (from, low) = self.points[above - 1];
        match self.points.get(above) {
            Some((to, high)) => low + (high - low) * (depth - from) / (to - from),
            None => low,
        }
    }
}

/// Curves of the same quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Quantity of the damage.
    pub counted: DamageUnit,
    /// Curves, one for each class; at least one.
    pub curves: Vec<Curve>,
    /// Assumption about the unit of the depths, if none is declared.
    pub assumed: Option<Notice>,
}

/// Maximum amount, value or area from which damage is computed: products and sums of such numbers
/// stay finite.
pub const GREATEST: f64 = 1e30;

impl Curves {
    /// Reads a table with the columns `class`, `depth` (m), and `fraction` or `per_m2`.
    ///
    /// # Errors
    /// If the file cannot be read, or in a curve the depths do not increase or the damage
    /// decreases.
    pub fn read(path: &Path, role: &str) -> Result<Curves> {
        let table = CsvTable::read(path, role, EXAMPLE)?;
        let (class, depth) = (table.column("class")?, table.column("depth")?);
        let unit = table.measured("depth").and_then(|(_, unit)| unit);
        let metres = unit.map_or(Ok(1.0), |unit| DEPTH.factor(unit));
        let metres = metres.map_err(|error| {
            let what = format!("column '{}': {}", &table.header[depth], error.what);
            match error.hint {
                Some(hint) => table.wrong_header(what).hint(hint),
                None => table.wrong_header(what),
            }
        })?;
        let found = [DamageUnit::Share, DamageUnit::PerArea]
            .map(|counted| Some((counted, table.column(counted.column()).ok()?)));
        let (counted, damage) = match found {
            [Some(one), None] | [None, Some(one)] => one,
            [None, None] => {
                let names: Vec<&str> = table.header.iter().collect();
                let what = "there is no column 'fraction' or 'per_m2', only";
                return Err(table.wrong_header(format!("{what} {}", names.join(", "))));
            }
            _ => {
                return Err(table.wrong_header(
                    "the columns 'fraction' and 'per_m2' exclude each other: remove one",
                ));
            }
        };
        let share = match table.measured("fraction").and_then(|(_, unit)| unit) {
            Some("%") => 0.01,
            None => 1.0,
            Some(unit) => {
                let what = format!("'{unit}' is not a unit of 'fraction'");
                return Err(table
                    .wrong_header(what)
                    .hint("write 'fraction' (0 to 1) or 'fraction [%]'"));
            }
        };
        let amount = table.measured("per_m2").and_then(|(_, unit)| unit);
        let area = amount.map_or(Some(1.0), area_of).ok_or_else(|| {
            let what = format!("'{}' is not an amount per area", amount.unwrap_or_default());
            table.wrong_header(what).hint("write 'per_m2 [EUR]' or 'per_m2 [EUR/ha]'")
        })?;
        let mut curves: Vec<Curve> = Vec::new();
        for (line, record) in &table.rows {
            let (name, most) =
                (record[class].trim(), if counted == DamageUnit::Share { 1.0 } else { GREATEST });
            let point @ (at, much) = (
                table.number(*line, record, depth)? * metres,
                table.number(*line, record, damage)? * share / area,
            );
            if name.is_empty() {
                return Err(table.wrong(*line, "the class is empty"));
            }
            if at < 0.0 {
                return Err(table.wrong(*line, format!("a depth of {at} m is below 0")));
            }
            if !(0.0..=most).contains(&much) {
                let range = match counted {
                    DamageUnit::Share => "from 0 to 1".into(),
                    DamageUnit::PerArea => format!("from 0 to {GREATEST:e}"),
                };
                let column = counted.column();
                return Err(table.wrong(*line, format!("a {column} of {much} is not {range}")));
            }
            let known = curves.iter_mut().find(|curve| is_called(curve, name));
            let Some(curve) = known else {
                curves.push(Curve { class: name.into(), points: vec![point] });
                continue;
            };
            let (before, less) = curve.points[curve.points.len() - 1];
            if at <= before {
                let what = format!(
                    "'{name}': the depth {at} m does not exceed the depth before it, {before} m"
                );
                return Err(table.wrong(*line, what));
            }
            if much < less {
                let what = format!("'{name}': the damage falls from {less} to {much} at {at} m");
                return Err(table.wrong(*line, what));
            }
            curve.points.push(point);
        }
        if let Some(short) = curves.iter().find(|curve| curve.points.len() < 2) {
            let what =
                format!("'{}' has only one depth, but a curve needs two or more", short.class);
            return Err(table.wrong_header(what));
        }
        let assumed = || table.notice("declares no unit for depth; numbers are taken in m");
        let assumed = unit.is_none().then(assumed);
        Ok(Curves { counted, curves, assumed })
    }

    /// Returns the index of the curve of a class, ignoring case.
    pub fn find(&self, class: &str) -> Option<usize> {
        self.curves.iter().position(|curve| is_called(curve, class.trim()))
    }
}

/// Returns the area (m²) of the unit of a column `per_m2`: that of `EUR/ha`, or 1 of `EUR`; `None` if it is
/// not an amount per area.
fn area_of(unit: &str) -> Option<f64> {
    match unit.rsplit_once('/').or_else(|| unit.rsplit_once(" per ")) {
        Some((_, area)) => ratio(area, "m2"),
        None => ratio(unit, "m2").is_none().then_some(1.0),
    }
}

fn is_called(curve: &Curve, class: &str) -> bool {
    curve.class.to_lowercase() == class.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Huizinga, de Moel & Szewczyk (2017), Global flood depth-damage functions, JRC105688:
    /// residential buildings in Europe.
    const EUROPE: [(f64, f64); 9] = [
        (0.0, 0.0),
        (0.5, 0.25),
        (1.0, 0.40),
        (1.5, 0.50),
        (2.0, 0.60),
        (3.0, 0.75),
        (4.0, 0.85),
        (5.0, 0.95),
        (6.0, 1.00),
    ];

    #[test]
    fn a_curve_is_straight_between_its_depths_and_level_beyond() {
        let curve = Curve { class: "residential".into(), points: EUROPE.to_vec() };
        for (depth, damage) in EUROPE {
            assert_eq!(curve.at(depth), damage);
        }
        // By hand: a tenth of 0.25; 0.40 + 0.2 · 0.10; 0.60 + 0.75 · 0.15.
        for (depth, damage) in [(0.05, 0.025), (1.1, 0.42), (2.75, 0.7125), (9.0, 1.0), (-1.0, 0.0)]
        {
            assert!((curve.at(depth) - damage).abs() < 1e-12, "{depth} m");
        }
        let late = Curve { class: "sill".into(), points: vec![(0.3, 0.2), (1.0, 0.9)] };
        assert_eq!((late.at(0.0), late.at(0.29), late.at(0.3)), (0.0, 0.0, 0.2));
        let at_once = Curve { class: "carpet".into(), points: vec![(0.0, 0.1), (1.0, 0.9)] };
        assert_eq!(at_once.at(0.0), 0.0, "what is dry has no damage");
    }
}
