// Inflow cells that are topped up: the twin of src/engine/forcing/sites/top_up.rs.
#pragma once
#include "sites.cuh"

struct TopUp {
    static __device__ __forceinline__ long long change(const unsigned (&numbers)[2], const CellView &seen, const StepContext &now)
    {
        const int depth = (int)numbers[1];
        const long long bed = (long long)seen.bed * (long long)now.p.bed_step;
        return max((seen.table.planes ? water_at(now, seen, bed + depth) : depth) - seen.water, 0);
    }
};
