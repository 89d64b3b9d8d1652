// Fluxes across the edges of a frame with structures: the twin of `Structure::limit` in
// src/engine/forcing/structures/mod.rs. `discharge_of` has the laws of all kinds
// (src/engine/backend/cuda/structures.rs).
#pragma once
#include "after_flow.cuh"
#include "sites/trigger.cuh"
#include "structures.cuh"
#include "subgrid.cuh"

// Speed (m/s) that remains of a speed after a step with a resistance (s/m).
__device__ __forceinline__ float slowed(float speed, float resistance)
{
    return 2.0f * speed / (1.0f + __fsqrt_rn(1.0f + 4.0f * (resistance * speed)));
}

// Time since the trigger of a structure, at the end of the step (s).
__device__ __forceinline__ float since(const Params &p, const Structure &structure, const StepConstants &now)
{
    if (!structure.waits) return 0.0f;
    const auto of = [&](unsigned column, unsigned row) {
        const unsigned state = p.site_state[(ptrdiff_t)row * p.stride + column];
        return Trigger::has_begun(state) ? now.elapsed_end - Trigger::began(state) : 0.0f;
    };
    const unsigned *const watched = structure.watched;
    const float a = of(watched[0], watched[1]);
    const float b = of(watched[2], watched[3]);
    return a > b ? a : b;
}

// Depth of water (m) between two levels (grains).
__device__ __forceinline__ float depth_of(const Params &p, long long grains)
{
    return (float)min(max(grains, 0ll), (long long)MAX_WATER) * p.metres;
}

// Greatest speed for a solver that stores no flow; `most` is the most water that may cross (grains).
__device__ __forceinline__ float without_memory(const Structure &structure, float discharge, float up_head, long long most, float per_flow,
                                                float depth)
{
    if (limits(structure.kind)) {
        const float limit = discharge / up_head;
        // Also without water.
        return limit < MOST_VELOCITY ? fmaxf(limit, LEAST_VELOCITY) : 0.0f;
    }
    float limit = (float)most / per_flow;
    limit = (discharge < limit ? discharge : limit) / depth;
    return limit > LEAST_VELOCITY ? limit : CLOSED;
}

// Depth of the flow across an edge with tables (m): the discharge that was computed earlier, if there is one, divided by the
// velocity `flow` (m/s); else 0.
__device__ __forceinline__ float carried_depth(const Params &p, unsigned axis, ptrdiff_t at, float flow, bool stores_discharge)
{
    return stores_discharge && flow != 0.0f ? fabsf((axis == 0 ? p.discharge_east : p.discharge_south)[at] / flow) : 0.0f;
}

// Depth of the section of an edge with tables (m); the donor's mean depth where the level is below the sill.
__device__ __forceinline__ float section_depth(const Params &p, unsigned axis, ptrdiff_t at, ptrdiff_t other, bool ahead, float donor)
{
    const EdgeTable edge(edge_table(p, axis, at));
    const float here = over_sill(edge, p.level[at]);
    const float there = over_sill(edge, p.level[other]);
    const float highest = higher(here, there);
    const float lowest = lower(here, there);
    const float open_depth = over_open_pixels(p, ahead ? at : other, donor);
    const float depth = section_of(edge, surface_on_edge(p.fall, highest, lowest), lowest, open_depth).depth;
    return depth > 0.0f ? depth : donor;
}

// Velocity head (m) of the flow towards a structure in the middle of its donor cell, of velocities
// (m/s) at the structure and on the edge behind.
__device__ __forceinline__ float approach_of(const Structure &structure, float own, float behind)
{
    behind = behind < own ? behind : own;
    behind = behind > 0.0f ? behind : 0.0f;
    const float speed = 0.5f * (own + behind) * structure.detour;
    return speed * speed / (2.0f * 9.81f);
}

// Head of the tailwater (m), given that in the receiving cell, the velocities (m/s) at a structure and
// on the edge beyond the cell, and the depth at the structure over that of the cell.
__device__ __forceinline__ float tailwater(float head, float own, float beyond, float ratio)
{
    const float most = own * ratio;
    beyond = most < beyond ? most : beyond;
    const float gain = beyond > own ? beyond - own : 0.0f;
    const float fall = beyond * gain / 9.81f;
    return head - (fall < 0.5f * head ? fall : 0.5f * head);
}

// Depth of the flow (m) from the higher bed to the higher level, `up` above the crest (grains), as the solvers take it.
__device__ __forceinline__ float depth_over_bed(const Params &p, const Structure &structure, ptrdiff_t at, ptrdiff_t other, long long up)
{
    const long long raised = ((long long)structure.crest - max(p.bed[at], p.bed[other])) * (long long)p.bed_step;
    return depth_of(p, up + raised);
}

// Greatest speed over the structure of an edge; its cell is at `at`, the other at `other`.
__device__ __forceinline__ float limit_of(const Params &p, const Structure &structure, ptrdiff_t at, ptrdiff_t other, Count kept,
                                          bool stores_discharge, const StepContext &now)
{
    const long long step = (long long)p.bed_step;
    const bool tables = p.level;
    const bool east = structure.axis == 0;
    const auto over = [&](ptrdiff_t cell) {
        return tables ? (long long)(p.level[cell] - structure.crest) * step
                      : ((long long)p.bed[cell] - structure.crest) * step + p.water[cell];
    };
    const long long here = over(at);
    const long long there = over(other);
    const bool ahead = here >= there;
    const long long donor = p.water[ahead ? at : other];
    const long long up = ahead ? here : there;
    const long long down = ahead ? there : here;
    FaceHeads heads = {depth_of(p, up), depth_of(p, down), since(p, structure, now.now), 0.0f};
    const float inverse_length = east ? p.inverse_dx : p.inverse_dy;
    if (kept == KEEPS_NOTHING) {
        const float of_law = discharge_of(structure.kind, structure.numbers, heads, now);
        const float per_flow = now.now.dt * inverse_length * p.per_metre;
        const float depth = tables ? depth_of(p, donor) : depth_over_bed(p, structure, at, other, up);
        return without_memory(structure, of_law, heads.up, up >> 2, per_flow, depth);
    }
    const bool limiting = limits(structure.kind);
    if (!limiting && (donor <= 0 || heads.up <= 0.0f)) return CLOSED;
    // The resistance that the flow meets is finite without a drop, too.
    const float down_head = heads.down;
    const float least = heads.up > LEAST_DROP ? heads.up - LEAST_DROP : heads.up;
    const float lowered = heads.down < least ? heads.down : least;
    heads.down = lowered;
    const float *const flows = kept == KEEPS_VELOCITY ? (east ? p.velocity_east : p.velocity_south) : (east ? p.discharge_east : p.discharge_south);
    const float flow = flows[at];
    const float held = depth_of(p, donor);
    float depth = tables ? carried_depth(p, structure.axis, at, flow, stores_discharge) : 0.0f;
    if (!tables) {
        depth = depth_over_bed(p, structure, at, other, up);
    } else if (!(depth > 0.0f)) {
        depth = section_depth(p, structure.axis, at, other, ahead, held);
    }
    const float onward = ahead ? flow : -flow;
    if (kept == KEEPS_VELOCITY && onward > 0.0f) {
        const bool first = (east ? structure.column : structure.row) == 0;
        const float before = first ? 0.0f : flows[at - (other - at)];
        heads.approach = approach_of(structure, onward * depth / held, ahead ? before : -flows[other]);
        heads.down = tailwater(lowered, onward, ahead ? flows[other] : -before, depth / depth_of(p, p.water[ahead ? other : at]));
    }
    const float most = discharge_of(structure.kind, structure.numbers, heads, now);
    float limit = most / depth;
    if (limiting) {
        // Also without water.
        if (!(limit < MOST_VELOCITY)) return 0.0f;
    } else if (most <= 0.0f) {
        return CLOSED;
    }
    limit = limit < MOST_VELOCITY ? limit : MOST_VELOCITY;
    const float drop = heads.up - down_head;
    const float steps = now.now.dt * inverse_length;
    const float velocity = kept == KEEPS_VELOCITY ? onward : onward / depth;
    const float gravity = 9.81f * steps;
    const float driven = velocity + gravity * drop;
    // Water does not come back from below the crest.
    if (!limiting && driven <= 0.0f && down_head <= 0.0f) return CLOSED;
    return fmaxf(slowed(fabsf(driven), gravity * (heads.up - lowered) / (limit * limit)), LEAST_VELOCITY);
}

// Before the water moves.
extern "C" __global__ void over_structures(Params p, Structures all)
{
    wait_for_previous_kernel();
    const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    const StepConstants now = *p.step_constants;
    if (number >= all.count || !begin(p, now)) return;
    const Structure structure = all.structures[number];
    const ptrdiff_t at = (ptrdiff_t)structure.row * p.stride + structure.column;
    const ptrdiff_t other = at + (structure.axis == 0 ? 1 : p.stride);
    const StepContext step = {p, now, all.rates, all.levels, all.tables};
    const float limit = limit_of(p, structure, at, other, all.kept, all.stores_discharge, step);
    (structure.axis == 0 ? p.structure_east : p.structure_south)[at] = limit;
    if (!all.stores_discharge || limit == 0.0f) return;
    float &to = (structure.axis == 0 ? p.discharge_east : p.discharge_south)[at];
    const float speed = fabsf((structure.axis == 0 ? p.velocity_east : p.velocity_south)[at]);
    const float most = fmaxf(limit, 0.0f);
    if (speed > most) to = to * (most / speed);
}
