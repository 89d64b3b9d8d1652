// Ordering of consecutive kernels: src/engine/backend/cuda/launch/entry.rs.
#pragma once

// First statement of every kernel of a step, executed by all its threads. If kernels are launched
// while the previous one is running, this waits until all kernels launched earlier are done, and
// then allows the next one to start up. The order matters: a kernel launched two kernels later must
// not find data that this one has read in a multiprocessor's cache.
__device__ __forceinline__ void wait_for_previous_kernel()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}
