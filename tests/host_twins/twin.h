// Calls kernel functions over many numbers at once: columns of 32-bit words.
#pragma once
#include "cuda.h"

// Input and output columns, at an index.
struct TwinNumbers {
    const unsigned *const *in;
    unsigned *const *out;
    size_t at;
    int taken;
    int given;

    float real() { return __uint_as_float(in[taken++][at]); }
    int whole() { return (int)in[taken++][at]; }
    template <int N>
    void reals(float (&to)[N])
    {
        for (int k = 0; k < N; k++) to[k] = real();
    }
    void give(float x) { out[given++][at] = __float_as_uint(x); }
    void give(int x) { out[given++][at] = (unsigned)x; }
    void give(bool x) { give(x ? 1.0f : 0.0f); }
};

// Declares a function of `constants`, which are the same for all calls, and of the columns of `x`.
#define TWIN(name)                                                                                                     \
    static void name##_of(const float *constants, TwinNumbers &x);                                                         \
    extern "C" EXPORTED void twin_##name(const float *constants, size_t count, const unsigned *const *in, unsigned *const *out) \
    {                                                                                                                  \
        for (size_t at = 0; at < count; at++) {                                                                        \
            TwinNumbers x = {in, out, at, 0, 0};                                                                           \
            name##_of(constants, x);                                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    static void name##_of(const float *constants, TwinNumbers &x)
