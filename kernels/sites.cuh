// Sites: what happens at single cells in a step, beside the flow. The twin of src/engine/forcing/sites/mod.rs; the law of a kind is a
// header in sites/.
#pragma once
#include "params.cuh"
#include "series.cuh"

// A site in a frame.
struct Site {
    unsigned column;
    unsigned row;
    unsigned own;         // whether it counts
    unsigned kind;        // which law it has
    unsigned line;        // of the ledger
    unsigned port;        // 0 without one
    unsigned numbers[2];  // what its law has as parameters
};

// The lines of the ledger.
constexpr unsigned RAIN_LINE = 0;
constexpr unsigned FLOW_LINE = 1;
constexpr unsigned LOSS_LINE = 2;

// What a law sees of its cell.
struct Seen {
    int water;   // now (grains)
    int before;  // before the flow of the step
    int bed;     // above the datum (2^-16 m)
};

// What it knows of the step.
struct InStep {
    const Params &p;
    const StepConstants &now;
    const Increment *rates;   // what the rate layers bring
    const long long *levels;  // that are held, above the datum (grains)
};

// What a share (steps of 2^-31) gains when its running total goes from `before` to `after` (grains).
__device__ __forceinline__ Count take(Share share, Count total)
{
    return (Count)share * (total >> 31) + (((Count)share * (total & 0x7fffffffu)) >> 31);
}
__device__ __forceinline__ Count gains(Share share, Count before, Count after)
{
    return take(share, after) - take(share, before);
}
