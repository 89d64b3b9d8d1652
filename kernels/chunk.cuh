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
    int column; // its cells, or those of a piece of it
    int row;
    int end_row;
    int columns;
    size_t index;

    __device__ Chunk(const Params &p, int across, int down)
        : across(across), down(down), column(across * CHUNK_COLUMNS), row(down * p.chunk_rows),
          end_row(row + p.chunk_rows), columns(CHUNK_COLUMNS), index((size_t)down * p.chunks_across + across)
    {
    }

    // Cuts it to a piece of so many rows.
    __device__ void cut(int piece, int rows)
    {
        constexpr int ABREAST = CHUNK_COLUMNS / PIECE_COLUMNS;
        columns = PIECE_COLUMNS;
        column += piece % ABREAST * PIECE_COLUMNS;
        row += piece / ABREAST * rows;
        end_row = min(end_row, row + rows);
    }

    // Whether it has no cell in an area.
    __device__ bool empty(const Area &area) const
    {
        return column >= area.end_column || column + columns <= area.column || row >= area.end_row ||
               end_row <= area.row;
    }

    // Whether all its cells lie in an area.
    __device__ bool within(const Area &area) const
    {
        return column >= area.column && column + columns <= area.end_column && row >= area.row &&
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

// Does something with pieces of the listed chunks, which a warp shares with all others.
template <class Do>
__device__ __forceinline__ void each_listed(const Params &p, Do with)
{
    const unsigned rows = p.active[1];
    const unsigned pieces = CHUNK_COLUMNS / PIECE_COLUMNS * ((p.chunk_rows + rows - 1) / rows);
    const unsigned end = p.active[0] * pieces;
    for (unsigned at = blockIdx.x * WARPS + threadIdx.x / 32; at < end; at += gridDim.x * WARPS) {
        const unsigned index = p.active[2 + at / pieces];
        Chunk chunk(p, index % p.chunks_across, index / p.chunks_across);
        chunk.cut(at % pieces, rows);
        with(chunk);
    }
}

// Does something with the chunk that is the warp's.
template <class Do>
__device__ __forceinline__ void with_chunk(const Params &p, Do with)
{
    const Chunk chunk(p, blockIdx.x * WARPS + threadIdx.x / 32, blockIdx.y);
    if (chunk.across < p.chunks_across) with(chunk);
}

// What a kernel goes over that is compiled for one way or the other.
template <class Do>
__device__ __forceinline__ void each_chunk(const Params &p, Do with)
{
#ifdef LISTED
    each_listed(p, with);
#else
    with_chunk(p, with);
#endif
}

// What a kernel goes over that is told.
template <class Do>
__device__ __forceinline__ void each_chunk_or_listed(const Params &p, Do with)
{
    if (p.active) {
        each_listed(p, with);
    } else {
        with_chunk(p, with);
    }
}
