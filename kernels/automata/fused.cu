// Bit planes, several steps per visit in registers. A warp marches down a strip of the grid with
// WORDS words of 32 cells per lane; for each step it keeps the necessary data of three rows, so a
// row that enters at the top appears several steps later as many rows above. The outermost words of
// a warp cover the cells beside its strip: neighbours at the sides come from the adjacent lanes,
// and errors at the ends move inward by one cell per step.
static const unsigned ALL_LANES = 0xffffffffu;
static const int USED = 32 * WORDS - 2;

// Computes the necessary data of a row of a lane's words.
static __device__ __forceinline__ void known(const u32 (&here)[WORDS][Rule::P], Rule::Row<u32> (&row)[WORDS])
{
    u32 seen[WORDS + 2][Rule::S];
    for (int w = 0; w < WORDS; w++) Rule::see<u32>(here[w], seen[w + 1]);
    for (int k = 0; k < Rule::S; k++) {
        seen[0][k] = __shfl_up_sync(ALL_LANES, seen[WORDS][k], 1);
        seen[WORDS + 1][k] = __shfl_down_sync(ALL_LANES, seen[1][k], 1);
    }
    for (int w = 0; w < WORDS; w++) {
        u32 left[Rule::S], right[Rule::S];
        for (int k = 0; k < Rule::S; k++) {
            left[k] = __funnelshift_l(seen[w][k], seen[w + 1][k], 1);
            right[k] = __funnelshift_r(seen[w + 1][k], seen[w + 2][k], 1);
        }
        row[w] = Rule::row<u32>(left, seen[w + 1], right, here[w]);
    }
}

// Marches a warp over the rows from `first` to `end`. HELD: cells beyond a dead edge are held in
// state 0.
template <int STEPS, bool HELD>
static __device__ __forceinline__ void march(const Board &b, const u32 *now, u32 *next, int word, int first, int end)
{
    bool is_read[WORDS], is_own[WORDS];
    u32 inside[WORDS];
    for (int w = 0; w < WORDS; w++) {
        const int at = word + w, beyond = (at + 1) * 32 - b.columns;
        is_read[w] = at + b.left < b.pitch;
        inside[w] = at < 0 || beyond >= 32 ? 0 : beyond > 0 ? ~0u >> beyond : ~0u;
        const int of_warp = (int)(threadIdx.x & 31) * WORDS + w;
        is_own[w] = of_warp > 0 && of_warp <= USED && inside[w] != 0;
    }
    Rule::Row<u32> rows[STEPS][3][WORDS] = {};
    const u32 *from = now + place(b, word, first - STEPS, 0);
    // Coming rows are read before they are needed.
    u32 ahead[3][WORDS][Rule::P];
#pragma unroll
    for (int u = 0; u < 3; u++) {
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
#pragma unroll
            for (int k = 0; k < Rule::P; k++) ahead[u][w][k] = is_read[w] ? from[k * b.plane + w + (long long)u * b.pitch] : 0;
        }
    }
    const int lines = end - first + 2 * STEPS;
    for (int line = 0; line < lines; line += 3) {
#pragma unroll
        for (int u = 0; u < 3; u++) {
            u32 here[WORDS][Rule::P];
#pragma unroll
            for (int w = 0; w < WORDS; w++) {
#pragma unroll
                for (int k = 0; k < Rule::P; k++) {
                    here[w][k] = ahead[u][w][k];
                    const bool is_there = is_read[w] && line + u + 3 < lines;
                    ahead[u][w][k] = is_there ? from[k * b.plane + w + (long long)(u + 3) * b.pitch] : 0;
                }
            }
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                known(here, rows[step][u]);
                // Rows beyond the grid are held in state 0.
                const int row = first - STEPS + line + u - step - 1;
                const bool is_row = row >= 0 && row < b.rows;
#pragma unroll
                for (int w = 0; w < WORDS; w++) {
                    Rule::next<u32>(rows[step][(u + 1) % 3][w], rows[step][(u + 2) % 3][w], rows[step][u][w], here[w]);
#pragma unroll
                    for (int k = 0; k < Rule::P; k++) {
                        if (HELD) here[w][k] = is_row ? here[w][k] & inside[w] : 0;
                    }
                }
            }
            const int row = first - 2 * STEPS + line + u;
            if (row >= first && row < end) {
#pragma unroll
                for (int w = 0; w < WORDS; w++) {
#pragma unroll
                    for (int k = 0; k < Rule::P; k++) {
                        if (is_own[w]) next[place(b, word + w, row, 0) + k * b.plane] = here[w][k] & inside[w];
                    }
                }
            }
        }
        from += 3 * (long long)b.pitch;
    }
}

template <int STEPS>
static __device__ __forceinline__ void visit(const Board &b, const u32 *now, u32 *next)
{
    const int strip = blockIdx.y * (blockDim.x / 32) + threadIdx.x / 32;
    const int first = strip * b.strip, end = first + b.strip < b.rows ? first + b.strip : b.rows;
    if (first >= b.rows) return;
    const int of_warp = blockIdx.x * USED - 1;
    const int word = of_warp + (int)(threadIdx.x & 31) * WORDS;
    const bool touches = first < STEPS || end + STEPS > b.rows || of_warp < 0 || (of_warp + 32 * WORDS) * 32 > b.columns;
    if (Rule::HELD && !b.wrap && touches) {
        march<STEPS, true>(b, now, next, word, first, end);
    } else {
        march<STEPS, false>(b, now, next, word, first, end);
    }
}

ENTRY step_1(Board b, Element *now, Element *next) { visit<1>(b, now, next); }
ENTRY step_2(Board b, Element *now, Element *next) { visit<2>(b, now, next); }
ENTRY step_4(Board b, Element *now, Element *next) { visit<4>(b, now, next); }
ENTRY step_8(Board b, Element *now, Element *next) { visit<8>(b, now, next); }
