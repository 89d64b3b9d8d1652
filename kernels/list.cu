// List of active chunks, used while they are few by kernels compiled with LISTED. Their chunks are
// smaller than usual: a block computes all rows of one simultaneously.
//
// Layout of the list: the number of chunks active now; the number that may become active soon; the
// former, two words each; the latter, likewise; and a wet bit for every chunk, in words of 32 side
// by side.
#pragma once
#include "chunk.cuh"
#include "after_flow.cuh"

// Threads of a block that builds the list, and of the block that prepares a step.
constexpr int LISTING_THREADS = 256;
constexpr int PREPARING_THREADS = 1024;

// Number of steps for which a list is valid: water moves one cell per step, and an edge value is
// kept with the cell behind it. The corresponding maximum distance in chunks.
constexpr int LISTED_STEPS = 32;
constexpr int LISTED_REACH = LISTED_STEPS + 1;
constexpr int LISTED_COLUMNS = 28;
constexpr int REACH_ACROSS = (LISTED_REACH + LISTED_COLUMNS - 1) / LISTED_COLUMNS;
constexpr int REACH_DOWN = (LISTED_REACH + LISTED_ROWS - 1) / LISTED_ROWS;

__device__ __forceinline__ int words_across(const Params &p) { return (p.chunks_across + 31) / 32; }
__device__ __forceinline__ Count *soon(const Params &p) { return (Count *)p.active + 1 + p.chunks_across * p.chunks_down; }
__device__ __forceinline__ unsigned *wet_words(const Params &p)
{
    return p.active + 2 + 4 * p.chunks_across * p.chunks_down;
}

// Range of chunks of another size that overlap a given chunk, across or down.
struct Overlap {
    int first;
    int last;

    __device__ Overlap(int place, int size, int other_size, int others)
        : first(place * size / other_size), last(min(((place + 1) * size - 1) / other_size, others - 1))
    {
    }
};

// Transfers the state of a frame's chunks (deepest water now and next, flags) from the overlapping
// chunks of another size. One thread per chunk.
extern "C" __global__ void __launch_bounds__(LISTING_THREADS) take_over(const Params p, const Params from)
{
    wait_for_previous_kernel();
    const int at = blockIdx.x * LISTING_THREADS + threadIdx.x;
    if (at >= p.chunks_across * p.chunks_down) return;
    const Overlap across(at % p.chunks_across, p.chunk_columns, from.chunk_columns, from.chunks_across);
    const Overlap down(at / p.chunks_across, p.chunk_rows, from.chunk_rows, from.chunks_down);
    int deepest = 0;
    int deepest_next = 0;
    int flags = 0;
    for (int row = down.first; row <= down.last; row++) {
        for (int column = across.first; column <= across.last; column++) {
            const int other = row * from.chunks_across + column;
            deepest = max(deepest, from.deepest[other]);
            deepest_next = max(deepest_next, from.deepest_next[other]);
            flags |= from.special[other];
        }
    }
    // The border flags are determined in the next step. Only the clock knows which of the two
    // buffers is current.
    p.deepest[at] = deepest == 0 ? 0 : deepest | RIMS;
    p.deepest_next[at] = deepest_next == 0 ? 0 : deepest_next | RIMS;
    p.special[at] = (Flags)flags;
}

// Records which chunks are wet, or were, or have sources of their own (`fed`). One warp per word.
extern "C" __global__ void __launch_bounds__(LISTING_THREADS) mark_wet(const Params p, const unsigned char *fed)
{
    wait_for_previous_kernel();
    if (blockIdx.x == 0 && threadIdx.x == 0) p.active[1] = 0;
    const int lane = threadIdx.x % 32;
    const int word = blockIdx.x * (LISTING_THREADS / 32) + threadIdx.x / 32;
    if (word >= words_across(p) * p.chunks_down) return;
    const int column = word % words_across(p) * 32 + lane;
    const int at = word / words_across(p) * p.chunks_across + column;
    const bool here = column < p.chunks_across && (p.deepest[at] != 0 || p.deepest_next[at] != 0 || fed[at]);
    const unsigned set = __ballot_sync(WHOLE_WARP, here);
    if (lane == 0) wet_words(p)[word] = set;
}

// Lists the chunks that water may reach during the next LISTED_STEPS steps: those near the wet
// ones. One thread per word.
extern "C" __global__ void __launch_bounds__(LISTING_THREADS) list(const Params p)
{
    wait_for_previous_kernel();
    const int word = blockIdx.x * LISTING_THREADS + threadIdx.x;
    const int words = words_across(p);
    if (word >= words * p.chunks_down) return;
    const int across = word % words;
    const int row = word / words;
    unsigned near[3] = {0, 0, 0};
    for (int j = max(row - REACH_DOWN, 0); j <= min(row + REACH_DOWN, p.chunks_down - 1); j++) {
#pragma unroll
        for (int k = 0; k < 3; k++) {
            const int i = across + k - 1;
            if (i >= 0 && i < words) near[k] |= wet_words(p)[j * words + i];
        }
    }
    unsigned set = near[1];
#pragma unroll
    for (int k = 1; k <= REACH_ACROSS; k++) {
        set |= near[1] << k | near[0] >> (32 - k);
        set |= near[1] >> k | near[2] << (32 - k);
    }
    if (across == words - 1 && p.chunks_across % 32 != 0) set &= (1u << p.chunks_across % 32) - 1;
    if (set == 0) return;
    unsigned place = atomicAdd(&p.active[1], (unsigned)__popc(set));
    for (; set != 0; set &= set - 1) {
        const Chunk chunk(p, across * 32 + __ffs((int)set) - 1, row);
        // Chunks to the east and south are read, too (listed_whole_step.cu).
        Flags flags = 0;
        for (int k = 0; k < 3; k++) {
            const int i = min(chunk.across + k % 2, p.chunks_across - 1);
            flags |= p.special[min(row + k / 2, p.chunks_down - 1) * p.chunks_across + i];
        }
        const bool whole = !(flags & SPECIAL) && chunk.within(p.computed) && chunk.within(p.own);
        soon(p)[place++] = entry_of(chunk.across | (whole ? WHOLE : 0), row);
    }
}

// Finds the chunks that are active in a step, and resets their deepest water after it. Called by
// some threads of a block, of which this is one; `found` is 0 before.
__device__ __forceinline__ void choose(const Params &p, const int *deepest, int *deepest_next, const unsigned char *fed,
                                       unsigned *found, int thread, int threads)
{
    // There is memory for that many entries. The first is requested along with their count.
    Count entry = ((const volatile Count *)soon(p))[thread];
    const unsigned count = p.active[1];
    for (unsigned at = thread; at < count; at += threads) {
        if (at != (unsigned)thread) entry = soon(p)[at];
        const int column = (int)((unsigned)entry & ~WHOLE);
        const int row = (int)(entry >> 32);
        const int index = row * p.chunks_across + column;
        int near = fed[index];
#pragma unroll
        for (int k = 0; k < 9; k++) {
            const int i = min(max(column + k % 3 - 1, 0), p.chunks_across - 1);
            const int j = min(max(row + k / 3 - 1, 0), p.chunks_down - 1);
            // Something near the borders that face this chunk, both of them at a corner.
            const int facing = (k / 3 == 0 ? SOUTH_RIM : k / 3 == 2 ? NORTH_RIM : 0) |
                               (k % 3 == 0 ? EAST_RIM : k % 3 == 2 ? WEST_RIM : 0);
            const int there = deepest[j * p.chunks_across + i];
            near |= there != 0 && (there & facing) == facing;
        }
        const int stale = deepest_next[index];
        if (near == 0 && stale == 0) continue;
        if (stale != 0) deepest_next[index] = 0;
        ((Count *)p.active)[1 + atomicAdd(found, 1u)] = near == 0 ? entry | WIPED : entry;
    }
}
