// Structures on edges: the twin of src/engine/forcing/structures/mod.rs; the law of a kind is a header in structures/.
#pragma once
#include "edge.cuh"
#include "sites.cuh"

// The least and the most velocity that is a limit (m/s).
constexpr float LEAST_VELOCITY = 1.0f / 1048576.0f;
constexpr float MOST_VELOCITY = 1024.0f;

// A structure on the edge east (0) or south (1) of a cell of a frame.
struct Structure {
    unsigned column;
    unsigned row;
    unsigned axis;
    unsigned kind;     // which law it has
    int crest;         // above the datum (2^-16 m)
    float numbers[3];  // what its law has as parameters
    unsigned waits;    // whether it waits for what these cells remember
    unsigned watched[4]; // columns and rows of both
};

// What a law sees: water over the crest on the side where it stands higher, and on the other (m, at least 0), and how long ago that came
// to be which it waits for (s).
struct Heads {
    float up;
    float down;
    float since;
};

// What of them stands above a height over the crest (m).
__device__ __forceinline__ Heads above(const Heads &heads, float height)
{
    const float up = heads.up - height;
    const float down = heads.down - height;
    return {up > 0.0f ? up : 0.0f, down > 0.0f ? down : 0.0f, heads.since};
}

// Those of a frame, and what laws know of the step.
struct Structures {
    const Structure *structures;
    const Increment *rates;
    const long long *levels;
    const float *tables;
    Count count;
    Count told;  // whether the water moves with the discharges that edges have
    Count knows; // whether the rule remembers discharges (1) or velocities (2)
};
