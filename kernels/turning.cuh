// The turn of a chunk at first order: a warp marches down its rows, which are in registers.
#pragma once
#include "turning_edges.cuh"

// The turn of a chunk, with or without a look at the flow. Returns the fastest pace of a lane's edges.
template <bool LOOKS>
__device__ __forceinline__ float turn_rows(const Params &p, const Chunk &chunk, const Moment &now, Flows &flows,
                                           int lane)
{
    const int column = chunk.column - COLUMNS + COLUMNS * lane;
    const bool inner = lane >= 1 && lane <= 30;
    const Turning with(p, now.dt,
                       {inner ? max(0, p.computed.column - column) : COLUMNS, p.computed.end_column - column});
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
    Over over;
    Down down;
    {
        TurnRow above;
        read_row(p, at - p.stride, above);
        complete(p, above);
        over.look(above.qv);
        down.look(above.qv, above.v, above.open, here, below.open);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            u_above[q] = above.u[q];
            v_above[q] = above.v[q];
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
        Over over_here;
        over_here.look(here.qv);
        int wet = 0;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) wet |= here.water[q] | below.water[q];
        const bool any = __any_sync(WHOLE_WARP, wet != 0);
        if (any) turn_east<LOOKS>(with, p, here, u_above, below.u, over, over_here, noting, flows, pace, new_u);
        complete(p, coming);
        Down down_below;
        down_below.look(here.qv, here.v, here.open, below, coming.open);
        if (any) turn_south<LOOKS>(with, p, here, below, v_above, down, down_below, noting, flows, pace, new_v);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            if (q < with.wanted.first || q >= with.wanted.end) continue;
            p.next_velocity_east[at + q] = new_u[q];
            p.next_velocity_south[at + q] = new_v[q];
        }
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            u_above[q] = here.u[q];
            v_above[q] = here.v[q];
        }
        over = over_here;
        down = down_below;
        here = below;
        below = coming;
        at += p.stride;
    }
    return pace;
}
