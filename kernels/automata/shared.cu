// 001 and 004: a block's cells and those around them in shared memory. Blocks overlap: the
// outermost threads load a cell, but do not compute one.
ENTRY step_1(Board b, Element *now, Element *next)
{
    __shared__ Element cells[BLOCK_Z][BLOCK_Y][BLOCK_X];
    const int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z;
    const int x = blockIdx.x * (BLOCK_X - 2 * REACH) + i - REACH;
    const int y = blockIdx.y * (BLOCK_Y - 2 * REACH) + j - REACH;
    const int z = blockIdx.z * (BLOCK_Z - 2 * REACH_Z) + k - REACH_Z;
    if (x < b.columns + REACH && y < b.rows + REACH && z < b.layers + REACH_Z) cells[k][j][i] = now[place(b, x, y, z)];
    __syncthreads();
    const bool is_inner = i >= REACH && i < BLOCK_X - REACH && j >= REACH && j < BLOCK_Y - REACH && k >= REACH_Z && k < BLOCK_Z - REACH_Z;
    if (!is_inner || x >= b.columns || y >= b.rows || z >= b.layers) return;
    next[place(b, x, y, z)] = (Element)next_state([&](int dx, int dy, int dz) -> int { return cells[k + dz][j + dy][i + dx]; });
}
