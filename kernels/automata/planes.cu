// Bit planes, one step per visit: a thread has a word of cells, one bit each, in every plane.
static const int LAST = CELLS_X - 1;

static __device__ __forceinline__ Rule::Row<Element> row_of(const Board &b, const Element *word)
{
    Element here[Rule::P], before[Rule::P], after[Rule::P];
    for (int k = 0; k < Rule::P; k++) {
        const Element *at = word + k * b.plane;
        here[k] = at[0], before[k] = at[-1], after[k] = at[1];
    }
    Element seen[Rule::S], left[Rule::S], right[Rule::S];
    Rule::see<Element>(before, left);
    Rule::see<Element>(here, seen);
    Rule::see<Element>(after, right);
    for (int k = 0; k < Rule::S; k++) {
        left[k] = seen[k] << 1 | left[k] >> LAST;
        right[k] = seen[k] >> 1 | right[k] << LAST;
    }
    return Rule::row<Element>(left, seen, right, here);
}

ENTRY step_1(Board b, Element *now, Element *next)
{
    const int x = thread_x(), y = thread_y();
    if (x * CELLS_X >= b.columns || y >= b.rows) return;
    const Element *word = now + place(b, x, y, 0);
    Element out[Rule::P];
    Rule::next<Element>(row_of(b, word - b.pitch), row_of(b, word), row_of(b, word + b.pitch), out);
    // Bits beyond the last cell stay empty.
    const int beyond = (x + 1) * CELLS_X - b.columns;
    const Element inside = beyond > 0 ? (Element) ~(Element)0 >> beyond : (Element) ~(Element)0;
    for (int k = 0; k < Rule::P; k++) next[place(b, x, y, 0) + k * b.plane] = out[k] & inside;
}
