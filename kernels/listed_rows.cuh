// What the warps of a block share that compute a listed chunk, each a row of it and some rows beside it, all at the same time.
#pragma once
#include "chunk.cuh"
#include "givers.cuh"
#include "levels.cuh"
#include "slots.cuh"

// What a warp has to do with its row, of WARPS that begin ABOVE rows above the chunk and end BELOW it.
template <bool PLAIN, int ABOVE, int BELOW, int WARPS>
struct ListedRow {
    int row;
    bool taken;    // whether its edges are worked out
    bool finishes; // whether its cells are the chunk's
    ptrdiff_t at;

    __device__ __forceinline__ ListedRow(const Params &p, const Strip<PLAIN> &strip, const Chunk &chunk, int warp)
        : row((PLAIN ? chunk.row : strip.first) - ABOVE + warp),
          taken(PLAIN ? WARPS == ABOVE + LISTED_ROWS + BELOW || warp < ABOVE + LISTED_ROWS + BELOW : row < strip.end + BELOW),
          finishes(PLAIN ? warp >= ABOVE && warp < ABOVE + LISTED_ROWS : row >= strip.first && row < strip.end),
          at((ptrdiff_t)row * p.stride + strip.column)
    {
    }
};

// What crosses the edges to the south of each row, at first and when no one gives more than there is.
template <int WARPS>
struct BetweenRows {
    int wanted[WARPS][32];
    int given[WARPS][32];

    // What crosses the edge south of a cell, and in `above` that north of it, when none gives more than it has: the giver's word counts.
    // `cuts` says whether any of the row had to hold back, `less` what it did. All warps of a block together.
    __device__ __forceinline__ int hold(const Ints &water, Crossings &south, Crossings &east, Ints &above, Ints &west, int warp, int lane,
                                        bool &cuts, Ints &less)
    {
        const bool gives_here = south.grains[0] >= 0;
        const bool gives_above = above[0] < 0;
        Ints out;
        outflows(above, south.grains, west, east.grains, out);
        less[0] = 0;
        cuts = __any_sync(WHOLE_WARP, out[0] > water[0]);
        if (cuts) hold_back(water, out, above, south.grains, west, east.grains, less);
        if (gives_here) given[warp][lane] = south.grains[0];
        if (warp > 0 && gives_above) given[warp - 1][lane] = above[0];
        __syncthreads();
        if (warp > 0) above[0] = given[warp - 1][lane];
        return given[warp][lane];
    }
};

// Goes over the chunks that are the block's: those to be computed `whole`, in `part`, and those that are wiped.
template <class Whole, class Part>
__device__ __forceinline__ void each_listed(const Params &p, const StepConstants &now, const Listed &listed, int warp, int lane, Whole whole,
                                            Part part)
{
    listed.each(p, [&](Chunk chunk, unsigned how) {
        if (how & WIPED) {
            chunk.take_rows(warp, 1);
            if (warp < LISTED_ROWS) wipe(p, chunk, lane);
        } else if ((how & WHOLE) && !looks(now)) {
            whole(chunk);
        } else if (!chunk.empty(p.computed)) {
            part(chunk);
        }
    });
}
