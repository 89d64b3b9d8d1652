// How water flows in one kernel, or in a rule's passes of momentum.
#include "kernel.h"

KERNEL(flow)
#ifdef CARRIES_MOMENTUM
KERNEL(turn)
#if defined(LISTED) && !defined(SECOND_ORDER)
KERNEL(flow_and_turn)
#endif
#endif
#ifdef SECOND_ORDER
KERNEL(flux)
#endif
