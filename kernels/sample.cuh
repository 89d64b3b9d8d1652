// Samples of states between steps, before and after those that contain a sample time: the device
// writes them one after the other, and the host fetches them together
// (src/engine/backend/cuda/clock/sampling.rs).
#pragma once
#include "chunk.cuh"

// Location of a value to sample, one address for each order of the double arrays.
struct SampledPlace {
    const unsigned *now[2];
};

// Values to sample, and the output.
struct Sampling {
    const double *times;         // in ascending order, the last of them infinite
    const SampledPlace *places;
    const Count *port_volumes;         // volumes per port
    const Count *links;          // states of the links
    Count *samples;
    Count port_words;
    Count link_words;
    Count place_count;
    Count words;                 // per sample
    Count room;                  // capacity, in samples
};

// Header of a sample, followed by the volumes per port, the links, and the values at the places.
struct SampleHead {
    double time;    // of the state (s)
    Count number;   // of steps taken
    Count way;      // index of the current one of double arrays
    Count stored;   // water (grains)
    Count wet;      // cells
    Totals totals;  // everything except these two
};

__device__ __forceinline__ SampleHead *sample_at(const Sampling &all, unsigned slot)
{
    return (SampleHead *)(all.samples + slot * all.words);
}

// Writes everything except the counts; called by several threads, of which this is one.
__device__ __forceinline__ void put_down(const Sampling &all, SampleHead *sample, const Totals *totals, unsigned thread,
                                         unsigned threads)
{
    for (unsigned at = thread; at < sizeof(Totals) / sizeof(Count); at += threads) {
        ((Count *)&sample->totals)[at] = ((const Count *)totals)[at];
    }
    Count *const port_volumes = (Count *)(sample + 1);
    for (unsigned at = thread; at < all.port_words; at += threads) port_volumes[at] = all.port_volumes[at];
    Count *const links = port_volumes + all.port_words;
    for (unsigned at = thread; at < all.link_words; at += threads) links[at] = all.links[at];
    unsigned *const bits = (unsigned *)(links + all.link_words);
    for (unsigned at = thread; at < all.place_count; at += threads) bits[at] = *all.places[at].now[sample->way];
}

// Adds the water and the wet cells of a frame's own cells in a chunk, by one warp.
__device__ __forceinline__ void add_chunk(const Params &p, const Chunk &chunk, const int *water, int lane, Count &stored, Count &wet)
{
    const int last = min(chunk.end_row, p.own.end_row);
    const int last_column = min(chunk.column + chunk.columns, p.own.end_column);
    for (int row = max(chunk.row, p.own.row); row < last; row++) {
        for (int column = max(chunk.column, p.own.column) + lane; column < last_column; column += 32) {
            const int here = water[(size_t)row * p.stride + column];
            stored += (Count)here;
            wet += here > 0;
        }
    }
}

// Adds a warp's counts to a sample, or to the totals.
template <class To> __device__ __forceinline__ void put_counts(To *to, Count stored, Count wet, int lane)
{
    stored = warp_sum(stored);
    wet = warp_sum(wet);
    if (lane == 0 && wet > 0) {
        atomicAdd(&to->stored, stored);
        atomicAdd(&to->wet, wet);
    }
}
