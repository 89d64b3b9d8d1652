// Chunks: the rectangles of a frame that one warp computes, and the unit of activity.
#pragma once
#include "params.cuh"

// Warps, and so chunks, of a block of threads.
#ifndef WARPS_PER_BLOCK
#define WARPS_PER_BLOCK 2
#endif
constexpr int WARPS = WARPS_PER_BLOCK;

// The largest of a number per lane, in every lane.
__device__ __forceinline__ int warp_max(int x)
{
#pragma unroll
    for (int step = 16; step > 0; step /= 2) x = max(x, __shfl_xor_sync(WHOLE_WARP, x, step));
    return x;
}

// The sum of a number per lane, in every lane.
__device__ __forceinline__ Count warp_sum(Count x)
{
#pragma unroll
    for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(WHOLE_WARP, x, step);
    return x;
}

struct Chunk {
    int across; // its place among the chunks
    int down;
    int column; // its cells
    int row;
    int end_row;
    size_t index;

    __device__ Chunk(const Params &p, int across, int down)
        : across(across), down(down), column(across * CHUNK_COLUMNS), row(down * p.chunk_rows),
          end_row(row + p.chunk_rows), index((size_t)down * p.chunks_across + across)
    {
    }

    // Whether it has no cell in an area.
    __device__ bool empty(const Area &area) const
    {
        return column >= area.end_column || column + CHUNK_COLUMNS <= area.column ||
               row >= area.end_row || end_row <= area.row;
    }

    // Whether all its cells lie in an area.
    __device__ bool within(const Area &area) const
    {
        return column >= area.column && column + CHUNK_COLUMNS <= area.end_column && row >= area.row &&
               end_row <= area.end_row;
    }

    // No less than the deepest water in it and in the chunks around it.
    __device__ int deepest_near(const Params &p, int lane) const
    {
        int deepest = 0;
        const int i = across + lane % 3 - 1;
        const int j = down + lane / 3 - 1;
        if (lane < 9 && i >= 0 && i < p.chunks_across && j >= 0 && j < p.chunks_down) {
            deepest = p.deepest[(size_t)j * p.chunks_across + i];
        }
        return warp_max(deepest);
    }
};
