// Headers that do not depend on solvers or frames.
#include "twin.h"
#include "arithmetic.cuh"
#include "edge.cuh"
#include "momentum.cuh"
#include "roots.cuh"
#include "friction.cuh"
#include "water_filling.cuh"

TWIN(higher)
{
    const float a = x.real();
    x.give(higher(a, x.real()));
}
TWIN(lower)
{
    const float a = x.real();
    x.give(lower(a, x.real()));
}
TWIN(fused)
{
    float y[3];
    x.reals(y);
    x.give(fused(y[0], y[1], y[2]));
}
TWIN(root) { x.give(root(x.real())); }
TWIN(root_of_positive) { x.give(root_of_positive(x.real())); }
TWIN(reciprocal) { x.give(reciprocal(x.real())); }
TWIN(divide)
{
    const float a = x.real();
    x.give(divide(a, x.real()));
}
TWIN(inverse_sixth_root) { x.give(inverse_sixth_root(x.real())); }
TWIN(rough_inverse_cube_root) { x.give(rough_inverse_cube_root(x.real())); }
TWIN(inverse_fourth_root) { x.give(inverse_fourth_root(x.real())); }
TWIN(rough_inverse_root) { x.give(rough_inverse_root(x.real())); }
TWIN(guess_root) { x.give(guess_root(x.real())); }
TWIN(guess_inverse) { x.give(guess_inverse(x.real())); }
TWIN(minmod)
{
    const float a = x.real();
    x.give(minmod(a, x.real()));
}
TWIN(with_friction)
{
    float y[3];
    x.reals(y);
    x.give(with_friction(before_friction(y[0], true), y[1], y[2]));
}

template <int K>
static void fill_water(TwinNumbers &x)
{
    const float depth = x.real();
    float drop[K];
    x.reals(drop);
    float sorted[K];
    for (int k = 0; k < K; k++) sorted[k] = drop[k];
    sort_descending(sorted);
    for (int k = 0; k < K; k++) x.give(sorted[k]);
    x.give(fall_over_own_bed(drop));
    float height[K];
    x.give(level_over_lowest(depth, drop, height));
    for (int k = 0; k < K; k++) x.give(height[k]);
}
TWIN(water_filling_4) { fill_water<4>(x); }
TWIN(water_filling_8) { fill_water<8>(x); }
