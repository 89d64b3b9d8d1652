// Which chunks something may happen in, where they are few: what the kernels of a step go by that are compiled with LISTED.
#pragma once
#include "chunk.cuh"
#include "settle.cuh"

// Threads of the one block that makes it, and words of 32 chunks side by side that a frame has at the most.
constexpr int LISTING_THREADS = 1024;
constexpr int MOST_WORDS = 1 << 12;

// A chunk whose array after the step still holds what was there two steps ago.
constexpr int STALE = -1;

// The steps that a list is good for: water moves a cell in each, and an edge is remembered with the cell behind it.
constexpr int LISTED_STEPS = 32;
constexpr int LISTED_REACH = LISTED_STEPS + 1;

// Lists the chunks that water may be in during the next LISTED_STEPS steps: those near water, and near cells that water is
// brought to by itself, which `fed` tells.
extern "C" __global__ void __launch_bounds__(LISTING_THREADS) list(const Params p, const unsigned char *fed)
{
    __shared__ unsigned wet[MOST_WORDS];
    __shared__ unsigned listed;
    if (threadIdx.x == 0) listed = 0;
    const int words = (p.chunks_across + 31) / 32;
    const int all = words * p.chunks_down;
    const int lane = threadIdx.x % 32;
    for (int word = threadIdx.x / 32; word < all; word += LISTING_THREADS / 32) {
        const int column = word % words * 32 + lane;
        const int at = word / words * p.chunks_across + column;
        const bool here = column < p.chunks_across && (p.deepest[at] != 0 || p.deepest_next[at] != 0 || fed[at]);
        const unsigned set = __ballot_sync(WHOLE_WARP, here);
        if (lane == 0) wet[word] = set;
    }
    __syncthreads();
    static_assert(LISTED_REACH <= CHUNK_COLUMNS, "water comes no further than the next chunk to the side");
    const int down = (LISTED_REACH + p.chunk_rows - 1) / p.chunk_rows;
    for (int word = threadIdx.x; word < all; word += LISTING_THREADS) {
        const int across = word % words;
        const int row = word / words;
        unsigned near[3] = {0, 0, 0};
        for (int j = max(row - down, 0); j <= min(row + down, p.chunks_down - 1); j++) {
#pragma unroll
            for (int k = 0; k < 3; k++) {
                const int i = across + k - 1;
                if (i >= 0 && i < words) near[k] |= wet[j * words + i];
            }
        }
        const unsigned west = near[1] << 1 | near[0] >> 31;
        const unsigned east = near[1] >> 1 | near[2] << 31;
        unsigned set = near[1] | west | east;
        if (across == words - 1 && p.chunks_across % 32 != 0) set &= (1u << p.chunks_across % 32) - 1;
        unsigned place = atomicAdd(&listed, (unsigned)__popc(set));
        for (; set != 0; set &= set - 1) {
            const int column = across * 32 + __ffs((int)set) - 1;
            p.active[2 + p.chunks_across * p.chunks_down + place++] = row * p.chunks_across + column;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) p.active[1] = listed;
}

// Finds the listed chunks in which something happens in a step, and makes them ready for it: what is now is known, and what
// comes next is counted from nothing. By some threads of a block, of which this is one; `found` begins as 0.
__device__ __forceinline__ void choose(const Params &p, const unsigned char *fed, unsigned *found, int thread,
                                       int threads)
{
    const unsigned *listed = p.active + 2 + p.chunks_across * p.chunks_down;
    for (unsigned at = thread; at < p.active[1]; at += threads) {
        const unsigned index = listed[at];
        const int column = index % p.chunks_across;
        const int row = index / p.chunks_across;
        bool any = false;
        for (int j = max(row - 1, 0); j <= min(row + 1, p.chunks_down - 1); j++) {
            for (int i = max(column - 1, 0); i <= min(column + 1, p.chunks_across - 1); i++) {
                const int near = j * p.chunks_across + i;
                any |= p.deepest[near] > 0 || fed[near];
            }
        }
        if (p.deepest[index] < 0) p.deepest[index] = 0;
        if (p.deepest_next[index] != 0) {
            p.deepest_next[index] = STALE;
            any = true;
        }
        if (any) p.active[2 + atomicAdd(found, 1u)] = index;
    }
}
