// From heights and water to level differences, and from lengths to whole grains: src/engine/grains.rs.
#pragma once
#include "params.cuh"

// Level difference between cells a and b (grains): difference first, in integers.
__device__ __forceinline__ float level_difference(int bed_a, int bed_b, int water_a, int water_b,
                                                  float bed_step)
{
    return (float)(int)((unsigned)bed_a - (unsigned)bed_b) * bed_step + (float)(water_a - water_b);
}

// The rounding phase of an edge: none where the levels are nearly equal, so that still water calms
// down. The lower cell, which gives nothing, rounds 0 with it to 0.
__device__ __forceinline__ float edge_phase(const Params &p, const StepConstants &now, float difference)
{
    return p.calm > fabsf(difference) ? 0.0f : now.phase;
}

// Transfers in whole grains, not yet held to what the cell has. Returns their sum.
template <int K>
__device__ __forceinline__ int to_grains(const float (&give)[K], const float (&phase)[K],
                                         int (&grains)[K])
{
    int total = 0;
#pragma unroll
    for (int k = 0; k < K; k++) {
        grains[k] = __float2int_rz(give[k] + phase[k]);
        total += grains[k];
    }
    return total;
}

// What rounding would take too much is left off every transfer alike. Returns the new sum.
template <int K>
__device__ __forceinline__ int leave_off(int excess, int (&grains)[K])
{
    int total = 0;
    excess = max(excess, 0);
#pragma unroll
    for (int k = 0; k < K; k++) {
        grains[k] -= min(grains[k], excess);
        total += grains[k];
    }
    return total;
}

// a + b of numbers that are not negative, or the largest integer where that is more.
__device__ __forceinline__ int add_or_most(int a, int b)
{
    return (int)min((unsigned)a + (unsigned)b, 0x7fffffffu);
}
