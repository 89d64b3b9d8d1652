// What a cell becomes, where `at(x, y, z)` tells the state of a cell so far away.
#pragma once

#ifndef CLOUDS
// A cell counts those of its neighbours that are in the state that it looks for.
template <class At>
static __device__ __forceinline__ int next_state(const At &at)
{
    const int cell = at(0, 0, 0);
    const int wanted = Rule::wanted(cell);
    int count = (at(0, -1, 0) == wanted) + (at(-1, 0, 0) == wanted) + (at(1, 0, 0) == wanted) + (at(0, 1, 0) == wanted);
    if (Rule::MOORE) {
        count += (at(-1, -1, 0) == wanted) + (at(1, -1, 0) == wanted) + (at(-1, 1, 0) == wanted) + (at(1, 1, 0) == wanted);
    }
    return Rule::becomes(cell, count);
}
#else
template <class At>
static __device__ __forceinline__ int next_state(const At &at)
{
    return Rule::becomes(at);
}
#endif
