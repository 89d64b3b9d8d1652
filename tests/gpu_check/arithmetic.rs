//! Compares the kernels' own root and quotient with the processor's correctly rounded ones.

use super::{Table, roots};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use inundate_engine::backend::cuda::compile::load::load;
use inundate_engine::backend::cuda::compile::source::Unit;

/// Compares the kernels' own root and quotient with the processor's correctly rounded ones.
pub fn check(gpu: usize, small: bool, table: &mut Table) {
    let source = r#"
#include "arithmetic.cuh"
extern "C" __global__ void roots(unsigned first, unsigned count, unsigned long long *wrong)
{
    for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
        const float x = __uint_as_float(first + at);
        if (__float_as_uint(root(x)) != __float_as_uint(__fsqrt_rn(x))) atomicAdd(wrong, 1ull);
    }
}
extern "C" __global__ void reciprocals(unsigned first, unsigned count, unsigned long long *wrong)
{
    for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
        const float x = __uint_as_float(first + at);
        if (__float_as_uint(reciprocal(x)) != __float_as_uint(__frcp_rn(x))) atomicAdd(wrong, 1ull);
        if (__float_as_uint(root_of_positive(x)) != __float_as_uint(__fsqrt_rn(x))) atomicAdd(wrong, 1ull);
    }
}
extern "C" __global__ void quotients(unsigned seed, unsigned count, unsigned long long *wrong)
{
    for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
        // 2^-100 to 2^69 over 2^-20 to 2^59, or small whole numbers over each other: wherever the quotient
        // stays above 2^-120.
        unsigned long long bits = (seed + (unsigned long long)at) * 0x9E3779B97F4A7C15ull;
        bits ^= bits >> 29;
        bits *= 0xBF58476D1CE4E5B9ull;
        bits ^= bits >> 32;
        const unsigned high = (unsigned)(bits >> 32), low = (unsigned)bits;
        float a = __uint_as_float(((27u + high % 170u) << 23) | (low & 0x7fffffu));
        float b = __uint_as_float(((107u + low / 0x800000u % 80u) << 23) | (high >> 9));
        if (fabsf(a) < 0x1p-120f * b) a = b;
        if (at % 4 == 0) {
            a = (float)(low % 100000u);
            b = (float)(1u + high % 100000u);
        }
        if (__float_as_uint(divide(a, b)) != __float_as_uint(__fdiv_rn(a, b))) atomicAdd(wrong, 1ull);
    }
}
"#;
    let unit = Unit { name: "arithmetic".into(), source: source.into() };
    let context = CudaContext::new(gpu).expect("a context");
    let stream = context.default_stream();
    let module = match load(&context, &unit) {
        Ok(module) => module,
        Err(error) => return table.report("arithmetic", Err(error.to_string())),
    };
    // Every float from 1 to 2^126, and 0; reciprocals; then random quotients.
    let one = 1.0f32.to_bits();
    let all: u32 = if small { 1 << 20 } else { (126 << 23) + 1 };
    for (name, function, first, count) in [
        ("root, 0", "roots", 0u32, 1u32),
        ("root, every float from 1 to 2^126", "roots", one, all),
        (
            "reciprocal and root of every float from 2^-60 to 2^125",
            "reciprocals",
            2f32.powi(-60).to_bits(),
            if small { 1 << 24 } else { (185 << 23) + 1 },
        ),
        (
            "quotient, random",
            "quotients",
            std::process::id(),
            if small { 1 << 20 } else { 3_000_000_000 },
        ),
    ] {
        let line = format!("arithmetic: {name} ({count} cases)");
        if !table.wants(&line) {
            continue;
        }
        let function = module.load_function(function).expect("the kernel");
        let mut wrong = stream.alloc_zeros::<u64>(1).expect("memory");
        let config =
            LaunchConfig { grid_dim: (4096, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the arguments match the kernels above.
        unsafe {
            let mut launch = stream.launch_builder(&function);
            launch.arg(&first).arg(&count).arg(&mut wrong).launch(config).expect("a launch");
        }
        let wrong = stream.clone_dtoh(&wrong).expect("a result")[0];
        table.report(&line, if wrong == 0 { Ok(()) } else { Err(format!("{wrong} wrong")) });
    }
    roots::check(&context, small, table);
}
