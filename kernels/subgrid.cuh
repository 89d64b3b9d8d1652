// Tables of the finer ground in the cells and edges of a frame.
#pragma once
#include "params.cuh"
#include "tables.cuh"

__device__ __forceinline__ Table cell_table(const Params &p, ptrdiff_t at) { return {p.tables, at}; }

// The planes of the edge of an axis ahead of a cell.
__device__ __forceinline__ Table edge_table(const Params &p, int axis, ptrdiff_t at) { return {p.tables + CELL_WORDS + axis * EDGE_WORDS, at}; }

// The section with which water crosses an edge with some velocity (m), between cells that lie at `at` and `ahead`.
__device__ __forceinline__ float crossing_section(const Params &p, int axis, ptrdiff_t at, ptrdiff_t ahead, float velocity, const float (&depth)[2])
{
    const bool on = velocity > 0.0f;
    const Table edge = edge_table(p, axis, at);
    return section_of(edge, over_sill(edge, p.level[on ? at : ahead]), on ? depth[0] : depth[1]).depth;
}

// What tables say of an edge between cells that lie at `at` and `ahead`.
__device__ __forceinline__ Tabled tabled(const Params &p, int axis, ptrdiff_t at, ptrdiff_t ahead, const float (&depth)[2])
{
    return Tabled(edge_table(p, axis, at), {p.level[at], p.level[ahead]}, depth, {p.rises[at], p.rises[ahead]});
}
