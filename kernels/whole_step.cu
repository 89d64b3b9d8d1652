// Mass and momentum update of a first-order solver with momentum in one march. The velocities on the
// edges of a row are updated two rows behind the one whose fluxes are computed, as soon as the water of
// both their cells is final. Velocities also depend on the new water beside the chunk, which is
// recomputed here. `Flow` is the solver.
#include "mass_march.cuh"
#include "momentum_march.cuh"

// Marches down a chunk, with or without an evaluation of the flow.
template <bool PLAIN, bool LOOKS>
__device__ __forceinline__ void march_both(const Params &p, const StepConstants &now, const Chunk &chunk, Flags flags, Ring *ring, int lane)
{
    const FlowTerms terms(p, now.dt);
    const Strip<PLAIN> strip(p, chunk, flags, lane);
    MassMarch<PLAIN, false, true> mass(p, now, terms, strip, ring, lane);
    MomentumMarch<PLAIN, LOOKS> momentum(p, chunk, now, terms, STRUCTURES && (flags & INTAKE), lane);
    // Discharges of the row above the one whose fluxes are computed.
    Reals qu_above = {};
    Reals qv_above = {};
    for (int row = mass.start; row <= mass.last; row++) {
        mass.advance(row);
        if (row > strip.first) {
            const HeldCells &held = ring->rows[mass.fetcher.came(3)];
            const HeldCells &held_above = ring->rows[mass.fetcher.came(4)];
            MomentumRow above;
            const Lane bed = held_above.bed[lane];
            const Lane roughness = held_above.roughness[ROUGH ? lane : 0];
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) {
                above.bed[q] = bed.v[q];
                above.water[q] = mass.finished_water[q];
                above.qu[q] = qu_above[q];
                above.qv[q] = qv_above[q];
                above.roughness[q] = ROUGH ? __int_as_float(roughness.v[q]) : p.all_roughness;
            }
            real(held_above.east[lane], above.u);
            real(held_above.south[lane], above.v);
            real(held.east[lane], momentum.rows.u.far_below);
            real(held.south[lane], momentum.rows.v.far_below);
            momentum.rows.bed_far_below = &held.bed[lane];
            const ptrdiff_t at = mass.at - 2 * p.stride; // of that row
            if (row == strip.first + 1) {
                momentum.begin(at, above, lane);
            } else {
                momentum.rows.below = above;
                momentum.complete_below(at - p.stride, nullptr, lane);
                momentum.advance(row - 2, at - p.stride, nullptr, mass.found.flows, lane);
            }
        } else if (row == strip.first - 1) {
#pragma unroll
            for (int q = 0; q < COLUMNS; q++) momentum.rows.qv_above[q] = mass.discharge_south[q];
        }
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            qu_above[q] = mass.discharge_east[q];
            qv_above[q] = mass.discharge_south[q];
        }
    }
    report(p, chunk, mass.findings(), lane);
    report_rate(p, chunk, momentum.cfl_rate(), lane);
}

// Number of resident warps per multiprocessor for which registers are limited: with more, some values
// would be in local memory, for which the march would wait.
constexpr int BOTH_WARPS = 12;

extern "C" __global__ void __launch_bounds__(32 * WARPS, BOTH_WARPS / WARPS) flow(Params p)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const int warp = warp_of_block();
    const Chunk chunk = Chunk::of_launch(p, blockIdx.x * WARPS + warp, blockIdx.y);
    if (chunk.across >= p.chunks_across || chunk.empty(p.computed)) return;
    const StepConstants now = flowing(p);
    if (!begin(p, now)) return;
    const int deepest_near = chunk.deepest_near(p, lane);
    if (deepest_near == 0) {
        wipe_once(p, chunk, lane);
        return;
    }
    __shared__ Ring rings[WARPS];
    Ring *ring = &rings[warp];
    const Flags flags = flags_near(p, chunk);
    if (!is_plain(p, chunk, flags, deepest_near)) march_both<false, true>(p, now, chunk, flags, ring, lane);
    else if (looks(now)) march_both<true, true>(p, now, chunk, flags, ring, lane);
    else march_both<true, false>(p, now, chunk, flags, ring, lane);
}
