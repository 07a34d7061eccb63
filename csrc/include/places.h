#pragma once

#include <stdint.h>

/* Adds greedy_places() of python/places.c to the module; 0 where it cannot. To be called once, from
 * Python. */
int32_t ar_add_places(void);
