// Fluxes across the edges of a frame with structures: the twin of `Structure::discharge` in
// src/engine/forcing/structures/mod.rs. `discharge_of` has the laws of all kinds
// (src/engine/backend/cuda/structures.rs).
#pragma once
#include "after_flow.cuh"
#include "sites/trigger.cuh"
#include "structures.cuh"

// A limit that does not oscillate: src/engine/forcing/structures/mod.rs.
__device__ __forceinline__ float calmed(float most, float drop, float carried, float answer)
{
    carried = carried > 0.0f ? carried : 0.0f;
    if (drop <= 0.0f) return most;
    const float square = most * most / drop;
    const float lag = square * answer;
    const float reach = square * (drop + answer * carried);
    return 2.0f * reach / (lag + __fsqrt_rn(lag * lag + 4.0f * reach));
}

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

// Discharge across a structure, positive ahead, or its limit; its cell is at `at`, the other at
// `other`.
__device__ __forceinline__ float discharge(const Params &p, const Structure &structure, ptrdiff_t at, ptrdiff_t other, Count knows,
                                          const StepContext &now)
{
    const long long step = (long long)p.bed_step;
    const bool tables = p.level;
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
    long long drives = min(up, up - down);
    // Between cells with tables, less water makes the same difference.
    if (tables) drives = (long long)((float)drives / fmaxf(fmaxf(p.rises[at], p.rises[other]), 1.0f));
    const long long most = min(donor, drives) >> 2;
    const float up_head = (float)min(max(up, 0ll), (long long)MAX_WATER) * p.metres;
    const float down_head = (float)min(max(down, 0ll), (long long)MAX_WATER) * p.metres;
    FaceHeads heads = {up_head, down_head, since(p, structure, now.now)};
    const float inverse_length = structure.axis == 0 ? p.inverse_dx : p.inverse_dy;
    if (limits(structure.kind)) {
        // The resistance that a velocity meets is finite without a drop, too.
        const float least = knows == 2 && up_head > LEAST_DROP ? up_head - LEAST_DROP : up_head;
        heads.down = down_head < least ? down_head : least;
        const float allowed = discharge_of(structure.kind, structure.numbers, heads, now);
        float limit = allowed / up_head;
        // Also without water.
        if (!(limit < MOST_VELOCITY)) return 0.0f;
        if (knows) {
            const bool east = structure.axis == 0;
            const float drop = up_head - down_head;
            const float steps = now.now.dt * inverse_length;
            const float kept = knows == 2 ? (east ? p.velocity_east : p.velocity_south)[at]
                                          : (east ? p.discharge_east : p.discharge_south)[at];
            const float flow = ahead ? kept : -kept;
            if (knows == 2) {
                const float gravity = 9.81f * steps;
                const float driven = flow + gravity * drop;
                limit = slowed(fabsf(driven), gravity * (up_head - heads.down) / (limit * limit));
            } else {
                const float rises = tables ? fmaxf(fmaxf(p.rises[at], p.rises[other]), 1.0f) : 1.0f;
                limit = calmed(allowed, drop, flow, 2.0f * steps * rises) / up_head;
            }
        }
        return LIMIT * fmaxf(limit, LEAST_VELOCITY);
    }
    if (most <= 0) return CLOSED;
    const float limit = (float)most / (now.now.dt * inverse_length * p.per_metre);
    float discharge = discharge_of(structure.kind, structure.numbers, heads, now);
    discharge = discharge < limit ? discharge : limit;
    discharge = discharge > CLOSED ? discharge : CLOSED;
    return ahead ? discharge : -discharge;
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
    const float over = discharge(p, structure, at, other, all.knows, step);
    (structure.axis == 0 ? p.structure_east : p.structure_south)[at] = over;
    if (!all.told || over == 0.0f) return;
    float &to = (structure.axis == 0 ? p.discharge_east : p.discharge_south)[at];
    const float speed = fabsf((structure.axis == 0 ? p.velocity_east : p.velocity_south)[at]);
    const float limit = over * (1.0f / LIMIT);
    if (over <= DISCHARGES) {
        to = fabsf(over) > CLOSED ? over : 0.0f;
    } else if (speed > limit) {
        to = to * (limit / speed);
    }
}
