// How water flows in two kernels.
#include "kernel.h"

KERNEL(give)
KERNEL(gather)
