// Chunks: the rectangles of a frame that one warp computes, and the unit of activity.
#pragma once
#include "params.cuh"

// Number of warps, and thus of chunks, per block.
#ifndef WARPS_PER_BLOCK
#define WARPS_PER_BLOCK 2
#endif
constexpr int WARPS = WARPS_PER_BLOCK;

// The warp's number in its block, from one lane, so that the compiler knows that it is that of all
// lanes: their branches then need no checks, and loop counters and addresses no registers per lane.
__device__ __forceinline__ int warp_of_block() { return __shfl_sync(WHOLE_WARP, threadIdx.x / 32, 0); }

// With a list of chunks: the rows of a chunk, which a block computes simultaneously; its warps,
// since uncapped solvers need three more rows, or four if velocities are updated in the same kernel;
// and the rows per warp if a single warp processes the chunk.
constexpr int LISTED_ROWS = 8;
constexpr int LISTED_WARPS = LISTED_ROWS + 3;
constexpr int FUSED_WARPS = LISTED_ROWS + 4;
constexpr int ROWS_OF_A_WARP = 2;

// The greatest of a number per lane, in every lane.
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
    // In parts of 22 bits, whose sum over 32 lanes has 27.
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

// Returns a number that the compiler must not use in computations before this point, because
// registers are scarce.
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

// Columns of a frame's chunks: kernels that work with any width read it from the parameters.
__device__ __forceinline__ int width_of_chunks(const Params &p)
{
#ifdef CHUNKS_OF_ANY_WIDTH
    return p.chunk_columns;
#else
    return CHUNK_COLUMNS;
#endif
}

// A chunk, or several below each other that a warp marches down.
struct Chunk {
    int across; // the place of the first among the chunks
    int down;
    int count;
    int columns; // its cells
    int column;
    int row;
    int end_row;
    size_t index;

    __device__ Chunk(const Params &p, int across, int down, int count = 1)
        : across(across), down(down), count(count), columns(width_of_chunks(p)), column(across * columns), row(down * p.chunk_rows),
          end_row(row + count * p.chunk_rows), index((size_t)down * p.chunks_across + across)
    {
    }

    // Returns the chunks of a warp in a launch over all, whose blocks are `down`: first eights, then fours,
    // twos and single ones, so that the last warps end together.
    static __device__ __forceinline__ Chunk of_launch(const Params &p, int across, int down)
    {
        const int fours = p.eights + p.fours;
        const int twos = fours + p.twos;
        return Chunk(p, across, down + min(down, twos) + 2 * min(down, fours) + 4 * min(down, p.eights),
                     1 + (down < twos) + 2 * (down < fours) + 4 * (down < p.eights));
    }

    // Restricts it to some of its rows.
    __device__ void take_rows(int first, int count)
    {
        row += first;
        end_row = min(end_row, row + count);
    }

    // Returns whether it has no cell in an area.
    __device__ bool empty(const Area &area) const
    {
        return column >= area.end_column || column + columns <= area.column || row >= area.end_row ||
               end_row <= area.row;
    }

    // Returns whether all its cells are in an area.
    __device__ bool within(const Area &area) const
    {
        return column >= area.column && column + columns <= area.end_column && row >= area.row &&
               end_row <= area.end_row;
    }

    // Returns an upper bound on the water in them and in the chunks around them.
    __device__ int deepest_near(const Params &p, int lane) const
    {
        int deepest = 0;
        const int i = across + lane % 3 - 1;
        const int j = down + lane / 3 - 1;
        if (lane < 3 * (count + 2) && i >= 0 && i < p.chunks_across && j >= 0 && j < p.chunks_down) {
            deepest = p.deepest[(size_t)j * p.chunks_across + i];
        }
        return warp_max(deepest);
    }
};

// Returns the flags of the cells of a chunk, or of several.
__device__ __forceinline__ Flags flags_in(const Params &p, const Chunk &chunk)
{
    Flags flags = 0;
    for (int down = 0; down < chunk.count; down++) flags |= p.special[chunk.index + (size_t)down * p.chunks_across];
    return flags;
}

// Returns these flags and those of the chunks to the east and south, whose cells their edges also border
// on.
__device__ __forceinline__ Flags flags_near(const Params &p, const Chunk &chunk)
{
    Flags flags = flags_in(p, chunk);
    if (chunk.across + 1 < p.chunks_across) flags |= flags_in(p, Chunk(p, chunk.across + 1, chunk.down, chunk.count));
    const int below = chunk.down + chunk.count;
    if (below < p.chunks_down) flags |= p.special[(size_t)below * p.chunks_across + chunk.across];
    return flags;
}

// Returns the chunk of a lane among several, if it has one, in an array with a value per chunk.
template <class T>
__device__ __forceinline__ T *of_lane(const Params &p, const Chunk &chunk, T *values, int lane)
{
    return lane < chunk.count ? values + (size_t)(not_before(chunk.down) + lane) * p.chunks_across + chunk.across : nullptr;
}

// The stored deepest water of a listed chunk has flags in its lowest bits: the borders near which
// something is wet or flows. Only beyond these borders the next chunk must be computed. Near means
// within two cells: water moves one cell in the first half of a step, and the velocity update in
// the second half depends on the cells beside the edge.
constexpr int NORTH_RIM = 1;
constexpr int SOUTH_RIM = 2;
constexpr int WEST_RIM = 4;
constexpr int EAST_RIM = 8;
constexpr int RIMS = 15;
constexpr int NEAR_RIM = 2;

// State of a chunk that is dry and has no border flags, but must not become inactive yet.
constexpr int AWAKE = RIMS + 1;

// Returns the borders near a row of a chunk, given the lanes that found something; the first and
// last lanes are beside the chunk.
__device__ __forceinline__ int rims_near(unsigned lanes, int row)
{
    constexpr unsigned WEST = ~(WHOLE_WARP << (LANES_BESIDE + NEAR_RIM));
    constexpr unsigned EAST = ~(WHOLE_WARP >> (LANES_BESIDE + NEAR_RIM));
    return (row < NEAR_RIM ? NORTH_RIM : 0) | (row >= LISTED_ROWS - NEAR_RIM ? SOUTH_RIM : 0) |
           ((lanes & WEST) != 0 ? WEST_RIM : 0) | ((lanes & EAST) != 0 ? EAST_RIM : 0);
}

// Combines an upper bound on a chunk's water with its border flags.
__device__ __forceinline__ int with_rims(int deepest, int rims)
{
    return deepest == 0 ? 0 : ((min(deepest, MAX_WATER) | RIMS) + 1) | rims;
}

// An entry of the list of active chunks (list.cu). The place across has two flag bits: one if the
// chunk only needs wiping, and one if it is to be computed whole, is the frame's own, and no cell
// of it is emptied or held. The place down is in the upper half.
constexpr unsigned WIPED = 1u << 31;
constexpr unsigned WHOLE = 1u << 30;

__device__ __forceinline__ Count entry_of(unsigned across, unsigned down) { return (Count)down << 32 | across; }

// Returns the first entry of the list.
__device__ __forceinline__ const volatile Count *entries(const Params &p) { return (const volatile Count *)p.active + 1; }

// Distribution of the entries: this worker takes number `first` and every `by`-th from there. The
// first entry is requested early, so that it arrives along with other data.
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
            // Request the next entry during this one. There is memory beyond the list.
            coming = entries(p)[at + by];
            const unsigned across = (unsigned)entry;
            with(Chunk(p, across & ~(WIPED | WHOLE), (unsigned)(entry >> 32)), across & (WIPED | WHOLE));
        }
    }
};

// Calls `with` for every chunk of the warp: its single chunk, or parts of those on the list.
template <class Do>
__device__ __forceinline__ void each_chunk(const Params &p, Do with)
{
    if (!p.active) {
        const Chunk chunk(p, blockIdx.x * WARPS + warp_of_block(), blockIdx.y);
        if (chunk.across < p.chunks_across) with(chunk);
        return;
    }
    const int parts = (p.chunk_rows + ROWS_OF_A_WARP - 1) / ROWS_OF_A_WARP;
    const unsigned warp = blockIdx.x * WARPS + warp_of_block();
    Listed(p, warp / parts, gridDim.x * WARPS / parts).each(p, [&](Chunk chunk, unsigned) {
        chunk.take_rows(warp % parts * ROWS_OF_A_WARP, ROWS_OF_A_WARP);
        with(chunk);
    });
}
