// How the water flows: what is counted of edges and what is greatest in cells. The twin of src/engine/extremes.rs and
// src/engine/backend/cpu/flow_diagnostics.rs.
#pragma once
#include "chunk.cuh"
#include "edge.cuh"
#include "speed.cuh"

// Froude number above which flow counts as fast.
constexpr float FAST = 0.9f;

// How fast waves run on water 1 m deep (m/s).
constexpr float WAVE = 3.132092f;

// Steps from one look at the flow to the next.
constexpr unsigned EVERY = 8;

// Whether a step looks at the flow.
__device__ __forceinline__ bool looks(const StepConstants &now) { return (unsigned)(now.half_step >> 1) % EVERY == 0; }

// Which of a lane's columns count, from the first to the end, and the number of the cell of column 0 in the frame.
struct Recording {
    unsigned cell;
    int first;
    int end;
};

// What a lane knows of the flow: three counts of its edges of up to 1023 in one number, and what was greatest in
// the run when it began. What beats that goes to the totals at once, which is seldom.
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

// The number of a cell in its frame, of which there are fewer than 2^32.
__device__ __forceinline__ unsigned number_of(const Params &p, int row, int column)
{
    return (unsigned)row * (unsigned)p.columns + (unsigned)column;
}

// A maximum as src/engine/extremes.rs has it; of equals the one with the lowest cell is the greatest.
__device__ __forceinline__ void raise_maximum(Count *total, unsigned bits, unsigned cell)
{
    atomicMax(total, ((Count)bits << 32) | (Count)(0xffffffffu - cell));
}

// Records an edge.
__device__ __forceinline__ void record_flow(Flows &flows, float velocity, float depth, float wave, bool held)
{
    if (!(depth > DEEP)) return;
    flows.counts += 1u + (fabsf(velocity) > FAST * wave ? 1u << 10 : 0u) + (held ? 1u << 20 : 0u);
}

// How fast waves run on water of a depth (m/s).
__device__ __forceinline__ float wave_of(float depth) { return WAVE * root(depth); }

// Records a cell through which water flows at a speed, and on which waves run (m/s); `cell` is its number in the frame.
__device__ __forceinline__ void record_speed(const Params &p, const Flows &flows, float speed, float wave, unsigned cell)
{
    if (speed >= flows.speed && speed > 0.0f) raise_maximum(&p.totals->speed, __float_as_uint(speed), cell);
    // A little less than what would beat the best, so that rounding hides none.
    if (speed >= (flows.froude * 0.999999f) * wave && speed > 0.0f) {
        const float froude = divide(speed, wave);
        if (froude >= flows.froude) raise_maximum(&p.totals->froude, __float_as_uint(froude), cell);
    }
}

// Records the cell at `at` by the velocities in the arrays of edges, which have moved the water that is left there.
__device__ __forceinline__ void record_moved(const Params &p, const Flows &flows, float depth, ptrdiff_t at, unsigned cell)
{
    if (depth > DEEP) record_speed(p, flows, size_in(p, p.velocity_east, p.velocity_south, at), wave_of(depth), cell);
}

// Puts together what a warp's lanes have counted.
__device__ __forceinline__ void report_flows(const Params &p, const Flows &flows)
{
    if (!__any_sync(WHOLE_WARP, flows.counts > 0)) return;
    const Count deep = warp_sum((Count)(flows.counts & 1023u));
    const Count fast = warp_sum((Count)(flows.counts >> 10 & 1023u));
    const Count held = warp_sum((Count)(flows.counts >> 20));
    if (threadIdx.x % 32 > 0) return;
    atomicAdd(&p.totals->crossed.deep, deep);
    if (fast > 0) atomicAdd(&p.totals->crossed.fast, fast);
    if (held > 0) atomicAdd(&p.totals->crossed.held, held);
}
