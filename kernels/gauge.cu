// Recording of gauges from every state of a run: the twin of src/engine/gauged.rs. One thread per
// gauge.
#pragma once
#include "after_flow.cuh"
#include "speed.cuh"

// A gauge within a subdomain's own cells.
struct Gauge {
    unsigned column;  // in the frame
    unsigned row;
    Count number;     // among all gauges of the run
};

// Recorded state of a gauge.
struct GaugeState {
    int most;     // the most water at the end of any step (grains)
    float time;   // of its first occurrence (s, or steps)
    float speed;  // the greatest (m/s)
};

// Gauges to record.
struct Gauging {
    const Gauge *gauges;
    GaugeState *states;
    Count count;
};

// Records a gauge at the start of a step.
__device__ __forceinline__ void record_gauge(const Params &p, const StepConstants &now, const Gauging &all, unsigned at)
{
    const Gauge gauge = all.gauges[at];
    const ptrdiff_t cell = (ptrdiff_t)gauge.row * p.stride + gauge.column;
    GaugeState state = all.states[gauge.number];
    const int most = p.most[cell];
    if (most > state.most) {
        state.most = most;
        state.time = now.start;
    }
    if (p.velocity_east && (float)p.water[cell] * p.metres >= FILM) {
        const float speed = __fsqrt_rn(square_across(p, p.velocity_east, p.velocity_south, cell, p.flags[cell]));
        if (speed > state.speed) state.speed = speed;
    }
    all.states[gauge.number] = state;
}

// Records the gauges of a frame's own cells at the start of a step.
extern "C" __global__ void gauge(Params p, Gauging all)
{
    wait_for_previous_kernel();
    const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    const StepConstants now = *p.step_constants;
    if (at < all.count && begin(p, now)) record_gauge(p, now, all, at);
}
