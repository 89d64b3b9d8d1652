// Sites: actions on single cells in a step, apart from the flow. The twin of
// src/engine/forcing/sites/mod.rs; the law of a kind is a header in sites/.
#pragma once
#include "params.cuh"
#include "series.cuh"
#include "subgrid.cuh"

// Properties of a site, independent of its location.
struct SiteParameters {
    unsigned kind;        // which law it has
    unsigned line;        // of the ledger
    unsigned port;        // 0 if there is none
    unsigned numbers[2];  // parameters of its law
};

// A site in a frame.
struct SiteAt {
    unsigned column;
    unsigned row;
    bool own;             // whether it counts
    SiteParameters given;
};

// The lines of the ledger.
constexpr unsigned RAIN_LINE = 0;
constexpr unsigned FLOW_LINE = 1;
constexpr unsigned LOSS_LINE = 2;

// The kind of stage boundaries.
constexpr unsigned STAGE = 4;

// State of a rating curve that is running: one bit, beside the bits of a trigger in the same cell.
constexpr unsigned RUNS = 1;

// Inputs of a law from its cell.
struct CellView {
    int water;   // now (grains)
    int before;  // before the flow of the step
    int bed;     // above the datum (2^-16 m)
    unsigned state;  // kept from the previous step
    Table table;     // subgrid table, if the cell has one
};

// Inputs of a law from the step.
struct StepContext {
    const Params &p;
    const StepConstants &now;
    const Increment *rates;   // increments of the rate layers
    const long long *levels;  // held levels, above the datum (grains)
    const float *tables;      // lookup tables of the run
};

// Returns the water with which a cell reaches a level above the datum (both in grains): none below
// its bed, and no more than it can hold.
__device__ __forceinline__ int water_at(const StepContext &now, const CellView &seen, long long level)
{
    const long long step = (long long)now.p.bed_step;
    if (!seen.table.planes) return (int)max(min(level - (long long)seen.bed * step, (long long)MAX_WATER), 0ll);
    // Rounded down, also below the datum.
    const long long wanted = level >= 0 ? level / step : -((step - 1 - level) / step);
    const CellTable table(seen.table);
    int low = 0;
    int high = MAX_WATER;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        float rises;
        if (level_of(table, seen.bed, middle, now.p.metres, rises) >= wanted) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// Returns the height of a cell's water above its lowest ground (grains).
__device__ __forceinline__ int height_of_water(const StepContext &now, const CellView &seen)
{
    if (!seen.table.planes) return seen.water;
    float rises;
    const long long over = level_of(CellTable(seen.table), seen.bed, seen.water, now.p.metres, rises) - seen.bed;
    return (int)min(over * (long long)now.p.bed_step, (long long)MAX_WATER);
}

// Returns the value of a table at x: src/engine/forcing/table.rs.
__device__ __forceinline__ float looked_up(const float *table, float x)
{
    const int count = (int)table[0];
    const float *knots = table + 1;
    const float *values = knots + count;
    if (x <= knots[0]) return values[0];
    for (int i = 1; i < count; i++) {
        if (x < knots[i]) {
            const float part = (x - knots[i - 1]) / (knots[i] - knots[i - 1]);
            return values[i - 1] + part * (values[i] - values[i - 1]);
        }
    }
    return values[count - 1];
}

// Returns the gain of a share (units of 2^-31) when its running total goes from `before` to `after`
// (grains).
__device__ __forceinline__ Count take(Share share, Count total)
{
    return (Count)share * (total >> 31) + (((Count)share * (total & 0x7fffffffu)) >> 31);
}
__device__ __forceinline__ Count gains(Share share, Count before, Count after)
{
    return take(share, after) - take(share, before);
}
