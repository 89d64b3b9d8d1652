// CUDA for a host: definitions with which the kernels compile as C++ and give the same bits.
//
// Every operation is correctly rounded as in IEEE 754, and the compiler must not contract
// operations. Communication between the lanes of a warp is in warp.h.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Everything else is hidden, because a kernel may have the name of a C library function.
#define EXPORTED __attribute__((visibility("default")))

#define __device__
// Kernels that no test launches are not even compiled to machine code.
#define __global__ inline
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __shared__ static thread_local

struct uint3 {
    unsigned x, y, z;
};
struct int2 {
    int x, y;
};
static inline int2 make_int2(int x, int y) { return {x, y}; }

// Index of the current thread.
static thread_local uint3 threadIdx, blockIdx, blockDim, gridDim;

#include "warp.h"

template <class To, class From>
static inline To same_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "as wide");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

static inline float __int_as_float(int x) { return same_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return same_bits<float>(x); }
static inline int __float_as_int(float x) { return same_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return same_bits<unsigned>(x); }

// Rounds towards 0 and saturates, as the device does.
static inline int __float2int_rz(float x)
{
    if (!(x == x)) return 0;
    if (x >= 2147483648.0f) return 0x7fffffff;
    if (x < -2147483648.0f) return -0x7fffffff - 1;
    return (int)x;
}

static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline float __fsqrt_rn(float x) { return std::sqrt(x); }
static inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
static inline float __saturatef(float x) { return x > 0.0f ? x < 1.0f ? x : 1.0f : 0.0f; }

// Larger and smaller of two numbers, as on the device: +0 is larger than -0, and a number takes
// precedence over NaN.
template <class T>
static inline T larger_number(T a, T b)
{
    if (a != a) return b;
    if (a == b) return std::signbit(a) ? b : a;
    return a < b ? b : a;
}
template <class T>
static inline T smaller_number(T a, T b)
{
    if (a != a) return b;
    if (a == b) return std::signbit(a) ? a : b;
    return b < a ? b : a;
}
static inline float on_device_fmaxf(float a, float b) { return larger_number(a, b); }
static inline float on_device_fminf(float a, float b) { return smaller_number(a, b); }
static inline double on_device_fmin(double a, double b) { return smaller_number(a, b); }
#define fmaxf on_device_fmaxf
#define fminf on_device_fminf
#define fmin on_device_fmin

template <class T>
static inline T min(T a, T b)
{
    return b < a ? b : a;
}
template <class T>
static inline T max(T a, T b)
{
    return a < b ? b : a;
}

// No other thread runs at the same time.
template <class T>
static inline T atomicAdd(T *to, T by)
{
    const T was = *to;
    *to = was + by;
    return was;
}
static inline int atomicOr(int *to, int other)
{
    const int was = *to;
    *to = was | other;
    return was;
}
template <class T>
static inline T atomicMax(T *to, T other)
{
    const T was = *to;
    *to = max(was, other);
    return was;
}
template <class T>
static inline T atomicMin(T *to, T other)
{
    const T was = *to;
    *to = min(was, other);
    return was;
}
template <class T>
static inline T __ldg(const T *from)
{
    return *from;
}

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }

// What kernels/instructions.cuh defines for a device. Guesses are correctly rounded here; those of a
// device differ in the last bits, and `make gpu-check` compares the results computed from them.
static inline float guess_reciprocal_root(float x) { return (float)(1.0 / std::sqrt((double)x)); }
static inline float guess_reciprocal(float x) { return (float)(1.0 / (double)x); }
static inline float if_greater(float a, float b, float x, float y) { return a > b ? x : y; }
