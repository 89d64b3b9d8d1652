// What the cells of a row give over their edges, and what they have.
#pragma once
#include "lanes.cuh"

// What the cells of a row give in all; what crosses an edge is above 0 ahead.
__device__ __forceinline__ void outflows(const Ints &north, const Ints &south, const Ints &west,
                                         const Ints &east, Ints &out)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        out[q] = (max(-north[q], 0) + max(south[q], 0)) + (max(-west[q], 0) + max(east[q], 0));
    }
}

// A share water / out of what a cell gives.
__device__ __forceinline__ int scaled(int grains, int water, int out)
{
    return (int)((Count)grains * (Count)water / (Count)out);
}

// Scales what the cells of a row give that have less than `out`; what they get has the neighbour's word.
// Returns how much less crosses, per column.
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
        // What is remembered on an edge from dry ground, or from a ghost, is no flow.
        less[q] = water[q] > 0 ? out[q] - left : 0;
    }
    // An edge between columns is known twice: the giver's is right.
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
