// A gate that water flows under: the twin of src/engine/forcing/structures/gate.rs.
#pragma once
#include "structures/weir.cuh"

struct Gate {
    static __device__ __forceinline__ float discharge(const float (&numbers)[3], const FaceHeads &heads, const StepContext &now)
    {
        const float *const table = now.tables + (unsigned)numbers[1];
        const float opening = looked_up(table + 2, now.now.elapsed_end);
        const float free = table[0] * __fsqrt_rn(2.0f * 9.81f * heads.up);
        const float drowned = table[1] * __fsqrt_rn(2.0f * 9.81f * (heads.up - heads.down));
        const float under = opening * (free < drowned ? free : drowned);
        const float sill = over_crest(BROAD, MODULAR, heads);
        const float through = under < sill ? under : sill;
        const float over = over_crest(BROAD, MODULAR, above(heads, numbers[2]));
        return numbers[0] * (through + over);
    }
};
