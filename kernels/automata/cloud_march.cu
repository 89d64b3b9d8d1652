// Clouds in planes of 32 cells a word: a thread has ROWS words, one above the other along y, and marches up along z with the
// layers at hand in registers, so that each word of the active plane is read once for all its neighbours along z.
static __device__ __forceinline__ u32 beside(const u32 *act, u32 here)
{
    const u32 before = act[-1], after = act[1];
    const u32 left = __funnelshift_l(before, here, 1) | __funnelshift_l(before, here, 2);
    return left | __funnelshift_r(here, after, 1) | __funnelshift_r(here, after, 2);
}

ENTRY step_1(Board b, Element *now, Element *next)
{
    const int across = (b.columns + 31) / 32;
    const int thread = thread_x(), x = thread % across, y = thread / across * ROWS;
    if (y >= b.rows) return;
    const int first = blockIdx.y * b.strip, end = first + b.strip < b.layers ? first + b.strip : b.layers;
    const long long layer = (long long)b.pitch * b.height;
    const int beyond = (x + 1) * 32 - b.columns;
    const u32 inside = beyond > 0 ? ~0u >> beyond : ~0u;
    const u32 *act = now + b.plane + place(b, x, y, first);
    // The active plane two layers below and so on; of a layer ROWS rows and two on either side. The margin has room for rows
    // beyond the last.
    u32 layers[4][ROWS + 4];
#pragma unroll
    for (int k = 0; k < 3; k++) {
#pragma unroll
        for (int r = 0; r < ROWS + 4; r++) layers[k][r] = act[(k - 2) * layer + (long long)(r - 2) * b.pitch];
    }
    for (int z = first; z < end; z += 4) {
#pragma unroll
        for (int u = 0; u < 4; u++) {
            if (z + u >= end) break;
#pragma unroll
            for (int r = 0; r < ROWS + 4; r++) layers[(u + 3) % 4][r] = act[layer + (long long)(r - 2) * b.pitch];
            const long long at = place(b, x, y, z + u);
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (y + r >= b.rows) break;
                const u32(&here)[ROWS + 4] = layers[(u + 2) % 4];
                u32 near = layers[u % 4][r + 2] | layers[(u + 1) % 4][r + 2] | layers[(u + 3) % 4][r + 2];
                near |= here[r] | here[r + 1] | here[r + 3] | here[r + 4];
                near |= beside(act + (long long)r * b.pitch, here[r + 2]);
                const long long word = at + (long long)r * b.pitch;
                u32 humid = now[word], active = here[r + 2], cloud = now[word + 2 * b.plane];
                Rule::words<u32>(humid, active, cloud, near);
                next[word] = humid & inside;
                next[word + b.plane] = active & inside;
                next[word + 2 * b.plane] = cloud & inside;
            }
            act += layer;
        }
    }
}
