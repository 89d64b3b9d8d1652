// Game of Life: B3/S23. Twin of src/lab/automata/rules/life.rs.
#pragma once
#include "logic.cuh"

struct Rule {
    static const int MOORE = 1;
    static __device__ __forceinline__ int wanted(int) { return 1; }
    static __device__ __forceinline__ int becomes(int cell, int count) { return count == 3 || (cell == 1 && count == 2); }

    template <class W>
    static __device__ __forceinline__ W marked(W, W neighbours) { return neighbours; }
    template <class W>
    static __device__ __forceinline__ W packets(W cells, W counts) { return zero_bytes<W>((counts | cells) ^ bytes<W>(3)); }

    // Bit planes: P of them, of which neighbours read S words. HELD: cells beyond a dead edge must
    // be held in state 0.
    static const int P = 1, S = 1, HELD = 1;
    template <class W>
    struct Row {
        W ones, twos, here;
    };
    template <class W>
    static __device__ __forceinline__ void see(const W (&here)[P], W (&seen)[S]) { seen[0] = here[0]; }
    template <class W>
    static __device__ __forceinline__ Row<W> row(const W (&left)[S], const W (&seen)[S], const W (&right)[S], const W (&here)[P])
    {
        return {xor3(left[0], seen[0], right[0]), majority(left[0], seen[0], right[0]), here[0]};
    }
    // Three of the nine cells are alive, or four including the middle one.
    template <class W>
    static __device__ __forceinline__ void next(const Row<W> &above, const Row<W> &here, const Row<W> &below, W (&out)[P])
    {
        const W odd = xor3(above.ones, here.ones, below.ones);
        const W carry = majority(above.ones, here.ones, below.ones);
        const W twos = xor3(above.twos, here.twos, below.twos);
        const W fours = majority(above.twos, here.twos, below.twos);
        const W three = (twos ^ carry) & ~fours;
        const W four = (fours & ~(twos | carry)) | (~fours & twos & carry);
        out[0] = choose<W>(odd, three, four & here.here);
    }
};
