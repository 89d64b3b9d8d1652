extern "C" __global__ void feed(float *to) { to[threadIdx.x] = 1.0f; }
