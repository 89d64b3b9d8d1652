// Rain and other sources that cover more than single cells, at the start of a step: the twin of
// src/engine/backend/cpu/rain.rs.
#include "chunk.cuh"
#include "series.cuh"
#include "after_flow.cuh"
#include "sites.cuh"
#include "staging.cuh"

// Returns the water after a gain, or unchanged if that would be too much.
__device__ __forceinline__ int gained(const Params &p, Count half_step, int water, Count gain, bool own)
{
    if (gain <= (Count)(MAX_WATER - water)) return water + (int)gain;
    if (own) halt(p, half_step);
    return water;
}

// Number of rows whose water is loaded together if rain falls evenly.
constexpr int ROWS_RAINED = 8;

// Adds whole grains of rain to every cell of a lane's columns, from row `first` to `last`
// (exclusive), all of which are the frame's own. Returns the number of cells inside the domain.
__device__ __forceinline__ unsigned rain_evenly(const Params &p, Count half_step, int first, int last, int column, int gain, int &deepest)
{
    unsigned cells = 0;
    for (int row = first; row < last; row += ROWS_RAINED) {
        Lane water[ROWS_RAINED];
        Flags flags[ROWS_RAINED][COLUMNS];
#pragma unroll
        for (int k = 0; k < ROWS_RAINED; k++) {
            const size_t cell = (size_t)min(row + k, last - 1) * p.stride + column;
            water[k] = *(const Lane *)(p.water + cell);
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) flags[k][q] = p.flags[cell + q];
        }
#pragma unroll
        for (int k = 0; k < ROWS_RAINED; k++) {
            if (row + k >= last) break;
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) {
                if (!(flags[k][q] & INSIDE)) continue;
                cells++;
                if (gain > MAX_WATER - water[k].v[q]) {
                    halt(p, half_step);
                } else {
                    water[k].v[q] += gain;
                }
                deepest = max(deepest, water[k].v[q]);
            }
            *(Lane *)(p.water + (size_t)(row + k) * p.stride + column) = water[k];
        }
    }
    return cells;
}

// Applies a rate to all cells of the domain: `shares` of it, one per cell (frame layout) or per
// zone if there are `zones` (frame layout), or the whole rate without shares.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    rain(Params p, const Share *shares, const unsigned *zones, const Increment *rate, Count *total, int is_rain)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const Chunk chunk(p, blockIdx.x * WARPS + warp_of_block(), blockIdx.y);
    const Area area = {p.computed.column - p.reach, p.computed.row - p.reach, p.computed.end_column + p.reach,
                       p.computed.end_row + p.reach};
    if (chunk.across >= p.chunks_across || chunk.empty(area)) return;
    const Increment increment = *rate;
    const StepConstants now = *p.step_constants;
    if (increment.after == increment.before || !begin(p, now)) return;
    const Count half_step = now.half_step;
    int deepest = 0;
    Count brought = 0;
    const int last = min(chunk.end_row, area.end_row);
    const int column = chunk.column + COLUMNS * lane;
    // Cells beyond the frame's last column belong to the next row, and to another lane.
    const bool inner = column < chunk.column + chunk.columns && column < area.end_column &&
                       column + COLUMNS > area.column;
    int row = max(chunk.row, area.row);
    const Count even = increment.after - increment.before;
    if (!shares && !p.rained && even <= (Count)MAX_WATER && chunk.within(area) && chunk.within(p.own)) {
        if (inner) brought = even * rain_evenly(p, half_step, row, last, column, (int)even, deepest);
        row = last;
    }
    for (; inner && row < last; row++) {
        const size_t cell = (size_t)row * p.stride + column;
        Lane water = *(const Lane *)(p.water + cell);
        Flags flags[COLUMNS];
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) flags[q] = p.flags[cell + q];
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            const bool here = column + q >= area.column && column + q < area.end_column;
            if (!here || !(flags[q] & INSIDE)) continue;
            const size_t at = zones ? zones[cell + q] : cell + q;
            const Count gain = shares ? gains(shares[at], increment.before, increment.after)
                                      : increment.after - increment.before;
            const bool own = column + q >= p.own.column && column + q < p.own.end_column &&
                             row >= p.own.row && row < p.own.end_row;
            const int before = water.v[q];
            water.v[q] = gained(p, half_step, before, gain, own);
            if (is_rain && p.rained) p.rained[cell + q] += water.v[q] - before;
            deepest = max(deepest, water.v[q]);
            if (own) brought += gain;
        }
        *(Lane *)(p.water + cell) = water;
    }
    deepest = warp_max(deepest);
    brought = warp_sum(brought);
    if (lane == 0) {
        p.deepest[chunk.index] = max(p.deepest[chunk.index], deepest);
        if (brought > 0) atomicAdd(total, brought);
    }
}
