// Chunks: the rectangles of a frame that one warp computes, and the unit of activity.
#pragma once
#include "params.cuh"

// Warps, and so chunks, of a block of threads.
#ifndef WARPS_PER_BLOCK
#define WARPS_PER_BLOCK 2
#endif
constexpr int WARPS = WARPS_PER_BLOCK;

// Rows of a piece of a chunk that a warp goes over, where there is a list of chunks, and of one that a block computes at a time.
constexpr int ROWS_OF_A_WARP = 2;
constexpr int ROWS_OF_A_BLOCK = 8;

// Warps of such a block: rules that are not capped look at three rows more.
constexpr int WARPS_OF_A_BLOCK = ROWS_OF_A_BLOCK + 3;

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

    // Leaves so manyeth of its rows alone.
    __device__ void take_row(int which)
    {
        row += which;
        end_row = min(end_row, row + 1);
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

// The list of chunks in which something may happen (list.cu). First come how many of them something happens in now, and how many
// there are; then those, and then these.
struct Listed {
    const unsigned *now;
    unsigned count;

    __device__ __forceinline__ explicit Listed(const Params &p)
        : now(p.active + 2), count(p.active[0])
    {
    }
};

// Does something with pieces, of so many rows, of the chunks in which something happens now: one after the other, of which
// someone takes number `first` and every `by` from there on.
template <class Do>
__device__ __forceinline__ void each_piece(const Params &p, int rows, unsigned first, unsigned by, Do with)
{
    const Listed listed(p);
    const unsigned pieces = CHUNK_COLUMNS / PIECE_COLUMNS * ((p.chunk_rows + rows - 1) / rows);
    for (unsigned at = first; at < listed.count * pieces; at += by) {
        const unsigned index = listed.now[at / pieces];
        Chunk chunk(p, index % p.chunks_across, index / p.chunks_across);
        chunk.cut(at % pieces, rows);
        with(chunk);
    }
}

// Does something with every chunk that is the warp's: one, or pieces of those on the list.
template <class Do>
__device__ __forceinline__ void each_chunk(const Params &p, Do with)
{
    if (p.active) {
        each_piece(p, ROWS_OF_A_WARP, blockIdx.x * WARPS + threadIdx.x / 32, gridDim.x * WARPS, with);
    } else {
        const Chunk chunk(p, blockIdx.x * WARPS + threadIdx.x / 32, blockIdx.y);
        if (chunk.across < p.chunks_across) with(chunk);
    }
}
