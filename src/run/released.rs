//! Outflow from the areas with initial water, such as a reservoir behind a dam.

use crate::engine::backend::Backend;
use crate::engine::field::Field;
use crate::engine::forcing::sites::PlacedSite;
use crate::engine::grid::Grid;
use crate::error::Result;
use crate::output::bands::in_bands;

/// Cells that hold water at the start, one bit each.
pub struct InitiallyWet(Vec<u64>);

impl InitiallyWet {
    /// Marks the wet cells of the initial depths (grains); `None` if all are dry, or if one of the
    /// `sinks` is among them: their water goes down the sink.
    pub fn of(initial: &[i32], sinks: &[PlacedSite]) -> Option<InitiallyWet> {
        if sinks.iter().any(|sink| initial.get(sink.cell).is_some_and(|&depth| depth > 0)) {
            return None;
        }
        let word = |depths: &[i32]| {
            depths
                .iter()
                .enumerate()
                .fold(0, |word, (at, &depth)| word | (u64::from(depth > 0) << at))
        };
        let words: Vec<u64> = initial.chunks(64).map(word).collect();
        words.iter().any(|word| *word != 0).then_some(InitiallyWet(words))
    }

    /// Returns the present water in these cells, summed (grains).
    ///
    /// # Errors
    /// Backend errors while reading.
    pub fn now(&self, backend: &dyn Backend, grid: &Grid) -> Result<i128> {
        let mut sum = 0;
        in_bands(backend, grid, Field::Water, |first, bits| {
            let cells = (first..).zip(bits);
            let stood = cells.filter(|(cell, _)| self.0[cell / 64] >> (cell % 64) & 1 == 1);
            sum += stood.map(|(_, depth)| i128::from(*depth as i32)).sum::<i128>();
        })?;
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_water_are_marked() {
        assert!(InitiallyWet::of(&[], &[]).is_none() && InitiallyWet::of(&[0; 100], &[]).is_none());
        let mut initial = vec![0; 130];
        (initial[0], initial[63], initial[64], initial[129]) = (5, 1, 7, 1);
        assert_eq!(InitiallyWet::of(&initial, &[]).unwrap().0, [1 | 1 << 63, 1, 2]);
    }
}
