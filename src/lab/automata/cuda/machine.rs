//! Takes steps with a technique's kernels on a device.

use super::device::{Device, Launch};
use super::kernels::{Ghosts, Holds, Kernels, Threads};
use crate::board::{Board, Packing};
use crate::grid::Grid;
use crate::labels;
use crate::machine::{Machine, Setup};
use inundate_engine::error::Result;

/// Warps per block for marching.
const MARCHING_WARPS: u32 = 4;

/// Threads of a settling block along x.
const SETTLING: u32 = 32;

/// Threads of a block that fills margins.
const FILLING: u32 = 128;

/// A grid on a device.
pub struct OnDevice<D: Device> {
    device: D,
    kernels: Kernels,
    packing: Packing,
    board: Board,
    labels: Vec<u8>,
    /// Present and next cells, and their textures.
    memory: [D::Memory; 2],
    textures: [u64; 2],
}

impl<D: Device> OnDevice<D> {
    /// Packs a grid and copies it to a device; `strip` is the marching distance of a thread or
    /// warp, chosen automatically if `None`.
    ///
    /// # Errors
    /// If there is not enough device memory.
    pub fn new(
        device: D,
        kernels: &Kernels,
        setup: &Setup,
        strip: Option<i32>,
    ) -> Result<OnDevice<D>> {
        let (model, grid) = (setup.model, setup.grid);
        let packing = kernels.packing(model);
        let deep = model.automaton.deep;
        let size = [grid.columns, grid.rows, grid.layers];
        let mut board = Board::new(packing, size, deep, setup.edges, kernels.margin(model));
        board.strip = strip.unwrap_or_else(|| usual_strip(kernels, &board, packing));
        let labels = match kernels.holds {
            Holds::Labels => labels::table(model).labels,
            _ => (0..model.states as u8).collect(),
        };
        let packed = board.pack(packing, grid, |state| labels[usize::from(state)]);
        let mut memory = [device.take(packed.len())?, device.take(packed.len())?];
        device.write(&mut memory[0], &packed)?;
        let textures = match kernels.texture {
            true => [device.texture(&memory[0], &board)?, device.texture(&memory[1], &board)?],
            false => [0; 2],
        };
        Ok(OnDevice { device, kernels: *kernels, packing, board, labels, memory, textures })
    }

    fn launch(&self, kernel: &str, blocks: [u32; 3], threads: [u32; 3]) -> Result<()> {
        let [now, next] = &self.memory;
        self.device.launch(Launch { kernel, blocks, threads }, &self.board, now, next)
    }

    /// Fills the margin of a torus.
    fn fill(&self) -> Result<()> {
        if self.board.wrap == 0 {
            return Ok(());
        }
        let one = |count: u64| [count.div_ceil(u64::from(FILLING)) as u32, 1, 1];
        let threads = [FILLING, 1, 1];
        match self.kernels.ghosts {
            Ghosts::None => Ok(()),
            Ghosts::UnlessWhole
                if (self.board.cells[0] as usize).is_multiple_of(self.packing.cells[0]) =>
            {
                Ok(())
            }
            Ghosts::All | Ghosts::UnlessWhole => {
                self.launch("ghosts", one(self.board.beyond(self.packing)), threads)
            }
            Ghosts::RowsAndColumns => {
                let [columns, rows, _] = self.board.cells.map(|count| count as u64);
                self.launch("ghost_rows", one(columns), threads)?;
                self.launch("ghost_columns", one(rows + 2), threads)
            }
        }
    }

    /// Takes the steps of one visit.
    fn visit(&mut self, steps: u32) -> Result<()> {
        let (blocks, threads) = threads(&self.kernels, &self.board, self.packing);
        if steps == 1 || self.kernels.threads != Threads::Columns {
            return self.turn(&format!("step_{steps}"), blocks, threads);
        }
        self.turn("begin", blocks, threads)?;
        for _ in 0..steps / 2 {
            self.turn("out", blocks, threads)?;
            self.turn("back", blocks, threads)?;
        }
        // The result of the last kernel is the present state; the previous buffer holds the data to
        // settle.
        self.memory.swap(0, 1);
        let covered = self.board.covered(self.packing);
        let blocks = [covered[0].div_ceil(SETTLING), covered[1], covered[2]];
        self.launch("settle", blocks, [SETTLING, 1, 1])?;
        self.memory.swap(0, 1);
        Ok(())
    }

    /// Launches a kernel that computes the next cells from the present ones.
    fn turn(&mut self, kernel: &str, blocks: [u32; 3], threads: [u32; 3]) -> Result<()> {
        self.fill()?;
        self.board.texture = self.textures[0];
        self.launch(kernel, blocks, threads)?;
        self.memory.swap(0, 1);
        self.textures.swap(0, 1);
        Ok(())
    }
}

/// Returns the usual marching distance of a thread or warp: long, to reduce rereading, but short
/// enough to keep the GPU busy.
fn usual_strip(kernels: &Kernels, board: &Board, packing: Packing) -> i32 {
    let [across, _, layers] = board.covered(packing);
    match kernels.threads {
        Threads::Warps => {
            // Number of warps that keep a large GPU busy, and the minimum that it needs.
            const MANY: u32 = 132 * 96;
            const FEW: u32 = 132 * 4;
            let (across, rows) = (across.div_ceil(32 - 2), board.cells[1] as u32);
            let least = if across * rows / 64 >= FEW { 64 } else { 16 };
            rows.div_ceil(MANY.div_ceil(across)).max(least) as i32
        }
        Threads::Columns => layers.div_ceil(64).max(8) as i32,
        _ => 1,
    }
}

/// Returns the grid and block dimensions of a launch.
fn threads(kernels: &Kernels, board: &Board, packing: Packing) -> ([u32; 3], [u32; 3]) {
    let covered = board.covered(packing);
    let block = kernels.block;
    let over = |count: [u32; 3], by: [u32; 3]| [0, 1, 2].map(|k| count[k].div_ceil(by[k]));
    match kernels.threads {
        Threads::Elements => (over(covered, block), block),
        Threads::Overlapping => {
            // Subtract the overlap of a block: one cell wide in the plane, and two with layers.
            let rim = if block[2] > 1 { [2, 2, 2] } else { [1, 1, 0] };
            (over(covered, [0, 1, 2].map(|k| block[k] - 2 * rim[k])), block)
        }
        Threads::Tiles(x, y) => (over(covered, [x, y, 1]), block),
        Threads::Warps => {
            let strips = (board.cells[1] as u32).div_ceil(board.strip as u32);
            let blocks = [covered[0].div_ceil(32 - 2), strips.div_ceil(MARCHING_WARPS), 1];
            (blocks, [32 * MARCHING_WARPS, 1, 1])
        }
        Threads::Columns => {
            let columns = covered[0] * covered[1];
            let strips = covered[2].div_ceil(board.strip as u32);
            ([columns.div_ceil(block[0]), strips, 1], block)
        }
    }
}

impl<D: Device> Machine for OnDevice<D> {
    fn step(&mut self, steps: u64) -> Result<()> {
        let mut left = steps;
        while left > 0 {
            let fits = |of: &&u32| u64::from(**of) <= left;
            let now = *self.kernels.steps.iter().find(fits).expect("a kernel for one step");
            self.visit(now)?;
            left -= u64::from(now);
        }
        self.device.wait()
    }

    fn read(&mut self) -> Result<Grid> {
        let mut packed = vec![0; self.board.bytes(self.packing)];
        self.device.read(&self.memory[0], &mut packed)?;
        let state = |label: u8| self.labels.iter().position(|other| *other == label).unwrap_or(0);
        Ok(self.board.unpack(self.packing, &packed, |label| state(label) as u8))
    }
}
