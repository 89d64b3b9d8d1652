// The turn of a chunk at first order: rows in registers, each number of a cell or an edge worked out once.
#pragma once
#include "cells.cuh"
#include "chunk.cuh"
#include "momentum.cuh"
#include "quality.cuh"

// A row of cells after the water has moved, and of the edges east and south of them before they turn.
struct TurnRow {
    Ints bed;
    Reals depth;
    Ints water;
    Reals power; // h^(3/2)
    Reals open;  // 1 where there is ground, 0 where there is a wall
    Reals u;
    Reals v;
    Reals qu; // discharges
    Reals qv;
    Reals roughness;
};

__device__ __forceinline__ void read(const float *from, ptrdiff_t at, Reals &to)
{
    const Lane lane = *(const Lane *)((const int *)from + at);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) to[q] = __int_as_float(lane.v[q]);
}

// A row as it lies in memory.
__device__ __forceinline__ void read_row(const Params &p, ptrdiff_t at, TurnRow &row)
{
    const Lane bed = *(const Lane *)(p.bed + at);
    const Lane water = *(const Lane *)(p.next_water + at);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        row.bed[q] = bed.v[q];
        row.water[q] = water.v[q];
        row.roughness[q] = p.all_roughness;
    }
    read(p.velocity_east, at, row.u);
    read(p.velocity_south, at, row.v);
    read(p.next_discharge_east, at, row.qu);
    read(p.next_discharge_south, at, row.qv);
    if (ROUGH) read(p.roughness, at, row.roughness);
}

// What follows from it.
__device__ __forceinline__ void complete(const Params &p, TurnRow &row)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        row.depth[q] = (float)row.water[q] * p.metres;
        row.power[q] = row.depth[q] * root(row.depth[q]);
        row.open[q] = row.bed[q] != WALL ? 1.0f : 0.0f;
    }
}

// Which of a lane's columns are wanted.
struct Columns {
    int first;
    int end;
};

// What the edges of a row of one axis turn by; sums and signs as in the rule's `turn`.
struct Sideways {
    Reals behind; // through the cells behind and ahead
    Reals ahead;
    Reals north; // over the crossing edges before and after
    Reals south;
    Reals db; // velocities around less the edge's own
    Reals da;
    Reals dn;
    Reals ds;
    Reals shock;
    Reals beside;
};

template <bool LOOKS>
__device__ __forceinline__ void turn_line(const Flow &rule, const Flow::Terms &terms, const Params &p,
                                          const TurnRow &here, const Ints &bed, const Ints &water,
                                          const Reals &depth, const Reals &roughness, const Reals &u,
                                          const Sideways &by, float per_celerity, const Columns &wanted,
                                          const Noting &noting, Flows &flows, float &pace, Reals &turned)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        Flow::Drive drive;
        drive.rise = (float)(int)((unsigned)here.bed[q] - (unsigned)bed[q]) * BED_STEP;
        drive.difference = fused((float)(here.water[q] - water[q]), p.metres, drive.rise);
        drive.a = here.depth[q];
        drive.b = depth[q];
        drive.roughness = ROUGH ? 0.5f * (here.roughness[q] + roughness[q]) : p.all_roughness;
        drive.u = u[q];
        const float ib = higher(by.behind[q], 0.0f);
        const float ia = higher(-by.ahead[q], 0.0f);
        const float i_n = higher(by.north[q], 0.0f);
        const float i_s = higher(-by.south[q], 0.0f);
        drive.comes = (ib * by.db[q] + ia * by.da[q]) + (i_n * by.dn[q] + i_s * by.ds[q]);
        drive.most = (ib + ia) + (i_n + i_s);
        drive.shock = by.shock[q];
        drive.beside = by.beside[q];
        const Turned edge = rule.driven(terms, drive);
        turned[q] = edge.velocity;
        if (q >= wanted.first && q < wanted.end) pace = higher(pace, edge.celerity * per_celerity);
        if (LOOKS && q >= noting.first && q < noting.end) {
            note_flow(p, flows, edge.velocity, edge.depth, edge.wave, false, noting.cell + q);
        }
    }
}

// The turn of a chunk, with or without a look at the flow. Returns the fastest pace of a lane's edges.
template <bool LOOKS>
__device__ __forceinline__ float turn_rows(const Params &p, const Chunk &chunk, const Moment &now, Flows &flows,
                                           int lane)
{
    const Flow rule(p.rule);
    const Flow::Terms along = rule.terms({now.dt, p.inverse_dx, p.inverse_dy, p.per_metre});
    const Flow::Terms down = rule.terms({now.dt, p.inverse_dy, p.inverse_dx, p.per_metre});
    const float pace_x = p.inverse_dx * (1.0f / Flow::COURANT);
    const float pace_y = p.inverse_dy * (1.0f / Flow::COURANT);
    const int column = chunk.column - COLUMNS + COLUMNS * lane;
    const bool inner = lane >= 1 && lane <= 30;
    const Columns wanted = {inner ? max(0, p.computed.column - column) : COLUMNS, p.computed.end_column - column};
    const int first = max(chunk.row, p.computed.row);
    const int end = min(chunk.end_row, p.computed.end_row);
    float pace = 0.0f;
    ptrdiff_t at = (ptrdiff_t)first * p.stride + column;
    TurnRow here;
    TurnRow below;
    read_row(p, at, here);
    read_row(p, at + p.stride, below);
    complete(p, here);
    complete(p, below);
    // Of the row above: velocities, and what its southward edges show to those beside them.
    Reals u_above;
    Reals v_above;
    Reals over; // half the discharge over two neighbouring edges southward
    Reals least_over;
    Reals most_over;
    // Of the cells here: what flows through them southward, and how they are squeezed that way.
    Reals through;
    Reals squeezed;
    {
        TurnRow above;
        read_row(p, at - p.stride, above);
        complete(p, above);
        Reals next;
        ahead<1>(above.qv, next);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            u_above[q] = above.u[q];
            v_above[q] = above.v[q];
            over[q] = above.qv[q] + next[q];
            least_over[q] = lower(above.qv[q], next[q]);
            most_over[q] = higher(above.qv[q], next[q]);
            through[q] = above.qv[q] + here.qv[q];
            squeezed[q] = here.power[q] * (higher(above.v[q] - here.v[q], 0.0f) * (above.open[q] * below.open[q]));
        }
    }
    for (int row = first; row < end; row++) {
        TurnRow coming;
        read_row(p, at + 2 * p.stride, coming);
        const bool counts = LOOKS && inner && row >= p.counted.row && row < p.counted.end_row;
        const Noting noting = {number_of(p, row, column), max(0, p.counted.column - column),
                               counts ? min(COLUMNS, p.counted.end_column - column) : 0};
        Reals new_u = {};
        Reals new_v = {};
        Reals next_qv;
        ahead<1>(here.qv, next_qv);
        Reals over_here;
        Reals least_here;
        Reals most_here;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            over_here[q] = here.qv[q] + next_qv[q];
            least_here[q] = lower(here.qv[q], next_qv[q]);
            most_here[q] = higher(here.qv[q], next_qv[q]);
        }
        int wet = 0;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) wet |= here.water[q] | below.water[q];
        const bool any = __any_sync(WHOLE_WARP, wet != 0);
        if (any) {
            Sideways by;
            Reals u_left;
            Reals u_right;
            Reals q_left;
            Reals open_left;
            Reals open_right;
            ahead<-1>(here.u, u_left);
            ahead<1>(here.u, u_right);
            ahead<-1>(here.qu, q_left);
            ahead<-1>(here.open, open_left);
            ahead<1>(here.open, open_right);
            Reals squeezed_x;
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) {
                by.behind[q] = q_left[q] + here.qu[q];
                squeezed_x[q] =
                    here.power[q] * (higher(u_left[q] - here.u[q], 0.0f) * (open_left[q] * open_right[q]));
            }
            ahead<1>(by.behind, by.ahead);
            Reals squeezed_right;
            ahead<1>(squeezed_x, squeezed_right);
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) {
                by.north[q] = over[q];
                by.south[q] = over_here[q];
                by.db[q] = u_left[q] - here.u[q];
                by.da[q] = u_right[q] - here.u[q];
                by.dn[q] = u_above[q] - here.u[q];
                by.ds[q] = below.u[q] - here.u[q];
                by.shock[q] = squeezed_x[q] - squeezed_right[q];
                by.beside[q] =
                    Flow::across_of(lower(least_over[q], least_here[q]), higher(most_over[q], most_here[q]));
            }
            Ints bed;
            Ints water;
            Reals depth;
            Reals roughness;
            ahead<1>(here.bed, bed);
            ahead<1>(here.water, water);
            ahead<ROUGH ? 1 : 0>(here.roughness, roughness);
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) depth[q] = (float)water[q] * p.metres;
            turn_line<LOOKS>(rule, along, p, here, bed, water, depth, roughness, here.u, by, pace_x, wanted, noting,
                      flows, pace, new_u);
        }
        complete(p, coming);
        Reals through_below;
        Reals squeezed_below;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            through_below[q] = here.qv[q] + below.qv[q];
            squeezed_below[q] =
                below.power[q] * (higher(here.v[q] - below.v[q], 0.0f) * (here.open[q] * coming.open[q]));
        }
        if (any) {
            Sideways by;
            Reals left;
            Reals right;
            ahead<-1>(here.v, left);
            ahead<1>(here.v, right);
            Reals least;
            Reals most;
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) {
                by.south[q] = here.qu[q] + below.qu[q];
                least[q] = lower(here.qu[q], below.qu[q]);
                most[q] = higher(here.qu[q], below.qu[q]);
            }
            ahead<-1>(by.south, by.north);
            Reals least_left;
            Reals most_left;
            ahead<-1>(least, least_left);
            ahead<-1>(most, most_left);
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) {
                by.behind[q] = through[q];
                by.ahead[q] = through_below[q];
                by.db[q] = v_above[q] - here.v[q];
                by.da[q] = below.v[q] - here.v[q];
                by.dn[q] = left[q] - here.v[q];
                by.ds[q] = right[q] - here.v[q];
                by.shock[q] = squeezed[q] - squeezed_below[q];
                by.beside[q] = Flow::across_of(lower(least_left[q], least[q]), higher(most_left[q], most[q]));
            }
            turn_line<LOOKS>(rule, down, p, here, below.bed, below.water, below.depth, below.roughness, here.v, by, pace_y,
                      wanted, noting, flows, pace, new_v);
        }
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            if (q < wanted.first || q >= wanted.end) continue;
            p.next_velocity_east[at + q] = new_u[q];
            p.next_velocity_south[at + q] = new_v[q];
        }
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            u_above[q] = here.u[q];
            v_above[q] = here.v[q];
            over[q] = over_here[q];
            least_over[q] = least_here[q];
            most_over[q] = most_here[q];
            through[q] = through_below[q];
            squeezed[q] = squeezed_below[q];
        }
        here = below;
        below = coming;
        at += p.stride;
    }
    return pace;
}
