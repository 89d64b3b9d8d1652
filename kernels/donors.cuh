// Outflows of the cells of a row, limited by the water that they hold.
#pragma once
#include "lanes.cuh"

// Computes the total outflow of the cells of a row; fluxes are positive ahead.
__device__ __forceinline__ void outflows(const Ints &north, const Ints &south, const Ints &west,
                                         const Ints &east, Ints &out)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        out[q] = (max(south[q], 0) - min(north[q], 0)) + (max(east[q], 0) - min(west[q], 0));
    }
}

// Scales an outflow by water / out.
__device__ __forceinline__ int scaled(int grains, int water, int out)
{
    return (int)((Count)grains * (Count)water / (Count)out);
}

// Scales down the outflows of cells of a row that hold less than `out`; inflows are scaled by the
// neighbouring donor. Returns the reduction per column.
__device__ __forceinline__ void hold_back(const Ints &water, const Ints &out, Ints &north, Ints &south,
                                       Ints &west, Ints &east, Ints &less)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        less[q] = 0;
        if (out[q] <= water[q]) continue;
        int left = 0;
        const auto scale = [&](int &edge, int sign) {
            if (edge * sign <= 0) return;
            const int part = scaled(edge * sign, water[q], out[q]);
            left += part;
            edge = part * sign;
        };
        scale(north[q], -1);
        scale(south[q], 1);
        scale(west[q], -1);
        scale(east[q], 1);
        // A value kept on an edge whose donor is dry or a ghost is not a flow.
        less[q] = water[q] > 0 ? out[q] - left : 0;
    }
    // An edge between columns is computed by both cells: the donor's value is right.
    Ints behind;
    Ints ahead_of;
    ahead<-1>(east, behind);
    ahead<1>(west, ahead_of);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        if (west[q] > 0) west[q] = behind[q];
        if (east[q] < 0) east[q] = ahead_of[q];
    }
}
