// Parameters of every kernel: the layout of a frame in device memory, and the task.
//
// src/engine/backend/cuda/params.rs has the same structs, member by member; the layout is asserted
// when a kernel is compiled. `Fields`, with which every unit begins, is generated from the table of
// src/engine/field.rs: for each field a pointer to its current values, and one to its next values
// if a step computes these from the current ones.
#pragma once
#include "previous_kernel.cuh"

typedef unsigned char Flags;
typedef unsigned int Share;
typedef unsigned long long Count;

// Cells of a frame: columns `column` to `end_column` (exclusive), likewise rows.
struct Area {
    int column;
    int row;
    int end_column;
    int end_row;
};

// Volumes taken by ground, sewers and air (grains).
struct Taken {
    Count initial;
    Count infiltration;
    Count drainage;
    Count evaporation;
};

// Flux statistics: volume that crossed edges, and volume held back (grains); edges, summed over
// steps.
struct FluxStatistics {
    Count crossed;
    Count cut;
    Count deep;
    Count fast;
    Count critical;
};

// Sums over the run (grains, cells), maxima (the bits of a value above a cell index counted down,
// src/engine/run_diagnostics.rs), and the half step in which water got too deep.
struct Totals {
    Count rain;
    Count inflow;
    Count losses;
    Taken taken;
    Count outflow;
    Count stored;
    Count wet;
    FluxStatistics crossed;
    Count speed;
    Count froude;
    Count rise;
    Count halted_at;
};

// Constants of one step, in device memory so that many steps can be launched at once.
struct StepConstants {
    Count half_step; // twice the step's number before the mass update, plus one from then on
    float phase;   // rounding phase, in [0, 1)
    float end;     // time at the end of the step (s, or steps)
    float dt;      // duration (s) if it follows from the flow
    unsigned way;  // 1 if the double arrays of now and next are swapped, IDLE if nothing is done
    float start;   // time at the start of the step (s, or steps)
    float elapsed_start; // the same times, counted from the start of the first run of a chain
    float elapsed_end;
    unsigned spare[3]; // makes up a multiple of 16 bytes, by which it is loaded
};

// The way of a step beyond the last one needed.
constexpr unsigned IDLE = 2;

// Ports, at which inflow and outflow are counted separately (src/engine/forcing/ports.rs), with
// their volumes.
struct Ports {
    const Count *cells;       // pinned cells of the padded grid, row-major, in ascending order
    const unsigned *numbers;  // the port of each
    Count *port_volumes;            // inflow and outflow, port by port (grains)
    Count count;              // number of cells
    Count columns;            // of the padded grid
};

// A frame is a rectangle of cells with a margin, row-major, with `stride` cells per row. Pointers
// are to its column 0, row 0; there is memory beyond it on every side (dry, and never part of the
// result). Pointers to missing fields are null, and fields with a single buffer have the same
// address for now and next.
struct Params : Fields {
    const Flags *flags;      // see below
    int *deepest;            // per chunk: upper bound on its water now (grains); 0 only if it is dry
    int *deepest_next;       // per chunk: upper bound on `next_water`
    Flags *special;          // per chunk: union of the flags of its cells
    Totals *totals;
    const StepConstants *step_constants; // this step's constants
    int stride;
    int chunks_across;
    int chunks_down;
    int chunk_rows;
    Area computed;           // cells to compute in this step
    Area own;                // cells whose maxima, arrivals and volumes count
    float bed_step;          // grains in a step of the bed (2^-16 m)
    float calm;              // below this level difference nothing is rounded up (grains)
    int threshold;           // depth above which water has arrived (grains)
    float solver[4];           // parameters of the solver
    float fall;              // to the edge, with tables: src/engine/subgrid/lookup.rs

    // For the solvers with edges.
    unsigned *rate;          // bits of the greatest CFL rate: 1 / the longest step that any edge allows (1/s)
    float metres;            // metres per grain
    float per_metre;         // grains per metre
    float inverse_dx;        // 1 / the distance between cells in a row (1/m)
    float inverse_dy;        // 1 / the distance between cells in a column (1/m)
    float all_roughness;     // Manning's n if it is uniform
    int reach;               // stencil reach of a step (cells)
    int columns;             // of the frame
    int first_column;        // of the padded grid at which the frame begins
    Area counted;            // own cells on the grid, without ghosts
    const Ports *ports;
    int first_row;           // of the padded grid at which the frame begins
    int chunk_columns;
    int eights;              // warps with eight chunks below each other, from the top: Chunk::of_launch
    int fours;               // warps with four, below them
    int twos;                // warps with two, below these
    unsigned *active;        // list of active chunks, if kernels use one: list.cu
    Count multiprocessors;   // over which its chunks are distributed
    const unsigned *tables;  // first plane of the tables of cells and edges, if any: subgrid.cuh
    size_t apart;            // cells from one plane to the next
};

// Flags of a cell.
constexpr Flags INSIDE = 1;  // in the domain: gets rain
constexpr Flags SINK = 2;    // emptied after every step: a loss
constexpr Flags DRAIN = 4;   // a ghost beyond an open edge, emptied after every step: outflow
constexpr Flags PINNED = 8;  // has a prescribed level: its water does not change during the flow
constexpr Flags AFTER_FLOW = 16; // sites act on it after the flow, and its diagnostics are recorded then
constexpr Flags INTAKE = 32; // water leaves it through a link or a sewer's inlet; drains use the bit otherwise
constexpr Flags CROSSED = 64; // water crosses the edge of the map in it without a face; drains use the bit otherwise
constexpr Flags STRUCTURE = 128; // near a structure: the flux across its edge is needed
constexpr Flags SIDE = 32;   // times the side of a drain: 0 to 3 for north, east, south and west

// The bed of a wall: no ground.
constexpr int WALL = 0x7fffffff;

// Unit of the bed's level (m).
constexpr float BED_STEP = 1.0f / 65536.0f;

// Fall from one bed or level to another (m).
__device__ __forceinline__ float fall(int from, int to) { return (float)(int)((unsigned)from - (unsigned)to) * BED_STEP; }

// The deepest water that a cell may hold (grains), and the deepest for which nine cells can be
// summed without a check; see src/engine/grains.rs.
constexpr int MAX_WATER = 0x7fffffff - (1 << 16);
constexpr int SHALLOW_WATER = 1 << 27;

// Adjacent columns per lane: two, or one while few chunks are wet and the latency of a warp
// matters.
#ifdef LISTED
constexpr int COLUMNS = 1;
#else
constexpr int COLUMNS = 2;
#endif

// Columns on either side of those that a warp computes, which it only reads: whether a cell's
// neighbour gives more than it holds depends on the edge behind that. They are in the first and
// last lanes.
constexpr int COLUMNS_BESIDE = 2;
constexpr int LANES_BESIDE = COLUMNS_BESIDE / COLUMNS;

// Columns of a chunk, which a warp computes.
constexpr int CHUNK_COLUMNS = (32 - 2 * LANES_BESIDE) * COLUMNS;

constexpr unsigned WHOLE_WARP = 0xffffffffu;
