/* ASSIGN_VARIABLE: io is an absent output, the variable's number, the value and the variables. */
#include "resource_variable.h"

static ar_status measure(const void *, const ar_tensor *io, ar_sizes *) {
  if (io[0].type != AR_ABSENT || !ar_is_handle(&io[1])) return AR_UNSUPPORTED;
  if (ar_element_bytes(io[2].type) == 0) return AR_UNSUPPORTED;
  return ar_count_variables(io + 3) > 0 ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const ar_tensor *variable = ar_find_variable(params, &io[1], io + 3, &io[2]);
  if (!variable) return AR_UNSUPPORTED;
  memmove(variable->data, io[2].data, (size_t)variable->dims[0]);
  return AR_OK;
}

AR_PORTABLE_KERNEL(ASSIGN_VARIABLE, measure, ar_plan_nothing, run)
