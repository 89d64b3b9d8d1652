// One step in one kernel that keeps a block's bed, water and outflows in shared memory, a thread per
// cell: with blocks of 16 x 16 the outflows lie in the 18 x 19 padded tile of Topa & Mlocek (2013),
// for comparison. cell.cuh comes before it.

// Cells around a block on which its new depths depend: neighbours, and theirs.
constexpr int AROUND = 2;
static_assert(AROUND <= 3, "a frame holds them");

// A row is one cell longer than it needs, so that a column's cells lie in different banks.
constexpr int TILE_COLUMNS = BLOCK_COLUMNS + 2 * AROUND;
constexpr int TILE_ROWS = BLOCK_ROWS + 2 * AROUND;
constexpr int TILE_STRIDE = TILE_COLUMNS + 1;
constexpr int OUTFLOW_COLUMNS = BLOCK_COLUMNS + 2;
constexpr int OUTFLOW_ROWS = BLOCK_ROWS + 2;
constexpr int OUTFLOW_STRIDE = OUTFLOW_COLUMNS + 1;
constexpr int THREADS = BLOCK_COLUMNS * BLOCK_ROWS;

extern "C" __global__ void __launch_bounds__(THREADS) flow(const Params p)
{
    wait_for_previous_kernel();
    __shared__ int bed[TILE_ROWS * TILE_STRIDE];
    __shared__ int water[TILE_ROWS * TILE_STRIDE];
    __shared__ int outflows[K][OUTFLOW_ROWS * OUTFLOW_STRIDE];
    // The same for the whole block, whatever others of this launch record meanwhile.
    __shared__ bool stop;
    const StepConstants now = flowing(p);
    const int thread = threadIdx.y * BLOCK_COLUMNS + threadIdx.x;
    if (thread == 0) stop = halted(p, now.half_step);
    const int2 block = block_place(p.computed.end_column - p.computed.column);
    const int first_column = p.computed.column + block.x;
    const int first_row = p.computed.row + block.y;
    for (int at = thread; at < TILE_COLUMNS * TILE_ROWS; at += THREADS) {
        const int i = at % TILE_COLUMNS;
        const int j = at / TILE_COLUMNS;
        const int column = first_column + i - AROUND;
        const int row = first_row + j - AROUND;
        // Beyond what is needed the frame may end: anything dry will do there.
        const bool needed = column < p.computed.end_column + AROUND && row < p.computed.end_row + AROUND;
        const ptrdiff_t cell = (ptrdiff_t)row * p.stride + column;
        bed[j * TILE_STRIDE + i] = needed ? p.bed[cell] : 0;
        water[j * TILE_STRIDE + i] = needed ? p.water[cell] : 0;
    }
    __syncthreads();
    if (stop) return;
    for (int at = thread; at < OUTFLOW_COLUMNS * OUTFLOW_ROWS; at += THREADS) {
        const int i = at % OUTFLOW_COLUMNS;
        const int j = at / OUTFLOW_COLUMNS;
        const int cell = (j + 1) * TILE_STRIDE + i + 1;
        int outflow[K];
        cell_outflows(p, now, bed + cell, water + cell, TILE_STRIDE, outflow);
#pragma unroll
        for (int k = 0; k < K; k++) outflows[k][j * OUTFLOW_STRIDE + i] = outflow[k];
    }
    __syncthreads();
    const int column = first_column + threadIdx.x;
    const int row = first_row + threadIdx.y;
    if (column >= p.computed.end_column || row >= p.computed.end_row) return;
    const int cell = (threadIdx.y + 1) * OUTFLOW_STRIDE + threadIdx.x + 1;
    long long sum = water[(threadIdx.y + AROUND) * TILE_STRIDE + threadIdx.x + AROUND];
#pragma unroll
    for (int k = 0; k < K; k++) {
        sum -= outflows[k][cell];
        sum += outflows[k ^ 1][cell + offset_rows(k) * OUTFLOW_STRIDE + offset_columns(k)];
    }
    finish(p, now, column, row, sum);
}
