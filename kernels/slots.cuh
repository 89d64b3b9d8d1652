// Findings of a block's warps in the rows of a listed chunk, and their combination.
#pragma once
#include "strip.cuh"

// Findings of a warp in its row, for the block to combine.
struct alignas(16) Slot {
    int deepest;
    int rims;
    int cfl_rate; // its bits; non-negative floats are ordered like their bits
    int spare;
    Count crossed;
    Count cut;
};

// The sum of a number below 2^32 per lane, in every lane.
__device__ __forceinline__ Count sum_of(unsigned x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned low = __reduce_add_sync(WHOLE_WARP, x & 0xffffu);
    const unsigned high = __reduce_add_sync(WHOLE_WARP, x >> 16);
    return low + ((Count)high << 16);
#else
    return warp_sum(x);
#endif
}

// Combines the findings of a warp's lanes in a row of a chunk. `finishes` and `cuts` are equal in
// all lanes.
__device__ __forceinline__ void put_together(const Findings &found, int row, bool finishes, bool cuts, int lane, Slot &slot)
{
    Slot all = {};
    all.cfl_rate = warp_max(__float_as_int(found.cfl_rate));
    const unsigned wet = __ballot_sync(WHOLE_WARP, found.deepest > 0 || found.moving != 0);
    if (wet != 0) {
        all.rims = rims_near(wet, row);
        // A chunk with discharge is not inactive, though it may be dry.
        all.deepest = warp_max(found.moving != 0 ? max(found.deepest, 1) : found.deepest);
    }
    // The flux across two edges is below 2^32, and so is the reduction of four.
    if (finishes) all.crossed = sum_of((unsigned)found.crossed);
    if (cuts) all.cut = sum_of((unsigned)found.cut);
    if (lane == 0) slot = all;
}

// Reports the findings of a block's warps; `updated` is set if velocities are. Called by the first
// warp.
template <int COUNT>
__device__ __forceinline__ void report(const Params &p, const Chunk &chunk, const Slot (&slots)[COUNT], bool updated, int lane)
{
    Slot mine = {};
    if (lane < COUNT) mine = slots[lane];
    const int deepest = warp_max(mine.deepest);
    const int cfl_rate = warp_max(mine.cfl_rate);
    int rims = 0;
#pragma unroll
    for (int rim = 1; rim < RIMS; rim *= 2) rims |= __any_sync(WHOLE_WARP, (mine.rims & rim) != 0) ? rim : 0;
    const Count crossed = warp_sum(mine.crossed);
    const Count cut = __any_sync(WHOLE_WARP, mine.cut > 0) ? warp_sum(mine.cut) : 0;
    if (lane > 0) return;
    int known = with_rims(deepest, rims);
    // Its edges have a velocity: momentum_update.cu.
    if (updated && known == 0 && cfl_rate > 0) known = AWAKE;
    p.deepest_next[chunk.index] = known;
    if (cfl_rate > 0) atomicMax(p.rate, (unsigned)cfl_rate);
    if (crossed > 0) atomicAdd(&p.totals->crossed.crossed, crossed);
    if (cut > 0) atomicAdd(&p.totals->crossed.cut, cut);
}
