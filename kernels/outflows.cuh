// Outflows and inflows of the cells of a row.
#pragma once
#include "rows.cuh"

// Inputs for the cells of a row, per neighbour: drops, edge quantities, rounding phases.
struct OutflowInputs {
    float drop[COLUMNS][K];
    float edge[COLUMNS][K];
    float phase[COLUMNS][K];
};

// Collects the inputs towards the neighbours ahead and behind in family F.
template <int F>
__device__ __forceinline__ void collect(const Params &p, const StepConstants &now, const Edges &to_ahead,
                                     const Edges &from_behind, OutflowInputs &out)
{
    Edges behind;
    ahead<-ahead_columns(F)>(from_behind.difference, behind.difference);
    if (Flow::NEEDS_EDGE) ahead<-ahead_columns(F)>(from_behind.quantity, behind.quantity);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        out.drop[q][2 * F] = higher(to_ahead.difference[q], 0.0f);
        out.edge[q][2 * F] = to_ahead.quantity[q];
        out.phase[q][2 * F] = to_ahead.phase[q];
        out.drop[q][2 * F + 1] = higher(-behind.difference[q], 0.0f);
        out.edge[q][2 * F + 1] = -behind.quantity[q];
        // Cheaper to recompute than to pass from lane to lane.
        const int from = q - ahead_columns(F);
        const bool here = from >= 0 && from < COLUMNS;
        out.phase[q][2 * F + 1] =
            here ? from_behind.phase[from] : edge_phase(p, now, behind.difference[q]);
    }
}

// Computes the outflows of the cells of a row; `above` are the edges from the row above, `below`
// those to the row below. Subtracts them from `kept`.
__device__ __forceinline__ void give_row(const Flow &solver, const Params &p, const StepConstants &now,
                                         const Row &here,
                                         const Edges (&above)[FAMILIES - 1],
                                         const Edges (&below)[FAMILIES - 1], Ints (&outflow)[K], Ints &kept)
{
    Edges along;
    OutflowInputs out;
    edges<0>(solver, p, now, here, here, along);
    collect<0>(p, now, along, along, out);
    collect<1>(p, now, below[0], above[0], out);
#if NEIGHBOURS == 8
    collect<2>(p, now, below[1], above[1], out);
    collect<3>(p, now, below[2], above[2], out);
#endif
    int grains[COLUMNS][K];
    int total[COLUMNS];
    bool too_much = false;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        float give[K];
        solver.give((float)here.water[q], out.drop[q], out.edge[q], give);
        total[q] = to_grains(give, out.phase[q], grains[q]);
        too_much |= total[q] > here.water[q];
    }
    // Rare: only cells that give away all their water can round to more.
    if (too_much) {
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) total[q] = leave_off(total[q] - here.water[q], grains[q]);
    }
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        kept[q] -= total[q];
#pragma unroll
        for (int k = 0; k < K; k++) outflow[k][q] = grains[q][k];
    }
}

// Adds the inflow from neighbour k to `sum`; `outflow` is the outflow of that neighbour's row, in
// the opposite direction.
template <int KK, bool PLAIN>
__device__ __forceinline__ void take(const Ints (&outflow)[K], Ints &sum)
{
    Ints taken;
    ahead<offset_columns(KK)>(outflow[KK ^ 1], taken);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        sum[q] = PLAIN ? sum[q] + taken[q] : add_or_most(sum[q], taken[q]);
    }
}

// Adds the inflow from the neighbours of one row: the row above (-1), the cell's own (0), the row
// below (1).
template <int DJ, bool PLAIN>
__device__ __forceinline__ void take_row(const Ints (&outflow)[K], Ints &sum)
{
    if (DJ == 0) {
        take<0, PLAIN>(outflow, sum);
        take<1, PLAIN>(outflow, sum);
        return;
    }
    // Ahead is below, behind is above.
    constexpr int BEHIND = DJ < 0 ? 1 : 0;
    take<2 + BEHIND, PLAIN>(outflow, sum);
#if NEIGHBOURS == 8
    take<4 + BEHIND, PLAIN>(outflow, sum);
    take<6 + BEHIND, PLAIN>(outflow, sum);
#endif
}
