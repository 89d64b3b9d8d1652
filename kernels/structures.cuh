// Structures on edges: the twin of src/engine/forcing/structures/mod.rs; the law of a kind is a
// header in structures/.
#pragma once
#include "edge.cuh"
#include "sites.cuh"

// Range of velocities that are a limit (m/s).
constexpr float LEAST_VELOCITY = 1.0f / 1048576.0f;
// Smallest drop from which the resistance of a structure is derived (m).
constexpr float LEAST_DROP = 1.0f / 1024.0f;
constexpr float MOST_VELOCITY = 1024.0f;

// A structure on the edge east (0) or south (1) of a cell of a frame.
struct Structure {
    unsigned column;
    unsigned row;
    unsigned axis;
    unsigned kind;     // which law it has
    int crest;         // above the datum (2^-16 m)
    float numbers[3];  // parameters of its law
    float detour;      // length of its edges over the length of its line
    unsigned waits;    // whether it waits for a trigger stored in these cells
    unsigned watched[4]; // columns and rows of both
};

// Inputs of a law: heads above the crest on the side with the higher level, and on the other (m, at
// least 0), the time since the structure's trigger (s), and the velocity head of the flow towards it
// (m).
struct FaceHeads {
    float up;
    float down;
    float since;
    float approach;
};

// Returns the factor by which the approaching flow increases the discharge over a crest.
__device__ __forceinline__ float approached(const FaceHeads &heads)
{
    const float part = heads.approach / heads.up;
    return 1.0f + 1.5f * (part < 0.5f ? part : 0.5f);
}

// Returns the heads above a height over the crest (m).
__device__ __forceinline__ FaceHeads above(const FaceHeads &heads, float height)
{
    const float up = heads.up - height;
    const float down = heads.down - height;
    return {up > 0.0f ? up : 0.0f, down > 0.0f ? down : 0.0f, heads.since, heads.approach};
}

// The structures of a frame, and the context of laws in a step.
struct Structures {
    const Structure *structures;
    const Increment *rates;
    const long long *levels;
    const float *tables;
    Count count;
    Count stores_discharge;  // whether the water moves with discharges computed earlier
    Count kept;              // quantity that the solver keeps: discharges (1) or velocities (2)
};

// Quantities that a solver may keep (src/engine/backend/cuda/structures.rs).
constexpr Count KEEPS_NOTHING = 0;
constexpr Count KEEPS_DISCHARGE = 1;
constexpr Count KEEPS_VELOCITY = 2;
