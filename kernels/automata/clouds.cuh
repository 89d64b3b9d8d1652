// Clouds: bit 0 humid, 1 active, 2 cloud. Twin of src/lab/automata/rules/clouds.rs.
#pragma once
#define CLOUDS

struct Rule {
    template <class At>
    static __device__ __forceinline__ int becomes(const At &at)
    {
        const int cell = at(0, 0, 0);
        const int near = at(1, 0, 0) | at(0, 1, 0) | at(0, 0, 1) | at(-1, 0, 0) | at(0, -1, 0) | at(0, 0, -1) |
                         at(-2, 0, 0) | at(2, 0, 0) | at(0, -2, 0) | at(0, 2, 0) | at(0, 0, -2);
        const int humid = cell & ~(cell >> 1) & 1;
        const int active = humid & (near >> 1);
        return humid | active << 1 | ((cell >> 2 | cell >> 1) & 1) << 2;
    }
    // The rule for many cells per word: humid, active and cloud before the step, and where a
    // neighbour is active.
    template <class W>
    static __device__ __forceinline__ void words(W &humid, W &active, W &cloud, W near)
    {
        cloud |= active;
        humid &= ~active;
        active = humid & near;
    }
};
