// Cell solver (`Flow`), and the kernels' use of its outflow; `constants` are the solver's parameters.
#include "twin.h"

TWIN(edge) { x.give(Flow(constants).edge(x.real())); }

TWIN(give)
{
    const float depth = x.real();
    float drop[K], edge[K], give[K];
    x.reals(drop);
    x.reals(edge);
    Flow(constants).give(depth, drop, edge, give);
    for (int k = 0; k < K; k++) x.give(give[k]);
}

// Bed and water of a cell and of the cell ahead; `constants[0]` is the number of grains per unit of
// the bed.
TWIN(level_difference)
{
    const int bed = x.whole(), bed_ahead = x.whole(), water = x.whole(), water_ahead = x.whole();
    x.give(level_difference(bed, bed_ahead, water, water_ahead, constants[0]));
}

// `constants` are the rounding phase and the calm difference, below which nothing flows.
TWIN(to_grains)
{
    const int water = x.whole();
    float give[K], drop[K], phase[K];
    x.reals(give);
    x.reals(drop);
    Params p = {};
    StepConstants now = {};
    now.phase = constants[0];
    p.calm = constants[1];
    for (int k = 0; k < K; k++) phase[k] = edge_phase(p, now, drop[k]);
    int grains[K];
    const int total = to_grains(give, phase, grains);
    if (total > water) leave_off(total - water, grains);
    for (int k = 0; k < K; k++) x.give(grains[k]);
}

// Column and row offsets of the neighbours.
TWIN(offsets)
{
    const int k = x.whole();
    x.give(offset_columns(k));
    x.give(offset_rows(k));
}

TWIN(add_or_most)
{
    const int a = x.whole();
    x.give(add_or_most(a, x.whole()));
}
