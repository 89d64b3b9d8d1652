// Diagnostics recorded for every cell in every step, in addition to its greatest depth and its
// arrival: the twin of src/engine/cell_diagnostics.rs.
#include "chunk.cuh"
#include "hazard.cuh"
#include "flow_diagnostics.cuh"
#include "after_flow.cuh"
#include "speed.cuh"
#include "subgrid.cuh"

// A track to record.
struct Tracked {
    unsigned *plane;  // frame layout
    int *peak;        // the deepest water so far (grains), if its time is recorded
    int what;         // see Track::code
    int above;        // depth threshold (grains)
};

// All tracks to record.
constexpr int MOST_TRACKS = 12;
constexpr int RISES = CELL_KNOTS + 2;
struct Tracks {
    Tracked tracks[MOST_TRACKS];
    Count count;
    unsigned *rises[RISES]; // planes of the levels whose passing is recorded
};

constexpr float TICKS = 64.0f;

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
__device__ __forceinline__ void record_rises(const Params &p, const Tracks &tracks, const Tracked &track, float time, ptrdiff_t cell, int water)
{
    const int before = track.peak[cell];
    if (water <= before) return;
    track.peak[cell] = water;
    track.plane[cell] = __float_as_uint(time);
    const CellTable table(cell_table(p, cell));
    const float above = (float)track.above * p.metres;
    const int last = passed(table, water, p.metres, above);
    for (int knot = passed(table, before, p.metres, above); knot < last; knot++) tracks.rises[knot][cell] = __float_as_uint(time);
}

// Records one track of a wet cell, given its index in the frame.
__device__ __forceinline__ void look(const Params &p, const Tracks &tracks, const Tracked &track, const StepConstants &now, const Flows &flows,
                                     ptrdiff_t cell, unsigned number, int water)
{
    unsigned *plane = track.plane + cell;
    switch (track.what) {
    case 0:
        if (water > track.peak[cell]) {
            track.peak[cell] = water;
            *plane = __float_as_uint(now.start);
        }
        return;
    case 1:
        if (water > track.above) *plane += (unsigned)(now.end * TICKS) - (unsigned)(now.start * TICKS);
        return;
    case 2:
        if (water > track.above && __uint_as_float(*plane) < 0.0f) *plane = __float_as_uint(now.start);
        return;
    case 7:
        record_rises(p, tracks, track, now.start, cell, water);
        return;
    }
    if (track.what == 4) {
        raise(plane, size_in(p, p.discharge_east, p.discharge_south, cell));
        return;
    }
    const float depth = (float)water * p.metres;
    const float speed = depth < FILM ? 0.0f : size_in(p, p.velocity_east, p.velocity_south, cell);
    if (track.what == 3) {
        raise(plane, speed);
        if (depth > DEEP) record_speed(p, flows, speed, wave_of(depth), number);
    }
    if (track.what == 5 && water > track.above) raise(plane, rating_of(depth, speed));
    if (track.what == 6 && water > track.above) raise(plane, class_of(depth, speed));
}

// Records a frame's own cells at the start of a step.
extern "C" __global__ void __launch_bounds__(32 * WARPS, 16) track(Params p, Tracks tracks)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const StepConstants now = *p.step_constants;
    if (!begin(p, now)) return;
    const Flows flows = begin_flows(p);
    each_chunk(p, [&](const Chunk &chunk) {
        if (chunk.empty(p.own) || p.deepest[chunk.index] == 0) return;
        const int last = min(chunk.end_row, p.own.end_row);
        const int last_column = min(chunk.column + chunk.columns, p.own.end_column);
        for (int row = max(chunk.row, p.own.row); row < last; row++) {
            for (int column = max(chunk.column, p.own.column) + lane; column < last_column; column += 32) {
                const ptrdiff_t cell = (ptrdiff_t)row * p.stride + column;
                const int water = p.water[cell];
                if (water <= 0) continue;
                const unsigned number = number_of(p, row, column);
                for (Count t = 0; t < tracks.count; t++) look(p, tracks, tracks.tracks[t], now, flows, cell, number, water);
            }
        }
    });
}
