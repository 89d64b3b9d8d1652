// Water that leaves a cell over a weir: the twin of src/engine/forcing/sites/weir.rs.
#pragma once
#include "sites.cuh"

struct Weir {
    static __device__ __forceinline__ long long change(const unsigned (&numbers)[2], const CellView &seen, const StepContext &now)
    {
        const int over = (int)max((long long)seen.water - (long long)numbers[0], 0ll);
        const float head = (float)over * now.p.metres;
        const float rate = __uint_as_float(numbers[1]) * (head * __fsqrt_rn(head));
        const float grains = rate * (now.now.dt * now.p.per_metre) + now.now.phase;
        return -min((int)fminf(grains, 1e9f), over / 2);
    }
};
