// Water that enters single cells at a rate: the twin of src/engine/forcing/sites/cell_rain.rs and
// inflow.rs.
#pragma once
#include "sites.cuh"

struct CellRain {
    static __device__ __forceinline__ long long change(const unsigned (&numbers)[2], const CellView &, const StepContext &now)
    {
        const Increment rate = now.rates[numbers[0]];
        return (long long)min(gains(numbers[1], rate.before, rate.after), (Count)0x7fffffffffffffffull);
    }
};
