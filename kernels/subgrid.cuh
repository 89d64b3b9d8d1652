// Tables of the finer ground in the cells and edges of a frame.
#pragma once
#include "params.cuh"
#include "tables.cuh"

__device__ __forceinline__ Table cell_table(const Params &p, ptrdiff_t at) { return {p.tables, p.apart, at}; }

// The planes of the edge of an axis ahead of a cell.
__device__ __forceinline__ Table edge_table(const Params &p, int axis, ptrdiff_t at) { return {p.tables + (CELL_WORDS + axis * EDGE_WORDS) * p.apart, p.apart, at}; }

// Asks for the tables of cells and edges that will soon be looked up, so that they have not so far to come.
__device__ __forceinline__ void ask_for_tables(const Params &p, ptrdiff_t at)
{
#pragma unroll
    for (int plane = 0; plane < CELL_WORDS + 2 * EDGE_WORDS; plane++) {
#ifdef __CUDA_ARCH__
        asm volatile("prefetch.L2 [%0];" ::"l"(p.tables + plane * p.apart + at));
#endif
    }
}

// What tables say of an edge between cells that lie at `at` and `ahead`.
__device__ __forceinline__ Tabled tabled(const Params &p, int axis, ptrdiff_t at, ptrdiff_t ahead, const float (&depth)[2])
{
    return Tabled(EdgeTable(edge_table(p, axis, at)), {p.level[at], p.level[ahead]}, depth, {p.rises[at], p.rises[ahead]});
}
