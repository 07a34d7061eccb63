/* READ_VARIABLE and ASSIGN_VARIABLE: a tensor and one of the variables behind the inputs.
 *
 * Where the operator's number is known when it is prepared there is one variable, else all are
 * there, and the number says which. Sizes that differ are for Python, which knows what TFLM does.
 */
#pragma once

#include <string.h>

#include "name.h"
#include "records/variables.h"

/* The number of variables from `first` on; they are bytes, and something else is behind them. */
static inline int64_t ar_count_variables(const ar_tensor *first) {
  int64_t count = 0;
  while (first[count].type == AR_UINT8 && first[count].rank == 1) ++count;
  return count;
}

/* Whether a tensor is the number of a variable. */
static inline int ar_is_handle(const ar_tensor *t) {
  return (t->type == AR_INT32 || t->type == AR_RESOURCE) && ar_elements(t) == 1;
}

/* The variable that the handle means, if it has as many bytes as the value. */
static inline const ar_tensor *ar_find_variable(const VariableParams *params,
                                                const ar_tensor *handle, const ar_tensor *first,
                                                const ar_tensor *value) {
  int32_t number;
  memcpy(&number, handle->data, sizeof(number));
  const int64_t place = (int64_t)number - params->first;
  if (place < 0 || place >= ar_count_variables(first)) return 0;
  const int64_t bytes = ar_elements(value) * ar_element_bytes(value->type);
  return first[place].dims[0] == bytes ? &first[place] : 0;
}
