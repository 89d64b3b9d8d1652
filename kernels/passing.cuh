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

__device__ __forceinline__ void sides_of(const Flow &, const Params &, const Cells &, Sides &) {}

// The flow is evaluated in the velocity update.
__device__ __forceinline__ void see(const Params &, const Ints &, const FaceFluxes &, const FaceFluxes &, CellView &) {}

__device__ __forceinline__ void record_seen(const Params &, const Flows &, const CellView &, const Recording &) {}

// Computes the fluxes across a row's edges of one axis; `carried` holds their velocities, or their
// discharges.
__device__ __forceinline__ void pass(const Flow &solver, const Flow::Terms &terms, const Params &p, float phase,
                                     const Levels &levels, const Reals &carried, const OverStructures &over, FaceFluxes &crossings)
{
    const float per_flow = terms.steps * p.per_metre;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        float discharge = carried[q];
        if (!GIVEN) {
            FluxStencil edge;
            edge.rise = levels.rise[q];
            edge.depth[0] = levels.here[q];
            edge.depth[1] = levels.there[q];
            edge.velocity = carried[q];
            discharge = solver.discharge(terms, edge);
        }
        if (over.on(q)) discharge = GIVEN ? over.discharge(q, discharge) : over.held(q, levels.depth[q], discharge);
        if (!TABLES) discharge = levels.depth[q] > DRY ? discharge : 0.0f;
        const float grains = discharge * per_flow;
        const int whole = __float2int_rz(lower(fabsf(grains) + phase, MAX_FACE_FLUX));
        crossings.grains[q] = 0.0f > grains ? -whole : whole;
        crossings.discharge[q] = discharge;
        crossings.cfl_rate[q] = 0.0f;
        crossings.cut[q] = 0;
    }
}

__device__ __forceinline__ void cross_south(const Flow &solver, const Flow::Terms &terms, const Params &p,
                                            float phase, const Cells &here, const Cells &below,
                                            const Sides &, const Sides &, const Reals &, const Recording &, Flows &,
                                            const OverStructures &over, const RowTables &, FaceFluxes &crossings, Ranges &)
{
    Levels south;
    levels(p, here.bed, here.water, below.bed, below.water, south);
    pass(solver, terms, p, phase, south, here.south, over, crossings);
}

__device__ __forceinline__ void cross_east(const Flow &solver, const Flow::Terms &terms, const Params &p,
                                           float phase, const Cells &here, const Sides &, const Ranges &,
                                           const Ranges &, const Recording &, Flows &, const OverStructures &over, const RowTables &,
                                           FaceFluxes &crossings)
{
    Levels east;
    levels_east(p, here, east);
    pass(solver, terms, p, phase, east, here.east, over, crossings);
}
