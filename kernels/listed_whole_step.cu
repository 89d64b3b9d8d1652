// Mass and momentum update of a first-order solver with momentum in one kernel, used while few chunks
// are wet. A block computes a listed
// chunk, with one warp per row; the halves and the rows exchange data through shared memory.
// Velocities also depend on the new water beside the chunk, which is recomputed here. `Flow` is the
// solver.
#include "passing.cuh"
#include "listed_rows.cuh"
#include "momentum_edges.cuh"

// Rows above and below a chunk whose edges matter: the new water of the row below depends on donors
// one row further.
constexpr int ROWS_ABOVE = 2;
constexpr int ROWS_BELOW = 2;
constexpr int ROWS = ROWS_ABOVE + LISTED_ROWS + ROWS_BELOW;
static_assert(ROWS == FUSED_WARPS, "a warp a row");

// Data of each row that other warps need.
struct Shared {
    BetweenRows<ROWS> between;
    int bed[ROWS][32];
    int water[ROWS][32]; // after the mass update
    float u[ROWS][32];
    float v[ROWS][32];
    float qu[ROWS][32];
    float qv[ROWS][32];
    float streams_u[ROWS][32];
    float streams_v[ROWS][32];
    float roughness[ROUGH ? ROWS : 1][32];
    Slot slots[ROWS];
};

// A row before the water moves, with the relevant parts of the cells around it.
template <bool PLAIN>
struct Before : ListedRow<PLAIN, ROWS_ABOVE, ROWS_BELOW, ROWS> {
    using Row = ListedRow<PLAIN, ROWS_ABOVE, ROWS_BELOW, ROWS>;
    using Row::at;
    Cells here;
    Ground below;
    int bed_beyond; // of the cell east of the last lane's
    int water_beyond;
    int most;

    __device__ __forceinline__ Before(const Params &p, const Strip<PLAIN> &strip, const Chunk &chunk, int warp, int lane)
        : Row(p, strip, chunk, warp), here{}, below{}, bed_beyond(0), water_beyond(0), most(0)
    {
        if (!Row::taken) return;
        here.bed[0] = p.bed[at];
        here.water[0] = p.water[at];
        here.east[0] = p.velocity_east[at];
        here.south[0] = p.velocity_south[at];
        here.roughness[0] = ROUGH ? p.roughness[at] : p.all_roughness;
        below.bed[0] = p.bed[at + p.stride];
        below.water[0] = p.water[at + p.stride];
        depths(p, here);
        depths(p, below);
        if (lane == 31) {
            bed_beyond = p.bed[at + 1];
            water_beyond = p.water[at + 1];
        }
        if (Row::finishes) most = p.most[at];
    }

    // Computes the fluxes across the edges of the row.
    __device__ __forceinline__ void fluxes(const Params &p, const StepConstants &now, int lane, FaceFluxes &south, FaceFluxes &east) const
    {
        const Flow solver(p.solver);
        const FlowTerms terms(p, not_before(now.dt));
        const auto &[eastward, southward, along, down] = terms;
        Levels edges;
        levels(p, here, below, edges);
        fluxes_across({solver, p, down, now.phase}, edges, here.south, {}, OverStructures(PLAIN ? nullptr : p.structure_south, at, southward), south);
        Ground right = next_columns(here);
        if (lane == 31) {
            right.bed[0] = bed_beyond;
            right.water[0] = water_beyond;
            depths(p, right);
        }
        levels(p, here, right, edges);
        fluxes_across({solver, p, along, now.phase}, edges, here.east, {}, OverStructures(PLAIN ? nullptr : p.structure_east, at, eastward), east);
    }
};

// Returns the new water of a cell of a row, stored and recorded if the cell belongs to the chunk;
// `sum` may exceed the range of int, but is right as unsigned.
template <bool PLAIN>
__device__ __forceinline__ int updated(const Params &p, const StepConstants &now, const Strip<PLAIN> &strip, const Before<PLAIN> &before,
                                       unsigned sum, bool special, Findings &found)
{
    int water = (int)min(sum, 0x7fffffffu);
    const bool writes = before.finishes && strip.writes[0];
    const bool own = writes && strip.owns[0] && (PLAIN || strip.owns_row(p, before.row));
    if (own && sum > (unsigned)MAX_WATER) halt(p, now.half_step);
    Flags flags = 0;
    // Cells beside the chunk are emptied or held, too.
    if (!PLAIN && special && before.taken) flags = p.flags[before.at];
    if (flags != 0) water = emptied(p, flags, water, own, before.at);
    if (!writes) return water;
    p.next_water[before.at] = water;
    found.deepest = water;
    if (!own || water <= before.most) return water;
    if (!(flags & AFTER_FLOW)) record(p, now, before.at, water, before.most);
    record_rise(p, strip, before.row, 0, before.here.water[0], water, found);
    return water;
}

// Loads a row after the water has moved.
__device__ __forceinline__ void after(const Params &p, const Shared &shared, int warp, int lane, MomentumRow &row)
{
    row.bed[0] = shared.bed[warp][lane];
    row.water[0] = shared.water[warp][lane];
    row.u[0] = shared.u[warp][lane];
    row.v[0] = shared.v[warp][lane];
    row.qu[0] = shared.qu[warp][lane];
    row.qv[0] = shared.qv[warp][lane];
    row.roughness[0] = ROUGH ? shared.roughness[warp][lane] : p.all_roughness;
    complete(p, 0, nullptr, 0, row);
}

// Computes the stream velocities of the edges of a row that has rows above and below.
__device__ __forceinline__ void find_streams(int warp, int lane, Shared &shared)
{
    if (warp == 0 || warp == ROWS - 1) return;
    const Reals u = {shared.u[warp][lane]};
    const Reals v = {shared.v[warp][lane]};
    const Reals u_below = {shared.u[warp + 1][lane]};
    Reals streams;
    streams_east({shared.u[warp - 1][lane]}, u, u_below, {shared.v[warp - 1][lane]}, v, streams);
    shared.streams_u[warp][lane] = streams[0];
    streams_south(v, u, u_below, streams);
    shared.streams_v[warp][lane] = streams[0];
}

// Updates the velocities on the edges of a row.
template <bool PLAIN>
__device__ __forceinline__ void update_momentum_row(const Params &p, const StepConstants &now, const Strip<PLAIN> &strip,
                                                    const Before<PLAIN> &before, bool intakes, int warp, int lane, const Shared &shared,
                                                    Findings &found)
{
    MomentumRows rows;
    const MomentumRow &here = rows.here;
    const MomentumRow &below = rows.below;
    after(p, shared, warp, lane, rows.here);
    after(p, shared, warp + 1, lane, rows.below);
    if (!PLAIN && STRUCTURES && intakes) {
        exempt_intakes(p, before.at, rows.here);
        exempt_intakes(p, before.at + p.stride, rows.below);
    }
    Updated new_u = {};
    Updated new_v = {};
    if (__any_sync(WHOLE_WARP, (here.water[0] | below.water[0]) != 0)) {
        const FlowTerms terms(p, not_before(now.dt));
        const MomentumUpdate with(p, terms);
        RowPlace place = {before.at, {}, nullptr, lane};
        if (!PLAIN) place.recording = strip.recording(p, now, before.row);
        Ints right;
        ahead<1>(here.bed, right);
        if (lane == 31) right[0] = before.bed_beyond;
        falls(here.bed, right, rows.rise_east);
        rows.u.above[0] = shared.u[warp - 1][lane];
        rows.v.above[0] = shared.v[warp - 1][lane];
        if (!PLAIN) record_row(p, found.flows, rows.v.above, here, place.recording);
        rows.qv_above[0] = shared.qv[warp - 1][lane];
        rows.flow_above.evaluate<false>(rows.qv_above);
        rows.flow_below.evaluate<false>(here.qv);
        rows.u.streams[0] = shared.streams_u[warp][lane];
        faster(rows.u.above, {shared.streams_u[warp - 1][lane]}, here.u, rows.u.streams, rows.u.from_above);
        faster(here.u, rows.u.streams, below.u, {shared.streams_u[warp + 1][lane]}, rows.u.to_below);
        rows.rise_above[0] = fall(shared.bed[warp - 1][lane], here.bed[0]);
        falls(here.bed, below.bed, rows.rise_here);
        rows.rise_below[0] = fall(below.bed[0], shared.bed[warp + 2][lane]);
        rows.through_here.evaluate(rows.qv_above, rows.v.above, {over_bed(here, 0, rows.rise_above[0])}, here, rows.rise_here, {}, {});
        rows.v.streams[0] = shared.streams_v[warp][lane];
        faster(rows.v.above, {shared.streams_v[warp - 1][lane]}, here.v, rows.v.streams, rows.v.from_above);
        faster(here.v, rows.v.streams, below.v, {shared.streams_v[warp + 1][lane]}, rows.v.to_below);
        new_u = update_east<false, !PLAIN>(with, rows, place, false, found.flows);
        new_v = update_south<false, !PLAIN>(with, rows, place, false, true, found.flows);
        const Celerities celerities = {new_u.celerity[0], new_v.celerity[0]};
        if (strip.writes[0]) found.cfl_rate = higher(found.cfl_rate, celerities.cfl_rate(with));
    }
    if (!strip.writes[0]) return;
    p.next_velocity_east[before.at] = PLAIN ? new_u.velocity[0] : limited_by_structures(p.structure_east, before.at, new_u.velocity[0], 1.0f);
    p.next_velocity_south[before.at] = PLAIN ? new_v.velocity[0] : limited_by_structures(p.structure_south, before.at, new_v.velocity[0], 1.0f);
}

// Computes a row of a chunk; all warps of the block call it together. PLAIN: the whole chunk is to
// be computed and the frame's own, no cell in it or beside it is emptied or held, and the step does
// not evaluate the flow. `near` holds the flags of these cells.
template <bool PLAIN>
__device__ __forceinline__ void compute(const Params &p, const StepConstants &now, const Chunk &chunk, Flags near, int warp, int lane,
                                        Shared &shared)
{
    const Strip<PLAIN> strip(p, chunk, PLAIN ? 0 : p.special[chunk.index], lane);
    const Before<PLAIN> before(p, strip, chunk, warp, lane);
    Findings found = {};
    if (!PLAIN) found.flows = begin_flows(p);
    if (PLAIN) found.flows.rise = (int)bits_of(p.totals->rise);
    FaceFluxes south;
    FaceFluxes east;
    none(south);
    none(east);
    const Cells &here = before.here;
    // Nothing crosses between dry cells.
    if (__any_sync(WHOLE_WARP, (here.water[0] | before.below.water[0] | before.water_beyond) != 0)) {
        before.fluxes(p, now, lane, south, east);
    }
    shared.between.wanted[warp][lane] = south.grains[0];
    shared.bed[warp][lane] = here.bed[0];
    shared.u[warp][lane] = here.east[0];
    shared.v[warp][lane] = here.south[0];
    shared.qu[warp][lane] = east.discharge[0];
    shared.qv[warp][lane] = south.discharge[0];
    if (ROUGH) shared.roughness[warp][lane] = here.roughness[0];
    __syncthreads();
    find_streams(warp, lane, shared);
    Ints above = {warp > 0 ? shared.between.wanted[warp - 1][lane] : 0};
    Ints west;
    ahead<-1>(east.grains, west);
    bool cuts;
    Ints less;
    const int crosses_south = shared.between.hold(here.water, south, east, above, west, warp, lane, cuts, less);
    // The cell's water apart from the flux across its south edge.
    const unsigned kept = (unsigned)here.water[0] + (unsigned)above[0] + (unsigned)west[0] - (unsigned)east.grains[0];
    if (before.finishes && strip.owns[0] && (PLAIN || strip.owns_row(p, before.row))) {
        found.crossed = (unsigned)abs(crosses_south) + (unsigned)abs(east.grains[0]);
        found.cut = (unsigned)less[0];
    }
    if (before.finishes) remember(p, strip, true, before.at, east, south, found);
    // Flow beside the chunk is reported by others.
    if (!strip.inner) found.moving = 0;
    shared.water[warp][lane] = updated(p, now, strip, before, kept - (unsigned)crosses_south, near & SPECIAL, found);
    __syncthreads();
    if (before.finishes) update_momentum_row(p, now, strip, before, near & INTAKE, warp, lane, shared, found);
    if (!PLAIN) report_flows(p, found.flows);
    put_together(found, before.row - chunk.row, before.finishes, cuts && before.finishes, lane, shared.slots[warp]);
    __syncthreads();
    if (warp == 0) report(p, chunk, shared.slots, true, lane);
}

extern "C" __global__ void __launch_bounds__(32 * FUSED_WARPS, 2) flow(Params p)
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
        p, now, listed, warp, lane, [&](const Chunk &chunk) { compute<true>(p, now, chunk, 0, warp, lane, shared); },
        [&](const Chunk &chunk) { compute<false>(p, now, chunk, flags_near(p, chunk), warp, lane, shared); });
}
