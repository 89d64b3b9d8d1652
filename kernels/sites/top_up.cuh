// Inflow cells that are topped up: the twin of src/engine/forcing/sites/top_up.rs.
#pragma once
#include "sites.cuh"

struct TopUp {
    static __device__ __forceinline__ long long change(const unsigned (&numbers)[2], const Seen &seen, const InStep &)
    {
        return max((int)numbers[1] - seen.water, 0);
    }
};
