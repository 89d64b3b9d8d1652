// Rows of cells for the rules with edges: in registers, and on their way there.
#pragma once
#include "edge.cuh"
#include "lanes.cuh"
#include "staging.cuh"
#include "subgrid.cuh"

constexpr bool REMEMBERS = Flow::REMEMBERS;

// Whether water moves with velocities that are updated afterwards (momentum_update.cu). Its discharge is there already at second order
// (flux.cu), and over tables, where it was worked out with the velocities.
constexpr bool MOMENTUM = Flow::MOMENTUM;
constexpr bool KEEPS_DISCHARGE = MOMENTUM && TABLES;
// Whether tables are looked up as water flows.
constexpr bool LOOKS_UP = TABLES && !MOMENTUM;
constexpr bool GIVEN = KEEPS_DISCHARGE || (MOMENTUM && Flow::ORDER > 1);

// Whether something is fetched of every edge: a remembered discharge, a velocity, or the discharge itself.
constexpr bool CARRIES = REMEMBERS || MOMENTUM;

// Whether discharges are kept: to go on from, or to be read.
#ifdef KEEPS_FLOW
constexpr bool KEEPS = !GIVEN;
constexpr bool KEEPS_VELOCITY = !MOMENTUM;
#else
constexpr bool KEEPS_VELOCITY = false;
constexpr bool KEEPS = REMEMBERS || (MOMENTUM && !GIVEN);
#endif

#ifdef VARYING_ROUGHNESS
constexpr bool ROUGH = true;
#else
constexpr bool ROUGH = false;
#endif

// What is fetched of every edge.
__device__ __forceinline__ const float *carried_east(const Params &p)
{
    return KEEPS_DISCHARGE ? p.discharge_east : GIVEN ? p.next_discharge_east : MOMENTUM ? p.velocity_east : p.discharge_east;
}

__device__ __forceinline__ const float *carried_south(const Params &p)
{
    return KEEPS_DISCHARGE ? p.discharge_south : GIVEN ? p.next_discharge_south : MOMENTUM ? p.velocity_south : p.discharge_south;
}

// The values of a row of cells, and what is carried of the edges east and south of them.
struct Cells {
    Ints bed; // or levels, where tables are looked up
    Ints water;
    Reals roughness;
    Reals east;
    Reals south;
    Reals rises; // how fast levels rise, likewise
    float west;  // of the edge west of the warp's first column, in the first lane
};

// A row on its way into registers.
struct HeldCells {
    Lane bed[KEEPS_DISCHARGE ? 1 : 32];
    Lane water[32];
    Lane most[32];
    Lane roughness[ROUGH ? 32 : 1];
    Lane east[CARRIES ? 32 : 1];
    Lane south[CARRIES ? 32 : 1];
    Lane table[CELL_WORDS][LOOKS_UP ? 32 : 1]; // of its cells
};

// The tables of the edges of a row on their way into registers.
struct HeldEdges {
    Lane words[2 * EDGE_WORDS][LOOKS_UP ? 32 : 1];
};

// Starts to bring the tables of the edges from the cells of a row there, which lie at `at`.
__device__ __forceinline__ void fetch_edges(const Params &p, ptrdiff_t at, HeldEdges &to, int lane)
{
    fetch_words<2 * EDGE_WORDS>(edge_table(p, 0, at), to.words, lane);
}

// Where the tables of the edges of a row are: they have come, or they lie at `at` in memory.
struct RowTables {
    const HeldEdges *held;
    ptrdiff_t at;
    int lane;

    __device__ __forceinline__ void read(const Params &p, int axis, EdgeTable (&edges)[COLUMNS]) const
    {
        if (!held) {
            read_words<EDGE_WORDS>(edge_table(p, axis, at), edges);
            return;
        }
        read_held<EDGE_WORDS>(held->words + axis * EDGE_WORDS, lane, edges);
    }
};

// Rows that are held in shared memory: the next, and the one after, on its way; and two more where rows are finished a row later, for what
// their cells held before, unless tables need the place.
constexpr unsigned CELLS_HELD = Flow::CAPPED || LOOKS_UP ? 2 : 4;

// How fast the water of a row flows, in steps that look at it: the size of its velocity and the speed of its waves, and the velocities over
// the edges to the south of it.
struct Seen {
    Lane speed;
    Lane wave;
    Lane south;
};

struct Ring {
    HeldCells rows[CELLS_HELD];
    // What is remembered of the edge west of the first column.
    float west[CELLS_HELD];
    // Tables of a row's edges, and of the next row's.
    HeldEdges edges[LOOKS_UP ? 2 : 1];
    Seen seen[MOMENTUM ? 1 : 32];
};

// Fetches rows two ahead of the one whose edges are computed.
struct Fetcher {
    Ring *ring;
    int lane;
    unsigned place;
    ptrdiff_t coming;

    // The next row, and the maxima of row `most`.
    __device__ __forceinline__ void next(const Params &p, ptrdiff_t most)
    {
        HeldCells &row = ring->rows[place];
        if (!KEEPS_DISCHARGE) fetch(&row.bed[lane], p.bed + coming);
        if (LOOKS_UP) fetch_words<CELL_WORDS>(cell_table(p, coming), row.table, lane);
        fetch(&row.water[lane], p.water + coming);
        fetch(&row.most[lane], p.most + most);
        if (ROUGH) fetch(&row.roughness[lane], (const int *)p.roughness + coming);
        if (CARRIES) {
            fetch(&row.east[lane], (const int *)carried_east(p) + coming);
            fetch(&row.south[lane], (const int *)carried_south(p) + coming);
        }
        if (REMEMBERS && lane == 0) fetch_one(&ring->west[place], p.discharge_east + coming - 1);
        coming += p.stride;
        place = (place + 1) % CELLS_HELD;
    }

    // Where the row lies that was fetched last (1), or before it (2).
    __device__ __forceinline__ unsigned came(unsigned ago) const { return (place + CELLS_HELD - ago) % CELLS_HELD; }

    __device__ __forceinline__ Cells cells(const Params &p, unsigned from) const
    {
        const HeldCells &row = ring->rows[from];
        Lane bed = {};
        if (!KEEPS_DISCHARGE) bed = row.bed[lane];
        const Lane water = row.water[lane];
        Lane roughness = {};
        Lane east = {};
        Lane south = {};
        CellTable tables[COLUMNS];
        if (LOOKS_UP) read_held<CELL_WORDS>(row.table, lane, tables);
        if (ROUGH) roughness = row.roughness[lane];
        if (CARRIES) {
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
            cells.rises[q] = 0.0f;
            if (LOOKS_UP && water.v[q] > 0) cells.bed[q] = level_of(tables[q], bed.v[q], water.v[q], p.metres, cells.rises[q]);
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
