// Outflow from cells at normal depth: the twin of src/engine/forcing/sites/normal_depth.rs and
// src/engine/forcing/outflow.rs.
#pragma once
#include "edge.cuh"
#include "roots.cuh"
#include "sites.cuh"

struct NormalDepth {
    // Outflow of a cell that holds `water`.
    static __device__ __forceinline__ int leaves(const Params &p, float conveyance, const StepConstants &now, int water)
    {
        const float depth = (float)water * p.metres;
        if (!(depth > DRY)) return 0;
        const float s = inverse_sixth_root(depth);
        return leaves_by(p, ((depth * depth) * (s * s)) * conveyance, now, water);
    }

    // Outflow at a known rate.
    static __device__ __forceinline__ int leaves_by(const Params &p, float rate, const StepConstants &now, int water)
    {
        const float grains = rate * (now.dt * p.per_metre);
        return min((int)lower(grains + now.phase, MAX_FACE_FLUX), water >> 1);
    }

    static __device__ __forceinline__ long long change(const unsigned (&numbers)[2], const CellView &seen, const StepContext &now)
    {
        const float conveyance = __uint_as_float(numbers[1]);
        if (!seen.table.planes) return -min(leaves(now.p, conveyance, now.now, seen.before), seen.water);
        const float by = over_sides(now.p, numbers[0], seen.table, seen.bed, seen.before);
        return -min(leaves_by(now.p, by * conveyance, now.now, seen.before), seen.water);
    }
};
