// Water filling: the twin of src/engine/solver/water_filling.rs, which has the documentation.
#pragma once
#include "arithmetic.cuh"

template <int I, int J, int K>
__device__ __forceinline__ void sort_pair(float (&x)[K])
{
    const float a = x[I];
    const float b = x[J];
    x[I] = higher(a, b);
    x[J] = lower(a, b);
}

// Sorts 4 or 8 numbers in descending order.
__device__ __forceinline__ void sort_descending(float (&x)[4])
{
    sort_pair<0, 2>(x);
    sort_pair<1, 3>(x);
    sort_pair<0, 1>(x);
    sort_pair<2, 3>(x);
    sort_pair<1, 2>(x);
}
__device__ __forceinline__ void sort_descending(float (&x)[8])
{
    sort_pair<0, 2>(x);
    sort_pair<1, 3>(x);
    sort_pair<4, 6>(x);
    sort_pair<5, 7>(x);
    sort_pair<0, 4>(x);
    sort_pair<1, 5>(x);
    sort_pair<2, 6>(x);
    sort_pair<3, 7>(x);
    sort_pair<0, 1>(x);
    sort_pair<2, 3>(x);
    sort_pair<4, 5>(x);
    sort_pair<6, 7>(x);
    sort_pair<2, 4>(x);
    sort_pair<3, 5>(x);
    sort_pair<1, 4>(x);
    sort_pair<3, 6>(x);
    sort_pair<1, 2>(x);
    sort_pair<3, 4>(x);
    sort_pair<5, 6>(x);
}

// 1/n for the prefix means of up to nine floors.
__device__ constexpr float reciprocal(int n) { return 1.0f / (float)n; }

// Fall of the level if the cell's bed stays covered.
template <int K>
__device__ __forceinline__ float fall_over_own_bed(const float (&drop)[K])
{
    float x[K];
#pragma unroll
    for (int k = 0; k < K; k++) x[k] = drop[k];
    sort_descending(x);
    float sum = x[0];
    float fall = sum * reciprocal(2);
#pragma unroll
    for (int i = 1; i < K; i++) {
        sum = sum + x[i];
        fall = higher(fall, sum * reciprocal(i + 2));
    }
    return fall;
}

// Level reached above the lowest neighbour's level, and the height of each neighbour in that frame.
template <int K>
__device__ __forceinline__ float level_over_lowest(float depth, const float (&drop)[K],
                                                   float (&height)[K])
{
    float x[K];
#pragma unroll
    for (int k = 0; k < K; k++) x[k] = drop[k];
    sort_descending(x);
    const float deepest = x[0];
    float level = lower(depth, deepest * reciprocal(2));
    float sum = 0.0f;
#pragma unroll
    for (int i = 1; i < K; i++) {
        sum = sum + (deepest - x[i]);
        level = lower(level, (depth + sum) * reciprocal(i + 1));
        level = lower(level, (deepest + sum) * reciprocal(i + 2));
    }
#pragma unroll
    for (int k = 0; k < K; k++) height[k] = deepest - drop[k];
    return level;
}
