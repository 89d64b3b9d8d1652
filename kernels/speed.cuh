// How fast water flows through a cell, from what flows over its edges: the twin of RowFlow in src/engine/track.rs.
#pragma once
#include "params.cuh"

// Depth below which water is a film that has no speed of its own (m).
constexpr float FILM = 0.01f;

// The size in a cell of the discharge (m2/s) or the velocity (m/s) over its edges west, east, north and south.
__device__ __forceinline__ float size_of(float west, float east, float north, float south)
{
    const float along = 0.5f * (west + east);
    const float across = 0.5f * (north + south);
    return __fsqrt_rn(along * along + across * across);
}

// The same of what lies in the arrays of edges.
__device__ __forceinline__ float size_in(const Params &p, const float *east, const float *south, ptrdiff_t cell)
{
    return size_of(east[cell - 1], east[cell], south[cell - p.stride], south[cell]);
}
