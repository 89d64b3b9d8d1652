// Trigger that a structure waits for: the twin of src/engine/forcing/sites/trigger.rs.
#pragma once
#include "sites.cuh"

struct Trigger {
    // The inverted bits of a time, except the last, which belongs to a rating curve of the cell.
    static __device__ __forceinline__ bool has_begun(unsigned state) { return (state & ~RUNS) != 0; }
    static __device__ __forceinline__ float began(unsigned state) { return __uint_as_float(~(state | RUNS)); }
    static __device__ __forceinline__ unsigned remembers(float began) { return ~__float_as_uint(began) & ~RUNS; }

    static __device__ __forceinline__ unsigned remembered(const unsigned (&numbers)[2], const CellView &seen, const StepContext &now)
    {
        const float time = __uint_as_float(numbers[1]);
        if (has_begun(seen.state)) return seen.state;
        if (now.now.elapsed_end > time) return seen.state | remembers(time);
        return (long long)height_of_water(now, seen) > (long long)numbers[0] ? seen.state | remembers(now.now.elapsed_start) : seen.state;
    }

    static __device__ __forceinline__ long long change(const unsigned (&)[2], const CellView &, const StepContext &) { return 0; }
};
