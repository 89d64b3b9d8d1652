//! Tables for laws, such as rating curves, with linear interpolation between knots.

/// A table within a run's tables: the number of knots, the knots, ascending, and the value at each.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// All tables of the run.
    pub all: &'a [f32],
    /// Offset of the table.
    pub at: usize,
}

impl<'a> Table<'a> {
    /// Adds a table of pairs of knot and value, with ascending knots.
    ///
    /// # Panics
    /// If there is no pair, or knots do not ascend.
    pub fn add(all: &mut Vec<f32>, pairs: &[(f32, f32)]) {
        assert!(!pairs.is_empty() && pairs.windows(2).all(|two| two[0].0 < two[1].0), "{pairs:?}");
        all.push(pairs.len() as f32);
        all.extend(pairs.iter().map(|pair| pair.0));
        all.extend(pairs.iter().map(|pair| pair.1));
    }

    /// Returns the value at x of a table with the given pairs of knot and value.
    pub fn value(pairs: &[(f32, f32)], x: f32) -> f32 {
        let mut all = Vec::new();
        Table::add(&mut all, pairs);
        Table { all: &all, at: 0 }.of(x)
    }

    /// Returns the knots and the value at each.
    pub fn pairs(&self) -> (&'a [f32], &'a [f32]) {
        let count = self.all[self.at] as usize;
        self.all[self.at + 1..][..2 * count].split_at(count)
    }

    /// Returns the first knot from which the value stays the same; 0 if it never changes.
    pub fn constant_since(&self) -> f32 {
        let (knots, values) = self.pairs();
        let change = values.windows(2).rposition(|two| two[0] != two[1]);
        change.map_or(0.0, |before| knots[before + 1])
    }

    /// Returns the value at x, constant before the first and beyond the last knot. The CUDA twin is
    /// in
    /// `kernels/sites.cuh`.
    pub fn of(self, x: f32) -> f32 {
        let (knots, values) = self.pairs();
        let count = knots.len();
        if x <= knots[0] {
            return values[0];
        }
        for i in 1..count {
            if x < knots[i] {
                let part = (x - knots[i - 1]) / (knots[i] - knots[i - 1]);
                return values[i - 1] + part * (values[i] - values[i - 1]);
            }
        }
        values[count - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_straight_between_its_knots_and_level_beyond() {
        let mut all = vec![9.0];
        Table::add(&mut all, &[(1.0, 2.0)]);
        let at = all.len();
        Table::add(&mut all, &[(0.0, 1.0), (2.0, 5.0), (4.0, 5.0)]);
        for (x, value) in [(-1.0, 1.0), (0.0, 1.0), (0.5, 2.0), (2.0, 5.0), (3.0, 5.0), (9.0, 5.0)]
        {
            assert_eq!(Table { all: &all, at }.of(x), value, "{x}");
        }
        assert_eq!(Table { all: &all, at: 1 }.of(7.0), 2.0);
    }
}
