// Discharge across every edge of listed chunks with which water moves, at second order: the twin of
// the discharges in src/engine/backend/cpu/momentum_fluxes.rs. `Flow` is the solver.
#include "chunk.cuh"
#include "momentum.cuh"
#include "after_flow.cuh"

// Distance beyond the cells whose water is to move at which discharges are needed, for limiting
// donors.
constexpr int AROUND = 2;

// Slopes of a cell along an axis. (SW2 1)
__device__ __forceinline__ Slope slope_of(const Params &p, ptrdiff_t cell, ptrdiff_t ahead)
{
    const int w0 = __ldg(p.water + cell - ahead);
    const int w1 = __ldg(p.water + cell);
    const int w2 = __ldg(p.water + cell + ahead);
    const int z = __ldg(p.bed + cell);
    const float up = fall(z, __ldg(p.bed + cell - ahead));
    const float on = fall(__ldg(p.bed + cell + ahead), z);
    const float back = (float)(w1 - w0) * p.metres;
    const float fore = (float)(w2 - w1) * p.metres;
    const float least = (float)min(min(w0, w1), w2) * p.metres;
    const float depth = (float)w1 * p.metres;
    const bool wet = least > DRY && depth > higher(fabsf(up), fabsf(on));
    Slope slope;
    slope.depth = wet ? minmod(back, fore) : 0.0f;
    slope.level = wet ? minmod(back + up, fore + on) : 0.0f;
    slope.wet = wet ? 1.0f : 0.0f;
    return slope;
}

__device__ __forceinline__ float flux_of(const Flow &solver, const Flow::Terms &terms, const Params &p,
                                         const float *u, const float *structures, ptrdiff_t at,
                                         ptrdiff_t ahead, int water, int water_ahead)
{
    FluxStencil edge;
    edge.rise = fall(__ldg(p.bed + at), __ldg(p.bed + at + ahead));
    edge.depth[0] = (float)water * p.metres;
    edge.depth[1] = (float)water_ahead * p.metres;
    const float difference = fused((float)(water - water_ahead), p.metres, edge.rise);
    const bool falls = difference >= 0.0f;
    const float depth = (falls ? edge.depth[0] : edge.depth[1]) + lower(falls ? edge.rise : -edge.rise, 0.0f);
    edge.velocity = __ldg(u + at);
    if (!(depth > DRY)) return 0.0f;
    edge.line[0] = __ldg(u + at - ahead);
    edge.line[1] = __ldg(u + at + ahead);
    edge.slopes[0] = slope_of(p, at, ahead);
    edge.slopes[1] = slope_of(p, at + ahead, ahead);
    return limited_by_structures(structures, at, solver.discharge(terms, edge), depth);
}

// Computes the discharges across the edges of a chunk's cells.
__device__ __forceinline__ void flux_chunk(const Params &p, const Chunk &chunk, const Area &area, const StepConstants &now,
                                           int lane)
{
    if (chunk.empty(area)) return;
    const Flow solver(p.solver);
    const Flow::Terms along = solver.terms({now.dt, p.inverse_dx, p.inverse_dy, p.per_metre});
    const Flow::Terms down = solver.terms({now.dt, p.inverse_dy, p.inverse_dx, p.per_metre});
    const int last = min(chunk.end_row, area.end_row);
    const int end = min(chunk.column + chunk.columns, area.end_column);
    for (int row = max(chunk.row, area.row); row < last; row++) {
        for (int column = max(chunk.column, area.column) + lane; column < end; column += 32) {
            const ptrdiff_t at = (ptrdiff_t)row * p.stride + column;
            const int here = __ldg(p.water + at);
            const int right = __ldg(p.water + at + 1);
            const int below = __ldg(p.water + at + p.stride);
            float x = 0.0f;
            float y = 0.0f;
            if ((here | right) != 0) x = flux_of(solver, along, p, p.velocity_east, p.structure_east, at, 1, here, right);
            if ((here | below) != 0) y = flux_of(solver, down, p, p.velocity_south, p.structure_south, at, p.stride, here, below);
            p.next_discharge_east[at] = x;
            p.next_discharge_south[at] = y;
        }
    }
}

extern "C" __global__ void __launch_bounds__(32 * LISTED_ROWS) flux(Params p)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const Area area = {p.computed.column - AROUND, p.computed.row - AROUND, p.computed.end_column + AROUND,
                       p.computed.end_row + AROUND};
    const Listed listed(p, blockIdx.x, gridDim.x);
    const Start start(p);
    if (!start.begin(p)) return;
    const StepConstants &now = start.now;
    listed.each(p, [&](Chunk chunk, unsigned how) {
        chunk.take_rows(warp_of_block(), 1);
        if (!(how & WIPED)) flux_chunk(p, chunk, area, now, lane);
    });
}
