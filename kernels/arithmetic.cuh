// Correctly rounded arithmetic, as src/lanes has it on the CPU.
//
// root() and divide() give the same bits as __fsqrt_rn and __fdiv_rn for the numbers that the flow
// rules bring, with fewer instructions: no test for subnormal and infinite numbers, which never come.
// `inundate` checks the roots over their whole range (make gpu-check).
#pragma once

// The larger; the same as `a > b ? a : b` for numbers (no NaN comes up, and no -0 that could show).
__device__ __forceinline__ float higher(float a, float b) { return fmaxf(a, b); }

// The smaller.
__device__ __forceinline__ float lower(float a, float b) { return fminf(a, b); }

// Square root of 0 or of 1 to 2^64: an approximate reciprocal root, and one step of Newton's method
// on the root itself, whose residual is exact in a fused multiply-add (Markstein 1990, theorem 6).
__device__ __forceinline__ float root(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    y = fminf(y, 1e18f); // 0 has an infinite reciprocal root
    const float r = __fmul_rn(x, y);
    const float half = __fmul_rn(y, 0.5f);
    const float residual = __fmaf_rn(-r, r, x);
    return __fmaf_rn(residual, half, r);
}

// a / b for a of 2^-30 to 2^40 and b of 2^-4 to 2^40, or 0 / b for any b down to 2^-100: an approximate
// reciprocal, refined, and two corrections of the quotient with exact residuals (Markstein 1990, theorems 4 and 8).
__device__ __forceinline__ float divide(float a, float b)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(b));
    y = __fmaf_rn(__fmaf_rn(-b, y, 1.0f), y, y);
    float q = __fmul_rn(a, y);
    q = __fmaf_rn(__fmaf_rn(-b, q, a), y, q);
    return __fmaf_rn(__fmaf_rn(-b, q, a), y, q);
}
