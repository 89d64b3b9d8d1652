//! Channels across the grid: a centre line with half a width of cells on each side, between dry
//! banks.

use crate::engine::Run;
use crate::metrics::mean;
use crate::setup::Setup;
use std::ops::Range;

/// Height of banks over the bed [m].
const BANK: f64 = 30.0;
/// Length of channel with inflow [cells], and length held at the level of normal flow.
const HEAD: f64 = 4.0;
const FOOT: f64 = 1.5;

/// Uniform flow down a plane so wide that its walls have no influence.
#[derive(Clone, Copy)]
pub struct Normal {
    pub name: &'static str,
    /// Depth [m].
    pub depth: f64,
    /// Slope along the channel [-].
    pub slope: f64,
    /// Manning's n [s/m^⅓].
    pub n: f64,
}

impl Normal {
    /// Returns the speed [m/s].
    pub fn speed(self) -> f64 {
        self.depth.powf(2.0 / 3.0) * self.slope.sqrt() / self.n
    }

    pub fn froude(self) -> f64 {
        self.speed() / (9.81 * self.depth).sqrt()
    }

    /// Returns the length [m] over which a deviation from normal depth decays to 1/e, from the
    /// equation of gradually varied flow, (1 − Fr²)·dh/dx = S·(1 − (normal/h)^(10/3)), near normal
    /// depth.
    pub fn backwater(self) -> f64 {
        self.depth * (1.0 - self.froude().powi(2)).abs() / (10.0 / 3.0 * self.slope)
    }
}

/// A line through points [m], measured to the east and to the south.
pub struct CentreLine {
    points: Vec<(f64, f64)>,
    /// Length up to each point [m].
    along: Vec<f64>,
}

impl CentreLine {
    pub fn new(points: Vec<(f64, f64)>) -> CentreLine {
        let mut along = vec![0.0];
        for pair in points.windows(2) {
            let step = (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
            along.push(along.last().expect("a start") + step);
        }
        CentreLine { points, along }
    }

    /// Creates a straight line, at an angle to the east.
    pub fn straight(from: (f64, f64), angle: f64, length: f64) -> CentreLine {
        let to = (from.0 + length * angle.cos(), from.1 + length * angle.sin());
        CentreLine::new(vec![from, to])
    }

    pub fn length(&self) -> f64 {
        self.along[self.along.len() - 1]
    }

    /// Returns the position along the line and the distance from it. The ends are extended
    /// straight.
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let last = self.points.len() - 2;
        let mut nearest = (f64::NAN, f64::INFINITY);
        for (i, pair) in self.points.windows(2).enumerate() {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
            let length = self.along[i + 1] - self.along[i];
            let (c, s) = ((x1 - x0) / length, (y1 - y0) / length);
            let whole = (x - x0) * c + (y - y0) * s;
            let from = if i == 0 { f64::NEG_INFINITY } else { 0.0 };
            let to = if i == last { f64::INFINITY } else { length };
            let part = whole.clamp(from, to);
            let off = (x - x0 - part * c).hypot(y - y0 - part * s);
            if off < nearest.1 {
                nearest = (self.along[i] + part, off);
            }
        }
        nearest
    }
}

/// A channel on a grid.
pub struct Channel {
    pub setup: Setup,
    /// Which cells belong to the channel, and their positions along it [m].
    pub inside: Vec<bool>,
    pub along: Vec<f64>,
    pub line: CentreLine,
}

impl Channel {
    /// Places a channel of `width` [m] on a grid of cells of `dx` that ends a few cells beyond it.
    /// The centre line has no negative coordinates except for half the width.
    pub fn new(line: CentreLine, width: f64, slope: f64, n: f64, dx: f64) -> Channel {
        let count = |most: f64| (most / dx - 1e-9).ceil() as usize + 1;
        let most = |of: fn(&(f64, f64)) -> f64| line.points.iter().map(of).fold(0.0, f64::max);
        let columns = count(most(|p| p.0) + 0.5 * width);
        let rows = count(most(|p| p.1) + 0.5 * width);
        let setup = Setup::new(columns, rows, dx, n);
        let (mut inside, mut along) = (Vec::new(), Vec::new());
        for cell in 0..columns * rows {
            let centre = ((cell % columns) as f64 + 0.5, (cell / columns) as f64 + 0.5);
            let (there, off) = line.place((centre.0 * dx, centre.1 * dx));
            inside.push(off < 0.5 * width && (0.0..line.length()).contains(&there));
            along.push(there);
        }
        let bed = |column: usize, row: usize| {
            let cell = row * columns + column;
            slope * (line.length() - along[cell]) + if inside[cell] { 0.0 } else { BANK }
        };
        let setup = setup.with_bed(bed);
        Channel { setup, inside, along, line }
    }

    /// Adds water of a uniform depth, `discharge` [m³/s] into its head, and a held level of that
    /// depth at its foot.
    pub fn with_flow(mut self, depth: f64, discharge: f64) -> Channel {
        let dx = self.setup.dx;
        let length = self.line.length();
        self.setup.depth = self.inside.iter().map(|&ours| if ours { depth } else { 0.0 }).collect();
        let head = self.cells(0.0..HEAD * dx);
        let foot = self.cells(length - FOOT * dx..length);
        let mut setup = self.setup.with_inflow(head, vec![(0.0, discharge)]);
        for cell in foot {
            let level = setup.bed[cell] + depth;
            setup = setup.with_held(vec![cell], vec![(0.0, level)]);
        }
        self.setup = setup;
        self
    }

    /// Returns its cells along a reach [m].
    pub fn cells(&self, reach: Range<f64>) -> Vec<usize> {
        let here = |&cell: &usize| self.inside[cell] && reach.contains(&self.along[cell]);
        (0..self.inside.len()).filter(here).collect()
    }

    /// Returns the cells on both sides of the edges of a cut through it: from a column to the next
    /// (axis 0), or from a row to the next.
    pub fn cut(&self, axis: usize, at: usize) -> Vec<(usize, usize)> {
        let (columns, rows) = (self.setup.columns, self.setup.rows);
        let pairs: Vec<(usize, usize)> = match axis {
            0 => (0..rows).map(|row| row * columns + at).map(|cell| (cell, cell + 1)).collect(),
            _ => {
                (0..columns).map(|i| at * columns + i).map(|cell| (cell, cell + columns)).collect()
            }
        };
        pairs.into_iter().filter(|&(a, b)| self.inside[a] && self.inside[b]).collect()
    }
}

/// Water and discharges of a channel at one time.
pub struct FlowState {
    depths: Vec<f64>,
    /// Unit discharges to the east and to the south.
    flows: [Vec<f64>; 2],
}

impl FlowState {
    pub fn of(run: &Run) -> FlowState {
        FlowState { depths: run.depths(), flows: [run.discharges(0), run.discharges(1)] }
    }

    /// Returns the mean depth of cells [m].
    pub fn depth(&self, cells: &[usize]) -> f64 {
        mean(cells.iter().map(|&cell| self.depths[cell]))
    }

    /// Returns the unit discharge [m²/s] over the edge behind (`side` 0) or ahead of (1) a cell; 0
    /// if there is none.
    fn flow(&self, columns: usize, axis: usize, cell: usize, side: usize) -> f64 {
        match axis {
            0 => self.flows[0][cell + cell / columns + side],
            _ => self.flows[1][cell + side * columns],
        }
    }

    /// Returns the speed in a cell [m/s]: the larger discharge of each axis divided by its depth.
    pub fn speed(&self, columns: usize, cell: usize) -> f64 {
        let most = |axis: usize| {
            let [a, b] = [0, 1].map(|side| self.flow(columns, axis, cell, side).abs());
            a.max(b)
        };
        most(0).hypot(most(1)) / self.depths[cell]
    }

    /// Returns the discharge across a cut [m³/s].
    pub fn through(&self, channel: &Channel, axis: usize, cut: &[(usize, usize)]) -> f64 {
        let columns = channel.setup.columns;
        let flows = cut.iter().map(|&(cell, _)| self.flow(columns, axis, cell, 1));
        flows.sum::<f64>() * channel.setup.dx
    }
}
