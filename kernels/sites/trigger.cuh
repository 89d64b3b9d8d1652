// What a structure waits for: the twin of src/engine/forcing/sites/trigger.rs.
#pragma once
#include "sites.cuh"

struct Trigger {
    static __device__ __forceinline__ unsigned remembered(const unsigned (&numbers)[2], const Seen &seen, const InStep &now)
    {
        const float past = now.now.end - __uint_as_float(numbers[1]);
        if (seen.state != 0) return __float_as_uint(__uint_as_float(seen.state) + now.now.dt);
        if (past > 0.0f) return __float_as_uint(past);
        return (long long)stands(now, seen) > (long long)numbers[0] ? __float_as_uint(now.now.dt) : 0;
    }

    static __device__ __forceinline__ long long change(const unsigned (&)[2], const Seen &, const InStep &) { return 0; }
};
