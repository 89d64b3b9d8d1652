// A wall that breaches: the twin of src/engine/forcing/structures/breach.rs.
#pragma once
#include "structures/weir.cuh"

struct Breach {
    float half;  // of its bottom width (m)
    float slope; // of its sides (m/m)
    float top;   // half its width at the wall's crest (m)
    float head;  // above its bottom (m)

    // Discharge between its middle and a distance beside it, without C and tailwater.
    __device__ __forceinline__ float until(float beside) const
    {
        const float far = beside < 0.0f ? -beside : beside;
        const float on_bottom = far < half ? far : half;
        const float rooted = head * __fsqrt_rn(head);
        float through = on_bottom * rooted;
        const float end = far < top ? far : top;
        if (slope > 0.0f && end > half) {
            float left = head - (end - half) / slope;
            left = left > 0.0f ? left : 0.0f;
            through += 0.4f * slope * (head * rooted - left * left * __fsqrt_rn(left));
        }
        return beside < 0.0f ? -through : through;
    }

    // A place along the line, clamped to the ends of the trapezoid.
    __device__ __forceinline__ float within(float beside) const
    {
        const float before = beside < top ? beside : top;
        return before > -top ? before : -top;
    }

    static __device__ __forceinline__ float discharge(const float (&numbers)[3], const FaceHeads &heads, const StepContext &now)
    {
        const float from = numbers[0];
        const float to = numbers[1];
        const float *const table = now.tables + (unsigned)numbers[2];
        const float depth = table[0];
        const float slope = table[2];
        const float coefficient = table[4];
        const float raised = table[5];
        float grown = heads.since / table[3];
        grown = grown < 1.0f ? grown : 1.0f;
        const float wall = depth - raised > 0.0f ? depth - raised : 0.0f;
        float bottom = depth - depth * grown - raised;
        // The part below the ground does not exist.
        float half = 0.5f * (table[1] * grown) + (bottom < 0.0f ? -bottom * slope : 0.0f);
        bottom = bottom > 0.0f ? bottom : 0.0f;
        if (!(bottom < wall)) {
            bottom = wall;
            half = 0.0f;
        }
        const FaceHeads over = above(heads, bottom);
        const Breach trapezoid = {half, slope, half + slope * (wall - bottom), over.up};
        const float drowned = over.down - 0.67f * over.up;
        const float part = drowned > 0.0f ? drowned / over.up : 0.0f;
        float held = 1.0f - 27.8f * (part * part * part);
        held = held > 0.0f ? held : 0.0f;
        const float through = held * coefficient * approached(over) * (trapezoid.until(to) - trapezoid.until(from));
        float rest = (to - from) - (trapezoid.within(to) - trapezoid.within(from));
        rest = rest > 0.0f ? rest : 0.0f;
        return table[6] * (through + rest * over_crest(coefficient, MODULAR, above(heads, wall)));
    }
};
