// The parameters of every kernel: where a frame lies in the device's memory, and what is to be done with it.
//
// src/engine/backend/cuda/params.rs holds the same structs, member by member; the layout is asserted when a
// kernel is compiled. `Fields`, with which every unit begins, is made of the table of src/engine/field.rs: for each field a
// pointer to what it is now, and to what it is next if a step works it out from that.
#pragma once
#include "previous_kernel.cuh"

typedef unsigned char Flags;
typedef unsigned int Share;
typedef unsigned long long Count;

// Cells of a frame: columns `column` to `end_column` (not included), likewise rows.
struct Area {
    int column;
    int row;
    int end_column;
    int end_row;
};

// What ground, sewers and air took (grains).
struct Taken {
    Count initial;
    Count infiltration;
    Count drainage;
    Count evaporation;
};

// What crossed edges, and what of it was held back (grains); edges, step by step.
struct Crossed {
    Count crossed;
    Count cut;
    Count deep;
    Count fast;
    Count held;
};

// Sums over the run (grains, cells), what was greatest (a value's bits above a cell's number counted down, src/engine/extremes.rs),
// and the half step at which water got too deep.
struct Totals {
    Count rain;
    Count inflow;
    Count losses;
    Taken taken;
    Count outflow;
    Count stored;
    Count wet;
    Crossed crossed;
    Count speed;
    Count froude;
    Count rise;
    Count halted_at;
};

// Constants of one step. They lie in the device's memory, so that many steps can be launched at once.
struct StepConstants {
    Count half_step; // twice the step's number before its water flows, and one more from then on
    float phase;   // rounding phase, in [0, 1)
    float end;     // time at the end of the step (s, or steps)
    float dt;      // duration (s) where it follows from the flow
    unsigned way;  // whether what is now and what is next change places (1), or nothing is done (IDLE)
    float start;   // time at the start of the step (s, or steps)
    float elapsed_start; // the same times from the start of the first of the runs that start from each other's state
    float elapsed_end;
    unsigned spare[3]; // makes up a multiple of 16 bytes, by which it is loaded
};

// The way of a step beyond the last one wanted.
constexpr unsigned IDLE = 2;

// The ports, at which inflow and outflow are counted apart (src/engine/forcing/ports.rs), and what did.
struct Ports {
    const Count *cells;       // of the canvas, row-major, that are pinned, in rising order
    const unsigned *numbers;  // the port of each
    Count *booked;            // what came in and what left, port by port (grains)
    Count count;              // of the cells
    Count columns;            // of the canvas
};

// A frame is a rectangle of cells with a margin, row-major, `stride` cells a row. Pointers are to its
// column 0, row 0; there is memory beyond it on every side (dry, and never part of the result). Those to fields that there are
// not are null, and what is not double has the same address now and next.
struct Params : Fields {
    const Flags *flags;      // see below
    int *deepest;            // per chunk: no less than its deepest water now (grains); 0 only if it is dry
    int *deepest_next;       // the same of `next_water`
    Flags *special;          // per chunk: the flags of its cells, all together
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
    float rule[4];           // the rule's own parameters

    // For the rules with edges.
    unsigned *rate;          // bits of 1 / the longest step that any edge allows (1/s)
    float metres;            // metres per grain
    float per_metre;         // grains per metre
    float inverse_dx;        // 1 / the distance between cells side by side (1/m)
    float inverse_dy;        // 1 / that between cells one below the other (1/m)
    float all_roughness;     // Manning's n of every cell where it is the same
    int reach;               // how far from a cell its new state reaches in a step (cells)
    int columns;             // of the frame
    int first_column;        // of the canvas at which the frame begins
    Area counted;            // own cells of the grid: without ghosts
    const Ports *ports;
    int first_row;           // of the canvas at which the frame begins
    int chunk_columns;
    unsigned *active;        // chunks in which something may happen, where kernels go by a list: list.cu
    Count multiprocessors;   // over which its chunks are spread
    const unsigned *tables;  // the first plane of the tables of cells and edges, if they have any: subgrid.cuh
    size_t apart;            // cells from one plane to the next
};

// Flags of a cell.
constexpr Flags INSIDE = 1;  // in the domain: gets rain
constexpr Flags SINK = 2;    // emptied after every step: a loss
constexpr Flags DRAIN = 4;   // a ghost beyond an open edge, emptied after every step: outflow
constexpr Flags PINNED = 8;  // its level is held: its water stays what it is while it flows
constexpr Flags LEAVES = 16; // water leaves it at normal depth once it has flowed: what is recorded for it is recorded then
constexpr Flags STRUCTURE = 128; // so near to a structure that what crosses its edge is asked for
constexpr Flags SIDE = 32;   // times the side of a drain: 0 to 3 for north, east, south and west

// The bed of a wall: there is no ground.
constexpr int WALL = 0x7fffffff;

// A step of the bed (m).
constexpr float BED_STEP = 1.0f / 65536.0f;

// The deepest water that a cell may hold (grains), and the deepest with which nine cells can be
// added up without a check; see src/engine/grains.rs.
constexpr int MAX_WATER = 0x7fffffff - (1 << 16);
constexpr int SHALLOW_WATER = 1 << 27;

// Columns that a lane computes side by side: two, or one where few chunks are wet and what counts is how soon a warp is done.
#ifdef LISTED
constexpr int COLUMNS = 1;
#else
constexpr int COLUMNS = 2;
#endif

// Columns to either side of those that a warp computes, which it only reads: whether a cell's neighbour gives more than it has depends on
// the edge behind that. The first and last lanes have them.
constexpr int COLUMNS_BESIDE = 2;
constexpr int LANES_BESIDE = COLUMNS_BESIDE / COLUMNS;

// Columns of a chunk: what a warp computes.
constexpr int CHUNK_COLUMNS = (32 - 2 * LANES_BESIDE) * COLUMNS;

constexpr unsigned WHOLE_WARP = 0xffffffffu;
