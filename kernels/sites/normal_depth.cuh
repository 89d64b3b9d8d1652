// Water that leaves cells at normal depth: the twin of src/engine/forcing/sites/normal_depth.rs and src/engine/forcing/outflow.rs.
#pragma once
#include "edge.cuh"
#include "roots.cuh"
#include "sites.cuh"

struct NormalDepth {
    // What leaves a cell that holds `water`.
    static __device__ __forceinline__ int leaves(const Params &p, float conveyance, const StepConstants &now, int water)
    {
        const float depth = (float)water * p.metres;
        if (!(depth > DRY)) return 0;
        const float s = inverse_sixth_root(depth);
        const float rate = ((depth * depth) * (s * s)) * conveyance;
        const float grains = rate * (now.dt * p.per_metre);
        return min((int)lower(grains + now.phase, MOST_CROSSING), water >> 1);
    }

    static __device__ __forceinline__ long long change(const unsigned (&numbers)[2], const Seen &seen, const InStep &now)
    {
        return -min(leaves(now.p, __uint_as_float(numbers[1]), now.now, seen.before), seen.water);
    }
};
