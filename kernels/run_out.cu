// Water that leaves cells at normal depth, beside what flows over their edges: the twin of
// src/forcing/outflow.rs and src/backend/cpu/run_out.rs.
#include "edge.cuh"
#include "pour.cuh"
#include "roots.cuh"
#include "settle.cuh"

// What was noted of a cell before a step.
struct Noted {
    int most;
    float arrival;
};

// Before water flows: keeps the maxima and arrivals of the cells.
extern "C" __global__ void before_run_out(Params p, const Pour *pours, int count, Noted *noted)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count) return;
    const ptrdiff_t cell = place(p, pours[at]);
    noted[at] = {p.most[cell], p.arrival[cell]};
}

// After water flowed: takes what leaves, by the depth before the step.
extern "C" __global__ void run_out(Params p, const Pour *pours, int count, const Noted *noted)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const Moment now = flowing(p);
    if (at >= count || !begin(p, now)) return;
    const Pour pour = pours[at];
    const ptrdiff_t cell = place(p, pour);
    const int was = p.water[cell];
    const float depth = (float)was * p.metres;
    int leaves = 0;
    if (depth > DRY) {
        const float s = inverse_sixth_root(depth);
        const float rate = ((depth * depth) * (s * s)) * __uint_as_float(pour.amount);
        const float grains = rate * (now.dt * p.per_metre);
        leaves = min((int)lower(grains + now.phase, MOST_CROSSING), was >> 1);
    }
    leaves = min(leaves, p.next[cell]);
    const int water = p.next[cell] - leaves;
    const Noted before = noted[at];
    p.next[cell] = water;
    p.most[cell] = max(before.most, water);
    const bool arrives = water > p.threshold && before.most <= p.threshold;
    p.arrival[cell] = arrives ? now.end : before.arrival;
    if (pour.own && leaves > 0) atomicAdd(&p.totals->outflow, (Count)leaves);
}
