// Losses to ground, sewers and air: the twin of src/engine/losses.rs, statement by statement.
#include "chunk.cuh"
#include "series.cuh"
#include "after_flow.cuh"

// A kind of ground.
struct GroundLosses {
    int initial;     // initial loss (grains)
    int how;         // infiltration: 0 none, 1 constant, 2 Horton, 3 Green-Ampt, 4 curve number
    float a;         // its parameters, in the order of Rust
    float b;
    float c;
    float drainage;  // (m/s)
};

// Inputs of losses in addition to the frame.
struct LossParameters {
    const GroundLosses *grounds;         // indexed by the cell's kind, or all cells have the first
    const Increment *evaporation;  // or null
};

constexpr float MOST_TAKEN = 536870912.0f;

// Converts a depth to whole grains.
__device__ __forceinline__ int whole(const Params &p, const StepConstants &now, float depth)
{
    const float grains = depth * p.per_metre + now.phase;
    return grains < MOST_TAKEN ? __float2int_rz(grains) : (int)MOST_TAKEN;
}

__device__ __forceinline__ int added(int a, int b)
{
    return (int)min((long long)a + b, 0x7fffffffll);
}

// Computes the infiltration of the offered water.
__device__ __forceinline__ int infiltrate(const Params &p, const StepConstants &now, const GroundLosses &ground, int offered,
                                          float so_far, int *excess)
{
    const float dt = now.dt;
    switch (ground.how) {
    case 1: return min(offered, whole(p, now, ground.a * dt));
    case 2: {
        const float above = (ground.a - ground.b) - ground.c * ((float)*excess * p.metres);
        const float more = __fdiv_rn(fmaxf(above, 0.0f) * dt, 1.0f + 0.5f * (ground.c * dt));
        const int steady = whole(p, now, ground.b * dt);
        const int taken = min(offered, steady + whole(p, now, more));
        *excess = added(*excess, max(taken - steady, 0));
        return taken;
    }
    case 3: {
        const float flowed = ground.a * dt;
        const float behind = 2.0f * so_far - flowed;
        const float pulled = 4.0f * (flowed * (so_far + ground.b));
        const float root = __fsqrt_rn(behind * behind + (pulled + pulled));
        return min(offered, whole(p, now, __fdiv_rn(pulled, behind + root)));
    }
    case 4: {
        const float room = fmaxf(1.0f - __fdiv_rn(so_far, ground.a), 0.0f);
        const float rain = (float)offered * p.metres;
        const float part = rain * room;
        return min(offered, whole(p, now, __fdiv_rn(part * room, 1.0f + __fdiv_rn(part, ground.a))));
    }
    }
    return 0;
}

// Applies the losses, after the sources.
extern "C" __global__ void __launch_bounds__(32 * WARPS) losses(Params p, LossParameters with)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const Area area = {p.computed.column - p.reach, p.computed.row - p.reach, p.computed.end_column + p.reach,
                       p.computed.end_row + p.reach};
    const StepConstants now = *p.step_constants;
    if (!begin(p, now)) return;
    int evaporates = 0;
    if (with.evaporation) {
        evaporates = (int)min(with.evaporation->after - with.evaporation->before, (Count)MOST_TAKEN);
    }
    each_chunk(p, [&](const Chunk &chunk) {
        if (chunk.empty(area) || p.deepest[chunk.index] == 0) return;
        Count totals[4] = {0, 0, 0, 0};
        const int last = min(chunk.end_row, area.end_row);
        const int last_column = min(chunk.column + chunk.columns, area.end_column);
        for (int row = max(chunk.row, area.row); row < last; row++) {
            for (int column = max(chunk.column, area.column) + lane; column < last_column; column += 32) {
                const ptrdiff_t cell = (ptrdiff_t)row * p.stride + column;
                int left = p.water[cell];
                if (!(p.flags[cell] & INSIDE)) continue;
                int rain = 0;
                if (p.rained) {
                    rain = p.rained[cell];
                    if (rain != 0) p.rained[cell] = 0;
                }
                if (left <= 0) continue;
                const GroundLosses ground = with.grounds[p.ground ? p.ground[cell] : 0];
                int offered = ground.how == 4 ? min(left, rain) : left;
                const int soaked = p.soaked[cell];
                const int initial = min(offered, max(ground.initial - soaked, 0));
                offered -= initial;
                left -= initial;
                const float so_far = (float)max(soaked - ground.initial, 0) * p.metres;
                int infiltrated = 0;
                if (offered > 0) infiltrated = infiltrate(p, now, ground, offered, so_far, p.excess + cell);
                left -= infiltrated;
                if (initial + infiltrated > 0) p.soaked[cell] = added(soaked, initial + infiltrated);
                const int drained = min(left, whole(p, now, ground.drainage * now.dt));
                left -= drained;
                const int evaporated = min(left, evaporates);
                p.water[cell] = left - evaporated;
                const bool own = column >= p.own.column && column < p.own.end_column && row >= p.own.row &&
                                 row < p.own.end_row;
                if (!own) continue;
                totals[0] += (Count)initial;
                totals[1] += (Count)infiltrated;
                totals[2] += (Count)drained;
                totals[3] += (Count)evaporated;
            }
        }
        Count *const to[4] = {&p.totals->taken.initial, &p.totals->taken.infiltration, &p.totals->taken.drainage,
                              &p.totals->taken.evaporation};
        for (int t = 0; t < 4; t++) {
            const Count sum = warp_sum(totals[t]);
            if (lane == 0 && sum > 0) atomicAdd(to[t], sum);
        }
    });
}
