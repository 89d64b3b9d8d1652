// A lane's columns of a chunk, for the solvers with edges: which of them count, and how the new state
// of their cells is stored.
#pragma once
#include "cells.cuh"
#include "chunk.cuh"
#include "levels.cuh"
#include "flow_diagnostics.cuh"
#include "after_flow.cuh"

// Returns whether a chunk, whose cells and those whose water is needed with them have some flags, is
// computed whole and the frame's own, and no cell of it is special, and no water nearby is so deep
// that sums need a check.
__device__ __forceinline__ bool is_plain(const Params &p, const Chunk &chunk, Flags flags, int deepest_near)
{
    return deepest_near < SHALLOW_WATER && !(flags & SPECIAL) && chunk.within(p.computed) && chunk.within(p.own);
}

// A lane's columns of a chunk. PLAIN: the chunk is, as above.
template <bool PLAIN>
struct Strip {
    int first; // row
    int end;
    int column;
    bool inner; // false in the first and last lanes, which only read
    bool special;
    bool writes[COLUMNS];
    bool owns[COLUMNS];

    // `flags` are those of the chunk's cells.
    __device__ __forceinline__ Strip(const Params &p, const Chunk &chunk, Flags flags, int lane)
        : first(max(chunk.row, p.computed.row)), end(min(chunk.end_row, p.computed.end_row)),
          column(chunk.column - COLUMNS_BESIDE + COLUMNS * lane),
          inner(lane >= LANES_BESIDE && lane < 32 - LANES_BESIDE),
          special(!PLAIN && (flags & SPECIAL))
    {
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            const int at = column + q;
            writes[q] = inner && (PLAIN || (at >= p.computed.column && at < p.computed.end_column));
            owns[q] = writes[q] && (PLAIN || (at >= p.own.column && at < p.own.end_column));
        }
    }

    // Returns whether a row belongs to the chunk and is the frame's own. An edge counts for the
    // cell behind it, even a ghost; ghosts give nothing. STEADY: it is not above the chunk.
    template <bool STEADY = false>
    __device__ __forceinline__ bool owns_row(const Params &p, int row) const
    {
        return (STEADY || row >= first) && row < end && (PLAIN || (row >= p.own.row && row < p.own.end_row));
    }

    // Returns the columns that count in a row whose flow is recorded.
    __device__ __forceinline__ Recording recording(const Params &p, const StepConstants &now, int row) const
    {
        const bool counts = looks(now) && inner && row >= max(first, p.counted.row) && row < min(end, p.counted.end_row);
        return {number_of(p, row, column), max(0, p.counted.column - column),
                counts ? min(COLUMNS, p.counted.end_column - column) : 0};
    }
};

// Findings of a lane in its columns.
struct Findings {
    int deepest;
    int moving; // not 0 if there is discharge
    float cfl_rate;
    Count crossed;
    Count cut;
    Flows flows;
    bool notes; // whether there is something to note in the row finished last
};

// Stores the values of a row's edges, if they are kept and the row `counts`.
template <bool PLAIN>
__device__ __forceinline__ void store(float *to_east, float *to_south, const Strip<PLAIN> &strip, bool counts, ptrdiff_t at,
                                      const Reals &east, const Reals &south, Findings &found)
{
    const bool kept = !WHOLE_STEP || to_east;
    if (PLAIN) {
        // Without a branch, as in `finish`.
        int moving = 0;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) moving |= __float_as_int(east[q]) | __float_as_int(south[q]);
        found.moving |= counts ? moving : 0;
        put_if(counts & strip.inner & kept, (int *)to_east + at, lane_of(east));
        put_if(counts & strip.inner & kept, (int *)to_south + at, lane_of(south));
        return;
    }
    if (!counts) return;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        if (!strip.writes[q]) continue;
        found.moving |= __float_as_int(east[q]) | __float_as_int(south[q]);
        if (!kept) continue;
        to_east[at + q] = east[q];
        to_south[at + q] = south[q];
    }
}

// Stores the discharges of the row at `at`, and the velocities if they are kept, if the row `counts`.
template <bool PLAIN>
__device__ __forceinline__ void remember(const Params &p, const Strip<PLAIN> &strip, bool counts, ptrdiff_t at,
                                         const FaceFluxes &east, const FaceFluxes &south, Findings &found)
{
    store(p.next_discharge_east, p.next_discharge_south, strip, counts, at, east.discharge, south.discharge, found);
    if (KEEPS_VELOCITY) {
        store(p.next_velocity_east, p.next_velocity_south, strip, counts, at, east.velocity, south.velocity, found);
    }
}

// Records the rise of a cell to a new maximum from its former water.
template <bool PLAIN>
__device__ __forceinline__ void record_rise(const Params &p, const Strip<PLAIN> &strip, int row, int q, int before, int water,
                                            const Findings &found)
{
    const int rise = water - before;
    if (rise <= 0 || rise < found.flows.rise) return;
    const int column = strip.column + q;
    if (column < p.counted.column || column >= p.counted.end_column) return;
    if (row < p.counted.row || row >= p.counted.end_row) return;
    raise_maximum(&p.totals->rise, (unsigned)rise, number_of(p, row, column));
}

// Stores and records the new water of a row of the chunk, which may exceed the range of int, but is
// right as unsigned; afterwards it is what the cells hold, also beside the chunk. `before` is the former
// water of its cells, `most` their maximum so far.
template <bool PLAIN>
__device__ __forceinline__ void finish(const Params &p, const StepConstants &now, const Strip<PLAIN> &strip, int row, ptrdiff_t at,
                                       const Lane &most, const Lane &before, Ints &water, Findings &found)
{
    const bool in_chunk = row < strip.end;
    if (PLAIN) {
        // Without branches, so that this and what follows can be computed together.
        const bool stores = strip.inner & in_chunk;
        const Lane former = before;
        Lane out;
        Lane highest;
        int deepest = found.deepest;
        const int less_than_greatest = max(found.flows.rise, 1) - 1;
        bool rises = false;
        bool notes = false;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            out.v[q] = water[q];
            highest.v[q] = max(water[q], most.v[q]);
            deepest = max(deepest, water[q]);
            rises |= water[q] > most.v[q];
            notes |= (water[q] > p.threshold) & (most.v[q] <= p.threshold);
            notes |= water[q] > max((int)((unsigned)former.v[q] + (unsigned)less_than_greatest), most.v[q]);
        }
        put_if(stores, p.next_water + at, out);
        put_if(stores & rises, p.most + at, highest);
        found.deepest = in_chunk ? deepest : found.deepest;
        found.notes = stores & notes;
        return;
    }
    const bool own_row = strip.owns_row(p, row);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const unsigned sum = (unsigned)water[q];
        const bool own = own_row && strip.owns[q];
        if (sum > (unsigned)MAX_WATER && own) halt(p, now.half_step);
        water[q] = (int)min(sum, 0x7fffffffu);
        const Flags flags = strip.special ? p.flags[at + q] : 0;
        if (strip.special) water[q] = emptied(p, flags, water[q], own, at + q);
        if (!in_chunk || !strip.writes[q]) continue;
        p.next_water[at + q] = water[q];
        found.deepest = max(found.deepest, water[q]);
        if (own && !(flags & AFTER_FLOW)) record(p, now, at + q, water[q], most.v[q]);
        if (own && water[q] > most.v[q]) record_rise(p, strip, row, q, before.v[q], water[q], found);
    }
}

// Notes arrivals and the greatest rise in a row of a plain chunk, as found by `finish`, which is rare.
template <bool PLAIN>
__device__ __forceinline__ void note(const Params &p, const StepConstants &now, const Strip<PLAIN> &strip, int row, ptrdiff_t at,
                                     const Lane &most, const Lane &before, const Findings &found)
{
    if (!PLAIN || !found.notes) return;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const int water = p.next_water[at + q];
        if (arrives(p, water, most.v[q])) p.arrival[at + q] = now.end;
        if (water > most.v[q]) record_rise(p, strip, row, q, before.v[q], water, found);
    }
}

// Combined findings of a warp's lanes.
struct Together {
    int deepest;
    int fastest; // bits of the greatest CFL rate; non-negative floats are ordered like their bits
    Count crossed;
    Count cut;

    __device__ __forceinline__ explicit Together(const Findings &found)
        // A chunk with discharge is not inactive, though it may be dry.
        : deepest(warp_max(found.moving != 0 ? max(found.deepest, 1) : found.deepest)),
          fastest(warp_max(__float_as_int(found.cfl_rate))), crossed(warp_sum(found.crossed)), cut(warp_sum(found.cut))
    {
    }
};

// Reports the findings of a warp's lanes.
__device__ __forceinline__ void report(const Params &p, const Chunk &chunk, const Findings &found, int lane)
{
    const Together all(found);
    report_flows(p, found.flows);
    if (int *const deepest = of_lane(p, chunk, p.deepest_next, lane)) *deepest = all.deepest;
    if (lane > 0) return;
    if ((unsigned)all.fastest > *(volatile unsigned *)p.rate) atomicMax(p.rate, (unsigned)all.fastest);
    if (all.crossed > 0) atomicAdd(&p.totals->crossed.crossed, all.crossed);
    if (all.cut > 0) atomicAdd(&p.totals->crossed.cut, all.cut);
}

// Reports the greatest CFL rate of a lane's edges.
__device__ __forceinline__ void report_rate(const Params &p, const Chunk &chunk, float cfl_rate, int lane)
{
    // Non-negative floats are ordered like their bits.
    const int fastest = warp_max(__float_as_int(cfl_rate));
    if (fastest == 0) return;
    if (lane == 0 && (unsigned)fastest > *(volatile unsigned *)p.rate) atomicMax(p.rate, (unsigned)fastest);
    // A chunk whose edges have a velocity is not inactive, though it may be dry, and the water that
    // caused the velocity may drain before it flows: the velocity must become 0 in both buffers.
    // All warps that write this write the same value.
    int *const deepest = of_lane(p, chunk, p.deepest_next, lane);
    if (deepest && *deepest == 0) *deepest = AWAKE;
}

// Wipes values that an earlier step left in the other buffers of an inactive chunk.
__device__ __forceinline__ void wipe(const Params &p, const Chunk &chunk, int lane)
{
    const int end = min(chunk.end_row, p.computed.end_row);
    const int last = min(chunk.column + chunk.columns, p.computed.end_column);
    for (int row = max(chunk.row, p.computed.row); row < end; row++) {
        const ptrdiff_t start = (ptrdiff_t)row * p.stride;
        for (int column = max(chunk.column, p.computed.column) + lane; column < last; column += 32) {
            p.next_water[start + column] = 0;
            if ((KEEPS || MOMENTUM) && p.next_discharge_east) {
                p.next_discharge_east[start + column] = p.next_discharge_south[start + column] = 0.0f;
            }
            if (KEEPS_VELOCITY || MOMENTUM) {
                p.next_velocity_east[start + column] = p.next_velocity_south[start + column] = 0.0f;
            }
        }
    }
}

// Wipes inactive chunks unless that is done.
__device__ __forceinline__ void wipe_once(const Params &p, const Chunk &chunk, int lane)
{
    int *const deepest = of_lane(p, chunk, p.deepest_next, lane);
    if (!__any_sync(WHOLE_WARP, deepest && *deepest != 0)) return;
    wipe(p, chunk, lane);
    if (deepest) *deepest = 0;
}
