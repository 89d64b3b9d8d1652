/* `shallow-water` at first order: water moves as the shared specification has it, velocities are updated as banks.h does. */
#define ORDER 1
#define sw_step sw_step_before
#include "shallow_water.c"
#undef sw_step
#include "banks.h"
