// One step in one kernel: a warp marches down the rows of a chunk, two columns per lane, with a few
// rows in registers. Every edge and every giver is computed once (but for the chunk's margin), and
// lanes pass edges and gifts to their neighbours by shuffles: no shared memory, no barriers.
//
// The twin of src/backend/cpu/rows.rs. `Flow` is the rule.
#include "chunk.cuh"
#include "grains.cuh"
#include "neighbourhood.cuh"
#include "settle.cuh"

constexpr int K = NEIGHBOURS;

// The values of a row of cells, two columns per lane.
typedef int Ints[2];
typedef float Reals[2];

// What the cells DI columns ahead have.
template <int DI, class T>
__device__ __forceinline__ void ahead(const T (&from)[2], T (&to)[2])
{
    if (DI == 0) {
        to[0] = from[0];
        to[1] = from[1];
    } else if (DI == 1) {
        to[0] = from[1];
        to[1] = __shfl_down_sync(WHOLE_WARP, from[0], 1);
    } else {
        to[1] = from[0];
        to[0] = __shfl_up_sync(WHOLE_WARP, from[1], 1);
    }
}

struct Row {
    Ints bed;
    Ints water;
};

__device__ __forceinline__ Row load(const int *bed, const int *water)
{
    const int2 z = *(const int2 *)bed;
    const int2 w = *(const int2 *)water;
    return {{z.x, z.y}, {w.x, w.y}};
}

// Differences and edge quantities of one family's edges from the cells of a row.
struct Edges {
    Reals difference;
    Reals quantity;
};

// Edges of family F from the cells of `here`; `there` is the row of the cells ahead.
template <int F>
__device__ __forceinline__ void edges(const Flow &rule, float bed_step, const Row &here,
                                      const Row &there, Edges &edges)
{
    Row other;
    ahead<ahead_columns(F)>(there.bed, other.bed);
    ahead<ahead_columns(F)>(there.water, other.water);
#pragma unroll
    for (int q = 0; q < 2; q++) {
        edges.difference[q] = level_difference(here.bed[q], other.bed[q], here.water[q],
                                               other.water[q], bed_step);
        edges.quantity[q] = rule.edge(edges.difference[q]);
    }
}

// The edges to the next row.
__device__ __forceinline__ void edges_below(const Flow &rule, float bed_step, const Row &here,
                                            const Row &below, Edges (&held)[FAMILIES - 1])
{
    edges<1>(rule, bed_step, here, below, held[0]);
    if (K == 8) {
        edges<2>(rule, bed_step, here, below, held[FAMILIES - 2 > 0 ? 1 : 0]);
        edges<3>(rule, bed_step, here, below, held[FAMILIES - 2]);
    }
}

// Drops and edge quantities towards the neighbours ahead and behind in family F.
template <int F>
__device__ __forceinline__ void look(const Edges &to_ahead, const Edges &from_behind,
                                     float (&drop)[2][K], float (&edge)[2][K])
{
    Edges behind;
    ahead<-ahead_columns(F)>(from_behind.difference, behind.difference);
    if (Flow::NEEDS_EDGE) ahead<-ahead_columns(F)>(from_behind.quantity, behind.quantity);
#pragma unroll
    for (int q = 0; q < 2; q++) {
        drop[q][2 * F] = higher(to_ahead.difference[q], 0.0f);
        edge[q][2 * F] = to_ahead.quantity[q];
        drop[q][2 * F + 1] = higher(-behind.difference[q], 0.0f);
        edge[q][2 * F + 1] = behind.quantity[q];
    }
}

// Adds what neighbour k gave to `sum`; `gift` is what the cells of that neighbour's row give in the
// opposite direction.
template <int KK>
__device__ __forceinline__ void take(const Ints (&gift)[K], bool checked, Ints &sum)
{
    Ints taken;
    ahead<offset_columns(KK)>(gift[KK ^ 1], taken);
#pragma unroll
    for (int q = 0; q < 2; q++) {
        sum[q] = checked ? add_or_most(sum[q], taken[q]) : sum[q] + taken[q];
    }
}

// Adds what the neighbours of one row gave: the row above (-1), the cell's own (0), the row below (1).
template <int DJ>
__device__ __forceinline__ void take_row(const Ints (&gift)[K], bool checked, Ints &sum)
{
    if (DJ == 0) {
        take<0>(gift, checked, sum);
        take<1>(gift, checked, sum);
        return;
    }
    // Ahead lies below, behind above.
    constexpr int BEHIND = DJ < 0 ? 1 : 0;
    take<2 + BEHIND>(gift, checked, sum);
    if (K == 8) {
        take<(K == 8 ? 4 : 2) + BEHIND>(gift, checked, sum);
        take<(K == 8 ? 6 : 2) + BEHIND>(gift, checked, sum);
    }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS) flow(const Params p)
{
    const Flow rule(p.rule);
    const int lane = threadIdx.x % 32;
    const Chunk chunk(p, blockIdx.x * WARPS + threadIdx.x / 32, blockIdx.y);
    if (chunk.empty(p.computed)) return;
    const int deepest_near = chunk.deepest_near(p, lane);
    if (halted(p)) return;
    const int first = max(chunk.row, p.computed.row);
    const int end = min(chunk.end_row, p.computed.end_row);
    const int column = chunk.column - REACH + 2 * lane;
    bool writes[2];
    bool owns[2];
#pragma unroll
    for (int q = 0; q < 2; q++) {
        const int at = column + q;
        writes[q] = lane >= 1 && lane <= 30 && at >= p.computed.column && at < p.computed.end_column;
        owns[q] = writes[q] && at >= p.own.column && at < p.own.end_column;
    }
    if (deepest_near == 0) {
        // Dry, and nothing near: only what an earlier step left in the other buffer is wiped.
        if (p.deepest_next[chunk.index] == 0) return;
        for (int row = first; row < end; row++) {
            int *next = p.next + (size_t)row * p.stride + column;
            if (writes[0]) next[0] = 0;
            if (writes[1]) next[1] = 0;
        }
        if (lane == 0) p.deepest_next[chunk.index] = 0;
        return;
    }
    const bool checked = deepest_near >= SHALLOW_WATER;
    const bool special = p.special[chunk.index] & (SINK | DRAIN);

    // Walks down with the row that gives; reads go one row further ahead than is needed.
    ptrdiff_t at = (ptrdiff_t)(first - 2) * p.stride + column;
    Row here = load(p.bed + at, p.water + at);
    at += p.stride;
    Row below = load(p.bed + at, p.water + at);
    Edges above[FAMILIES - 1];
    edges_below(rule, p.bed_step, here, below, above);
    here = below;
    at += p.stride;
    below = load(p.bed + at, p.water + at);
    // Water of the row above `here` without what `here` gives it, and what that row gives `here`.
    Ints partial = {0, 0};
    Ints from_above = {0, 0};
    int deepest = 0;
    bool wet_here = __any_sync(WHOLE_WARP, (here.water[0] | here.water[1]) != 0);
    for (int row = first - 1; row <= end; row++, at += p.stride) {
        const Row after = load(p.bed + at + p.stride, p.water + at + p.stride);
        // The cell that gets finished: one row above `here`, which is one row above `at`.
        const ptrdiff_t done = at - 2 * (ptrdiff_t)p.stride;
        const bool finishes = row > first;
        const bool notes = finishes && row - 1 >= p.own.row && row - 1 < p.own.end_row;
        int2 most = {0, 0};
        if (notes && lane >= 1 && lane <= 30) most = *(const int2 *)(p.most + done);

        const bool wet_below = __any_sync(WHOLE_WARP, (below.water[0] | below.water[1]) != 0);
        Edges held[FAMILIES - 1];
        Ints gift[K];
        Ints kept = {here.water[0], here.water[1]};
        // Edges between dry cells are never looked at.
        if (wet_here || wet_below) edges_below(rule, p.bed_step, here, below, held);
        if (wet_here) {
            Edges along;
            float drop[2][K];
            float edge[2][K];
            edges<0>(rule, p.bed_step, here, here, along);
            look<0>(along, along, drop, edge);
            look<1>(held[0], above[0], drop, edge);
            if (K == 8) {
                look<(K == 8 ? 2 : 1)>(held[FAMILIES - 2 > 0 ? 1 : 0], above[FAMILIES - 2 > 0 ? 1 : 0], drop, edge);
                look<(K == 8 ? 3 : 1)>(held[FAMILIES - 2], above[FAMILIES - 2], drop, edge);
            }
#pragma unroll
            for (int q = 0; q < 2; q++) {
                float give[K];
                int grains[K];
                rule.give((float)here.water[q], drop[q], edge[q], give);
                kept[q] -= to_grains(p, here.water[q], give, drop[q], grains);
#pragma unroll
                for (int k = 0; k < K; k++) gift[k][q] = grains[k];
            }
        } else {
#pragma unroll
            for (int k = 0; k < K; k++) gift[k][0] = gift[k][1] = 0;
        }

        // The row above gets the last of its gifts from here.
        take_row<1>(gift, checked, partial);
        if (finishes) {
            Ints water = {partial[0], partial[1]};
            if (special) {
#pragma unroll
                for (int q = 0; q < 2; q++) {
                    if (writes[q]) water[q] = emptied(p, p.flags[done + q], water[q], notes && owns[q]);
                }
            }
            if (writes[0] && writes[1]) {
                *(int2 *)(p.next + done) = make_int2(water[0], water[1]);
            } else if (writes[0]) {
                p.next[done] = water[0];
            } else if (writes[1]) {
                p.next[done + 1] = water[1];
            }
            if (writes[0]) deepest = max(deepest, water[0]);
            if (writes[1]) deepest = max(deepest, water[1]);
            if (notes && (water[0] > most.x || water[1] > most.y)) {
                if (owns[0]) note(p, done, water[0], most.x);
                if (owns[1]) note(p, done + 1, water[1], most.y);
            }
            if (checked && notes) {
                if ((owns[0] && partial[0] > MAX_WATER) || (owns[1] && partial[1] > MAX_WATER)) halt(p);
            }
        }
        partial[0] = kept[0];
        partial[1] = kept[1];
        take_row<0>(gift, checked, partial);
#pragma unroll
        for (int q = 0; q < 2; q++) {
            partial[q] = checked ? add_or_most(partial[q], from_above[q]) : partial[q] + from_above[q];
        }
        from_above[0] = from_above[1] = 0;
        take_row<-1>(gift, checked, from_above);
#pragma unroll
        for (int f = 0; f < FAMILIES - 1; f++) above[f] = held[f];
        here = below;
        below = after;
        wet_here = wet_below;
    }
    deepest = warp_max(deepest);
    if (lane == 0) p.deepest_next[chunk.index] = deepest;
}
