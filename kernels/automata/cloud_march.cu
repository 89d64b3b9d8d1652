// Clouds in planes of 32 cells a word: a thread has ROWS words, one above the other along y, and marches up along z with the
// layers at hand in registers, so that each word of the active plane is read once for all its neighbours along z.
//
// On a torus of whole words it finds the opposite edge itself: a kernel that fills margins takes as long as the step. Else, and
// beyond dead edges, it reads the margin.
ENTRY step_1(Board b, Element *now, Element *next)
{
    const int across = (b.columns + 31) / 32;
    const int thread = thread_x(), x = thread % across, y = thread / across * ROWS;
    if (y >= b.rows) return;
    const int first = blockIdx.y * b.strip, end = first + b.strip < b.layers ? first + b.strip : b.layers;
    const int beyond = (x + 1) * 32 - b.columns;
    const u32 inside = beyond > 0 ? ~0u >> beyond : ~0u;
    const bool is_round = b.wrap && b.columns % 32 == 0;
    const int before = is_round && x == 0 ? across - 1 : -1, after = is_round && x == across - 1 ? 1 - across : 1;
    // Rows of a layer: ROWS of them and two on either side. The margin has room for rows beyond the last.
    long long rows[ROWS + 4];
#pragma unroll
    for (int r = 0; r < ROWS + 4; r++) rows[r] = place(b, x, is_round ? wrapped(y + r - 2, b.rows) : y + r - 2, 0);
    const long long layer = (long long)b.pitch * b.height;
    const u32 *act = now + b.plane;
    const auto layer_of = [&](int z) { return (is_round ? wrapped(z, b.layers) : z) * layer; };
    // The active plane two layers below and so on.
    u32 layers[4][ROWS + 4];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const u32 *of = act + layer_of(first + k - 2);
#pragma unroll
        for (int r = 0; r < ROWS + 4; r++) layers[k][r] = of[rows[r]];
    }
    for (int z = first; z < end; z += 4) {
#pragma unroll
        for (int u = 0; u < 4; u++) {
            if (z + u >= end) break;
            const u32 *above = act + layer_of(z + u + 1), *same = act + (z + u) * layer;
#pragma unroll
            for (int r = 0; r < ROWS + 4; r++) layers[(u + 3) % 4][r] = above[rows[r]];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (y + r >= b.rows) break;
                const u32(&here)[ROWS + 4] = layers[(u + 2) % 4];
                const long long word = rows[r + 2] + (z + u) * layer;
                u32 humid = now[word], active = here[r + 2], cloud = now[word + 2 * b.plane];
                const u32 west = same[rows[r + 2] + before], east = same[rows[r + 2] + after];
                u32 near = layers[u % 4][r + 2] | layers[(u + 1) % 4][r + 2] | layers[(u + 3) % 4][r + 2];
                near |= here[r] | here[r + 1] | here[r + 3] | here[r + 4];
                near |= __funnelshift_l(west, active, 1) | __funnelshift_l(west, active, 2);
                near |= __funnelshift_r(active, east, 1) | __funnelshift_r(active, east, 2);
                Rule::words<u32>(humid, active, cloud, near);
                next[word] = humid & inside;
                next[word + b.plane] = active & inside;
                next[word + 2 * b.plane] = cloud & inside;
            }
        }
    }
}
