//! Checks that a run can have produced the arrays of a checkpoint. A checksum is not sufficient,
//! since anyone can compute one.

use super::file::CheckpointFault;
use crate::engine::field::FieldProperty::Always;
use crate::engine::field::{Field, FieldRole};
use crate::words::place;
use std::collections::VecDeque;

/// Checks the arrays of a file line by line, in the order of the file.
pub struct Checked {
    /// Fields to come, each with its number of lines.
    fields: VecDeque<(Field, usize)>,
    /// Number of checked lines of the first of them.
    line: usize,
}

impl Checked {
    /// Creates a checker for the given fields of a file, on a grid of (columns, rows).
    pub fn new(fields: &[Field], grid: (usize, usize)) -> Checked {
        let lines = fields.iter().map(|&field| (field, field.shape(grid).1));
        Checked { fields: lines.collect(), line: 0 }
    }

    /// Checks the next line.
    ///
    /// # Errors
    /// If it holds a value that no run can produce.
    pub fn line(&mut self, bits: &[u32]) -> Result<(), CheckpointFault> {
        let Some(&(field, lines)) = self.fields.front() else {
            return Err(CheckpointFault::Damaged("it contains more than the run's state".into()));
        };
        if let Some((at, number)) = field.implausible(bits) {
            let (left, above) = field.before();
            let place = place(at.saturating_sub(left), self.line.saturating_sub(above));
            return Err(CheckpointFault::Damaged(format!(
                "its field '{}' at {place} is {number}, which no run can produce",
                field.name()
            )));
        }
        self.line += 1;
        if self.line == lines {
            self.fields.pop_front();
            self.line = 0;
        }
        Ok(())
    }
}

/// Checks that all listed fields are kept in checkpoints, and that each is listed once and in
/// order.
///
/// # Errors
/// If it does not.
pub fn check_order(fields: &[Field]) -> Result<(), CheckpointFault> {
    let damaged = |what: String| Err(CheckpointFault::Damaged(what));
    let is_kept = |field: &&Field| {
        let row = field.row();
        let is_one = row.numbered || field.order().1 == 0;
        is_one && !matches!(row.role, Always(FieldRole::Input | FieldRole::Passing))
    };
    if let Some(field) = fields.iter().find(|field| !is_kept(field)) {
        return damaged(format!("it lists '{}', which no checkpoint keeps", field.name()));
    }
    if let Some(two) = fields.windows(2).find(|two| two[0].order() >= two[1].order()) {
        return damaged(format!(
            "it lists '{}' before '{}', which no checkpoint does",
            two[0].name(),
            two[1].name()
        ));
    }
    match fields.first() {
        Some(Field::Water) => Ok(()),
        _ => damaged("it has no water".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::field::TABLE;

    #[test]
    fn fields_come_in_the_order_of_the_table() {
        let all: Vec<Field> = TABLE
            .iter()
            .filter(|row| !matches!(row.role, Always(FieldRole::Input | FieldRole::Passing)))
            .map(|row| (row.field)(0))
            .collect();
        assert!(check_order(&all).is_ok());
        for at in 1..all.len() {
            let mut swapped = all.clone();
            swapped.swap(at - 1, at);
            assert!(check_order(&swapped).is_err(), "{:?}", swapped[at]);
            let twice = [&all[..at], &all[at - 1..]].concat();
            assert!(check_order(&twice).is_err(), "{:?}", all[at]);
        }
        assert!(check_order(&all[1..]).is_err() && check_order(&[]).is_err());
        assert!(check_order(&[Field::Water, Field::Bed]).is_err());
    }

    #[test]
    fn numbers_that_no_run_comes_to_are_found_in_every_field_that_has_any() {
        let nan = f32::NAN.to_bits();
        let (mut held, grid) = (0, (3, 2));
        for row in TABLE {
            let field = (row.field)(0);
            let bad = [nan, i32::MIN as u32, 3e30f32.to_bits(), !nan];
            let Some(bad) = bad.into_iter().find(|bits| field.implausible(&[*bits]).is_some())
            else {
                continue;
            };
            held += 1;
            let (width, lines) = field.shape(grid);
            let mut checked = Checked::new(&[field], grid);
            for line in 0..lines {
                let mut bits = vec![0; width];
                if line + 1 == lines {
                    bits[width - 1] = bad;
                }
                assert_eq!(checked.line(&bits).is_err(), line + 1 == lines, "{}", row.key);
            }
        }
        assert_eq!(
            held, 10,
            "water, its maximum and arrival, losses, sites and the flow over edges"
        );
    }
}
