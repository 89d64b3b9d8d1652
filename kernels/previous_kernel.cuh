// One kernel after another: src/engine/backend/cuda/launch/entry.rs.
#pragma once

// The first statement of every kernel of a step, by all its threads. Where kernels are launched while the one before them runs, this
// waits until all that was launched before is done, and then lets the next one be made ready. Not the other way round: a kernel
// two kernels later must not find what this one has read in a multiprocessor's cache.
__device__ __forceinline__ void wait_for_previous_kernel()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}
