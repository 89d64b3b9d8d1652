// Forest fire: empty 0, tree 1, ash 2, fire 3. Twin of src/lab/automata/rules/forest_fire.rs.
#pragma once
#include "logic.cuh"

struct Rule {
    static const int MOORE = 0;
    static __device__ __forceinline__ int wanted(int) { return 3; }
    static __device__ __forceinline__ int becomes(int cell, int count)
    {
        if (cell == 1 && count > 0) return 3;
        if (cell == 3) return 2;
        if (cell == 2 && count == 0) return 0;
        return cell;
    }

    template <class W>
    static __device__ __forceinline__ W marked(W, W neighbours) { return neighbours & (neighbours >> 1) & bytes<W>(1); }
    template <class W>
    static __device__ __forceinline__ W packets(W cells, W counts)
    {
        const W one = bytes<W>(1), low = cells & one, high = (cells >> 1) & one;
        const W burns = zero_bytes<W>(counts) ^ one;
        return (low & (high ^ one)) | (majority<W>(low, high, burns) << 1);
    }

    static const int P = 2, S = 1, HELD = 0;
    template <class W>
    struct Row {
        W low, high, fire, beside;
    };
    template <class W>
    static __device__ __forceinline__ void see(const W (&here)[P], W (&seen)[S]) { seen[0] = here[0] & here[1]; }
    template <class W>
    static __device__ __forceinline__ Row<W> row(const W (&left)[S], const W (&seen)[S], const W (&right)[S], const W (&here)[P])
    {
        return {here[0], here[1], seen[0], (W)(left[0] | right[0])};
    }
    // The low bit stays with trees; the high bit is set for burning cells, and for trees and ash
    // beside a fire.
    template <class W>
    static __device__ __forceinline__ void next(const Row<W> &above, const Row<W> &here, const Row<W> &below, W (&out)[P])
    {
        const W near = here.beside | above.fire | below.fire;
        out[0] = here.low & ~here.high;
        out[1] = majority(here.low, here.high, near);
    }
};
