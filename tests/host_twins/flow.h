// Flow in a single kernel, or in the passes of a solver with momentum.
#include "kernel.h"

KERNEL(flow)
#ifdef CARRIES_MOMENTUM
KERNEL(momentum_update)
#if defined(LISTED) && !defined(SECOND_ORDER) && !defined(WITH_TABLES)
KERNEL(flow_and_momentum)
#endif
#endif
#if defined(SECOND_ORDER) && defined(LISTED)
KERNEL(flux)
#endif
