// Second half of a step of a solver with momentum: the water has moved, and the velocities on the
// edges are updated. The twin of src/engine/backend/cpu/momentum_rows.rs. A warp marches down the
// rows of a chunk with shared edge values in registers (momentum_march.cuh); listed chunks are
// computed edge by edge, with shared values in the first-level cache. `Flow` is the solver.
#include "chunk.cuh"
#include "cells.cuh"
#include "momentum.cuh"
#include "flow_diagnostics.cuh"
#include "after_flow.cuh"
#include "strip.cuh"
#include "subgrid.cuh"
#ifndef LISTED
#include "momentum_march.cuh"
#else
// The edges of an axis, with their values before the update.
struct Line {
    int axis;
    ptrdiff_t ahead;
    ptrdiff_t across;
    const float *u;        // velocities
    const float *q;        // discharges
    const float *transverse; // discharges of the other axis
    const float *other;    // velocities of the other axis
};

__device__ __forceinline__ float stream_of(const Line &line, ptrdiff_t at)
{
    return stream(__ldg(line.u + at), __ldg(line.u + at - line.across), __ldg(line.u + at + line.across),
                  __ldg(line.other + at - line.across), __ldg(line.other + at - line.across + line.ahead),
                  __ldg(line.other + at), __ldg(line.other + at + line.ahead));
}

// Returns whether an edge, and the parallel edges beside it, are open.
__device__ __forceinline__ bool open_beside(const Line &line, ptrdiff_t at)
{
    return __ldg(line.u + at) != 0.0f && __ldg(line.u + at - line.across) != 0.0f && __ldg(line.u + at + line.across) != 0.0f;
}

// Computes the update of an edge whose cells hold `water` and `water_ahead`, with or without intakes
// near.
__device__ __forceinline__ NewVelocity updated(const Flow &solver, const Flow::Terms &terms, const Params &p,
                                               const Line &line, ptrdiff_t at, int water, int water_ahead, bool intakes)
{
    MomentumStencil edge;
    edge.shocks[0] = intakes && (p.flags[at] & INTAKE) ? 0.0f : 1.0f;
    edge.shocks[1] = intakes && (p.flags[at + line.ahead] & INTAKE) ? 0.0f : 1.0f;
    int beds[4];
#pragma unroll
    for (int k = 0; k < 4; k++) beds[k] = __ldg(p.bed + at + (k - 1) * line.ahead);
    edge.line_rise[0] = fall(beds[0], beds[1]);
    edge.rise = fall(beds[1], beds[2]);
    edge.line_rise[1] = fall(beds[2], beds[3]);
    edge.difference = fused((float)(water - water_ahead), p.metres, edge.rise);
    edge.depth[0] = (float)water * p.metres;
    edge.depth[1] = (float)water_ahead * p.metres;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        edge.height[k] = TABLES ? fall(p.level[at + k * line.ahead], beds[k + 1]) : edge.depth[k];
    }
    if (TABLES) {
        edge.difference = fall(p.level[at], p.level[at + line.ahead]);
        edge.ground = tabled(p, line.axis, at, at + line.ahead, edge.depth);
    }
    edge.roughness = ROUGH ? 0.5f * (__ldg(p.roughness + at) + __ldg(p.roughness + at + line.ahead))
                           : p.all_roughness;
    edge.velocity = __ldg(line.u + at);
    edge.line[0] = __ldg(line.u + at - line.ahead);
    edge.line[1] = __ldg(line.u + at + line.ahead);
    edge.beside[0] = __ldg(line.u + at - line.across);
    edge.beside[1] = __ldg(line.u + at + line.across);
    edge.discharge = __ldg(line.q + at);
    edge.flows[0] = __ldg(line.q + at - line.ahead);
    edge.flows[1] = __ldg(line.q + at + line.ahead);
    const ptrdiff_t ends[4] = {at - line.across, at - line.across + line.ahead, at, at + line.ahead};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        edge.transverse[k] = __ldg(line.transverse + ends[k]);
        edge.across[k] = __ldg(line.other + ends[k]);
    }
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const ptrdiff_t way = 2 * k - 1;
        if (Flow::ORDER > 1) {
            edge.far_line[k] = __ldg(line.u + at + 2 * way * line.ahead);
            edge.far_beside[k] = __ldg(line.u + at + 2 * way * line.across);
        }
    }
    // Among open edges each is its own stream, which simplifies the computation.
    const bool open = Flow::ORDER > 1 && open_beside(line, at) && open_beside(line, at - line.ahead) && open_beside(line, at + line.ahead) &&
                      __ldg(line.u + at - 2 * line.across) != 0.0f && __ldg(line.u + at + 2 * line.across) != 0.0f;
    if (open) return solver.new_velocity<true>(terms, edge);
    edge.streams.own = stream_of(line, at);
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const ptrdiff_t way = 2 * k - 1;
        edge.streams.line[k] = stream_of(line, at + way * line.ahead);
        edge.streams.beside[k] = stream_of(line, at + way * line.across);
        edge.corners[2 * k] = __ldg(line.u + at + way * line.across - line.ahead);
        edge.corners[2 * k + 1] = __ldg(line.u + at + way * line.across + line.ahead);
    }
    return solver.new_velocity<false>(terms, edge);
}

// Updates the momentum of a chunk edge by edge. Returns the greatest CFL rate of a lane's edges.
__device__ __forceinline__ float update_edges(const Params &p, const Chunk &chunk, const StepConstants &now, Flows &flows,
                                              int lane)
{
    const Flow solver(p.solver);
    const Flow::Terms along = solver.terms({now.dt, p.inverse_dx, p.inverse_dy, p.per_metre});
    const Flow::Terms down = solver.terms({now.dt, p.inverse_dy, p.inverse_dx, p.per_metre});
    const float per_celerity_x = p.inverse_dx * (1.0f / Flow::COURANT);
    const float per_celerity_y = p.inverse_dy * (1.0f / Flow::COURANT);
    const float *flow_east = KEEPS_DISCHARGE ? p.discharge_east : p.next_discharge_east;
    const float *flow_south = KEEPS_DISCHARGE ? p.discharge_south : p.next_discharge_south;
    const Line east = {0, 1, p.stride, p.velocity_east, flow_east, flow_south, p.velocity_south};
    const Line south = {1, p.stride, 1, p.velocity_south, flow_south, flow_east, p.velocity_east};
    const bool intakes = STRUCTURES && (flags_near(p, chunk) & INTAKE);
    float cfl_rate = 0.0f;
    const int last = min(chunk.end_row, p.computed.end_row);
    const int end = min(chunk.column + chunk.columns, p.computed.end_column);
    for (int row = max(chunk.row, p.computed.row); row < last; row++) {
        for (int column = max(chunk.column, p.computed.column) + lane; column < end; column += 32) {
            const ptrdiff_t at = (ptrdiff_t)row * p.stride + column;
            const int here = __ldg(p.next_water + at);
            const int right = __ldg(p.next_water + at + 1);
            const int below = __ldg(p.next_water + at + p.stride);
            const bool counts = looks(now) && row >= p.counted.row && row < p.counted.end_row && column >= p.counted.column &&
                                column < p.counted.end_column;
            float u = 0.0f;
            float v = 0.0f;
            float qu = 0.0f;
            float qv = 0.0f;
            if (counts) {
                const float square = square_in(p, p.velocity_east, p.velocity_south, at);
                record_speed(p, flows, square, (float)here * p.metres, number_of(p, row, column));
            }
            if ((here | right) != 0) {
                const NewVelocity edge = updated(solver, along, p, east, at, here, right, intakes);
                u = edge.velocity;
                qu = edge.discharge;
                cfl_rate = higher(cfl_rate, Flow::counted(edge.celerity) * per_celerity_x);
                if (counts) record_flow(flows, u, edge.depth, edge.wave, false);
            }
            if ((here | below) != 0) {
                const NewVelocity edge = updated(solver, down, p, south, at, here, below, intakes);
                v = edge.velocity;
                qv = edge.discharge;
                cfl_rate = higher(cfl_rate, Flow::counted(edge.celerity) * per_celerity_y);
                if (counts) record_flow(flows, v, edge.depth, edge.wave, false);
            }
            p.next_velocity_east[at] = limited_by_structures(p.structure_east, at, u, 1.0f);
            p.next_velocity_south[at] = limited_by_structures(p.structure_south, at, v, 1.0f);
            if (!KEEPS_DISCHARGE) continue;
            p.next_discharge_east[at] = limited_with_velocity(p.structure_east, at, qu, u);
            p.next_discharge_south[at] = limited_with_velocity(p.structure_south, at, qv, v);
        }
    }
    return cfl_rate;
}
#endif

// Number of resident warps per multiprocessor for which registers are limited.
#if defined(WITH_TABLES) || (defined(SECOND_ORDER) && (defined(VARYING_ROUGHNESS) || defined(WITH_STRUCTURES)))
#define MOMENTUM_WARPS 12
#elif defined(VARYING_ROUGHNESS) || defined(SECOND_ORDER)
#define MOMENTUM_WARPS 16
#else
#define MOMENTUM_WARPS 20
#endif

// Updates a chunk, or the warp's row of it.
__device__ __forceinline__ void update_chunk(const Params &p, const Chunk &chunk, const StepConstants &now, int lane)
{
    Flows flows = begin_flows(p);
#ifdef LISTED
    const float cfl_rate = update_edges(p, chunk, now, flows, lane);
#else
    __shared__ MomentumRing rings[WARPS];
    MomentumRing &ring = rings[warp_of_block()];
    const float cfl_rate = looks(now) ? momentum_rows<true>(p, chunk, now, flows, ring, lane)
                                      : momentum_rows<false>(p, chunk, now, flows, ring, lane);
#endif
    report_flows(p, flows);
    report_rate(p, chunk, cfl_rate, lane);
}

#ifdef LISTED
// Number of resident blocks with that many rows: a higher register limit does not help.
#if defined(SECOND_ORDER) || defined(WITH_TABLES)
#define MOMENTUM_BLOCKS 3
#else
#define MOMENTUM_BLOCKS 4
#endif
extern "C" __global__ void __launch_bounds__(32 * LISTED_ROWS, MOMENTUM_BLOCKS) momentum_update(Params p)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const Listed listed(p, blockIdx.x, gridDim.x);
    const Start start(p);
    if (!start.begin(p)) return;
    const StepConstants &now = start.now;
    listed.each(p, [&](Chunk chunk, unsigned how) {
        chunk.take_rows(warp_of_block(), 1);
        if ((how & WIPED) || chunk.empty(p.computed)) return;
        update_chunk(p, chunk, now, lane);
    });
}
#else
extern "C" __global__ void __launch_bounds__(32 * WARPS, MOMENTUM_WARPS / WARPS) momentum_update(Params p)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const Chunk chunk = Chunk::of_launch(p, blockIdx.x * WARPS + warp_of_block(), blockIdx.y);
    if (chunk.across >= p.chunks_across || chunk.empty(p.computed)) return;
    const StepConstants now = flowing(p);
    if (!begin(p, now) || chunk.deepest_near(p, lane) == 0) return;
    update_chunk(p, chunk, now, lane);
}
#endif
