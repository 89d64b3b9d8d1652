// What is known of gauges from every state of a run: the twin of src/engine/gauged.rs. A thread a gauge.
#include "settle.cuh"
#include "speed.cuh"

// A gauge within a visit's own cells.
struct Gauge {
    unsigned column;  // in the frame
    unsigned row;
    Count number;     // among all gauges of the run
};

// What is known of it.
struct GaugeState {
    int most;     // the most water at the end of any step (grains)
    float time;   // when it was there for the first time (s, or steps)
    float speed;  // the greatest (m/s)
    unsigned spare;
};

// Looks at the gauges of a frame's own cells as a step starts from them.
extern "C" __global__ void gauge(Params p, const Gauge *gauges, int count, GaugeState *states)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const Moment now = *p.moment;
    if (at >= count || !begin(p, now)) return;
    const Gauge gauge = gauges[at];
    const ptrdiff_t cell = (ptrdiff_t)gauge.row * p.stride + gauge.column;
    GaugeState state = states[gauge.number];
    const int most = p.most[cell];
    if (most > state.most) {
        state.most = most;
        state.time = now.start;
    }
    if (p.u_east && (float)p.water[cell] * p.metres >= FILM) {
        const float speed = size_in(p, p.u_east, p.u_south, cell);
        if (speed > state.speed) state.speed = speed;
    }
    states[gauge.number] = state;
}
