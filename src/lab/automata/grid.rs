//! Cells, each in one of a few states.

/// What lies beyond the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edges {
    /// The opposite edge: the grid is a torus.
    Wrap,
    /// Cells that are in state 0 for ever.
    Dead,
}

impl Edges {
    /// Both.
    pub const ALL: [Edges; 2] = [Edges::Wrap, Edges::Dead];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Edges::Wrap => "wrap",
            Edges::Dead => "dead",
        }
    }
}

/// A grid of cells, row by row and layer by layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Cells along x.
    pub columns: usize,
    /// Cells along y.
    pub rows: usize,
    /// Cells along z: 1 for an automaton of the plane.
    pub layers: usize,
    /// The states: `columns * rows * layers` of them.
    pub states: Vec<u8>,
}

impl Grid {
    /// A grid all in state 0.
    pub fn new(columns: usize, rows: usize, layers: usize) -> Grid {
        Grid { columns, rows, layers, states: vec![0; columns * rows * layers] }
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.states.len()
    }

    /// Where a cell's state is.
    pub fn place(&self, x: usize, y: usize, z: usize) -> usize {
        (z * self.rows + y) * self.columns + x
    }

    /// The state at a place that may lie beyond the edge.
    pub fn at(&self, edges: Edges, x: i64, y: i64, z: i64) -> u8 {
        let [x, y, z] = [(x, self.columns), (y, self.rows), (z, self.layers)].map(|(at, count)| {
            let count = count as i64;
            if edges == Edges::Wrap { at.rem_euclid(count) } else { at }
        });
        let inside = |at: i64, count: usize| (0..count as i64).contains(&at);
        if inside(x, self.columns) && inside(y, self.rows) && inside(z, self.layers) {
            self.states[self.place(x as usize, y as usize, z as usize)]
        } else {
            0
        }
    }

    /// How many cells are in each state below `states`.
    pub fn population(&self, states: usize) -> Vec<u64> {
        let mut counts = [0u64; 256];
        for &state in &self.states {
            counts[usize::from(state)] += 1;
        }
        counts[..states].to_vec()
    }
}
