// Definitions besides cuda.h that the automata's kernels need to compile for a host.
#pragma once
#include "cuda.h"
#include <utility>

static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) { return high << by | low >> (32 - by); }
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) { return low >> by | high << (32 - by); }

// Integer texture; texels outside it are 0.
struct HostTexture {
    const int *cells;
    int columns, rows, pitch;
};
template <class T>
static inline T tex2D(unsigned long long texture, float x, float y)
{
    const HostTexture *of = (const HostTexture *)texture;
    const int column = (int)std::floor(x), row = (int)std::floor(y);
    if (column < 0 || row < 0 || column >= of->columns || row >= of->rows) return 0;
    return of->cells[(size_t)row * of->pitch + column];
}

// Each technique has its kernels in a separate namespace.
#define ENTRY static void

template <class Board, class Element>
struct LaunchedStep {
    void (*kernel)(Board, Element *, Element *);
    const Board *board;
    void *now, *next;

    static void thread(void *of)
    {
        const LaunchedStep *step = (const LaunchedStep *)of;
        step->kernel(*step->board, (Element *)step->now, (Element *)step->next);
    }
};

template <class Board, class Element>
static void launch_step(void (*kernel)(Board, Element *, Element *), const unsigned *blocks, const unsigned *threads, void **arguments)
{
    LaunchedStep<Board, Element> step = {kernel, (const Board *)arguments[0], arguments[1], arguments[2]};
    for (unsigned z = 0; z < blocks[2]; z++) {
        for (unsigned y = 0; y < blocks[1]; y++) {
            for (unsigned x = 0; x < blocks[0]; x++) {
                blockIdx = {x, y, z};
                warp::launch({threads[0], threads[1], threads[2]}, LaunchedStep<Board, Element>::thread, &step);
            }
        }
    }
}

#define EXPORT_STEP(space, name)                                                                                      \
    extern "C" EXPORTED void launch_##space##_##name(const unsigned *blocks, const unsigned *threads, void **arguments) \
    {                                                                                                                 \
        launch_step(space::name, blocks, threads, arguments);                                                         \
    }
