// What crosses the edges of a row of cells: its levels, and the rule's crossings in whole grains.
#pragma once
#include "cells.cuh"
#include "edge.cuh"

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
