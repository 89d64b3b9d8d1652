// Water that leaves cells at normal depth when a step starts: the twin of src/forcing/outflow.rs.
#include "edge.cuh"
#include "pour.cuh"
#include "roots.cuh"
#include "settle.cuh"

extern "C" __global__ void run_out(Params p, const Pour *pours, int count)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const Moment now = *p.moment;
    if (at >= count || !begin(p, now)) return;
    const Pour pour = pours[at];
    const ptrdiff_t cell = place(p, pour);
    const int was = p.water[cell];
    const float depth = (float)was * p.metres;
    if (!(depth > DRY)) return;
    const float s = inverse_sixth_root(depth);
    const float rate = ((depth * depth) * (s * s)) * __uint_as_float(pour.amount);
    const float grains = rate * (now.dt * p.per_metre);
    const int leaves = min((int)lower(grains + now.phase, MOST_CROSSING), was >> 1);
    p.water[cell] = was - leaves;
    if (pour.own && leaves > 0) atomicAdd(&p.totals->outflow, (Count)leaves);
}
