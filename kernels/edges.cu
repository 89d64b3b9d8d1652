// One step of a solver with edges in one kernel, or its first half if the solver has momentum: a warp
// marches down the rows of a chunk (mass_march.cuh). `Flow` is the solver.
#include "mass_march.cuh"

// Marches down the chunk, with or without an evaluation of the flow.
template <bool PLAIN, bool LOOKS>
__device__ __forceinline__ Findings march(const Params &p, const StepConstants &now, const Strip<PLAIN> &strip, Ring *ring, int lane)
{
    const FlowTerms terms(p, not_before(now.dt));
    MassMarch<PLAIN, LOOKS, false> mass(p, now, terms, strip, ring, lane);
    for (int row = mass.start; row <= mass.last; row++) mass.advance(row);
    return mass.findings();
}

// Number of resident warps per multiprocessor for which registers are limited.
#ifndef RESIDENT_WARPS
#if defined(VARYING_ROUGHNESS) || defined(KEEPS_FLOW) || defined(WITH_STRUCTURES) || (defined(WITH_TABLES) && !defined(CARRIES_MOMENTUM))
#define RESIDENT_WARPS 16
#else
#define RESIDENT_WARPS 20
#endif
#endif

extern "C" __global__ void __launch_bounds__(32 * WARPS, RESIDENT_WARPS / WARPS) flow(Params p)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    const int warp = warp_of_block();
    const Chunk chunk = Chunk::of_launch(p, blockIdx.x * WARPS + warp, blockIdx.y);
    if (chunk.empty(p.computed)) return;
    const StepConstants now = flowing(p);
    if (!begin(p, now)) return;
    const int deepest_near = chunk.deepest_near(p, lane);
    if (deepest_near == 0) {
        wipe_once(p, chunk, lane);
        return;
    }
    __shared__ Ring rings[WARPS];
    Ring *ring = &rings[warp];
    const Flags flags = flags_in(p, chunk);
    const bool plain = is_plain(p, chunk, flags, deepest_near);
    // With momentum, the flow is evaluated in the velocity update.
    if (plain && (MOMENTUM || !looks(now))) {
        report(p, chunk, march<true, false>(p, now, Strip<true>(p, chunk, flags, lane), ring, lane), lane);
    } else if (plain) {
        report(p, chunk, march<true, true>(p, now, Strip<true>(p, chunk, flags, lane), ring, lane), lane);
    } else {
        report(p, chunk, march<false, true>(p, now, Strip<false>(p, chunk, flags, lane), ring, lane), lane);
    }
}
