// From heights and water to level differences, and from lengths to whole grains: src/grains.rs.
#pragma once
#include "params.cuh"

// Level difference between cells a and b (grains): difference first, in integers.
__device__ __forceinline__ float level_difference(int bed_a, int bed_b, int water_a, int water_b,
                                                  float bed_step)
{
    return (float)(int)((unsigned)bed_a - (unsigned)bed_b) * bed_step + (float)(water_a - water_b);
}

// Transfers in whole grains; never more than the cell has. Returns their sum.
template <int K>
__device__ __forceinline__ int to_grains(const Params &p, int water, const float (&give)[K],
                                         const float (&drop)[K], int (&grains)[K])
{
    int total = 0;
#pragma unroll
    for (int k = 0; k < K; k++) {
        float amount = give[k];
        if (!(p.calm > drop[k])) amount = amount + p.phase;
        grains[k] = __float2int_rz(amount);
        total += grains[k];
    }
    if (total > water) {
        const int excess = total - water;
        total = 0;
#pragma unroll
        for (int k = 0; k < K; k++) {
            grains[k] -= min(grains[k], excess);
            total += grains[k];
        }
    }
    return total;
}

// a + b of numbers that are not negative, or the largest integer where that is more.
__device__ __forceinline__ int add_or_most(int a, int b)
{
    return (int)min((unsigned)a + (unsigned)b, 0x7fffffffu);
}
