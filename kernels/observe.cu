// Surveys a frame: the state of its chunks, and the total water.
#include "chunk.cuh"
#include "sample.cuh"

// Determines the deepest water and the flags of every chunk after a frame was loaded, or only of
// chunks that are not entirely its own if only those changed. The other buffer holds arbitrary
// values, so its chunks count as wet until they are wiped.
extern "C" __global__ void __launch_bounds__(32 * WARPS) survey(const Params p, int columns, int rows, int all)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const Chunk chunk(p, blockIdx.x * WARPS + warp_of_block(), blockIdx.y);
    if (chunk.across >= p.chunks_across || (!all && chunk.within(p.own))) return;
    int deepest = 0;
    int flags = 0;
    const int last_column = min(chunk.column + chunk.columns, columns);
    for (int row = chunk.row; row < min(chunk.end_row, rows); row++) {
        for (int column = chunk.column + lane; column < last_column; column += 32) {
            const size_t cell = (size_t)row * p.stride + column;
            deepest = max(deepest, p.water[cell]);
            // Flow keeps a chunk active, though it may be dry.
            const bool discharges = p.discharge_east && (p.discharge_east[cell] != 0.0f || p.discharge_south[cell] != 0.0f);
            const bool moves = p.velocity_east && (p.velocity_east[cell] != 0.0f || p.velocity_south[cell] != 0.0f);
            if (discharges || moves) deepest = max(deepest, 1);
            flags |= p.flags[cell];
        }
    }
    deepest = warp_max(deepest);
#pragma unroll
    for (int step = 16; step > 0; step /= 2) flags |= __shfl_xor_sync(WHOLE_WARP, flags, step);
    if (lane == 0) {
        p.deepest[chunk.index] = deepest;
        p.deepest_next[chunk.index] = 1;
        p.special[chunk.index] = (Flags)flags;
    }
}

// Adds the frame's own water and wet cells to the totals.
extern "C" __global__ void __launch_bounds__(32 * WARPS) count(const Params p)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const Chunk chunk(p, blockIdx.x * WARPS + warp_of_block(), blockIdx.y);
    if (chunk.across >= p.chunks_across || chunk.empty(p.own)) return;
    Count stored = 0;
    Count wet = 0;
    add_chunk(p, chunk, p.water, lane, stored, wet);
    put_counts(p.totals, stored, wet, lane);
}

// Copies a subdomain's maxima after a step: one thread.
extern "C" __global__ void record_maxima(const Totals *totals, Count *row)
{
    wait_for_previous_kernel();
    row[0] = totals->speed;
    row[1] = totals->froude;
    row[2] = totals->rise;
}
