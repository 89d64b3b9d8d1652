// Which chunks something may happen in, where they are few: what the kernels of a step go by that are compiled with LISTED
// (chunk.cuh). Before the list come its length, and how many rows a piece of a chunk has.
#pragma once
#include "chunk.cuh"
#include "settle.cuh"

// Threads of the one block that makes it, and chunks of a frame at the most.
constexpr int LISTING_THREADS = 1024;
constexpr int MOST_LISTED = 1 << 18;

// A chunk whose array after the step still holds what was there two steps ago.
constexpr int STALE = -1;

// The steps that a list is good for: water moves a cell in each, and an edge is remembered with the cell behind it.
constexpr int LISTED_STEPS = 16;
constexpr int LISTED_REACH = LISTED_STEPS + 1;

// Whether a chunk around one, so many columns and rows of chunks away at the most, is in a set.
__device__ __forceinline__ bool any_near(const Params &p, const unsigned *set, int index, int across, int down)
{
    const int column = index % p.chunks_across;
    const int row = index / p.chunks_across;
    for (int j = max(row - down, 0); j <= min(row + down, p.chunks_down - 1); j++) {
        for (int i = max(column - across, 0); i <= min(column + across, p.chunks_across - 1); i++) {
            const int at = j * p.chunks_across + i;
            if (set[at / 32] >> at % 32 & 1) return true;
        }
    }
    return false;
}

// Lists the chunks that water may be in during the next LISTED_STEPS steps: those near water, and near cells that water is
// brought to by itself, which `fed` tells. Pieces are so small that about `warps` of them are wet.
extern "C" __global__ void __launch_bounds__(LISTING_THREADS)
    list(const Params p, const unsigned char *fed, unsigned warps)
{
    __shared__ unsigned wet[MOST_LISTED / 32];
    __shared__ unsigned listed;
    __shared__ unsigned busy;
    if (threadIdx.x == 0) listed = busy = 0;
    const int chunks = p.chunks_across * p.chunks_down;
    const int lane = threadIdx.x % 32;
    for (int at = threadIdx.x; at - lane < chunks; at += LISTING_THREADS) {
        const bool here = at < chunks && (p.deepest[at] != 0 || p.deepest_next[at] != 0 || fed[at]);
        const unsigned word = __ballot_sync(WHOLE_WARP, here);
        if (lane == 0) wet[at / 32] = word;
    }
    __syncthreads();
    const int across = (LISTED_REACH + CHUNK_COLUMNS - 1) / CHUNK_COLUMNS;
    const int down = (LISTED_REACH + p.chunk_rows - 1) / p.chunk_rows;
    for (int at = threadIdx.x; at < chunks; at += LISTING_THREADS) {
        if (!any_near(p, wet, at, across, down)) continue;
        p.active[2 + atomicAdd(&listed, 1u)] = at;
        if (any_near(p, wet, at, 1, 1)) atomicAdd(&busy, 1u);
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    int rows = 1;
    while (rows < p.chunk_rows && busy * (CHUNK_COLUMNS / 30) * ((p.chunk_rows + rows - 1) / rows) > warps) rows *= 2;
    p.active[0] = listed;
    p.active[1] = min(rows, p.chunk_rows);
}

// Makes the listed chunks ready for a step: what is now is known, and what comes next is counted from nothing.
__device__ __forceinline__ void ready(const Params &p)
{
    const unsigned count = p.active[0];
    for (unsigned at = threadIdx.x; at < count; at += blockDim.x) {
        const unsigned index = p.active[2 + at];
        if (p.deepest[index] < 0) p.deepest[index] = 0;
        if (p.deepest_next[index] != 0) p.deepest_next[index] = STALE;
    }
}
