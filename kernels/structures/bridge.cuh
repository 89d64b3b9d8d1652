// The soffit and the deck of a bridge: the twin of src/engine/forcing/structures/bridge.rs.
#pragma once
#include "structures/weir.cuh"

struct Bridge {
    static __device__ __forceinline__ float discharge(const float (&numbers)[3], const FaceHeads &heads, const StepContext &now)
    {
        const float up = heads.up;
        const float down = heads.down;
        const float soffit = numbers[1];
        const float *const table = now.tables + (unsigned)numbers[2];
        if (up <= soffit) return __int_as_float(0x7f800000);
        const float part = soffit / up;
        const float jet = (table[0] + (1.0f - table[0]) * (part * part * part)) * soffit;
        const float free = jet * __fsqrt_rn(2.0f * 9.81f * up / (1.0f + jet / up));
        const float drowned = __fsqrt_rn(2.0f * 9.81f * (up - down)) / (1.0f / jet - 1.0f / down);
        const float under = down > jet && drowned < free ? drowned : free;
        return numbers[0] * (under + over_crest(BROAD, MODULAR, above(heads, soffit + table[1])));
    }
};
