//! Scratch rows for the step of an edge solver, kept per thread.

use super::flow_diagnostics::FlowDiagnostics;
use super::scratch::kept_per_thread;
use super::window::PADDING;

/// Rows of intermediate results, each with [`PADDING`] spare cells on both sides.
pub(crate) struct EdgeScratch {
    stride: usize,
    length: usize,
    /// Values for the flow across transverse edges: `[axis][row mod 2]`.
    pub(super) face: Vec<f32>,
    /// Velocities on edges (m/s), in steps that evaluate the flow: `[axis][row mod 2]`.
    pub(super) velocity: Vec<f32>,
    /// Fluxes across edges (grains), positive ahead: `[axis][row mod 3]`.
    pub(super) fluxes: Vec<i32>,
    /// Stream velocities of edges (m/s): `[axis][row mod 3]`.
    pub(super) stream: Vec<f32>,
    /// Share of a shock that counts in cells: `[row mod 2]`.
    pub(super) shocks: Vec<f32>,
    /// Diagnostics of the flow across the edges of a row.
    pub(super) diagnostics: FlowDiagnostics,
    /// Part of the flux held back at the edges of a row (grains, positive ahead): `[axis]`. Later
    /// in the step, the first axis holds the total outflow of cells.
    pub(super) cut: Vec<i32>,
}

kept_per_thread!(EdgeScratch);

impl EdgeScratch {
    /// Runs a closure with this thread's scratch, for windows of up to `stride` columns. Its
    /// initial contents are arbitrary.
    pub fn with<T>(stride: usize, what: impl FnOnce(&mut EdgeScratch) -> T) -> T {
        EdgeScratch::with_kept(
            |scratch| scratch.stride >= stride,
            || EdgeScratch::new(stride),
            what,
        )
    }

    fn new(stride: usize) -> EdgeScratch {
        let length = stride + 2 * PADDING;
        EdgeScratch {
            stride,
            length,
            face: vec![0.0; 4 * length],
            velocity: vec![0.0; 4 * length],
            fluxes: vec![0; 6 * length],
            stream: vec![0.0; 6 * length],
            shocks: vec![0.0; 2 * length],
            diagnostics: FlowDiagnostics::new(stride),
            cut: vec![0; 2 * length],
        }
    }

    #[inline(always)]
    pub(super) fn face_start(&self, axis: usize, row: usize) -> usize {
        (2 * axis + row % 2) * self.length + PADDING
    }

    #[inline(always)]
    pub(super) fn flux_start(&self, axis: usize, row: usize) -> usize {
        (3 * axis + row % 3) * self.length + PADDING
    }

    #[inline(always)]
    pub(super) fn stream_start(&self, axis: usize, row: usize) -> usize {
        self.flux_start(axis, row)
    }

    #[inline(always)]
    pub(super) fn axis_start(&self, axis: usize) -> usize {
        axis * self.length + PADDING
    }
}
