// What crosses the edges of a row of cells, and how much of it their givers have.
#pragma once
#include "edge.cuh"
#include "lanes.cuh"

constexpr bool REMEMBERS = Flow::REMEMBERS;

// Whether a row is done only when the row below has its edges.
constexpr bool LATE = !Flow::CAPPED;

#ifdef VARYING_ROUGHNESS
constexpr bool ROUGH = true;
#else
constexpr bool ROUGH = false;
#endif

// The values of a row of cells; discharges are remembered ones.
struct Cells {
    Ints bed;
    Ints water;
    Reals roughness;
    Reals east;
    Reals south;
    float west; // of the edge west of the warp's first column, in the first lane
};

// What a row's edges look like that go the same way.
struct Levels {
    Reals difference;
    Reals depth;
    Reals giver;
    Ints giver_water;
};

// Edges from the cells of `here` to those ahead, whose bed and water are given.
__device__ __forceinline__ void levels(const Params &p, const Ints &bed, const Ints &water,
                                       const Ints &bed_ahead, const Ints &water_ahead, Levels &levels)
{
    constexpr float BED_STEP = 1.0f / 65536.0f;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const float rise = (float)(int)((unsigned)bed[q] - (unsigned)bed_ahead[q]) * BED_STEP;
        const float difference = rise + (float)(water[q] - water_ahead[q]) * p.metres;
        const bool falls = difference >= 0.0f;
        levels.difference[q] = difference;
        levels.giver_water[q] = falls ? water[q] : water_ahead[q];
        levels.giver[q] = (float)levels.giver_water[q] * p.metres;
        levels.depth[q] = levels.giver[q] + lower(falls ? rise : -rise, 0.0f);
    }
}

// What the edges from a row show to those across their ends.
__device__ __forceinline__ void faces(const Flow &rule, const Levels &levels, Reals &face)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        face[q] = levels.depth[q] > DRY ? rule.face(levels.difference[q]) : 0.0f;
    }
}

// What crosses edges in whole grains (above 0 ahead), what remains of it, and what was held back.
struct Crossings {
    Ints grains;
    Reals discharge;
    Reals pace;
    Ints cut;
};

// The crossings of a row's edges that go the same way.
__device__ __forceinline__ void cross(const Flow &rule, const Flow::Terms &terms, const Params &p, float phase,
                                      const Levels &levels, const Reals &roughness,
                                      const Reals &transverse, const Reals &discharge,
                                      const Reals &behind, const Reals &ahead, Crossings &crossings)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const bool wet = levels.depth[q] > DRY;
        Edge edge;
        edge.difference = levels.difference[q];
        edge.depth = higher(levels.depth[q], DRY);
        edge.giver = levels.giver[q];
        edge.roughness = roughness[q];
        edge.transverse = transverse[q];
        edge.discharge = discharge[q];
        edge.behind = behind[q];
        edge.ahead = ahead[q];
        const Crossing crossing = rule.cross(terms, edge);
        int grains = __float2int_rz(lower(fabsf(crossing.grains) + phase, MOST_CROSSING));
        if (Flow::CAPPED) {
            const float half = lower(fabsf(levels.difference[q]) * p.per_metre, 1e9f);
            grains = min(grains, levels.giver_water[q] >> 2);
            grains = min(grains, __float2int_rz(half) >> 1);
            crossings.cut[q] = wet ? __float2int_rz(lower(crossing.cut, MOST_CROSSING)) : 0;
        }
        grains = crossing.grains < 0.0f ? -grains : grains;
        crossings.grains[q] = wet ? grains : 0;
        crossings.discharge[q] = wet ? crossing.discharge : 0.0f;
        crossings.pace[q] = wet ? crossing.pace : 0.0f;
    }
}

__device__ __forceinline__ void none(Crossings &crossings)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        crossings.grains[q] = crossings.cut[q] = 0;
        crossings.discharge[q] = crossings.pace[q] = 0.0f;
    }
}

// The mean of two rows' roughness.
__device__ __forceinline__ void mean_of(const Reals &here, const Reals &there, Reals &mean)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) mean[q] = 0.5f * (here[q] + there[q]);
}

// The flow to the east in a row, for what crosses it: with memory that of the last step, else the levels,
// which are needed again when the row's own edges come.
struct Sides {
    Levels levels;
    Reals face;
};

__device__ __forceinline__ void levels_east(const Params &p, const Cells &here, Levels &east)
{
    Ints bed;
    Ints water;
    ahead<1>(here.bed, bed);
    ahead<1>(here.water, water);
    levels(p, here.bed, here.water, bed, water, east);
}

__device__ __forceinline__ void sides_of(const Flow &rule, const Params &p, const Cells &here, Sides &sides)
{
    if (REMEMBERS) {
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) sides.face[q] = here.east[q];
    } else {
        levels_east(p, here, sides.levels);
        faces(rule, sides.levels, sides.face);
    }
}

// The flow that two rows or columns of edges agree on.
__device__ __forceinline__ void agreed(const Reals &a, const Reals &b, Reals &both)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) both[q] = minmod(a[q], b[q]);
}

// The flow southward that the edges at both ends of those to the east agree on.
__device__ __forceinline__ void beside_of(const Reals &south, Reals &beside)
{
    Reals next;
    ahead<1>(south, next);
    agreed(south, next, beside);
}

// The crossings of the edges between two rows. `beside` becomes the flow southward that edges to the
// east of `here` have on their southern side.
__device__ __forceinline__ void cross_south(const Flow &rule, const Flow::Terms &terms, const Params &p,
                                            float phase, const Cells &here, const Cells &below,
                                            const Sides &sides_here, const Sides &sides_below,
                                            const Reals &behind, Crossings &crossings, Reals &beside)
{
    Levels south;
    levels(p, here.bed, here.water, below.bed, below.water, south);
    Reals roughness;
    mean_of(here.roughness, below.roughness, roughness);
    Reals of_rows;
    Reals west_of_it;
    Reals transverse;
    agreed(sides_here.face, sides_below.face, of_rows);
    ahead<-1>(of_rows, west_of_it);
    agreed(west_of_it, of_rows, transverse);
    cross(rule, terms, p, phase, south, roughness, transverse, here.south, behind, below.south, crossings);
    if (REMEMBERS) {
        beside_of(here.south, beside);
    } else {
        Reals face;
        faces(rule, south, face);
        beside_of(face, beside);
    }
}

// The crossings of the edges to the east in a row; `above` and `below` are the flow southward beside them.
__device__ __forceinline__ void cross_east(const Flow &rule, const Flow::Terms &terms, const Params &p,
                                           float phase, const Cells &here, const Sides &sides,
                                           const Reals &above, const Reals &below, Crossings &crossings)
{
    Levels east;
    if (REMEMBERS) {
        levels_east(p, here, east);
    } else {
        east = sides.levels;
    }
    Reals next;
    ahead<ROUGH ? 1 : 0>(here.roughness, next);
    Reals roughness;
    mean_of(here.roughness, next, roughness);
    Reals transverse;
    agreed(above, below, transverse);
    Reals behind = {};
    Reals further = {};
    if (REMEMBERS) {
        ahead<-1>(here.east, behind);
        ahead<1>(here.east, further);
        if (threadIdx.x % 32 == 0) behind[0] = here.west;
    }
    cross(rule, terms, p, phase, east, roughness, transverse, here.east, behind, further, crossings);
}

// What the cells of a row give in all; what crosses an edge is above 0 ahead.
__device__ __forceinline__ void outflows(const Ints &north, const Ints &south, const Ints &west,
                                         const Ints &east, Ints &out)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        out[q] = (max(-north[q], 0) + max(south[q], 0)) + (max(-west[q], 0) + max(east[q], 0));
    }
}

// A share water / out of what a cell gives.
__device__ __forceinline__ int scaled(int grains, int water, int out)
{
    return (int)((Count)grains * (Count)water / (Count)out);
}

// Scales what the cells of a row give that have less than `out`; what they get has the neighbour's word.
// Returns how much less crosses, per column.
__device__ __forceinline__ void hold_back(const Ints &water, const Ints &out, Ints &north, Ints &south,
                                       Ints &west, Ints &east, Ints &less)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        less[q] = 0;
        if (out[q] <= water[q]) continue;
        int left = 0;
        const auto scale = [&](int &edge, int sign) {
            if (edge * sign <= 0) return;
            const int part = scaled(edge * sign, water[q], out[q]);
            left += part;
            edge = part * sign;
        };
        scale(north[q], -1);
        scale(south[q], 1);
        scale(west[q], -1);
        scale(east[q], 1);
        less[q] = out[q] - left;
    }
    // An edge between columns is known twice: the giver's is right.
    Ints behind;
    Ints ahead_of;
    ahead<-1>(east, behind);
    ahead<1>(west, ahead_of);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        if (west[q] > 0) west[q] = behind[q];
        if (east[q] < 0) east[q] = ahead_of[q];
    }
}
