// Chunks: the rectangles of a frame that one warp computes, and the unit of activity.
#pragma once
#include "params.cuh"

// Warps, and so chunks, of a block of threads.
#ifndef WARPS_PER_BLOCK
#define WARPS_PER_BLOCK 2
#endif
constexpr int WARPS = WARPS_PER_BLOCK;

// Where there is a list of chunks: the rows of one, which a block computes at the same time; its warps, for rules that are not
// capped look at three rows more, or at four where velocities are updated in the same kernel; and the rows that a warp goes over which is alone.
constexpr int LISTED_ROWS = 8;
constexpr int LISTED_WARPS = LISTED_ROWS + 3;
constexpr int AT_ONCE_WARPS = LISTED_ROWS + 4;
constexpr int ROWS_OF_A_WARP = 2;

// The largest of a number per lane, in every lane.
__device__ __forceinline__ int warp_max(int x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(WHOLE_WARP, x);
#else
#pragma unroll
    for (int step = 16; step > 0; step /= 2) x = max(x, __shfl_xor_sync(WHOLE_WARP, x, step));
    return x;
#endif
}

// The sum of a number per lane, in every lane; it wraps.
__device__ __forceinline__ Count warp_sum(Count x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    // By parts of 22 bits: 32 of them add up to 27.
    constexpr unsigned PART = (1u << 22) - 1;
    const Count low = __reduce_add_sync(WHOLE_WARP, (unsigned)x & PART);
    const Count middle = __reduce_add_sync(WHOLE_WARP, (unsigned)(x >> 22) & PART);
    const Count high = __reduce_add_sync(WHOLE_WARP, (unsigned)(x >> 44));
    return low + (middle << 22) + (high << 44);
#else
#pragma unroll
    for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(WHOLE_WARP, x, step);
    return x;
#endif
}

// A number from which nothing is worked out before it is needed here: registers are few.
__device__ __forceinline__ float not_before(float x)
{
#ifdef __CUDA_ARCH__
    asm volatile("" : "+f"(x));
#endif
    return x;
}

__device__ __forceinline__ int not_before(int x)
{
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(x));
#endif
    return x;
}

// Columns of a frame's chunks: kernels that do not care how wide they are take what they are told.
__device__ __forceinline__ int width_of_chunks(const Params &p)
{
#ifdef CHUNKS_OF_ANY_WIDTH
    return p.chunk_columns;
#else
    return CHUNK_COLUMNS;
#endif
}

struct Chunk {
    int across; // its place among the chunks
    int down;
    int columns; // its cells
    int column;
    int row;
    int end_row;
    size_t index;

    __device__ Chunk(const Params &p, int across, int down)
        : across(across), down(down), columns(width_of_chunks(p)), column(across * columns), row(down * p.chunk_rows),
          end_row(row + p.chunk_rows), index((size_t)down * p.chunks_across + across)
    {
    }

    // Leaves of its rows some alone.
    __device__ void take_rows(int first, int count)
    {
        row += first;
        end_row = min(end_row, row + count);
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

// What is known of the deepest water of a chunk that is listed says, in its lowest bits, near which of its rims something is wet or flows:
// only beyond those need the next chunk be computed. Near is within two cells. Water moves a cell in the first half of a step, and
// what a velocity becomes in the second half depends on the cells beside its edge.
constexpr int NORTH_RIM = 1;
constexpr int SOUTH_RIM = 2;
constexpr int WEST_RIM = 4;
constexpr int EAST_RIM = 8;
constexpr int RIMS = 15;
constexpr int NEAR_RIM = 2;

// What is known of a chunk in which no water is and no rim matters, but which is not to sleep yet.
constexpr int AWAKE = RIMS + 1;

// Those near which a row of a chunk lies, by the lanes that found something; the first and last lanes lie beside the chunk.
__device__ __forceinline__ int rims_near(unsigned lanes, int row)
{
    constexpr unsigned WEST = ~(WHOLE_WARP << (LANES_BESIDE + NEAR_RIM));
    constexpr unsigned EAST = ~(WHOLE_WARP >> (LANES_BESIDE + NEAR_RIM));
    return (row < NEAR_RIM ? NORTH_RIM : 0) | (row >= LISTED_ROWS - NEAR_RIM ? SOUTH_RIM : 0) |
           ((lanes & WEST) != 0 ? WEST_RIM : 0) | ((lanes & EAST) != 0 ? EAST_RIM : 0);
}

// What is known of a chunk: no less than its deepest water, and its rims.
__device__ __forceinline__ int with_rims(int deepest, int rims)
{
    return deepest == 0 ? 0 : ((min(deepest, MAX_WATER) | RIMS) + 1) | rims;
}

// An entry of the list of chunks in which something happens now (list.cu): its place across, with a bit if there is only to be wiped, and
// one if all of it is to be computed, is the frame's own, and none of it is emptied or held; and its place down.
constexpr unsigned WIPED = 1u << 31;
constexpr unsigned WHOLE = 1u << 30;

__device__ __forceinline__ Count entry_of(unsigned across, unsigned down) { return (Count)down << 32 | across; }

// Where the entries of the list begin.
__device__ __forceinline__ const volatile Count *entries(const Params &p) { return (const volatile Count *)p.active + 1; }

// Whose turn it is to take which of them: number `first`, and every `by` from there on. Begins to ask for the first at once, so
// that it is not waited for after what else is.
struct Listed {
    unsigned first;
    unsigned by;
    unsigned count;
    Count entry;

    __device__ __forceinline__ Listed(const Params &p, unsigned first, unsigned by)
        : first(first), by(by), count(*(const volatile unsigned *)p.active), entry(entries(p)[first])
    {
    }

    template <class Do>
    __device__ __forceinline__ void each(const Params &p, Do with) const
    {
        Count coming = entry;
        for (unsigned at = first; at < count; at += by) {
            const Count entry = coming;
            // What comes next is asked for beside this one. There is memory beyond the list.
            coming = entries(p)[at + by];
            const unsigned across = (unsigned)entry;
            with(Chunk(p, across & ~(WIPED | WHOLE), (unsigned)(entry >> 32)), across & (WIPED | WHOLE));
        }
    }
};

// Does something with every chunk that is the warp's: one, or parts of those on the list.
template <class Do>
__device__ __forceinline__ void each_chunk(const Params &p, Do with)
{
    if (!p.active) {
        const Chunk chunk(p, blockIdx.x * WARPS + threadIdx.x / 32, blockIdx.y);
        if (chunk.across < p.chunks_across) with(chunk);
        return;
    }
    const int parts = (p.chunk_rows + ROWS_OF_A_WARP - 1) / ROWS_OF_A_WARP;
    const unsigned warp = blockIdx.x * WARPS + threadIdx.x / 32;
    Listed(p, warp / parts, gridDim.x * WARPS / parts).each(p, [&](Chunk chunk, unsigned) {
        chunk.take_rows(warp % parts * ROWS_OF_A_WARP, ROWS_OF_A_WARP);
        with(chunk);
    });
}
