// 002: labels, whose sum over the neighbours selects the new state from a table.
ENTRY step_1(Board b, Element *now, Element *next)
{
    const int x = thread_x(), y = thread_y();
    if (x >= b.columns || y >= b.rows) return;
    const Element *cell = now + place(b, x, y, 0);
    int sum = cell[-1] + cell[1] + cell[-b.pitch] + cell[b.pitch];
    if (Rule::MOORE) sum += cell[-b.pitch - 1] + cell[-b.pitch + 1] + cell[b.pitch - 1] + cell[b.pitch + 1];
    next[place(b, x, y, 0)] = TABLE[*cell * TABLE_COLUMNS + sum];
}
