// Momentum update of a chunk: a warp marches down its rows. Two of them are in registers.
#pragma once
#include "momentum_edges.cuh"

// Rows in transit.
constexpr unsigned MOMENTUM_ROWS_HELD = 2;
struct MomentumRing {
    HeldMomentumRow rows[MOMENTUM_ROWS_HELD];
    HeldTables tables[TABLES ? MOMENTUM_ROWS_HELD : 1];
};

// Returns whether a row that has arrived has any water.
__device__ __forceinline__ bool is_wet(const HeldMomentumRow &row, int lane)
{
    const Lane water = row.water[lane];
    int wet = 0;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) wet |= water.v[q];
    return __any_sync(WHOLE_WARP, wet != 0);
}

// Set if `half_less` of the rows above is kept; with varying roughness there are no registers for it.
constexpr bool CARRIES_HALVES = !ROUGH;

// Bits of the rows on which the update of a row depends: if all are 1 it is open.
constexpr unsigned OPEN_ROWS = 15;

// A warp on its way down a chunk, with or without an evaluation of the flow. PLAIN: the whole chunk is
// computed.
template <bool PLAIN, bool LOOKS>
struct MomentumMarch {
    const Params &p;
    int column;
    bool inner;
    bool looking;
    MomentumUpdate with;
    Columns<PLAIN> wanted;
    bool intakes;
    MomentumRows rows;
    // A bit per row, 1 if water flows across all its edges: the lowest one for the row, then those above.
    unsigned flowing;
    bool opened; // whether the row above was updated as open; at second order
    Celerities celerities;

    __device__ __forceinline__ MomentumMarch(const Params &p, const Chunk &chunk, const StepConstants &now, const FlowTerms &terms, bool intakes, int lane)
        : p(p), column(chunk.column - COLUMNS + COLUMNS * lane), inner(lane >= 1 && lane <= 30), looking(LOOKS && looks(now)),
          with(p, terms), wanted(p.computed, column, inner), intakes(intakes), opened(false), celerities{}
    {
    }

    // Begins at a row at `at`. `rows.qv_above`, `rows.u.above`, `rows.v.above` and `rows.rise_above` belong to the row above,
    // `u_beyond` and `v_beyond` to the one further up, and `rows.u.far_below` and `rows.v.far_below` to the row below, to which
    // `rows.rise_here` are the falls.
    __device__ __forceinline__ void begin(ptrdiff_t at, const MomentumRow &first, const Reals &u_beyond, const Reals &v_beyond, int lane)
    {
        MomentumRow &here = rows.here;
        const Reals &u_below = rows.u.far_below;
        const Reals &v_below = rows.v.far_below;
        here = first;
        complete(p, at, nullptr, lane, here);
        if (intakes) exempt_intakes(p, at, here);
        Reals streams_above;
        Reals over_above;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) over_above[q] = over_bed(here, q, rows.rise_above[q]);
        rows.flow_above.evaluate<false>(rows.qv_above);
        streams_east(u_beyond, rows.u.above, here.u, v_beyond, rows.v.above, streams_above);
        slopes_between(u_beyond, rows.u.above, here.u, rows.u.slope_above);
        slopes_between(v_beyond, rows.v.above, here.v, rows.v.slope_above);
        slopes_between(rows.u.above, here.u, u_below, rows.u.slope_here);
        slopes_between(rows.v.above, here.v, v_below, rows.v.slope_here);
        rows.through_here.evaluate(rows.qv_above, rows.v.above, over_above, here, rows.rise_here, rows.v.slope_above, rows.v.slope_here);
        streams_east(rows.u.above, here.u, u_below, rows.v.above, here.v, rows.u.streams);
        faster(rows.u.above, streams_above, here.u, rows.u.streams, rows.u.from_above);
        streams_south(rows.v.above, rows.u.above, here.u, streams_above);
        streams_south(here.v, here.u, u_below, rows.v.streams);
        faster(rows.v.above, streams_above, here.v, rows.v.streams, rows.v.from_above);
        const bool above = none_is_0(rows.u.above, rows.v.above) && none_is_0(rows.qv_above, rows.qv_above);
        flowing = 4u * none_is_0(u_beyond, v_beyond) + 2u * above + flows_on(here);
        half_less_of(with.southward.terms, rows.v.above, rows.half_above);
        half_less_of(with.southward.terms, here.v, rows.half_here);
        half_less_of_means(with.eastward.terms, rows.v.above, rows.half_north);
    }

    // Completes the row below the one at `at`.
    __device__ __forceinline__ void complete_below(ptrdiff_t at, const HeldTables *held, int lane)
    {
        complete(p, at + p.stride, held, lane, rows.below);
        if (intakes) exempt_intakes(p, at + p.stride, rows.below);
    }

    // Updates the edges of a row at `at`, and goes on to the row below, which has been put into
    // `rows.below` and completed; `rows.u.far_below`, `rows.v.far_below` and `rows.rise_below` hold the velocities further
    // below, and the falls to there, and `rows.rise_east` the falls along the row.
    __device__ __forceinline__ void advance(int row, ptrdiff_t at, const HeldTables *tables, Flows &flows, int lane)
    {
        MomentumRow &here = rows.here;
        MomentumRow &below = rows.below;
        slopes_between(here.u, below.u, rows.u.far_below, rows.u.slope_below);
        slopes_between(here.v, below.v, rows.v.far_below, rows.v.slope_below);
        if (!CARRIES_HALVES) {
            half_less_of(with.southward.terms, rows.v.above, rows.half_above);
            half_less_of(with.southward.terms, here.v, rows.half_here);
            half_less_of_means(with.eastward.terms, rows.v.above, rows.half_north);
        }
        half_less_of(with.southward.terms, below.v, rows.half_below);
        half_less_of_means(with.eastward.terms, here.v, rows.half_south);
        const bool counts = looking && inner && row >= p.counted.row && row < p.counted.end_row;
        const RowPlace here_at = {at, {number_of(p, row, column), max(0, p.counted.column - column),
                                       counts ? min(COLUMNS, p.counted.end_column - column) : 0}, tables, lane};
        if (LOOKS) record_row(p, flows, rows.v.above, here, here_at.recording);
        // Among open edges, the computation is simpler with the same result. The streams of the row
        // above depend on the row two above.
        flowing = flowing << 1 | (unsigned)flows_on(below);
        const bool open = (flowing & OPEN_ROWS) == OPEN_ROWS && (!SECOND || none_is_0(rows.u.far_below, rows.v.far_below));
        if (open && !TABLES) update<true>(here_at, true, flows);
        else update<false>(here_at, open, flows);
        opened = open;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            rows.u.slope_above[q] = rows.u.slope_here[q];
            rows.v.slope_above[q] = rows.v.slope_here[q];
            rows.u.slope_here[q] = rows.u.slope_below[q];
            rows.v.slope_here[q] = rows.v.slope_below[q];
            rows.half_above[q] = rows.half_here[q];
            rows.half_here[q] = rows.half_below[q];
            rows.half_north[q] = rows.half_south[q];
            rows.u.above[q] = here.u[q];
            rows.v.above[q] = here.v[q];
            rows.qv_above[q] = here.qv[q];
            rows.rise_above[q] = rows.rise_here[q];
            rows.rise_here[q] = rows.rise_below[q];
        }
        rows.flow_above = rows.flow_below;
        rows.through_here = rows.through_below;
        here = below;
    }

    // Returns the greatest CFL rate of the lane's edges (1/s).
    __device__ __forceinline__ float cfl_rate() const { return inner ? celerities.cfl_rate(with) : 0.0f; }

private:
    // Stores updated edges at `at`, limited by structures, and raises the greatest celerity.
    __device__ __forceinline__ void keep(Updated &edges, const float *structures, ptrdiff_t at, float *velocity, float *discharge, float &celerity) const
    {
        wanted.raise(edges.celerity, celerity);
#pragma unroll
        for (int q = 0; STRUCTURES && q < COLUMNS; q++) {
            if (KEEPS_DISCHARGE) edges.discharge[q] = limited_with_velocity(structures, at + q, edges.discharge[q], edges.velocity[q]);
            edges.velocity[q] = limited_by_structures(structures, at + q, edges.velocity[q], 1.0f);
        }
        wanted.store(velocity, at, edges.velocity);
        if (KEEPS_DISCHARGE) wanted.store(discharge, at, edges.discharge);
    }

    // Computes the streams of the row and of the one below.
    __device__ __forceinline__ void find_streams(Reals &streams_u_below, Reals &streams_v_below)
    {
        const MomentumRow &here = rows.here;
        const MomentumRow &below = rows.below;
        if (SECOND ? opened : (flowing >> 1 & OPEN_ROWS) == OPEN_ROWS) {
            // The edges of the row above are their own streams.
            streams_east(rows.u.above, here.u, below.u, rows.v.above, here.v, rows.u.streams);
            streams_south(here.v, here.u, below.u, rows.v.streams);
            faster(rows.u.above, rows.u.above, here.u, rows.u.streams, rows.u.from_above);
            faster(rows.v.above, rows.v.above, here.v, rows.v.streams, rows.v.from_above);
        }
        streams_east(here.u, below.u, rows.u.far_below, here.v, below.v, streams_u_below);
        streams_south(below.v, below.u, rows.u.far_below, streams_v_below);
        faster(here.u, rows.u.streams, below.u, streams_u_below, rows.u.to_below);
        faster(here.v, rows.v.streams, below.v, streams_v_below, rows.v.to_below);
    }

    // Updates the edges of the row. `open`: water flows across them and across those of the rows around.
    // OPEN: this is known when the code is compiled; with tables it would be too much code.
    template <bool OPEN>
    __device__ __forceinline__ void update(const RowPlace &place, bool open, Flows &flows)
    {
        const MomentumRow &here = rows.here;
        const MomentumRow &below = rows.below;
        const ptrdiff_t at = place.at;
        Reals streams_u_below;
        Reals streams_v_below;
        rows.flow_below.evaluate<OPEN>(here.qv);
        if (!open) find_streams(streams_u_below, streams_v_below);
        int wet = OPEN;
#pragma unroll
        for (int q = 0; !OPEN && q < COLUMNS; q++) wet |= here.water[q] | below.water[q];
        const bool any = OPEN || __any_sync(WHOLE_WARP, wet != 0);
        Updated edges = {};
        if (any) edges = update_east<OPEN, LOOKS>(with, rows, place, open, flows);
        keep(edges, p.structure_east, at, p.next_velocity_east, p.next_discharge_east, celerities.eastward);
        edges = update_south<OPEN, LOOKS>(with, rows, place, open, any, flows);
        keep(edges, p.structure_south, at, p.next_velocity_south, p.next_discharge_south, celerities.southward);
#pragma unroll
        for (int q = 0; !open && q < COLUMNS; q++) {
            rows.u.streams[q] = streams_u_below[q];
            rows.v.streams[q] = streams_v_below[q];
            rows.u.from_above[q] = rows.u.to_below[q];
            rows.v.from_above[q] = rows.v.to_below[q];
        }
    }
};

// Updates the momentum of a chunk with its new water. Rows come through shared memory, fetched two ahead
// during the arithmetic. Returns the greatest CFL rate of a lane's edges.
template <bool LOOKS>
__device__ __forceinline__ float momentum_rows(const Params &p, const Chunk &chunk, const StepConstants &now, Flows &flows,
                                               MomentumRing &held, int lane)
{
    HeldMomentumRow (&ring)[MOMENTUM_ROWS_HELD] = held.rows;
    const FlowTerms terms(p, now.dt);
    MomentumMarch<false, LOOKS> march(p, chunk, now, terms, STRUCTURES && (flags_near(p, chunk) & INTAKE), lane);
    const int first = max(chunk.row, p.computed.row);
    const int end = min(chunk.end_row, p.computed.end_row);
    ptrdiff_t at = (ptrdiff_t)first * p.stride + march.column;
    fetch_row(p, at - p.stride, ring[0], lane);
    fetch_row(p, at, ring[1], lane);
    await_fetches();
    MomentumRow here;
    real(ring[0].qv[lane], march.rows.qv_above);
    take_row(p, ring[1], lane, here);
    fetch_row(p, at + p.stride, ring[0], lane);
    fetch_row(p, at + 2 * p.stride, ring[1], lane);
    if (TABLES) fetch_tables(p, at, held.tables[0], lane);
    await_fetches();
    real(ring[0].u[lane], march.rows.u.far_below);
    real(ring[0].v[lane], march.rows.v.far_below);
    falls_to(here, ring[0].bed[lane], march.rows.rise_here);
    Reals u_beyond;
    Reals v_beyond;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        march.rows.rise_above[q] = fall(__ldg(p.bed + at - p.stride + q), here.bed[q]);
        march.rows.u.above[q] = __ldg(p.velocity_east + at - p.stride + q);
        march.rows.v.above[q] = __ldg(p.velocity_south + at - p.stride + q);
        u_beyond[q] = __ldg(p.velocity_east + at - 2 * p.stride + q);
        v_beyond[q] = __ldg(p.velocity_south + at - 2 * p.stride + q);
    }
    march.begin(at, here, u_beyond, v_beyond, lane);
    // Slot of the row below, which then receives the next row.
    unsigned place = 0;
    for (int row = first; row < end; row++) {
        await_fetches();
        const HeldTables *const tables = &held.tables[TABLES ? place : 0];
        take_row(p, ring[place], lane, march.rows.below);
        falls_to(march.rows.below, ring[1 - place].bed[lane], march.rows.rise_below);
        Ints right;
        ahead<1>(march.rows.here.bed, right);
        falls(march.rows.here.bed, right, march.rows.rise_east);
        march.complete_below(at, tables, lane);
        real(ring[1 - place].u[lane], march.rows.u.far_below);
        real(ring[1 - place].v[lane], march.rows.v.far_below);
        if (row + 1 < end) {
            // Tables of dry rows are not read.
            if (TABLES && (is_wet(ring[place], lane) || is_wet(ring[1 - place], lane))) fetch_tables(p, at + p.stride, held.tables[1 - place], lane);
            fetch_row(p, at + 3 * p.stride, ring[place], lane);
        }
        place = 1 - place;
        march.advance(row, at, tables, flows, lane);
        at += p.stride;
    }
    return march.cfl_rate();
}
