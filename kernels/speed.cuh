// Flow velocity in a cell, from its edges: the twin of RowFlow in src/engine/cell_diagnostics.rs.
#pragma once
#include "params.cuh"

// Depth below which water is a film without a speed (m).
constexpr float FILM = 0.01f;

// Square of the magnitude in a cell of the discharge (m2/s) or the velocity (m/s) on its edges west, east,
// north and south.
__device__ __forceinline__ float square_of(float west, float east, float north, float south)
{
    const float along = 0.5f * (west + east);
    const float across = 0.5f * (north + south);
    return along * along + across * across;
}

// The same from the arrays of edges.
__device__ __forceinline__ float square_in(const Params &p, const float *east, const float *south, ptrdiff_t cell)
{
    return square_of(east[cell - 1], east[cell], south[cell - p.stride], south[cell]);
}

// The same, given the flags of the cell: on sides that water crosses without a face, the value on the
// opposite edge counts. The twin of src/engine/crossed_sides.rs.
__device__ __forceinline__ float square_across(const Params &p, const float *east, const float *south, ptrdiff_t cell, Flags flags)
{
    if ((flags & (CROSSED | DRAIN)) != CROSSED) return square_in(p, east, south, cell);
    const Flags *const beside = p.flags + cell;
    const float w = east[cell - 1], e = east[cell], n = south[cell - p.stride], s = south[cell];
    return square_of(beside[-1] ? w : e, beside[1] ? e : w, beside[-p.stride] ? n : s, beside[p.stride] ? s : n);
}
