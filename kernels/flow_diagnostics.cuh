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

// Diagnostics of a lane: three counts of its edges of up to 1023 in one number, and limits slightly below
// the maxima of the run at the start: of the square of the speed, and of that square per unit of depth. Values
// that exceed these are written to the totals immediately, which is rare.
struct Flows {
    unsigned counts;
    float square;
    float per_depth;
    int rise;
};

// Factor on the squares of maxima, so that rounding does not hide a value that exceeds one.
constexpr float SLIGHTLY_LESS = 0.99999f;

__device__ __forceinline__ unsigned bits_of(const Count &maximum)
{
    return (unsigned)(*(const volatile Count *)&maximum >> 32);
}

__device__ __forceinline__ Flows begin_flows(const Params &p)
{
    const Totals &totals = *p.totals;
    const float speed = __uint_as_float(bits_of(totals.speed));
    const float froude = __uint_as_float(bits_of(totals.froude));
    return {0, (speed * speed) * SLIGHTLY_LESS, (froude * froude) * (WAVE * WAVE * SLIGHTLY_LESS), (int)bits_of(totals.rise)};
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
    const Count value = ((Count)bits << 32) | (Count)(0xffffffffu - cell);
    // In uniform flow many cells are equal, and a reading takes less time than an atomic operation.
    if (value > *(const volatile Count *)total) atomicMax(total, value);
}

// Records an edge.
__device__ __forceinline__ void record_flow(Flows &flows, float velocity, float depth, float wave, bool critical)
{
    if (!(depth > DEEP)) return;
    flows.counts += 1u + (fabsf(velocity) > FAST * wave ? 1u << 10 : 0u) + (critical ? 1u << 20 : 0u);
}

// Records a cell with the given square of its flow speed, and its depth (m); `cell` is its index in the frame.
__device__ __forceinline__ void record_speed(const Params &p, const Flows &flows, float square, float depth, unsigned cell)
{
    const bool is_fast = square >= flows.square;
    if (!(depth > DEEP) || !(is_fast || square >= flows.per_depth * depth)) return;
    const float speed = __fsqrt_rn(square);
    if (!(speed > 0.0f)) return;
    if (is_fast) raise_maximum(&p.totals->speed, __float_as_uint(speed), cell);
    raise_maximum(&p.totals->froude, __float_as_uint(divide(speed, WAVE * root(depth))), cell);
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
