// 001: one int per cell, and separate kernels that fill ghost rows and columns, which are read like
// any other.
ENTRY ghost_rows(Board b, Element *grid, Element *)
{
    const int x = thread_x();
    if (x >= b.columns) return;
    grid[place(b, x, b.rows, 0)] = grid[place(b, x, 0, 0)];
    grid[place(b, x, -1, 0)] = grid[place(b, x, b.rows - 1, 0)];
}

ENTRY ghost_columns(Board b, Element *grid, Element *)
{
    const int y = thread_x() - 1;
    if (y > b.rows) return;
    grid[place(b, b.columns, y, 0)] = grid[place(b, 0, y, 0)];
    grid[place(b, -1, y, 0)] = grid[place(b, b.columns - 1, y, 0)];
}

ENTRY step_1(Board b, Element *now, Element *next)
{
    const int x = thread_x(), y = thread_y();
    if (x >= b.columns || y >= b.rows) return;
    const Element *cell = now + place(b, x, y, 0);
    next[place(b, x, y, 0)] = (Element)next_state([&](int dx, int dy, int) -> int { return cell[(long long)dy * b.pitch + dx]; });
}
