// Instructions of the device: first guesses, which arithmetic.cuh refines, and choices. A host that
// compiles these headers has its own (tests/host_twins).
#pragma once

// Approximately 1 / sqrt(x); infinite for 0.
__device__ __forceinline__ float guess_reciprocal_root(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// Approximately 1 / x.
__device__ __forceinline__ float guess_reciprocal(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// x if a > b, otherwise y, both computed without a branch.
__device__ __forceinline__ float if_greater(float a, float b, float x, float y)
{
    float chosen;
    asm("{.reg .pred p; setp.gt.f32 p, %1, %2; selp.f32 %0, %3, %4, p;}" : "=f"(chosen) : "f"(a), "f"(b), "f"(x), "f"(y));
    return chosen;
}
