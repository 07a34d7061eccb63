/* What all of an NPU's operations begin and end with, on lines of int64. */
#include "npu.h"

#define AR_LOAD(T) \
  for (int64_t i = 0; i < count; ++i) line[i] = (int64_t)((const T *)data)[i] - zero_point

static void load_row(int32_t type, const void *data, int64_t count, int32_t zero_point,
                     int64_t *restrict line) {
  switch (type) {
    case AR_INT8: AR_LOAD(int8_t); break;
    case AR_UINT8: AR_LOAD(uint8_t); break;
    case AR_INT16: AR_LOAD(int16_t); break;
    case AR_UINT16: AR_LOAD(uint16_t); break;
    case AR_INT32: AR_LOAD(int32_t); break;
    default: AR_LOAD(uint32_t); break;
  }
}

void AR_NAME(npu_load)(const ar_tensor *x, int64_t first, int32_t step, int64_t count,
                       int32_t zero_point, int64_t *line) {
  const uint8_t *data = (const uint8_t *)x->data + first * ar_element_bytes(x->type);
  load_row(x->type, data, step ? count : 1, zero_point, line);
  if (!step)
    for (int64_t i = 1; i < count; ++i) line[i] = line[0];
}

/* -- results */

int AR_NAME(npu_check)(const NpuResultParams *r, const ar_tensor *y) {
  if (!ar_npu_is_type(y->type) || r->low > r->high) return 0;
  if (r->rounding < AR_NPU_DOUBLE || r->rounding > AR_NPU_LOWER) return 0;
  if (r->shift < 0 || r->shift > AR_NPU_MOST_SHIFT) return 0;
  if (r->table.count == 0) return 1;
  if (r->table.count == 2 * AR_NPU_PAIRS) return r->low >= INT16_MIN && r->high <= INT16_MAX;
  return r->table.count == AR_NPU_BYTES && r->low >= (int64_t)r->first &&
         (int64_t)r->high - r->first < AR_NPU_BYTES;
}

static void curve(int32_t which, int64_t *line, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int32_t x = (int32_t)line[i]; /* wraps */
    line[i] = which == AR_NPU_TANH ? ar_tanh_int16(x) : ar_logistic_int16(x);
  }
}

static void look_up(const NpuResultParams *r, int64_t *line, int64_t count) {
  const int32_t *table = r->table.data;
  if (r->table.count == AR_NPU_BYTES) {
    for (int64_t i = 0; i < count; ++i) line[i] = table[line[i] - r->first];
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int32_t *pair = table + 2 * ((line[i] >> 7) + AR_NPU_PAIRS / 2);
    line[i] = pair[0] + (((int64_t)pair[1] * (line[i] & 127) + 64) >> 7);
  }
}

#define AR_STORE(T) \
  for (int64_t i = 0; i < count; ++i) ((T *)data)[i] = (T)line[i]

static void store_row(int32_t bytes, const int64_t *restrict line, int64_t count, void *data) {
  switch (bytes) {
    case 1: AR_STORE(uint8_t); break;
    case 2: AR_STORE(uint16_t); break;
    default: AR_STORE(uint32_t); break;
  }
}

void AR_NAME(npu_finish)(const NpuResultParams *r, int64_t *restrict line, int64_t count,
                         ar_tensor y, int64_t first) {
  const int64_t low = r->low, high = r->high, zero_point = r->zero_point;
  const int32_t bytes = ar_element_bytes(y.type);
  for (int64_t i = 0; i < count; ++i) line[i] = ar_npu_add(line[i], zero_point);
  if (r->curve) curve(r->curve, line, count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t x = line[i] < low ? low : line[i];
    line[i] = x > high ? high : x;
  }
  if (r->table.count) look_up(r, line, count);
  store_row(bytes, line, count, (uint8_t *)y.data + first * bytes);
}
