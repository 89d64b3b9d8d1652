//! Cells of each of many features: runs of neighbouring cells are stored together, since a city has
//! millions.

/// A run of neighbouring cells in a row that belong to a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First cell of the span, row-major.
    pub first: usize,
    /// Number of cells in the span.
    pub count: u32,
    /// Index of the feature.
    pub feature: u32,
}

/// Spans of all features.
#[derive(Clone, Debug)]
pub struct Spans {
    columns: usize,
    spans: Vec<Span>,
}

impl Spans {
    /// Creates an empty collection for a grid with these columns.
    pub fn new(columns: usize) -> Spans {
        Spans { columns, spans: Vec::new() }
    }

    /// Adds the cells of a feature, in ascending order.
    pub fn add(&mut self, feature: usize, cells: &[usize]) {
        let columns = self.columns;
        let beside = |a: &usize, b: &usize| a + 1 == *b && !b.is_multiple_of(columns);
        for run in cells.chunk_by(beside) {
            let (count, feature) = (run.len() as u32, feature as u32);
            self.spans.push(Span { first: run[0], count, feature });
        }
    }

    /// Sorts the spans by their first cell.
    pub fn sorted(mut self) -> Spans {
        self.spans.sort_unstable();
        self.spans.shrink_to_fit();
        self
    }

    /// Returns the spans in some rows; the spans must be sorted.
    pub fn in_rows(&self, first: usize, count: usize) -> &[Span] {
        let (start, end) = (first * self.columns, (first + count) * self.columns);
        let at = |cell: usize| self.spans.partition_point(|span| span.first < cell);
        &self.spans[at(start)..at(end)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_side_by_side_are_together_but_not_over_the_end_of_a_row() {
        let mut spans = Spans::new(4);
        spans.add(1, &[2, 3, 4, 6, 9]);
        spans.add(0, &[3]);
        let spans = spans.sorted();
        let of = |first, count| {
            let all = spans.in_rows(first, count).iter();
            all.map(|span| (span.first, span.count, span.feature)).collect::<Vec<_>>()
        };
        assert_eq!(of(0, 1), [(2, 2, 1), (3, 1, 0)]);
        assert_eq!(of(1, 2), [(4, 1, 1), (6, 1, 1), (9, 1, 1)]);
        assert_eq!(of(3, 1), []);
    }
}
