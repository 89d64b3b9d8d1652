// Temporal blocking (002, as in AN5D): a block takes several steps of a tile in shared memory.
// Tiles overlap by as many cells on every side, one of which each step consumes.
template <int STEPS>
static __device__ __forceinline__ void visit(const Board &b, const Element *now, Element *next)
{
    const int width = TILE_X + 2 * STEPS, height = TILE_Y + 2 * STEPS;
    __shared__ Element tiles[2][height][width];
    const int first_x = blockIdx.x * TILE_X - STEPS, first_y = blockIdx.y * TILE_Y - STEPS;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (int at = thread; at < width * height; at += threads) {
        const int j = at / width, i = at % width, x = first_x + i, y = first_y + j;
        const bool is_there = x < b.columns + STEPS && y < b.rows + STEPS;
        tiles[0][j][i] = is_there ? now[place(b, x, y, 0)] : (Element)0;
    }
    __syncthreads();
    for (int step = 0; step < STEPS; step++) {
        const Element(*from)[width] = tiles[step & 1];
        Element(*to)[width] = tiles[step & 1 ^ 1];
        const int rim = step + 1, inner = width - 2 * rim;
        for (int at = thread; at < inner * (height - 2 * rim); at += threads) {
            const int j = at / inner + rim, i = at % inner + rim, x = first_x + i, y = first_y + j;
            // Beyond a dead edge, cells stay in state 0.
            const bool is_held = !b.wrap && (x < 0 || y < 0 || x >= b.columns || y >= b.rows);
            to[j][i] = is_held ? (Element)0 : (Element)next_state([&](int dx, int dy, int) -> int { return from[j + dy][i + dx]; });
        }
        __syncthreads();
    }
    for (int at = thread; at < TILE_X * TILE_Y; at += threads) {
        const int j = at / TILE_X, i = at % TILE_X, x = first_x + STEPS + i, y = first_y + STEPS + j;
        if (x < b.columns && y < b.rows) next[place(b, x, y, 0)] = tiles[STEPS & 1][j + STEPS][i + STEPS];
    }
}

ENTRY step_1(Board b, Element *now, Element *next) { visit<1>(b, now, next); }
ENTRY step_2(Board b, Element *now, Element *next) { visit<2>(b, now, next); }
ENTRY step_4(Board b, Element *now, Element *next) { visit<4>(b, now, next); }
ENTRY step_8(Board b, Element *now, Element *next) { visit<8>(b, now, next); }
