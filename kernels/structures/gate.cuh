// A gate that water flows under: the twin of src/engine/forcing/structures/gate.rs.
#pragma once
#include "structures/weir.cuh"

// Range of the transition to drowned flow.
constexpr float SUDDEN = 1.0f / 64.0f;

struct Gate {
    // Part of the free discharge that passes with a tailwater, given the depth of the jet (m).
    static __device__ __forceinline__ float drowned(float jet, const FaceHeads &heads)
    {
        const float up = heads.up;
        const float down = heads.down;
        if (down <= jet || up <= jet) return 1.0f;
        const float middle = 2.0f * jet * (1.0f - jet / down);
        const float excess = (middle * middle - 2.0f * middle * up) + down * down;
        const float size = excess < 0.0f ? -excess : excess;
        const float least = SUDDEN * (up * up);
        const float root = excess / __fsqrt_rn(size > least ? size : least);
        const float above = middle + root > jet ? middle + root : jet;
        const float left = up - above;
        return left > 0.0f ? __fsqrt_rn(left / (up - jet)) : 0.0f;
    }

    static __device__ __forceinline__ float discharge(const float (&numbers)[3], const FaceHeads &heads, const StepContext &now)
    {
        const float *const table = now.tables + (unsigned)numbers[1];
        const float jet = table[0] * looked_up(table + 1, now.now.elapsed_end);
        const float under = jet * __fsqrt_rn(2.0f * 9.81f * heads.up) * drowned(jet, heads);
        const float sill = over_crest(BROAD, MODULAR, heads);
        const float through = under < sill ? under : sill;
        const float over = over_crest(BROAD, MODULAR, above(heads, numbers[2]));
        return numbers[0] * (through + over);
    }
};
