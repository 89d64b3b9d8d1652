// 002: a table of two columns, without and with a neighbour in the state that the cell reacts to.
ENTRY step_1(Board b, Element *now, Element *next)
{
    const int x = thread_x(), y = thread_y();
    if (x >= b.columns || y >= b.rows) return;
    const Element *cell = now + place(b, x, y, 0);
    const int wanted = Rule::wanted(*cell);
    const int any = cell[-1] == wanted || cell[1] == wanted || cell[-b.pitch] == wanted || cell[b.pitch] == wanted;
    next[place(b, x, y, 0)] = TABLE[*cell * 2 + any];
}
