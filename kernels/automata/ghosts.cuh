// Fills the margin of a torus with the cells of the opposite side, for any packing: CELLS_X,
// CELLS_Y and CELLS_Z cells per element, BITS bits each, in PLANES planes. One thread per element
// that holds cells beyond the edge.
#pragma once

static __device__ __forceinline__ int fraction(int at, int by) { return at - (at >= 0 ? at / by : -((by - 1 - at) / by)) * by; }
static __device__ __forceinline__ int whole(int at, int by) { return at >= 0 ? at / by : -((by - 1 - at) / by); }

// Bit offset of a cell in its element.
static __device__ __forceinline__ int bit_of(int x, int y, int z)
{
    return ((fraction(z, CELLS_Z) * CELLS_Y + fraction(y, CELLS_Y)) * CELLS_X + fraction(x, CELLS_X)) * BITS;
}

ENTRY ghosts(Board b, Element *now, Element *)
{
    const int full_x = b.columns / CELLS_X, full_y = b.rows / CELLS_Y, full_z = b.layers / CELLS_Z;
    const long long side = (long long)(b.pitch - full_x) * b.height * b.depth;
    const long long ends = (long long)b.pitch * (b.height - full_y) * b.depth;
    const long long lids = (long long)b.pitch * b.height * (b.depth - full_z);
    long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    int ex, ey, ez;
    if (at < side) {
        ex = (int)(at % (b.pitch - full_x)), at /= b.pitch - full_x;
        ey = (int)(at % b.height), ez = (int)(at / b.height);
        if (ex >= b.left) ex += full_x;
    } else if (at < side + ends) {
        at -= side;
        ex = (int)(at % b.pitch), at /= b.pitch;
        ey = (int)(at % (b.height - full_y)), ez = (int)(at / (b.height - full_y));
        if (ey >= b.above) ey += full_y;
    } else if (at < side + ends + lids) {
        at -= side + ends;
        ex = (int)(at % b.pitch), at /= b.pitch;
        ey = (int)(at % b.height), ez = (int)(at / b.height);
        if (ez >= b.front) ez += full_z;
    } else {
        return;
    }
    ex -= b.left, ey -= b.above, ez -= b.front;
    // If the cells are in one element on the opposite side, too, that element is copied.
    const int first_x = wrapped(ex * CELLS_X, b.columns);
    const bool is_whole = CELLS_Y * CELLS_Z == 1 && first_x % CELLS_X == 0 && first_x + CELLS_X <= b.columns;
    if (is_whole) {
        const long long from = place(b, first_x / CELLS_X, wrapped(ey, b.rows), wrapped(ez, b.layers));
        for (int plane = 0; plane < PLANES; plane++) now[place(b, ex, ey, ez) + plane * b.plane] = now[from + plane * b.plane];
        return;
    }
    for (int plane = 0; plane < PLANES; plane++) {
        Element *cells = now + plane * b.plane;
        u64 element = 0;
        for (int z = ez * CELLS_Z; z < (ez + 1) * CELLS_Z; z++) {
            const int from_z = wrapped(z, b.layers);
            for (int y = ey * CELLS_Y; y < (ey + 1) * CELLS_Y; y++) {
                const int from_y = wrapped(y, b.rows);
                for (int x = ex * CELLS_X; x < (ex + 1) * CELLS_X; x++) {
                    const int from_x = wrapped(x, b.columns);
                    const u64 from = cells[place(b, whole(from_x, CELLS_X), whole(from_y, CELLS_Y), whole(from_z, CELLS_Z))];
                    const u64 cell = from >> bit_of(from_x, from_y, from_z) & ((1ull << BITS) - 1);
                    element |= cell << bit_of(x, y, z);
                }
            }
        }
        // An element with cells on both sides of the edge keeps its own cells: they are rewritten
        // unchanged.
        cells[place(b, ex, ey, ez)] = (Element)element;
    }
}
