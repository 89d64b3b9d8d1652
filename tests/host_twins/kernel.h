// Launches kernels block by block and thread by thread.
#pragma once
#include "cuda.h"
#include <utility>

template <class... A>
struct Launched {
    void (*kernel)(A...);
    void **arguments;

    template <size_t... I>
    void call(std::index_sequence<I...>) const
    {
        kernel(*(std::remove_const_t<A> *)arguments[I]...);
    }
    static void thread(void *launched)
    {
        ((const Launched *)launched)->call(std::index_sequence_for<A...>());
    }
};

template <class... A>
static void launch_blocks(void (*kernel)(A...), const unsigned *blocks, const unsigned *threads, void **arguments)
{
    Launched<A...> launched = {kernel, arguments};
    gridDim = {blocks[0], blocks[1], 1};
    for (unsigned y = 0; y < blocks[1]; y++) {
        for (unsigned x = 0; x < blocks[0]; x++) {
            blockIdx = {x, y, 0};
            warp::launch({threads[0], threads[1], 1}, Launched<A...>::thread, &launched);
        }
    }
}

// Exports a kernel.
#define KERNEL(name)                                                                                     \
    extern "C" EXPORTED void launch_##name(const unsigned *blocks, const unsigned *threads, void **arguments)     \
    {                                                                                                    \
        launch_blocks(name, blocks, threads, arguments);                                                 \
    }
