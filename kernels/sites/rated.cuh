// Outflow by a rating curve: the twin of src/engine/forcing/sites/rated.rs.
#pragma once
#include "sites.cuh"

struct Rated {
    // Returns the depth before the flow (m).
    static __device__ __forceinline__ float depth_of(CellView seen, const StepContext &now)
    {
        seen.water = seen.before;
        return (float)height_of_water(now, seen) * now.p.metres;
    }

    static __device__ __forceinline__ bool runs(const unsigned (&numbers)[2], const CellView &seen, const StepContext &now,
                                                float depth)
    {
        return depth > now.tables[numbers[0] + (seen.state & RUNS)];
    }

    static __device__ __forceinline__ unsigned remembered(const unsigned (&numbers)[2], const CellView &seen, const StepContext &now)
    {
        return (seen.state & ~RUNS) | (runs(numbers, seen, now, depth_of(seen, now)) ? RUNS : 0u);
    }

    static __device__ __forceinline__ long long change(const unsigned (&numbers)[2], const CellView &seen, const StepContext &now)
    {
        const float depth = depth_of(seen, now);
        if (!runs(numbers, seen, now, depth)) return 0;
        const float rate = looked_up(now.tables + numbers[0] + 2, depth);
        const float grains = (rate * __uint_as_float(numbers[1])) * (now.now.dt * now.p.per_metre) + now.now.phase;
        return -min((int)fminf(fmaxf(grains, 0.0f), 1e9f), seen.water);
    }
};
