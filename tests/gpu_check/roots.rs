//! Compares the roots of the timed solvers on a GPU with those in Rust, bit by bit over their whole
//! range.

use super::Table;
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use inundate_engine::backend::cuda::compile::load::load;
use inundate_engine::backend::cuda::compile::source::Unit;
use inundate_engine::solver::roots;
use rayon::prelude::*;
use std::sync::Arc;

/// Number of results copied to the host at a time.
const AT_ONCE: u32 = 1 << 25;

/// A root: name, Rust implementation, and the powers of two that bound its range.
type Root = (&'static str, fn(f32) -> f32, i32, i32);

const ROOTS: [Root; 6] = [
    ("inverse_sixth_root", roots::inverse_sixth_root::<f32>, -17, 12),
    ("inverse_fourth_root", roots::inverse_fourth_root::<f32>, -80, 24),
    ("rough_inverse_cube_root", roots::rough_inverse_cube_root::<f32>, -17, 12),
    ("rough_inverse_root", roots::rough_inverse_root::<f32>, -100, 40),
    ("guess_root", roots::guess_root::<f32>, -100, 100),
    ("guess_inverse", roots::guess_inverse::<f32>, -100, 100),
];

/// Compares every root of every float in its range.
pub fn check(context: &Arc<CudaContext>, small: bool, table: &mut Table) {
    for (name, root, low, high) in ROOTS {
        let line = format!("arithmetic: {name}, every float from 2^{low} to 2^{high}");
        if table.wants(&line) {
            table.report(&line, compare(context, name, root, (low, high), small));
        }
    }
}

fn compare(
    context: &Arc<CudaContext>,
    name: &str,
    root: fn(f32) -> f32,
    (low, high): (i32, i32),
    small: bool,
) -> Result<(), String> {
    let source = format!(
        r#"
#include "roots.cuh"
extern "C" __global__ void roots(unsigned first, unsigned count, unsigned *to)
{{
    for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x)
        to[at] = __float_as_uint({name}(__uint_as_float(first + at)));
}}
"#
    );
    let unit = Unit { name: format!("roots-{}", name.replace('_', "-")), source };
    let module = load(context, &unit).map_err(|error| error.to_string())?;
    let function = module.load_function("roots").map_err(|error| error.to_string())?;
    let stream = context.default_stream();
    let (first, end) = (2f32.powi(low).to_bits(), 2f32.powi(high).to_bits() + 1);
    let end = if small { end.min(first + (1 << 20)) } else { end };
    for first in (first..end).step_by(AT_ONCE as usize) {
        let count = AT_ONCE.min(end - first);
        let mut to = stream.alloc_zeros::<u32>(count as usize).expect("memory");
        let config =
            LaunchConfig { grid_dim: (4096, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the arguments match the kernel above.
        unsafe {
            let mut launch = stream.launch_builder(&function);
            launch.arg(&first).arg(&count).arg(&mut to).launch(config).expect("a launch");
        }
        let found = stream.clone_dtoh(&to).expect("results");
        let wrong = found
            .par_iter()
            .enumerate()
            .find_first(|(at, bits)| root(f32::from_bits(first + *at as u32)).to_bits() != **bits);
        if let Some((at, _)) = wrong {
            return Err(format!("of {:e}", f32::from_bits(first + at as u32)));
        }
    }
    Ok(())
}
