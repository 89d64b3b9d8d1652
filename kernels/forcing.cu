// Water that comes at the start of a step: the twin of src/backend/cpu/feed.rs and src/forcing.
#include "chunk.cuh"
#include "settle.cuh"

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
__device__ __forceinline__ int gained(const Params &p, int water, Count gain, bool own)
{
    if (gain <= (Count)(MAX_WATER - water)) return water + (int)gain;
    if (own) halt(p);
    return water;
}

// A rate over all cells of the domain: `shares` of it (frame layout), or all of it without.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    rain(const Params p, const Share *shares, Count before, Count after, Count *total)
{
    const int lane = threadIdx.x % 32;
    const Chunk chunk(p, blockIdx.x * WARPS + threadIdx.x / 32, blockIdx.y);
    const Area area = {p.computed.column - REACH, p.computed.row - REACH, p.computed.end_column + REACH,
                       p.computed.end_row + REACH};
    if (chunk.across >= p.chunks_across || chunk.empty(area) || halted(p)) return;
    int deepest = 0;
    Count brought = 0;
    const int last = min(chunk.end_row, area.end_row);
    const int last_column = min(chunk.column + CHUNK_COLUMNS, area.end_column);
    for (int row = max(chunk.row, area.row); row < last; row++) {
        for (int column = max(chunk.column, area.column) + lane; column < last_column; column += 32) {
            const size_t cell = (size_t)row * p.stride + column;
            if (!(p.flags[cell] & INSIDE)) continue;
            const Count gain = shares ? gains(shares[cell], before, after) : after - before;
            const bool own = column >= p.own.column && column < p.own.end_column && row >= p.own.row &&
                             row < p.own.end_row;
            const int water = gained(p, p.water[cell], gain, own);
            p.water[cell] = water;
            deepest = max(deepest, water);
            if (own) brought += gain;
        }
    }
    deepest = warp_max(deepest);
    brought = warp_sum(brought);
    if (lane == 0) {
        p.deepest[chunk.index] = max(p.deepest[chunk.index], deepest);
        if (brought > 0) atomicAdd(total, brought);
    }
}

// A cell that gets a share of a layer's water, or is topped up.
struct Pour {
    unsigned int column;
    unsigned int row;
    unsigned int own;     // whether it counts
    unsigned int layer;   // which rate layer
    unsigned int amount;  // share of it (2^-31), or the water to top up to (grains)
};

// Running totals of a rate layer at the start and end of a step (grains).
struct Increment {
    Count before;
    Count after;
};

// Rate layers that pour into single cells, as many as are passed at a time.
constexpr int MOST_LAYERS = 32;
struct Layers {
    Increment increments[MOST_LAYERS];
    unsigned char inflow[MOST_LAYERS]; // inflow (1) or rain (0)
    unsigned int first;                // the first of them
};

__device__ __forceinline__ ptrdiff_t place(const Params &p, const Pour &pour)
{
    return (ptrdiff_t)pour.row * p.stride + pour.column;
}
__device__ __forceinline__ int *deepest_of(const Params &p, const Pour &pour)
{
    const size_t down = pour.row / p.chunk_rows;
    return p.deepest + down * p.chunks_across + pour.column / CHUNK_COLUMNS;
}

// Sources.
extern "C" __global__ void pour(const Params p, const Pour *pours, int count, const Layers layers)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count || halted(p)) return;
    const Pour pour = pours[at];
    const Increment increment = layers.increments[pour.layer - layers.first];
    const Count gain = gains(pour.amount, increment.before, increment.after);
    if (gain == 0) return;
    if (gain > MAX_WATER) {
        if (pour.own) halt(p);
        return;
    }
    // Several layers may pour into one cell.
    const int before = atomicAdd(p.water + place(p, pour), (int)gain);
    if ((before < 0 || (int)gain > MAX_WATER - before) && pour.own) halt(p);
    atomicMax(deepest_of(p, pour), before + (int)gain);
    const bool inflow = layers.inflow[pour.layer - layers.first];
    if (pour.own) atomicAdd(inflow ? &p.totals->inflow : &p.totals->rain, gain);
}

// Inflow cells (Topa & Mlocek's set A_i) are topped up.
extern "C" __global__ void top_up(const Params p, const Pour *pours, int count)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count || halted(p)) return;
    const Pour pour = pours[at];
    int *water = p.water + place(p, pour);
    const int gain = (int)pour.amount - *water;
    if (gain <= 0) return;
    *water = (int)pour.amount;
    atomicMax(deepest_of(p, pour), (int)pour.amount);
    if (pour.own) atomicAdd(&p.totals->inflow, (Count)gain);
}
