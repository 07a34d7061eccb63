#pragma once

#include <stdint.h>

/* Adds Shortcut and shortened() of python/fast_call.c to the module; 0 where it cannot. To be called
 * once, from Python. */
int32_t ar_add_shortcuts(void);
