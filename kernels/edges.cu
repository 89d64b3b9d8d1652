// One step of a rule with edges in one kernel: a warp marches down the rows of a chunk, as in fused.cu.
// What crosses an edge is computed once, and passed to the cell on its other side by a shuffle.
//
// A row is done when its givers are known not to give more than they have. Rules that cap what crosses
// know at once; others once the row below has its edges, a row later (LATE). `Flow` is the rule.
#include "chunk.cuh"
#include "crossings.cuh"
#include "settle.cuh"
#include "staging.cuh"

// A row on its way into registers.
struct HeldCells {
    Lane bed[32];
    Lane water[32];
    Lane most[32];
    Lane roughness[ROUGH ? 32 : 1];
    Lane east[REMEMBERS ? 32 : 1];
    Lane south[REMEMBERS ? 32 : 1];
};

// Rows that are held in shared memory: the next, and the one after, on its way.
constexpr int CELLS_HELD = 2;

struct Ring {
    HeldCells rows[CELLS_HELD];
    // What is remembered of the edge west of the first column.
    float west[CELLS_HELD];
};

// Fetches rows two ahead of the one whose edges are computed.
struct Fetcher {
    Ring *ring;
    int lane;
    int place;
    ptrdiff_t coming;

    // The next row, and the maxima of row `most`.
    __device__ __forceinline__ void next(const Params &p, ptrdiff_t most)
    {
        HeldCells &row = ring->rows[place];
        fetch(&row.bed[lane], p.bed + coming);
        fetch(&row.water[lane], p.water + coming);
        fetch(&row.most[lane], p.most + most);
        if (ROUGH) fetch(&row.roughness[lane], (const int *)p.roughness + coming);
        if (REMEMBERS) {
            fetch(&row.east[lane], (const int *)p.east + coming);
            fetch(&row.south[lane], (const int *)p.south + coming);
            if (lane == 0) fetch_one(&ring->west[place], p.east + coming - 1);
        }
        coming += p.stride;
        place = (place + 1) % CELLS_HELD;
    }

    // Where the row lies that was fetched last (1), or before it (2).
    __device__ __forceinline__ int came(int ago) const { return (place + CELLS_HELD - ago) % CELLS_HELD; }

    __device__ __forceinline__ Cells cells(const Params &p, int from) const
    {
        const HeldCells &row = ring->rows[from];
        const Lane bed = row.bed[lane];
        const Lane water = row.water[lane];
        Lane roughness = {};
        Lane east = {};
        Lane south = {};
        if (ROUGH) roughness = row.roughness[lane];
        if (REMEMBERS) {
            east = row.east[lane];
            south = row.south[lane];
        }
        Cells cells;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            cells.bed[q] = bed.v[q];
            cells.water[q] = water.v[q];
            cells.roughness[q] = ROUGH ? __int_as_float(roughness.v[q]) : p.all_roughness;
            cells.east[q] = __int_as_float(east.v[q]);
            cells.south[q] = __int_as_float(south.v[q]);
        }
        cells.west = 0.0f;
        if (REMEMBERS && lane == 0) cells.west = ring->west[from];
        return cells;
    }
};

__device__ __forceinline__ bool is_wet(const Cells &cells)
{
    int water = 0;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) water |= cells.water[q];
    return water != 0;
}

// Marches down the chunk. PLAIN: all of the chunk is computed, the frame's own and counted, no cell of
// it is a sink or a drain, and nothing near is so deep that sums need a check.
template <bool PLAIN>
__device__ __forceinline__ void march(const Params &p, const Moment &now, const Chunk &chunk, Ring *ring,
                                      int lane, int first, int end)
{
    const Flow rule(p.rule);
    const Flow::Terms along = rule.terms({now.dt, p.inverse_dx, p.inverse_dy, p.per_metre});
    const Flow::Terms down = rule.terms({now.dt, p.inverse_dy, p.inverse_dx, p.per_metre});
    const bool special = !PLAIN && (p.special[chunk.index] & (SINK | DRAIN));
    const bool inner = lane >= 1 && lane <= 30;
    const int column = chunk.column - COLUMNS + COLUMNS * lane;
    bool writes[COLUMNS];
    bool owns[COLUMNS];
    bool counts[COLUMNS];
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const int at = column + q;
        writes[q] = inner && (PLAIN || (at >= p.computed.column && at < p.computed.end_column));
        owns[q] = writes[q] && (PLAIN || (at >= p.own.column && at < p.own.end_column));
        counts[q] = writes[q] && (PLAIN || (at >= p.counted.column && at < p.counted.end_column));
    }
    const auto counts_row = [&](int row) {
        return row >= first && row < end &&
               (PLAIN || (row >= p.counted.row && row < p.counted.end_row));
    };
    // Of the row that the walk starts with only the edges to the south matter.
    const int start = first - (LATE ? 2 : 1);
    const int last = LATE ? end : end - 1;
    ptrdiff_t at = (ptrdiff_t)start * p.stride + column;
    Fetcher fetcher = {ring, lane, 0, at};
    fetcher.next(p, at);
    fetcher.next(p, at);
    Reals south_behind = {};
    if (REMEMBERS) {
        const Lane behind = *(const Lane *)((const int *)p.south + at - p.stride);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) south_behind[q] = __int_as_float(behind.v[q]);
    }
    await_fetches();
    Cells here = fetcher.cells(p, fetcher.came(2));
    bool wet_here = __any_sync(WHOLE_WARP, is_wet(here));
    Sides sides_here;
    sides_of(rule, p, here, sides_here);
    // The flow across the edges to the east that comes from the row above, and what crosses the edges
    // between that row and this one.
    Reals beside_above = {};
    Ints above = {};
    // Water of a row without what crosses its edges to the south.
    Ints partial = {};
    int deepest = 0;
    int moving = 0;
    float pace = 0.0f;
    Count crossed = 0;
    Count cut = 0;
    for (int row = start; row <= last; row++) {
        await_fetches();
        const int came = fetcher.came(1);
        const Cells below = fetcher.cells(p, came);
        const Lane most = ring->rows[came].most[lane];
        const int finished = LATE ? row - 1 : row;
        const ptrdiff_t done = LATE ? at - p.stride : at;
        fetcher.next(p, done + p.stride);
        const bool wet_below = __any_sync(WHOLE_WARP, is_wet(below));
        Sides sides_below = {};
        if (REMEMBERS || wet_here || wet_below) sides_of(rule, p, below, sides_below);
        Reals beside = {};
        Crossings south;
        Crossings east;
        none(east);
        // Between dry cells nothing crosses, and nothing is asked of what was remembered.
        if (wet_here || wet_below) {
            cross_south(rule, down, p, now.phase, here, below, sides_here, sides_below, south_behind,
                        south, beside);
            if (row > start) {
                cross_east(rule, along, p, now.phase, here, sides_here, beside_above, beside, east);
            }
        } else {
            none(south);
        }
        Ints west;
        ahead<-1>(east.grains, west);
        if (LATE) {
            Ints out;
            outflows(above, south.grains, west, east.grains, out);
            bool too_much = false;
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) too_much |= out[q] > here.water[q];
            if (__any_sync(WHOLE_WARP, too_much)) {
                Ints less;
                hold_back(here.water, out, above, south.grains, west, east.grains, less);
#pragma unroll
                for (int q = 0; q < COLUMNS; q++) {
                    if (counts[q] && counts_row(row)) cut += (unsigned)less[q];
                }
            }
        }
        // Sums of whole grains, right whatever their order, and at last neither below 0 nor beyond 2^32.
        Ints sum;
        Ints crosses;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            const unsigned kept = (unsigned)here.water[q] + (unsigned)above[q] + (unsigned)west[q] -
                                  (unsigned)east.grains[q];
            const int leaves = LATE ? above[q] : south.grains[q];
            sum[q] = (int)((LATE ? (unsigned)partial[q] : kept) - (unsigned)leaves);
            partial[q] = (int)kept;
            crosses[q] = abs(leaves);
        }
        const bool flows = row >= first && row < end;
        const bool finishes = finished >= first;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            unsigned more = 0;
            if (PLAIN ? finishes : counts[q] && counts_row(finished)) more = crosses[q];
            if (PLAIN ? flows : counts[q] && counts_row(row)) {
                more += abs(east.grains[q]);
                if (!LATE) cut += (unsigned)south.cut[q] + (unsigned)east.cut[q];
            }
            crossed += more;
            if (PLAIN || writes[q]) pace = higher(pace, higher(south.pace[q], east.pace[q]));
        }
        if (REMEMBERS && flows) {
            if (PLAIN) {
                Lane new_east;
                Lane new_south;
#pragma unroll
                for (int q = 0; q < COLUMNS; q++) {
                    new_east.v[q] = __float_as_int(east.discharge[q]);
                    new_south.v[q] = __float_as_int(south.discharge[q]);
                    moving |= new_east.v[q] | new_south.v[q];
                }
                if (inner) {
                    *(Lane *)((int *)p.next_east + at) = new_east;
                    *(Lane *)((int *)p.next_south + at) = new_south;
                }
            } else {
#pragma unroll
                for (int q = 0; q < COLUMNS; q++) {
                    if (!writes[q]) continue;
                    p.next_east[at + q] = east.discharge[q];
                    p.next_south[at + q] = south.discharge[q];
                    moving |= __float_as_int(east.discharge[q]) | __float_as_int(south.discharge[q]);
                }
            }
        }
        if (finishes && PLAIN) {
            Lane out;
            bool rises = false;
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) {
                out.v[q] = sum[q];
                deepest = max(deepest, sum[q]);
                rises |= sum[q] > most.v[q];
            }
            if (inner) *(Lane *)(p.next + done) = out;
            if (inner && rises) {
#pragma unroll
                for (int q = 0; q < COLUMNS; q++) note(p, now, done + q, sum[q], most.v[q]);
            }
        } else if (finishes) {
            const bool own_row = finished >= p.own.row && finished < p.own.end_row;
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) {
                if (!writes[q]) continue;
                const bool own = own_row && owns[q];
                if ((unsigned)sum[q] > (unsigned)MAX_WATER && own) halt(p, now.turn);
                int water = (int)min((unsigned)sum[q], 0x7fffffffu);
                if (special) water = emptied(p, p.flags[done + q], water, own);
                p.next[done + q] = water;
                deepest = max(deepest, water);
                if (own) note(p, now, done + q, water, most.v[q]);
            }
        }
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            above[q] = south.grains[q];
            south_behind[q] = here.south[q];
            beside_above[q] = beside[q];
        }
        here = below;
        sides_here = sides_below;
        wet_here = wet_below;
        at += p.stride;
    }
    if (moving != 0) deepest = max(deepest, 1);
    if (PLAIN && !inner) {
        deepest = 0;
        pace = 0.0f;
        crossed = cut = 0;
    }
    deepest = warp_max(deepest);
    // Numbers that are not negative are in order as their bits are.
    const int fastest = warp_max(__float_as_int(pace));
    crossed = warp_sum(crossed);
    cut = warp_sum(cut);
    if (lane > 0) return;
    p.deepest_next[chunk.index] = deepest;
    if ((unsigned)fastest > *(volatile unsigned *)p.rate) atomicMax(p.rate, (unsigned)fastest);
    if (crossed > 0) atomicAdd(&p.totals->crossed, crossed);
    if (cut > 0) atomicAdd(&p.totals->cut, cut);
}

// Warps per multiprocessor for which registers are kept few enough.
#ifndef RESIDENT_WARPS
#define RESIDENT_WARPS 20
#endif

extern "C" __global__ void __launch_bounds__(32 * WARPS, RESIDENT_WARPS / WARPS) flow(Params p)
{
    const int lane = threadIdx.x % 32;
    const Chunk chunk(p, blockIdx.x * WARPS + threadIdx.x / 32, blockIdx.y);
    if (chunk.empty(p.computed)) return;
    const Moment now = flowing(p);
    if (!begin(p, now)) return;
    const int deepest_near = chunk.deepest_near(p, lane);
    const int first = max(chunk.row, p.computed.row);
    const int end = min(chunk.end_row, p.computed.end_row);
    if (deepest_near == 0) {
        // Dry and still, and nothing near: only what an earlier step left in the other buffers is wiped.
        if (p.deepest_next[chunk.index] == 0) return;
        const int last = min(chunk.column + CHUNK_COLUMNS, p.computed.end_column);
        for (int row = first; row < end; row++) {
            const ptrdiff_t start = (ptrdiff_t)row * p.stride;
            const int from = max(chunk.column, p.computed.column);
            for (int column = from + lane; column < last; column += 32) {
                p.next[start + column] = 0;
                if (REMEMBERS) p.next_east[start + column] = p.next_south[start + column] = 0.0f;
            }
        }
        // All lanes have read it by now.
        __syncwarp();
        if (lane == 0) p.deepest_next[chunk.index] = 0;
        return;
    }
    __shared__ Ring rings[WARPS];
    Ring *ring = &rings[threadIdx.x / 32];
    const bool special = p.special[chunk.index] & (SINK | DRAIN);
    const bool plain = deepest_near < SHALLOW_WATER && !special && chunk.within(p.computed) &&
                       chunk.within(p.own) && chunk.within(p.counted);
    if (plain) {
        march<true>(p, now, chunk, ring, lane, first, end);
    } else {
        march<false>(p, now, chunk, ring, lane, first, end);
    }
}
