// Diagnostics recorded for every cell in every step, in addition to its greatest depth and its
// arrival: the twin of src/engine/cell_diagnostics.rs.
#include "chunk.cuh"
#include "hazard.cuh"
#include "flow_diagnostics.cuh"
#include "after_flow.cuh"
#include "speed.cuh"
#include "subgrid.cuh"

// A cell diagnostic to record.
struct DiagnosticPlane {
    unsigned *plane;  // frame layout
    int *peak;        // the deepest water so far (grains), if its time is recorded
    int kind;         // see below
    int above;        // depth threshold (grains)
    float ticks;      // per second, or per step, if time is counted
    unsigned spare;   // fills the struct
};

// Kinds of cell diagnostics: CellDiagnostic::code.
constexpr int PEAK_TIME = 0;
constexpr int WET_TIME = 1;
constexpr int ARRIVAL = 2;
constexpr int SPEED = 3;
constexpr int UNIT_DISCHARGE = 4;
constexpr int HAZARD = 5;
constexpr int HAZARD_CLASS = 6;
constexpr int LEVEL_ARRIVALS = 7;

// All cell diagnostics to record.
constexpr int MOST_DIAGNOSTICS = 12;
constexpr int RISES = CELL_KNOTS + 2;
struct DiagnosticPlanes {
    DiagnosticPlane planes[MOST_DIAGNOSTICS];
    Count count;
    unsigned *rises[RISES]; // planes of the levels whose passing is recorded
};

__device__ __forceinline__ void raise(unsigned *plane, float value)
{
    if (value > __uint_as_float(*plane)) *plane = __float_as_uint(value);
}

// Counts the levels of a cell that its water reaches: CellTables::passed.
__device__ __forceinline__ int passed(const CellTable &table, int water, float metres, float above)
{
    if (water <= 0) return 0;
    const float per_full = table.per_full();
    const float y = ((float)water * metres) * per_full;
    int knots = 0;
    for (int k = 1; k <= CELL_KNOTS; k++) knots += (float)(k * k) <= y;
    const float beyond = (y - (float)(CELL_KNOTS * CELL_KNOTS)) * table.spread();
    return 1 + knots + (knots == CELL_KNOTS && beyond >= above * per_full ? 1 : 0);
}

// Records when the level of a cell first reached each of some levels, and its greatest depth.
__device__ __forceinline__ void record_rises(const Params &p, const DiagnosticPlanes &all, const DiagnosticPlane &to, float time, ptrdiff_t cell, int water)
{
    const int before = to.peak[cell];
    if (water <= before) return;
    to.peak[cell] = water;
    to.plane[cell] = __float_as_uint(time);
    const CellTable table(cell_table(p, cell));
    const float above = (float)to.above * p.metres;
    const int last = passed(table, water, p.metres, above);
    for (int knot = passed(table, before, p.metres, above); knot < last; knot++) all.rises[knot][cell] = __float_as_uint(time);
}

// Records one cell diagnostic of a wet cell, given its index in the frame and its flags.
__device__ __forceinline__ void record(const Params &p, const DiagnosticPlanes &all, const DiagnosticPlane &to, const StepConstants &now, const Flows &flows,
                                     ptrdiff_t cell, unsigned number, int water, Flags flags)
{
    unsigned *plane = to.plane + cell;
    switch (to.kind) {
    case PEAK_TIME:
        if (water > to.peak[cell]) {
            to.peak[cell] = water;
            *plane = __float_as_uint(now.start);
        }
        return;
    case WET_TIME:
        if (water > to.above) *plane += (unsigned)(now.end * to.ticks) - (unsigned)(now.start * to.ticks);
        return;
    case ARRIVAL:
        if (water > to.above && __uint_as_float(*plane) < 0.0f) *plane = __float_as_uint(now.start);
        return;
    case LEVEL_ARRIVALS:
        record_rises(p, all, to, now.start, cell, water);
        return;
    }
    if (to.kind == UNIT_DISCHARGE) {
        raise(plane, __fsqrt_rn(square_across(p, p.discharge_east, p.discharge_south, cell, flags)));
        return;
    }
    const float depth = (float)water * p.metres;
    const float square = depth < FILM ? 0.0f : square_across(p, p.velocity_east, p.velocity_south, cell, flags);
    const float speed = __fsqrt_rn(square);
    if (to.kind == SPEED) {
        raise(plane, speed);
        record_speed(p, flows, square, depth, number);
    }
    if (to.kind == HAZARD && water > to.above) raise(plane, rating_of(depth, speed));
    if (to.kind == HAZARD_CLASS && water > to.above) raise(plane, class_of(depth, speed));
}

// Records a frame's own cells at the start of a step.
extern "C" __global__ void __launch_bounds__(32 * WARPS, 16) record_diagnostics(Params p, DiagnosticPlanes all)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const StepConstants now = *p.step_constants;
    if (!begin(p, now)) return;
    const Flows flows = begin_flows(p);
    each_chunk(p, [&](const Chunk &chunk) {
        if (chunk.empty(p.own) || p.deepest[chunk.index] == 0) return;
        const bool crossed = p.special[chunk.index] & CROSSED;
        const int last = min(chunk.end_row, p.own.end_row);
        const int last_column = min(chunk.column + chunk.columns, p.own.end_column);
        for (int row = max(chunk.row, p.own.row); row < last; row++) {
            for (int column = max(chunk.column, p.own.column) + lane; column < last_column; column += 32) {
                const ptrdiff_t cell = (ptrdiff_t)row * p.stride + column;
                const int water = p.water[cell];
                if (water <= 0) continue;
                const Flags flags = crossed ? p.flags[cell] : 0;
                const unsigned number = number_of(p, row, column);
                for (Count t = 0; t < all.count; t++) record(p, all, all.planes[t], now, flows, cell, number, water, flags);
            }
        }
    });
}
