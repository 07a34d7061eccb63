#pragma once

#include <stdint.h>

/* Adds multipliers(), all_params_of() and know_numbers() of python/numbers.c to the module; 0 where it
 * cannot. To be called once, from Python. */
int32_t ar_add_numbers(void);
