// The clock of the timed solvers: the length of the next step follows from the flow of the last one,
// so it is computed on the device that holds the flow. The twin of src/engine/time_step.rs.
#pragma once
#include "sample.cuh"
#include "series.cuh"
#include "after_flow.cuh"

// Step control of a run.
struct StepControl {
    double time;        // at the end of the last step (s)
    Count number;       // of the next step
    float free;         // the last step's duration before a stop cut it short (s); 0 before the first
    float rate;         // CFL rate of the last step: 1 / the longest step that any edge allows (1/s)
    float epoch_rate;         // CFL rate that limits the steps of the epoch (1/s)
    unsigned taken;     // steps of the epoch
    float shortest;     // step so far (s)
    float longest;
};

// State of the clock.
struct Clock : StepControl {
    double target;      // no step goes beyond it (s)
    double before;      // no step ends at or after it (s)
    Count last_number;  // of the first step not to be taken, whatever the time
    double sampled;     // next sample time (s): the states before and after the step that contains it are sampled
    unsigned way;       // of the next step: 0 or 1
    unsigned looked;    // sample times that steps have passed
    unsigned samples;   // so far
    unsigned slot;      // 1 plus the slot for a sample of the current state; 0 for none
    unsigned after;     // whether the state after the step is to be sampled, because the step contains a sample time
    unsigned bound;     // number of bounds that have begun
    Count maxima[3];    // the greatest speed, Froude number and rise whose times are known: params.cuh
    double times[3];    // when they were reached (s)
};

// Limits on a step's duration.
struct Limits {
    float safety;   // share of the longest allowed step that is taken
    float longest;  // the longest step (s)
};

// Constants of all runs: src/engine/time_step.rs.
constexpr float GROWTH = 1.2f;    // maximum growth from step to step
constexpr float FIRST = 0.05f;    // maximum length of the first step (s)
constexpr float MARGIN = 1.3f;    // factor by which a step within an epoch may exceed what the flow allows
constexpr double EVEN = 64.0;     // number of steps before a stop that are of equal length
constexpr unsigned EPOCH = 16;    // maximum number of steps of an epoch

// Step limit that the forcing imposes from a time until the next bound: src/engine/time_step.rs.
struct Bound {
    double time;
    double longest;
};

// The rounding phase of a step: src/engine/grains.rs.
__device__ __forceinline__ float phase_of(Count step)
{
    return (float)(((unsigned)step * 2654435769u) >> 8) * (1.0f / 16777216.0f);
}

// Records the time at which a maximum was reached.
__device__ __forceinline__ void record_time(Count &known, double &at, Count now, double time)
{
    if (now <= known) return;
    known = now;
    at = time;
}

// Limits a step by a CFL rate.
__device__ __forceinline__ float under(float rate, float most, const Limits &limits)
{
    return rate > 0.0f ? fminf(most, __fdiv_rn(limits.safety, rate)) : most;
}

// Limits a step of `wanted` by the bounds of the forcing.
__device__ __forceinline__ float bounded(Clock &control, const Bound *bounds, unsigned count, float wanted)
{
    if (count == 0) return wanted;
    while (control.bound < count && bounds[control.bound].time <= control.time) control.bound += 1;
    double most = (double)wanted;
    if (control.bound > 0) {
        const double now = bounds[control.bound - 1].longest;
        most = now < most ? now : most;
    }
    for (unsigned at = control.bound; at < count; at++) {
        const double ahead = bounds[at].time - control.time;
        if (ahead >= most) break;
        const double longest = bounds[at].longest;
        const double allowed = longest > ahead ? longest : ahead;
        most = allowed < most ? allowed : most;
    }
    return (float)most;
}

// Returns the length of the next step, and its end.
__device__ __forceinline__ float step_of(Clock &control, const Limits &limits, const Bound *bounds, unsigned count,
                                         double &end)
{
    const float eager = control.free > 0.0f ? GROWTH * control.free : FIRST;
    const float most = bounded(control, bounds, count, fminf(eager, limits.longest));
    float chosen = under(control.epoch_rate, most, limits);
    const bool begins = control.free == 0.0f || control.taken == 0 || control.taken == EPOCH ||
                        chosen * control.rate > MARGIN * limits.safety;
    if (begins) {
        chosen = under(control.rate, most, limits);
        control.epoch_rate = control.rate;
        control.taken = 0;
    }
    control.free = chosen;
    control.taken += 1;
    const double left = control.target - control.time;
    float dt = control.free;
    if (left <= (double)control.free) {
        dt = (float)left;
        end = control.target;
        return dt;
    }
    // Spread the rest over equal steps: src/engine/time_step.rs explains why.
    if (left < EVEN * (double)control.free) {
        dt = (float)__ddiv_rn(left, ceil(__ddiv_rn(left, (double)control.free)));
    }
    end = control.time + (double)dt;
    return dt;
}

// Inputs and outputs of the clock.
struct Ticking {
    Clock *clock;
    StepConstants *step_constants; // of the coming step
    const Totals *totals;
    const Series *rates;
    const unsigned *active;  // rate layers that are active
    Increment *increments;
    const Series *levels;
    long long *stages;
    const Sampling *sampling;
    const Bound *bounds;     // of the run's steps
    double per_metre;
    double elapsed;          // total time of the runs that this one continues (s)
    int active_count;
    int level_count;
    unsigned bound_count;
    unsigned spare;
    Limits limits;
};

// Begins a sample of the current state; one thread.
__device__ __forceinline__ void begin_sample(const Ticking &to, Clock &now)
{
    SampleHead *const sample = sample_at(*to.sampling, now.samples);
    sample->time = now.time;
    sample->number = now.number;
    sample->way = now.way;
    sample->stored = 0;
    sample->wet = 0;
    now.samples += 1;
}

// Computes the constants of the next step, the clock's new state, and the forcing of the step per
// level and per active rate layer. Called by all threads of a warp; the first of them sets `step`
// and `next`. Returns 1 plus the slot for a sample of the current state; 0 for none.
__device__ __forceinline__ unsigned go_on(const Ticking &to, StepConstants &step, Clock &next)
{
    Clock was = *to.clock;
    record_time(was.maxima[0], was.times[0], to.totals->speed, was.time);
    record_time(was.maxima[1], was.times[1], to.totals->froude, was.time);
    record_time(was.maxima[2], was.times[2], to.totals->rise, was.time);
    bool stops = *(volatile const Count *)&to.totals->halted_at != ~0ull || was.time >= was.target ||
                 was.number >= was.last_number;
    // Every thread computes the same.
    Clock control = was;
    double end = 0.0;
    float dt = 0.0f;
    bool over = false;
    if (!stops) {
        dt = step_of(control, to.limits, to.bounds, to.bound_count, end);
        over = end >= was.sampled;
        // There must be room for the next sample, too.
        stops = end >= was.before || (over && was.samples + 2 > to.sampling->room);
    }
    const bool sees = was.after != 0 || (over && !stops);
    const unsigned slot = sees ? was.samples + 1 : 0;
    if (stops) {
        __syncwarp();
        if (threadIdx.x == 0) {
            step.way = IDLE;
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
        to.stages[layer] = level(to.levels[layer], end, to.per_metre);
    }
    __syncwarp();
    if (threadIdx.x > 0) return slot;
    if (sees) {
        begin_sample(to, was);
        control.samples = was.samples;
    }
    if (over) {
        while (to.sampling->times[control.looked] <= end) control.looked += 1;
        control.sampled = to.sampling->times[control.looked];
    }
    control.slot = slot;
    control.after = over;
    step.half_step = 2 * was.number;
    step.phase = phase_of(was.number);
    step.end = (float)end;
    step.dt = dt;
    step.start = (float)was.time;
    step.elapsed_start = (float)(to.elapsed + was.time);
    step.elapsed_end = (float)(to.elapsed + end);
    step.way = was.way;
    control.rate = 0.0f;
    control.number += 1;
    control.time = end;
    control.shortest = fminf(control.shortest, dt);
    control.longest = fmaxf(control.longest, dt);
    control.way ^= 1;
    next = control;
    return slot;
}

// Warps of a block that takes a sample.
constexpr int SAMPLING_WARPS = 8;

// Before each step: one warp.
extern "C" __global__ void tick(Ticking to)
{
    wait_for_previous_kernel();
    StepConstants step = {};
    Clock next;
    go_on(to, step, next);
    if (threadIdx.x > 0) return;
    *to.step_constants = step;
    *to.clock = next;
}

// After the last step: begins the sample of its result, if requested. One thread.
extern "C" __global__ void end_samples(Ticking to)
{
    wait_for_previous_kernel();
    to.clock->slot = to.clock->after ? to.clock->samples + 1 : 0;
    if (to.clock->after) begin_sample(to, *to.clock);
    to.clock->after = 0;
}

// After the clock has advanced: writes the current state, if it is to be sampled. All warps share
// the chunks.
extern "C" __global__ void __launch_bounds__(32 * SAMPLING_WARPS) sample(const Params p, const Ticking to)
{
    wait_for_previous_kernel();
    const unsigned slot = to.clock->slot;
    if (slot == 0) return;
    SampleHead *const sample = sample_at(*to.sampling, slot - 1);
    if (blockIdx.x == 0) put_down(*to.sampling, sample, to.totals, threadIdx.x, 32 * SAMPLING_WARPS);
    const bool swapped = sample->way == 1;
    const int *const water = swapped ? p.next_water : p.water;
    const int *const deepest = swapped ? p.deepest_next : p.deepest;
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
