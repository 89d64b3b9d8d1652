// 001: cells through a texture, with a two-dimensional cache. The texture itself provides the cells
// beyond a dead edge; on a torus the kernel reads the opposite edge, so that every size is exact.
ENTRY step_1(Board b, Element *, Element *next)
{
    const int x = thread_x(), y = thread_y();
    if (x >= b.columns || y >= b.rows) return;
    const auto at = [&](int dx, int dy, int) -> int {
        int cx = x + dx, cy = y + dy;
        if (b.wrap) cx = wrapped(cx, b.columns), cy = wrapped(cy, b.rows);
        return tex2D<int>(b.texture, (float)cx + 0.5f, (float)cy + 0.5f);
    };
    next[place(b, x, y, 0)] = next_state(at);
}
