// Edges of solvers with momentum: the twin of src/engine/solver/momentum.rs, which has the
// documentation.
#pragma once
#include "edge.cuh"
#include "tables.cuh"

struct Slope {
    float depth;
    float level;
    float wet;
};

struct FluxStencil {
    float rise;
    float depth[2];
    float velocity;
    float line[2];
    Slope slopes[2];
};

struct Streams {
    float own;
    float line[2];
    float beside[2];
};

struct MomentumStencil {
    float difference;
    float rise;
    float line_rise[2];
    float depth[2];
    float height[2];
    float roughness;
    float velocity;
    float line[2];
    float beside[2];
    float corners[4];
    float discharge;
    float flows[2];
    float transverse[4];
    float across[4];
    Streams streams;
    float far_line[2];
    float far_beside[2];
    float shocks[2];
    Tabled ground; // with subgrid tables
};

struct NewVelocity {
    float velocity;
    float celerity;
    float wave;
    float depth;
    float discharge; // with subgrid tables
};

// Velocity of the stream to which an edge belongs, given the transverse edges behind and ahead on the
// side before it, and on the side after it.
__device__ __forceinline__ float stream(float own, float before, float after, float before_behind, float before_ahead,
                                        float after_behind, float after_ahead)
{
    const bool on = own > 0.0f;
    // Each is 0 at a bank.
    const float on_side_before = higher(fabsf(before), fabsf(on ? before_behind : before_ahead));
    const float on_side_after = higher(fabsf(after), fabsf(on ? after_behind : after_ahead));
    const float inside = before + after;
    const float least = TABLES ? own * own : 0.0f;
    return lower(on_side_before, on_side_after) == 0.0f && inside * own > least ? inside : own;
}
