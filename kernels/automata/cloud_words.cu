// 004's separate planes with blocks of 8x1x1 cells, or 32 or 64 of them: one bit per cell, one word
// along x per thread.
static const int LAST = CELLS_X - 1;

ENTRY step_1(Board b, Element *now, Element *next)
{
    const int x = thread_x(), y = thread_y(), z = thread_z();
    if (x * CELLS_X >= b.columns || y >= b.rows || z >= b.layers) return;
    const long long at = place(b, x, y, z), layer = (long long)b.pitch * b.height;
    const Element *act = now + b.plane + at;
    Element humid = now[at], active = act[0], cloud = now[at + 2 * b.plane];
    const Element before = act[-1], after = act[1];
    Element near = (Element)(active << 1) | before >> LAST | (Element)(active << 2) | before >> (LAST - 1);
    near |= active >> 1 | (Element)(after << LAST) | active >> 2 | (Element)(after << (LAST - 1));
    near |= act[-b.pitch] | act[b.pitch] | act[-2 * b.pitch] | act[2 * b.pitch];
    near |= act[-layer] | act[layer] | act[-2 * layer];
    Rule::words<Element>(humid, active, cloud, near);
    const int beyond = (x + 1) * CELLS_X - b.columns;
    const Element inside = beyond > 0 ? (Element) ~(Element)0 >> beyond : (Element) ~(Element)0;
    next[at] = humid & inside;
    next[at + b.plane] = active & inside;
    next[at + 2 * b.plane] = cloud & inside;
}
