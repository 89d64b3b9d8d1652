// Flow in a single kernel, or in the passes of a solver with momentum.
#include "kernel.h"

KERNEL(flow)
#if defined(CARRIES_MOMENTUM) && (defined(SECOND_ORDER) || defined(WITH_TABLES))
KERNEL(momentum_update)
#endif
#if defined(SECOND_ORDER) && defined(LISTED)
KERNEL(flux)
#endif
