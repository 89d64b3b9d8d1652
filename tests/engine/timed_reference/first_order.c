/* `shallow-water` at first order: mass update of the shared specification, velocity update of banks.h. */
#define ORDER 1
#define sw_step sw_step_before
#include "shallow_water.c"
#undef sw_step
#include "banks.h"
