// Fluxes across the edges of a row of cells under a solver with momentum: the twin of
// src/engine/backend/cpu/momentum_fluxes.rs. At second order the discharge is precomputed (flux.cu), as
// it is with tables (momentum_update.cu).
#pragma once
#include "levels.cuh"
#include "momentum.cuh"

// Data of a row that other rows need: none.
struct Sides {
};
struct Ranges {
};

// Cells of a row.
struct CellRow {
    const Cells &cells;
    const Sides &sides;
};

__device__ __forceinline__ void sides_of(const Flow &, const Params &, const Cells &, Sides &) {}

// The flow is evaluated in the velocity update.
__device__ __forceinline__ void see(const Params &, const Ints &, const FaceFluxes &, const FaceFluxes &, CellView &) {}

__device__ __forceinline__ void record_seen(const Params &, const Flows &, const CellView &, const Recording &) {}

// Computes the fluxes across a row's edges of one axis; `carried` holds their velocities, or their
// discharges.
__device__ __forceinline__ void fluxes_across(const FluxAxis &axis, const Levels &levels, const Reals &carried,
                                              const OverStructures &over, FaceFluxes &fluxes)
{
    const float per_flow = axis.terms.steps * axis.p.per_metre;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        float discharge = carried[q];
        if (!GIVEN) {
            FluxStencil edge;
            edge.rise = levels.rise[q];
            edge.depth[0] = levels.here[q];
            edge.depth[1] = levels.there[q];
            edge.velocity = carried[q];
            discharge = axis.solver.discharge(axis.terms, edge);
        }
        if (over.on(q)) discharge = GIVEN ? over.discharge(q, discharge) : over.held(q, levels.depth[q], discharge);
        if (!TABLES) discharge = levels.depth[q] > DRY ? discharge : 0.0f;
        const float grains = discharge * per_flow;
        const int whole = __float2int_rz(lower(fabsf(grains) + axis.phase, MAX_FACE_FLUX));
        fluxes.grains[q] = 0.0f > grains ? -whole : whole;
        fluxes.discharge[q] = discharge;
        fluxes.cfl_rate[q] = 0.0f;
        fluxes.cut[q] = 0;
    }
}

__device__ __forceinline__ void fluxes_south(const FluxAxis &axis, const CellRow &above, const CellRow &below, const Reals &,
                                             const RowEdges &edges, Flows &, FaceFluxes &fluxes, Ranges &)
{
    const Cells &here = above.cells;
    Levels south;
    levels(axis.p, here.bed, here.water, below.cells.bed, below.cells.water, south);
    fluxes_across(axis, south, here.south, edges.over, fluxes);
}

__device__ __forceinline__ void fluxes_east(const FluxAxis &axis, const CellRow &row, const Ranges &, const Ranges &,
                                            const RowEdges &edges, Flows &, FaceFluxes &fluxes)
{
    Levels east;
    levels_east(axis.p, row.cells, east);
    fluxes_across(axis, east, row.cells.east, edges.over, fluxes);
}
