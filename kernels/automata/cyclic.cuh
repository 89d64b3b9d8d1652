// Cyclic automaton with STATES states. Twin of src/lab/automata/rules/cyclic.rs.
#pragma once
#include "logic.cuh"

struct Rule {
    static const int MOORE = 0;
    static __device__ __forceinline__ int wanted(int cell) { return cell + 1 == STATES ? 0 : cell + 1; }
    static __device__ __forceinline__ int becomes(int cell, int count) { return count > 0 ? wanted(cell) : cell; }

    template <class W>
    static __device__ __forceinline__ W after(W cells)
    {
        const W next = cells + bytes<W>(1);
        return next & ~spread<W>(zero_bytes<W>(next ^ bytes<W>(STATES)));
    }
    template <class W>
    static __device__ __forceinline__ W marked(W cells, W neighbours) { return zero_bytes<W>(neighbours ^ after<W>(cells)); }
    template <class W>
    static __device__ __forceinline__ W packets(W cells, W counts)
    {
        return choose<W>(spread<W>(zero_bytes<W>(counts)), cells, after<W>(cells));
    }

    static const int P = STATES <= 4 ? 2 : STATES <= 8 ? 3 : STATES <= 16 ? 4 : 5, S = P, HELD = 1;
    // The state, its successor, and where the neighbours on both sides differ from that.
    template <class W>
    struct Row {
        W here[P], after[P], unlike;
    };
    template <class W>
    static __device__ __forceinline__ W unlike(const W (&a)[P], const W (&b)[P])
    {
        W differs = a[0] ^ b[0];
        for (int k = 1; k < P; k++) differs |= a[k] ^ b[k];
        return differs;
    }
    template <class W>
    static __device__ __forceinline__ void see(const W (&here)[P], W (&seen)[S])
    {
        for (int k = 0; k < P; k++) seen[k] = here[k];
    }
    template <class W>
    static __device__ __forceinline__ Row<W> row(const W (&left)[S], const W (&seen)[S], const W (&right)[S], const W (&here)[P])
    {
        Row<W> row;
        W carry = (W) ~(W)0, last = (W) ~(W)0;
        for (int k = 0; k < P; k++) {
            row.here[k] = here[k];
            row.after[k] = here[k] ^ carry;
            carry &= here[k];
            last &= (STATES - 1) >> k & 1 ? here[k] : (W)~here[k];
        }
        if (STATES < 1 << P) {
            for (int k = 0; k < P; k++) row.after[k] &= ~last;
        }
        row.unlike = unlike<W>(left, row.after) & unlike<W>(right, row.after);
        return row;
    }
    template <class W>
    static __device__ __forceinline__ void next(const Row<W> &above, const Row<W> &here, const Row<W> &below, W (&out)[P])
    {
        const W stays = here.unlike & unlike<W>(above.here, here.after) & unlike<W>(below.here, here.after);
        for (int k = 0; k < P; k++) out[k] = choose<W>(stays, here.here[k], here.after[k]);
    }
};
