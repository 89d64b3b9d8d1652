// Numbers across a warp, some columns per lane, and what lanes pass to each other.
#pragma once
#include "params.cuh"

// The values of a row of cells, some columns per lane.
typedef int Ints[COLUMNS];
typedef float Reals[COLUMNS];

// What the cells DI columns ahead have.
template <int DI, class T>
__device__ __forceinline__ void ahead(const T (&from)[COLUMNS], T (&to)[COLUMNS])
{
    if (DI == 0) {
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) to[q] = from[q];
    } else if (DI == 1) {
        const T next = __shfl_down_sync(WHOLE_WARP, from[0], 1);
#pragma unroll
        for (int q = 0; q < COLUMNS - 1; q++) to[q] = from[q + 1];
        to[COLUMNS - 1] = next;
    } else {
        const T previous = __shfl_up_sync(WHOLE_WARP, from[COLUMNS - 1], 1);
#pragma unroll
        for (int q = COLUMNS - 1; q > 0; q--) to[q] = from[q - 1];
        to[0] = previous;
    }
}
