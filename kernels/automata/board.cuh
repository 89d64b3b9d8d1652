// Layout of cells in memory: packed into elements of type `Element`, with a margin around them. The
// twin of src/lab/automata/board.rs.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

struct Board {
    int columns, rows, layers;       // cells
    int pitch, height, depth;        // elements per row, rows of elements per layer, layers of elements
    int left, above, front;          // margins: elements, rows and layers of elements
    int wrap;                        // set on a torus, where opposite edges are connected
    int strip;                       // rows, or layers, that a thread or warp marches over
    int padding;
    u64 plane;                       // elements from plane to plane
    u64 texture;                     // the texture of the current cells
};

// Index of an element, which may be in the margin.
static __device__ __forceinline__ long long place(const Board &b, int x, int y, int z)
{
    return ((long long)(z + b.front) * b.height + (y + b.above)) * b.pitch + (x + b.left);
}

// Place of a cell along an axis of a torus.
static __device__ __forceinline__ int wrapped(int at, int count)
{
    if ((unsigned)at < (unsigned)count) return at;
    at = at < 0 ? at + count : at - count;
    if ((unsigned)at < (unsigned)count) return at;
    at %= count;
    return at < 0 ? at + count : at;
}

// Place of the thread in the grid of threads.
static __device__ __forceinline__ int thread_x() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ __forceinline__ int thread_y() { return blockIdx.y * blockDim.y + threadIdx.y; }
static __device__ __forceinline__ int thread_z() { return blockIdx.z * blockDim.z + threadIdx.z; }
