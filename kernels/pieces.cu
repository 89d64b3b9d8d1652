// One step of a rule with edges where few chunks are wet, and what counts is how soon a block is done: a block computes a listed
// chunk, a warp a row of it, all rows at the same time. The arithmetic is that of edges.cu; what cells of different rows
// must know of each other goes through shared memory. `Flow` is the rule.
#include "chunk.cuh"
#ifdef CARRIES_MOMENTUM
#include "passing.cuh"
#else
#include "crossings.cuh"
#endif
#include "givers.cuh"
#include "strip.cuh"

// Whether what crosses edges has to wait for what their givers have (edges.cu).
constexpr bool LATE = !Flow::CAPPED;

// Rows above a chunk whose edges to the south matter.
constexpr int ROWS_ABOVE = LATE ? 2 : 1;

// What warps tell each other: what crosses the edges to the south of each row, at first and when no one gives more than there is;
// and what all have found.
struct Shared {
    int wanted[LISTED_WARPS][32];
    int given[LISTED_WARPS][32];
    int deepest;
    int rims;
    int pace; // its bits, which are in order as numbers are that are not negative
    Count crossed;
    Count cut;
};

// Puts together what a warp's lanes have found in a row of a chunk.
__device__ __forceinline__ void put_together(const Params &p, const Findings &found, int row, int lane, Shared &shared)
{
    const unsigned wet = __ballot_sync(WHOLE_WARP, found.deepest > 0 || found.moving != 0);
    const Together all(found);
    report_flows(p, found.flows);
    if (lane > 0) return;
    if (wet != 0) atomicOr(&shared.rims, rims_near(wet, row));
    if (all.deepest > 0) atomicMax(&shared.deepest, all.deepest);
    if (all.fastest > 0) atomicMax(&shared.pace, all.fastest);
    if (all.crossed > 0) atomicAdd(&shared.crossed, all.crossed);
    if (all.cut > 0) atomicAdd(&shared.cut, all.cut);
}

// Reports what the warps of a block have found, and forgets it. One thread. Nothing is waited for.
__device__ __forceinline__ void report(const Params &p, const Chunk &chunk, Shared &shared)
{
    p.deepest_next[chunk.index] = with_rims(shared.deepest, shared.rims);
    if (shared.pace > 0) atomicMax(p.rate, (unsigned)shared.pace);
    if (shared.crossed > 0) atomicAdd(&p.totals->crossed, shared.crossed);
    if (shared.cut > 0) atomicAdd(&p.totals->cut, shared.cut);
    shared.deepest = shared.rims = shared.pace = 0;
    shared.crossed = shared.cut = 0;
}

// The cells of a row, straight from memory.
__device__ __forceinline__ void read_cells(const Params &p, ptrdiff_t at, int lane, Cells &cells)
{
    cells.bed[0] = p.bed[at];
    cells.water[0] = p.water[at];
    cells.roughness[0] = ROUGH ? p.roughness[at] : p.all_roughness;
    cells.east[0] = cells.south[0] = cells.west = 0.0f;
    if (CARRIES) {
        cells.east[0] = (GIVEN ? p.next_discharge_east : MOMENTUM ? p.velocity_east : p.discharge_east)[at];
        cells.south[0] = (GIVEN ? p.next_discharge_south : MOMENTUM ? p.velocity_south : p.discharge_south)[at];
    }
    if (REMEMBERS && lane == 0) cells.west = p.discharge_east[at - 1];
}

#ifndef CARRIES_MOMENTUM
// The flow southward between a row and the one above it, as the edges to the east of the row have it beside them.
__device__ __forceinline__ void beside_above_of(const Flow &rule, const Params &p, ptrdiff_t at, const Cells &here,
                                                const Reals &south_above, Reals &beside)
{
    if (REMEMBERS) {
        beside_of(south_above, beside);
        return;
    }
    const Ints bed = {p.bed[at - p.stride]};
    const Ints water = {p.water[at - p.stride]};
    Levels above;
    levels(p, bed, water, here.bed, here.water, above);
    Reals face;
    faces(rule, above, face);
    beside_of(face, beside);
}
#else
__device__ __forceinline__ void beside_above_of(const Flow &, const Params &, ptrdiff_t, const Cells &, const Reals &,
                                                Reals &)
{
}
#endif

// What crosses the edges of a row, which lies at `at`; of the first row only those to the south.
__device__ __forceinline__ void cross_row(const Params &p, const Moment &now, const Strip<false> &strip, int row,
                                          ptrdiff_t at, bool first, const Cells &here, const Cells &below,
                                          const Reals &south_above, Crossings &south, Crossings &east, Flows &flows)
{
    const bool wet_here = __any_sync(WHOLE_WARP, is_wet(here));
    const bool wet_below = __any_sync(WHOLE_WARP, is_wet(below));
    // Between dry cells nothing crosses, and nothing is asked of what was remembered.
    if (!wet_here && !wet_below) return;
    const Flow rule(p.rule);
    const Flow::Terms along = rule.terms({now.dt, p.inverse_dx, p.inverse_dy, p.per_metre});
    const Flow::Terms down = rule.terms({now.dt, p.inverse_dy, p.inverse_dx, p.per_metre});
    Sides sides_here;
    Sides sides_below;
    sides_of(rule, p, here, sides_here);
    sides_of(rule, p, below, sides_below);
    const Noting noting = strip.noting(p, now, row);
    Reals beside = {};
    cross_south(rule, down, p, now.phase, here, below, sides_here, sides_below, south_above, noting, flows, south, beside);
    if (first) return;
    Reals beside_above = {};
    if (wet_here) beside_above_of(rule, p, at, here, south_above, beside_above);
    cross_east(rule, along, p, now.phase, here, sides_here, beside_above, beside, noting, flows, east);
}

// Computes a chunk, all warps of a block together.
__device__ __forceinline__ void compute(const Params &p, const Moment &now, const Chunk &chunk, int warp, int lane,
                                        Shared &shared)
{
    if (chunk.empty(p.computed)) return;
    const Strip<false> strip(p, chunk, lane);
    const int row = strip.first - ROWS_ABOVE + warp;
    const bool taken = row < strip.end + (LATE ? 1 : 0);
    const bool finishes = row >= strip.first && row < strip.end;
    const ptrdiff_t at = (ptrdiff_t)row * p.stride + strip.column;
    Cells here = {};
    Cells below = {};
    Reals south_above = {};
    Lane most = {};
    if (taken) {
        read_cells(p, at, lane, here);
        read_cells(p, at + p.stride, lane, below);
        if (REMEMBERS) south_above[0] = p.discharge_south[at - p.stride];
    }
    if (finishes) most.v[0] = p.most[at];
    Findings found = {};
    found.flows = begin_flows(p);
    Crossings south;
    Crossings east;
    none(south);
    none(east);
    if (taken) cross_row(p, now, strip, row, at, warp == 0, here, below, south_above, south, east, found.flows);
    const int wanted = south.grains[0];
    shared.wanted[warp][lane] = wanted;
    __syncthreads();
    Ints above = {warp > 0 ? shared.wanted[warp - 1][lane] : 0};
    Ints west;
    ahead<-1>(east.grains, west);
    int crosses_south = wanted;
    if (LATE) {
        const bool gives_above = above[0] < 0;
        Ints out;
        outflows(above, south.grains, west, east.grains, out);
        if (__any_sync(WHOLE_WARP, out[0] > here.water[0])) {
            Ints less;
            hold_back(here.water, out, above, south.grains, west, east.grains, less);
            if (strip.owns[0] && strip.owns_row(p, row)) found.cut += (unsigned)less[0];
        }
        // The giver's word counts.
        if (wanted >= 0) shared.given[warp][lane] = south.grains[0];
        if (warp > 0 && gives_above) shared.given[warp - 1][lane] = above[0];
        __syncthreads();
        if (warp > 0) above[0] = shared.given[warp - 1][lane];
        crosses_south = shared.given[warp][lane];
    }
    // Those of a row that has no other below it are told by no one, and are no one's.
    if (strip.writes[0]) found.pace = higher(south.pace[0], east.pace[0]);
    if (GIVEN) found.moving |= __float_as_int(east.discharge[0]) | __float_as_int(south.discharge[0]);
    if (finishes) {
        if (strip.owns[0] && strip.owns_row(p, row)) {
            found.crossed += (unsigned)abs(crosses_south) + (unsigned)abs(east.grains[0]);
            if (!LATE) found.cut += (unsigned)south.cut[0] + (unsigned)east.cut[0];
        }
        if (KEEPS) remember(p, strip, at, east, south, found);
        const unsigned kept = (unsigned)here.water[0] + (unsigned)above[0] + (unsigned)west[0] - (unsigned)east.grains[0];
        const Ints sum = {(int)(kept - (unsigned)crosses_south)};
        finish(p, now, strip, row, at, sum, most, found);
    }
    put_together(p, found, row - chunk.row, lane, shared);
}

extern "C" __global__ void __launch_bounds__(32 * LISTED_WARPS, 3) flow(Params p)
{
    wait_for_turn();
    __shared__ Shared shared;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        shared.deepest = shared.rims = shared.pace = 0;
        shared.crossed = shared.cut = 0;
    }
    const Listed listed(p, blockIdx.x, gridDim.x);
    const Moment now = flowing(p);
    if (!begin(p, now)) return;
    __syncthreads();
    listed.each(p, [&](Chunk chunk, bool wiped) {
        if (wiped) {
            chunk.take_rows(warp, 1);
            if (warp < LISTED_ROWS) wipe(p, chunk, lane);
            return;
        }
        compute(p, now, chunk, warp, lane, shared);
        __syncthreads();
        if (threadIdx.x == 0) report(p, chunk, shared);
        __syncthreads();
    });
}
