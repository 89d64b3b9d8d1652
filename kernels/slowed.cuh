// Manning's friction at the end of a step.
#pragma once
#include "arithmetic.cuh"
#include "roots.cuh"

// What there is for friction to slow of a discharge or a velocity: nothing where it does not `go`, and nothing of what is next to nothing.
__device__ __forceinline__ float to_slow(float free, bool goes) { return fabsf(free) > 1e-20f && goes ? free : 0.0f; }

// A size with the sign of what is slowed. Of +0 it is +0.
__device__ __forceinline__ float with_sign_of(float free, float size)
{
    return __uint_as_float(__float_as_uint(size) | (__float_as_uint(free) & 0x80000000u));
}

// What friction leaves of the size of that: src/engine/rule/inertial.rs. It leaves something of all but 0.
__device__ __forceinline__ float slowed(float free, float transverse, float resistance)
{
    const float twice = 2.0f * free;
    const float four = 4.0f * free;
    const float across = fabsf(transverse);
    const float guessed = fused(0.6f, resistance * across, 1.0f);
    const float under = fused(guessed, guessed, four * resistance);
    const float x = twice * guess_inverse(guessed + guess_root(under));
    const float across_squared = across * across;
    const float whole_squared = higher(fused(x, x, across_squared), 1e-30f);
    const float slope = resistance * rough_inverse_root(whole_squared);
    const float linear = fused(slope, across_squared, 1.0f);
    const float rooted = root(fused(linear, linear, four * (slope * x)));
    return divide(twice, linear + rooted);
}
