// Linear: the twin of src/engine/solver/linear.rs, statement by statement.
#pragma once
#include "arithmetic.cuh"

struct Linear {
    static constexpr bool NEEDS_EDGE = false;
    float alpha;

    __device__ explicit Linear(const float *parameters) : alpha(parameters[0]) {}

    __device__ __forceinline__ float edge(float difference) const { return difference; }

    template <int K>
    __device__ __forceinline__ void give(float depth, const float (&drop)[K], const float (&)[K],
                                         float (&give)[K]) const
    {
        const float most = depth * (1.0f / K);
        const float part = alpha * 0.125f;
#pragma unroll
        for (int k = 0; k < K; k++) give[k] = lower(part * drop[k], most);
    }
};
