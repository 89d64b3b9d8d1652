// Manning's friction at the end of a step.
#pragma once
#include "arithmetic.cuh"
#include "roots.cuh"

// What friction leaves of a discharge or a velocity, `free` without it: src/engine/rule/inertial.rs.
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
    const float slow = divide(twice, linear + rooted);
    return free > 1e-20f ? slow : 0.0f;
}
