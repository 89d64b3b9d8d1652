// Hazard of flowing water to people: the twin of src/engine/hazard.rs, which has the documentation.
#pragma once
#include "speed.cuh"

constexpr float DEEP_DEBRIS = 0.25f;

__device__ __forceinline__ float rating_of(float depth, float speed)
{
    const float debris = depth > DEEP_DEBRIS ? 1.0f : 0.5f;
    return depth * (speed + 0.5f) + debris;
}

// Limit k of class c: of the depth (m), the speed (m/s), and their product (m2/s).
__device__ constexpr float class_limit(int c, int k)
{
    const float classes[5][3] = {{0.3f, 2.0f, 0.3f}, {0.5f, 2.0f, 0.6f}, {1.2f, 2.0f, 0.6f},
                                 {2.0f, 2.0f, 1.0f}, {4.0f, 4.0f, 4.0f}};
    return classes[c][k];
}

__device__ __forceinline__ float class_of(float depth, float speed)
{
    const float product = depth * speed;
    float of_all = 1.0f;
#pragma unroll
    for (int c = 0; c < 5; c++) {
        const bool beyond = depth > class_limit(c, 0) || speed > class_limit(c, 1) || product > class_limit(c, 2);
        of_all += beyond ? 1.0f : 0.0f;
    }
    return of_all;
}
