// Subgrid tables of cells and edges: the twin of src/engine/subgrid/lookup.rs, which has the
// documentation.
#pragma once
#include "edge.cuh"

// Layout of tables in planes: src/engine/subgrid/layout.rs.
constexpr int CELL_KNOTS = 8;
constexpr int CELL_FULL = 0;
constexpr int CELL_LEVELS = 1;
constexpr int CELL_WORDS = 4;
constexpr int LEVEL_BITS = 11;
constexpr int EDGE_KNOTS = 6;
constexpr int EDGE_SILL = 0;
constexpr int EDGE_TOPS = 1;
constexpr int EDGE_ABOVE = 2;
constexpr int EDGE_FADING = 3;
constexpr int EDGE_ROOTS = 4;
constexpr int EDGE_WORDS = 6;
constexpr int ROOT_BITS = 8;
constexpr int TOP_ROOT = 252;
constexpr int GROWS_BITS = 9;

// Units of growths, of excesses, and of the squares of fading heights.
constexpr float GROWN = 1.0f / 256.0f;
constexpr float EXCESS = 1.0f / 128.0f;
constexpr float FADES = 1.0f / 128.0f;

// Maximum depth on an edge in free overfall, in units of the donor's mean depth over its open pixels.
constexpr float THIN = 2.0f;
constexpr float CRITICAL_FALL = 1.0f / 3.0f;

// 2^-16, the unit of levels (m); and the unit of a cell's levels, as a fraction of the relief.
constexpr float SHARE = 1.0f / 65536.0f;
constexpr float LEVEL_SHARE = 1.0f / (float)(1 << LEVEL_BITS);

// Factor on the squares of an edge's roots.
constexpr float PER_TOP = 1.0f / (float)(TOP_ROOT * TOP_ROOT);

// Short float format: the upper bits of a float, counted from the bits of a power of two; see ShortFloat
// in Rust.
template <int BITS, int MANTISSA, int LEAST>
struct ShortFloat {
    static constexpr auto PLACES = 23 - MANTISSA;
    static constexpr auto SHAPE = 65536 * BITS + 256 * MANTISSA + LEAST;

    // From bits at the place where a float has them.
    static __device__ __forceinline__ float of(unsigned bits) { return __int_as_float((int)(bits + ((127u + LEAST) << 23))); }
    // From the lowest or the highest bits of a word.
    static __device__ __forceinline__ float of_lowest(unsigned word) { return of((word & ((1u << BITS) - 1)) << PLACES); }
    static __device__ __forceinline__ float of_highest(unsigned word) { return of(word >> (32 - BITS) << PLACES); }
};
typedef ShortFloat<19, 14, 6> Relief;
typedef ShortFloat<20, 15, -8> PerFull;
typedef ShortFloat<12, 7, 0> Spread;
typedef ShortFloat<16, 11, -18> Top;
typedef ShortFloat<14, 9, -12> PerRise;

// Planes of a table, with their distance, at a cell or at the edge ahead of it.
struct Table {
    const unsigned *planes;
    size_t apart;
    ptrdiff_t at;
};

// The words of a table, loaded together so that their latencies overlap.
template <int WORDS>
struct Words {
    unsigned words[WORDS];

    __device__ __forceinline__ Words() {}

    __device__ __forceinline__ explicit Words(const Table &table)
    {
#pragma unroll
        for (int word = 0; word < WORDS; word++) words[word] = __ldg(table.planes + word * table.apart + table.at);
    }
};

// The table of a cell.
struct CellTable : Words<CELL_WORDS> {
    __device__ __forceinline__ CellTable() {}
    __device__ __forceinline__ explicit CellTable(const Table &table) : Words(table) {}

    __device__ __forceinline__ float per_full() const { return PerFull::of_lowest(words[CELL_FULL]); }
    __device__ __forceinline__ float relief() const
    {
        return Relief::of((words[CELL_LEVELS + 1] >> 23 | words[CELL_LEVELS + 2] >> 22 << 9) << Relief::PLACES);
    }
    __device__ __forceinline__ float spread() const { return Spread::of_highest(words[CELL_FULL]); }

    // The levels at knots 2k + 1 and 2k + 2, if that is not the last, from the lowest bits.
    __device__ __forceinline__ unsigned two_levels(int k) const
    {
        if (2 * k + 2 < CELL_KNOTS) return words[CELL_LEVELS + k];
        return words[CELL_LEVELS] >> 22 | (words[CELL_LEVELS + 1] >> 12 & 0x400u);
    }
};

// The table of an edge.
struct EdgeTable : Words<EDGE_WORDS> {
    __device__ __forceinline__ EdgeTable() {}
    __device__ __forceinline__ explicit EdgeTable(const Table &table) : Words(table) {}

    __device__ __forceinline__ int sill() const { return (int)words[EDGE_SILL]; }
    __device__ __forceinline__ float section() const { return Top::of_lowest(words[EDGE_TOPS]); }
    __device__ __forceinline__ float conveyance() const { return Top::of_highest(words[EDGE_TOPS]); }
    __device__ __forceinline__ float per_rise() const { return PerRise::of_highest(words[EDGE_ABOVE]); }

    // Growth of the section (0) and of the depth of conveyance (1) above the top.
    __device__ __forceinline__ float grows(int which) const
    {
        return (float)(int)(words[EDGE_ABOVE] >> which * GROWS_BITS & ((1u << GROWS_BITS) - 1)) * GROWN;
    }

    // The roots at a knot (lower half) and at the next: of the depth of conveyance in the lowest
    // bits, and of the section.
    __device__ __forceinline__ unsigned roots_from(int knot) const
    {
        const unsigned first = words[EDGE_FADING] & 0xffff0000u;
        const unsigned low = words[EDGE_ROOTS];
        const unsigned high = words[EDGE_ROOTS + 1];
        const unsigned near = knot < 2 ? first : knot < 4 ? low : high;
        const unsigned far = knot < 2 ? low : knot < 4 ? high : TOP_ROOT << ROOT_BITS | TOP_ROOT;
        return (unsigned)(((unsigned long long)far << 32 | near) >> knot % 2 * 16);
    }
};

// Interpolates linearly between two knots.
__device__ __forceinline__ float between(float lower, float upper, float part) { return fused(upper - lower, part, lower); }

// Returns the level of a cell that holds `water`, and its rise per unit of mean depth.
__device__ __forceinline__ int level_of(const CellTable &table, int bed, int water, float metres, float &rises)
{
    const float depth = (float)water * metres;
    const float per_full = table.per_full();
    const float relief = table.relief();
    const float top = (float)(CELL_KNOTS * CELL_KNOTS);
    const float y = depth * per_full;
    // The last even knot below, and then the next if that is below as well.
    float knot = 0.0f;
    unsigned before = 0;
    unsigned after = table.two_levels(0);
#pragma unroll
    for (int k = 1; k < CELL_KNOTS / 2; k++) {
        if ((float)(4 * k * k) > y) continue;
        knot = (float)(2 * k);
        before = table.two_levels(k - 1);
        after = table.two_levels(k);
    }
    const float next = knot + 1.0f;
    const bool odd = y >= next * next;
    const unsigned LEVEL = (1u << LEVEL_BITS) - 1;
    const float under = (float)(int)((odd ? after : before >> LEVEL_BITS) & LEVEL);
    const float next_level = (float)(int)((odd ? after >> LEVEL_BITS : after) & LEVEL);
    const float last = (float)((CELL_KNOTS - 1) * (CELL_KNOTS - 1));
    const float over = last > y ? next_level : (float)(1 << LEVEL_BITS);
    knot = odd ? next : knot;
    const float foot = knot * knot;
    const float width = reciprocal(fused(2.0f, knot, 1.0f));
    const float scale = relief * LEVEL_SHARE;
    const float within = lower(between(under, over, (y - foot) * width), over) * scale;
    const float spread = table.spread();
    const float beyond = fused((spread * 65536.0f) * reciprocal(per_full), y - top, relief);
    const float above = if_greater(top, y, within, beyond);
    const float steepest = higher(((over - under) * width) * ((scale * SHARE) * per_full), 1.0f);
    rises = if_greater(depth, 0.0f, if_greater(top, y, steepest, spread), 0.0f);
    return bed + (depth > 0.0f ? __float2int_rz(above) : 0);
}

// Interpolates the square roots linearly between two knots and returns the square.
__device__ __forceinline__ float square_between(unsigned lower, unsigned upper, float part)
{
    const float root = between((float)(int)lower, (float)(int)upper, part);
    return root * root;
}

// Flow section on an edge: area divided by the width, and depth for friction (m).
struct Section {
    float depth;
    float friction;
};

// Height of a level above the sill of an edge (m).
__device__ __forceinline__ float over_sill(const EdgeTable &edge, int level) { return (float)(level - edge.sill()) * SHARE; }

// Returns the section of an edge at a height above its sill, for a donor cell with mean depth
// `donor`; `other` is the height of the other cell's level above the sill. There are no branches,
// since the edges of a warp are below their tops as well as above.
__device__ __forceinline__ Section section_of(const EdgeTable &edge, float over, float other, float donor)
{
    const float section = edge.section();
    const float conveyance = edge.conveyance();
    const float per_rise = edge.per_rise();
    const float top = (float)(EDGE_KNOTS * EDGE_KNOTS);
    const float y = over * per_rise;
    // Height between sill and top, by its square root: knots are at integers.
    const float way = root(higher(y, 0.0f));
    const int knot = min(__float2int_rz(way), EDGE_KNOTS - 1);
    const float part = way - (float)knot;
    const unsigned roots = edge.roots_from(knot);
    const unsigned byte = 0xffu;
    const float within = square_between(roots >> 8 & byte, roots >> 24, part) * (section * PER_TOP);
    const float conveyed = square_between(roots & byte, roots >> 16 & byte, part) * (conveyance * PER_TOP);
    // Above the top, D eventually grows as on a flat bed, and its initial excess fades.
    const float x = y - top;
    const unsigned fading = edge.words[EDGE_FADING];
    const float height = (float)(int)(fading >> ROOT_BITS & byte);
    const float fading_by = fused(height * height, FADES, x);
    const float part_of_fading = x * reciprocal(per_rise * fading_by);
    const float beyond = part_of_fading * fading_by;
    const float grown = fused(edge.grows(1), beyond, conveyance);
    const float excess = conveyance * fused((float)(int)(fading & byte), EXCESS, -1.0f);
    const float full = if_greater(top, y, within, fused(edge.grows(0), beyond, section));
    const float conveys = if_greater(top, y, conveyed, fused(0.0f - excess, part_of_fading * per_rise, grown));
    const float dry = higher(full, DRY);
    const float over_dry = higher(over, DRY);
    const float part_of_both = reciprocal(dry * over_dry);
    const float inverse = part_of_both * over_dry;
    // A wall has no water, whatever the level beside it.
    const float drowned = donor > 0.0f ? full * (higher(other, 0.0f) * (part_of_both * dry)) : 0.0f;
    float depth = lower(full, higher(THIN * donor, drowned));
    const float share = conveys * inverse;
    const float narrowed = share * (depth * inverse);
    const float drag = (conveys * share) * root(narrowed);
    depth = over > 0.0f && depth > DRY ? depth : 0.0f;
    return {depth, depth > 0.0f ? drag : 0.0f};
}

// Height of the water surface on an edge above the sill, given those of the levels of the donor
// cell and the other; `fall` is that of the parameters.
__device__ __forceinline__ float surface_on_edge(float fall, float donor, float other)
{
    const float falls = lower(fall * (donor - other), CRITICAL_FALL * donor);
    return donor - higher(falls, 0.0f);
}

// Table values of an edge whose cell levels are known.
struct Tabled {
    EdgeTable edge;
    float fall;
    float over[2]; // heights of the levels behind and ahead above the sill
    float depth[2];
    float open_depth[2]; // mean over open pixels
    float rises[2];      // rise of the levels

    __device__ __forceinline__ Tabled() {}

    __device__ __forceinline__ Tabled(const EdgeTable &edge, float fall, const int (&levels)[2], const float (&depths)[2], const float (&open_depths)[2],
                                      const float (&slopes)[2])
        : edge(edge), fall(fall), over{over_sill(edge, levels[0]), over_sill(edge, levels[1])}, depth{depths[0], depths[1]},
          open_depth{open_depths[0], open_depths[1]}, rises{slopes[0], slopes[1]}
    {
    }

    // The section for flow with a velocity.
    __device__ __forceinline__ Section given(float velocity) const
    {
        const bool behind = velocity > 0.0f;
        const float other = behind ? over[1] : over[0];
        return section_of(edge, surface_on_edge(fall, behind ? over[0] : over[1], other), other, behind ? open_depth[0] : open_depth[1]);
    }

    // Only cells whose level is above the sill count.
    __device__ __forceinline__ float wave(float face) const
    {
        return face * higher(higher(over[0] > 0.0f ? rises[0] : 0.0f, over[1] > 0.0f ? rises[1] : 0.0f), 1.0f);
    }

    __device__ __forceinline__ float celerity(int k) const { return root(depth[k] * rises[k]); }
    __device__ __forceinline__ float empties(float flux_depth, float velocity) const
    {
        return flux_depth * reciprocal(higher(velocity > 0.0f ? depth[0] : depth[1], DRY));
    }
};
