// Manning's friction at the end of a step.
#pragma once
#include "arithmetic.cuh"
#include "roots.cuh"

// Returns the discharge or velocity on which friction acts: 0 if it does not `go`, or if it is
// negligible.
__device__ __forceinline__ float before_friction(float free, bool goes) { return fabsf(free) > 1e-20f && goes ? free : 0.0f; }

// Returns the magnitude left by friction: src/engine/solver/inertial.rs. It is positive for all
// arguments except 0.
__device__ __forceinline__ float with_friction(float free, float transverse, float resistance)
{
    const float twice = 2.0f * free;
    const float four = 4.0f * free;
    const float across = fabsf(transverse);
    const float guessed = fused(0.6f, resistance * across, 1.0f);
    const float under = fused(guessed, guessed, four * resistance);
    const float x = twice * guess_inverse(guessed + guess_root(under));
    const float across_squared = across * across;
    const float slope = resistance * rough_inverse_root(fused(x, x, across_squared));
    const float linear = fused(slope, across_squared, 1.0f);
    const float rooted = root_of_positive(fused(linear, linear, four * (slope * x)));
    return twice * reciprocal(linear + rooted);
}
