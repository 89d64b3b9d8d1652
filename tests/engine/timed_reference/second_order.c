/* `shallow-water` at second order: mass update of moved.h, velocity update of banks.h. */
#define ORDER 2
#define sw_step sw_step_before
#define sw_move_water sw_move_water_before
#include "shallow_water_2.c"
#undef sw_step
#undef sw_move_water
#include "moved.h"
#include "banks.h"
