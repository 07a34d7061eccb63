/* Functions of every element by itself: of int8 through a table in their parameters. */
#pragma once

#include "lookup.h"
#include "name.h"

/* Whether there is a table where one is needed, and the tensors are alike and of a known type. */
static inline int ar_is_activation(const ar_tensor *io, ar_int8s table) {
  if (io[0].type == AR_INT8 && table.count < 256) return 0;
  return AR_IS_ONE_OF(io[0].type, AR_INT8, AR_INT16, AR_FLOAT32) && ar_alike(&io[0], &io[1]);
}

/* run() of one, from INT16(params, x, y, count) and FLOAT(params, x, y, count). */
#define AR_RUN_ACTIVATION(name, PARAMS, INT16, FLOAT)                                       \
  static ar_status name(const void *params, const void *, const ar_tensor *io, uint8_t *) { \
    const PARAMS *p = params;                                                               \
    const int64_t count = ar_elements(&io[0]);                                              \
    switch (io[0].type) {                                                                   \
      case AR_INT8: ar_lookup(p->table.data, io[1].data, io[0].data, count); break;         \
      case AR_INT16: INT16(*p, io[1].data, io[0].data, count); break;                       \
      default: FLOAT(*p, io[1].data, io[0].data, count);                                    \
    }                                                                                       \
    return AR_OK;                                                                           \
  }
