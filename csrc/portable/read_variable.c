/* READ_VARIABLE: io is the output, the variable's number and the variables. */
#include "resource_variable.h"

static ar_status measure(const void *, const ar_tensor *io, ar_sizes *) {
  if (ar_element_bytes(io[0].type) == 0 || !ar_is_handle(&io[1])) return AR_UNSUPPORTED;
  return ar_count_variables(io + 2) > 0 ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const ar_tensor *variable = ar_find_variable(params, &io[1], io + 2, &io[0]);
  if (!variable) return AR_UNSUPPORTED;
  memmove(io[0].data, variable->data, (size_t)variable->dims[0]);
  return AR_OK;
}

AR_PORTABLE_KERNEL(READ_VARIABLE, measure, ar_plan_nothing, run)
