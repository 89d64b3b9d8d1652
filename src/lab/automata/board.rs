//! Memory layout of grids on a device: cells in multi-cell elements, with a margin around them. The
//! kernels' twin is `kernels/automata/board.cuh`.

use crate::grid::{Edges, Grid};
use rayon::prelude::*;

/// Packing of cells into elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Size of an element (bytes).
    pub bytes: usize,
    /// Cells of an element along x, y and z.
    pub cells: [usize; 3],
    /// Bits of a cell in an element.
    pub bits: usize,
    /// Number of planes; more than one if each holds one bit of the states.
    pub planes: usize,
}

impl Packing {
    /// One cell per element; only the positions matter, whatever the element type.
    pub const SINGLE: Packing = Packing { bytes: 1, cells: [1; 3], bits: 8, planes: 1 };

    /// Bit planes of words of 64 cells along x.
    pub fn words(planes: usize) -> Packing {
        Packing { bytes: 8, cells: [64, 1, 1], bits: 1, planes }
    }
}

/// Memory layout of a grid, as passed to kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Board {
    /// Cells along x, y and z.
    pub cells: [i32; 3],
    /// Elements per row, rows per layer, and layers, including the margin.
    pub size: [i32; 3],
    /// Width of the margin before the first cell, in elements along each axis.
    pub margin: [i32; 3],
    /// 1 for a torus, 0 for dead edges.
    pub wrap: i32,
    /// Rows, or layers, that a thread or warp marches over.
    pub strip: i32,
    /// Padding for alignment.
    pub padding: i32,
    /// Elements from plane to plane.
    pub plane: u64,
    /// Texture of the present cells.
    pub texture: u64,
}

/// Margin around the cells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Margin {
    /// Cells on every side; along z only for automata with layers.
    pub cells: usize,
    /// Additional rows of elements below the last.
    pub rows: usize,
    /// Alignment of the elements per row, including the margin's.
    pub align: usize,
}

impl Board {
    /// Computes the layout of a grid.
    pub fn new(
        packing: Packing,
        size: [usize; 3],
        deep: bool,
        edges: Edges,
        margin: Margin,
    ) -> Board {
        let mut board = Board { wrap: i32::from(edges == Edges::Wrap), ..Board::default() };
        for axis in 0..3 {
            let wide =
                if axis == 2 && !deep { 0 } else { margin.cells.div_ceil(packing.cells[axis]) };
            board.cells[axis] = size[axis] as i32;
            let wide = if axis == 0 { wide.next_multiple_of(margin.align.max(1)) } else { wide };
            board.margin[axis] = wide as i32;
            board.size[axis] = (size[axis].div_ceil(packing.cells[axis]) + 2 * wide) as i32;
        }
        board.size[0] = (board.size[0] as usize).next_multiple_of(margin.align.max(1)) as i32;
        board.size[1] += margin.rows as i32;
        board.plane = board.size.iter().map(|&count| count as u64).product();
        board
    }

    /// Returns the number of elements with cells along each axis.
    pub fn covered(&self, packing: Packing) -> [u32; 3] {
        [0, 1, 2].map(|axis| (self.cells[axis] as usize).div_ceil(packing.cells[axis]) as u32)
    }

    /// Returns the number of elements that are entirely or partly beyond the edge. Corner elements
    /// are counted more than once.
    pub fn beyond(&self, packing: Packing) -> u64 {
        let size = self.size.map(|count| count as u64);
        let full = |axis: usize| self.cells[axis] as u64 / packing.cells[axis] as u64;
        (size[0] - full(0)) * size[1] * size[2]
            + size[0] * (size[1] - full(1)) * size[2]
            + size[0] * size[1] * (size[2] - full(2))
    }

    /// Returns the size of all planes (bytes).
    pub fn bytes(&self, packing: Packing) -> usize {
        self.plane as usize * packing.planes * packing.bytes
    }

    /// Packs a grid; with a single plane, an element holds `label` of the state. The margin is
    /// empty.
    pub fn pack(&self, packing: Packing, grid: &Grid, label: impl Fn(u8) -> u8 + Sync) -> Vec<u8> {
        let mut packed = vec![0; self.bytes(packing)];
        let row_bytes = self.size[0] as usize * packing.bytes;
        let [cx, cy, cz] = packing.cells;
        packed.par_chunks_mut(row_bytes).enumerate().for_each(|(line, bytes)| {
            let Some((plane, y, z)) = self.line(packing, line) else { return };
            for (dz, dy) in (0..cz).flat_map(|dz| (0..cy).map(move |dy| (dz, dy))) {
                let (y, z) = (y * cy + dy, z * cz + dz);
                if y >= grid.rows || z >= grid.layers {
                    continue;
                }
                let row = &grid.states[grid.place(0, y, z)..][..grid.columns];
                for (x, &state) in row.iter().enumerate() {
                    let cell = if packing.planes > 1 { state >> plane & 1 } else { label(state) };
                    let bit = ((dz * cy + dy) * cx + x % cx) * packing.bits;
                    let byte = (self.margin[0] as usize + x / cx) * packing.bytes + bit / 8;
                    bytes[byte] |= cell << (bit % 8);
                }
            }
        });
        packed
    }

    /// Unpacks the elements to a grid.
    pub fn unpack(&self, packing: Packing, packed: &[u8], state: impl Fn(u8) -> u8 + Sync) -> Grid {
        let [columns, rows, layers] = self.cells.map(|count| count as usize);
        let mut grid = Grid::new(columns, rows, layers);
        let [cx, cy, cz] = packing.cells;
        let mask = ((1u16 << packing.bits.min(8)) - 1) as u8;
        grid.states.par_chunks_mut(columns).enumerate().for_each(|(line, states)| {
            let (y, z) = (line % rows, line / rows);
            for plane in 0..packing.planes {
                let start = plane * self.plane as usize + self.start(y / cy, z / cz);
                for (x, to) in states.iter_mut().enumerate() {
                    let bit = (((z % cz) * cy + y % cy) * cx + x % cx) * packing.bits;
                    let element = start + x / cx;
                    let cell = packed[element * packing.bytes + bit / 8] >> (bit % 8) & mask;
                    *to |= if packing.planes > 1 { cell << plane } else { state(cell) };
                }
            }
        });
        grid
    }

    /// Packs a grid like [`Packing::words`], with each plane separate.
    pub fn pack_words<const P: usize>(&self, grid: &Grid) -> [Vec<u64>; P] {
        let bytes = self.pack(Packing::words(P), grid, |state| state);
        let plane = |bytes: &[u8]| {
            let words = bytes.chunks_exact(8);
            words.map(|word| u64::from_le_bytes(word.try_into().expect("eight of them"))).collect()
        };
        let planes: Vec<Vec<u64>> =
            bytes.chunks_exact(8 * self.plane as usize).map(plane).collect();
        planes.try_into().expect("as many planes")
    }

    /// Unpacks a grid of separate planes.
    pub fn unpack_words<const P: usize>(&self, planes: [&[u64]; P]) -> Grid {
        let bytes: Vec<u8> =
            planes.into_iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        self.unpack(Packing::words(P), &bytes, |state| state)
    }

    /// Returns the index of the first element with cells in a row and layer of elements.
    pub fn start(&self, y: usize, z: usize) -> usize {
        let [pitch, height, _] = self.size.map(|count| count as usize);
        let [across, down, up] = self.margin.map(|count| count as usize);
        ((z + up) * height + y + down) * pitch + across
    }

    /// Returns plane, row and layer of a line of memory, if it contains cells.
    pub fn line(&self, packing: Packing, line: usize) -> Option<(usize, usize, usize)> {
        let [_, height, depth] = self.size.map(|count| count as usize);
        let (plane, z, y) = (line / (height * depth), line / height % depth, line % height);
        let y = y.checked_sub(self.margin[1] as usize)?;
        let z = z.checked_sub(self.margin[2] as usize)?;
        let [_, rows, layers] = self.covered(packing).map(|count| count as usize);
        (y < rows && z < layers).then_some((plane, y, z))
    }
}
