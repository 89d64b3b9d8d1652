// Fractional powers from basic operations: the twin of src/engine/solver/roots.rs, which has the
// documentation.
#pragma once
#include "arithmetic.cuh"

// Refines a guess y with the residual d = x y^p - 1 to y (1 + d q(d)), with a polynomial q of N coefficients.
template <int N>
__device__ __forceinline__ float refined(float y, float d, const float (&coefficients)[N])
{
    float q = coefficients[N - 1];
#pragma unroll
    for (int k = N - 2; k >= 0; k--) q = fused(q, d, coefficients[k]);
    return fused(y * d, q, y);
}

// x^(-1/6).
__device__ __forceinline__ float inverse_sixth_root(float x)
{
    // 10923 / 2^16 is a sixth.
    const int sixth = (int)(__float_as_uint(x) >> 16) * 10923;
    const float y = __int_as_float(0x4a0e3f55 - sixth);
    const float y2 = y * y;
    return refined(y, fused(x * y2, y2 * y2, -1.0f), {-0.16666618f, 0.097204156f, -0.07030175f, 0.057376325f, -0.044504646f});
}

// x^(-1/3), quickly.
__device__ __forceinline__ float rough_inverse_cube_root(float x)
{
    // 21846 / 2^16 is a third.
    const int third = (int)(__float_as_uint(x) >> 16) * 21846;
    const float y = __int_as_float(0x54a1e8d8 - third);
    return refined(y, fused(x * y, y * y, -1.0f), {-0.3333295f, 0.22353141f, -0.17447074f});
}

// x^(-1/4).
__device__ __forceinline__ float inverse_fourth_root(float x)
{
    const float y = __int_as_float(0x4f587800 - (int)(__float_as_uint(x) >> 2));
    const float y2 = y * y;
    return refined(y, fused(x * y2, y2, -1.0f), {-0.24999991f, 0.15624282f, -0.11722107f, 0.0967225f, -0.07941225f});
}

// x^(-1/2), quickly.
__device__ __forceinline__ float rough_inverse_root(float x)
{
    const float y = __int_as_float(0x5f378200 - (int)(__float_as_uint(x) >> 1));
    const float c = (x * y) * y;
    return y * fused(fused(0.3740043f, c, -1.2491285f), c, 1.8751171f);
}

// The root of x > 0 to 4 %.
__device__ __forceinline__ float guess_root(float x)
{
    return __int_as_float(0x1fbb4f2e + (int)(__float_as_uint(x) >> 1));
}

// 1/x for x > 0 to 6 %.
__device__ __forceinline__ float guess_inverse(float x)
{
    return __int_as_float((int)(0x7ef311c7u - __float_as_uint(x)));
}
