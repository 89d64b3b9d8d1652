// 004's separate planes with blocks of 2x2x2 cells, one byte each: bit 4z + 2y + x. All neighbours
// are in the six blocks around.
ENTRY step_1(Board b, Element *now, Element *next)
{
    const int x = thread_x(), y = thread_y(), z = thread_z();
    if (2 * x >= b.columns || 2 * y >= b.rows || 2 * z >= b.layers) return;
    const long long at = place(b, x, y, z), layer = (long long)b.pitch * b.height;
    const Element *act = now + b.plane + at;
    Element humid = now[at], active = act[0], cloud = now[at + 2 * b.plane];
    const int a = active, west = act[-1], east = act[1], north = act[-b.pitch], south = act[b.pitch];
    const int below = act[-layer], above = act[layer];
    // A cell two further is at the same place of the adjacent block; a cell one further is at the
    // other place of this block or that one.
    int near = west | east | north | south | below;
    near |= (a & 0x55) << 1 | (a >> 1 & 0x55) | (west >> 1 & 0x55) | (east & 0x55) << 1;
    near |= (a & 0x33) << 2 | (a >> 2 & 0x33) | (north >> 2 & 0x33) | (south & 0x33) << 2;
    near |= (a & 0x0f) << 4 | (a >> 4 & 0x0f) | (below >> 4 & 0x0f) | (above & 0x0f) << 4;
    Rule::words<Element>(humid, active, cloud, (Element)near);
    int inside = 0xff;
    if (2 * x + 1 >= b.columns) inside &= 0x55;
    if (2 * y + 1 >= b.rows) inside &= 0x33;
    if (2 * z + 1 >= b.layers) inside &= 0x0f;
    next[at] = humid & inside;
    next[at + b.plane] = active & inside;
    next[at + 2 * b.plane] = cloud & inside;
}
