//! A few rows of intermediate results of the step of an edge rule, kept per thread.

use super::flow_diagnostics::FlowDiagnostics;
use super::scratch::kept_per_thread;
use super::window::PADDING;

/// Rows of intermediate results; each has [`PADDING`] cells to spare on both sides.
pub(crate) struct EdgeScratch {
    stride: usize,
    length: usize,
    /// What edges show to those across their ends: `[axis][row mod 2]`.
    pub(super) face: Vec<f32>,
    /// Velocities over edges of steps that look at the flow (m/s): likewise.
    pub(super) velocity: Vec<f32>,
    /// What crosses edges (grains), above 0 ahead: `[axis][row mod 3]`.
    pub(super) crossing: Vec<i32>,
    /// The streams of edges (m/s): `[axis][row mod 3]`.
    pub(super) stream: Vec<f32>,
    /// How the water flows over the edges of a row.
    pub(super) diagnostics: FlowDiagnostics,
    /// What is cut of the flow over the edges of a row (grains, above 0 ahead): `[axis]`. The first axis holds what cells give
    /// in all, later in the step.
    pub(super) cut: Vec<i32>,
}

kept_per_thread!(EdgeScratch);

impl EdgeScratch {
    /// Runs something with this thread's scratch for windows of up to `stride` columns. What it holds from earlier
    /// use is arbitrary.
    pub fn with<T>(stride: usize, what: impl FnOnce(&mut EdgeScratch) -> T) -> T {
        EdgeScratch::lent(|scratch| scratch.stride >= stride, || EdgeScratch::new(stride), what)
    }

    fn new(stride: usize) -> EdgeScratch {
        let length = stride + 2 * PADDING;
        EdgeScratch {
            stride,
            length,
            face: vec![0.0; 4 * length],
            velocity: vec![0.0; 4 * length],
            crossing: vec![0; 6 * length],
            stream: vec![0.0; 6 * length],
            diagnostics: FlowDiagnostics::new(stride),
            cut: vec![0; 2 * length],
        }
    }

    #[inline(always)]
    pub(super) fn face_start(&self, axis: usize, row: usize) -> usize {
        (2 * axis + row % 2) * self.length + PADDING
    }

    #[inline(always)]
    pub(super) fn crossing_start(&self, axis: usize, row: usize) -> usize {
        (3 * axis + row % 3) * self.length + PADDING
    }

    #[inline(always)]
    pub(super) fn stream_start(&self, axis: usize, row: usize) -> usize {
        self.crossing_start(axis, row)
    }

    #[inline(always)]
    pub(super) fn axis_start(&self, axis: usize) -> usize {
        axis * self.length + PADDING
    }
}
