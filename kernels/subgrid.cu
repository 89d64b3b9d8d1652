// Looks up water levels and their rate of rise in cells with tables: the twin of
// src/engine/backend/cpu/levels.rs. The level of dry cells is their bed. Kernels that march down
// the rows of chunks look them up themselves (cells.cuh, momentum_edges.cuh).
#pragma once
#include "after_flow.cuh"
#include "chunk.cuh"
#include "subgrid.cuh"

// Before the water moves, or after it has (`moved`).
extern "C" __global__ void __launch_bounds__(32 * WARPS) levels(Params p, int columns, int rows, int moved)
{
    wait_for_previous_kernel();
    const int lane = threadIdx.x % 32;
    if (moved >= 0) {
        const StepConstants now = *p.step_constants;
        if (!begin(p, now)) return;
    }
    const int *waters = moved > 0 ? p.next_water : p.water;
    each_chunk(p, [&](const Chunk &chunk) {
        const int end = min(chunk.column + chunk.columns, columns);
        for (int row = chunk.row; row < min(chunk.end_row, rows); row++) {
            for (int column = chunk.column + lane; column < end; column += 32) {
                const ptrdiff_t at = (ptrdiff_t)row * p.stride + column;
                float rises = 0.0f;
                const int water = waters[at];
                p.level[at] = water > 0 ? level_of(CellTable(cell_table(p, at)), p.bed[at], water, p.metres, rises) : p.bed[at];
                p.rises[at] = rises;
            }
        }
    });
}
