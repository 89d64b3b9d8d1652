// Level differences from heights and water, and rounding of lengths to whole grains:
// src/engine/grains.rs.
#pragma once
#include "params.cuh"

// Level difference between cells a and b (grains): subtract first, in integers.
__device__ __forceinline__ float level_difference(int bed_a, int bed_b, int water_a, int water_b,
                                                  float bed_step)
{
    return (float)(int)((unsigned)bed_a - (unsigned)bed_b) * bed_step + (float)(water_a - water_b);
}

// Rounding phase of an edge: 0 if the levels are nearly equal, so that water comes to rest. The
// lower cell has no outflow and still rounds 0 to 0.
__device__ __forceinline__ float edge_phase(const Params &p, const StepConstants &now, float difference)
{
    return p.calm > fabsf(difference) ? 0.0f : now.phase;
}

// Rounds transfers to whole grains, not yet limited to the cell's water. Returns their sum.
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

// Subtracts the excess from rounding equally from every transfer. Returns the new sum.
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

// a + b for non-negative numbers, saturated at the largest integer.
__device__ __forceinline__ int add_or_most(int a, int b)
{
    return (int)min((unsigned)a + (unsigned)b, 0x7fffffffu);
}
