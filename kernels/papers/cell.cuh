// What one cell gives, from its own state and its neighbours': for the kernels with a thread per cell,
// which evaluate every edge from both its cells. A unit says how many columns and rows a block has, and then this.
#include "grains.cuh"
#include "neighbourhood.cuh"
#include "after_flow.cuh"

constexpr int K = NEIGHBOURS;

// Column and row of this block's first cell, counted from the first cell of an area of `columns`
// columns: blocks are launched in one long row.
__device__ __forceinline__ int2 block_place(int columns)
{
    const unsigned across = (columns + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
    return make_int2(blockIdx.x % across * BLOCK_COLUMNS, blockIdx.x / across * BLOCK_ROWS);
}

// Outflows (grains) of a cell to each neighbour. `bed` and `water` point to the cell's own entries in
// arrays with `stride` cells a row.
__device__ __forceinline__ void cell_outflows(const Params &p, const StepConstants &now, const int *bed,
                                           const int *water, int stride, int (&outflow)[K])
{
#pragma unroll
    for (int k = 0; k < K; k++) outflow[k] = 0;
    if (*water == 0) return;
    const Flow rule(p.rule);
    float drop[K];
    float edge[K];
    float phase[K];
#pragma unroll
    for (int k = 0; k < K; k++) {
        const int there = offset_rows(k) * stride + offset_columns(k);
        const float difference = level_difference(*bed, bed[there], *water, water[there], p.bed_step);
        drop[k] = higher(difference, 0.0f);
        edge[k] = rule.edge(difference);
        phase[k] = edge_phase(p, now, difference);
    }
    float give[K];
    rule.give((float)*water, drop, edge, give);
    const int total = to_grains(give, phase, outflow);
    if (total > *water) leave_off(total - *water, outflow);
}

// Stores and records the new water of a cell of the frame, which may be more than fits.
__device__ __forceinline__ void finish(const Params &p, const StepConstants &now, int column, int row,
                                       long long sum)
{
    const size_t cell = (size_t)row * p.stride + column;
    const bool own = column >= p.own.column && column < p.own.end_column && row >= p.own.row &&
                     row < p.own.end_row;
    if (sum > MAX_WATER && own) halt(p, now.half_step);
    const int water = emptied(p, p.flags[cell], (int)min(sum, (long long)0x7fffffff), own, cell);
    p.next_water[cell] = water;
    if (own) record(p, now, cell, water, p.most[cell]);
}
