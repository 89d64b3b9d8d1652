// Next state of a cell, where `at(x, y, z)` returns the state of a cell at that offset.
#pragma once

#ifndef CLOUDS
// A cell counts its neighbours in the state that it reacts to.
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
