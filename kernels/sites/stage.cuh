// Cells with a prescribed level: the twin of src/engine/forcing/sites/stage.rs.
#pragma once
#include "sites.cuh"

struct Stage {
    static __device__ __forceinline__ long long change(const unsigned (&numbers)[2], const CellView &seen, const StepContext &now)
    {
        return (long long)water_at(now, seen, now.levels[numbers[0]]) - seen.water;
    }
};
