// Cells whose level is held: the twin of src/engine/forcing/sites/held.rs.
#pragma once
#include "sites.cuh"

struct Held {
    static __device__ __forceinline__ long long change(const unsigned (&numbers)[2], const Seen &seen, const InStep &now)
    {
        const long long bed = (long long)seen.bed * (long long)now.p.bed_step;
        return max(min(now.levels[numbers[0]] - bed, (long long)MAX_WATER), 0ll) - seen.water;
    }
};
