// Rows of cells for the solvers with edges: in registers, and in transit to them.
#pragma once
#include "edge.cuh"
#include "lanes.cuh"
#include "staging.cuh"
#include "subgrid.cuh"

constexpr bool REMEMBERS = Flow::REMEMBERS;

// Set if water moves with velocities that are updated afterwards (momentum_update.cu). The
// discharge is precomputed with tables, where it is computed along with the velocities, and at
// second order for listed chunks (flux.cu).
constexpr bool MOMENTUM = Flow::MOMENTUM;
constexpr bool KEEPS_DISCHARGE = MOMENTUM && TABLES;
#ifdef LISTED
constexpr bool PRECOMPUTED = MOMENTUM && Flow::ORDER > 1;
#else
constexpr bool PRECOMPUTED = false;
#endif
// Set if tables are looked up during the flow.
constexpr bool LOOKS_UP = TABLES && !MOMENTUM;
constexpr bool GIVEN = KEEPS_DISCHARGE || PRECOMPUTED;
// Set if discharges follow from the slopes of the water, which reach one cell further.
constexpr bool SLOPES = MOMENTUM && Flow::ORDER > 1 && !GIVEN;

// Set if the cells beside a warp's columns are fetched: for slopes, or because the water of the column
// east of a chunk depends on them (whole_step.cu).
constexpr bool OUTSIDE = MOMENTUM && !GIVEN && COLUMNS > 1;

// Set if one kernel does the whole step. It keeps discharges only if something else reads them.
constexpr bool WHOLE_STEP = MOMENTUM && Flow::ORDER == 1 && !TABLES;

// Set if a value is fetched for every edge: a kept discharge, a velocity, or the precomputed
// discharge.
constexpr bool CARRIES = REMEMBERS || MOMENTUM;

// Set if discharges are kept, as state or to be read.
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

// The array fetched for every edge.
__device__ __forceinline__ const float *carried_east(const Params &p)
{
    return KEEPS_DISCHARGE ? p.discharge_east : GIVEN ? p.next_discharge_east : MOMENTUM ? p.velocity_east : p.discharge_east;
}

__device__ __forceinline__ const float *carried_south(const Params &p)
{
    return KEEPS_DISCHARGE ? p.discharge_south : GIVEN ? p.next_discharge_south : MOMENTUM ? p.velocity_south : p.discharge_south;
}

// Ground and water of a row of cells.
struct Ground {
    Ints bed; // or levels, if tables are looked up
    Ints water;
    Reals depth;
};

// Computes the depths of a row of cells.
__device__ __forceinline__ void depths(const Params &p, Ground &row)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) row.depth[q] = (float)row.water[q] * p.metres;
}

// Returns the ground and water of the cells one column ahead.
__device__ __forceinline__ Ground next_columns(const Ground &row)
{
    Ground next;
    ahead<1>(row.bed, next.bed);
    ahead<1>(row.water, next.water);
    ahead<MOMENTUM ? 1 : 0>(row.depth, next.depth);
    return next;
}

// Values of a row of cells, and the values fetched for the edges east and south of them.
struct Cells : Ground {
    Reals roughness;
    Reals east;
    Reals south;
    Reals rises; // rise of the levels per unit of mean depth, likewise
    Reals open_depth; // mean over open pixels, likewise
    float west;       // of the edge west of the warp's first column, in the first lane
};

// A row in transit to registers.
struct HeldCells {
    Lane bed[KEEPS_DISCHARGE ? 1 : 32];
    Lane water[32];
    Lane most[32];
    Lane roughness[ROUGH ? 32 : 1];
    Lane east[CARRIES ? 32 : 1];
    Lane south[CARRIES ? 32 : 1];
    Lane table[CELL_WORDS][LOOKS_UP ? 32 : 1]; // of its cells
};

// Edge tables of a row in transit to registers.
struct HeldEdges {
    Lane words[2 * EDGE_WORDS][LOOKS_UP ? 32 : 1];
};

// Starts to fetch the tables of the edges of a row at `at`.
__device__ __forceinline__ void fetch_edges(const Params &p, ptrdiff_t at, HeldEdges &to, int lane)
{
    fetch_words<2 * EDGE_WORDS>(edge_table(p, 0, at), to.words, lane);
}

// Location of a row's edge tables: in shared memory, or at `at` in global memory.
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

// Rows held in shared memory: the next one, and the one after it, in transit. If rows are finished
// one row later, two more, for the former water of their cells, unless tables need the space.
constexpr unsigned CELLS_HELD = Flow::CAPPED || LOOKS_UP ? 2 : 4;

// Flow of the water in a row, in steps that evaluate it: square of the speed, depth, and the velocities on
// the south edges.
struct CellView {
    Lane square;
    Lane depth;
    Lane south;
};

// Bed and water beside the columns of a warp, on its west and its east.
struct Outside {
    int bed[2];
    int water[2];
};

// What the flow of a row leaves for the velocity update in the same kernel: velocities before it, discharges, and falls of the
// bed across the edges.
struct HeldFlow {
    Lane velocity_east[WHOLE_STEP ? 32 : 1];
    Lane velocity_south[WHOLE_STEP ? 32 : 1];
    Lane discharge_east[WHOLE_STEP ? 32 : 1];
    Lane discharge_south[WHOLE_STEP ? 32 : 1];
    Lane rise_east[WHOLE_STEP ? 32 : 1];
    Lane rise_south[WHOLE_STEP ? 32 : 1];
};

// A place for a row.
struct HeldRow {
    HeldCells cells;
    HeldFlow flow;
    // The kept value of the edge west of the first column.
    float west;
    // Bed and water west of the first column and east of the last one.
    Outside outside;
};

struct Ring {
    HeldRow rows[CELLS_HELD];
    // Tables of a row's edges, and of the next row's.
    HeldEdges edges[LOOKS_UP ? 2 : 1];
    CellView seen[MOMENTUM ? 1 : 32];
};

// Fetches rows two ahead of the one whose edges are computed, or three if slopes are needed.
struct Fetcher {
    int lane;
    HeldRow *rows[CELLS_HELD]; // by age

    __device__ __forceinline__ Fetcher(Ring *ring, int lane) : lane(lane)
    {
#pragma unroll
        for (unsigned k = 0; k < CELLS_HELD; k++) rows[k] = &ring->rows[k];
    }

    // Fetches the next row, at `coming`, and the maxima of the row at `most`.
    __device__ __forceinline__ void next(const Params &p, ptrdiff_t coming, ptrdiff_t most)
    {
        HeldRow *const row = rows[0];
        HeldCells &cells = row->cells;
        if (!KEEPS_DISCHARGE) fetch(&cells.bed[lane], p.bed + coming);
        if (LOOKS_UP) fetch_words<CELL_WORDS>(cell_table(p, coming), cells.table, lane);
        fetch(&cells.water[lane], p.water + coming);
        fetch(&cells.most[lane], p.most + most);
        if (ROUGH) fetch(&cells.roughness[lane], (const int *)p.roughness + coming);
        if (CARRIES) {
            fetch(&cells.east[lane], (const int *)carried_east(p) + coming);
            fetch(&cells.south[lane], (const int *)carried_south(p) + coming);
        }
        if (REMEMBERS && lane == 0) fetch_one(&row->west, p.discharge_east + coming - 1);
        if (OUTSIDE && (lane == 31 || (SLOPES && lane == 0))) {
            const ptrdiff_t beside = coming + (SLOPES && lane == 0 ? -1 : COLUMNS);
            const int side = SLOPES ? lane & 1 : 1;
            fetch_one(&row->outside.bed[side], p.bed + beside);
            fetch_one(&row->outside.water[side], p.water + beside);
        }
#pragma unroll
        for (unsigned k = 0; k + 1 < CELLS_HELD; k++) rows[k] = rows[k + 1];
        rows[CELLS_HELD - 1] = row;
    }

    // Returns the place of the row fetched last (1), or before it (2).
    __device__ __forceinline__ HeldRow &came(unsigned ago) const { return *rows[CELLS_HELD - ago]; }

    // Bed and water of a row.
    __device__ __forceinline__ Ground ground(const Params &p, unsigned ago) const
    {
        const Lane bed = came(ago).cells.bed[lane];
        const Lane water = came(ago).cells.water[lane];
        Ground ground;
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            ground.bed[q] = bed.v[q];
            ground.water[q] = water.v[q];
        }
        depths(p, ground);
        return ground;
    }

    __device__ __forceinline__ Cells cells(const Params &p, unsigned ago) const
    {
        const HeldCells &row = came(ago).cells;
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
            cells.depth[q] = (float)water.v[q] * p.metres;
            cells.roughness[q] = ROUGH ? __int_as_float(roughness.v[q]) : p.all_roughness;
            cells.east[q] = __int_as_float(east.v[q]);
            cells.south[q] = __int_as_float(south.v[q]);
            cells.rises[q] = 0.0f;
            cells.open_depth[q] = LOOKS_UP ? cells.depth[q] * tables[q].spread() : 0.0f;
            if (LOOKS_UP && water.v[q] > 0) cells.bed[q] = level_of(tables[q], bed.v[q], water.v[q], p.metres, cells.rises[q]);
        }
        cells.west = 0.0f;
        if (REMEMBERS && lane == 0) cells.west = came(ago).west;
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
