// Prefetching of rows from global memory into shared memory, one row ahead of the arithmetic. Every
// lane fetches and reads only its own columns, so no barrier is needed.
#pragma once
#include "params.cuh"

// The columns of a lane in a row of cells.
struct alignas(4 * COLUMNS) Lane {
    int v[COLUMNS];
};

// Returns numbers as the columns of a lane.
__device__ __forceinline__ Lane lane_of(const float (&from)[COLUMNS])
{
    Lane to;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) to.v[q] = __float_as_int(from[q]);
    return to;
}

// Stores a lane's columns, if `stores`: without a branch, and in one instruction.
__device__ __forceinline__ void put_if(bool stores, int *to, const Lane &from)
{
#ifdef __CUDA_ARCH__
    if constexpr (COLUMNS == 2) {
        asm volatile("{.reg .pred p; setp.ne.s32 p, %0, 0; @p st.global.v2.b32 [%1], {%2, %3};}" ::"r"((int)stores), "l"(to), "r"(from.v[0]),
                     "r"(from.v[COLUMNS - 1])
                     : "memory");
        return;
    }
#endif
    if (stores) *(Lane *)to = from;
}

// The reverse.
__device__ __forceinline__ void real(const Lane &from, float (&to)[COLUMNS])
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) to[q] = __int_as_float(from.v[q]);
}

// Starts to copy a lane's columns into shared memory.
__device__ __forceinline__ void fetch(Lane *to, const int *from)
{
#if __CUDA_ARCH__ >= 800
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from),
                 "n"(4 * COLUMNS)
                 : "memory");
#else
    *to = *(const Lane *)from;
#endif
}

// Starts to copy one number into shared memory.
template <class T>
__device__ __forceinline__ void fetch_one(T *to, const T *from)
{
#if __CUDA_ARCH__ >= 800
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(from) : "memory");
#else
    *to = *from;
#endif
}

// Waits for all copies started so far.
__device__ __forceinline__ void await_fetches()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
