// Numbers across a warp, with some columns per lane, and their exchange between lanes.
#pragma once
#include "params.cuh"

// Values of a row of cells, some columns per lane.
typedef int Ints[COLUMNS];
typedef float Reals[COLUMNS];

// Returns the values of the cells DI columns ahead.
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
