// Fluxes across the edges of a row of cells under a solver without momentum, in whole grains.
#pragma once
#include "levels.cuh"
#include "subgrid.cuh"

// Computes the values of a row's edges that determine the flow across transverse edges.
__device__ __forceinline__ void faces(const Flow &solver, const Levels &levels, Reals &face)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        face[q] = levels.depth[q] > DRY ? solver.face(levels.difference[q]) : 0.0f;
    }
}

// What determines the fluxes across the edges of a row along one axis.
struct EdgeRow {
    Standing standing;
    Levels levels;
    Reals roughness;
    Reals transverse;
    Reals discharge;
    Reals behind;
    Reals ahead;
};

// Computes the fluxes across a row's edges of one axis.
__device__ __forceinline__ void fluxes_across(const FluxAxis &axis, const EdgeRow &row, const RowEdges &edges, Flows &flows,
                                              FaceFluxes &fluxes)
{
    const Levels &levels = row.levels;
    const OverStructures &over = edges.over;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        Edge edge;
        float difference = levels.difference[q];
        float depth = levels.depth[q];
        if (TABLES) {
            edge.ground = row.standing.at_higher(q, axis.p.fall, levels.here[q], levels.there[q], difference, depth);
        }
        const bool wet = depth > DRY;
        edge.wet = wet;
        edge.difference = difference;
        edge.depth = higher(depth, DRY);
        edge.donor = levels.donor[q];
        edge.roughness = row.roughness[q];
        edge.transverse = row.transverse[q];
        edge.discharge = row.discharge[q];
        edge.behind = row.behind[q];
        edge.ahead = row.ahead[q];
        FaceFlux flux = axis.solver.flux(axis.terms, edge);
        if (over.on(q) && wet) {
            const float most = higher(over.edges[q], 0.0f) * edge.depth;
            if (fabsf(flux.discharge) > most) {
                flux.discharge = flux.discharge < 0.0f ? 0.0f - most : most;
                flux.grains = flux.discharge * over.per_flow;
                flux.velocity = flux.discharge / edge.depth;
                flux.cut = 0.0f;
            }
        }
        int grains = __float2int_rz(lower(fabsf(flux.grains) + axis.phase, MAX_FACE_FLUX));
        if (Flow::CAPPED) {
            const float half = lower(fabsf(levels.difference[q]) * axis.p.per_metre, 1e9f);
            grains = min(grains, levels.donor_water[q] >> 2);
            grains = min(grains, __float2int_rz(half) >> 1);
            fluxes.cut[q] = __float2int_rz(lower(flux.cut, MAX_FACE_FLUX));
        }
        fluxes.grains[q] = flux.grains < 0.0f ? -grains : grains;
        fluxes.discharge[q] = flux.discharge;
        fluxes.cfl_rate[q] = flux.cfl_rate;
        fluxes.velocity[q] = flux.velocity;
        if (wet && q >= edges.recording.first && q < edges.recording.end) {
            record_flow(flows, flux.velocity, depth, flux.wave, flux.critical);
        }
    }
}

// Evaluates the flow in the cells of a row from the velocities on their edges; `seen` holds the
// flow of the row above.
__device__ __forceinline__ void see(const Params &p, const Ints &water, const FaceFluxes &east, const FaceFluxes &south, CellView &seen)
{
    Reals west;
    ahead<-1>(east.velocity, west);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const float square = square_of(west[q], east.velocity[q], __int_as_float(seen.south.v[q]), south.velocity[q]);
        seen.square.v[q] = __float_as_int(square);
        seen.depth.v[q] = __float_as_int((float)water[q] * p.metres);
        seen.south.v[q] = __float_as_int(south.velocity[q]);
    }
}

// Records the flow of an evaluated row. Deferred until fewer values are live.
__device__ __forceinline__ void record_seen(const Params &p, const Flows &flows, const CellView &seen, const Recording &recording)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        if (q < recording.first || q >= recording.end) continue;
        record_speed(p, flows, __int_as_float(seen.square.v[q]), __int_as_float(seen.depth.v[q]), recording.cell + q);
    }
}

// Returns the levels of cells whose tables are looked up.
__device__ __forceinline__ Stand standing_of(const Cells &cells)
{
    Stand stand;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        stand.level[q] = cells.bed[q];
        stand.open_depth[q] = cells.open_depth[q];
        stand.rises[q] = cells.rises[q];
    }
    return stand;
}

// Computes the mean roughness of two rows.
__device__ __forceinline__ void mean_of(const Reals &here, const Reals &there, Reals &mean)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) mean[q] = 0.5f * (here[q] + there[q]);
}

// Eastward flow in a row, used as transverse flow. With memory it is the discharge of the last
// step; otherwise it comes from the levels, which are needed again for the row's own edges.
struct Sides {
    Levels levels;
    Reals face;
};

__device__ __forceinline__ void sides_of(const Flow &solver, const Params &p, const Cells &here, Sides &sides)
{
    if (REMEMBERS) {
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) sides.face[q] = here.east[q];
    } else {
        levels_east(p, here, sides.levels);
        faces(solver, sides.levels, sides.face);
    }
}

// Discharges do not depend on slopes.
__device__ __forceinline__ void slopes_of(const Params &, const Sides &, const Ground &, const Cells &, const Ground &, Sides &) {}

__device__ __forceinline__ void first_slopes(const Params &, ptrdiff_t, const Cells &, const Ground &, Sides &) {}

// Cells of a row, with the eastward flow in it.
struct CellRow {
    const Cells &cells;
    const Sides &sides;
};

// Range of two edge values, from which the transverse flow is determined as their common part.
struct Ranges {
    Reals least;
    Reals least_back;
};

__device__ __forceinline__ void ranges_of(const Reals &a, const Reals &b, Ranges &both)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const Range range = REMEMBERS ? range_of_open(a[q], b[q]) : range_of(a[q], b[q]);
        both.least[q] = range.least;
        both.least_back[q] = range.least_back;
    }
}

// Computes the magnitude of the flow common to two ranges.
__device__ __forceinline__ void agreed(const Ranges &a, const Ranges &b, Reals &size)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        size[q] = agreed(range_of(Range{a.least[q], a.least_back[q]}, {b.least[q], b.least_back[q]}));
    }
}

// Computes the range of the southward flow at both ends of eastward edges.
__device__ __forceinline__ void beside_of(const Reals &south, Ranges &beside)
{
    Reals next;
    ahead<1>(south, next);
    ranges_of(south, next, beside);
}

// Computes the fluxes across the edges between two rows; `behind` holds the kept values of the edges
// one row further north. `beside` receives the southward flow on the southern side of the eastward
// edges of `above`.
__device__ __forceinline__ void fluxes_south(const FluxAxis &axis, const CellRow &above, const CellRow &below, const Reals &behind,
                                             const RowEdges &edges, Flows &flows, FaceFluxes &fluxes, Ranges &beside)
{
    const Cells &here = above.cells;
    const Cells &there = below.cells;
    EdgeRow row;
    if (TABLES) {
        edges.tables.read(axis.p, 1, row.standing.edges);
        row.standing.behind = standing_of(here);
        row.standing.before = standing_of(there);
    }
    levels(axis.p, here, there, row.levels);
    mean_of(here.roughness, there.roughness, row.roughness);
    Ranges of_rows;
    Ranges west_of_it;
    ranges_of(above.sides.face, below.sides.face, of_rows);
    ahead<-1>(of_rows.least, west_of_it.least);
    ahead<-1>(of_rows.least_back, west_of_it.least_back);
    agreed(west_of_it, of_rows, row.transverse);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        row.discharge[q] = here.south[q];
        row.behind[q] = behind[q];
        row.ahead[q] = there.south[q];
    }
    fluxes_across(axis, row, edges, flows, fluxes);
    if (REMEMBERS) {
        beside_of(here.south, beside);
    } else {
        Reals face;
        faces(axis.solver, row.levels, face);
        beside_of(face, beside);
    }
}

// Computes the fluxes across the eastward edges of a row; `above` and `below` are the southward
// flows beside them.
__device__ __forceinline__ void fluxes_east(const FluxAxis &axis, const CellRow &cells, const Ranges &above, const Ranges &below,
                                            const RowEdges &edges, Flows &flows, FaceFluxes &fluxes)
{
    const Cells &here = cells.cells;
    EdgeRow row;
    if (TABLES) {
        Standing &standing = row.standing;
        edges.tables.read(axis.p, 0, standing.edges);
        standing.behind = standing_of(here);
        ahead<1>(standing.behind.level, standing.before.level);
        ahead<1>(standing.behind.open_depth, standing.before.open_depth);
        ahead<1>(standing.behind.rises, standing.before.rises);
    }
    if (REMEMBERS) {
        levels_east(axis.p, here, row.levels);
    } else {
        row.levels = cells.sides.levels;
    }
    Reals next;
    ahead<ROUGH ? 1 : 0>(here.roughness, next);
    mean_of(here.roughness, next, row.roughness);
    agreed(above, below, row.transverse);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        row.discharge[q] = here.east[q];
        row.behind[q] = row.ahead[q] = 0.0f;
    }
    if (REMEMBERS) {
        ahead<-1>(here.east, row.behind);
        ahead<1>(here.east, row.ahead);
        if (threadIdx.x % 32 == 0) row.behind[0] = here.west;
    }
    fluxes_across(axis, row, edges, flows, fluxes);
}
