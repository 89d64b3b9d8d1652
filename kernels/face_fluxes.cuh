// Fluxes across the edges of a row of cells under a solver without momentum, in whole grains.
#pragma once
#include "levels.cuh"
#include "subgrid.cuh"

// Computes the values of a row's edges that determine the transverse flow at crossing edges.
__device__ __forceinline__ void faces(const Flow &solver, const Levels &levels, Reals &face)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        face[q] = levels.depth[q] > DRY ? solver.face(levels.difference[q]) : 0.0f;
    }
}

// Computes the fluxes across a row's edges of one axis.
__device__ __forceinline__ void cross(const Flow &solver, const Flow::Terms &terms, const Params &p, float phase,
                                      const Standing &standing, const Levels &levels, const Reals &roughness,
                                      const Reals &transverse, const Reals &discharge,
                                      const Reals &behind, const Reals &ahead, const Recording &recording,
                                      Flows &flows, const OverStructures &over, FaceFluxes &crossings)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        Edge edge;
        float difference = levels.difference[q];
        float depth = levels.depth[q];
        if (TABLES) {
            edge.ground = standing.at_higher(q, levels.here[q], levels.there[q], difference, depth);
        }
        const bool wet = depth > DRY;
        edge.wet = wet;
        edge.difference = difference;
        edge.depth = higher(depth, DRY);
        edge.donor = levels.donor[q];
        edge.roughness = roughness[q];
        edge.transverse = transverse[q];
        edge.discharge = discharge[q];
        edge.behind = behind[q];
        edge.ahead = ahead[q];
        FaceFlux crossing = solver.cross(terms, edge);
        if (over.on(q) && wet) {
            const float found = over.held(q, edge.depth, crossing.discharge);
            // A structure that only limits leaves a smaller flux unchanged.
            if (over.says(q) || found != crossing.discharge) {
                crossing.discharge = found;
                crossing.grains = found * over.per_flow;
                crossing.velocity = found / edge.depth;
                crossing.cut = 0.0f;
            }
        }
        int grains = __float2int_rz(lower(fabsf(crossing.grains) + phase, MAX_FACE_FLUX));
        if (Flow::CAPPED) {
            const float half = lower(fabsf(levels.difference[q]) * p.per_metre, 1e9f);
            grains = min(grains, levels.donor_water[q] >> 2);
            grains = min(grains, __float2int_rz(half) >> 1);
            crossings.cut[q] = __float2int_rz(lower(crossing.cut, MAX_FACE_FLUX));
        }
        crossings.grains[q] = crossing.grains < 0.0f ? -grains : grains;
        crossings.discharge[q] = crossing.discharge;
        crossings.cfl_rate[q] = crossing.cfl_rate;
        crossings.velocity[q] = crossing.velocity;
        if (wet && q >= recording.first && q < recording.end) {
            record_flow(flows, crossing.velocity, depth, crossing.wave, crossing.held);
        }
    }
}

// Evaluates the flow in the cells of a row from the velocities on their edges; `seen` holds the
// flow of the row above.
__device__ __forceinline__ void see(const Params &p, const Ints &water, const FaceFluxes &east, const FaceFluxes &south, CellView &seen)
{
    Reals west;
    ahead<-1>(east.velocity, west);
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const float depth = (float)water[q] * p.metres;
        const float speed = size_of(west[q], east.velocity[q], __int_as_float(seen.south.v[q]), south.velocity[q]);
        seen.speed.v[q] = __float_as_int(depth > DEEP ? speed : 0.0f);
        seen.wave.v[q] = __float_as_int(wave_of(depth));
        seen.south.v[q] = __float_as_int(south.velocity[q]);
    }
}

// Records the flow of an evaluated row. Deferred until fewer values are live.
__device__ __forceinline__ void record_seen(const Params &p, const Flows &flows, const CellView &seen, const Recording &recording)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        if (q < recording.first || q >= recording.end) continue;
        record_speed(p, flows, __int_as_float(seen.speed.v[q]), __int_as_float(seen.wave.v[q]), recording.cell + q);
    }
}

// Returns the levels of cells whose tables are looked up.
__device__ __forceinline__ Stand standing_of(const Cells &cells)
{
    Stand stand;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        stand.level[q] = cells.bed[q];
        stand.rises[q] = cells.rises[q];
    }
    return stand;
}

// Computes the mean roughness of two rows.
__device__ __forceinline__ void mean_of(const Reals &here, const Reals &there, Reals &mean)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) mean[q] = 0.5f * (here[q] + there[q]);
}

// Eastward flow in a row, used as transverse flow. With memory it is the discharge of the last
// step; otherwise it comes from the levels, which are needed again for the row's own edges.
struct Sides {
    Levels levels;
    Reals face;
};

__device__ __forceinline__ void sides_of(const Flow &solver, const Params &p, const Cells &here, Sides &sides)
{
    if (REMEMBERS) {
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) sides.face[q] = here.east[q];
    } else {
        levels_east(p, here, sides.levels);
        faces(solver, sides.levels, sides.face);
    }
}

// Range of two edge values, from which the transverse flow is determined as their common part.
struct Ranges {
    Reals least;
    Reals most;
};

__device__ __forceinline__ void ranges_of(const Reals &a, const Reals &b, Ranges &both)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        const Range range = REMEMBERS ? range_of_open(a[q], b[q]) : range_of(a[q], b[q]);
        both.least[q] = range.least;
        both.most[q] = range.most;
    }
}

// Computes the magnitude of the flow common to two ranges.
__device__ __forceinline__ void agreed(const Ranges &a, const Ranges &b, Reals &size)
{
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
        size[q] = agreed({lower(a.least[q], b.least[q]), higher(a.most[q], b.most[q])});
    }
}

// Computes the range of the southward flow at both ends of eastward edges.
__device__ __forceinline__ void beside_of(const Reals &south, Ranges &beside)
{
    Reals next;
    ahead<1>(south, next);
    ranges_of(south, next, beside);
}

// Computes the fluxes across the edges between two rows. `beside` receives the southward flow on
// the southern side of the eastward edges of `here`.
__device__ __forceinline__ void cross_south(const Flow &solver, const Flow::Terms &terms, const Params &p,
                                            float phase, const Cells &here, const Cells &below,
                                            const Sides &sides_here, const Sides &sides_below,
                                            const Reals &behind, const Recording &recording, Flows &flows,
                                            const OverStructures &over, const RowTables &tables, FaceFluxes &crossings, Ranges &beside)
{
    Standing standing;
    if (TABLES) {
        tables.read(p, 1, standing.edges);
        standing.behind = standing_of(here);
        standing.before = standing_of(below);
    }
    Levels south;
    levels(p, here.bed, here.water, below.bed, below.water, south);
    Reals roughness;
    mean_of(here.roughness, below.roughness, roughness);
    Ranges of_rows;
    Ranges west_of_it;
    Reals transverse;
    ranges_of(sides_here.face, sides_below.face, of_rows);
    ahead<-1>(of_rows.least, west_of_it.least);
    ahead<-1>(of_rows.most, west_of_it.most);
    agreed(west_of_it, of_rows, transverse);
    cross(solver, terms, p, phase, standing, south, roughness, transverse, here.south, behind, below.south, recording,
          flows, over, crossings);
    if (REMEMBERS) {
        beside_of(here.south, beside);
    } else {
        Reals face;
        faces(solver, south, face);
        beside_of(face, beside);
    }
}

// Computes the fluxes across the eastward edges of a row; `above` and `below` are the southward
// flows beside them.
__device__ __forceinline__ void cross_east(const Flow &solver, const Flow::Terms &terms, const Params &p,
                                           float phase, const Cells &here, const Sides &sides,
                                           const Ranges &above, const Ranges &below, const Recording &recording,
                                           Flows &flows, const OverStructures &over, const RowTables &tables, FaceFluxes &crossings)
{
    Standing standing;
    if (TABLES) {
        tables.read(p, 0, standing.edges);
        standing.behind = standing_of(here);
        ahead<1>(standing.behind.level, standing.before.level);
        ahead<1>(standing.behind.rises, standing.before.rises);
    }
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
    cross(solver, terms, p, phase, standing, east, roughness, transverse, here.east, behind, further, recording, flows,
          over, crossings);
}
