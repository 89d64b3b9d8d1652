// What crosses an edge in a step of known duration: the twin of src/engine/rule/edge.rs, which explains it.
#pragma once
#include "arithmetic.cuh"

// Depth of flow over an edge below which nothing crosses it (m).
constexpr float DRY = 1e-5f;

// Depth of flow over an edge from which its speed and its Froude number count (m): src/engine/extremes.rs.
constexpr float DEEP = 0.1f;

// The most that may cross an edge in a step (grains), the largest float of which four add up in an int.
constexpr float MOST_CROSSING = 536870848.0f;

// What there is over an edge where a structure lets nothing over (m2/s): src/engine/forcing/structures/mod.rs.
constexpr float CLOSED = 1.17549435e-38f;

// What there is where a structure limits the velocity is this times it (m/s), a number beyond all discharges (m2/s).
constexpr float LIMIT = 18446744073709551616.0f;
constexpr float DISCHARGES = 1099511627776.0f;

// Whether a run has structures: what runs without pay nothing for it.
#ifdef WITH_STRUCTURES
constexpr bool STRUCTURES = true;
#else
constexpr bool STRUCTURES = false;
#endif

// Whether cells have tables of the finer ground (subgrid.cuh).
#ifdef WITH_TABLES
constexpr bool TABLES = true;
#else
constexpr bool TABLES = false;
#endif

// The greatest velocity that a structure allows (m/s) if it limits it, else 0.
__device__ __forceinline__ float limit_of(float structure) { return structure > DISCHARGES ? structure * (1.0f / LIMIT) : 0.0f; }

// The discharge over an edge (m2/s): that of a structure if it says it, else that of the rule.
__device__ __forceinline__ float over_structures(const float *structures, ptrdiff_t at, float of_rule)
{
    if (!STRUCTURES || structures[at] == 0.0f || structures[at] > DISCHARGES) return of_rule;
    return fabsf(structures[at]) > CLOSED ? structures[at] : 0.0f;
}

// The same over a depth (m): no more than a structure allows.
__device__ __forceinline__ float held_by_structures(const float *structures, ptrdiff_t at, float of_rule, float depth)
{
    if (!STRUCTURES || structures[at] == 0.0f) return of_rule;
    const float limit = limit_of(structures[at]);
    if (limit == 0.0f) return over_structures(structures, at, of_rule);
    const float most = limit * depth;
    return higher(lower(of_rule, most), 0.0f - most);
}

// The velocity over an edge (m/s): none over a structure, or what it allows.
__device__ __forceinline__ float beside_structures(const float *structures, ptrdiff_t at, float velocity)
{
    if (!STRUCTURES || structures[at] == 0.0f) return velocity;
    const float limit = limit_of(structures[at]);
    return limit > 0.0f ? higher(lower(velocity, limit), 0.0f - limit) : 0.0f;
}

// The discharge over an edge (m2/s) that goes with a velocity of the rule's.
__device__ __forceinline__ float told_structures(const float *structures, ptrdiff_t at, float of_rule, float velocity)
{
    if (!STRUCTURES || structures[at] == 0.0f) return of_rule;
    const float limit = limit_of(structures[at]);
    if (limit == 0.0f) return over_structures(structures, at, of_rule);
    const float speed = fabsf(velocity);
    return speed > limit ? of_rule * __fdiv_rn(limit, speed) : of_rule;
}

// What a step is for the edges of one axis.
struct Axis {
    float dt;
    float inverse_length;
    float inverse_width;
    float per_metre;
};

// What tables say of an edge at the higher level of its cells (tables.cuh).
struct AtHigher {
    float friction; // the depth of friction (m)
    float holds;    // mean depth of the cell with the higher level (m)
    float rises;    // how fast levels rise, the faster of those that stand above the sill

    __device__ __forceinline__ float wave(float depth) const { return depth * higher(rises, 1.0f); }
    __device__ __forceinline__ float empties(float depth) const { return divide(depth, higher(holds, DRY)); }
};

// An edge and what is around it. Nothing crosses one that is not wet, and it allows any step.
struct Edge {
    bool wet;
    float difference;
    float depth;
    float giver;
    float roughness;
    float transverse;
    float discharge;
    float behind;
    float ahead;
    AtHigher ground; // where cells have tables
};

// What a rule makes of an edge.
struct Crossing {
    float grains;
    float cut;
    float discharge;
    float velocity;
    float wave; // speed of waves over it (m/s)
    float cfl_rate;
    bool held;
};

// The least and the most of some numbers.
struct Range {
    float least;
    float most;
};

__device__ __forceinline__ Range range_of(float a, float b) { return {lower(a, b), higher(a, b)}; }

__device__ __forceinline__ Range range_of(const Range &a, const Range &b)
{
    return {lower(a.least, b.least), higher(a.most, b.most)};
}

// The same of what crosses both ends of an edge on one side: a closed one flows as the other does.
__device__ __forceinline__ Range range_of_open(float a, float b) { return range_of(a != 0.0f ? a : b, b != 0.0f ? b : a); }

// The magnitude of the number nearest to 0, or 0 if the signs differ: that of their minmod.
__device__ __forceinline__ float agreed(const Range &range) { return higher(higher(range.least, -range.most), 0.0f); }

// The one of smaller magnitude, or 0 if the signs differ.
__device__ __forceinline__ float minmod(float a, float b)
{
    return higher(lower(a, b), 0.0f) + lower(higher(a, b), 0.0f);
}
