// AQUA-GRAPH: the twin of src/engine/solver/aqua_graph.rs, statement by statement.
#pragma once
#include "arithmetic.cuh"
#include "water_filling.cuh"

struct AquaGraph {
    static constexpr bool NEEDS_EDGE = true;
    float alpha;

    __device__ explicit AquaGraph(const float *parameters) : alpha(parameters[0]) {}

    // The weight of eq. 4, negative towards the higher cell.
    __device__ __forceinline__ float edge(float difference) const
    {
        return copysignf(root(fabsf(difference)), difference);
    }

    template <int K>
    __device__ __forceinline__ void give(float depth, const float (&drop)[K], const float (&edge)[K],
                                         float (&give)[K]) const
    {
        // eq. 3
        const float leaving = lower(fall_over_own_bed(drop), depth);
        // eq. 4
        float weight[K];
#pragma unroll
        for (int k = 0; k < K; k++) weight[k] = higher(edge[k], 0.0f);
        float sum = (weight[0] + weight[1]) + (weight[2] + weight[3]);
        if (K == 8) {
            sum = sum + ((weight[K - 4] + weight[K - 3]) + (weight[K - 2] + weight[K - 1]));
        }
        const float share = divide(alpha * leaving, higher(sum, LEAST_WEIGHT));
        // eq. 5
#pragma unroll
        for (int k = 0; k < K; k++) give[k] = share * weight[k];
    }

    static constexpr float LEAST_WEIGHT = 1e-30f;
};
