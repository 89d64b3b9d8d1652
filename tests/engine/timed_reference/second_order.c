/* `shallow-water` at second order: water moves as the shared specification has it, velocities are updated as banks.h does. */
#define ORDER 2
#define sw_step sw_step_before
#include "shallow_water_2.c"
#undef sw_step
#include "banks.h"
