#pragma once

#include <stdint.h>

/* Adds are_plain() and in_order() of python/models.c to the module; 0 where it cannot. To be called
 * once, from Python. */
int32_t ar_add_models(void);
