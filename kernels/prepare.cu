// Preparation of a step that uses the list of chunks, in one kernel with one block: advances the
// clock, finds the active chunks, writes requested samples, records gauges, and applies sites.
#include "gauge.cu"
#include "list.cu"
#include "time_step.cu"
#include "sites.cu"

// Reads data that will be needed once the step's length is known, so that it is cached by then,
// since one access depends on another. Returns a value derived from everything read. Called by all
// threads of a warp.
__device__ __forceinline__ unsigned touch_rates(const Ticking &to, int lane)
{
    const double time = to.clock->time;
    Count read = 0;
    for (int at = lane; at < to.active_count; at += 32) {
        const unsigned layer = to.active[at];
        read += total(to.rates[layer], time, to.per_metre) + to.increments[layer].before;
    }
    for (int layer = lane; layer < to.level_count; layer += 32) {
        read += (Count)level(to.levels[layer], time, to.per_metre) + (Count)to.stages[layer];
    }
    return (unsigned)read;
}

__device__ __forceinline__ unsigned touch_sites(const Params &p, const Sites &all, int lane)
{
    unsigned read = 0;
    for (unsigned at = lane; at < all.count; at += 32) {
        const SiteAt site = all.sites[at];
        const ptrdiff_t cell = (ptrdiff_t)site.row * p.stride + site.column;
        read += site.given.kind + site.given.numbers[1] + (unsigned)(p.water[cell] + p.next_water[cell] + p.bed[cell]);
    }
    return read;
}

__device__ __forceinline__ unsigned touch_gauges(const Params &p, const Gauging &all, int lane)
{
    unsigned read = 0;
    for (unsigned at = lane; at < all.count; at += 32) {
        const Gauge gauge = all.gauges[at];
        const ptrdiff_t cell = (ptrdiff_t)gauge.row * p.stride + gauge.column;
        read += (unsigned)(p.most[cell] + p.water[cell] + p.next_water[cell]) + __float_as_uint(all.states[gauge.number].speed);
    }
    return read;
}

// Before each step that uses a list: one block, which also records gauges and applies sites, unless
// none are passed to it.
extern "C" __global__ void __launch_bounds__(PREPARING_THREADS)
    prepare(Params p, Ticking to, const unsigned char *fed, Gauging gauges, Sites sites)
{
    wait_for_previous_kernel();
    __shared__ unsigned found;
    __shared__ unsigned slot;
    __shared__ StepConstants now;
    __shared__ Clock next;
    __shared__ volatile unsigned touched[3][32];
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    const bool swapped = to.clock->way == 1;
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (warp == 0) {
        const unsigned found = go_on(to, now, next);
        if (lane == 0) slot = found;
    } else {
        if (warp == 1) touched[0][lane] = touch_rates(to, lane);
        if (warp == 2) touched[1][lane] = touch_sites(p, sites, lane);
        if (warp == 3) touched[2][lane] = touch_gauges(p, gauges, lane);
        choose(p, swapped ? p.deepest_next : p.deepest, swapped ? p.deepest : p.deepest_next, fed, &found,
               threadIdx.x - 32, PREPARING_THREADS - 32);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        p.active[0] = found;
        *to.step_constants = now;
        *to.clock = next;
    }
    if (slot != 0) {
        const int *const water = swapped ? p.next_water : p.water;
        const int *const deepest = swapped ? p.deepest_next : p.deepest;
        SampleHead *const sample = sample_at(*to.sampling, slot - 1);
        put_down(*to.sampling, sample, to.totals, threadIdx.x, PREPARING_THREADS);
        Count stored = 0;
        Count wet = 0;
        // There is no water elsewhere.
        for (unsigned at = warp; at < p.active[1]; at += PREPARING_THREADS / 32) {
            const Count entry = soon(p)[at];
            const Chunk chunk(p, (unsigned)entry & ~WHOLE, (unsigned)(entry >> 32));
            if (deepest[chunk.index] != 0) add_chunk(p, chunk, water, lane, stored, wet);
        }
        put_counts(sample, stored, wet, lane);
    }
    if (now.way == IDLE) {
        // Chunks to be wiped in this step still are.
        int *const next = swapped ? p.deepest : p.deepest_next;
        for (unsigned at = threadIdx.x; at < found; at += PREPARING_THREADS) {
            const Count entry = entries(p)[at];
            const unsigned across = (unsigned)entry;
            if ((across & WIPED) != 0) next[(entry >> 32) * p.chunks_across + (across & ~(WIPED | WHOLE))] = 1;
        }
    }
    // If water had got too deep, the clock would have stopped.
    if (gauges.count + sites.count == 0 || now.way == IDLE) return;
    take_places(p, now);
    for (unsigned at = threadIdx.x; at < gauges.count; at += PREPARING_THREADS) record_gauge(p, now, gauges, at);
    __syncthreads();
    for (unsigned at = threadIdx.x; at < sites.count; at += PREPARING_THREADS) act(p, now, sites, at, false);
}
