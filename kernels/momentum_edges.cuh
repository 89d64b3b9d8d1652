// Momentum update of the edges of a row of cells, with each quantity of a cell or an edge computed
// once.
#pragma once
#include "cells.cuh"
#include "chunk.cuh"
#include "momentum.cuh"
#include "flow_diagnostics.cuh"
#include "levels.cuh"
#include "subgrid.cuh"

constexpr bool SECOND = Flow::ORDER > 1;

// A row of cells after the water has moved, and its east and south edges before their update.
struct MomentumRow {
    Ints bed;
    Reals depth;
    Ints water;
    Reals celerity; // divided by √g
    // With tables:
    Ints level;
    Reals height; // of the level above the bed
    Reals open_depth; // mean over open pixels
    Reals rises; // of the level per unit of depth
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

// Tables of a row's edges and of the cells of the row below, in transit to registers.
struct HeldTables {
    Lane edges[2 * EDGE_WORDS][TABLES ? 32 : 1];
    Lane cells[CELL_WORDS][TABLES ? 32 : 1];
};

// Starts to fetch the tables for the row at `at`.
__device__ __forceinline__ void fetch_tables(const Params &p, ptrdiff_t at, HeldTables &to, int lane)
{
    fetch_words<2 * EDGE_WORDS>(edge_table(p, 0, at), to.edges, lane);
    fetch_words<CELL_WORDS>(cell_table(p, at + p.stride), to.cells, lane);
}

// Computes the derived values of a row at `at`, whose tables have been fetched to `held`, if it is given.
__device__ __forceinline__ void complete(const Params &p, ptrdiff_t at, const HeldTables *held, int lane, MomentumRow &row)
{
    CellTable tables[COLUMNS];
    if (TABLES && held) read_held<CELL_WORDS>(held->cells, lane, tables);
    if (TABLES && !held) read_words<CELL_WORDS>(cell_table(p, at), tables);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        row.depth[q] = (float)row.water[q] * p.metres;
        if (TABLES) {
            row.open_depth[q] = row.depth[q] * tables[q].spread();
            row.level[q] = level_of(tables[q], row.bed[q], row.water[q], p.metres, row.rises[q]);
            row.height[q] = fall(row.level[q], row.bed[q]);
        }
        row.celerity[q] = root(TABLES ? row.depth[q] * row.rises[q] : row.depth[q]);
    }
}

// Clears the celerity of the cells in a row at `at` through which water leaves: the flow that converges
// there is no shock.
__device__ __forceinline__ void exempt_intakes(const Params &p, ptrdiff_t at, MomentumRow &row)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        if (p.flags[at + q] & INTAKE) row.celerity[q] = 0.0f;
    }
}

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
    Flow::Least least[COLUMNS];
    Flow::Crest crest[COLUMNS];
    Flow::SecondOrder second[COLUMNS];
};

// New velocities and, with tables, the corresponding discharges; wave celerities.
struct Updated {
    Reals velocity;
    Reals discharge;
    Reals celerity;
};

// The cells ahead of some edges: to the east, or below.
struct CellsAhead {
    Ints water;
    Reals depth;
    Reals roughness;
    // With tables:
    Ints level;
    Reals height;
    Reals open_depth;
    Reals rises;
};

__device__ __forceinline__ void cells_east(const MomentumRow &here, CellsAhead &there)
{
    ahead<1>(here.water, there.water);
    ahead<1>(here.depth, there.depth);
    ahead<ROUGH ? 1 : 0>(here.roughness, there.roughness);
    if (TABLES) {
        ahead<1>(here.level, there.level);
        ahead<1>(here.height, there.height);
        ahead<1>(here.open_depth, there.open_depth);
        ahead<1>(here.rises, there.rises);
    }
}

__device__ __forceinline__ void cells_south(const MomentumRow &below, CellsAhead &there)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        there.water[q] = below.water[q];
        there.depth[q] = below.depth[q];
        there.roughness[q] = below.roughness[q];
        if (TABLES) {
            there.level[q] = below.level[q];
            there.height[q] = below.height[q];
            there.open_depth[q] = below.open_depth[q];
            there.rises[q] = below.rises[q];
        }
    }
}

// Computes the falls of the bed across some edges.
__device__ __forceinline__ void falls(const Ints &here, const Ints &there, Reals &rise)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) rise[q] = fall(here[q], there[q]);
}

// Computes the falls from a row to one that is held.
__device__ __forceinline__ void falls_to(const MomentumRow &row, const Lane &bed, Reals &rise)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) rise[q] = fall(row.bed[q], bed.v[q]);
}

// Some edges: the fall of the bed, and the depths of their cells' water above the higher bed.
struct OverEdges {
    const Reals &rise;
    Reals behind;
    Reals ahead;

    __device__ __forceinline__ OverEdges(const MomentumRow &here, const CellsAhead &there, const Reals &rise) : rise(rise)
    {
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            behind[q] = Flow::over_edge(here.depth[q], TABLES ? here.height[q] : here.depth[q], -rise[q]);
            ahead[q] = Flow::over_edge(there.depth[q], TABLES ? there.height[q] : there.depth[q], rise[q]);
        }
    }
};

// Constants of the updates of one axis.
struct MomentumAxis {
    const Flow::Terms &terms;
    float per_celerity;
};

// Data shared by the updates of all edges of a chunk.
struct MomentumUpdate {
    const Params &p;
    Flow solver;
    MomentumAxis eastward;
    MomentumAxis southward;

    __device__ __forceinline__ MomentumUpdate(const Params &p, const FlowTerms &of)
        : p(p), solver(p.solver), eastward{of.along, p.inverse_dx * (1.0f / Flow::COURANT)},
          southward{of.down, p.inverse_dy * (1.0f / Flow::COURANT)}
    {
    }
};

// The greatest wave celerities of a lane's eastward and southward edges (m/s).
struct Celerities {
    float eastward;
    float southward;

    // Returns the greatest CFL rate (1/s).
    __device__ __forceinline__ float cfl_rate(const MomentumUpdate &with) const
    {
        return higher(Flow::counted(eastward) * with.eastward.per_celerity, Flow::counted(southward) * with.southward.per_celerity);
    }
};

// Columns of a lane to update. PLAIN: all, or none.
template <bool PLAIN>
struct Columns {
    int first;
    int end;

    __device__ __forceinline__ Columns(const Area &area, int column, bool inner)
        : first(inner ? PLAIN ? 0 : max(0, area.column - column) : COLUMNS), end(PLAIN ? COLUMNS : area.end_column - column)
    {
    }

    // Updates a greatest celerity.
    __device__ __forceinline__ void raise(const Reals &celerities, float &greatest) const
    {
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            if (PLAIN || (q >= first && q < end)) greatest = higher(greatest, celerities[q]);
        }
    }

    // Stores values of a row at `at`.
    __device__ __forceinline__ void store(float *to, ptrdiff_t at, const Reals &values) const
    {
        const bool whole = first <= 0 && end >= COLUMNS;
        put_if(whole, (int *)to + at, lane_of(values));
        if (!PLAIN && !whole) {
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) {
                if (q >= first && q < end) to[at + q] = values[q];
            }
        }
    }
};

// Index of the first cell of a lane in a row, which of its columns are recorded, and its tables.
struct RowPlace {
    ptrdiff_t at;
    Recording recording;
    const HeldTables *tables;
    int lane;
};

// Updates the edges of a row along one axis. OPEN: no edge around is closed.
template <bool OPEN, bool LOOKS>
__device__ __forceinline__ Updated update_line(const MomentumUpdate &with, const MomentumAxis &axis, const MomentumRow &here,
                                               const CellsAhead &there, const OverEdges &over, const MomentumInputs &by, int axis_number,
                                               const RowPlace &place, Flows &flows)
{
    const Params &p = with.p;
    Updated updated;
    EdgeTable tables[COLUMNS];
    if (TABLES) read_held<EDGE_WORDS>(place.tables->edges + axis_number * EDGE_WORDS, place.lane, tables);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        Flow::Drive drive;
        drive.over_a = over.behind[q];
        drive.over_b = over.ahead[q];
        drive.difference = TABLES ? fall(here.level[q], there.level[q]) : fused((float)(here.water[q] - there.water[q]), p.metres, over.rise[q]);
        drive.a = here.depth[q];
        drive.b = there.depth[q];
        if (TABLES) {
            drive.ground = Tabled(tables[q], p.fall, {here.level[q], there.level[q]}, {here.depth[q], there.depth[q]},
                                  {here.open_depth[q], there.open_depth[q]}, {here.rises[q], there.rises[q]});
        }
        drive.roughness = ROUGH ? 0.5f * (here.roughness[q] + there.roughness[q]) : p.all_roughness;
        drive.u = by.own[q];
        Flow::bring({by.behind[q], -by.ahead[q], by.north[q], -by.south[q]}, by.least[q], {by.db[q], by.da[q], by.dn[q], by.ds[q]}, by.second[q], drive);
        drive.unfed = by.unfed[q];
        drive.shock = by.shock[q];
        drive.beside = by.beside[q];
        drive.crest = by.crest[q];
        const NewVelocity edge = with.solver.template driven<OPEN>(axis.terms, drive);
        updated.velocity[q] = edge.velocity;
        updated.discharge[q] = edge.discharge;
        updated.celerity[q] = edge.celerity;
        if (LOOKS && q >= place.recording.first && q < place.recording.end) {
            record_flow(flows, edge.velocity, edge.depth, edge.wave, false);
        }
    }
    return updated;
}

// Records the cells of a row, with the velocities that have moved the water left there; `v_above` are those on
// their north edges.
__device__ __forceinline__ void record_row(const Params &p, const Flows &flows, const Reals &v_above, const MomentumRow &here,
                                           const Recording &recording)
{
    Reals u_left;
    ahead<-1>(here.u, u_left);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const float square = square_of(u_left[q], here.u[q], v_above[q], here.v[q]);
        if (q >= recording.first && q < recording.end) record_speed(p, flows, square, here.depth[q], recording.cell + q);
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

// Returns whether none of a row's numbers is 0.
__device__ __forceinline__ bool none_is_0(const Reals &a, const Reals &b)
{
    bool any = false;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) any |= a[q] == 0.0f || b[q] == 0.0f;
    return !__any_sync(WHOLE_WARP, any);
}

// Returns whether water flows across all edges of a row; then none is closed. Discharges that are
// products of the velocities need not be compared with them.
__device__ __forceinline__ bool flows_on(const MomentumRow &row)
{
    return none_is_0(row.qu, row.qv) && (!KEEPS_DISCHARGE || none_is_0(row.u, row.v));
}

// Range of two discharges beside an edge; OPEN as above.
template <bool OPEN>
__device__ __forceinline__ Range range_beside(float a, float b) { return OPEN ? range_of(a, b) : range_of_open(a, b); }

// Southward flow between two rows as seen by the edges beside it: the sum over two adjacent edges,
// and its range.
struct SouthwardFlow {
    Reals sum;
    Reals least;
    Reals least_back;

    template <bool OPEN>
    __device__ __forceinline__ void evaluate(const Reals &qv)
    {
        Reals next;
        ahead<1>(qv, next);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            const Range range = range_beside<OPEN>(qv[q], next[q]);
            sum[q] = qv[q] + next[q];
            least[q] = range.least;
            least_back[q] = range.least_back;
        }
    }

    __device__ __forceinline__ Range range(int q) const { return {least[q], least_back[q]}; }
};

// Returns the depth of a cell's water above its own bed and another, to which the bed climbs.
__device__ __forceinline__ float over_bed(const MomentumRow &row, int q, float climb)
{
    return Flow::over_edge(row.depth[q], TABLES ? row.height[q] : row.depth[q], climb);
}

// Southward flow through the cells of a row, and its compression.
struct ThroughFlow {
    Reals through;
    Reals squeezed;

    // Evaluates the cells, whose north edges have the velocity `v_above`; the depths of their water over
    // these edges, the falls to the row below, and the slopes of the velocities on their north and south edges are given.
    __device__ __forceinline__ void evaluate(const Reals &qv_above, const Reals &v_above, const Reals &over_above, const MomentumRow &here,
                                         const Reals &rise_below, const Reals &slope_above, const Reals &slope_here)
    {
        Reals u_left;
        ahead<-1>(here.u, u_left);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            through[q] = qv_above[q] + here.qv[q];
            const float along = Flow::enters(Flow::half_way<1>(v_above[q], slope_above[q]), here.depth[q], over_above[q]) -
                                Flow::leaves(Flow::half_way<-1>(here.v[q], slope_here[q]), here.depth[q], over_bed(here, q, -rise_below[q]));
            squeezed[q] = here.celerity[q] * Flow::squeezed(along, here.depth[q] * (u_left[q] - here.u[q]));
        }
    }
};

// Inflow into the cells of a row along it.
__device__ __forceinline__ void fed_along(const MomentumRow &row, Reals &fed)
{
    ahead<-1>(row.qu, fed);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) fed[q] -= row.qu[q];
}

// Velocities on the edges of one axis around a row.
struct RowVelocities {
    Reals above;      // of the row above
    Reals streams;    // of the streams to which the row's edges belong
    Reals from_above; // excess of the row over the row above
    Reals to_below;   // excess of the row below over the row
    // At second order: of the row two below, and the slopes down the rows in the row above, in the row,
    // and in the one below, among open edges.
    Reals far_below;
    Reals slope_above;
    Reals slope_here;
    Reals slope_below;
};

// Computes the slopes down the rows in a row between two others.
__device__ __forceinline__ void slopes_between(const Reals &above, const Reals &here, const Reals &below, Reals &slopes)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) slopes[q] = SECOND ? minmod(here[q] - above[q], below[q] - here[q]) : 0.0f;
}

// Values of the edges around a row's edges, along the row.
struct AlongRow {
    Reals left;
    Reals right;

    __device__ __forceinline__ explicit AlongRow(const Reals &of)
    {
        ahead<-1>(of, left);
        ahead<1>(of, right);
    }
};

// The same, two edges away.
struct FarAlongRow {
    Reals left;
    Reals right;

    __device__ __forceinline__ explicit FarAlongRow(const Reals &of)
    {
        constexpr int LANES = 2 / COLUMNS;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            left[q] = __shfl_up_sync(WHOLE_WARP, of[q], LANES);
            right[q] = __shfl_down_sync(WHOLE_WARP, of[q], LANES);
        }
    }
};

// Replaces the velocity excess over a row's edges, between those behind and ahead in their lines,
// where the edge beside is closed, given the edges behind and ahead of that one.
__device__ __forceinline__ void turn(const Reals &beside, const Reals &own, const Reals &behind, const Reals &ahead,
                                     const Reals &against_behind, const Reals &against_ahead, Reals &excess)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const float turned = Flow::turned(own[q], behind[q], ahead[q], against_behind[q], against_ahead[q]);
        excess[q] = beside[q] == 0.0f ? turned : excess[q];
    }
}

// Slopes of the velocities of a row's edges along the row. OPEN: all edges around are open.
template <bool OPEN>
__device__ __forceinline__ void slopes_along(const Reals &own, const AlongRow &beside, const Reals &excess_left, const Reals &excess_right,
                                             Flow::Slopes (&slopes)[COLUMNS])
{
    if (!OPEN) {
        const FarAlongRow far(own);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            slopes[q] = Flow::slopes(beside.left[q], beside.right[q], excess_left[q], excess_right[q], far.left[q], far.right[q]);
        }
        return;
    }
    Reals slope;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) slope[q] = minmod(own[q] - beside.left[q], beside.right[q] - own[q]);
    const AlongRow around(slope);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) slopes[q] = {around.left[q], slope[q], around.right[q]};
}

// Slopes of the velocities of a row's edges down the rows; OPEN as above. `far_above` points to the
// velocities two rows above.
template <bool OPEN>
__device__ __forceinline__ void slopes_down(const RowVelocities &rows, const float *far_above, const Reals &below, const Reals &excess_above,
                                            const Reals &excess_below, Flow::Slopes (&slopes)[COLUMNS])
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        slopes[q] = OPEN ? Flow::Slopes{rows.slope_above[q], rows.slope_here[q], rows.slope_below[q]}
                         : Flow::slopes(rows.above[q], below[q], excess_above[q], excess_below[q], __ldg(far_above + q), rows.far_below[q]);
    }
}

// The row whose edges are updated and the row below, with the values that their updates share.
struct MomentumRows {
    MomentumRow here;
    MomentumRow below;
    RowVelocities u;
    RowVelocities v;
    Reals qv_above;
    // Falls of the bed from the row above, from the row to the one below, and further down; and along the row.
    Reals rise_above;
    Reals rise_here;
    Reals rise_below;
    Reals rise_east;
    SouthwardFlow flow_above; // between the row above and this one
    SouthwardFlow flow_below;
    ThroughFlow through_here;
    ThroughFlow through_below;
    // At second order, `half_less` of the southward velocities on the row above, the row and the one below,
    // and of their means over the ends of the eastward edges.
    Reals half_above;
    Reals half_here;
    Reals half_below;
    Reals half_north;
    Reals half_south;
};

// Computes `half_less` of the velocities on a row's southward edges.
__device__ __forceinline__ void half_less_of(const Flow::Terms &terms, const Reals &v, Reals &half)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) half[q] = SECOND ? Flow::half_less(terms, v[q]) : 0.0f;
}

// Computes `half_less` of the mean southward velocities at the ends of a row's eastward edges.
__device__ __forceinline__ void half_less_of_means(const Flow::Terms &terms, const Reals &v, Reals &half)
{
    Reals right;
    ahead<SECOND ? 1 : 0>(v, right);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) half[q] = SECOND ? Flow::half_less(terms, 0.5f * (v[q] + right[q])) : 0.0f;
}

// Finds the least flows along some edges and the crests on them, given the velocities behind and ahead, and the falls of
// the bed there. OPEN: no edge is closed.
template <bool OPEN>
__device__ __forceinline__ void climb(const Reals &u_behind, const Reals &u_ahead, const Reals &rise_behind, const Reals &rise_ahead,
                                      const MomentumRow &here, const CellsAhead &there, const Reals &rise, MomentumInputs &by)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        by.crest[q] = Flow::template climb<OPEN>(by.own[q], u_behind[q], u_ahead[q], rise[q], rise_behind[q], rise_ahead[q],
                                                 0.5f * (here.depth[q] + there.depth[q]), by.least[q]);
    }
}

// Computes the inputs for the update of the eastward edges of a row at `at`. OPEN: no edge around is
// closed, each is its own stream, and water flows across it.
template <bool OPEN>
__device__ __forceinline__ void inputs_east(const MomentumUpdate &with, const MomentumRows &rows, const CellsAhead &there,
                                            const OverEdges &over, ptrdiff_t at, MomentumInputs &by)
{
    const MomentumRow &here = rows.here;
    const AlongRow beside(here.u);
    const Reals &u_left = beside.left;
    const Reals &u_right = beside.right;
    Reals q_left;
    Reals streams_left;
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
        fed[q] = rows.qv_above[q] - here.qv[q];
    }
    Reals along_right;
    Reals squeezed_right;
    Reals fed_right;
    ahead<1>(by.behind, by.ahead);
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
            by.dn[q] = rows.u.above[q] - here.u[q];
            by.ds[q] = rows.below.u[q] - here.u[q];
            by.unfed[q] = 0.0f;
        } else {
            by.db[q] = Flow::open_only(u_left[q], -along[q]);
            by.da[q] = Flow::open_only(u_right[q], along_right[q]);
            by.dn[q] = Flow::open_only(rows.u.above[q], -rows.u.from_above[q]);
            by.ds[q] = Flow::open_only(rows.below.u[q], rows.u.to_below[q]);
            by.unfed[q] = Flow::unfed(here.qu[q], u_left[q], u_right[q], fed[q], fed_right[q]);
        }
    }
    Flow::Slopes line[COLUMNS] = {};
    if (SECOND) {
        Flow::Slopes across[COLUMNS];
        slopes_along<OPEN>(here.u, beside, by.db, by.da, line);
        slopes_down<OPEN>(rows.u, with.p.velocity_east + at - 2 * with.p.stride, rows.below.u, by.dn, by.ds, across);
        Reals half;
        half_less_of(with.eastward.terms, here.u, half);
        const AlongRow half_around(half);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            by.second[q].line = line[q];
            by.second[q].beside = across[q];
            by.second[q].half = {half_around.left[q], half[q], half_around.right[q]};
            by.second[q].north = rows.half_north[q];
            by.second[q].south = rows.half_south[q];
        }
    }
    if (!OPEN) {
        const AlongRow above(rows.u.above);
        const AlongRow further(rows.below.u);
        turn(rows.u.above, here.u, u_left, u_right, above.left, above.right, by.dn);
        turn(rows.below.u, here.u, u_left, u_right, further.left, further.right, by.ds);
    }
    // Slopes differ between the edges of a cell if one of them is closed.
    constexpr bool SHARED = OPEN || !SECOND;
    Reals pressed;
    Reals entering; // the cell ahead
    Reals entering_here;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        pressed[q] = here.depth[q] * (rows.v.above[q] - here.v[q]);
        entering[q] = Flow::enters(Flow::half_way<1>(here.u[q], line[q].own), there.depth[q], over.ahead[q]);
    }
    if (SHARED) {
        ahead<-1>(entering, entering_here);
    } else {
        Reals over_left;
        ahead<-1>(over.ahead, over_left);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            entering_here[q] = Flow::enters(Flow::half_way<1>(u_left[q], line[q].before), here.depth[q], over_left[q]);
        }
    }
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const float leaving = Flow::leaves(Flow::half_way<-1>(here.u[q], line[q].own), here.depth[q], over.behind[q]);
        squeezed[q] = here.celerity[q] * Flow::squeezed(entering_here[q] - leaving, pressed[q]);
    }
    if (SHARED) {
        ahead<1>(squeezed, squeezed_right);
    } else {
        Reals celerity_right;
        Reals pressed_right;
        Reals over_right;
        ahead<1>(here.celerity, celerity_right);
        ahead<1>(pressed, pressed_right);
        ahead<1>(over.behind, over_right);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            const float leaving = Flow::leaves(Flow::half_way<-1>(u_right[q], line[q].after), there.depth[q], over_right[q]);
            squeezed_right[q] = celerity_right[q] * Flow::squeezed(entering[q] - leaving, pressed_right[q]);
        }
    }
    const AlongRow rises(over.rise);
    climb<OPEN>(u_left, u_right, rises.left, rises.right, here, there, over.rise, by);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        by.shock[q] = OPEN ? squeezed[q] - squeezed_right[q]
                           : Flow::open_only(u_left[q], squeezed[q]) - Flow::open_only(u_right[q], squeezed_right[q]);
        by.beside[q] = agreed(range_of(rows.flow_above.range(q), rows.flow_below.range(q)));
    }
}

// Computes the inputs for the update of the southward edges of a row at `at`; OPEN as above.
template <bool OPEN>
__device__ __forceinline__ void inputs_south(const MomentumUpdate &with, const MomentumRows &rows, const CellsAhead &there,
                                             const OverEdges &over, ptrdiff_t at, MomentumInputs &by)
{
    const MomentumRow &here = rows.here;
    const MomentumRow &below = rows.below;
    const ThroughFlow &through_here = rows.through_here;
    const ThroughFlow &through_below = rows.through_below;
    const AlongRow around(here.v);
    const Reals &left = around.left;
    const Reals &right = around.right;
    Reals streams_left;
    Reals beside;
    Reals beside_right;
    Reals fed_here;
    Reals fed_below;
    if (!OPEN) {
        fed_along(here, fed_here);
        fed_along(below, fed_below);
        ahead<-1>(rows.v.streams, streams_left);
        faster(left, streams_left, here.v, rows.v.streams, beside);
        ahead<1>(beside, beside_right);
    }
    Reals least;
    Reals least_back;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const Range range = range_beside<OPEN>(here.qu[q], below.qu[q]);
        by.south[q] = here.qu[q] + below.qu[q];
        least[q] = range.least;
        least_back[q] = range.least_back;
    }
    ahead<-1>(by.south, by.north);
    Reals least_left;
    Reals least_back_left;
    ahead<-1>(least, least_left);
    ahead<-1>(least_back, least_back_left);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        by.own[q] = here.v[q];
        by.behind[q] = through_here.through[q];
        by.ahead[q] = through_below.through[q];
        if (OPEN) {
            by.db[q] = rows.v.above[q] - here.v[q];
            by.da[q] = below.v[q] - here.v[q];
            by.dn[q] = left[q] - here.v[q];
            by.ds[q] = right[q] - here.v[q];
            by.unfed[q] = 0.0f;
        } else {
            by.db[q] = Flow::open_only(rows.v.above[q], -rows.v.from_above[q]);
            by.da[q] = Flow::open_only(below.v[q], rows.v.to_below[q]);
            by.dn[q] = Flow::open_only(left[q], -beside[q]);
            by.ds[q] = Flow::open_only(right[q], beside_right[q]);
            by.unfed[q] = Flow::unfed(here.qv[q], rows.v.above[q], below.v[q], fed_here[q], fed_below[q]);
        }
        by.beside[q] = agreed(range_of(Range{least_left[q], least_back_left[q]}, {least[q], least_back[q]}));
    }
    Flow::Slopes line[COLUMNS] = {};
    if (SECOND) {
        Flow::Slopes across[COLUMNS];
        slopes_down<OPEN>(rows.v, with.p.velocity_south + at - 2 * with.p.stride, below.v, by.db, by.da, line);
        slopes_along<OPEN>(here.v, around, by.dn, by.ds, across);
        Reals corner;
        Reals corner_left;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            corner[q] = Flow::half_less(with.southward.terms, 0.5f * (here.u[q] + below.u[q]));
            by.second[q].line = line[q];
            by.second[q].beside = across[q];
            by.second[q].half = {rows.half_above[q], rows.half_here[q], rows.half_below[q]};
        }
        ahead<-1>(corner, corner_left);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            by.second[q].north = corner_left[q];
            by.second[q].south = corner[q];
        }
    }
    if (!OPEN) {
        const AlongRow above(rows.v.above);
        const AlongRow further(below.v);
        turn(left, here.v, rows.v.above, below.v, above.left, further.left, by.dn);
        turn(right, here.v, rows.v.above, below.v, above.right, further.right, by.ds);
    }
    climb<OPEN>(rows.v.above, below.v, rows.rise_above, rows.rise_below, here, there, over.rise, by);
    if (OPEN || !SECOND) {
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            const float a = through_here.squeezed[q];
            const float b = through_below.squeezed[q];
            by.shock[q] = OPEN ? a - b : Flow::open_only(rows.v.above[q], a) - Flow::open_only(below.v[q], b);
        }
    } else {
        Reals u_left;
        Reals u_left_below;
        ahead<-1>(here.u, u_left);
        ahead<-1>(below.u, u_left_below);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            const float over_above = over_bed(here, q, rows.rise_above[q]);
            const float over_below = over_bed(below, q, -rows.rise_below[q]);
            const float in_a = Flow::enters(Flow::half_way<1>(rows.v.above[q], line[q].before), here.depth[q], over_above) -
                               Flow::leaves(Flow::half_way<-1>(here.v[q], line[q].own), here.depth[q], over.behind[q]);
            const float in_b = Flow::enters(Flow::half_way<1>(here.v[q], line[q].own), below.depth[q], over.ahead[q]) -
                               Flow::leaves(Flow::half_way<-1>(below.v[q], line[q].after), below.depth[q], over_below);
            const float a = here.celerity[q] * Flow::squeezed(in_a, here.depth[q] * (u_left[q] - here.u[q]));
            const float b = below.celerity[q] * Flow::squeezed(in_b, below.depth[q] * (u_left_below[q] - below.u[q]));
            by.shock[q] = Flow::open_only(rows.v.above[q], a) - Flow::open_only(below.v[q], b);
        }
    }
}

// Updates the eastward edges of a row; OPEN as above, `open` if this is known only when the code runs.
template <bool OPEN, bool LOOKS>
__device__ __forceinline__ Updated update_east(const MomentumUpdate &with, const MomentumRows &rows, const RowPlace &place, bool open, Flows &flows)
{
    MomentumInputs by;
    CellsAhead there;
    cells_east(rows.here, there);
    const OverEdges over(rows.here, there, rows.rise_east);
    if (open) inputs_east<true>(with, rows, there, over, place.at, by);
    else inputs_east<false>(with, rows, there, over, place.at, by);
    return update_line<OPEN, LOOKS>(with, with.eastward, rows.here, there, over, by, 0, place, flows);
}

// Evaluates the southward flow through the row below and, if any cell is wet, updates the southward edges
// of a row; OPEN and `open` as above.
template <bool OPEN, bool LOOKS>
__device__ __forceinline__ Updated update_south(const MomentumUpdate &with, MomentumRows &rows, const RowPlace &place, bool open, bool wet, Flows &flows)
{
    MomentumInputs by;
    CellsAhead there;
    const MomentumRow &here = rows.here;
    cells_south(rows.below, there);
    const OverEdges over(here, there, rows.rise_here);
    rows.through_below.evaluate(here.qv, here.v, over.ahead, rows.below, rows.rise_below, rows.v.slope_here, rows.v.slope_below);
    if (!OPEN && !wet) return {};
    if (open) inputs_south<true>(with, rows, there, over, place.at, by);
    else inputs_south<false>(with, rows, there, over, place.at, by);
    return update_line<OPEN, LOOKS>(with, with.southward, here, there, over, by, 1, place, flows);
}
