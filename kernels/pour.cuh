// Cells of a frame to which something is done by themselves.
#pragma once
#include "params.cuh"

// A cell that gets a share of a layer's water, or is topped up, or whose level is held.
struct Pour {
    unsigned int column;
    unsigned int row;
    unsigned int own;     // whether it counts
    unsigned int layer;   // which rate layer, or which level
    unsigned int inflow;  // whether that is inflow (1) or rain (0)
    // Share of it (2^-31), or the water to top up to (grains), or the bits of a conveyance.
    unsigned int amount;
    unsigned int port;    // if its level is held or water leaves it at normal depth
};

__device__ __forceinline__ ptrdiff_t place(const Params &p, const Pour &pour)
{
    return (ptrdiff_t)pour.row * p.stride + pour.column;
}
__device__ __forceinline__ int *deepest_of(const Params &p, const Pour &pour)
{
    const size_t down = pour.row / p.chunk_rows;
    return p.deepest + down * p.chunks_across + pour.column / p.chunk_columns;
}
