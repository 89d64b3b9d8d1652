// 002 and 004: two cells per byte, four bits each.
ENTRY step_1(Board b, Element *now, Element *next)
{
    const int pair = thread_x(), y = thread_y(), z = thread_z();
    if (pair * 2 >= b.columns || y >= b.rows || z >= b.layers) return;
    int out = 0;
    for (int half = 0; half < 2; half++) {
        const int x = 2 * pair + half;
        if (x >= b.columns) break;
        const auto at = [&](int dx, int dy, int dz) -> int {
            const int cx = x + dx;
            return now[place(b, cx >> 1, y + dy, z + dz)] >> 4 * (cx & 1) & 15;
        };
        out |= next_state(at) << 4 * half;
    }
    next[place(b, pair, y, z)] = (Element)out;
}
