// Access to the subgrid tables of a frame's cells and edges.
#pragma once
#include "lanes.cuh"
#include "params.cuh"
#include "roots.cuh"
#include "staging.cuh"
#include "tables.cuh"

__device__ __forceinline__ Table cell_table(const Params &p, ptrdiff_t at) { return {p.tables, p.apart, at}; }

// The planes of the edge of an axis ahead of a cell.
__device__ __forceinline__ Table edge_table(const Params &p, int axis, ptrdiff_t at) { return {p.tables + (CELL_WORDS + axis * EDGE_WORDS) * p.apart, p.apart, at}; }

// Reads the tables of a lane's cells or edges, starting at `table`; the words of its columns are
// read together.
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

// Starts to fetch the first words of a lane's tables to an array in which the words of a warp's
// lanes are side by side.
template <int WORDS, int LANES>
__device__ __forceinline__ void fetch_words(const Table &table, Lane (&to)[WORDS][LANES], int lane)
{
#pragma unroll
    for (int word = 0; word < WORDS; word++) fetch(&to[word][lane], (const int *)table.planes + word * table.apart + table.at);
}

// Unpacks tables that have arrived there.
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

// Returns the mean depth over the open pixels of a cell, given that over all.
__device__ __forceinline__ float over_open_pixels(const Params &p, ptrdiff_t at, float depth)
{
    return depth * Spread::of_highest(__ldg(p.tables + CELL_FULL * p.apart + at));
}

// Returns the table values of an edge between cells at `at` and `ahead`.
__device__ __forceinline__ Tabled tabled(const Params &p, int axis, ptrdiff_t at, ptrdiff_t ahead, const float (&depth)[2])
{
    return Tabled(EdgeTable(edge_table(p, axis, at)), p.fall, {p.level[at], p.level[ahead]}, depth,
                  {over_open_pixels(p, at, depth[0]), over_open_pixels(p, ahead, depth[1])}, {p.rises[at], p.rises[ahead]});
}

// Levels of some cells, mean depths over their open pixels, and the rise of the levels per unit of
// mean depth.
struct Stand {
    Ints level;
    Reals open_depth;
    Reals rises;
};

// Some edges of an axis, with the levels behind and ahead of them.
struct Standing {
    EdgeTable edges[COLUMNS];
    Stand behind;
    Stand before;

    // Looks up an edge at the higher level of its cells. Returns the ground, the level difference
    // and the section (m).
    __device__ __forceinline__ AtHigher at_higher(int q, float fall, float depth_behind, float depth_before, float &difference, float &depth) const
    {
        difference = (float)(behind.level[q] - before.level[q]) * SHARE;
        AtHigher ground;
        ground.holds = 0.0f > difference ? depth_before : depth_behind;
        const float donor = 0.0f > difference ? before.open_depth[q] : behind.open_depth[q];
        const float over_behind = over_sill(edges[q], behind.level[q]);
        const float over_before = over_sill(edges[q], before.level[q]);
        const float lowest = lower(over_behind, over_before);
        const float surface = surface_on_edge(fall, higher(over_behind, over_before), lowest);
        const Section section = section_of(edges[q], surface, lowest, donor);
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

// Conveyance of an edge for a donor cell with a level and a mean depth over its open pixels: A R^(2/3) divided by the
// width (m^(5/3)).
__device__ __forceinline__ float conveys(const EdgeTable &edge, int level, float donor)
{
    const Section section = section_of(edge, over_sill(edge, level), 0.0f, donor);
    if (!(section.depth > 0.0f)) return 0.0f;
    const float s = inverse_sixth_root(higher(section.friction, DRY));
    return section.depth * (section.friction * (s * s));
}

// Mean conveyance over the sides of a port, for a cell that holds `water`.
__device__ __forceinline__ float over_sides(const Params &p, unsigned port, const Table &cell, int bed, int water)
{
    float rises;
    const int level = level_of(CellTable(cell), bed, water, p.metres, rises);
    const float donor = over_open_pixels(p, cell.at, (float)water * p.metres);
    float sum = 0.0f;
    float sides = 0.0f;
    for (unsigned side = NORTH_SIDE; side <= WEST_SIDE; side <<= 1) {
        if (!(port & side)) continue;
        const ptrdiff_t at = cell.at - (side == NORTH_SIDE ? p.stride : side == WEST_SIDE ? 1 : 0);
        sum += conveys(EdgeTable(edge_table(p, side == EAST_SIDE || side == WEST_SIDE ? 0 : 1, at)), level, donor);
        sides += 1.0f;
    }
    return sides > 0.0f ? sum / sides : 0.0f;
}
