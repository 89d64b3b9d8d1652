// Water that leaves cells at normal depth, beside what flows over their edges: the twin of src/engine/forcing/outflow.rs and
// src/engine/backend/cpu/run_out.rs, which says when.
#include "edge.cuh"
#include "pour.cuh"
#include "roots.cuh"
#include "settle.cuh"

// What leaves a cell that holds `water`.
__device__ __forceinline__ int leaves_of(const Params &p, const Pour &pour, const Moment &now, int water)
{
    const float depth = (float)water * p.metres;
    if (!(depth > DRY)) return 0;
    const float s = inverse_sixth_root(depth);
    const float rate = ((depth * depth) * (s * s)) * __uint_as_float(pour.amount);
    const float grains = rate * (now.dt * p.per_metre);
    return min((int)lower(grains + now.phase, MOST_CROSSING), water >> 1);
}

// When a step begins.
extern "C" __global__ void run_out_first(Params p, const Pour *pours, int count)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const Moment now = *p.moment;
    if (at >= count || !begin(p, now)) return;
    const Pour pour = pours[at];
    const ptrdiff_t cell = place(p, pour);
    const int leaves = leaves_of(p, pour, now, p.water[cell]);
    p.water[cell] -= leaves;
    if (!pour.own || leaves == 0) return;
    atomicAdd(&p.totals->outflow, (Count)leaves);
    book(p.ports, pour.port, 0, leaves);
}

// After water flowed, by the depth before the step; notes what the flow left to be noted.
extern "C" __global__ void run_out_last(Params p, const Pour *pours, int count)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const Moment now = flowing(p);
    if (at >= count || !begin(p, now)) return;
    const Pour pour = pours[at];
    const ptrdiff_t cell = place(p, pour);
    const int leaves = min(leaves_of(p, pour, now, p.water[cell]), p.next[cell]);
    const int water = p.next[cell] - leaves;
    p.next[cell] = water;
    if (!pour.own) return;
    note(p, now, cell, water, p.most[cell]);
    if (leaves == 0) return;
    atomicAdd(&p.totals->outflow, (Count)leaves);
    book(p.ports, pour.port, 0, leaves);
}
