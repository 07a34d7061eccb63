/* EMBEDDING_LOOKUP: rows of a table, copied or made floats of. */
#include "boxes.h"
#include "records/embedding_lookup.h"

static ar_status measure(const void *, const ar_tensor *io, ar_sizes *) {
  const ar_tensor *y = &io[0], *rows = &io[1], *table = &io[2];
  if (rows->type != AR_INT32 || table->rank < 1 || table->dims[0] < 1) return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(table->type, AR_FLOAT32, AR_INT8)) return AR_UNSUPPORTED;
  if (y->type != table->type && y->type != AR_FLOAT32) return AR_UNSUPPORTED;
  const int64_t row = ar_elements(table) / table->dims[0];
  return ar_times(ar_elements(rows), row) == ar_elements(y) ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const ar_tensor *y = &io[0], *table = &io[2];
  const float scale = (float)((const EmbeddingLookupParams *)params)->scale;
  const int32_t *rows = io[1].data;
  const int64_t count = ar_elements(&io[1]), row = ar_elements(table) / table->dims[0];
  const int64_t bytes = row * ar_element_bytes(table->type);
  if (count == 0 || row == 0) return AR_OK;
  for (int64_t i = 0; i < count; ++i) {
    /* Looked at where it is used: the output may lie over the rows' numbers. */
    const int32_t number = rows[i];
    if (number < 0 || number >= table->dims[0]) return AR_BAD_ARGUMENT;
    if (y->type == table->type) {
      ar_copy_run((uint8_t *)y->data + i * bytes, (const uint8_t *)table->data + number * bytes,
                  bytes);
      continue;
    }
    const int8_t *restrict from = (const int8_t *)table->data + number * row;
    float *restrict to = (float *)y->data + i * row;
    for (int64_t j = 0; j < row; ++j) to[j] = (float)from[j] * scale;
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(EMBEDDING_LOOKUP, measure, ar_plan_nothing, run)
