// Limited slopes of the water in the cells of a row, for discharges at second order. (SW2 1)
#pragma once
#include "levels.cuh"
#include "momentum.cuh"

// Falls of bed and depth across a row's edges of one axis, from the cells behind to those ahead (m).
struct Falls {
    Reals bed;
    Reals depth;
};

// Slopes of a row's cells along an axis.
struct CellSlopes {
    Reals depth;
    Reals level;
    Reals wet;
};

// Slopes of the cells behind and ahead of a row's edges, and the velocities on the edges before and
// after them along the line.
struct AroundEdges {
    CellSlopes behind;
    CellSlopes ahead;
    Reals before;
    Reals after;
};

// Computes the falls across the edges from the cells of `here` to those ahead, `there`.
__device__ __forceinline__ void falls(const Params &p, const Ground &here, const Ground &there, Falls &falls)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        falls.bed[q] = fall(here.bed[q], there.bed[q]);
        falls.depth[q] = (float)(here.water[q] - there.water[q]) * p.metres;
    }
}

// Computes the slopes of cells from the falls behind and ahead of them and the depths there.
__device__ __forceinline__ void slopes(const Falls &behind, const Falls &ahead, const Reals &depth_behind, const Reals &depth,
                                       const Reals &depth_ahead, CellSlopes &slopes)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const float least = lower(lower(depth_behind[q], depth[q]), depth_ahead[q]);
        const bool wet = least > DRY && depth[q] > higher(fabsf(behind.bed[q]), fabsf(ahead.bed[q]));
        slopes.depth[q] = wet ? minmod(-behind.depth[q], -ahead.depth[q]) : 0.0f;
        slopes.level[q] = wet ? minmod(-behind.depth[q] - behind.bed[q], -ahead.depth[q] - ahead.bed[q]) : 0.0f;
        slopes.wet[q] = wet ? 1.0f : 0.0f;
    }
}

// Computes the slopes of a row's cells down the rows, from the row above and the one below, and the
// falls to the row below.
__device__ __forceinline__ void slopes_south(const Params &p, const Falls &above, const Ground &row_above, const Cells &here,
                                             const Ground &below, CellSlopes &of_cells, Falls &to_below)
{
    falls(p, here, below, to_below);
    slopes(above, to_below, row_above.depth, here.depth, below.depth, of_cells);
}

// Computes the slopes along a row, and what is around its eastward edges; `right` are the cells ahead
// of these.
__device__ __forceinline__ void slopes_east(const Params &p, const Cells &here, const Ground &right, const Outside &outside, int lane,
                                            AroundEdges &around)
{
    Falls on;
    Falls behind;
    Reals depth_behind;
    falls(p, here, right, on);
    ahead<-1>(on.bed, behind.bed);
    ahead<-1>(on.depth, behind.depth);
    ahead<-1>(here.depth, depth_behind);
    if (lane == 0) {
        behind.bed[0] = fall(outside.bed[0], here.bed[0]);
        behind.depth[0] = (float)(outside.water[0] - here.water[0]) * p.metres;
        depth_behind[0] = (float)outside.water[0] * p.metres;
    }
    slopes(behind, on, depth_behind, here.depth, right.depth, around.behind);
    ahead<1>(around.behind.depth, around.ahead.depth);
    ahead<1>(around.behind.level, around.ahead.level);
    ahead<1>(around.behind.wet, around.ahead.wet);
    ahead<-1>(here.east, around.before);
    ahead<1>(here.east, around.after);
}
