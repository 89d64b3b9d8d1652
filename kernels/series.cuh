// What comes over time: the twin of src/forcing/series.rs.
#pragma once
#include "params.cuh"

// A piecewise linear rate or level.
struct Series {
    const double *times;        // start of each piece, ascending
    const double *rates;        // at its start
    const double *half_slopes;  // half of what it changes by in a unit of time
    const double *sums;         // what has come by then
    Count pieces;
};

// Running totals of a rate layer at the start and end of a step (grains).
struct Increment {
    Count before;
    Count after;
};

// The last piece that starts no later than a time, and the time since then; false before the first.
__device__ __forceinline__ bool piece_at(const Series &series, double time, Count &piece, double &since)
{
    Count low = 0;
    Count high = series.pieces;
    while (low < high) {
        const Count middle = (low + high) / 2;
        if (series.times[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) return false;
    piece = low - 1;
    since = time - series.times[piece];
    return true;
}

__device__ __forceinline__ Count total(const Series &series, double time, double per_metre)
{
    Count piece;
    double since;
    if (!piece_at(series, time, piece, since)) return 0;
    const double slope = series.rates[piece] + series.half_slopes[piece] * since;
    return (Count)((series.sums[piece] + slope * since) * per_metre);
}

__device__ __forceinline__ long long level(const Series &series, double time, double per_metre)
{
    Count piece;
    double since;
    if (!piece_at(series, time, piece, since)) return 0;
    const double level = series.rates[piece] + 2.0 * series.half_slopes[piece] * since;
    return (long long)floor(level * per_metre);
}
