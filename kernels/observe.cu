extern "C" __global__ void observe(float *to) { to[threadIdx.x] = 2.0f; }
