// 002: packets of cells, one byte each, in words of 16, 32 or 64 bits. Only the cells at the ends
// of a word need the adjacent words.
ENTRY step_1(Board b, Element *now, Element *next)
{
    const int x = thread_x(), y = thread_y();
    if (x * CELLS_X >= b.columns || y >= b.rows) return;
    const Element *word = now + place(b, x, y, 0);
    const int end = 8 * CELLS_X - 8;
    const Element cells = *word;
    Element counts = 0;
    const auto count = [&](const Element *row, bool middle, bool sides) {
        const Element here = row[0];
        if (middle) counts += Rule::marked<Element>(cells, here);
        if (sides) {
            counts += Rule::marked<Element>(cells, (Element)(here << 8 | row[-1] >> end));
            counts += Rule::marked<Element>(cells, (Element)(here >> 8 | row[1] << end));
        }
    };
    count(word - b.pitch, true, Rule::MOORE);
    count(word, false, true);
    count(word + b.pitch, true, Rule::MOORE);
    Element out = Rule::packets<Element>(cells, counts);
    // Bytes beyond the last cell stay empty.
    const int beyond = (x + 1) * CELLS_X - b.columns;
    if (beyond > 0) out &= (Element) ~(Element)0 >> 8 * beyond;
    next[place(b, x, y, 0)] = out;
}
