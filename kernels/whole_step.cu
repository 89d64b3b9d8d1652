// Mass and momentum update of a first-order solver with momentum in one march. The velocities on the
// edges of a row are updated two rows behind the one whose fluxes are computed, as soon as the water of
// both their cells is final. Velocities also depend on the new water beside the chunk, which is
// recomputed here. `Flow` is the solver.
#include "mass_march.cuh"
#include "momentum_march.cuh"

// A momentum march that follows a mass march, two rows behind it.
template <bool PLAIN, bool LOOKS>
struct FollowingMarch : MomentumMarch<PLAIN, LOOKS> {
    using Base = MomentumMarch<PLAIN, LOOKS>;
    using Base::p;
    using Base::rows;
    int lane;

    __device__ __forceinline__ FollowingMarch(const Params &p, const Chunk &chunk, const StepConstants &now, const FlowTerms &terms, bool intakes, int lane)
        : Base(p, chunk, now, terms, intakes, lane), lane(lane)
    {
    }

    // Begins with the row finished last, which is at `at`.
    __device__ __forceinline__ void begin(const Fetcher &came, ptrdiff_t at, const Ints &finished_water)
    {
        MomentumRow here;
        take_finished(came, finished_water, here);
        const HeldFlow &beyond = came.came(2).flow; // not yet overwritten
        take_above(came.came(1).flow);
        real(came.came(4).flow.rise_south[lane], rows.rise_here);
        Reals u_beyond;
        Reals v_beyond;
        real(beyond.velocity_east[lane], u_beyond);
        real(beyond.velocity_south[lane], v_beyond);
        Base::begin(at, here, u_beyond, v_beyond, lane);
    }

    // Updates the edges of a row, at `at`; the row below was finished last.
    __device__ __forceinline__ void advance(const Fetcher &came, int row, ptrdiff_t at, const Ints &finished_water, Flows &flows)
    {
        const HeldFlow &here = came.came(1).flow; // not yet overwritten
        take_above(came.came(2).flow);
        take_edges(here, rows.here);
        real(here.rise_east[lane], rows.rise_east);
        real(here.rise_south[lane], rows.rise_here);
        real(came.came(4).flow.rise_south[lane], rows.rise_below);
        take_finished(came, finished_water, rows.below);
        Base::complete_below(at, nullptr, lane);
        Base::advance(row, at, nullptr, flows, lane);
    }

private:
    __device__ __forceinline__ void take_edges(const HeldFlow &flow, MomentumRow &row) const
    {
        real(flow.velocity_east[lane], row.u);
        real(flow.velocity_south[lane], row.v);
        real(flow.discharge_east[lane], row.qu);
        real(flow.discharge_south[lane], row.qv);
    }

    // Takes the row finished last, and the velocities of the row below.
    __device__ __forceinline__ void take_finished(const Fetcher &came, const Ints &water, MomentumRow &row)
    {
        const HeldFlow &below = came.came(3).flow;
        const Lane roughness = came.came(4).cells.roughness[ROUGH ? lane : 0];
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
            row.water[q] = water[q];
            row.roughness[q] = ROUGH ? __int_as_float(roughness.v[q]) : p.all_roughness;
        }
        take_edges(came.came(4).flow, row);
        real(below.velocity_east[lane], rows.u.far_below);
        real(below.velocity_south[lane], rows.v.far_below);
    }

    __device__ __forceinline__ void take_above(const HeldFlow &flow)
    {
        real(flow.velocity_east[lane], rows.u.above);
        real(flow.velocity_south[lane], rows.v.above);
        real(flow.discharge_south[lane], rows.qv_above);
        real(flow.rise_south[lane], rows.rise_above);
    }
};

// Marches down a chunk, with or without an evaluation of the flow.
template <bool PLAIN, bool LOOKS>
__device__ __forceinline__ void march_both(const Params &p, const StepConstants &now, const Chunk &chunk, Flags flags, Ring *ring, int lane)
{
    const FlowTerms terms(p, now.dt);
    const Strip<PLAIN> strip(p, chunk, flags, lane);
    MassMarch<PLAIN, false, true> mass(p, now, terms, strip, ring, lane);
    FollowingMarch<PLAIN, LOOKS> momentum(p, chunk, now, terms, STRUCTURES && (flags & INTAKE), lane);
    const Fetcher &came = mass.fetcher;
    int row = mass.start;
    for (; row <= strip.first + 1; row++) {
        mass.advance(row);
        mass.note_finished(row);
    }
    momentum.begin(came, mass.at - 2 * p.stride, mass.finished_water);
    for (; row <= mass.last; row++) {
        mass.template advance<true>(row);
        momentum.advance(came, row - 2, mass.at - 3 * p.stride, mass.finished_water, mass.found.flows);
        mass.note_finished(row);
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
