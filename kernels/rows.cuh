// Rows of cells across a warp, and the edges between rows.
#pragma once
#include "grains.cuh"
#include "lanes.cuh"
#include "neighbourhood.cuh"
#include "staging.cuh"

constexpr int K = NEIGHBOURS;

struct Row {
    Ints bed;
    Ints water;
};

// Rows held in shared memory: the one being finished, the donor row, the next one, and the one
// after it, in transit.
constexpr int ROWS_HELD = 4;

struct StoredRow {
    Lane bed[32];
    Lane water[32];
    Lane most[32];
};

__device__ __forceinline__ Row row_of(const StoredRow &held, int lane)
{
    Row row;
    const Lane z = held.bed[lane];
    const Lane w = held.water[lane];
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        row.bed[q] = z.v[q];
        row.water[q] = w.v[q];
    }
    return row;
}

__device__ __forceinline__ bool is_wet(const Row &row)
{
    int water = 0;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) water |= row.water[q];
    return water != 0;
}

// Differences and edge quantities of one family's edges from the cells of a row.
struct Edges {
    Reals difference;
    Reals quantity;
    Reals phase;
};

// Computes the edges of family F from the cells of `here`; `there` is the row of the cells ahead.
template <int F>
__device__ __forceinline__ void edges(const Flow &solver, const Params &p, const StepConstants &now, const Row &here,
                                      const Row &there, Edges &edges)
{
    Row other;
    ahead<ahead_columns(F)>(there.bed, other.bed);
    ahead<ahead_columns(F)>(there.water, other.water);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        edges.difference[q] = level_difference(here.bed[q], other.bed[q], here.water[q],
                                               other.water[q], p.bed_step);
        edges.quantity[q] = solver.edge(edges.difference[q]);
        edges.phase[q] = edge_phase(p, now, edges.difference[q]);
    }
}

// Computes the edges to the next row.
__device__ __forceinline__ void edges_below(const Flow &solver, const Params &p, const StepConstants &now, const Row &here,
                                            const Row &below, Edges (&held)[FAMILIES - 1])
{
    edges<1>(solver, p, now, here, below, held[0]);
#if NEIGHBOURS == 8
    edges<2>(solver, p, now, here, below, held[1]);
    edges<3>(solver, p, now, here, below, held[2]);
#endif
}
