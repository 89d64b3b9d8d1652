// What is done with the new water of a cell: sinks and drains emptied, maxima and arrivals noted.
#pragma once
#include "params.cuh"

// Empties a sink or a drain, and gives a pinned cell the water back that it had; what that brings or takes is counted
// where the cell is the frame's own.
__device__ __forceinline__ int emptied(const Params &p, Flags flags, int water, bool own, ptrdiff_t cell)
{
    if (flags & PINNED) {
        const int held = p.water[cell];
        if (own && water > held) atomicAdd(&p.totals->outflow, (Count)(water - held));
        if (own && water < held) atomicAdd(&p.totals->inflow, (Count)(held - water));
        return held;
    }
    if (water == 0 || !(flags & (SINK | DRAIN))) return water;
    if (own) atomicAdd(flags & SINK ? &p.totals->losses : &p.totals->outflow, (Count)water);
    return 0;
}

template <class T>
__device__ __forceinline__ void swap(T *&a, T *&b)
{
    T *const was = a;
    a = b;
    b = was;
}

// Notes at this turn that a cell holds more than it may: nothing later in the run is computed.
__device__ __forceinline__ void halt(const Params &p, Count turn)
{
    atomicMin(&p.totals->halted_at, turn);
}

// Whether water got too deep before this turn.
__device__ __forceinline__ bool halted(const Params &p, Count turn)
{
    return *(volatile const Count *)&p.totals->halted_at < turn;
}

// Whether there is anything to do in this step. Brings what is now and what is next to their places.
__device__ __forceinline__ bool begin(Params &p, const Moment &now)
{
    if (now.way == IDLE) return false;
    if (now.way == 1) {
        swap(p.water, p.next);
        swap(p.deepest, p.deepest_next);
        swap(p.east, p.next_east);
        swap(p.south, p.next_south);
        swap(p.u_east, p.next_u_east);
        swap(p.u_south, p.next_u_south);
    }
    return !halted(p, now.turn);
}

// The constants of a step while water flows, which is the turn after water came.
__device__ __forceinline__ Moment flowing(const Params &p)
{
    Moment now = *p.moment;
    now.turn += 1;
    return now;
}

// Flags of cells whose water is not left to flow alone.
constexpr Flags SPECIAL = SINK | DRAIN | PINNED | LEAVES;

// Notes the maximum and the arrival of a cell; `most` is its maximum so far.
__device__ __forceinline__ void note(const Params &p, const Moment &now, size_t cell, int water, int most)
{
    if (water <= most) return;
    p.most[cell] = water;
    if (water > p.threshold && most <= p.threshold) p.arrival[cell] = now.end;
}
