// The `constants` of a timed rule: the axis, and from the fifth on its parameters.
#pragma once
#include "twin.h"

static Axis axis_of(const float *constants)
{
    return {constants[0], constants[1], constants[2], constants[3]};
}
