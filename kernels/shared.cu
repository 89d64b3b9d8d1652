#include "neighbourhood.cuh"
extern "C" __global__ void flow(Flow rule, float *to) { to[threadIdx.x] = rule.alpha * NEIGHBOURS; }
