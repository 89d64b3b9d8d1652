// The clock of the timed rules: how long the next step is follows from the flow of the last, so it is
// found out where the flow is. The twin of src/engine/pace.rs.
#pragma once
#include "sample.cuh"
#include "series.cuh"
#include "settle.cuh"

// Where the clock stands.
struct Pace {
    double time;        // at the end of the last step (s)
    double target;      // no step goes beyond it (s)
    double look;        // no step ends at it or after it (s)
    Count number;       // of the next step
    Count last_number;  // of the first step not taken whatever the time
    float free;         // the last step's duration had nothing stopped it short (s); 0 before the first
    float rate;         // 1 / the longest step that any edge allows, of the last step (1/s)
    float held;         // the same that holds the steps of the epoch (1/s)
    unsigned taken;     // steps of the epoch
    float shortest;     // step so far (s)
    float longest;
    unsigned way;       // of the next step: 0 or 1
    unsigned looked;    // times of samples that steps have gone over
    double sampled;     // the next of them (s): the states before and after the step that goes over it are sampled
    unsigned samples;   // so far
    unsigned slot;      // 1 and where what is now is to be put as a sample; 0 if it is not
    unsigned after;     // whether what is next is to be sampled, because the step to it goes over such a time
    unsigned bound;     // of the bounds, how many have begun
    Count speed;        // the greatest as far as their times are known: params.cuh
    Count froude;
    Count rise;
    double speed_time;  // when they were reached (s)
    double froude_time;
    double rise_time;
};

// What a step's duration is held to.
struct PaceLimits {
    float safety;      // share of the longest step allowed that is taken
    float growth;      // from step to step at the most
    float first;       // the first step at the most (s)
    float longest_dt;  // any step at the most (s)
    double even;       // this many steps before a stop are of one length
    float margin;      // how much longer than the flow allows a step within an epoch may be
    unsigned epoch;    // the most steps of an epoch
};

// From a time on, to that of the next, how long a step may be for what comes then: src/engine/pace.rs.
struct Bound {
    double time;
    double longest;
};

// The rounding phase of a step: src/engine/grains.rs.
__device__ __forceinline__ float phase_of(Count step)
{
    return (float)(((unsigned)step * 2654435769u) >> 8) * (1.0f / 16777216.0f);
}

// Notes the time at which something became the greatest.
__device__ __forceinline__ void note_time(Count &known, double &at, Count now, double time)
{
    if (now <= known) return;
    known = now;
    at = time;
}

// What a rate leaves of a step.
__device__ __forceinline__ float under(float rate, float most, const PaceLimits &limits)
{
    return rate > 0.0f ? fminf(most, __fdiv_rn(limits.safety, rate)) : most;
}

// A step of `wanted`, or as much as what comes in it allows.
__device__ __forceinline__ float bounded(Pace &pace, const Bound *bounds, unsigned count, float wanted)
{
    if (count == 0) return wanted;
    while (pace.bound < count && bounds[pace.bound].time <= pace.time) pace.bound += 1;
    double most = (double)wanted;
    if (pace.bound > 0) {
        const double now = bounds[pace.bound - 1].longest;
        most = now < most ? now : most;
    }
    for (unsigned at = pace.bound; at < count; at++) {
        const double ahead = bounds[at].time - pace.time;
        if (ahead >= most) break;
        const double longest = bounds[at].longest;
        const double allowed = longest > ahead ? longest : ahead;
        most = allowed < most ? allowed : most;
    }
    return (float)most;
}

// How long the next step is, and where it ends.
__device__ __forceinline__ float step_of(Pace &pace, const PaceLimits &limits, const Bound *bounds, unsigned count,
                                         double &end)
{
    const float eager = pace.free > 0.0f ? limits.growth * pace.free : limits.first;
    const float most = bounded(pace, bounds, count, fminf(eager, limits.longest_dt));
    float chosen = under(pace.held, most, limits);
    const bool begins = pace.free == 0.0f || pace.taken == 0 || pace.taken == limits.epoch ||
                        chosen * pace.rate > limits.margin * limits.safety;
    if (begins) {
        chosen = under(pace.rate, most, limits);
        pace.held = pace.rate;
        pace.taken = 0;
    }
    pace.free = chosen;
    pace.taken += 1;
    const double left = pace.target - pace.time;
    float dt = pace.free;
    if (left <= (double)pace.free) {
        dt = (float)left;
        end = pace.target;
        return dt;
    }
    // Steps of one length, as many as it takes anyway: src/engine/pace.rs says why.
    if (left < limits.even * (double)pace.free) {
        dt = (float)__ddiv_rn(left, ceil(__ddiv_rn(left, (double)pace.free)));
    }
    end = pace.time + (double)dt;
    return dt;
}

// What the clock needs: where things are.
struct Ticking {
    Pace *clock;
    Moment *moment;          // of the step to come
    const Totals *totals;
    const Series *rates;
    const unsigned *active;  // the rate layers that may bring something
    Increment *increments;
    const Series *levels;
    long long *held;
    const Sampling *sampling;
    const Bound *bounds;     // of the run's steps
    double per_metre;
    int active_count;
    int level_count;
    unsigned bound_count;
    unsigned spare;
    PaceLimits limits;
};

// Begins a sample of what is now; one thread.
__device__ __forceinline__ void begin_sample(const Ticking &to, Pace &now)
{
    SampleHead *const sample = sample_at(*to.sampling, now.samples);
    sample->time = now.time;
    sample->number = now.number;
    sample->way = now.way;
    sample->stored = 0;
    sample->wet = 0;
    now.samples += 1;
}

// Finds the moment of the next step, where the clock stands then, and what comes in it per level and per active rate layer. A warp's threads
// do it together; the first of them tells `told` and `next`. Says where what is now is to be put as a sample, and 1; 0 if it is not.
__device__ __forceinline__ unsigned go_on(const Ticking &to, Moment &told, Pace &next)
{
    Pace was = *to.clock;
    note_time(was.speed, was.speed_time, to.totals->speed, was.time);
    note_time(was.froude, was.froude_time, to.totals->froude, was.time);
    note_time(was.rise, was.rise_time, to.totals->rise, was.time);
    bool stops = *(volatile const Count *)&to.totals->halted_at != ~0ull || was.time >= was.target ||
                 was.number >= was.last_number;
    // Every thread finds the same.
    Pace pace = was;
    double end = 0.0;
    float dt = 0.0f;
    bool over = false;
    if (!stops) {
        dt = step_of(pace, to.limits, to.bounds, to.bound_count, end);
        over = end >= was.sampled;
        // What follows it must have a place, too.
        stops = end >= was.look || (over && was.samples + 2 > to.sampling->room);
    }
    const bool sees = was.after != 0 || (over && !stops);
    const unsigned slot = sees ? was.samples + 1 : 0;
    if (stops) {
        __syncwarp();
        if (threadIdx.x == 0) {
            told.way = IDLE;
            if (sees) begin_sample(to, was);
            was.slot = slot;
            was.after = 0;
            next = was;
        }
        return slot;
    }
    for (int at = threadIdx.x; at < to.active_count; at += 32) {
        const unsigned layer = to.active[at];
        const Count before = total(to.rates[layer], was.time, to.per_metre);
        const Count after = total(to.rates[layer], end, to.per_metre);
        // A rate that falls to 0 may lose a last digit.
        to.increments[layer] = {before, after > before ? after : before};
    }
    for (int layer = threadIdx.x; layer < to.level_count; layer += 32) {
        to.held[layer] = level(to.levels[layer], end, to.per_metre);
    }
    __syncwarp();
    if (threadIdx.x > 0) return slot;
    if (sees) {
        begin_sample(to, was);
        pace.samples = was.samples;
    }
    if (over) {
        while (to.sampling->times[pace.looked] <= end) pace.looked += 1;
        pace.sampled = to.sampling->times[pace.looked];
    }
    pace.slot = slot;
    pace.after = over;
    told.turn = 2 * was.number;
    told.phase = phase_of(was.number);
    told.end = (float)end;
    told.dt = dt;
    told.start = (float)was.time;
    told.way = was.way;
    pace.rate = 0.0f;
    pace.number += 1;
    pace.time = end;
    pace.shortest = fminf(pace.shortest, dt);
    pace.longest = fmaxf(pace.longest, dt);
    pace.way ^= 1;
    next = pace;
    return slot;
}

// Warps of a block that takes a sample.
constexpr int SAMPLING_WARPS = 8;

// Before each step: one warp.
extern "C" __global__ void tick(Ticking to)
{
    wait_for_turn();
    Moment told = {};
    Pace next;
    go_on(to, told, next);
    if (threadIdx.x > 0) return;
    *to.moment = told;
    *to.clock = next;
}

// After the last step: what it came to, if that is to be sampled. A thread.
extern "C" __global__ void end_samples(Ticking to)
{
    wait_for_turn();
    to.clock->slot = to.clock->after ? to.clock->samples + 1 : 0;
    if (to.clock->after) begin_sample(to, *to.clock);
    to.clock->after = 0;
}

// After the clock has gone on: puts down what is now, if that is to be sampled. As many warps as there are go over the chunks.
extern "C" __global__ void __launch_bounds__(32 * SAMPLING_WARPS) sample(const Params p, const Ticking to)
{
    wait_for_turn();
    const unsigned slot = to.clock->slot;
    if (slot == 0) return;
    SampleHead *const sample = sample_at(*to.sampling, slot - 1);
    if (blockIdx.x == 0) put_down(*to.sampling, sample, to.totals, threadIdx.x, 32 * SAMPLING_WARPS);
    const bool turned = sample->way == 1;
    const int *const water = turned ? p.next_water : p.water;
    const int *const deepest = turned ? p.deepest_next : p.deepest;
    const int lane = threadIdx.x % 32;
    const int chunks = p.chunks_across * p.chunks_down;
    Count stored = 0;
    Count wet = 0;
    for (int at = blockIdx.x * SAMPLING_WARPS + threadIdx.x / 32; at < chunks; at += gridDim.x * SAMPLING_WARPS) {
        if (deepest[at] == 0) continue;
        add_chunk(p, Chunk(p, at % p.chunks_across, at / p.chunks_across), water, lane, stored, wet);
    }
    put_counts(sample, stored, wet, lane);
}
