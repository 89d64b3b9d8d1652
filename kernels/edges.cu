// One step of a solver with edges in one kernel: a warp marches down the rows of a chunk, as in
// fused.cu. The flux across an edge is computed once, and passed to the cell on its other side by a
// shuffle.
//
// A row is finished when its donors are known not to give more than they hold. For solvers with
// capped fluxes this is immediately true; for others only once the row below has its fluxes, one
// row later (LIMITED). `Flow` is the solver.
#include "chunk.cuh"
#ifdef CARRIES_MOMENTUM
#include "passing.cuh"
#else
#include "face_fluxes.cuh"
#endif
#include "donors.cuh"
#include "strip.cuh"

constexpr bool LIMITED = !Flow::CAPPED;

// Rows fetched beyond the one whose edges are computed.
constexpr unsigned AHEAD = SLOPES ? 2 : 1;

// Marches down the chunk, with or without an evaluation of the flow.
template <bool PLAIN, bool LOOKS>
__device__ __forceinline__ Findings march(const Params &p, const StepConstants &now, const Strip<PLAIN> &strip,
                                          Ring *ring, int lane)
{
    const Flow solver(p.solver);
    const float dt = not_before(now.dt);
    const Axis eastward = {dt, p.inverse_dx, p.inverse_dy, p.per_metre};
    const Axis southward = {dt, p.inverse_dy, p.inverse_dx, p.per_metre};
    const Flow::Terms along = solver.terms(eastward);
    const Flow::Terms down = solver.terms(southward);
    // Only the south edges of the first row matter.
    const int start = strip.first - (LIMITED ? 2 : 1);
    const int last = LIMITED ? strip.end : strip.end - 1;
    ptrdiff_t at = (ptrdiff_t)start * p.stride + strip.column;
    Fetcher fetcher = {ring, lane, 0, at};
    fetcher.next(p, at);
    fetcher.next(p, at);
    if (SLOPES) fetcher.next(p, at);
    Reals south_behind = {};
    if (REMEMBERS || SLOPES) {
        const Lane behind = *(const Lane *)((const int *)carried_south(p) + at - p.stride);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) south_behind[q] = __int_as_float(behind.v[q]);
    }
    await_fetches();
    Cells here = fetcher.cells(p, fetcher.came(AHEAD + 1));
    bool wet_here = __any_sync(WHOLE_WARP, is_wet(here));
    Sides sides_here;
    sides_of(solver, p, here, sides_here);
    if (SLOPES) first_slopes(p, at, here, fetcher.ground(fetcher.came(AHEAD)), sides_here);
    // Southward flow beside the eastward edges, in the row above, and the fluxes across the edges
    // between that row and this one.
    Ranges beside_above = {};
    Ints above = {};
    // Water of the row above without the fluxes across those edges.
    Ints partial = {};
    Findings found = {};
    found.flows = begin_flows(p);
    bool tables_came = false;
    Lane held_above = {};
    for (int row = start; row <= last; row++) {
        await_fetches();
        const Cells below = fetcher.cells(p, fetcher.came(AHEAD));
        Ground beyond = {};
        if (SLOPES) beyond = fetcher.ground(fetcher.came(1));
        const Lane most = ring->rows[fetcher.came(1)].most[lane];
        Lane held;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) held.v[q] = here.water[q];
        // Former water of the cells being finished.
        const Lane &before = !LIMITED ? held : LOOKS_UP || SLOPES ? held_above : ring->rows[fetcher.came(3)].water[lane];
        const int finished = LIMITED ? row - 1 : row;
        const ptrdiff_t done = LIMITED ? at - p.stride : at;
        if (LOOKS && !MOMENTUM && row > start) record_seen(p, found.flows, ring->seen[lane], strip.recording(p, now, row - 1));
        fetcher.next(p, done + p.stride);
        const bool wet_below = __any_sync(WHOLE_WARP, is_wet(below));
        const RowTables tables = {tables_came ? &ring->edges[row & 1] : nullptr, at, lane};
        // Tables are prefetched for wet rows. Dry rows beside a wet one read them from global
        // memory.
        tables_came = LOOKS_UP && wet_below;
        if (tables_came) fetch_edges(p, at + p.stride, ring->edges[(row + 1) & 1], lane);
        Sides sides_below = {};
        if (REMEMBERS || wet_here || wet_below) sides_of(solver, p, below, sides_below);
        if (SLOPES && (wet_here || wet_below)) slopes_of(p, sides_here, here.water, below, beyond, sides_below);
        Ranges beside = {};
        FaceFluxes south;
        FaceFluxes east;
        // Nothing crosses between dry cells, and kept values are not needed.
        if (!wet_here && !wet_below) {
            none(south);
            none(east);
        } else {
            Recording recording = {};
            if (LOOKS) recording = strip.recording(p, now, row);
            const CellRow row_here = {here, sides_here};
            const RowEdges south_edges = {OverStructures(PLAIN ? nullptr : p.structure_south, at, southward), tables, recording, nullptr};
            fluxes_south({solver, p, down, now.phase}, row_here, {below, sides_below}, south_behind, south_edges, found.flows, south,
                         beside);
            if (row == start) {
                none(east);
            } else {
                const RowEdges east_edges = {OverStructures(PLAIN ? nullptr : p.structure_east, at, eastward), tables, recording,
                                             SLOPES ? &ring->outside[fetcher.came(AHEAD + 2)] : nullptr};
                fluxes_east({solver, p, along, now.phase}, row_here, beside_above, beside, east_edges, found.flows, east);
            }
        }
        if (LOOKS && !MOMENTUM) see(p, here.water, east, south, ring->seen[lane]);
        Ints west;
        ahead<-1>(east.grains, west);
        if (LIMITED) {
            Ints out;
            outflows(above, south.grains, west, east.grains, out);
            bool too_much = false;
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) too_much |= out[q] > here.water[q];
            if (__any_sync(WHOLE_WARP, too_much)) {
                Ints less;
                hold_back(here.water, out, above, south.grains, west, east.grains, less);
#pragma unroll
                for (int q = 0; q < COLUMNS; q++) {
                    if (strip.owns[q] && strip.owns_row(p, row)) found.cut += (unsigned)less[q];
                }
            }
        }
        // Sums may wrap in between, but the results are within 0 and 2^32.
        Ints sum;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            const unsigned kept = (unsigned)here.water[q] + (unsigned)above[q] + (unsigned)west[q] -
                                  (unsigned)east.grains[q];
            // Flux across the south edge of the row being finished.
            const int leaves = LIMITED ? above[q] : south.grains[q];
            sum[q] = (int)((LIMITED ? (unsigned)partial[q] : kept) - (unsigned)leaves);
            partial[q] = (int)kept;
            unsigned crosses = 0;
            if ((PLAIN || strip.owns[q]) && strip.owns_row(p, finished)) crosses = abs(leaves);
            if ((PLAIN || strip.owns[q]) && strip.owns_row(p, row)) {
                crosses += abs(east.grains[q]);
                if (!LIMITED) found.cut += (unsigned)south.cut[q] + (unsigned)east.cut[q];
            }
            found.crossed += crosses;
            if (PLAIN || strip.writes[q]) {
                found.cfl_rate = higher(found.cfl_rate, higher(south.cfl_rate[q], east.cfl_rate[q]));
            }
        }
        if (KEEPS && row >= strip.first && row < strip.end) {
            remember(p, strip, at, east, south, found);
        }
        if (GIVEN) {
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) {
                found.moving |= __float_as_int(east.discharge[q]) | __float_as_int(south.discharge[q]);
            }
        }
        if (finished >= strip.first) finish(p, now, strip, finished, done, sum, most, before, found);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            above[q] = south.grains[q];
            south_behind[q] = here.south[q];
        }
        held_above = held;
        beside_above = beside;
        here = below;
        sides_here = sides_below;
        wet_here = wet_below;
        at += p.stride;
    }
    if (LOOKS && !MOMENTUM && !LIMITED) record_seen(p, found.flows, ring->seen[lane], strip.recording(p, now, last));
    if (PLAIN && !strip.inner) found = {};
    return found;
}

// Number of resident warps per multiprocessor for which registers are limited.
#ifndef RESIDENT_WARPS
#if defined(VARYING_ROUGHNESS) || defined(KEEPS_FLOW) || defined(WITH_STRUCTURES) || defined(WITH_TABLES)
#define RESIDENT_WARPS 16
#else
#define RESIDENT_WARPS 20
#endif
#endif

extern "C" __global__ void __launch_bounds__(32 * WARPS, RESIDENT_WARPS / WARPS) flow(Params p)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const Chunk chunk(p, blockIdx.x * WARPS + threadIdx.x / 32, blockIdx.y);
    if (chunk.empty(p.computed)) return;
    const StepConstants now = flowing(p);
    if (!begin(p, now)) return;
    const int deepest_near = chunk.deepest_near(p, lane);
    if (deepest_near == 0) {
        if (p.deepest_next[chunk.index] == 0) return;
        wipe(p, chunk, lane);
        // All lanes have read it by now.
        __syncwarp();
        if (lane == 0) p.deepest_next[chunk.index] = 0;
        return;
    }
    __shared__ Ring rings[WARPS];
    Ring *ring = &rings[threadIdx.x / 32];
    const bool special = p.special[chunk.index] & SPECIAL;
    const bool plain = deepest_near < SHALLOW_WATER && !special && chunk.within(p.computed) &&
                       chunk.within(p.own);
    // With momentum, the flow is evaluated in the velocity update.
    if (plain && (MOMENTUM || !looks(now))) {
        report(p, chunk, march<true, false>(p, now, Strip<true>(p, chunk, lane), ring, lane), lane);
    } else if (plain) {
        report(p, chunk, march<true, true>(p, now, Strip<true>(p, chunk, lane), ring, lane), lane);
    } else {
        report(p, chunk, march<false, true>(p, now, Strip<false>(p, chunk, lane), ring, lane), lane);
    }
}
