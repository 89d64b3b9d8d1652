// Post-processing of a cell's new water: empties sinks and drains, records maxima and arrivals.
#pragma once
#include "params.cuh"

// Books inflow and outflow (grains) at a port.
__device__ __forceinline__ void book(const Ports *ports, unsigned port, Count came, Count left)
{
    if (came > 0) atomicAdd(ports->port_volumes + 2 * (size_t)port, came);
    if (left > 0) atomicAdd(ports->port_volumes + 2 * (size_t)port + 1, left);
}

// Without momentum, only the units for runs with structures hold levels during the flow: the others
// have no registers for it.
#if defined(CARRIES_MOMENTUM) || defined(WITH_STRUCTURES)
#define HOLDS_LEVELS
#endif

#ifdef HOLDS_LEVELS
// Books at the port of a pinned cell, in a frame that begins at the given column and row of the
// padded grid. Such cells are rare, so this is kept out of line to save the flow's registers.
__device__ __noinline__ void book_at(const Ports *ports, Count cell, unsigned stride, unsigned first_column,
                                     unsigned first_row, Count came, Count left)
{
    const Count row = cell / stride;
    const Count place = (row + first_row) * ports->columns + (cell - row * stride) + first_column;
    Count first = 0;
    for (Count count = ports->count; count > 1;) {
        const Count half = count / 2;
        if (ports->cells[first + half] <= place) first += half;
        count -= half;
    }
    book(ports, ports->numbers[first], came, left);
}

__device__ __forceinline__ void book_at(const Params &p, ptrdiff_t cell, Count came, Count left)
{
    book_at(p.ports, (Count)cell, p.stride, p.first_column, p.first_row, came, left);
}
#endif

// Empties a sink or a drain, and resets a pinned cell to its former water; the volumes are booked
// if the cell is the frame's own.
__device__ __forceinline__ int emptied(const Params &p, Flags flags, int water, bool own, ptrdiff_t cell)
{
#ifdef HOLDS_LEVELS
    if (flags & PINNED) {
        const int held = p.water[cell];
        if (!own || water == held) return held;
        const Count came = max(held - water, 0);
        const Count left = max(water - held, 0);
        if (left > 0) atomicAdd(&p.totals->outflow, left);
        if (came > 0) atomicAdd(&p.totals->inflow, came);
        book_at(p, cell, came, left);
        return held;
    }
#endif
    if (water == 0 || !(flags & (SINK | DRAIN))) return water;
    if (!own) return 0;
    if (flags & SINK) {
        atomicAdd(&p.totals->losses, (Count)water);
        return 0;
    }
    atomicAdd(&p.totals->outflow, (Count)water);
    book(p.ports, 1 << (flags / SIDE % 4), 0, water);
    return 0;
}

// Records that a cell holds too much water in this half step: nothing later in the run is computed.
__device__ __forceinline__ void halt(const Params &p, Count half_step)
{
    atomicMin(&p.totals->halted_at, half_step);
}

// Returns whether water got too deep before this half step.
__device__ __forceinline__ bool halted(const Params &p, Count half_step)
{
    return *(volatile const Count *)&p.totals->halted_at < half_step;
}

// Swaps the double arrays if necessary, so that now and next are in place.
__device__ __forceinline__ void take_places(Params &p, const StepConstants &now)
{
    if (now.way != 1) return;
    p.swap();
    int *const was = p.deepest;
    p.deepest = p.deepest_next;
    p.deepest_next = was;
}

// Returns whether there is anything to do in this step, and swaps the double arrays if necessary.
__device__ __forceinline__ bool begin(Params &p, const StepConstants &now)
{
    if (now.way == IDLE) return false;
    take_places(p, now);
    return !halted(p, now.half_step);
}

// Returns the constants of a step in the mass update, which is the half step after the sources.
__device__ __forceinline__ StepConstants flowing(const Params &p)
{
    StepConstants now = *p.step_constants;
    now.half_step += 1;
    return now;
}

// Constants of the clock's step, and the half step of a halt, loaded together: they are far away,
// and no work can begin before they arrive.
struct Start {
    StepConstants now;
    Count halted_at;

    __device__ __forceinline__ explicit Start(const Params &p) : halted_at(*(const volatile Count *)&p.totals->halted_at)
    {
#ifdef __CUDA_ARCH__
        // The clock's constants are at the start of a memory block of their own.
        unsigned words[8];
#pragma unroll
        for (int half = 0; half < 8; half += 4) {
            asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(words[half]), "=r"(words[half + 1]), "=r"(words[half + 2]), "=r"(words[half + 3])
                         : "l"((const char *)p.step_constants + 4 * half));
        }
        now.half_step = (Count)words[1] << 32 | words[0];
        now.phase = __uint_as_float(words[2]);
        now.end = __uint_as_float(words[3]);
        now.dt = __uint_as_float(words[4]);
        now.way = words[5];
        now.start = __uint_as_float(words[6]);
#else
        now = *p.step_constants;
#endif
        now.half_step += 1;
    }

    // See `begin` above.
    __device__ __forceinline__ bool begin(Params &p) const
    {
        if (now.way == IDLE || halted_at < now.half_step) return false;
        take_places(p, now);
        return true;
    }
};

// Flags of cells whose water does not only flow.
constexpr Flags SPECIAL = SINK | DRAIN | PINNED | AFTER_FLOW | INTAKE | STRUCTURE;

// Returns whether water arrives in a cell; `most` is its maximum so far.
__device__ __forceinline__ bool arrives(const Params &p, int water, int most) { return water > p.threshold && most <= p.threshold; }

// Records the maximum and the arrival of a cell.
__device__ __forceinline__ void record(const Params &p, const StepConstants &now, size_t cell, int water, int most)
{
    if (water <= most) return;
    p.most[cell] = water;
    if (arrives(p, water, most)) p.arrival[cell] = now.end;
}
