// Water that comes at the start of a step: the twin of src/engine/backend/cpu/feed.rs and src/engine/forcing.
#include "chunk.cuh"
#include "pour.cuh"
#include "series.cuh"
#include "settle.cuh"
#include "staging.cuh"

// What a share (steps of 2^-31) gains when its running total goes from `before` to `after` (grains).
__device__ __forceinline__ Count take(Share share, Count total)
{
    return (Count)share * (total >> 31) + (((Count)share * (total & 0x7fffffffu)) >> 31);
}
__device__ __forceinline__ Count gains(Share share, Count before, Count after)
{
    return take(share, after) - take(share, before);
}

// Water after a gain, or before it where that would be too much.
__device__ __forceinline__ int gained(const Params &p, Count turn, int water, Count gain, bool own)
{
    if (gain <= (Count)(MAX_WATER - water)) return water + (int)gain;
    if (own) halt(p, turn);
    return water;
}

// A rate over all cells of the domain: `shares` of it, one per cell (frame layout) or per zone if there are
// `zones` (frame layout), or all of it without.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    rain(Params p, const Share *shares, const unsigned *zones, const Increment *rate, Count *total, int is_rain)
{
    const int lane = threadIdx.x % 32;
    const Chunk chunk(p, blockIdx.x * WARPS + threadIdx.x / 32, blockIdx.y);
    const Area area = {p.computed.column - p.reach, p.computed.row - p.reach, p.computed.end_column + p.reach,
                       p.computed.end_row + p.reach};
    if (chunk.across >= p.chunks_across || chunk.empty(area)) return;
    const Increment increment = *rate;
    const Moment now = *p.moment;
    if (increment.after == increment.before || !begin(p, now)) return;
    const Count turn = now.turn;
    int deepest = 0;
    Count brought = 0;
    const int last = min(chunk.end_row, area.end_row);
    const int column = chunk.column + COLUMNS * lane;
    // Beyond the frame's last column lie the next row's cells, which are another lane's.
    const bool inner = column < chunk.column + chunk.columns && column < area.end_column &&
                       column + COLUMNS > area.column;
    for (int row = max(chunk.row, area.row); inner && row < last; row++) {
        const size_t cell = (size_t)row * p.stride + column;
        Lane water = *(const Lane *)(p.water + cell);
        Flags flags[COLUMNS];
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) flags[q] = p.flags[cell + q];
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            const bool here = column + q >= area.column && column + q < area.end_column;
            if (!here || !(flags[q] & INSIDE)) continue;
            const size_t at = zones ? zones[cell + q] : cell + q;
            const Count gain = shares ? gains(shares[at], increment.before, increment.after)
                                      : increment.after - increment.before;
            const bool own = column + q >= p.own.column && column + q < p.own.end_column &&
                             row >= p.own.row && row < p.own.end_row;
            const int before = water.v[q];
            water.v[q] = gained(p, turn, before, gain, own);
            if (is_rain && p.rained) p.rained[cell + q] += water.v[q] - before;
            deepest = max(deepest, water.v[q]);
            if (own) brought += gain;
        }
        *(Lane *)(p.water + cell) = water;
    }
    deepest = warp_max(deepest);
    brought = warp_sum(brought);
    if (lane == 0) {
        p.deepest[chunk.index] = max(p.deepest[chunk.index], deepest);
        if (brought > 0) atomicAdd(total, brought);
    }
}

// Sources; `rates` has every rate layer's running totals.
extern "C" __global__ void pour(Params p, const Pour *pours, int count, const Increment *rates)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const Moment now = *p.moment;
    if (at >= count || !begin(p, now)) return;
    const Count turn = now.turn;
    const Pour pour = pours[at];
    const Count gain = gains(pour.amount, rates[pour.layer].before, rates[pour.layer].after);
    if (gain == 0) return;
    if (gain > MAX_WATER) {
        if (pour.own) halt(p, turn);
        return;
    }
    if (!pour.inflow && p.rained) atomicAdd(p.rained + place(p, pour), (int)gain);
    // Several layers may pour into one cell.
    const int before = atomicAdd(p.water + place(p, pour), (int)gain);
    if ((before < 0 || (int)gain > MAX_WATER - before) && pour.own) halt(p, turn);
    atomicMax(deepest_of(p, pour), before + (int)gain);
    if (pour.own) atomicAdd(pour.inflow ? &p.totals->inflow : &p.totals->rain, gain);
}

// Inflow cells (Topa & Mlocek's set A_i) are topped up.
extern "C" __global__ void top_up(Params p, const Pour *pours, int count)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count || !begin(p, *p.moment)) return;
    const Pour pour = pours[at];
    int *water = p.water + place(p, pour);
    const int gain = (int)pour.amount - *water;
    if (gain <= 0) return;
    *water = (int)pour.amount;
    atomicMax(deepest_of(p, pour), (int)pour.amount);
    if (pour.own) atomicAdd(&p.totals->inflow, (Count)gain);
}

// Cells whose level is held; `levels` are above the datum (grains).
extern "C" __global__ void hold(Params p, const Pour *pours, int count, const long long *levels)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count || !begin(p, *p.moment)) return;
    const Pour pour = pours[at];
    const long long bed = (long long)p.bed[place(p, pour)] * (long long)p.bed_step;
    const int held = (int)max(min(levels[pour.layer] - bed, (long long)MAX_WATER), 0ll);
    int *water = p.water + place(p, pour);
    const int gain = held - *water;
    if (gain == 0) return;
    *water = held;
    atomicMax(deepest_of(p, pour), held);
    if (!pour.own) return;
    const Count came = max(gain, 0);
    const Count left = max(-gain, 0);
    if (came > 0) atomicAdd(&p.totals->inflow, came);
    if (left > 0) atomicAdd(&p.totals->outflow, left);
    book(p.ports, pour.port, came, left);
}
