// Tables of the finer ground in cells and edges: the twin of src/engine/subgrid/lookup.rs, which explains it.
#pragma once
#include "edge.cuh"

// How tables lie in planes: src/engine/subgrid/layout.rs.
constexpr int KNOTS = 8;
constexpr int CELL_PER_FULL = 0;
constexpr int CELL_RELIEF = 1;
constexpr int CELL_LEVELS = 2;
constexpr int CELL_WORDS = 6;
constexpr int EDGE_SILL = 0;
constexpr int EDGE_PER_RISE = 1;
constexpr int EDGE_SECTION = 2;
constexpr int EDGE_CONVEYANCE = 3;
constexpr int EDGE_GROWS = 4;
constexpr int EDGE_ROOTS = 5;
constexpr int EDGE_WORDS = 10;
constexpr int ROOT_BITS = 10;
constexpr int SECTION_ROOT = 1024;
constexpr int CONVEYANCE_ROOT = 1023;
constexpr int GROWS_BITS = 11;

// What growths, excesses and the squares of heights that they fade in are multiples of.
constexpr float GROWN = 1.0f / 1024.0f;
constexpr float EXCESS = 1.0f / 512.0f;
constexpr float FADES = 1.0f / 1024.0f;

// The most of its mean depth that a cell's water may have over an edge that it falls over freely.
constexpr float THIN = 2.0f;

// 2^-16: the share that numbers at knots are of, and the step of levels (m).
constexpr float SHARE = 1.0f / 65536.0f;

// What the squares of roots are multiplied with.
constexpr float PER_SECTION = 1.0f / 1048576.0f;
constexpr float PER_CONVEYANCE = 1.0f / 1046529.0f;

// The planes of a table, which lie so far from each other, at a cell or at the edge ahead of it.
struct Table {
    const unsigned *planes;
    size_t apart;
    ptrdiff_t at;

    __device__ __forceinline__ unsigned word(int word) const { return __ldg(planes + word * apart + at); }
    __device__ __forceinline__ int whole(int number) const { return (int)word(number); }
    __device__ __forceinline__ float real(int number) const { return __int_as_float(whole(number)); }

    // The level of a cell at a knot; that at the first is 0.
    __device__ __forceinline__ float level(int k) const
    {
        if (k == 0 || k == KNOTS) return k == 0 ? 0.0f : 65536.0f;
        const unsigned pair = word(CELL_LEVELS + (k - 1) / 2);
        return (float)(int)((k & 1) != 0 ? pair & 0xffffu : pair >> 16);
    }
};

// The words of a table, asked for at once: there is no waiting for one after the other.
template <int WORDS>
struct Words {
    unsigned words[WORDS];

    __device__ __forceinline__ Words() {}

    __device__ __forceinline__ explicit Words(const Table &table)
    {
#pragma unroll
        for (int word = 0; word < WORDS; word++) words[word] = table.word(word);
    }

    __device__ __forceinline__ unsigned word(int word) const { return words[word]; }
    __device__ __forceinline__ int whole(int number) const { return (int)words[number]; }
    __device__ __forceinline__ float real(int number) const { return __int_as_float(whole(number)); }
};

// The table of a cell.
struct CellTable : Words<CELL_WORDS> {
    // The level at a knot; that at the first is 0.
    __device__ __forceinline__ float level(int k) const
    {
        if (k == 0 || k == KNOTS) return k == 0 ? 0.0f : 65536.0f;
        unsigned pair = words[CELL_LEVELS];
#pragma unroll
        for (int word = 1; word < CELL_WORDS - CELL_LEVELS; word++) {
            if ((k - 1) / 2 >= word) pair = words[CELL_LEVELS + word];
        }
        return (float)(int)((k & 1) != 0 ? pair & 0xffffu : pair >> 16);
    }
};

// The table of an edge.
struct EdgeTable : Words<EDGE_WORDS> {
    __device__ __forceinline__ EdgeTable() {}
    __device__ __forceinline__ explicit EdgeTable(const Table &table) : Words(table) {}

    // One of the words of roots but the last, and the one after it.
    __device__ __forceinline__ unsigned long long roots(int first) const
    {
        unsigned near = words[EDGE_ROOTS];
        unsigned far = words[EDGE_ROOTS + 1];
#pragma unroll
        for (int word = 1; word < EDGE_WORDS - EDGE_ROOTS - 1; word++) {
            if (first < word) continue;
            near = words[EDGE_ROOTS + word];
            far = words[EDGE_ROOTS + word + 1];
        }
        return near | (unsigned long long)far << 3 * ROOT_BITS;
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

// The number between those at two knots.
__device__ __forceinline__ float between(float lower, float upper, float part) { return fused(upper - lower, part, lower); }

// The upper half of a float.
__device__ __forceinline__ float upper_half(unsigned word) { return __int_as_float((int)(word & 0xffff0000u)); }

// The level of a cell that holds `water`, and how fast it rises with the mean depth; its table is in memory or at hand.
template <class T>
__device__ __forceinline__ int level_of(const T &table, int bed, int water, float metres, float &rises)
{
    const float depth = (float)water * metres;
    const float per_full = table.real(CELL_PER_FULL);
    const float relief = (float)table.whole(CELL_RELIEF);
    const float top = (float)(KNOTS * KNOTS);
    const float y = depth * per_full;
    float above;
    if (top > y) {
        const Among among(y);
        const float under = table.level(among.knot);
        const float over = table.level(among.knot + 1);
        const float scale = relief * SHARE;
        above = lower(between(under, over, among.part), over) * scale;
        rises = higher(((over - under) * among.width) * ((scale * SHARE) * per_full), 1.0f);
    } else {
        const float spread = upper_half(table.word(CELL_WORDS - 1));
        above = fused(divide(spread * 65536.0f, per_full), y - top, relief);
        rises = spread;
    }
    return bed + (depth > 0.0f ? __float2int_rz(above) : 0);
}

// The roots of a depth of conveyance and of a section at a knot, by themselves.
struct Squares {
    float conveyance;
    float section;

    // Roots that lie in the lowest bits, that of conveyance first.
    __device__ __forceinline__ explicit Squares(unsigned roots)
    {
        const float of_conveyance = (float)(int)(roots & ((1u << ROOT_BITS) - 1));
        const float of_section = (float)(int)(roots >> ROOT_BITS & ((1u << ROOT_BITS) - 1));
        conveyance = of_conveyance * of_conveyance;
        section = of_section * of_section;
    }

    // At the top.
    __device__ __forceinline__ Squares() : conveyance((float)(CONVEYANCE_ROOT * CONVEYANCE_ROOT)), section((float)(SECTION_ROOT * SECTION_ROOT)) {}
};

// What water has over an edge: area over its width, and the depth of friction (m).
struct Section {
    float depth;
    float friction;
};

// How far a level stands above the sill of an edge (m).
__device__ __forceinline__ float over_sill(const EdgeTable &edge, int level) { return (float)(level - edge.whole(EDGE_SILL)) * SHARE; }

// The section of an edge at a level so far above its sill, of which a cell of such a mean depth gives, where the other cell's stands `other` above it.
__device__ __forceinline__ Section section_of(const EdgeTable &edge, float over, float other, float giver)
{
    if (!(over > 0.0f)) return {0.0f, 0.0f};
    const float y = over * edge.real(EDGE_PER_RISE);
    const float section = edge.real(EDGE_SECTION);
    const float conveyance = edge.real(EDGE_CONVEYANCE);
    const float top = (float)(KNOTS * KNOTS);
    float full;
    float conveys;
    if (top > y) {
        const Among among(y);
        // What lies at the knots below and above begins in one of two words that follow each other.
        const int place = max(2 * among.knot - 2, 0);
        const int word = min(place / 3, 3);
        const unsigned long long roots = edge.roots(word) >> (place - 3 * word) * ROOT_BITS;
        const Squares first((unsigned)roots);
        const Squares second((unsigned)(roots >> 2 * ROOT_BITS));
        const Squares under = among.knot == 0 ? Squares(0u) : first;
        const Squares upper = among.knot == 0 ? first : among.knot + 1 == KNOTS ? Squares() : second;
        full = between(under.section, upper.section, among.part) * (section * PER_SECTION);
        conveys = between(under.conveyance, upper.conveyance, among.part) * (conveyance * PER_CONVEYANCE);
    } else {
        const float x = y - top;
        const float beyond = divide(x, edge.real(EDGE_PER_RISE));
        const unsigned grows = edge.word(EDGE_GROWS);
        const unsigned growth = (1u << GROWS_BITS) - 1;
        full = fused((float)(int)(grows & growth) * GROWN, beyond, section);
        const float grown = fused((float)(int)(grows >> GROWS_BITS & growth) * GROWN, beyond, conveyance);
        const float excess = conveyance * fused((float)(int)(grows >> 2 * GROWS_BITS), EXCESS, -1.0f);
        const float height = (float)(int)(edge.word(EDGE_WORDS - 1) >> 2 * ROOT_BITS);
        const float fades = (height * height) * FADES;
        conveys = fused(0.0f - excess, divide(x, x + fades), grown);
    }
    // A wall has no water, whatever stands against it.
    const float drowned = giver > 0.0f ? full * divide(higher(other, 0.0f), higher(over, DRY)) : 0.0f;
    float depth = lower(full, higher(THIN * giver, drowned));
    const float inverse = divide(1.0f, higher(full, DRY));
    const float share = conveys * inverse;
    const float drag = (conveys * share) * root(share * (depth * inverse));
    depth = depth > DRY ? depth : 0.0f;
    return {depth, depth > 0.0f ? drag : 0.0f};
}

// What tables say of an edge whose cells' levels are known.
struct Tabled {
    EdgeTable edge;
    float over[2]; // how far levels stand above the sill behind and ahead
    float depth[2];
    float rises[2]; // how fast levels rise
    bool ahead;     // where the level is higher
    Section top;    // the section at that level

    __device__ __forceinline__ Tabled() {}

    __device__ __forceinline__ Tabled(const EdgeTable &edge, const int (&levels)[2], const float (&depths)[2], const float (&slopes)[2])
        : edge(edge), over{over_sill(edge, levels[0]), over_sill(edge, levels[1])}, depth{depths[0], depths[1]},
          rises{slopes[0], slopes[1]}, ahead(levels[1] > levels[0]),
          top(section_of(edge, ahead ? over[1] : over[0], ahead ? over[0] : over[1], ahead ? depth[1] : depth[0]))
    {
    }

    // Most water comes from the cell that stands higher; only where some does not is another level looked up.
    __device__ __forceinline__ Section given(float velocity) const
    {
        const bool behind = velocity > 0.0f;
        return behind != ahead ? top : section_of(edge, behind ? over[0] : over[1], behind ? over[1] : over[0], behind ? depth[0] : depth[1]);
    }

    // Of the cells that stand above the sill.
    __device__ __forceinline__ float wave(float face) const
    {
        return face * higher(higher(over[0] > 0.0f ? rises[0] : 0.0f, over[1] > 0.0f ? rises[1] : 0.0f), 1.0f);
    }

    __device__ __forceinline__ float bore(int k) const { return depth[k] * root(depth[k] * rises[k]); }
    __device__ __forceinline__ float empties(float crossing, float velocity) const
    {
        return divide(crossing, higher(velocity > 0.0f ? depth[0] : depth[1], DRY));
    }
};
