// Correctly rounded arithmetic, matching src/engine/lanes on the CPU.
//
// root() and divide() give the same bits as __fsqrt_rn and __fdiv_rn for all arguments that occur
// in the solvers, with fewer instructions: there are no checks for subnormal and infinite
// numbers, which never occur. `inundate` checks the roots over their whole range (make gpu-check).
#pragma once
#ifdef __CUDACC__
#include "instructions.cuh"
#endif

// The larger number; equal to `a > b ? a : b` (NaN does not occur, nor -0 where it would matter).
__device__ __forceinline__ float higher(float a, float b) { return fmaxf(a, b); }

// The smaller number.
__device__ __forceinline__ float lower(float a, float b) { return fminf(a, b); }

// Numbers that are not negative are ordered like their bits, and negative ones are negative as integers. So the minima and
// maxima of several numbers that are compared with 0 anyway take fewer instructions as integers. -0 counts as negative.

// The smaller number, or 0 if it is negative.
__device__ __forceinline__ float lower_or_0(float a, float b) { return __int_as_float(max(min(__float_as_int(a), __float_as_int(b)), 0)); }

// The greatest of three numbers of which at least one is not negative.
__device__ __forceinline__ float highest(float a, float b, float c)
{
    return __int_as_float(max(max(__float_as_int(a), __float_as_int(b)), __float_as_int(c)));
}

// The number between 0 and 1 nearest to a number.
__device__ __forceinline__ float between_0_and_1(float a) { return __saturatef(a); }

// Returns a magnitude with the sign of another number. For +0 it is +0.
__device__ __forceinline__ float with_sign_of(float other, float size)
{
    return __uint_as_float(__float_as_uint(size) | (__float_as_uint(other) & 0x80000000u));
}

// a * b + c with one rounding: src/engine/lanes/mod.rs. Nothing else is ever fused.
__device__ __forceinline__ float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }

// Square root of 0 or of 1 to 2^126: an approximate reciprocal root, and one step of Newton's
// method on the root itself, whose residual is exact in a fused multiply-add (Markstein 1990,
// theorem 6). All intermediate results are normal numbers, so the bits depend only on the mantissa
// and on the parity of the exponent, and all combinations have been compared.
__device__ __forceinline__ float refined_root(float x, float y)
{
    const float r = __fmul_rn(x, y);
    const float half = __fmul_rn(y, 0.5f);
    const float residual = __fmaf_rn(-r, r, x);
    return __fmaf_rn(residual, half, r);
}
__device__ __forceinline__ float root(float x) { return refined_root(x, fminf(guess_reciprocal_root(x), 1e18f)); } // that of 0 is infinite
__device__ __forceinline__ float root_of_positive(float x) { return refined_root(x, guess_reciprocal_root(x)); }

// 1 / b for b of 2^-125 to 2^125: an approximate reciprocal and one step of Newton's method, which is
// correctly rounded for every mantissa; all have been compared.
__device__ __forceinline__ float reciprocal(float b)
{
    const float y = guess_reciprocal(b);
    return __fmaf_rn(__fmaf_rn(-b, y, 1.0f), y, y);
}

// a / b for b of 2^-100 to 2^60, a of 2^-100 to 2^70 and a quotient of 2^-120 to 2^120, or 0 / b:
// an approximate reciprocal, refined, and two corrections of the quotient with exact residuals
// (Markstein 1990, theorems 4 and 8). A residual is a multiple of a * 2^-48, which a float can hold
// from a = 2^-100; the reciprocal and the quotient are normal. So the bits depend only on the
// mantissas.
__device__ __forceinline__ float divide(float a, float b)
{
    float y = guess_reciprocal(b);
    y = __fmaf_rn(__fmaf_rn(-b, y, 1.0f), y, y);
    float q = __fmul_rn(a, y);
    q = __fmaf_rn(__fmaf_rn(-b, q, a), y, q);
    return __fmaf_rn(__fmaf_rn(-b, q, a), y, q);
}
