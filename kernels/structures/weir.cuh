// A broad-crested weir, or the crest of a levee: the twin of src/engine/forcing/structures/weir.rs.
#pragma once
#include "structures.cuh"

// The coefficient of a broad crest (m^(1/2)/s), and its modular limit.
constexpr float BROAD = 1.7f;
constexpr float MODULAR = 0.8f;

// Discharge per unit width over a crest (m2/s), given a coefficient and a modular limit.
__device__ __forceinline__ float over_crest(float coefficient, float modular, const FaceHeads &heads)
{
    const float up = heads.up;
    const float down = heads.down;
    const float under = down > modular * up ? (up - down) / (1.0f - modular) : up;
    return coefficient * (approached(heads) * (up * __fsqrt_rn(under)));
}

struct Weir {
    static __device__ __forceinline__ float discharge(const float (&numbers)[3], const FaceHeads &heads, const StepContext &)
    {
        return over_crest(numbers[0], numbers[1], heads);
    }
};
