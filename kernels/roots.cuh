// Fractional powers from basic operations: the twin of src/engine/solver/roots.rs, which has the
// documentation.
#pragma once
#include "arithmetic.cuh"

__device__ __forceinline__ float quadratic(float constant, float linear, float square, float x)
{
    return fused(square * x + linear, x, constant);
}

__device__ __forceinline__ float newton(float y, float power, float residual)
{
    return fused(y, fused(0.0f - power, residual, power), y);
}

// x^(-1/6).
__device__ __forceinline__ float inverse_sixth_root(float x)
{
    const auto residual = [x](float y) {
        const float y2 = y * y;
        return (x * y2) * (y2 * y2);
    };
    // 10923 / 2^16 is a sixth.
    const int sixth = (int)(__float_as_uint(x) >> 16) * 10923;
    float y = __int_as_float(0x4a0e3f55 - sixth);
    y = y * quadratic(1.2642721f, -0.36008775f, 0.095833026f, residual(y));
    return newton(y, 1.0f / 6.0f, residual(y));
}

// x^(-1/4).
__device__ __forceinline__ float inverse_fourth_root(float x)
{
    const auto residual = [x](float y) {
        const float y2 = y * y;
        return (x * y2) * y2;
    };
    float y = __int_as_float(0x4f587800 - (int)(__float_as_uint(x) >> 2));
    y = y * quadratic(1.4065305f, -0.5616827f, 0.15515874f, residual(y));
    return newton(y, 0.25f, residual(y));
}

// x^(-1/2), quickly.
__device__ __forceinline__ float rough_inverse_root(float x)
{
    const float y = __int_as_float(0x5f378200 - (int)(__float_as_uint(x) >> 1));
    return y * quadratic(1.8751171f, -1.2491285f, 0.3740043f, (x * y) * y);
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
