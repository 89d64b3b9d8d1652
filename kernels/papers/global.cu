// One step in two kernels that meet in global memory, a thread per cell: how Topa & Mlocek (2013)
// first wrote it (`gpu_best_levels` and `gpu_distribute`), for comparison. cell.cuh comes before it.

// Outflows of all cells to one of their neighbours: a plane of the frame's columns and its chunks' rows.
__device__ __forceinline__ int *plane_of(const Params &p, int *outflows, int k)
{
    return outflows + (ptrdiff_t)k * p.stride * p.chunks_down * p.chunk_rows;
}

// Outflows of every cell that is computed or has a computed neighbour.
extern "C" __global__ void __launch_bounds__(BLOCK_COLUMNS *BLOCK_ROWS) give(const Params p, int *outflows)
{
    wait_for_previous_kernel();
    const int2 block = block_place(p.computed.end_column - p.computed.column + 2);
    const int column = p.computed.column - 1 + block.x + threadIdx.x;
    const int row = p.computed.row - 1 + block.y + threadIdx.y;
    if (column > p.computed.end_column || row > p.computed.end_row) return;
    const StepConstants now = flowing(p);
    if (halted(p, now.half_step)) return;
    const ptrdiff_t cell = (ptrdiff_t)row * p.stride + column;
    int outflow[K];
    cell_outflows(p, now, p.bed + cell, p.water + cell, p.stride, outflow);
#pragma unroll
    for (int k = 0; k < K; k++) plane_of(p, outflows, k)[cell] = outflow[k];
}

// The new water of every cell that is computed.
extern "C" __global__ void __launch_bounds__(BLOCK_COLUMNS *BLOCK_ROWS) gather(const Params p, int *outflows)
{
    wait_for_previous_kernel();
    const int2 block = block_place(p.computed.end_column - p.computed.column);
    const int column = p.computed.column + block.x + threadIdx.x;
    const int row = p.computed.row + block.y + threadIdx.y;
    if (column >= p.computed.end_column || row >= p.computed.end_row) return;
    const StepConstants now = flowing(p);
    if (halted(p, now.half_step)) return;
    const ptrdiff_t cell = (ptrdiff_t)row * p.stride + column;
    long long sum = p.water[cell];
#pragma unroll
    for (int k = 0; k < K; k++) {
        const ptrdiff_t there = cell + (ptrdiff_t)offset_rows(k) * p.stride + offset_columns(k);
        sum -= plane_of(p, outflows, k)[cell];
        sum += plane_of(p, outflows, k ^ 1)[there];
    }
    finish(p, now, column, row, sum);
}
