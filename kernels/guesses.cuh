// First guesses by the device's own instructions, for arithmetic.cuh to refine. A host that
// compiles these headers has its own guesses (tests/host_twins).
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
