// `constants` of a timed solver: the axis, then, from the fifth element on, the solver's parameters.
#pragma once
#include "twin.h"

static Axis axis_of(const float *constants)
{
    return {constants[0], constants[1], constants[2], constants[3]};
}
