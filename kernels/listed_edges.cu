// One step of a solver with edges while few chunks are wet, where the latency of a block matters: a
// block computes a listed chunk, with one warp per row, all rows simultaneously. The arithmetic is
// the same as in edges.cu; rows exchange data through shared memory. `Flow` is the solver.
#ifdef CARRIES_MOMENTUM
#include "passing.cuh"
#else
#include "face_fluxes.cuh"
#endif
#include "listed_rows.cuh"

// Set if fluxes have to wait for the limits of their donors (edges.cu).
constexpr bool LIMITED = !Flow::CAPPED;

// Rows above and below a chunk whose south edges matter.
constexpr int ROWS_ABOVE = LIMITED ? 2 : 1;
constexpr int ROWS_BELOW = LIMITED ? 1 : 0;

template <bool PLAIN>
using Task = ListedRow<PLAIN, ROWS_ABOVE, ROWS_BELOW, LISTED_WARPS>;

// Data of each row that other warps need.
struct Shared {
    BetweenRows<LISTED_WARPS> between;
    float velocity[LISTED_WARPS][32]; // on the same edges, in steps that evaluate the flow
    Slot slots[LISTED_WARPS];
};

// Reads the cells of a row directly from global memory.
__device__ __forceinline__ void read_cells(const Params &p, ptrdiff_t at, int lane, Cells &cells)
{
    cells.bed[0] = LOOKS_UP ? p.level[at] : p.bed[at];
    cells.rises[0] = LOOKS_UP ? p.rises[at] : 0.0f;
    cells.water[0] = p.water[at];
    depths(p, cells);
    cells.open_depth[0] = LOOKS_UP ? over_open_pixels(p, at, cells.depth[0]) : 0.0f;
    cells.roughness[0] = ROUGH ? p.roughness[at] : not_before(p.all_roughness);
    cells.east[0] = cells.south[0] = cells.west = 0.0f;
    if (CARRIES) {
        cells.east[0] = carried_east(p)[at];
        cells.south[0] = carried_south(p)[at];
    }
    if (REMEMBERS && lane == 0) cells.west = p.discharge_east[at - 1];
}

#ifndef CARRIES_MOMENTUM
// Computes the southward flow between a row and the one above it, beside the row's eastward edges.
__device__ __forceinline__ void beside_above_of(const Flow &solver, const Params &p, ptrdiff_t at, const Cells &here,
                                                const Reals &south_above, Ranges &beside)
{
    if (REMEMBERS) {
        beside_of(south_above, beside);
        return;
    }
    Ground north = {{p.bed[at - p.stride]}, {p.water[at - p.stride]}, {}};
    depths(p, north);
    Levels above;
    levels(p, north, here, above);
    Reals face;
    faces(solver, above, face);
    beside_of(face, beside);
}
#else
__device__ __forceinline__ void beside_above_of(const Flow &, const Params &, ptrdiff_t, const Cells &, const Reals &,
                                                Ranges &)
{
}
#endif

// Computes the fluxes across the edges of the row at `at`; of the first row only the south edges
// matter. Both axes are computed together, so that neither waits for the other.
template <bool PLAIN>
__device__ __forceinline__ void fluxes_of_row(const Params &p, const StepConstants &now, const Strip<PLAIN> &strip, int row,
                                          ptrdiff_t at, const Cells &here, const Cells &below, const Reals &south_above,
                                          FaceFluxes &south, FaceFluxes &east, Flows &flows)
{
    // Nothing crosses between dry cells, and kept values are not needed.
    if (!__any_sync(WHOLE_WARP, is_wet(here) || is_wet(below))) return;
    const Flow solver(p.solver);
    const float dt = not_before(now.dt);
    const float dx = not_before(p.inverse_dx);
    const float dy = not_before(p.inverse_dy);
    const Axis eastward = {dt, dx, dy, p.per_metre};
    const Axis southward = {dt, dy, dx, p.per_metre};
    const Flow::Terms along = solver.terms(eastward);
    const Flow::Terms down = solver.terms(southward);
    Sides sides_here;
    Sides sides_below;
    sides_of(solver, p, here, sides_here);
    sides_of(solver, p, below, sides_below);
    Recording recording = {};
    if (!PLAIN) recording = strip.recording(p, now, row);
    Ranges beside = {};
    Ranges beside_above = {};
    beside_above_of(solver, p, at, here, south_above, beside_above);
    const RowTables tables = {nullptr, at, 0};
    const CellRow row_here = {here, sides_here};
    const RowEdges south_edges = {OverStructures(PLAIN ? nullptr : p.structure_south, at, southward), tables, recording, nullptr};
    fluxes_south({solver, p, down, now.phase}, row_here, {below, sides_below}, south_above, south_edges, flows, south, beside);
    // The first row's edges are not recorded by this chunk.
    if (!PLAIN && row < strip.first - ROWS_ABOVE + 1) recording.end = 0;
    const RowEdges east_edges = {OverStructures(PLAIN ? nullptr : p.structure_east, at, eastward), tables, recording, nullptr};
    fluxes_east({solver, p, along, now.phase}, row_here, beside_above, beside, east_edges, flows, east);
}

// Initial data of a row.
struct Begun {
    Cells here;
    Cells below;
    Reals south_above;
    int most;

    template <class T>
    __device__ __forceinline__ Begun(const Params &p, const T &task, int lane) : here{}, below{}, south_above{}, most(0)
    {
        if (task.taken) {
            read_cells(p, task.at, lane, here);
            read_cells(p, task.at + p.stride, lane, below);
            if (REMEMBERS) south_above[0] = p.discharge_south[task.at - p.stride];
        }
        if (task.finishes) most = p.most[task.at];
    }
};

// Stores and records the new water of a row, which may exceed the range of int, but is right as
// unsigned.
__device__ __forceinline__ void finish_row(const Params &p, const StepConstants &now, const Strip<false> &strip,
                                           const Task<false> &task, const Begun &begun, Ints &sum, Findings &found)
{
    finish(p, now, strip, task.row, task.at, {{begun.most}}, {{begun.here.water[0]}}, sum, found);
    note(p, now, strip, task.row, task.at, {{begun.most}}, {{begun.here.water[0]}}, found);
}

__device__ __forceinline__ void finish_row(const Params &p, const StepConstants &now, const Strip<true> &strip,
                                           const Task<true> &task, const Begun &begun, Ints &sum, Findings &found)
{
    if (!strip.inner) return;
    if ((unsigned)sum[0] > (unsigned)MAX_WATER) halt(p, now.half_step);
    const int water = (int)min((unsigned)sum[0], 0x7fffffffu);
    p.next_water[task.at] = water;
    found.deepest = water;
    if (water <= begun.most) return;
    record(p, now, task.at, water, begun.most);
    record_rise(p, strip, task.row, 0, begun.here.water[0], water, found);
}

// Computes a row of a chunk; all warps of the block call it together. PLAIN: the whole chunk is to
// be computed and the frame's own, no cell of it is emptied, and the step does not evaluate the
// flow.
template <bool PLAIN>
__device__ __forceinline__ void compute(const Params &p, const StepConstants &now, const Chunk &chunk, int warp, int lane,
                                        Shared &shared)
{
    const Strip<PLAIN> strip(p, chunk, PLAIN ? 0 : p.special[chunk.index], lane);
    const Task<PLAIN> task(p, strip, chunk, warp);
    Begun begun(p, task, lane);
    Cells &here = begun.here;
    Findings found = {};
    if (!PLAIN) found.flows = begin_flows(p);
    if (PLAIN) found.flows.rise = (int)bits_of(p.totals->rise);
    FaceFluxes south;
    FaceFluxes east;
    none(south);
    none(east);
    if (task.taken) {
        fluxes_of_row(p, now, strip, task.row, task.at, here, begun.below, begun.south_above, south, east, found.flows);
    }
    const int wanted = south.grains[0];
    shared.between.wanted[warp][lane] = wanted;
    if (!PLAIN && !MOMENTUM) shared.velocity[warp][lane] = south.velocity[0];
    __syncthreads();
    if (!PLAIN && !MOMENTUM && task.finishes) {
        CellView seen;
        seen.south.v[0] = __float_as_int(shared.velocity[warp - 1][lane]);
        see(p, here.water, east, south, seen);
        record_seen(p, found.flows, seen, strip.recording(p, now, task.row));
    }
    Ints above = {warp > 0 ? shared.between.wanted[warp - 1][lane] : 0};
    Ints west;
    ahead<-1>(east.grains, west);
    int crosses_south = wanted;
    bool cuts = !LIMITED && task.finishes;
    if (LIMITED) {
        Ints less;
        crosses_south = shared.between.hold(here.water, south, east, above, west, warp, lane, cuts, less);
        const bool owns = PLAIN ? strip.inner && task.finishes : strip.owns[0] && strip.owns_row(p, task.row);
        if (owns) found.cut = (unsigned)less[0];
        cuts = cuts && task.finishes;
    }
    // The first row's values belong to another chunk.
    if (PLAIN ? strip.inner : strip.writes[0]) found.cfl_rate = higher(south.cfl_rate[0], east.cfl_rate[0]);
    if (GIVEN && warp > 0) found.moving |= __float_as_int(east.discharge[0]) | __float_as_int(south.discharge[0]);
    if (GIVEN && warp == 0) found.moving |= __float_as_int(south.discharge[0]);
    if (task.finishes) {
        if (PLAIN ? strip.inner : strip.owns[0] && strip.owns_row(p, task.row)) {
            found.crossed = (unsigned)abs(crosses_south) + (unsigned)abs(east.grains[0]);
            if (!LIMITED) found.cut = (unsigned)south.cut[0] + (unsigned)east.cut[0];
        }
        if (KEEPS) remember(p, strip, true, task.at, east, south, found);
        // Flow beside the chunk is reported by others.
        if (KEEPS && !strip.inner) found.moving = 0;
        const unsigned kept = (unsigned)here.water[0] + (unsigned)above[0] + (unsigned)west[0] - (unsigned)east.grains[0];
        Ints sum = {(int)(kept - (unsigned)crosses_south)};
        finish_row(p, now, strip, task, begun, sum, found);
    }
    if (!PLAIN) report_flows(p, found.flows);
    put_together(found, task.row - chunk.row, task.finishes, cuts, lane, shared.slots[warp]);
    __syncthreads();
    if (warp == 0) report(p, chunk, shared.slots, false, lane);
}

// Number of resident blocks: a higher register limit does not help, except for a capped solver that
// keeps its velocities.
#ifdef WITH_TABLES
constexpr int FLOWING_BLOCKS = 1;
#else
constexpr int FLOWING_BLOCKS = Flow::CAPPED && KEEPS_VELOCITY ? 2 : 3;
#endif

extern "C" __global__ void __launch_bounds__(32 * LISTED_WARPS, FLOWING_BLOCKS) flow(Params p)
{
    wait_for_previous_kernel();
    __shared__ Shared shared;
    const int lane = threadIdx.x % 32;
    const int warp = warp_of_block();
    const Listed listed(p, blockIdx.x, gridDim.x);
    const Start start(p);
    if (!start.begin(p)) return;
    const StepConstants &now = start.now;
    each_listed(
        p, now, listed, warp, lane, [&](const Chunk &chunk) { compute<true>(p, now, chunk, warp, lane, shared); },
        [&](const Chunk &chunk) { compute<false>(p, now, chunk, warp, lane, shared); });
}
