// Runs the threads of a block on a host one after the other; each runs until it needs data from
// others.
#pragma once
#include <csetjmp>
#include <cstdlib>
#include <ucontext.h>

namespace warp {

constexpr int LANES = 32;
constexpr size_t STACK = 256 << 10;

// Execution state of a thread.
enum State { READY, WAITS_FOR_WARP, WAITS_FOR_BLOCK, DONE };

struct Thread {
    State state;
    bool begun;
    unsigned said; // how often it has spoken to its warp
    uint64_t words[2];
    jmp_buf place;
    ucontext_t context;
    char *stack;
    uint3 index;
};

struct Block {
    Thread *threads;
    int room;
    int count;
    int at;
    jmp_buf home;
    ucontext_t home_context;
    void (*body)(void *);
    void *with;
};

static thread_local Block block;

static void enter()
{
    block.body(block.with);
    block.threads[block.at].state = DONE;
    _longjmp(block.home, 1);
}

// Runs a thread until it waits or finishes.
static void run(int at)
{
    Thread &thread = block.threads[at];
    block.at = at;
    threadIdx = thread.index;
    if (_setjmp(block.home)) return;
    if (thread.begun) _longjmp(thread.place, 1);
    thread.begun = true;
    setcontext(&thread.context);
}

// Suspends the current thread until all others have reached the same point.
static void wait_for(State what)
{
    Thread &thread = block.threads[block.at];
    thread.state = what;
    if (_setjmp(thread.place) == 0) _longjmp(block.home, 1);
}

// Runs a function as every thread of a block.
static void launch(uint3 dimensions, void (*body)(void *), void *with)
{
    const int count = (int)(dimensions.x * dimensions.y * dimensions.z);
    if (block.room < count) {
        block.threads = (Thread *)realloc(block.threads, count * sizeof(Thread));
        for (int at = block.room; at < count; at++) block.threads[at].stack = (char *)malloc(STACK);
        block.room = count;
    }
    block.count = count;
    block.body = body;
    block.with = with;
    blockDim = dimensions;
    for (int at = 0; at < count; at++) {
        Thread &thread = block.threads[at];
        thread.state = READY;
        thread.begun = false;
        thread.said = 0;
        thread.index = {at % dimensions.x, at / dimensions.x % dimensions.y, at / dimensions.x / dimensions.y};
        getcontext(&thread.context);
        thread.context.uc_stack.ss_sp = thread.stack;
        thread.context.uc_stack.ss_size = STACK;
        thread.context.uc_link = nullptr;
        makecontext(&thread.context, enter, 0);
    }
    bool any = true;
    while (any) {
        any = false;
        for (int first = 0; first < count; first += LANES) {
            const int end = first + LANES < count ? first + LANES : count;
            for (bool ready = true; ready;) {
                for (int at = first; at < end; at++) {
                    if (block.threads[at].state == READY) run(at);
                }
                // All remaining threads of the warp have exchanged.
                ready = false;
                for (int at = first; at < end; at++) {
                    if (block.threads[at].state != WAITS_FOR_WARP) continue;
                    block.threads[at].state = READY;
                    ready = true;
                }
            }
        }
        for (int at = 0; at < count; at++) {
            if (block.threads[at].state != WAITS_FOR_BLOCK) continue;
            block.threads[at].state = READY;
            any = true;
        }
    }
}

// Publishes a word to the warp, and returns the word of another lane. A lane alternates between two
// slots, because another lane may be one exchange behind.
template <class T>
static T exchange(T word, int lane)
{
    static_assert(sizeof(T) <= 8, "a word");
    Thread &thread = block.threads[block.at];
    const unsigned place = thread.said++ % 2;
    memcpy(&thread.words[place], &word, sizeof word);
    const int first = block.at / LANES * LANES;
    wait_for(WAITS_FOR_WARP);
    T heard;
    memcpy(&heard, &block.threads[first + lane].words[place], sizeof heard);
    return heard;
}

static int lane() { return block.at % LANES; }

} // namespace warp

template <class T>
static T __shfl_sync(unsigned, T x, int lane)
{
    return warp::exchange(x, lane);
}
template <class T>
static T __shfl_xor_sync(unsigned, T x, int by)
{
    return warp::exchange(x, warp::lane() ^ by);
}
template <class T>
static T __shfl_down_sync(unsigned, T x, int by)
{
    const int from = warp::lane() + by;
    return warp::exchange(x, from < warp::LANES ? from : warp::lane());
}
template <class T>
static T __shfl_up_sync(unsigned, T x, int by)
{
    const int from = warp::lane() - by;
    return warp::exchange(x, from >= 0 ? from : warp::lane());
}
static bool __any_sync(unsigned, bool x)
{
    const int first = warp::block.at / warp::LANES * warp::LANES;
    const unsigned place = warp::block.threads[warp::block.at].said % 2;
    warp::exchange((uint64_t)x, 0);
    bool any = false;
    for (int lane = 0; lane < warp::LANES; lane++) any |= warp::block.threads[first + lane].words[place] != 0;
    return any;
}
static unsigned __ballot_sync(unsigned, bool x)
{
    const int first = warp::block.at / warp::LANES * warp::LANES;
    const unsigned place = warp::block.threads[warp::block.at].said % 2;
    warp::exchange((uint64_t)x, 0);
    unsigned all = 0;
    for (int lane = 0; lane < warp::LANES; lane++) {
        all |= (unsigned)(warp::block.threads[first + lane].words[place] != 0) << lane;
    }
    return all;
}
static void __syncwarp() { warp::exchange(0, 0); }
static void __syncthreads() { warp::wait_for(warp::WAITS_FOR_BLOCK); }
