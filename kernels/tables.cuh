// Tables of the finer ground in cells and edges: the twin of src/engine/subgrid/lookup.rs, which explains it.
#pragma once
#include "edge.cuh"

// How tables lie in planes: src/engine/subgrid/layout.rs.
constexpr int KNOTS = 8;
constexpr int CELL_FULL = 0;
constexpr int CELL_PER_FULL = 1;
constexpr int CELL_RELIEF = 2;
constexpr int CELL_SPREAD = 3;
constexpr int CELL_LEVELS = 4;
constexpr int CELL_WORDS = 8;
constexpr int EDGE_SILL = 0;
constexpr int EDGE_RISE = 1;
constexpr int EDGE_PER_RISE = 2;
constexpr int EDGE_SECTION = 3;
constexpr int EDGE_SECTION_GROWS = 4;
constexpr int EDGE_FRICTION = 5;
constexpr int EDGE_FRICTION_GROWS = 6;
constexpr int EDGE_SECTIONS = 7;
constexpr int EDGE_FRICTIONS = 11;
constexpr int EDGE_WORDS = 15;

// The most of its mean depth that a cell's water may have over an edge.
constexpr float THIN = 2.0f;

// 2^-16: the share that numbers at knots are of, and the step of levels (m).
constexpr float SHARE = 1.0f / 65536.0f;

// The planes of a table at a cell, or at the edge ahead of it.
struct Table {
    const unsigned *const *planes;
    ptrdiff_t at;

    __device__ __forceinline__ int whole(int word) const { return (int)__ldg(planes[word] + at); }
    __device__ __forceinline__ float real(int word) const { return __int_as_float(whole(word)); }

    // A number at a knot, two of which lie in a word from `first` on; that at the first is 0.
    __device__ __forceinline__ float knot(int first, int k) const
    {
        if (k == 0) return 0.0f;
        const unsigned word = __ldg(planes[first + (k - 1) / 2] + at);
        return (float)(int)((k & 1) != 0 ? word & 0xffffu : word >> 16);
    }
};

// Where a number lies among knots: after which, and how far on to the next.
struct Among {
    int knot;
    float part;
    float width;

    __device__ __forceinline__ explicit Among(float y) : knot(0)
    {
        float foot = 0.0f;
        width = 1.0f;
#pragma unroll
        for (int k = 1; k < KNOTS; k++) {
            const float square = (float)(k * k);
            if (square > y) continue;
            knot = k;
            foot = square;
            width = 1.0f / (float)(2 * k + 1);
        }
        part = (y - foot) * width;
    }
};

// The level of a cell that holds `water`, and how fast it rises with the mean depth.
__device__ __forceinline__ int level_of(const Table &table, int bed, int water, float metres, float &rises)
{
    const float depth = (float)water * metres;
    const float per_full = table.real(CELL_PER_FULL);
    const float relief = (float)table.whole(CELL_RELIEF);
    const float spread = table.real(CELL_SPREAD);
    const float y = depth * per_full;
    const Among among(y);
    const float lower_knot = table.knot(CELL_LEVELS, among.knot);
    const float upper_knot = among.knot + 1 == KNOTS ? 65536.0f : table.knot(CELL_LEVELS, among.knot + 1);
    const float scale = relief * SHARE;
    const float within = lower(fused(upper_knot - lower_knot, among.part, lower_knot), upper_knot) * scale;
    const float beyond = (depth - table.real(CELL_FULL)) * spread;
    const bool full = !((float)(KNOTS * KNOTS) > y);
    const float above = full ? fused(beyond, 65536.0f, relief) : within;
    const float steep = ((upper_knot - lower_knot) * among.width) * ((scale * SHARE) * per_full);
    rises = full ? spread : higher(steep, 1.0f);
    return bed + (depth > 0.0f ? __float2int_rz(above) : 0);
}

// What water has over an edge: area over its width, and the depth of friction (m).
struct Section {
    float depth;
    float friction;
};

// How far a level stands above the sill of an edge (m).
__device__ __forceinline__ float over_sill(const Table &edge, int level) { return (float)(level - edge.whole(EDGE_SILL)) * SHARE; }

// The section of an edge at a level so far above its sill, of which a cell of such a mean depth gives.
__device__ __forceinline__ Section section_of(const Table &edge, float over, float giver)
{
    const float y = over * edge.real(EDGE_PER_RISE);
    const float section = edge.real(EDGE_SECTION);
    const float unit = edge.real(EDGE_FRICTION) * (1.0f / 65535.0f);
    float depth;
    float drag;
    if ((float)(KNOTS * KNOTS) > y) {
        const Among among(y);
        const float a = edge.knot(EDGE_SECTIONS, among.knot);
        const float b = among.knot + 1 == KNOTS ? 65536.0f : edge.knot(EDGE_SECTIONS, among.knot + 1);
        depth = fused(b - a, among.part, a) * (section * SHARE);
        const float r = edge.knot(EDGE_FRICTIONS, among.knot);
        drag = fused(edge.knot(EDGE_FRICTIONS, among.knot + 1) - r, among.part, r) * unit;
    } else {
        const float beyond = over - edge.real(EDGE_RISE);
        depth = fused(edge.real(EDGE_SECTION_GROWS), beyond, section);
        drag = fused(edge.real(EDGE_FRICTION_GROWS), beyond, edge.knot(EDGE_FRICTIONS, KNOTS) * unit);
    }
    const float most = THIN * giver;
    if (depth > most) drag = drag * root(divide(most, higher(depth, DRY)));
    depth = lower(depth, most);
    depth = over > 0.0f && depth > DRY ? depth : 0.0f;
    return {depth, depth > 0.0f ? drag : 0.0f};
}

// What tables say of an edge whose cells' levels are known.
struct Tabled {
    Section sections[2]; // at the levels of the cells behind and ahead
    float depth[2];
    float rises_over[2]; // how fast levels rise, 0 where they stand no higher than the sill
    float rises[2];

    __device__ __forceinline__ Tabled() {}

    __device__ __forceinline__ Tabled(const Table &edge, const int (&levels)[2], const float (&depths)[2], const float (&slopes)[2])
    {
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const float over = over_sill(edge, levels[k]);
            depth[k] = depths[k];
            sections[k] = section_of(edge, over, depths[k]);
            rises[k] = slopes[k];
            rises_over[k] = over > 0.0f ? slopes[k] : 0.0f;
        }
    }

    __device__ __forceinline__ Section given(float velocity) const { return velocity > 0.0f ? sections[0] : sections[1]; }
    __device__ __forceinline__ float face(float difference) const { return 0.0f > difference ? sections[1].depth : sections[0].depth; }
    __device__ __forceinline__ float wave(float face) const { return face * higher(higher(rises_over[0], rises_over[1]), 1.0f); }
    __device__ __forceinline__ float bore(int k) const { return depth[k] * root(depth[k] * rises[k]); }
    __device__ __forceinline__ float empties(float crossing, float velocity) const
    {
        return divide(crossing, higher(velocity > 0.0f ? depth[0] : depth[1], DRY));
    }
};
