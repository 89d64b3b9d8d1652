//! Grids of cells, each in one of a few states.

/// Boundary condition of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edges {
    /// Torus: opposite edges are connected.
    Wrap,
    /// Cells beyond the edge are always in state 0.
    Dead,
}

impl Edges {
    /// Both boundary conditions, for iteration.
    pub const ALL: [Edges; 2] = [Edges::Wrap, Edges::Dead];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Edges::Wrap => "wrap",
            Edges::Dead => "dead",
        }
    }
}

/// A grid of cells, stored row by row and layer by layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of cells along x.
    pub columns: usize,
    /// Number of cells along y.
    pub rows: usize,
    /// Number of cells along z; 1 for an automaton of the plane.
    pub layers: usize,
    /// States: `columns * rows * layers` of them.
    pub states: Vec<u8>,
}

impl Grid {
    /// Creates a grid with all cells in state 0.
    pub fn new(columns: usize, rows: usize, layers: usize) -> Grid {
        Grid { columns, rows, layers, states: vec![0; columns * rows * layers] }
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.states.len()
    }

    /// Returns the index of a cell.
    pub fn place(&self, x: usize, y: usize, z: usize) -> usize {
        (z * self.rows + y) * self.columns + x
    }

    /// Returns the state at a position that may be beyond the edge.
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

    /// Counts the cells in each state below `states`.
    pub fn population(&self, states: usize) -> Vec<u64> {
        let mut counts = [0u64; 256];
        for &state in &self.states {
            counts[usize::from(state)] += 1;
        }
        counts[..states].to_vec()
    }
}
