#pragma once
#include "arithmetic.cuh"
#include "water_filling.cuh"
struct LevelMinimization {
    float alpha;
};
