// Clouds in planes of 32 cells a word: a thread has a word, and marches up along z with what is active below and above at hand.
//
// Cells lose their humidity when they are active, and are clouds from then on. After one step only humid cells are active, so
// what clouds have come since is what has lost its humidity since: in a row of steps the clouds are left alone, and the humidity
// is kept in place. `begin` takes the first step from `now` to `next` and puts the humidity after it where the clouds of `now`
// were; `out` and `back` take a step each; `settle` adds the clouds of all of them.
//
// On a torus of whole words a thread finds the opposite edge itself: a kernel that fills margins takes as long as the step.
// Else, and beyond dead edges, it reads the margin.
enum Kind { WHOLE, BEGIN, OUT, BACK };

template <Kind KIND>
static __device__ __forceinline__ void march(const Board &b, Element *now, Element *next)
{
    const int across = (b.columns + 31) / 32;
    const int thread = thread_x(), x = thread % across, y = thread / across;
    if (y >= b.rows) return;
    const int first = blockIdx.y * b.strip, end = first + b.strip < b.layers ? first + b.strip : b.layers;
    const int beyond = (x + 1) * 32 - b.columns;
    const u32 inside = beyond > 0 ? ~0u >> beyond : ~0u;
    const bool is_round = b.wrap && b.columns % 32 == 0;
    // From the word to those around it in its layer.
    const int at = (int)place(b, x, y, 0);
    const int west = is_round && x == 0 ? across - 1 : -1, east = is_round && x == across - 1 ? 1 - across : 1;
    const auto row = [&](int by) { return ((is_round ? wrapped(y + by, b.rows) : y + by) - y) * b.pitch; };
    const int north = row(-1), south = row(1), far_north = row(-2), far_south = row(2);
    const int layer = b.pitch * b.height;
    const u32 *act = now + b.plane + at;
    u32 *next_act = next + b.plane + at, *cld = now + 2 * b.plane + at, *next_cld = next + 2 * b.plane + at;
    // Where the humidity is, and goes.
    const u32 *hum = (KIND == BACK ? next : now) + at;
    u32 *next_hum = (KIND == OUT ? now : next) + at;
    const auto layer_of = [&](int z) { return (is_round ? wrapped(z, b.layers) : z) * layer; };
    // What is active from two layers below to one above, and in the layer after that, which is read a layer ahead.
    u32 below2 = act[layer_of(first - 2)], below = act[layer_of(first - 1)], active = act[layer_of(first)];
    u32 above = act[layer_of(first + 1)];
    for (int z = first; z < end; z++) {
        const int word = z * layer;
        const u32 *here = act + word;
        const u32 ahead = z + 1 < end ? act[layer_of(z + 2)] : 0;
        const u32 before = here[west], after = here[east];
        u32 near = here[north] | here[south] | here[far_north] | here[far_south];
        u32 humid = hum[word], cloud = KIND <= BEGIN ? cld[word] : 0, was = active;
        near |= below2 | below | above;
        near |= __funnelshift_l(before, active, 1) | __funnelshift_l(before, active, 2);
        near |= __funnelshift_r(active, after, 1) | __funnelshift_r(active, after, 2);
        Rule::words<u32>(humid, active, cloud, near);
        next_hum[word] = humid & inside;
        next_act[word] = active & inside;
        if (KIND <= BEGIN) next_cld[word] = cloud & inside;
        if (KIND == BEGIN) cld[word] = humid & inside;
        below2 = below, below = was, active = above, above = ahead;
    }
}

ENTRY __launch_bounds__(BLOCK_X, RESIDENT) step_1(Board b, Element *now, Element *next) { march<WHOLE>(b, now, next); }
ENTRY __launch_bounds__(BLOCK_X, RESIDENT) begin(Board b, Element *now, Element *next) { march<BEGIN>(b, now, next); }
ENTRY __launch_bounds__(BLOCK_X, RESIDENT) out(Board b, Element *now, Element *next) { march<OUT>(b, now, next); }
ENTRY __launch_bounds__(BLOCK_X, RESIDENT) back(Board b, Element *now, Element *next) { march<BACK>(b, now, next); }

ENTRY settle(Board b, Element *now, Element *next)
{
    const int x = thread_x(), y = thread_y(), z = thread_z();
    if (x * 32 >= b.columns || y >= b.rows || z >= b.layers) return;
    const long long word = place(b, x, y, z);
    next[word + 2 * b.plane] |= now[word + 2 * b.plane] & ~next[word];
}
