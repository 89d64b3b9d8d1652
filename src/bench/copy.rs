//! Copy bandwidth of a processor.

use crate::engine::backend::cuda::device::failure::failed;
use crate::engine::backend::cuda::memory::Block;
use crate::error::Result;
use cudarc::driver::{CudaContext, CudaStream, DriverError, result};
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// Bytes copied on a GPU, at most; fewer if less memory is free.
const GPU_BYTES: usize = 1 << 30;
/// Number of timed copies; the fastest counts.
const TIMES: usize = 5;
/// Copies on a GPU between two synchronizations.
const AT_ONCE: usize = 8;

/// Copies a large array on rayon's current threads (GB/s, bytes read plus bytes written).
pub fn on_host() -> f64 {
    let cells = 64 << 20;
    let from: Vec<i32> = (0..cells).into_par_iter().map(|i| i as i32).collect();
    let mut to = vec![0i32; cells];
    let mut best = f64::INFINITY;
    for _ in 0..TIMES {
        let start = Instant::now();
        let pieces = to.par_chunks_mut(1 << 16).zip(from.par_chunks(1 << 16));
        pieces.for_each(|(to, from)| to.copy_from_slice(from));
        best = best.min(start.elapsed().as_secs_f64());
    }
    assert_eq!(to.last(), from.last());
    2.0 * (cells * 4) as f64 / best / 1e9
}

/// Copies a large array from one place in a GPU's memory to another (GB/s, bytes read plus bytes
/// written).
pub fn on_gpu(context: &Arc<CudaContext>) -> Result<f64> {
    let stream = context.default_stream();
    let bytes = GPU_BYTES.min(free(context)? / 4);
    let (from, to) = (Block::new(&stream, bytes)?, Block::new(&stream, bytes)?);
    let seconds = best(&stream, || {
        // SAFETY: both blocks have `bytes` bytes and live until the stream is synchronized.
        unsafe { result::memcpy_dtod_async(to.address, from.address, bytes, stream.cu_stream()) }
    })?;
    Ok(2.0 * bytes as f64 / seconds / 1e9)
}

fn free(context: &Arc<CudaContext>) -> Result<usize> {
    context.mem_get_info().map(|(free, _)| free).map_err(|e| failed("allocating memory", e))
}

/// Returns the shortest time of a copy (s): the best of [`TIMES`] rounds of `at_once` copies in a
/// stream, after a warm-up round.
fn best(
    stream: &CudaStream,
    mut copy: impl FnMut() -> std::result::Result<(), DriverError>,
) -> Result<f64> {
    let mut best = f64::INFINITY;
    for round in 0..=TIMES {
        let start = Instant::now();
        let copies = (0..AT_ONCE).try_for_each(|_| copy());
        copies.and_then(|()| stream.synchronize()).map_err(|error| failed("copying", error))?;
        if round > 0 {
            best = best.min(start.elapsed().as_secs_f64() / AT_ONCE as f64);
        }
    }
    Ok(best)
}
