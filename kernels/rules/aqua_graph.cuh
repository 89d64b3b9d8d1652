#pragma once
#include "arithmetic.cuh"
#include "water_filling.cuh"
struct AquaGraph {
    float alpha;
};
