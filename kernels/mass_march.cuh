// Flow of a chunk: a warp marches down its rows, as in fused.cu. The flux across an edge is computed
// once, and passed to the cell on its other side by a shuffle.
//
// A row is finished when its donors are known not to give more than they hold. For solvers with
// capped fluxes this is immediately true; for others only once the row below has its fluxes, one
// row later (LIMITED). `Flow` is the solver.
#pragma once
#include "chunk.cuh"
#ifdef CARRIES_MOMENTUM
#include "passing.cuh"
#else
#include "face_fluxes.cuh"
#endif
#include "donors.cuh"
#include "strip.cuh"

constexpr bool LIMITED = !Flow::CAPPED;

// Rows that must have arrived beyond the one whose edges are computed.
constexpr unsigned AHEAD = SLOPES ? 2 : 1;

// A warp on its way down a chunk, with or without an evaluation of the flow. BESIDE: the new water of
// the row below the chunk and of the column east of it is needed, too, but not stored.
template <bool PLAIN, bool LOOKS, bool BESIDE>
struct MassMarch {
    const Params &p;
    const StepConstants &now;
    const Strip<PLAIN> &strip;
    Ring *ring;
    int lane;
    Flow solver;
    const FlowTerms &terms;
    // Only the south edges of the first row matter.
    int start;
    int last;
    ptrdiff_t at;
    Fetcher fetcher;
    Cells here;
    bool wet_here;
    Sides sides_here;
    Reals south_behind;
    // Southward flow beside the eastward edges, in the row above, and the fluxes across the edges
    // between that row and this one.
    Ranges beside_above;
    Ints above;
    // Water of the row above without the fluxes across those edges.
    Ints partial;
    bool tables_came;
    Lane held_above;
    Findings found;
    // New water of the row finished last.
    Ints finished_water;

    __device__ __forceinline__ MassMarch(const Params &p, const StepConstants &now, const FlowTerms &terms, const Strip<PLAIN> &strip, Ring *ring,
                                         int lane)
        : p(p), now(now), strip(strip), ring(ring), lane(lane), solver(p.solver), terms(terms), start(strip.first - (LIMITED ? 2 : 1)),
          last((LIMITED ? strip.end : strip.end - 1) + (BESIDE ? 1 : 0)), at((ptrdiff_t)start * p.stride + strip.column),
          fetcher(ring, lane), south_behind{}, beside_above{}, above{}, partial{}, tables_came(false), held_above{}, found{}
    {
        for (unsigned k = 0; k < AHEAD + 1; k++) fetcher.next(p, at + k * p.stride, at);
        if (REMEMBERS || SLOPES) {
            const Lane behind = *(const Lane *)((const int *)carried_south(p) + at - p.stride);
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) south_behind[q] = __int_as_float(behind.v[q]);
        }
        await_fetches();
        here = fetcher.cells(p, AHEAD + 1);
        wet_here = __any_sync(WHOLE_WARP, is_wet(here));
        sides_of(solver, p, here, sides_here);
        if (SLOPES) first_slopes(p, at, here, fetcher.ground(p, AHEAD), sides_here);
        found.flows = begin_flows(p);
    }

    // Computes the edges of a row, and finishes it or, if LIMITED, the row above. STEADY: at least that row is in the chunk, or
    // below it.
    template <bool STEADY = false>
    __device__ __forceinline__ void advance(int row)
    {
        await_fetches();
        if (WHOLE_STEP) here = fetcher.cells(p, AHEAD + 1); // which saves registers
        const Cells below = fetcher.cells(p, AHEAD);
        Ground beyond = {};
        if (SLOPES) beyond = fetcher.ground(p, 1);
        const Lane most = fetcher.came(1).cells.most[lane];
        Lane held;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) held.v[q] = here.water[q];
        // Former water of the cells being finished.
        const Lane &before = !LIMITED ? held : LOOKS_UP || SLOPES ? held_above : fetcher.came(CELLS_HELD > 2 ? 3 : 1).cells.water[lane];
        const int finished = LIMITED ? row - 1 : row;
        const ptrdiff_t done = LIMITED ? at - p.stride : at;
        if (LOOKS && !MOMENTUM && row > start) record_seen(p, found.flows, ring->seen[lane], strip.recording(p, now, row - 1));
        fetcher.next(p, at + (ptrdiff_t)(AHEAD + 1) * p.stride, done + p.stride);
        const bool wet_below = __any_sync(WHOLE_WARP, is_wet(below));
        const RowTables tables = {tables_came ? &ring->edges[row & 1] : nullptr, at, lane};
        // Tables are prefetched for wet rows. Dry rows beside a wet one read them from global
        // memory.
        tables_came = LOOKS_UP && wet_below;
        if (tables_came) fetch_edges(p, at + p.stride, ring->edges[(row + 1) & 1], lane);
        Sides sides_below = {};
        if (REMEMBERS || wet_here || wet_below) sides_of(solver, p, below, sides_below);
        if (SLOPES && (wet_here || wet_below)) slopes_of(p, sides_here, here, below, beyond, sides_below);
        Ranges beside = {};
        FaceFluxes south;
        FaceFluxes east;
        // Nothing crosses between dry cells, and kept values are not needed.
        if (!wet_here && !wet_below) {
            none(south);
            none(east);
            if (WHOLE_STEP) falls_around(here, below, south, east);
        } else {
            Recording recording = {};
            if (LOOKS) recording = strip.recording(p, now, row);
            const CellRow row_here = {here, sides_here};
            const RowEdges south_edges = {OverStructures(PLAIN ? nullptr : p.structure_south, at, terms.southward), tables, recording,
                                          nullptr};
            fluxes_south({solver, p, terms.down, now.phase}, row_here, {below, sides_below}, south_behind, south_edges, found.flows,
                         south, beside);
            // With momentum they do no harm, and a branch costs more.
            if (!MOMENTUM && row == start) {
                none(east);
            } else {
                const RowEdges east_edges = {OverStructures(PLAIN ? nullptr : p.structure_east, at, terms.eastward), tables, recording,
                                             OUTSIDE ? &fetcher.came(AHEAD + 2).outside : nullptr};
                fluxes_east({solver, p, terms.along, now.phase}, row_here, beside_above, beside, east_edges, found.flows, east);
            }
        }
        if (LOOKS && !MOMENTUM) see(p, here.water, east, south, ring->seen[lane]);
        Ints west;
        ahead<-1>(east.grains, west);
        if (LIMITED) hold(row, south, east, west);
        add_up<STEADY>(row, finished, south, east, west);
        if (KEEPS) remember(p, strip, (STEADY || row >= strip.first) && row < strip.end, at, east, south, found);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            if (GIVEN) found.moving |= __float_as_int(east.discharge[q]) | __float_as_int(south.discharge[q]);
        }
        if (WHOLE_STEP) hand_over(south, east);
        if (STEADY || finished >= strip.first) {
            finish(p, now, strip, finished, done, most, before, finished_water, found);
            if (!WHOLE_STEP) note(p, now, strip, finished, done, most, before, found);
        }
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

    // Notes what was found in the row finished last, which `advance` does not do if velocities are updated as well.
    __device__ __forceinline__ void note_finished(int row) const
    {
        ::note(p, now, strip, row - 1, at - 2 * p.stride, fetcher.came(2).cells.most[lane], fetcher.came(4).cells.water[lane], found);
    }

    // Returns what was found in the chunk, after the last row.
    __device__ __forceinline__ Findings findings() const
    {
        if (LOOKS && !MOMENTUM && !LIMITED) record_seen(p, found.flows, ring->seen[lane], strip.recording(p, now, last));
        Findings none = {};
        return PLAIN && !strip.inner ? none : found;
    }

private:
    // Computes the falls of the bed across the edges of a row without water.
    __device__ __forceinline__ void falls_around(const Cells &here, const Cells &below, FaceFluxes &south, FaceFluxes &east) const
    {
        Ints right;
        ahead<1>(here.bed, right);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            south.rise[q] = fall(here.bed[q], below.bed[q]);
            east.rise[q] = fall(here.bed[q], right[q]);
        }
    }

    // Leaves what the velocity update needs of a row whose edges have been computed.
    __device__ __forceinline__ void hand_over(const FaceFluxes &south, const FaceFluxes &east)
    {
        HeldFlow &flow = fetcher.came(3).flow;
        flow.velocity_east[lane] = lane_of(here.east);
        flow.velocity_south[lane] = lane_of(here.south);
        flow.rise_east[lane] = lane_of(east.rise);
        flow.rise_south[lane] = lane_of(south.rise);
        flow.discharge_east[lane] = lane_of(east.discharge);
        flow.discharge_south[lane] = lane_of(south.discharge);
    }

    // Limits the fluxes across the edges of a row to the water that their donors hold.
    __device__ __forceinline__ void hold(int row, FaceFluxes &south, FaceFluxes &east, Ints &west)
    {
        Ints out;
        outflows(above, south.grains, west, east.grains, out);
        bool too_much = false;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) too_much |= out[q] > here.water[q];
        if (!__any_sync(WHOLE_WARP, too_much)) return;
        Ints less;
        hold_back(here.water, out, above, south.grains, west, east.grains, less);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            if (strip.owns[q] && strip.owns_row(p, row)) found.cut += (unsigned)less[q];
        }
    }

    // Adds the fluxes to the water of a row, and of the row being finished.
    template <bool STEADY>
    __device__ __forceinline__ void add_up(int row, int finished, const FaceFluxes &south, const FaceFluxes &east, const Ints &west)
    {
        // Sums may wrap in between, but the results are within 0 and 2^32.
        unsigned leaving = 0; // at most 2^31 together
        unsigned along = 0;
        unsigned cut = 0;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            const unsigned kept = (unsigned)here.water[q] + (unsigned)above[q] + (unsigned)west[q] - (unsigned)east.grains[q];
            // Flux across the south edge of the row being finished.
            const int leaves = LIMITED ? above[q] : south.grains[q];
            finished_water[q] = (int)((LIMITED ? (unsigned)partial[q] : kept) - (unsigned)leaves);
            partial[q] = (int)kept;
            if (PLAIN || strip.owns[q]) {
                leaving += abs(leaves);
                along += abs(east.grains[q]);
                if (!LIMITED) cut += (unsigned)south.cut[q] + (unsigned)east.cut[q];
            }
            if (!MOMENTUM && (PLAIN || strip.writes[q])) {
                found.cfl_rate = higher(found.cfl_rate, higher(south.cfl_rate[q], east.cfl_rate[q]));
            }
        }
        const bool owns = strip.template owns_row<STEADY>(p, row);
        found.crossed += (strip.template owns_row<STEADY>(p, finished) ? leaving : 0) + (owns ? along : 0);
        if (!LIMITED && owns) found.cut += cut;
    }
};
