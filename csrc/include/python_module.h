/* What csrc/python/ adds to the extension module, each a group of functions of the file of its name.
 * Python calls one once, before the first of its functions; 0 where it cannot. */
#pragma once

#include <stdint.h>

int32_t ar_add_array_numbers(void);  /* multipliers(), all_params_of(), know_numbers() */
int32_t ar_add_fast_call(void);      /* Shortcut, shortened() */
int32_t ar_add_fb_objects(void);     /* rows() */
int32_t ar_add_greedy_planner(void); /* greedy_places() */
int32_t ar_add_models(void);         /* are_plain(), in_order() */
/* make_struct(), eval_tensors(), tensor_rows(), find_step(), know_arrays() */
int32_t ar_add_tensor_binding(void);
