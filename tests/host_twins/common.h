// Functions shared by all flows: forcing, losses, links, the clock, and diagnostics.
#include "kernel.h"
#include "twin.h"

KERNEL(rain)
KERNEL(sites_before_flow)
KERNEL(sites_after_flow)
KERNEL(survey)
KERNEL(count)
KERNEL(tick)
KERNEL(sample)
KERNEL(end_samples)
KERNEL(prepare)
KERNEL(list)
KERNEL(mark_wet)
KERNEL(take_over)
KERNEL(record_diagnostics)
KERNEL(losses)
KERNEL(link)
KERNEL(over_structures)
KERNEL(levels)
KERNEL(gauge)

// Prepares a step, except for the clock.
static void make_ready(Params p, const unsigned char *fed)
{
    __shared__ unsigned found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (begin(p, *p.step_constants)) choose(p, p.deepest, p.deepest_next, fed, &found, threadIdx.x, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0) p.active[0] = found;
}
KERNEL(make_ready)

static Count count_of(TwinNumbers &x)
{
    const Count low = (unsigned)x.whole();
    return low | (Count)(unsigned)x.whole() << 32;
}
static void give_count(TwinNumbers &x, Count count)
{
    x.give((int)(unsigned)count);
    x.give((int)(unsigned)(count >> 32));
}

TWIN(phase_of) { x.give(phase_of(count_of(x))); }

TWIN(hazard)
{
    const float depth = x.real(), speed = x.real();
    x.give(rating_of(depth, speed));
    x.give(class_of(depth, speed));
}

// Magnitude of the flow over the west, east, north and south edges of a cell.
TWIN(size_in)
{
    float east[2], south[2];
    x.reals(east);
    x.reals(south);
    Params p = {};
    p.stride = 1;
    x.give(__fsqrt_rn(square_in(p, east, south, 1)));
}

TWIN(gains)
{
    const Share share = (Share)x.whole();
    const Count before = count_of(x);
    give_count(x, gains(share, before, count_of(x)));
}

// `constants` are metres per grain, grains per metre, the step length and its rounding phase.
TWIN(leaves_of)
{
    Params p = {};
    p.metres = constants[0];
    p.per_metre = constants[1];
    StepConstants now = {};
    now.dt = constants[2];
    now.phase = constants[3];
    const int water = x.whole();
    x.give(NormalDepth::leaves(p, x.real(), now, water));
}

// Total and level of a series at a time, whose 64 bits are passed in two halves. `constants` are
// the pieces of the series.
TWIN(series)
{
    struct {
        const Piece *pieces;
        Count count;
        double per_metre;
    } with;
    memcpy(&with, constants, sizeof with);
    const Series series = {with.pieces, with.count};
    const double time = same_bits<double>(count_of(x));
    give_count(x, total(series, time, with.per_metre));
    give_count(x, (Count)level(series, time, with.per_metre));
}

