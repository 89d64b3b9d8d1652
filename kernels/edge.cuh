// Flux across an edge in a step of known duration: the twin of src/engine/solver/edge.rs, which has
// the documentation.
#pragma once
#include "arithmetic.cuh"

// Flow depth below which nothing crosses an edge (m).
constexpr float DRY = 1e-5f;

// Flow depth at an edge from which its speed and its Froude number count (m):
// src/engine/run_diagnostics.rs.
constexpr float DEEP = 0.1f;

// Maximum flux across an edge in a step (grains): the largest float for which four add up in an
// int.
constexpr float MAX_FACE_FLUX = 536870848.0f;

// Greatest speed over a structure that lets nothing pass: src/engine/forcing/structures/mod.rs.
constexpr float CLOSED = -1.0f;

// Set if the run has structures on edges or links between cells; others have no overhead for them.
#ifdef WITH_STRUCTURES
constexpr bool STRUCTURES = true;
#else
constexpr bool STRUCTURES = false;
#endif

// Set if cells have subgrid tables (subgrid.cuh).
#ifdef WITH_TABLES
constexpr bool TABLES = true;
#else
constexpr bool TABLES = false;
#endif

// Returns whether there is a structure on an edge. A run with links may have none at all.
__device__ __forceinline__ bool has_structure(const float *structures, ptrdiff_t at)
{
    return STRUCTURES && structures && structures[at] != 0.0f;
}

// Returns the discharge across an edge with a flow depth (m), as limited by its structure.
__device__ __forceinline__ float limited(float structure, float of_solver, float depth)
{
    const float most = higher(structure, 0.0f) * depth;
    return higher(lower(of_solver, most), 0.0f - most);
}

// Returns the same, if the edge has a structure, else the solver's. At a depth of 1, a velocity.
__device__ __forceinline__ float limited_by_structures(const float *structures, ptrdiff_t at, float of_solver, float depth)
{
    return has_structure(structures, at) ? limited(structures[at], of_solver, depth) : of_solver;
}

// Returns the discharge across an edge (m2/s) that belongs to a velocity of the solver, as limited by a structure.
__device__ __forceinline__ float limited_with_velocity(const float *structures, ptrdiff_t at, float of_solver, float velocity)
{
    if (!has_structure(structures, at)) return of_solver;
    const float most = higher(structures[at], 0.0f);
    const float speed = fabsf(velocity);
    return speed > most ? of_solver * __fdiv_rn(most, speed) : of_solver;
}

// Constants of a step for the edges of one axis.
struct Axis {
    float dt;
    float inverse_length;
    float inverse_width;
    float per_metre;
};

// Table values of an edge at the higher level of its cells (tables.cuh).
struct AtHigher {
    float friction; // depth for friction (m)
    float holds;    // mean depth of the cell with the higher level (m)
    float rises;    // rise of the levels, the larger one of the cells above the sill

    __device__ __forceinline__ float wave(float depth) const { return depth * higher(rises, 1.0f); }
    __device__ __forceinline__ float empties(float depth) const { return depth * reciprocal(higher(holds, DRY)); }
};

// An edge with its surroundings. Nothing crosses an edge that is not wet, and it allows any step.
struct Edge {
    bool wet;
    float difference;
    float depth;
    float donor;
    float roughness;
    float transverse;
    float discharge;
    float behind;
    float ahead;
    AtHigher ground; // with subgrid tables
};

// Result of a solver for an edge.
struct FaceFlux {
    float grains;
    float cut;
    float discharge;
    float velocity;
    float wave; // wave celerity on it (m/s)
    float cfl_rate;
    bool critical;
};

// Range of some numbers: the least, and the least of their opposites.
struct Range {
    float least;
    float least_back;
};

__device__ __forceinline__ Range range_of(float a, float b) { return {lower(a, b), lower(-a, -b)}; }

__device__ __forceinline__ Range range_of(const Range &a, const Range &b)
{
    return {lower(a.least, b.least), lower(a.least_back, b.least_back)};
}

// Range of the fluxes across both ends of an edge on one side: a closed one counts as the other.
__device__ __forceinline__ Range range_of_open(float a, float b) { return range_of(a != 0.0f ? a : b, b != 0.0f ? b : a); }

// The magnitude of the number nearest to 0, or 0 if the signs differ: the magnitude of the minmod.
__device__ __forceinline__ float agreed(const Range &range) { return highest(range.least, range.least_back, 0.0f); }

// The number of smaller magnitude, or 0 if the signs differ.
__device__ __forceinline__ float minmod(float a, float b)
{
    // One of the terms is 0.
    return lower_or_0(a, b) + lower(higher(a, b), 0.0f);
}
