// All sites of a frame in one kernel: the twin of src/engine/backend/cpu/sites.rs. `change_of` has
// the laws of all kinds (src/engine/backend/cuda/compile/source.rs).
#pragma once
#include "after_flow.cuh"
#include "approach.cuh"
#include "sites.cuh"

// Sites in the order of their cells and, within a cell, in the order in which they act.
struct Sites {
    const SiteAt *sites;
    const Increment *rates;
    const long long *levels;
    const float *tables;
    Count count;
};

// Books the volume that a site added or removed (grains).
__device__ __forceinline__ void tally(const Params &p, const SiteAt &site, long long by)
{
    if (!site.own || by == 0) return;
    if (site.given.line == RAIN_LINE) {
        atomicAdd(&p.totals->rain, (Count)by);
    } else if (site.given.line == LOSS_LINE) {
        atomicAdd(&p.totals->losses, (Count)-by);
    } else {
        atomicAdd(by > 0 ? &p.totals->inflow : &p.totals->outflow, (Count)(by > 0 ? by : -by));
        if (site.given.port != 0) book(p.ports, site.given.port, by > 0 ? by : 0, by > 0 ? 0 : -by);
    }
}

// Applies the sites of a cell, the first of which has number `at`: before the flow, or after it
// (`moved`).
__device__ __forceinline__ void act(const Params &p, const StepConstants &now, const Sites &all, unsigned at, bool moved)
{
    const SiteAt first = all.sites[at];
    if (at > 0 && all.sites[at - 1].column == first.column && all.sites[at - 1].row == first.row) return;
    const ptrdiff_t cell = (ptrdiff_t)first.row * p.stride + first.column;
    int *const to = (moved ? p.next_water : p.water) + cell;
    const int found = *to;
    int water = found;
    unsigned enters = 0;
    const int was = p.water[cell];
    const int bed = p.bed[cell];
    const StepContext step = {p, now, all.rates, all.levels, all.tables};
    for (; at < all.count; at++) {
        const SiteAt site = all.sites[at];
        if (site.column != first.column || site.row != first.row) break;
        const CellView seen = {water, moved ? was : water, bed, p.site_state ? p.site_state[cell] : 0, cell_table(p, cell)};
        const long long by = change_of(site.given.kind, site.given.numbers, seen, step);
        if (site.given.kind == STAGE) enters = site.given.numbers[1];
        if (p.site_state) p.site_state[cell] = remembered_of(site.given.kind, site.given.numbers, seen, step);
        if (by > MAX_WATER - water) {
            if (site.own) halt(p, now.half_step);
            continue;
        }
        water += (int)by;
        if (site.given.line == RAIN_LINE && p.rained) p.rained[cell] += (int)by;
        tally(p, site, by);
    }
    if (water != found) *to = water;
    if (enters != 0) let_in(p, cell, enters);
    if (moved && first.own) record(p, now, cell, water, p.most[cell]);
    if (water > found) {
        const size_t chunk = (size_t)(first.row / p.chunk_rows) * p.chunks_across + first.column / p.chunk_columns;
        atomicMax((moved ? p.deepest_next : p.deepest) + chunk, water);
    }
}

// Applies the sites before the flow.
extern "C" __global__ void sites_before_flow(Params p, Sites all)
{
    wait_for_previous_kernel();
    const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    const StepConstants now = *p.step_constants;
    if (at < all.count && begin(p, now)) act(p, now, all, at, false);
}

// Applies the sites after the flow, and records the diagnostics that the flow left for them.
extern "C" __global__ void sites_after_flow(Params p, Sites all)
{
    wait_for_previous_kernel();
    const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    const StepConstants now = flowing(p);
    if (at < all.count && begin(p, now)) act(p, now, all, at, true);
}
