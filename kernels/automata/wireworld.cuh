// WireWorld: empty 0, head 1, tail 2, wire 3. Twin of src/lab/automata/rules/wireworld.rs.
#pragma once
#include "logic.cuh"

struct Rule {
    static const int MOORE = 1;
    static __device__ __forceinline__ int wanted(int) { return 1; }
    static __device__ __forceinline__ int becomes(int cell, int count)
    {
        if (cell == 1) return 2;
        if (cell == 2) return 3;
        if (cell == 3 && (count == 1 || count == 2)) return 1;
        return cell;
    }

    template <class W>
    static __device__ __forceinline__ W marked(W, W neighbours) { return neighbours & ~(neighbours >> 1) & bytes<W>(1); }
    template <class W>
    static __device__ __forceinline__ W packets(W cells, W counts)
    {
        const W one = bytes<W>(1), low = cells & one, high = (cells >> 1) & one;
        const W lights = zero_bytes<W>(counts ^ one) | zero_bytes<W>(counts ^ bytes<W>(2));
        return high | (((low ^ high) | (low & high & (lights ^ one))) << 1);
    }

    static const int P = 2, S = 1, HELD = 0;
    template <class W>
    struct Row {
        W low, high, ones, twos;
    };
    template <class W>
    static __device__ __forceinline__ void see(const W (&here)[P], W (&seen)[S]) { seen[0] = here[0] & ~here[1]; }
    template <class W>
    static __device__ __forceinline__ Row<W> row(const W (&left)[S], const W (&seen)[S], const W (&right)[S], const W (&here)[P])
    {
        return {here[0], here[1], xor3(left[0], seen[0], right[0]), majority(left[0], seen[0], right[0])};
    }
    // The low bit is the former high bit. The high bit is set for heads and tails, and for wire
    // that does not light up.
    template <class W>
    static __device__ __forceinline__ void next(const Row<W> &above, const Row<W> &here, const Row<W> &below, W (&out)[P])
    {
        const W odd = xor3(above.ones, here.ones, below.ones);
        const W carry = majority(above.ones, here.ones, below.ones);
        const W twos = xor3(above.twos, here.twos, below.twos);
        const W fours = majority(above.twos, here.twos, below.twos);
        // One head: odd, and none of the twos. Two: even, and one of the twos.
        const W few = choose<W>(odd, ~(twos | carry), twos ^ carry) & ~fours;
        out[0] = here.high;
        out[1] = (here.low ^ here.high) | (here.low & here.high & ~few);
    }
};
