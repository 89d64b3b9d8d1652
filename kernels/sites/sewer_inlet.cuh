// Exchange with a node of a sewer network: the twin of src/engine/forcing/sites/sewer_inlet.rs.
#pragma once
#include "sites.cuh"

struct SewerInlet {
    // Numbers of an inlet, at their place in the tables.
    struct Numbers {
        float crest, orifice, weir, head, idle_head, rise, release;
    };

    // Solves Q = K sqrt(D - R Q) for Q.
    static __device__ __forceinline__ float remaining(float capacity, float drop, float rise)
    {
        const float square = capacity * capacity;
        const float driven = square * drop;
        if (driven <= 0.0f) return 0.0f;
        const float half = 0.5f * (square * rise);
        return __fdiv_rn(driven, half + __fsqrt_rn(half * half + driven));
    }

    static __device__ __forceinline__ float discharge(const Numbers &inlet, float height, float falls)
    {
        const float surface = height - inlet.crest;
        const float node = inlet.head - inlet.crest;
        const float idle = inlet.idle_head - inlet.crest;
        const float up = surface > node ? surface : node;
        if (up <= 0.0f) return 0.0f;
        const float weir = inlet.weir * up;
        const float capacity = weir < inlet.orifice ? weir : inlet.orifice;
        if (surface > idle) {
            if (surface <= 0.0f) return 0.0f;
            const float free = remaining(capacity, surface, falls);
            const float drowned = remaining(capacity, surface - idle, inlet.rise + falls);
            return drowned < free ? drowned : free;
        }
        const float down = surface > 0.0f ? surface : 0.0f;
        if (idle <= down) return 0.0f;
        return -remaining(capacity, idle - down, inlet.rise + falls);
    }

    static __device__ __forceinline__ long long change(const unsigned (&numbers)[2], const CellView &seen, const StepContext &now)
    {
        const float per_area = __uint_as_float(numbers[1]);
        const float *const table = now.tables + numbers[0];
        const Numbers inlet = {table[0], table[1], table[2], table[3], table[4], table[5], table[6]};
        const float height = (float)height_of_water(now, seen) * now.p.metres;
        float rises = 1.0f;
        // A dry cell has no rise of its own.
        if (seen.table.planes && seen.water > 0) level_of(CellTable(seen.table), seen.bed, seen.water, now.p.metres, rises);
        rises = rises > 1.0f ? rises : 1.0f;
        const float falls = (now.now.dt * per_area) * rises;
        const float net = inlet.release - discharge(inlet, height, falls);
        const float size = net < 0.0f ? -net : net;
        const float grains = (size * per_area) * (now.now.dt * now.p.per_metre) + now.now.phase;
        const int whole = (int)fminf(fmaxf(grains, 0.0f), 1e9f);
        return net < 0.0f ? -(long long)min(whole, seen.water) : (long long)whole;
    }
};
