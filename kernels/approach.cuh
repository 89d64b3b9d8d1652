// Velocity of approach at stage boundaries: the twin of src/engine/forcing/approach.rs.
#pragma once
#include "subgrid.cuh"

// Acceleration of gravity (m/s2).
constexpr float GRAVITY = 9.81f;

// How fast the share of the velocity falls with the square of the Froude number, to 0 at 1.
constexpr float APPROACH_FALL = 3.0f;

// Returns the velocity behind a cell with a level (m/s), inward, given velocity, discharge per width (m2/s) and
// depths (m) inside.
__device__ __forceinline__ float approaches(float velocity, float discharge, float depth, float inside)
{
    if (!(velocity > 0.0f && depth > DRY && inside > DRY)) return 0.0f;
    const float critical = GRAVITY * inside;
    const float below = APPROACH_FALL * __fdiv_rn(critical - velocity * velocity, critical);
    const float share = fminf(fmaxf(below, 0.0f), 1.0f);
    const float from_afar = __fdiv_rn(discharge, depth);
    return share * (from_afar < velocity ? from_afar : velocity);
}

// Sets the velocities with which water enters across some sides (bits) of a cell with a level.
__device__ __forceinline__ void let_in(const Params &p, ptrdiff_t here, unsigned sides)
{
    for (int side = 0; side < 4; side++) {
        if (!(sides >> side & 1)) continue;
        const ptrdiff_t ahead = side < 2 ? 1 : p.stride;
        const bool forward = side % 2 == 0;
        const ptrdiff_t behind = forward ? here - ahead : here;
        const ptrdiff_t entered = forward ? here : here - ahead;
        const ptrdiff_t inside = forward ? here + ahead : here - ahead;
        float *const velocities = side < 2 ? p.velocity_east : p.velocity_south;
        const float *const discharges = side < 2 ? p.discharge_east : p.discharge_south;
        const float inward = forward ? 1.0f : -1.0f;
        const float velocity = velocities[entered] * inward;
        const float depth = (float)p.water[here] * p.metres;
        float discharge;
        float deep = (float)p.water[inside] * p.metres;
        if (p.tables) {
            float rises;
            level_of(CellTable(cell_table(p, inside)), p.bed[inside], p.water[inside], p.metres, rises);
            discharge = discharges[entered] * inward;
            deep = deep * rises;
        } else {
            const float rise = fall(p.bed[inside], p.bed[here]);
            discharge = velocity * fmaxf(depth - fmaxf(rise, 0.0f), 0.0f);
        }
        velocities[behind] = approaches(velocity, discharge, depth, deep) * inward;
    }
}
