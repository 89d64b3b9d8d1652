// First guesses that the device's own instructions make, for arithmetic.cuh to refine. A host that these
// headers are compiled for has guesses of its own (tests/host_twins).
#pragma once

// About 1 / sqrt(x); infinite of 0.
__device__ __forceinline__ float guess_reciprocal_root(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// About 1 / x.
__device__ __forceinline__ float guess_reciprocal(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
