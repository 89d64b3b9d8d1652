// Level minimization: the twin of src/engine/solver/level_minimization.rs, statement by statement.
#pragma once
#include "arithmetic.cuh"
#include "water_filling.cuh"

struct LevelMinimization {
    static constexpr bool NEEDS_EDGE = false;
    float alpha;

    __device__ explicit LevelMinimization(const float *parameters) : alpha(parameters[0]) {}

    __device__ __forceinline__ float edge(float difference) const { return difference; }

    template <int K>
    __device__ __forceinline__ void give(float depth, const float (&drop)[K], const float (&)[K],
                                         float (&give)[K]) const
    {
        float height[K];
        const float level = level_over_lowest(depth, drop, height);
#pragma unroll
        for (int k = 0; k < K; k++) give[k] = alpha * higher(level - height[k], 0.0f);
    }
};
