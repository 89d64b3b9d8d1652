// Tables of the finer ground in the cells and edges of a frame.
#pragma once
#include "lanes.cuh"
#include "params.cuh"
#include "roots.cuh"
#include "staging.cuh"
#include "tables.cuh"

__device__ __forceinline__ Table cell_table(const Params &p, ptrdiff_t at) { return {p.tables, p.apart, at}; }

// The planes of the edge of an axis ahead of a cell.
__device__ __forceinline__ Table edge_table(const Params &p, int axis, ptrdiff_t at) { return {p.tables + (CELL_WORDS + axis * EDGE_WORDS) * p.apart, p.apart, at}; }

// Tables of a lane's cells or edges, the first of which lies at `table`: its columns' words are read together.
template <int WORDS, class T>
__device__ __forceinline__ void read_words(const Table &table, T (&tables)[COLUMNS])
{
#pragma unroll
    for (int word = 0; word < WORDS; word++) {
        const Lane columns = *(const Lane *)(table.planes + word * table.apart + table.at);
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) tables[q].words[word] = (unsigned)columns.v[q];
    }
}

// Starts to bring the first words of a lane's tables there, where those of a warp's lanes lie side by side.
template <int WORDS, int LANES>
__device__ __forceinline__ void fetch_words(const Table &table, Lane (&to)[WORDS][LANES], int lane)
{
#pragma unroll
    for (int word = 0; word < WORDS; word++) fetch(&to[word][lane], (const int *)table.planes + word * table.apart + table.at);
}

// Tables that have come there.
template <int WORDS, int LANES, class T>
__device__ __forceinline__ void read_held(const Lane (*words)[LANES], int lane, T (&tables)[COLUMNS])
{
#pragma unroll
    for (int word = 0; word < WORDS; word++) {
        const Lane columns = words[word][lane];
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) tables[q].words[word] = (unsigned)columns.v[q];
    }
}

// What tables say of an edge between cells that lie at `at` and `ahead`.
__device__ __forceinline__ Tabled tabled(const Params &p, int axis, ptrdiff_t at, ptrdiff_t ahead, const float (&depth)[2])
{
    return Tabled(EdgeTable(edge_table(p, axis, at)), {p.level[at], p.level[ahead]}, depth, {p.rises[at], p.rises[ahead]});
}

// The levels of some cells, and how fast they rise.
struct Stand {
    Ints level;
    Reals rises;
};

// Some edges of an axis, and how the water stands behind and ahead of them.
struct Standing {
    EdgeTable edges[COLUMNS];
    Stand behind;
    Stand before;

    // What tables say of an edge at the higher level of its cells, how far their levels are apart, and the section there (m).
    __device__ __forceinline__ AtHigher at_higher(int q, float depth_behind, float depth_before, float &difference, float &depth) const
    {
        difference = (float)(behind.level[q] - before.level[q]) * SHARE;
        AtHigher ground;
        ground.holds = 0.0f > difference ? depth_before : depth_behind;
        const float over_behind = over_sill(edges[q], behind.level[q]);
        const float over_before = over_sill(edges[q], before.level[q]);
        const Section section = section_of(edges[q], higher(over_behind, over_before), lower(over_behind, over_before), ground.holds);
        const float rises_behind = over_behind > 0.0f ? behind.rises[q] : 0.0f;
        const float rises_before = over_before > 0.0f ? before.rises[q] : 0.0f;
        ground.rises = higher(rises_behind, rises_before);
        ground.friction = section.friction;
        depth = section.depth;
        return ground;
    }
};

// The bits of the sides of a port: src/engine/forcing/ports.rs.
constexpr unsigned NORTH_SIDE = 1;
constexpr unsigned EAST_SIDE = 2;
constexpr unsigned SOUTH_SIDE = 4;
constexpr unsigned WEST_SIDE = 8;

// What an edge conveys at a level by the cell that gives, of such a mean depth: A R^(2/3) over its width (m^(5/3)).
__device__ __forceinline__ float conveys(const EdgeTable &edge, int level, float giver)
{
    const Section section = section_of(edge, over_sill(edge, level), 0.0f, giver);
    if (!(section.depth > 0.0f)) return 0.0f;
    const float s = inverse_sixth_root(higher(section.friction, DRY));
    return section.depth * (section.friction * (s * s));
}

// What the sides of a port convey in the mean, of a cell that holds `water`.
__device__ __forceinline__ float over_sides(const Params &p, unsigned port, const Table &cell, int bed, int water)
{
    float rises;
    const int level = level_of(CellTable(cell), bed, water, p.metres, rises);
    const float giver = (float)water * p.metres;
    float sum = 0.0f;
    float sides = 0.0f;
    for (unsigned side = NORTH_SIDE; side <= WEST_SIDE; side <<= 1) {
        if (!(port & side)) continue;
        const ptrdiff_t at = cell.at - (side == NORTH_SIDE ? p.stride : side == WEST_SIDE ? 1 : 0);
        sum += conveys(EdgeTable(edge_table(p, side == EAST_SIDE || side == WEST_SIDE ? 0 : 1, at)), level, giver);
        sides += 1.0f;
    }
    return sides > 0.0f ? sum / sides : 0.0f;
}
