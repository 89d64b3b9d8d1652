// Water that flows through an opening in a wall: the twin of src/engine/forcing/structures/orifice.rs.
#pragma once
#include "structures.cuh"

struct Orifice {
    static __device__ __forceinline__ float discharge(const float (&numbers)[3], float up, float down, const InStep &)
    {
        const float open = up < numbers[1] ? up : numbers[1];
        return numbers[0] * (open * __fsqrt_rn(2.0f * 9.81f * (up - down)));
    }
};
