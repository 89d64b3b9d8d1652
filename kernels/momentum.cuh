// Edges of rules that carry momentum: the twin of src/engine/rule/momentum.rs, which explains it.
#pragma once
#include "edge.cuh"
#include "tables.cuh"

struct Slope {
    float depth;
    float level;
    float wet;
};

struct Passage {
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

struct Bend {
    float difference;
    float rise;
    float depth[2];
    float roughness;
    float velocity;
    float line[2];
    float beside[2];
    float discharge;
    float flows[2];
    float crossing[4];
    float across[4];
    Streams streams;
    float far_line[2];
    float far_beside[2];
    Tabled ground; // where cells have tables
};

struct NewVelocity {
    float velocity;
    float celerity;
    float wave;
    float depth;
    float discharge; // where tables say it
};

// The velocity of the stream that an edge is part of; the crossing edges behind and ahead on the side before it, and on the side after it.
__device__ __forceinline__ float stream(float own, float before, float after, float before_behind, float before_ahead,
                                        float after_behind, float after_ahead)
{
    const bool on = own > 0.0f;
    const bool bank_before = before == 0.0f && (on ? before_behind : before_ahead) == 0.0f;
    const bool bank_after = after == 0.0f && (on ? after_behind : after_ahead) == 0.0f;
    const float inside = before + after;
    return (bank_before || bank_after) && inside * own > 0.0f ? inside : own;
}
