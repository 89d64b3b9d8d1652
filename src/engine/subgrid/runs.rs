//! Sequence of cells along a river, and its division into one reach per cell.

/// Minimum length of the reach at an end of a river, in cells. A shorter one discharges less water
/// than its section conveys, since in free overfall a cell gives at most twice its mean depth over
/// an edge.
const LEAST_END: f64 = 0.6;

/// A short piece of a river.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) river: usize,
    /// Position along the river (m), length (m), and bed (m).
    pub(super) along: f64,
    pub(super) length: f64,
    pub(super) bed: f64,
    /// For each strip, its pixel and the ground level there (2⁻¹⁶ m).
    pub(super) ground: Vec<Option<(usize, i32)>>,
}

/// A cell on a river, and the river's range in it (m).
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) cell: [i64; 2],
    pub(super) from: f64,
    pub(super) to: f64,
}

/// Consecutive cells of a river, and the cells beyond the domain from which it comes and to which
/// it goes.
#[derive(Clone, Debug, Default)]
pub(super) struct ReachCells {
    pub(super) before: Option<[i64; 2]>,
    pub(super) stops: Vec<Stop>,
    pub(super) after: Option<[i64; 2]>,
    /// In order along the river.
    pub(super) pieces: Vec<Piece>,
}

/// The part of a river that belongs to a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Start and end along the river (m).
    pub(super) from: f64,
    pub(super) to: f64,
    /// Level of the bed (m).
    pub(super) bed: f64,
}

impl Reach {
    /// Returns the position of its middle along the river (m).
    pub(super) fn middle(&self) -> f64 {
        0.5 * (self.from + self.to)
    }
}

impl ReachCells {
    /// Iterates over the pieces between two positions along the river (m), with the length of each
    /// in that range (m).
    pub(super) fn within(&self, from: f64, to: f64) -> impl Iterator<Item = (&Piece, f64)> {
        let first = self.pieces.partition_point(|piece| piece.along + 0.5 * piece.length <= from);
        let all = self.pieces[first..]
            .iter()
            .take_while(move |piece| piece.along - 0.5 * piece.length < to);
        all.map(move |piece| {
            let [begins, ends] = [-0.5, 0.5].map(|half| piece.along + half * piece.length);
            (piece, ends.min(to) - begins.max(from))
        })
    }

    /// Returns the reach of each stop; `None` if it has no part of the river. `cell` is the size of
    /// a cell (m).
    pub(super) fn reaches(&self, cell: [f64; 2]) -> Vec<Option<Reach>> {
        let cuts = self.cuts(LEAST_END * cell[0].min(cell[1]));
        let reach = |ends: &[f64]| {
            let (mut length, mut bed) = (0.0, 0.0);
            for (piece, part) in self.within(ends[0], ends[1]) {
                (length, bed) = (length + part, bed + part * piece.bed);
            }
            (length > 0.0).then(|| Reach { from: ends[0], to: ends[1], bed: bed / length })
        };
        cuts.windows(2).map(reach).collect()
    }

    /// Returns the boundaries between reaches (m). They are the cell boundaries if the cells have
    /// equal lengths of the river; between a long and a short one the cut is moved into the longer,
    /// by a quarter of its length if the other has nothing. The reaches at the ends get at least
    /// `least` (m), if the river is long enough.
    fn cuts(&self, least: f64) -> Vec<f64> {
        let count = self.stops.len();
        let length = |at: usize| self.stops[at].to - self.stops[at].from;
        let mut cuts: Vec<f64> = self.stops.iter().map(|stop| stop.from).collect();
        cuts.extend(self.stops.last().map(|stop| stop.to));
        for at in 1..count {
            let (a, b) = (length(at - 1), length(at));
            if a + b > 0.0 {
                cuts[at] += 0.25 * (b - a) * ((b - a).abs() / (a + b));
            }
        }
        let all = cuts.last().map_or(0.0, |last| last - cuts[0]);
        let least = least.min(all / count.max(1) as f64);
        for at in 1..count {
            if cuts[at] - cuts[at - 1] >= least {
                break;
            }
            cuts[at] = (cuts[at - 1] + least).min(cuts[count]);
        }
        for at in (1..count).rev() {
            if cuts[at + 1] - cuts[at] >= least {
                break;
            }
            cuts[at] = (cuts[at + 1] - least).max(cuts[0]);
        }
        cuts
    }
}
