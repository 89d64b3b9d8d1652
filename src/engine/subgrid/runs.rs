//! The cells that a river runs in one after the other, and how it is cut into the reaches that are theirs.

/// How long the reach at an end of a river is at the least, in cells: out of a shorter one less water runs than its section conveys, as a cell
/// gives at most twice its mean depth over an edge that water falls over.
const LEAST_END: f64 = 0.6;

/// A short piece of a river.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) river: usize,
    /// How far along it lies (m), how long it is (m), and its bed (m).
    pub(super) along: f64,
    pub(super) length: f64,
    pub(super) bed: f64,
    /// For each strip the pixel that it lies in, and the ground there (2⁻¹⁶ m).
    pub(super) ground: Vec<Option<(usize, i32)>>,
}

/// A cell that a river runs in, and where along the river it is in there (m).
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) cell: [i64; 2],
    pub(super) from: f64,
    pub(super) to: f64,
}

/// Cells that a river runs in one after the other, and the cells beyond the domain that it comes from and goes to.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    pub(super) before: Option<[i64; 2]>,
    pub(super) stops: Vec<Stop>,
    pub(super) after: Option<[i64; 2]>,
    /// In their order along the river.
    pub(super) pieces: Vec<Piece>,
}

/// The part of a river that is a cell's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Where it begins and ends along the river (m).
    pub(super) from: f64,
    pub(super) to: f64,
    /// Its bed (m).
    pub(super) bed: f64,
}

impl Reach {
    /// Where its middle lies along the river (m).
    pub(super) fn middle(&self) -> f64 {
        0.5 * (self.from + self.to)
    }
}

impl Run {
    /// The pieces between two places along the river (m), and how much of each lies there (m).
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

    /// The reach of each stop; none where there is nothing of a river. `cell` is the size of a cell (m).
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

    /// Where the reaches begin and end (m): where the cells do, if these have as much of the river each; between one with much and one with little the
    /// cut is moved into the former, by a fourth of its length if the other has nothing. Those at the ends have no less than `least` (m), if there is as much.
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
