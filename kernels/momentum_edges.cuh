// Momentum update of the edges of a row of cells at first order, with each quantity of a cell or an
// edge computed once.
#pragma once
#include "cells.cuh"
#include "chunk.cuh"
#include "momentum.cuh"
#include "flow_diagnostics.cuh"
#include "subgrid.cuh"

// A row of cells after the water has moved, and its east and south edges before their update.
struct MomentumRow {
    Ints bed; // or levels, if cells have tables and the row is complete
    Reals depth;
    Ints water;
    Reals power; // h^(3/2), or h√(h·r) with tables, where r is the rise of the level per unit of depth
    Reals rises;
    Reals u;
    Reals v;
    Reals qu; // discharges
    Reals qv;
    Reals roughness;
};

// A row in transit to registers.
struct HeldMomentumRow {
    Lane bed[32];
    Lane water[32];
    Lane u[32];
    Lane v[32];
    Lane qu[32];
    Lane qv[32];
    Lane roughness[ROUGH ? 32 : 1];
};

// Starts to fetch the row at `at`.
__device__ __forceinline__ void fetch_row(const Params &p, ptrdiff_t at, HeldMomentumRow &to, int lane)
{
    fetch(&to.bed[lane], p.bed + at);
    fetch(&to.water[lane], p.next_water + at);
    fetch(&to.u[lane], (const int *)p.velocity_east + at);
    fetch(&to.v[lane], (const int *)p.velocity_south + at);
    fetch(&to.qu[lane], (const int *)(KEEPS_DISCHARGE ? p.discharge_east : p.next_discharge_east) + at);
    fetch(&to.qv[lane], (const int *)(KEEPS_DISCHARGE ? p.discharge_south : p.next_discharge_south) + at);
    if (ROUGH) fetch(&to.roughness[lane], (const int *)p.roughness + at);
}

__device__ __forceinline__ void real(const Lane &from, Reals &to)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) to[q] = __int_as_float(from.v[q]);
}

// Unpacks a row that has arrived.
__device__ __forceinline__ void take_row(const Params &p, const HeldMomentumRow &from, int lane, MomentumRow &row)
{
    const Lane bed = from.bed[lane];
    const Lane water = from.water[lane];
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        row.bed[q] = bed.v[q];
        row.water[q] = water.v[q];
        row.roughness[q] = p.all_roughness;
    }
    real(from.u[lane], row.u);
    real(from.v[lane], row.v);
    real(from.qu[lane], row.qu);
    real(from.qv[lane], row.qv);
    if (ROUGH) real(from.roughness[lane], row.roughness);
}

// Computes the derived values of a row at `at`.
__device__ __forceinline__ void complete(const Params &p, ptrdiff_t at, MomentumRow &row)
{
    CellTable tables[COLUMNS];
    if (TABLES) read_words<CELL_WORDS>(cell_table(p, at), tables);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        row.depth[q] = (float)row.water[q] * p.metres;
        if (TABLES) {
            row.rises[q] = 0.0f;
            if (row.water[q] > 0) row.bed[q] = level_of(tables[q], row.bed[q], row.water[q], p.metres, row.rises[q]);
        }
        row.power[q] = row.depth[q] * root(TABLES ? row.depth[q] * row.rises[q] : row.depth[q]);
    }
}

// Range of a lane's columns to update.
struct Columns {
    int first;
    int end;
};

// Inputs for the update of a row's edges of one axis; sums and signs as in the solver's
// `new_velocity`.
struct MomentumInputs {
    Reals own; // velocities before the update
    Reals behind; // through the cells behind and ahead
    Reals ahead;
    Reals north; // across the transverse edges before and after
    Reals south;
    Reals db; // velocity excess of the edges around
    Reals da;
    Reals dn;
    Reals ds;
    Reals unfed;
    Reals shock;
    Reals beside;
};

// New velocities and, with tables, the corresponding discharges.
struct Updated {
    Reals velocity;
    Reals discharge;
};

// The cells ahead of some edges: to the east, or below.
struct CellsAhead {
    Ints bed;
    Ints water;
    Reals depth;
    Reals roughness;
    Reals rises;
};

// Constants of the updates of one axis.
struct MomentumAxis {
    Flow::Terms terms;
    float per_celerity;

    __device__ __forceinline__ MomentumAxis(const Flow &solver, const Axis &axis)
        : terms(solver.terms(axis)), per_celerity(axis.inverse_length * (1.0f / Flow::COURANT))
    {
    }
};

// Data shared by the updates of all edges of a chunk.
struct MomentumUpdate {
    const Params &p;
    Flow solver;
    MomentumAxis eastward;
    MomentumAxis southward;
    Columns wanted;

    __device__ __forceinline__ MomentumUpdate(const Params &p, float dt, const Columns &wanted)
        : p(p), solver(p.solver), eastward(solver, {dt, p.inverse_dx, p.inverse_dy, p.per_metre}),
          southward(solver, {dt, p.inverse_dy, p.inverse_dx, p.per_metre}), wanted(wanted)
    {
    }
};

// Index of the first cell of a lane in a row, and which of its columns are recorded.
struct RowPlace {
    ptrdiff_t at;
    Recording recording;
};

// Updates the edges of a row along one axis.
template <bool LOOKS>
__device__ __forceinline__ Updated update_line(const MomentumUpdate &with, const MomentumAxis &axis, const MomentumRow &here,
                                               const CellsAhead &there, const MomentumInputs &by, const Table &edges,
                                               const RowPlace &place, Flows &flows, float &cfl_rate)
{
    const Params &p = with.p;
    Updated updated;
    EdgeTable tables[COLUMNS];
    if (TABLES) read_words<EDGE_WORDS>(edges, tables);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        Flow::Drive drive;
        drive.rise = (float)(int)((unsigned)here.bed[q] - (unsigned)there.bed[q]) * BED_STEP;
        drive.difference = TABLES ? drive.rise : fused((float)(here.water[q] - there.water[q]), p.metres, drive.rise);
        drive.a = here.depth[q];
        drive.b = there.depth[q];
        if (TABLES) {
            drive.ground = Tabled(tables[q], {here.bed[q], there.bed[q]}, {here.depth[q], there.depth[q]},
                                  {here.rises[q], there.rises[q]});
        }
        drive.roughness = ROUGH ? 0.5f * (here.roughness[q] + there.roughness[q]) : p.all_roughness;
        drive.u = by.own[q];
        const float ib = higher(by.behind[q], 0.0f);
        const float ia = higher(-by.ahead[q], 0.0f);
        const float i_n = higher(by.north[q], 0.0f);
        const float i_s = higher(-by.south[q], 0.0f);
        drive.momentum = (ib * by.db[q] + ia * by.da[q]) + (i_n * by.dn[q] + i_s * by.ds[q]);
        drive.most = (ib + ia) + (i_n + i_s);
        drive.unfed = by.unfed[q];
        drive.shock = by.shock[q];
        drive.beside = by.beside[q];
        const NewVelocity edge = with.solver.driven(axis.terms, drive);
        updated.velocity[q] = edge.velocity;
        updated.discharge[q] = edge.discharge;
        if (q >= with.wanted.first && q < with.wanted.end) cfl_rate = higher(cfl_rate, edge.celerity * axis.per_celerity);
        if (LOOKS && q >= place.recording.first && q < place.recording.end) {
            record_flow(flows, edge.velocity, edge.depth, edge.wave, false);
        }
    }
    return updated;
}

// Records the cells of a row.
__device__ __forceinline__ void record_row(const Params &p, const Flows &flows, const MomentumRow &here, const RowPlace &place)
{
    const Recording &recording = place.recording;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        if (q >= recording.first && q < recording.end) record_moved(p, flows, here.depth[q], place.at + q, recording.cell + q);
    }
}

// Computes the streams of a row's eastward edges, from the edges of the rows above and below.
__device__ __forceinline__ void streams_east(const Reals &u_above, const Reals &u, const Reals &u_below, const Reals &v_above,
                                             const Reals &v, Reals &streams)
{
    Reals v_above_right;
    Reals v_right;
    ahead<1>(v_above, v_above_right);
    ahead<1>(v, v_right);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        streams[q] = stream(u[q], u_above[q], u_below[q], v_above[q], v_above_right[q], v[q], v_right[q]);
    }
}

// Computes the streams of the southward edges between a row and the one below.
__device__ __forceinline__ void streams_south(const Reals &v, const Reals &u, const Reals &u_below, Reals &streams)
{
    Reals left;
    Reals right;
    Reals u_left;
    Reals u_below_left;
    ahead<-1>(v, left);
    ahead<1>(v, right);
    ahead<-1>(u, u_left);
    ahead<-1>(u_below, u_below_left);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        streams[q] = stream(v[q], left[q], right[q], u_left[q], u_below_left[q], u[q], u_below[q]);
    }
}

// Computes the velocity excess of edges over those before them.
__device__ __forceinline__ void faster(const Reals &than, const Reals &than_stream, const Reals &edges, const Reals &streams,
                                       Reals &faster)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) faster[q] = Flow::faster(edges[q], than[q], streams[q], than_stream[q]);
}

// Returns whether no edge of a row is closed.
__device__ __forceinline__ bool all_open(const Reals &u, const Reals &v)
{
    bool closed = false;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) closed |= u[q] == 0.0f || v[q] == 0.0f;
    return !__any_sync(WHOLE_WARP, closed);
}

// Southward flow between two rows as seen by the edges beside it: the sum over two adjacent edges,
// and its range.
struct SouthwardFlow {
    Reals sum;
    Reals least;
    Reals most;

    __device__ __forceinline__ void look(const Reals &qv)
    {
        Reals next;
        ahead<1>(qv, next);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            const Range range = range_of_open(qv[q], next[q]);
            sum[q] = qv[q] + next[q];
            least[q] = range.least;
            most[q] = range.most;
        }
    }
};

// Southward flow through the cells of a row, its compression, and the inflow from across.
struct ThroughFlow {
    Reals through;
    Reals squeezed;
    Reals fed;

    // Evaluates the cells, whose north edges have the velocity `v_above`.
    __device__ __forceinline__ void look(const Reals &qv_above, const Reals &v_above, const MomentumRow &here)
    {
        Reals u_left;
        Reals q_left;
        ahead<-1>(here.u, u_left);
        ahead<-1>(here.qu, q_left);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            through[q] = qv_above[q] + here.qv[q];
            squeezed[q] = here.power[q] * Flow::squeezed(v_above[q] - here.v[q], u_left[q] - here.u[q]);
            fed[q] = q_left[q] - here.qu[q];
        }
    }
};

// Velocities on the edges of one axis around a row.
struct RowVelocities {
    Reals above;      // of the row above
    Reals streams;    // of the streams to which the row's edges belong
    Reals from_above; // excess of the row over the row above
    Reals to_below;   // excess of the row below over the row
};

// The row whose edges are updated and the row below, with the values that their updates share.
struct MomentumRows {
    MomentumRow here;
    MomentumRow below;
    RowVelocities u;
    RowVelocities v;
    Reals qv_above;
    SouthwardFlow flow_above; // between the row above and this one
    SouthwardFlow flow_below;
    ThroughFlow through_here;
    ThroughFlow through_below;
};

// Updates the eastward edges of a row. OPEN: no edge around is closed, and each is its own stream.
template <bool LOOKS, bool OPEN>
__device__ __forceinline__ Updated update_east(const MomentumUpdate &with, const MomentumRows &rows, const RowPlace &place, Flows &flows,
                                               float &cfl_rate)
{
    const MomentumRow &here = rows.here;
    MomentumInputs by;
    Reals u_left;
    Reals u_right;
    Reals q_left;
    Reals streams_left;
    ahead<-1>(here.u, u_left);
    ahead<1>(here.u, u_right);
    ahead<-1>(here.qu, q_left);
    if (!OPEN) ahead<-1>(rows.u.streams, streams_left);
    // Per cell: flow along the line, and inflow from across.
    Reals along;
    Reals squeezed;
    Reals fed;
    if (!OPEN) faster(u_left, streams_left, here.u, rows.u.streams, along);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        by.behind[q] = q_left[q] + here.qu[q];
        squeezed[q] = here.power[q] * Flow::squeezed(u_left[q] - here.u[q], rows.v.above[q] - here.v[q]);
        fed[q] = rows.qv_above[q] - here.qv[q];
    }
    Reals along_right;
    Reals squeezed_right;
    Reals fed_right;
    ahead<1>(by.behind, by.ahead);
    ahead<1>(squeezed, squeezed_right);
    if (!OPEN) {
        ahead<1>(along, along_right);
        ahead<1>(fed, fed_right);
    }
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        by.own[q] = here.u[q];
        by.north[q] = rows.flow_above.sum[q];
        by.south[q] = rows.flow_below.sum[q];
        if (OPEN) {
            by.db[q] = u_left[q] - here.u[q];
            by.da[q] = u_right[q] - here.u[q];
            by.dn[q] = -rows.u.from_above[q];
            by.ds[q] = rows.u.to_below[q];
            by.unfed[q] = 0.0f;
            by.shock[q] = squeezed[q] - squeezed_right[q];
        } else {
            by.db[q] = Flow::open_only(u_left[q], -along[q]);
            by.da[q] = Flow::open_only(u_right[q], along_right[q]);
            by.dn[q] = Flow::open_only(rows.u.above[q], -rows.u.from_above[q]);
            by.ds[q] = Flow::open_only(rows.below.u[q], rows.u.to_below[q]);
            by.unfed[q] = Flow::unfed(here.qu[q], u_left[q], u_right[q], fed[q], fed_right[q]);
            by.shock[q] = Flow::open_only(u_left[q], squeezed[q]) - Flow::open_only(u_right[q], squeezed_right[q]);
        }
        by.beside[q] = agreed({lower(rows.flow_above.least[q], rows.flow_below.least[q]), higher(rows.flow_above.most[q], rows.flow_below.most[q])});
    }
    CellsAhead there;
    ahead<1>(here.bed, there.bed);
    ahead<1>(here.water, there.water);
    ahead<ROUGH ? 1 : 0>(here.roughness, there.roughness);
    if (TABLES) ahead<1>(here.rises, there.rises);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) there.depth[q] = (float)there.water[q] * with.p.metres;
    return update_line<LOOKS>(with, with.eastward, here, there, by, edge_table(with.p, 0, place.at), place, flows, cfl_rate);
}

// Updates the southward edges of a row; OPEN as above.
template <bool LOOKS, bool OPEN>
__device__ __forceinline__ Updated update_south(const MomentumUpdate &with, const MomentumRows &rows, const RowPlace &place, Flows &flows,
                                                float &cfl_rate)
{
    const MomentumRow &here = rows.here;
    const MomentumRow &below = rows.below;
    const ThroughFlow &through_here = rows.through_here;
    const ThroughFlow &through_below = rows.through_below;
    MomentumInputs by;
    Reals left;
    Reals right;
    Reals streams_left;
    ahead<-1>(here.v, left);
    ahead<1>(here.v, right);
    Reals beside;
    Reals beside_right;
    if (!OPEN) {
        ahead<-1>(rows.v.streams, streams_left);
        faster(left, streams_left, here.v, rows.v.streams, beside);
        ahead<1>(beside, beside_right);
    }
    Reals least;
    Reals most;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const Range range = range_of_open(here.qu[q], below.qu[q]);
        by.south[q] = here.qu[q] + below.qu[q];
        least[q] = range.least;
        most[q] = range.most;
    }
    ahead<-1>(by.south, by.north);
    Reals least_left;
    Reals most_left;
    ahead<-1>(least, least_left);
    ahead<-1>(most, most_left);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        by.own[q] = here.v[q];
        by.behind[q] = through_here.through[q];
        by.ahead[q] = through_below.through[q];
        if (OPEN) {
            by.db[q] = -rows.v.from_above[q];
            by.da[q] = rows.v.to_below[q];
            by.dn[q] = left[q] - here.v[q];
            by.ds[q] = right[q] - here.v[q];
            by.unfed[q] = 0.0f;
            by.shock[q] = through_here.squeezed[q] - through_below.squeezed[q];
        } else {
            by.db[q] = Flow::open_only(rows.v.above[q], -rows.v.from_above[q]);
            by.da[q] = Flow::open_only(below.v[q], rows.v.to_below[q]);
            by.dn[q] = Flow::open_only(left[q], -beside[q]);
            by.ds[q] = Flow::open_only(right[q], beside_right[q]);
            by.unfed[q] = Flow::unfed(here.qv[q], rows.v.above[q], below.v[q], through_here.fed[q], through_below.fed[q]);
            by.shock[q] = Flow::open_only(rows.v.above[q], through_here.squeezed[q]) - Flow::open_only(below.v[q], through_below.squeezed[q]);
        }
        by.beside[q] = agreed({lower(least_left[q], least[q]), higher(most_left[q], most[q])});
    }
    CellsAhead there;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        there.bed[q] = below.bed[q];
        there.water[q] = below.water[q];
        there.depth[q] = below.depth[q];
        there.roughness[q] = below.roughness[q];
        if (TABLES) there.rises[q] = below.rises[q];
    }
    return update_line<LOOKS>(with, with.southward, here, there, by, edge_table(with.p, 1, place.at), place, flows, cfl_rate);
}
