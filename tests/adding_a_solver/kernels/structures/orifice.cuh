// Water that flows through an opening in a wall: the twin of src/engine/forcing/structures/orifice.rs.
#pragma once
#include "structures.cuh"

struct Orifice {
    static __device__ __forceinline__ float discharge(const float (&numbers)[3], const FaceHeads &heads, const StepContext &)
    {
        const float open = heads.up < numbers[1] ? heads.up : numbers[1];
        return numbers[0] * (open * __fsqrt_rn(2.0f * 9.81f * (heads.up - heads.down)));
    }
};
