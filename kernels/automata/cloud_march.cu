// Clouds in planes of 32 cells per word: a thread has ROWS words, one above the other along y, and
// marches up along z with the current layers in registers, so that each word of the active plane is
// read once for all its neighbours along z.
//
// Cells lose their humidity when they are active, and are clouds from then on. After one step only
// humid cells are active, so the clouds added since are exactly the cells that have lost their
// humidity since: during a series of steps the clouds are not updated, and the humidity is updated
// in place. `begin` takes the first step from `now` to `next` and puts the resulting humidity in
// the place of the clouds of `now`; `out` and `back` take a step each; `settle` adds the clouds of
// all of them.
//
// On a torus of whole words a thread accesses the opposite edge itself, since a kernel that fills
// margins takes as long as the step. Otherwise, and beyond dead edges, it reads the margin.
enum Kind { WHOLE, BEGIN, OUT, BACK };

template <Kind KIND>
static __device__ __forceinline__ void march(const Board &b, Element *now, Element *next)
{
    const int across = (b.columns + 31) / 32;
    const int thread = thread_x(), x = thread % across, y = thread / across * ROWS;
    if (y >= b.rows) return;
    const int first = blockIdx.y * b.strip, end = first + b.strip < b.layers ? first + b.strip : b.layers;
    const int beyond = (x + 1) * 32 - b.columns;
    const u32 inside = beyond > 0 ? ~0u >> beyond : ~0u;
    const bool is_round = b.wrap && b.columns % 32 == 0;
    const int before = is_round && x == 0 ? across - 1 : -1, after = is_round && x == across - 1 ? 1 - across : 1;
    // Rows of a layer: ROWS of them and two on either side. The margin has room for rows beyond the
    // last.
    int rows[ROWS + 4];
#pragma unroll
    for (int r = 0; r < ROWS + 4; r++) rows[r] = (int)place(b, x, is_round ? wrapped(y + r - 2, b.rows) : y + r - 2, 0);
    const int layer = b.pitch * b.height;
    const u32 *act = now + b.plane;
    u32 *next_act = next + b.plane, *cld = now + 2 * b.plane, *next_cld = next + 2 * b.plane;
    // Source and destination of the humidity.
    const u32 *hum = KIND == BACK ? next : now;
    u32 *next_hum = KIND == OUT ? now : next;
    const auto layer_of = [&](int z) { return (is_round ? wrapped(z, b.layers) : z) * layer; };
    // The active plane from two layers below to one above, and the layer after that, which is read
    // one layer ahead.
    u32 layers[5][ROWS + 4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const u32 *of = act + layer_of(first + k - 2);
#pragma unroll
        for (int r = 0; r < ROWS + 4; r++) layers[k][r] = of[rows[r]];
    }
    for (int z = first; z < end; z += 5) {
#pragma unroll
        for (int u = 0; u < 5; u++) {
            if (z + u >= end) break;
            if (z + u + 1 < end) {
                const u32 *ahead = act + layer_of(z + u + 2);
#pragma unroll
                for (int r = 0; r < ROWS + 4; r++) layers[(u + 4) % 5][r] = ahead[rows[r]];
            }
            const int same = (z + u) * layer;
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (y + r >= b.rows) break;
                const u32(&here)[ROWS + 4] = layers[(u + 2) % 5];
                const int word = rows[r + 2] + same;
                u32 humid = hum[word], active = here[r + 2], cloud = KIND <= BEGIN ? cld[word] : 0;
                const u32 west = act[word + before], east = act[word + after];
                u32 near = layers[u % 5][r + 2] | layers[(u + 1) % 5][r + 2] | layers[(u + 3) % 5][r + 2];
                near |= here[r] | here[r + 1] | here[r + 3] | here[r + 4];
                near |= __funnelshift_l(west, active, 1) | __funnelshift_l(west, active, 2);
                near |= __funnelshift_r(active, east, 1) | __funnelshift_r(active, east, 2);
                Rule::words<u32>(humid, active, cloud, near);
                next_hum[word] = humid & inside;
                next_act[word] = active & inside;
                if (KIND <= BEGIN) next_cld[word] = cloud & inside;
                if (KIND == BEGIN) cld[word] = humid & inside;
            }
        }
    }
}

ENTRY step_1(Board b, Element *now, Element *next) { march<WHOLE>(b, now, next); }
ENTRY begin(Board b, Element *now, Element *next) { march<BEGIN>(b, now, next); }
ENTRY out(Board b, Element *now, Element *next) { march<OUT>(b, now, next); }
ENTRY back(Board b, Element *now, Element *next) { march<BACK>(b, now, next); }

ENTRY settle(Board b, Element *now, Element *next)
{
    const int x = thread_x(), y = thread_y(), z = thread_z();
    if (x * 32 >= b.columns || y >= b.rows || z >= b.layers) return;
    const long long word = place(b, x, y, z);
    next[word + 2 * b.plane] |= now[word + 2 * b.plane] & ~next[word];
}
