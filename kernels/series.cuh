// Forcing over time: the twin of src/engine/forcing/series.rs.
#pragma once
#include "params.cuh"

// A piece of a series, which ends where the next one starts.
struct Piece {
    double time;        // start
    double value;       // at the start
    double half_slope;  // half of its change per unit of time
    double sum;         // integral of the pieces before it
};

// A piecewise linear rate or level; 0 before its first piece.
struct Series {
    const Piece *pieces;  // in order of time
    Count count;
};

// Running totals of a rate layer at the start and end of a step (grains).
struct Increment {
    Count before;
    Count after;
};

// Returns the piece that applies at a time, or null.
__device__ __forceinline__ const Piece *piece_at(const Series &series, double time)
{
    Count begun = 0;
    Count end = series.count;
    while (begun < end) {
        const Count middle = (begun + end) / 2;
        if (series.pieces[middle].time <= time) {
            begun = middle + 1;
        } else {
            end = middle;
        }
    }
    return begun > 0 ? series.pieces + (begun - 1) : nullptr;
}

// Returns the total by a time, in whole grains.
__device__ __forceinline__ Count total(const Series &series, double time, double per_metre)
{
    const Piece *piece = piece_at(series, time);
    if (!piece) return 0;
    const double since = time - piece->time;
    return (Count)((piece->sum + (piece->value + piece->half_slope * since) * since) * per_metre);
}

// Returns the level at a time, in whole grains.
__device__ __forceinline__ long long level(const Series &series, double time, double per_metre)
{
    const Piece *piece = piece_at(series, time);
    if (!piece) return 0;
    const double since = time - piece->time;
    return (long long)floor((piece->value + 2.0 * piece->half_slope * since) * per_metre);
}
