//! A GPU as a worker: loads frames, launches kernels, reads results back.

use super::failure::failed;
use super::frame::{CHUNK_COLUMNS, Frame, Shape};
use super::memory::{Block, Pinned, clear};
use super::params::{Area, Params, Totals};
use super::pours::Pours;
use super::program::{Launch, Program};
use super::transfer;
use crate::backend::Step;
use crate::backend::canvas::Canvas;
use crate::backend::worker::{self, Layer, VisitForcing, Worker};
use crate::error::Result;
use crate::forcing::{Account, Footprint, Forcing};
use crate::grains::{Grain, Rounding};
use crate::neighbourhood::Neighbourhood;
use crate::tiling::plan::Rect;
use crate::tiling::visit::Visit;
use cudarc::driver::{CudaContext, CudaStream};
use std::sync::Arc;

/// What a GPU must know of a run before its first frame.
pub struct Job<'a> {
    /// The visits to come.
    pub visits: &'a [Visit],
    /// What falls into single cells of each.
    pub forcing: &'a [VisitForcing],
    /// Rain and sources, for their accounts and footprints.
    pub rates: &'a Forcing,
    /// Grain of the water.
    pub grain: Grain,
    /// Who exchanges water with whom.
    pub neighbourhood: Neighbourhood,
    /// Depth above which water counts as arrived (grains).
    pub threshold: i32,
    /// The rule's parameters.
    pub rule: [f32; 4],
    /// Rows of a chunk.
    pub chunk_rows: usize,
    /// Planes of gifts that the kernel keeps in memory.
    pub planes: usize,
}

/// A rate layer that covers the domain.
pub(super) struct Rain {
    pub layer: usize,
    pub account: Account,
    pub shares: bool,
}

/// A GPU.
pub struct CudaWorker {
    context: Arc<CudaContext>,
    pub(super) program: Program,
    stream: Arc<CudaStream>,
    streams: Vec<Arc<CudaStream>>,
    visits: Vec<Visit>,
    pub(super) pours: Vec<Pours>,
    pub(super) rains: Vec<Rain>,
    accounts: Vec<Account>,
    totals: Block,
    /// Constants of every step but for its phase.
    rounding: Rounding,
    threshold: i32,
    rule: [f32; 4],
    chunk_rows: usize,
    planes: usize,
    pinned: Pinned,
    /// The turn at which water got too deep in the only visit.
    halted: Option<u64>,
    name: String,
}

impl CudaWorker {
    /// A GPU that is to run a program.
    pub fn new(
        context: Arc<CudaContext>,
        program: Program,
        job: &Job,
        name: String,
    ) -> Result<Self> {
        let stream = context.default_stream();
        let mut totals = Block::new(&stream, job.visits.len() * size_of::<Totals>())?;
        let zero = Totals { halted_at: u64::MAX, ..Totals::default() };
        totals.fill(&stream, &vec![zero; job.visits.len()])?;
        let rates = &job.rates.rates;
        let rains = rates.iter().enumerate().filter_map(|(layer, rate)| match rate.footprint {
            Footprint::Everywhere => Some(Rain { layer, account: rate.account, shares: false }),
            Footprint::Shares(_) => Some(Rain { layer, account: rate.account, shares: true }),
            Footprint::Cells(_) => None,
        });
        let accounts: Vec<Account> = rates.iter().map(|rate| rate.account).collect();
        let mut pours = Vec::with_capacity(job.visits.len());
        for forcing in job.forcing {
            pours.push(Pours::new(&stream, forcing, &accounts)?);
        }
        Ok(CudaWorker {
            program,
            streams: vec![stream.clone()],
            visits: job.visits.to_vec(),
            pours,
            rains: rains.collect(),
            accounts,
            totals,
            rounding: Rounding::new(job.grain, job.neighbourhood.neighbours(), 0),
            threshold: job.threshold,
            rule: job.rule,
            chunk_rows: job.chunk_rows,
            planes: job.planes,
            pinned: Pinned::none(),
            halted: None,
            name,
            stream,
            context,
        })
    }

    /// Whether one visit holds the whole grid.
    pub(super) fn alone(&self) -> bool {
        self.visits.len() == 1
    }

    fn totals_of(&self, visit: usize) -> u64 {
        self.totals.address + (visit * size_of::<Totals>()) as u64
    }

    /// What kernels are told, but for the step's own constants.
    pub(super) fn params(&self, frame: &Frame, visit: usize, computed: Rect) -> Params {
        let Visit { frame: held, own } = self.visits[visit];
        Params {
            bed: frame.origin(&frame.bed, 4),
            water: frame.origin(&frame.water[0], 4),
            next: frame.origin(&frame.water[1], 4),
            most: frame.origin(&frame.most, 4),
            arrival: frame.origin(&frame.arrival, 4),
            flags: frame.origin(&frame.flags, 1),
            gifts: frame.gifts.as_ref().map_or(0, |gifts| frame.origin(gifts, 4)),
            deepest: frame.deepest[0].address,
            deepest_next: frame.deepest[1].address,
            special: frame.special.address,
            totals: self.totals_of(visit),
            plane: frame.shape.cells as u64,
            stride: frame.shape.stride as i32,
            chunks_across: held.columns.div_ceil(CHUNK_COLUMNS) as i32,
            chunks_down: held.rows.div_ceil(self.chunk_rows) as i32,
            chunk_rows: self.chunk_rows as i32,
            computed: area(computed, held),
            own: area(own, held),
            bed_step: self.rounding.bed_step,
            calm: self.rounding.calm,
            threshold: self.threshold,
            rule: self.rule,
            ..Params::default()
        }
    }
}

/// A rectangle of the canvas in a frame's own coordinates.
fn area(rect: Rect, frame: Rect) -> Area {
    let column = rect.column as i32 - frame.column as i32;
    let row = rect.row as i32 - frame.row as i32;
    Area { column, row, end_column: column + rect.columns as i32, end_row: row + rect.rows as i32 }
}

impl Drop for CudaWorker {
    /// Waits for what is under way: after a failure copies from and to the host's memory may be.
    fn drop(&mut self) {
        let _ = self.context.synchronize();
    }
}

impl Worker for CudaWorker {
    type Frame = Frame;

    fn pin(&mut self, canvas: &Canvas) {
        self.pinned.add(&canvas.bed);
        self.pinned.add(&canvas.flags);
        self.pinned.add(&canvas.water[0]);
        self.pinned.add(&canvas.water[1]);
        self.pinned.add(&canvas.most);
        self.pinned.add(&canvas.arrival);
        for shares in canvas.shares.iter().filter(|shares| !shares.is_empty()) {
            self.pinned.add(shares);
        }
    }

    fn frame(&mut self, columns: usize, rows: usize) -> Result<Frame> {
        let stream =
            self.context.new_stream().map_err(|error| failed("starting a stream", error))?;
        let shape = Shape::new(columns, rows, self.chunk_rows);
        let mut shares = vec![false; self.accounts.len()];
        for rain in self.rains.iter().filter(|rain| rain.shares) {
            shares[rain.layer] = true;
        }
        let frame = Frame::new(stream.clone(), shape, &shares, self.planes)?;
        self.streams.push(stream);
        // Memory is taken in one stream and used in another.
        self.context.synchronize().map_err(|error| failed("taking device memory", error))?;
        Ok(frame)
    }

    fn load(&mut self, frame: &mut Frame, canvas: &Canvas, visit: usize) -> Result<()> {
        let visited = self.visits[visit];
        transfer::load(frame, canvas, visited)?;
        let params = self.params(frame, visit, visited.own);
        let launch = Launch { program: &self.program, stream: &frame.stream };
        launch.survey(&params, visited.frame.columns, visited.frame.rows)
    }

    fn advance(
        &mut self,
        frame: &mut Frame,
        visit: usize,
        computed: &[Rect],
        steps: &[Step],
    ) -> Result<()> {
        self.take_steps(frame, visit, computed, steps)
    }

    fn store(&mut self, frame: &mut Frame, canvas: &mut Canvas, visit: usize) -> Result<()> {
        transfer::store(frame, canvas, self.visits[visit])
    }

    fn count(&mut self, frame: &mut Frame, visit: usize) -> Result<()> {
        let counted = std::mem::offset_of!(Totals, stored);
        let bytes = std::mem::offset_of!(Totals, halted_at) - counted;
        // SAFETY: these are two fields of the visit's totals.
        unsafe { clear(&frame.stream, self.totals_of(visit) + counted as u64, bytes)? };
        let params = self.params(frame, visit, self.visits[visit].own);
        Launch { program: &self.program, stream: &frame.stream }.count(&params)
    }

    fn wait(&mut self) -> Result<Vec<worker::Totals>> {
        for stream in &self.streams {
            stream.synchronize().map_err(|error| failed("stepping", error))?;
        }
        let mut totals = vec![Totals::default(); self.visits.len()];
        self.totals.read(&self.stream, &mut totals)?;
        if self.alone() {
            self.halted = totals.first().map(|t| t.halted_at).filter(|&turn| turn != u64::MAX);
        }
        Ok(totals
            .iter()
            .map(|totals| worker::Totals {
                rain: totals.rain,
                inflow: totals.inflow,
                losses: totals.losses,
                outflow: totals.outflow,
                stored: totals.stored,
                wet: totals.wet,
                too_deep: (totals.halted_at != u64::MAX).then_some(totals.halted_at / 2),
            })
            .collect())
    }

    fn read(&self, frame: &Frame, layer: Layer, area: Rect, to: &mut [u32]) -> Result<()> {
        transfer::read(frame, layer, self.halted, area, to)
    }

    fn describe(&self) -> String {
        self.name.clone()
    }
}
