// What looks at every field.
#include "kernel.h"

KERNEL(see)
