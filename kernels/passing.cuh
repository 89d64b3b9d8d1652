// Fluxes across the edges of a row of cells under a solver with momentum: the twin of
// src/engine/backend/cpu/momentum_fluxes.rs. The discharge is precomputed with tables
// (momentum_update.cu), and at second order for listed chunks (flux.cu).
#pragma once
#include "levels.cuh"
#include "momentum.cuh"
#include "slopes.cuh"

// Data of a row that other rows need: its slopes along the columns, and the falls to the row below.
struct Sides {
    CellSlopes slopes;
    Falls below;
};
struct Ranges {
};

// Cells of a row.
struct CellRow {
    const Cells &cells;
    const Sides &sides;
};

__device__ __forceinline__ void sides_of(const Flow &, const Params &, const Cells &, Sides &) {}

// Computes the slopes of a row from the rows above and below it.
__device__ __forceinline__ void slopes_of(const Params &p, const Sides &above, const Ground &row_above, const Cells &row,
                                          const Ground &below, Sides &sides)
{
    slopes_south(p, above.below, row_above, row, below, sides.slopes, sides.below);
}

// Computes the slopes of a chunk's first row, at `at`.
__device__ __forceinline__ void first_slopes(const Params &p, ptrdiff_t at, const Cells &row, const Ground &below, Sides &sides)
{
    Ground above;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        above.bed[q] = __ldg(p.bed + at - p.stride + q);
        above.water[q] = __ldg(p.water + at - p.stride + q);
    }
    depths(p, above);
    Sides before;
    falls(p, above, row, before.below);
    slopes_of(p, before, above, row, below, sides);
}

// The flow is evaluated in the velocity update.
__device__ __forceinline__ void see(const Params &, const Ints &, const FaceFluxes &, const FaceFluxes &, CellView &) {}

__device__ __forceinline__ void record_seen(const Params &, const Flows &, const CellView &, const Recording &) {}

// Computes the fluxes across a row's edges of one axis; `carried` holds their velocities, or their
// discharges.
__device__ __forceinline__ void fluxes_across(const FluxAxis &axis, const Levels &levels, const Reals &carried,
                                              const AroundEdges &around, const OverStructures &over, FaceFluxes &fluxes)
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
            edge.line[0] = around.before[q];
            edge.line[1] = around.after[q];
            edge.slopes[0] = {around.behind.depth[q], around.behind.level[q], around.behind.wet[q]};
            edge.slopes[1] = {around.ahead.depth[q], around.ahead.level[q], around.ahead.wet[q]};
            discharge = axis.solver.discharge(axis.terms, edge);
        }
        // The depth of flow, in terms of what the solver needs, too.
        const float rise = levels.rise[q];
        const float depth = 0.0f > levels.difference[q] ? levels.there[q] - higher(rise, 0.0f) : levels.here[q] + lower(rise, 0.0f);
        if (!GIVEN && over.on(q)) discharge = over.limited(q, depth, discharge);
        if (!TABLES && Flow::ORDER > 1) discharge = depth > DRY ? discharge : 0.0f;
        const float grains = discharge * per_flow;
        fluxes.grains[q] = __float2int_rz(with_sign_of(grains, lower(fabsf(grains) + axis.phase, MAX_FACE_FLUX)));
        fluxes.discharge[q] = discharge;
        fluxes.rise[q] = rise;
        fluxes.cfl_rate[q] = 0.0f;
        fluxes.cut[q] = 0;
    }
}

__device__ __forceinline__ void fluxes_south(const FluxAxis &axis, const CellRow &above, const CellRow &below, const Reals &before,
                                             const RowEdges &edges, Flows &, FaceFluxes &fluxes, Ranges &)
{
    const Cells &here = above.cells;
    Levels south;
    levels(axis.p, here, below.cells, south);
    AroundEdges around = {above.sides.slopes, below.sides.slopes, {}, {}};
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        around.before[q] = before[q];
        around.after[q] = below.cells.south[q];
    }
    fluxes_across(axis, south, here.south, around, edges.over, fluxes);
}

__device__ __forceinline__ void fluxes_east(const FluxAxis &axis, const CellRow &row, const Ranges &, const Ranges &,
                                            const RowEdges &edges, Flows &, FaceFluxes &fluxes)
{
    const Cells &here = row.cells;
    Ground right = next_columns(here);
    AroundEdges around = {};
    if (OUTSIDE && edges.tables.lane == 31) {
        right.bed[COLUMNS - 1] = edges.outside->bed[1];
        right.water[COLUMNS - 1] = edges.outside->water[1];
        right.depth[COLUMNS - 1] = (float)right.water[COLUMNS - 1] * axis.p.metres;
    }
    if (SLOPES) slopes_east(axis.p, here, right, *edges.outside, edges.tables.lane, around);
    Levels east;
    levels(axis.p, here, right, east);
    fluxes_across(axis, east, row.cells.east, around, edges.over, fluxes);
}
