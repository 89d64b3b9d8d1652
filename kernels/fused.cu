// One step in one kernel: a warp marches down the rows of a chunk, some columns per lane, with a
// few rows in registers. Every edge and every donor is computed once (except in the chunk's
// margin), and lanes pass edges and outflows to their neighbours by shuffles. Rows come through
// shared memory, fetched during the arithmetic; there are no barriers.
//
// The twin of src/engine/backend/cpu/rows.rs. `Flow` is the solver.
#include "chunk.cuh"
#include "outflows.cuh"
#include "after_flow.cuh"

// Marches down the chunk. PLAIN: the whole chunk is computed and the frame's own, no cell of it is
// a sink or a drain, and no water nearby is so deep that sums need a check.
template <bool PLAIN>
__device__ __forceinline__ void march(const Params &p, const StepConstants &now, const Chunk &chunk, StoredRow *ring, int lane,
                                      int first, int end, bool special)
{
    const Flow solver(p.solver);
    const bool inner = lane >= 1 && lane <= 30;
    const int column = chunk.column - COLUMNS + COLUMNS * lane;
    bool writes[COLUMNS];
    bool owns[COLUMNS];
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const int at = column + q;
        writes[q] = inner && (PLAIN || (at >= p.computed.column && at < p.computed.end_column));
        owns[q] = writes[q] && (PLAIN || (at >= p.own.column && at < p.own.end_column));
    }
    // Marches with the donor row; rows are fetched two ahead.
    const ptrdiff_t start = (ptrdiff_t)(first - 2) * p.stride + column;
    ptrdiff_t coming = start;
    unsigned place = 0;
    const auto fetch_row = [&]() {
        fetch(&ring[place].bed[lane], p.bed + coming);
        fetch(&ring[place].water[lane], p.water + coming);
        fetch(&ring[place].most[lane], p.most + coming);
        coming += p.stride;
        place = (place + 1) % ROWS_HELD;
    };
    fetch_row();
    fetch_row();
    fetch_row();
    await_fetches();
    Row here = row_of(ring[1], lane);
    Edges above[FAMILIES - 1];
    edges_below(solver, p, now, row_of(ring[0], lane), here, above);
    // Index of the cell being finished: one row above `here`.
    ptrdiff_t done = start;
    // Water of the row above `here` without the outflow of `here` into it, and the outflow of that
    // row into `here`.
    Ints partial = {};
    Ints from_above = {};
    int deepest = 0;
    bool wet_here = __any_sync(WHOLE_WARP, is_wet(here));
    for (int row = first - 1; row <= end; row++) {
        // `place` is the slot of the row after the next; the finished row is right behind it.
        await_fetches();
        const Row below = row_of(ring[(place + ROWS_HELD - 1) % ROWS_HELD], lane);
        const Lane most = ring[(place + 1) % ROWS_HELD].most[lane];
        fetch_row();
        const bool finishes = row > first;
        const bool records = finishes && (PLAIN || (row - 1 >= p.own.row && row - 1 < p.own.end_row));
        const bool wet_below = __any_sync(WHOLE_WARP, is_wet(below));
        Edges held[FAMILIES - 1];
        Ints outflow[K];
        Ints kept;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) kept[q] = here.water[q];
        // Edges between dry cells are never read.
        if (wet_here || wet_below) {
            edges_below(solver, p, now, here, below, held);
            give_row(solver, p, now, here, above, held, outflow, kept);
        } else {
            // Only once they are known to be dry, so that wet rows do not wait for it.
            const int none = not_before(0);
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) {
#pragma unroll
                for (int k = 0; k < K; k++) outflow[k][q] = none;
#pragma unroll
                for (int f = 0; f < FAMILIES - 1; f++) {
                    held[f].difference[q] = held[f].quantity[q] = held[f].phase[q] = __int_as_float(none);
                }
            }
        }

        // The row above receives its last outflows from here.
        take_row<1, PLAIN>(outflow, partial);
        if (finishes) {
            Ints water;
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) {
                water[q] = partial[q];
                if (special && writes[q]) {
                    water[q] = emptied(p, p.flags[done + q], water[q], records && owns[q], done + q);
                }
            }
            if (PLAIN) {
                Lane out;
                bool rises = false;
#pragma unroll
                for (int q = 0; q < COLUMNS; q++) {
                    out.v[q] = water[q];
                    deepest = max(deepest, water[q]);
                    rises |= water[q] > most.v[q];
                }
                if (inner) *(Lane *)(p.next_water + done) = out;
                if (inner && rises) {
#pragma unroll
                    for (int q = 0; q < COLUMNS; q++) record(p, now, done + q, water[q], most.v[q]);
                }
            } else {
#pragma unroll
                for (int q = 0; q < COLUMNS; q++) {
                    if (!writes[q]) continue;
                    p.next_water[done + q] = water[q];
                    deepest = max(deepest, water[q]);
                    if (!(records && owns[q])) continue;
                    record(p, now, done + q, water[q], most.v[q]);
                    if (partial[q] > MAX_WATER) halt(p, now.half_step);
                }
            }
        }
        done += p.stride;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) partial[q] = kept[q];
        take_row<0, PLAIN>(outflow, partial);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            partial[q] = PLAIN ? partial[q] + from_above[q] : add_or_most(partial[q], from_above[q]);
        }
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) from_above[q] = 0;
        take_row<-1, PLAIN>(outflow, from_above);
#pragma unroll
        for (int f = 0; f < FAMILIES - 1; f++) above[f] = held[f];
        here = below;
        wet_here = wet_below;
    }
    if (PLAIN && !inner) deepest = 0;
    deepest = warp_max(deepest);
    if (int *const bound = of_lane(p, chunk, p.deepest_next, lane)) *bound = deepest;
}

// Number of resident warps per multiprocessor for which registers are limited.
constexpr int RESIDENT_WARPS = K == 4 ? 32 : 20;

extern "C" __global__ void __launch_bounds__(32 * WARPS, RESIDENT_WARPS / WARPS) flow(const Params p)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const int warp = warp_of_block();
    const Chunk chunk = Chunk::of_launch(p, blockIdx.x * WARPS + warp, blockIdx.y);
    if (chunk.empty(p.computed)) return;
    const int deepest_near = chunk.deepest_near(p, lane);
    const StepConstants now = flowing(p);
    if (halted(p, now.half_step)) return;
    const int first = max(chunk.row, p.computed.row);
    const int end = min(chunk.end_row, p.computed.end_row);
    if (deepest_near == 0) {
        // Dry, with nothing nearby: only values from an earlier step in the other buffer are wiped.
        int *const bound = of_lane(p, chunk, p.deepest_next, lane);
        if (!__any_sync(WHOLE_WARP, bound && *bound != 0)) return;
        const int last = min(chunk.column + CHUNK_COLUMNS, p.computed.end_column);
        for (int row = first; row < end; row++) {
            int *next = p.next_water + (size_t)row * p.stride;
            const int from = max(chunk.column, p.computed.column);
            for (int column = from + lane; column < last; column += 32) next[column] = 0;
        }
        if (bound) *bound = 0;
        return;
    }
    __shared__ StoredRow rings[WARPS][ROWS_HELD];
    StoredRow *ring = rings[warp];
    const bool special = flags_in(p, chunk) & (SINK | DRAIN);
    const bool plain = deepest_near < SHALLOW_WATER && !special && chunk.within(p.computed) &&
                       chunk.within(p.own);
    if (plain) {
        march<true>(p, now, chunk, ring, lane, first, end, false);
    } else {
        march<false>(p, now, chunk, ring, lane, first, end, special);
    }
}
