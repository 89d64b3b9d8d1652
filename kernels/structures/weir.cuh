// A broad-crested weir, or the crest of a levee: the twin of src/engine/forcing/structures/weir.rs.
#pragma once
#include "structures.cuh"

struct Weir {
    static __device__ __forceinline__ float discharge(const float (&numbers)[3], float up, float down, const InStep &)
    {
        const float under = down > numbers[1] * up ? (up - down) / (1.0f - numbers[1]) : up;
        return numbers[0] * (up * __fsqrt_rn(under));
    }
};
