// Data shared by the warps of a block that compute a listed chunk, one row per warp, including some
// rows beside the chunk, all simultaneously.
#pragma once
#include "chunk.cuh"
#include "donors.cuh"
#include "levels.cuh"
#include "slots.cuh"

// Task of a warp with its row; WARPS warps begin ABOVE rows above the chunk and end BELOW rows
// below it.
template <bool PLAIN, int ABOVE, int BELOW, int WARPS>
struct ListedRow {
    int row;
    bool taken;    // whether its edges are computed
    bool finishes; // whether its cells belong to the chunk
    ptrdiff_t at;

    __device__ __forceinline__ ListedRow(const Params &p, const Strip<PLAIN> &strip, const Chunk &chunk, int warp)
        : row((PLAIN ? chunk.row : strip.first) - ABOVE + warp),
          taken(PLAIN ? WARPS == ABOVE + LISTED_ROWS + BELOW || warp < ABOVE + LISTED_ROWS + BELOW : row < strip.end + BELOW),
          finishes(PLAIN ? warp >= ABOVE && warp < ABOVE + LISTED_ROWS : row >= strip.first && row < strip.end),
          at((ptrdiff_t)row * p.stride + strip.column)
    {
    }
};

// Fluxes across the south edges of each row, before and after limiting the donors.
template <int WARPS>
struct BetweenRows {
    int wanted[WARPS][32];
    int given[WARPS][32];

    // Limits the fluxes to what the donors hold; the donor's value is exchanged between rows.
    // Returns the flux across the south edge of a cell, and in `above` the flux across its north
    // edge. `cuts` is set if any cell of the row was limited, and `less` is the reduction. All
    // warps of the block call it together.
    __device__ __forceinline__ int hold(const Ints &water, FaceFluxes &south, FaceFluxes &east, Ints &above, Ints &west, int warp, int lane,
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

// Processes the chunks of the block: those to be computed, `whole` or in `part`, and those to be
// wiped.
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
