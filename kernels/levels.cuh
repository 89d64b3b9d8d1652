// Levels at a row's edges, and the fluxes across them.
#pragma once
#include "cells.cuh"
#include "edge.cuh"
#include "flow_diagnostics.cuh"

// Levels at a row's edges of one axis.
struct Levels {
    Reals difference;
    Reals depth;
    Reals donor;
    Ints donor_water;
    Reals rise;
    Reals here; // depths behind and ahead
    Reals there;
};

// Depth of a cell of a row. Solvers without momentum have no registers to keep it.
__device__ __forceinline__ float depth_of(const Params &p, const Ground &row, int q)
{
    return MOMENTUM ? row.depth[q] : (float)row.water[q] * p.metres;
}

// Computes the levels at the edges from the cells of `here` to those ahead, `there`.
__device__ __forceinline__ void levels(const Params &p, const Ground &here, const Ground &there, Levels &levels)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const float rise = fall(here.bed[q], there.bed[q]);
        const float difference = fused((float)(here.water[q] - there.water[q]), p.metres, rise);
        const bool falls = difference >= 0.0f;
        levels.difference[q] = difference;
        levels.donor_water[q] = falls ? here.water[q] : there.water[q];
        levels.donor[q] = (float)levels.donor_water[q] * p.metres;
        levels.depth[q] = levels.donor[q] + lower(falls ? rise : -rise, 0.0f);
        levels.rise[q] = rise;
        levels.here[q] = depth_of(p, here, q);
        levels.there[q] = depth_of(p, there, q);
    }
}

// Computes the levels at the edges within a row.
__device__ __forceinline__ void levels_east(const Params &p, const Cells &here, Levels &east)
{
    levels(p, here, next_columns(here), east);
}

// Limits of structures across a row's edges of one axis (src/engine/forcing/structures/mod.rs),
// if the run has any and the layer is given.
struct OverStructures {
    const float *edges;
    float per_flow; // grains per unit discharge

    __device__ __forceinline__ OverStructures(const float *layer, ptrdiff_t at, const Axis &axis)
        : edges(STRUCTURES && layer ? layer + at : nullptr), per_flow(axis.dt * axis.inverse_length * axis.per_metre)
    {
    }

    // Returns whether there is a structure on the edge of a column.
    __device__ __forceinline__ bool on(int q) const { return STRUCTURES && edges && edges[q] != 0.0f; }

    // Returns the solver's discharge for a flow depth (m) as it limits it.
    __device__ __forceinline__ float limited(int q, float depth, float of_solver) const { return ::limited(edges[q], of_solver, depth); }
};

// Fluxes across edges in whole grains (positive ahead), with discharge and velocity, and the part
// held back.
struct FaceFluxes {
    Ints grains;
    Reals discharge;
    Reals cfl_rate;
    Ints cut;
    Reals velocity;
    Reals rise; // of solvers with momentum: the fall of the bed
};

// Constants of a step for the edges of both axes.
struct FlowTerms {
    Axis eastward;
    Axis southward;
    Flow::Terms along;
    Flow::Terms down;

    __device__ __forceinline__ FlowTerms(const Params &p, float dt)
        : eastward{dt, p.inverse_dx, p.inverse_dy, p.per_metre}, southward{dt, p.inverse_dy, p.inverse_dx, p.per_metre},
          along(Flow(p.solver).terms(eastward)), down(Flow(p.solver).terms(southward))
    {
    }
};

// What the fluxes of a step across all edges of one axis have in common.
struct FluxAxis {
    const Flow &solver;
    const Params &p;
    const Flow::Terms &terms;
    float phase;
};

// The edges of a row along one axis: their structures, their tables, which of them are recorded, and
// the cells beside the warp's columns, if slopes are needed.
struct RowEdges {
    OverStructures over;
    RowTables tables;
    Recording recording;
    const Outside *outside;
};

// Clears the fluxes; only once they are known to be 0, so that wet rows do not wait for it.
__device__ __forceinline__ void none(FaceFluxes &fluxes)
{
    const int none = not_before(0);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        fluxes.grains[q] = fluxes.cut[q] = none;
        fluxes.discharge[q] = fluxes.cfl_rate[q] = fluxes.velocity[q] = __int_as_float(none);
    }
}
