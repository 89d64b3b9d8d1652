// Flow diagnostics: counts over edges and maxima over cells. The twin of src/engine/run_diagnostics.rs and
// src/engine/backend/cpu/flow_diagnostics.rs.
#pragma once
#include "chunk.cuh"
#include "edge.cuh"
#include "speed.cuh"

// Froude number above which flow counts as fast.
constexpr float FAST = 0.9f;

// Wave celerity on water 1 m deep (m/s).
constexpr float WAVE = 3.132092f;

// Number of steps between evaluations of the flow.
constexpr unsigned EVERY = 8;

// Returns whether a step evaluates the flow.
__device__ __forceinline__ bool looks(const StepConstants &now) { return (unsigned)(now.half_step >> 1) % EVERY == 0; }

// Range of a lane's columns that count, and the index of the cell of column 0 in the frame.
struct Recording {
    unsigned cell;
    int first;
    int end;
};

// Diagnostics of a lane: three counts of its edges of up to 1023 in one number, and the maxima of
// the run at the start. Values that exceed these are written to the totals immediately, which is
// rare.
struct Flows {
    unsigned counts;
    float speed;
    float froude;
    int rise;
};

__device__ __forceinline__ unsigned bits_of(const Count &maximum)
{
    return (unsigned)(*(const volatile Count *)&maximum >> 32);
}

__device__ __forceinline__ Flows begin_flows(const Params &p)
{
    const Totals &totals = *p.totals;
    return {0, __uint_as_float(bits_of(totals.speed)), __uint_as_float(bits_of(totals.froude)),
            (int)bits_of(totals.rise)};
}

// Index of a cell in its frame, which has fewer than 2^32 cells.
__device__ __forceinline__ unsigned number_of(const Params &p, int row, int column)
{
    return (unsigned)row * (unsigned)p.columns + (unsigned)column;
}

// Updates a maximum, encoded as in src/engine/run_diagnostics.rs; of equal values the one with the lowest
// cell counts as the greatest.
__device__ __forceinline__ void raise_maximum(Count *total, unsigned bits, unsigned cell)
{
    atomicMax(total, ((Count)bits << 32) | (Count)(0xffffffffu - cell));
}

// Records an edge.
__device__ __forceinline__ void record_flow(Flows &flows, float velocity, float depth, float wave, bool critical)
{
    if (!(depth > DEEP)) return;
    flows.counts += 1u + (fabsf(velocity) > FAST * wave ? 1u << 10 : 0u) + (critical ? 1u << 20 : 0u);
}

// Wave celerity on water of a depth (m/s).
__device__ __forceinline__ float wave_of(float depth) { return WAVE * root(depth); }

// Records a cell with the given flow speed and wave celerity (m/s); `cell` is its index in the
// frame.
__device__ __forceinline__ void record_speed(const Params &p, const Flows &flows, float speed, float wave, unsigned cell)
{
    if (speed >= flows.speed && speed > 0.0f) raise_maximum(&p.totals->speed, __float_as_uint(speed), cell);
    // Slightly less than the value that would exceed the maximum, so that rounding does not hide
    // one.
    if (speed >= (flows.froude * 0.999999f) * wave && speed > 0.0f) {
        const float froude = divide(speed, wave);
        if (froude >= flows.froude) raise_maximum(&p.totals->froude, __float_as_uint(froude), cell);
    }
}

// Records the cell at `at` by the velocities in the arrays of edges, which have moved the water
// that is left there.
__device__ __forceinline__ void record_moved(const Params &p, const Flows &flows, float depth, ptrdiff_t at, unsigned cell)
{
    if (depth > DEEP) record_speed(p, flows, size_in(p, p.velocity_east, p.velocity_south, at), wave_of(depth), cell);
}

// Adds up the counts of a warp's lanes.
__device__ __forceinline__ void report_flows(const Params &p, const Flows &flows)
{
    if (!__any_sync(WHOLE_WARP, flows.counts > 0)) return;
    const Count deep = warp_sum((Count)(flows.counts & 1023u));
    const Count fast = warp_sum((Count)(flows.counts >> 10 & 1023u));
    const Count critical = warp_sum((Count)(flows.counts >> 20));
    if (threadIdx.x % 32 > 0) return;
    atomicAdd(&p.totals->crossed.deep, deep);
    if (fast > 0) atomicAdd(&p.totals->crossed.fast, fast);
    if (critical > 0) atomicAdd(&p.totals->crossed.critical, critical);
}
