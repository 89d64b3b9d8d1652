// Tables of the finer ground in the cells and edges of a frame.
#pragma once
#include "params.cuh"
#include "tables.cuh"

__device__ __forceinline__ Table cell_table(const Params &p, ptrdiff_t at) { return {p.tables, p.apart, at}; }

// The planes of the edge of an axis ahead of a cell.
__device__ __forceinline__ Table edge_table(const Params &p, int axis, ptrdiff_t at) { return {p.tables + (CELL_WORDS + axis * EDGE_WORDS) * p.apart, p.apart, at}; }

// What tables say of an edge between cells that lie at `at` and `ahead`.
__device__ __forceinline__ Tabled tabled(const Params &p, int axis, ptrdiff_t at, ptrdiff_t ahead, const float (&depth)[2])
{
    return Tabled(edge_table(p, axis, at), {p.level[at], p.level[ahead]}, depth, {p.rises[at], p.rises[ahead]});
}
