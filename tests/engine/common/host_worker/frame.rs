//! A frame in the host's memory, which checks the validity of its cells.

use super::outflows::Column;
use inundate_engine::backend::padded_grid::PaddedGrid;
use inundate_engine::crossed_sides::CrossedSides;
use inundate_engine::field::{Field, FieldLocation};
use inundate_engine::forcing::Share;
use inundate_engine::forcing::approach::{Entry, sides_of};
use inundate_engine::grid::Bed;
use inundate_engine::solver::edge::EdgeField;
use inundate_engine::tiling::rect::Rect;
use inundate_engine::tiling::subdomain::{MARGIN, MOST_REACH, Subdomain};

/// Poison where nothing was loaded or computed: plenty of water, with all flags set.
const POISON: i32 = 123_456_789;
const POISON_FLAGS: u8 = u8::MAX;

/// Values on the edges east and south of each cell, for both kinds of [`EdgeField`].
type EdgeLayers = [[Vec<f32>; 2]; 2];

/// Memory of a frame. Every array is row-major.
#[derive(Clone)]
pub struct HostFrame {
    /// Columns and rows of the memory.
    size: (usize, usize),
    /// Columns and rows of the padded grid of the loaded subdomain.
    padded_grid: (usize, usize),
    /// Number of the loaded subdomain.
    pub subdomain: Option<usize>,
    /// Cells of the loaded subdomain (padded grid).
    pub extent: Rect,
    bed: Vec<i32>,
    pub flags: Vec<u8>,
    pub water: Vec<i32>,
    pub next: Vec<i32>,
    /// Discharges and velocities of the edges east and south of each cell; empty if they are not
    /// stored.
    pub edges: EdgeLayers,
    next_edges: EdgeLayers,
    /// Empty if uniform.
    roughness: Vec<f32>,
    all_roughness: f32,
    pub most: Vec<i32>,
    pub arrival: Vec<f32>,
    /// Other cell fields of the problem (bits).
    pub planes: Vec<(Field, Vec<u32>)>,
    /// Per rate layer; empty if it has no shares.
    pub shares: Vec<Vec<Share>>,
    /// Per map of zones; an invalid zone where nothing was loaded.
    pub zones: Vec<Vec<u32>>,
    /// Validity of `water`.
    pub right: Vec<bool>,
    next_right: Vec<bool>,
    /// Copy of the frame at the checkpoint.
    saved: Option<Box<HostFrame>>,
}

impl HostFrame {
    pub fn new(columns: usize, rows: usize) -> HostFrame {
        let cells = columns * rows;
        HostFrame {
            size: (columns, rows),
            padded_grid: (0, 0),
            subdomain: None,
            extent: Rect { column: 0, row: 0, columns: 0, rows: 0 },
            bed: vec![POISON; cells],
            flags: vec![POISON_FLAGS; cells],
            water: vec![POISON; cells],
            next: vec![POISON; cells],
            edges: Default::default(),
            next_edges: Default::default(),
            roughness: Vec::new(),
            all_roughness: f32::NAN,
            most: vec![POISON; cells],
            arrival: vec![f32::NAN; cells],
            planes: Vec::new(),
            shares: Vec::new(),
            zones: Vec::new(),
            right: vec![false; cells],
            next_right: vec![false; cells],
            saved: None,
        }
    }

    /// Stores a checkpoint.
    pub fn checkpoint(&mut self) {
        self.saved = None;
        self.saved = Some(Box::new(self.clone()));
    }

    /// Restores the checkpoint.
    pub fn rollback(&mut self) {
        *self = *self.saved.take().expect("a checkpoint");
    }

    /// Copies the prognostic state of a valid cell from another frame.
    pub fn receive(
        &mut self,
        from: &HostFrame,
        cell: (usize, usize),
        is_state: impl Fn(Field) -> bool,
    ) {
        let (here, there) = (self.place(cell.0, cell.1), from.place(cell.0, cell.1));
        self.water[here] = from.column(cell.0, cell.1).water;
        self.right[here] = true;
        for (to, from) in self.edges.iter_mut().flatten().zip(from.edges.iter().flatten()) {
            if let (Some(to), Some(from)) = (to.get_mut(here), from.get(there)) {
                *to = *from;
            }
        }
        for ((field, to), (_, from)) in self.planes.iter_mut().zip(&from.planes) {
            if is_state(*field) {
                to[here] = from[there];
            }
        }
    }

    /// Returns the index of a padded grid cell in the arrays.
    #[inline]
    pub fn place(&self, column: usize, row: usize) -> usize {
        assert!(self.extent.holds(column, row), "({column}, {row}) lies outside {:?}", self.extent);
        (row - self.extent.row) * self.size.0 + column - self.extent.column
    }

    /// Returns the crossed sides of a padded grid cell.
    pub fn crossed_sides(&self, column: usize, row: usize) -> CrossedSides {
        CrossedSides::of(&self.flags, self.place(column, row), self.size.0)
    }

    /// Returns a padded grid cell, which must be valid.
    pub fn column(&self, column: usize, row: usize) -> Column {
        let place = self.place(column, row);
        assert!(self.right[place], "({column}, {row}) is needed, but it is not right");
        Column { bed: self.bed[place], water: self.water[place] }
    }

    /// Returns a padded grid cell with its new water, which must have been computed.
    pub fn next_column(&self, column: usize, row: usize) -> Column {
        let place = self.place(column, row);
        assert!(self.next_right[place], "({column}, {row}) is needed, but it is not computed");
        Column { bed: self.bed[place], water: self.next[place] }
    }

    /// Returns a value on the edge ahead of a padded grid cell, which must be valid.
    pub fn edge(&self, field: EdgeField, axis: usize, (column, row): (usize, usize)) -> f32 {
        let place = self.place(column, row);
        assert!(self.right[place], "({column}, {row}) is needed, but it is not right");
        self.edges[field as usize][axis][place]
    }

    /// Returns the greatest speed that the structure on the edge ahead of a padded grid cell allows
    /// (m/s), if there is one.
    pub fn limit(&self, axis: usize, (column, row): (usize, usize)) -> Option<f32> {
        let plane = self.plane(Field::structure(axis))?;
        let limit = f32::from_bits(self.planes[plane].1[self.place(column, row)]);
        (limit != 0.0).then_some(limit.max(0.0))
    }

    /// Returns the bed of a padded grid cell (2⁻¹⁶ m), regardless of its water.
    pub fn bed(&self, (column, row): (usize, usize)) -> i32 {
        self.bed[self.place(column, row)]
    }

    /// Sets the velocities behind a cell with a level, for some of its sides; where the frame is
    /// not right inside, nothing may depend on them.
    pub fn let_in(&mut self, cell: (usize, usize), sides: u32, metres: f32) {
        let here = self.place(cell.0, cell.1);
        for side in sides_of(sides, self.size.0) {
            let [behind, entered, inside] =
                [side.behind, side.entered, side.inside].map(|by| here.wrapping_add_signed(by));
            let velocity = if self.right[entered] && self.right[inside] {
                let velocities = &self.edges[EdgeField::Velocity as usize][side.axis];
                let [depth, deep] = [here, inside].map(|at| self.water[at] as f32 * metres);
                let rise = (self.bed[inside] - self.bed[here]) as f32 * Bed::STEP;
                let velocity = velocities[entered] * side.inward;
                let discharge = velocity * (depth - rise.max(0.0)).max(0.0);
                let entry = Entry { velocity, discharge, depth, inside: deep };
                entry.approaches() * side.inward
            } else {
                f32::NAN
            };
            self.edges[EdgeField::Velocity as usize][side.axis][behind] = velocity;
        }
    }

    /// Returns the number of a padded grid cell among those of the frame, row by row.
    pub fn number(&self, column: usize, row: usize) -> usize {
        (row - self.extent.row) * self.extent.columns + column - self.extent.column
    }

    /// Returns Manning's n of a padded grid cell.
    pub fn roughness(&self, (column, row): (usize, usize)) -> f32 {
        let place = self.place(column, row);
        self.roughness.get(place).copied().unwrap_or(self.all_roughness)
    }

    /// Clears the frame, and copies the data of a subdomain from the padded grid.
    pub fn load(
        &mut self,
        padded_grid: &PaddedGrid,
        number: usize,
        subdomain: Subdomain,
        all_roughness: f32,
        fields: &[Field],
    ) {
        let (columns, rows) = self.size;
        assert!(subdomain.extent.columns <= columns && subdomain.extent.rows <= rows, "it fits");
        *self = HostFrame::new(columns, rows);
        self.padded_grid = (padded_grid.columns, padded_grid.rows);
        self.all_roughness = all_roughness;
        let poison = |field: Field| {
            vec![f32::NAN; if padded_grid.find(field).is_none() { 0 } else { columns * rows }]
        };
        self.edges = EdgeField::ALL.map(|edge| [0, 1].map(|axis| poison(Field::edge(edge, axis))));
        self.next_edges = self.edges.clone();
        self.roughness = poison(Field::Roughness);
        let named = [Field::Water, Field::MaxDepth, Field::Arrival, Field::Bed, Field::Roughness];
        let structures = [0, 1].map(Field::structure);
        let is_plane = |field: &Field| {
            structures.contains(field)
                || !named.contains(field) && field.row().place == FieldLocation::Cell
        };
        let plane = |field: Field| {
            let bits = if padded_grid.find(field).is_some() { u32::MAX } else { 0 };
            (field, vec![bits; columns * rows])
        };
        self.planes = fields.iter().copied().filter(is_plane).map(plane).collect();
        self.subdomain = Some(number);
        self.extent = subdomain.extent;
        self.shares = padded_grid
            .shares
            .iter()
            .map(
                |shares| {
                    if shares.is_empty() { vec![] } else { vec![Share::WHOLE; columns * rows] }
                },
            )
            .collect();
        self.zones = padded_grid.zones.iter().map(|_| vec![u32::MAX; columns * rows]).collect();
        let grid = padded_grid.columns - 2 * MARGIN;
        for (column, row) in cells(subdomain.extent) {
            let (from, to) = (row * padded_grid.columns + column, self.place(column, row));
            self.bed[to] = padded_grid.of(Field::Bed)[from] as i32;
            self.flags[to] = padded_grid.flags[from];
            self.water[to] = padded_grid.of(Field::Water)[from] as i32;
            self.right[to] = true;
            let own = subdomain.own.holds(column, row);
            for edge in EdgeField::ALL {
                for axis in [0, 1] {
                    if let Some(kept) = padded_grid.find(Field::edge(edge, axis)) {
                        self.edges[edge as usize][axis][to] = f32::from_bits(kept[from]);
                    }
                }
            }
            for (field, plane) in &mut self.planes {
                if let Some(bits) =
                    padded_grid.find(*field).filter(|_| own || !padded_grid.is_diagnostic(*field))
                {
                    plane[to] = bits[from];
                }
            }
            if let Some(n) = padded_grid.find(Field::Roughness) {
                self.roughness[to] = f32::from_bits(n[from]);
            }
            if own {
                self.most[to] = padded_grid.of(Field::MaxDepth)[from] as i32;
                self.arrival[to] = f32::from_bits(padded_grid.of(Field::Arrival)[from]);
            }
            let (Some(i), Some(j)) = (column.checked_sub(MARGIN), row.checked_sub(MARGIN)) else {
                continue;
            };
            if i < grid && j < padded_grid.rows - 2 * MARGIN {
                for (zones, all) in self.zones.iter_mut().zip(&padded_grid.zones) {
                    zones[to] = all.of[j * grid + i];
                }
                for (shares, all) in self.shares.iter_mut().zip(&padded_grid.shares) {
                    if let Some(share) = shares.get_mut(to) {
                        *share = all[j * grid + i];
                    }
                }
            }
        }
    }

    /// Returns the index of a field's plane.
    pub fn plane(&self, field: Field) -> Option<usize> {
        self.planes.iter().position(|(held, _)| *held == field)
    }

    /// Sets the next water of a cell.
    pub fn set_next(&mut self, place: usize, water: i32) {
        self.next[place] = water;
        self.next_right[place] = true;
    }

    /// Sets the next values on the edges ahead of a cell.
    pub fn set_edges(&mut self, place: usize, field: EdgeField, flow: [f32; 2]) {
        for (layer, flow) in self.next_edges[field as usize].iter_mut().zip(flow) {
            if let Some(next) = layer.get_mut(place) {
                *next = flow;
            }
        }
    }

    /// Returns the places of the cells beyond the ghosts, which always stay dry.
    fn beyond_ghosts(&self) -> Vec<usize> {
        let near = |at: usize, count: usize| at < MOST_REACH || at + MOST_REACH >= count;
        let (columns, rows) = self.padded_grid;
        let beyond = cells(self.extent).filter(|cell| near(cell.0, columns) || near(cell.1, rows));
        beyond.map(|(column, row)| self.place(column, row)).collect()
    }

    /// Sets the next water of the cells beyond the ghosts.
    pub fn wall_off(&mut self) {
        for place in self.beyond_ghosts() {
            self.set_next(place, 0);
            EdgeField::ALL.into_iter().for_each(|field| self.set_edges(place, field, [0.0; 2]));
        }
    }

    /// Marks the cells beyond the ghosts as valid.
    pub fn wall_is_right(&mut self) {
        for place in self.beyond_ghosts() {
            self.right[place] = true;
            self.water[place] = 0;
        }
    }

    /// Makes the next state current. Only cells that were set, and cells beyond the ghosts, are
    /// valid.
    pub fn swap(&mut self) {
        self.wall_off();
        std::mem::swap(&mut self.water, &mut self.next);
        std::mem::swap(&mut self.edges, &mut self.next_edges);
        self.next_edges.iter_mut().flatten().for_each(|layer| layer.fill(f32::NAN));
        std::mem::swap(&mut self.right, &mut self.next_right);
        self.next.fill(POISON);
        self.next_right.fill(false);
    }

    /// Invalidates the new water of cells outside a rectangle.
    pub fn keep_next(&mut self, computed: Rect) {
        for (column, row) in cells(self.extent).filter(|&(i, j)| !computed.holds(i, j)) {
            let place = self.place(column, row);
            self.next[place] = POISON;
            self.next_right[place] = false;
        }
    }
}

/// Iterates over the cells of a rectangle (column, row).
pub fn cells(area: Rect) -> impl Iterator<Item = (usize, usize)> {
    let rows = area.row..area.row + area.rows;
    rows.flat_map(move |row| (area.column..area.column + area.columns).map(move |i| (i, row)))
}
