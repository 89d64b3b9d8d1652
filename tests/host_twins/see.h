// Kernel that reads every field.
#include "kernel.h"

KERNEL(see)
