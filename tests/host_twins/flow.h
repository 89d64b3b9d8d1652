// How water flows in one kernel, or in a rule's passes of momentum.
#include "kernel.h"

KERNEL(flow)
#ifdef CARRIES_MOMENTUM
KERNEL(turn)
#endif
#ifdef SECOND_ORDER
KERNEL(flux)
#endif
