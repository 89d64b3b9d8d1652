// One cell per element, by the rule as published; cells beyond the edge are found one by one. The
// baseline of 002, and the naive kernel of 004.
ENTRY step_1(Board b, Element *now, Element *next)
{
    const int x = thread_x(), y = thread_y(), z = thread_z();
    if (x >= b.columns || y >= b.rows || z >= b.layers) return;
    const bool is_inner = x >= REACH && y >= REACH && z >= REACH_Z && x + REACH < b.columns && y + REACH < b.rows && z + REACH_Z < b.layers;
    if (is_inner) {
        const Element *cell = now + place(b, x, y, z);
        const auto near = [&](int dx, int dy, int dz) -> int { return cell[(dz * b.height + dy) * b.pitch + dx]; };
        next[place(b, x, y, z)] = (Element)next_state(near);
        return;
    }
    const auto at = [&](int dx, int dy, int dz) -> int {
        int cx = x + dx, cy = y + dy, cz = z + dz;
        if (b.wrap) {
            cx = wrapped(cx, b.columns), cy = wrapped(cy, b.rows);
            if (REACH_Z > 0) cz = wrapped(cz, b.layers);
        } else if (cx < 0 || cy < 0 || cz < 0 || cx >= b.columns || cy >= b.rows || cz >= b.layers) {
            return 0;
        }
        return now[place(b, cx, cy, cz)];
    };
    next[place(b, x, y, z)] = (Element)next_state(at);
}
