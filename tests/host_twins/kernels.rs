//! A worker whose kernels are those of a GPU, compiled for this processor, and whose memory is this machine's.

use super::compile::Twins;
use super::sheet::{argument, twins};
use inundate::backend::canvas::Canvas;
use inundate::backend::cuda::frame::{CHUNK_COLUMNS, Extras, Shape};
use inundate::backend::cuda::layout::extras;
use inundate::backend::cuda::params::{Area, Moment, Params, Totals as DeviceTotals};
use inundate::backend::cuda::source::{Edges, Kernel, edges_unit, flow_unit};
use inundate::backend::worker::{Layer, Totals, Worker};
use inundate::backend::{Crossed, Problem, StateLayer, Step};
use inundate::error::Result;
use inundate::gauged::GaugeState;
use inundate::grains::{Rounding, phase};
use inundate::losses::Taken;
use inundate::roughness::Roughness;
use inundate::tiling::plan::Rect;
use inundate::tiling::visit::{MARGIN, Visit};
use std::rc::Rc;

/// Rows of a chunk; several to the frame.
const CHUNK_ROWS: usize = 16;
/// Threads of a block of the kernels with a thread per cell, across and down.
const BLOCK: [u32; 2] = [16, 16];

/// The worker.
pub struct KernelWorker {
    problem: Problem,
    kernel: Kernel,
    flow: Rc<Twins>,
    extras: Extras,
    visits: Vec<Visit>,
    totals: Vec<DeviceTotals>,
    /// Bits of the greatest pace since it was last asked for.
    rate: u32,
}

/// An array of a frame, with memory around it.
struct Array<T> {
    cells: Vec<T>,
    stride: usize,
}

impl<T: Copy + Default> Array<T> {
    fn new(shape: Shape) -> Array<T> {
        Array { cells: vec![T::default(); shape.cells], stride: shape.stride }
    }

    /// The address of column 0, row 0.
    fn address(&mut self) -> u64 {
        &raw mut self.cells[self.stride] as u64
    }

    /// Copies an area of the canvas that lies in the frame at `first`.
    fn load(&mut self, from: &[T], columns: usize, area: Rect, first: Rect) {
        for row in area.row..area.row + area.rows {
            let from = &from[row * columns + area.column..][..area.columns];
            let to = (row - first.row + 1) * self.stride + area.column - first.column;
            self.cells[to..to + area.columns].copy_from_slice(from);
        }
    }

    fn store(&self, to: &mut [T], columns: usize, area: Rect, first: Rect) {
        for row in area.row..area.row + area.rows {
            let from = (row - first.row + 1) * self.stride + area.column - first.column;
            to[row * columns + area.column..][..area.columns]
                .copy_from_slice(&self.cells[from..from + area.columns]);
        }
    }
}

/// A frame: what `backend/cuda/frame.rs` has in a device's memory.
pub struct KernelFrame {
    shape: Shape,
    bed: Array<i32>,
    water: [Array<i32>; 2],
    most: Array<i32>,
    arrival: Array<f32>,
    flags: Array<u8>,
    roughness: Array<f32>,
    /// Per field and axis: two that change places, one, or none.
    edges: [[Vec<Array<f32>>; 2]; 2],
    gifts: Vec<i32>,
    deepest: [Vec<i32>; 2],
    special: Vec<u8>,
}

impl KernelWorker {
    /// The kernels of a problem.
    pub fn compile(problem: &Problem, kernel: Kernel) -> Rc<Twins> {
        let info = problem.rule.info();
        let extras = extras(problem, kernel).expect("a kernel of the rule");
        let keeps = problem.asks_flow() && !info.has_momentum();
        let (unit, functions) = match (info.is_timed(), kernel) {
            (true, _) => (edges_unit(info, Edges { rough: extras.rough, keeps }), "flow.h"),
            (false, Kernel::Global) => (flow_unit(kernel, info, problem.neighbourhood), "passes.h"),
            (false, _) => (flow_unit(kernel, info, problem.neighbourhood), "flow.h"),
        };
        Rc::new(Twins::new(&unit, functions))
    }

    /// A worker with the kernels of its problem.
    pub fn new(
        problem: Problem,
        kernel: Kernel,
        flow: Rc<Twins>,
        visits: Vec<Visit>,
    ) -> KernelWorker {
        let extras = extras(&problem, kernel).expect("a kernel of the rule");
        let zero = DeviceTotals { halted_at: u64::MAX, ..DeviceTotals::default() };
        KernelWorker {
            flow,
            totals: vec![zero; visits.len()],
            rate: 0,
            problem,
            kernel,
            extras,
            visits,
        }
    }

    fn params(&mut self, frame: &mut KernelFrame, visit: usize, computed: Rect) -> Params {
        let Visit { frame: held, own } = self.visits[visit];
        let problem = &self.problem;
        let neighbours = problem.neighbourhood.neighbours();
        let rounding = Rounding::new(problem.grain, neighbours, 0);
        let inverse = problem.grid.inverse_cell();
        let (columns, rows) = (problem.grid.columns, problem.grid.rows);
        let grid = Rect { column: MARGIN, row: MARGIN, columns, rows };
        let mut edges = |field: usize, axis: usize, way: usize| {
            let arrays = &mut frame.edges[field][axis];
            let count = arrays.len();
            if count == 0 { 0 } else { arrays[way % count].address() }
        };
        let [east, south] = [edges(0, 0, 0), edges(0, 1, 0)];
        let [next_east, next_south] = [edges(0, 0, 1), edges(0, 1, 1)];
        let [u_east, u_south] = [edges(1, 0, 0), edges(1, 1, 0)];
        let [next_u_east, next_u_south] = [edges(1, 0, 1), edges(1, 1, 1)];
        Params {
            bed: frame.bed.address(),
            water: frame.water[0].address(),
            next: frame.water[1].address(),
            most: frame.most.address(),
            arrival: frame.arrival.address(),
            flags: frame.flags.address(),
            gifts: match frame.gifts.is_empty() {
                true => 0,
                false => &raw mut frame.gifts[frame.shape.stride] as u64,
            },
            deepest: frame.deepest[0].as_mut_ptr() as u64,
            deepest_next: frame.deepest[1].as_mut_ptr() as u64,
            special: frame.special.as_mut_ptr() as u64,
            totals: &raw mut self.totals[visit] as u64,
            plane: frame.shape.cells as u64,
            stride: frame.shape.stride as i32,
            chunks_across: held.columns.div_ceil(CHUNK_COLUMNS) as i32,
            chunks_down: held.rows.div_ceil(CHUNK_ROWS) as i32,
            chunk_rows: CHUNK_ROWS as i32,
            computed: area(computed, held),
            own: area(own, held),
            counted: area(own.within(grid), held),
            bed_step: rounding.bed_step,
            calm: rounding.calm,
            threshold: problem.arrival,
            rule: problem.rule.parameters(),
            east,
            south,
            next_east,
            next_south,
            u_east,
            u_south,
            next_u_east,
            next_u_south,
            roughness: frame.roughness.address(),
            rate: &raw mut self.rate as u64,
            metres: problem.grain.metres(),
            per_metre: problem.grain.per_metre(),
            inverse_dx: inverse[0],
            inverse_dy: inverse[1],
            all_roughness: match problem.roughness {
                Roughness::Uniform(n) => n,
                Roughness::Cells(_) => 0.0,
            },
            reach: problem.rule.reach() as i32,
            columns: held.columns as i32,
            ..Params::default()
        }
    }

    /// Launches a kernel with a warp a chunk.
    fn chunks(&self, of: &Twins, kernel: &str, params: &Params, more: &[*const ()]) {
        let blocks = [(params.chunks_across as u32).div_ceil(2), params.chunks_down as u32];
        let arguments = [&[argument(params)], more].concat();
        // SAFETY: the arguments are what the kernels take, and point to the frame.
        unsafe { of.launch(kernel, blocks, [64, 1], &arguments) };
    }

    /// Launches a kernel with a thread for each cell computed, and for so many around them.
    fn cells(&self, kernel: &str, params: &Params, around: i32) {
        let area = params.computed.grown(around);
        let columns = ((area.end_column - area.column) as u32).div_ceil(BLOCK[0]);
        let rows = ((area.end_row - area.row) as u32).div_ceil(BLOCK[1]);
        // SAFETY: as above.
        unsafe { self.flow.launch(kernel, [columns * rows, 1], BLOCK, &[argument(params)]) };
    }

    /// Water flows.
    fn flow(&self, params: &Params) {
        let info = self.problem.rule.info();
        match self.kernel {
            _ if info.has_momentum() => {
                // Velocities look at the new water one cell further.
                let wide = Params { computed: params.computed.grown(1), ..*params };
                if info.order > 1 {
                    self.chunks(&self.flow, "flux", &wide, &[]);
                }
                self.chunks(&self.flow, "flow", &wide, &[]);
                self.chunks(&self.flow, "turn", params, &[]);
            }
            Kernel::Fused => self.chunks(&self.flow, "flow", params, &[]),
            Kernel::Shared => self.cells("flow", params, 0),
            Kernel::Global => {
                self.cells("give", params, 1);
                self.cells("gather", params, 0);
            }
        }
    }
}

/// A rectangle of the canvas in a frame's own coordinates.
fn area(rect: Rect, frame: Rect) -> Area {
    let column = rect.column as i32 - frame.column as i32;
    let row = rect.row as i32 - frame.row as i32;
    Area { column, row, end_column: column + rect.columns as i32, end_row: row + rect.rows as i32 }
}

impl Worker for KernelWorker {
    type Frame = KernelFrame;

    fn frame(&mut self, columns: usize, rows: usize) -> Result<KernelFrame> {
        let shape = Shape::new(columns, rows, CHUNK_ROWS);
        let arrays = |count| (0..count).map(|_| Array::new(shape)).collect::<Vec<_>>();
        Ok(KernelFrame {
            bed: Array::new(shape),
            water: [Array::new(shape), Array::new(shape)],
            most: Array::new(shape),
            arrival: Array::new(shape),
            flags: Array::new(shape),
            roughness: Array::new(shape),
            edges: self.extras.edges.map(|count| [arrays(count), arrays(count)]),
            gifts: vec![0; shape.cells * self.extras.gifts],
            deepest: [vec![0; shape.chunks], vec![0; shape.chunks]],
            special: vec![0; shape.chunks],
            shape,
        })
    }

    fn load(&mut self, frame: &mut KernelFrame, canvas: &Canvas, visit: usize) -> Result<()> {
        let Visit { frame: held, own } = self.visits[visit];
        let columns = canvas.columns;
        *frame = self.frame(held.columns, held.rows)?;
        frame.bed.load(&canvas.bed, columns, held, held);
        frame.water[0].load(&canvas.water[0], columns, held, held);
        frame.flags.load(&canvas.flags, columns, held, held);
        frame.most.load(&canvas.most, columns, own, held);
        frame.arrival.load(&canvas.arrival, columns, own, held);
        if !canvas.roughness.is_empty() {
            frame.roughness.load(&canvas.roughness, columns, held, held);
        }
        for (layers, arrays) in canvas.edges[0].iter().zip(&mut frame.edges) {
            for (layer, arrays) in layers.iter().zip(arrays).filter(|(layer, _)| !layer.is_empty())
            {
                arrays[0].load(layer, columns, held, held);
            }
        }
        let params = self.params(frame, visit, own);
        let (columns, rows) = (held.columns as i32, held.rows as i32);
        self.chunks(twins(), "survey", &params, &[argument(&columns), argument(&rows)]);
        Ok(())
    }

    fn advance(
        &mut self,
        frame: &mut KernelFrame,
        visit: usize,
        computed: &[Rect],
        steps: &[Step],
    ) -> Result<()> {
        for (&computed, step) in computed.iter().zip(steps) {
            let mut moment = Moment {
                turn: 2 * step.number,
                phase: phase(step.number),
                end: step.end,
                dt: step.dt,
                start: step.start,
                ..Moment::default()
            };
            let moment = &raw mut moment as u64;
            let params = Params { moment, ..self.params(frame, visit, computed) };
            self.flow(&params);
            frame.water.swap(0, 1);
            frame.deepest.swap(0, 1);
            for arrays in frame.edges.iter_mut().flatten().filter(|arrays| arrays.len() == 2) {
                arrays.swap(0, 1);
            }
        }
        Ok(())
    }

    fn fastest(&mut self) -> Result<f32> {
        Ok(f32::from_bits(std::mem::take(&mut self.rate)))
    }

    fn look(&mut self, _: &mut KernelFrame, _: usize, _: f32) -> Result<()> {
        Ok(())
    }

    fn store(&mut self, frame: &mut KernelFrame, canvas: &mut Canvas, visit: usize) -> Result<()> {
        let Visit { frame: held, own } = self.visits[visit];
        let columns = canvas.columns;
        frame.water[0].store(&mut canvas.water[1], columns, own, held);
        frame.most.store(&mut canvas.most, columns, own, held);
        frame.arrival.store(&mut canvas.arrival, columns, own, held);
        for (layers, arrays) in canvas.edges[1].iter_mut().zip(&frame.edges) {
            for (layer, arrays) in
                layers.iter_mut().zip(arrays).filter(|(layer, _)| !layer.is_empty())
            {
                arrays[0].store(layer, columns, own, held);
            }
        }
        Ok(())
    }

    fn count(&mut self, frame: &mut KernelFrame, visit: usize) -> Result<()> {
        (self.totals[visit].stored, self.totals[visit].wet) = (0, 0);
        let params = self.params(frame, visit, self.visits[visit].own);
        self.chunks(twins(), "count", &params, &[]);
        Ok(())
    }

    fn wait(&mut self) -> Result<Vec<Totals>> {
        let told = |totals: &DeviceTotals| Totals {
            losses: totals.losses,
            taken: Taken::default(),
            outflow: totals.outflow,
            inflow: totals.inflow,
            rain: totals.rain,
            crossed: Crossed {
                crossed: totals.crossed,
                cut: totals.cut,
                deep: totals.deep,
                fast: totals.fast,
                held: totals.held,
            },
            peaks: totals.peaks(),
            stored: totals.stored,
            wet: totals.wet,
            too_deep: (totals.halted_at != u64::MAX).then_some(totals.halted_at / 2),
        };
        Ok(self.totals.iter().map(told).collect())
    }

    fn gauges(&self) -> Result<Vec<GaugeState>> {
        Ok(Vec::new())
    }

    fn read(&self, frame: &KernelFrame, layer: Layer, area: Rect, to: &mut [u32]) -> Result<()> {
        let rows = |bits: &dyn Fn(usize) -> u32, to: &mut [u32]| {
            for row in 0..area.rows {
                for column in 0..area.columns {
                    let at = (area.row + row + 1) * frame.shape.stride + area.column + column;
                    to[row * area.columns + column] = bits(at);
                }
            }
        };
        match layer {
            Layer::Grains(StateLayer::Water) => rows(&|at| frame.water[0].cells[at] as u32, to),
            Layer::Grains(StateLayer::MaxWater) => rows(&|at| frame.most.cells[at] as u32, to),
            Layer::Arrival => rows(&|at| frame.arrival.cells[at].to_bits(), to),
            Layer::Edges(field, axis) => {
                let layer = &frame.edges[field as usize][axis][0];
                rows(&|at| layer.cells[at].to_bits(), to);
            }
            Layer::Plane(_) => unreachable!("nothing is noted"),
        }
        Ok(())
    }

    fn describe(&self) -> String {
        "kernels on a host".into()
    }
}
