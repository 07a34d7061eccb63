/* MNN_FLOAT_TO_INT8 and MNN_INT8_TO_FLOAT: one factor, or one per channel. MNN_LOOKUP. */
#include "lookup.h"
#include "mnn.h"
#include "name.h"
#include "records/mnn_float_to_int8.h"
#include "records/mnn_int8_to_float.h"
#include "records/mnn_lookup.h"

static ar_status measure(const ar_tensor *io, int32_t from, int32_t to, int32_t channels) {
  if (io[1].type != from || io[0].type != to) return AR_UNSUPPORTED;
  const int64_t count = ar_elements(&io[0]);
  if (count != ar_elements(&io[1]) || channels < 1 || count % channels) return AR_UNSUPPORTED;
  return AR_OK;
}

/* -- to int8 */

static ar_status measure_to_int8(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const MnnFloatToInt8Params *p = opaque;
  if (p->activation_min > p->activation_max || p->activation_min < -128 || p->activation_max > 127)
    return AR_UNSUPPORTED;
  if (p->factors.count < 1 || p->factors.count < p->channels) return AR_UNSUPPORTED;
  return measure(io, AR_FLOAT32, AR_INT8, p->channels);
}

static ar_status run_to_int8(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const MnnFloatToInt8Params *p = opaque;
  const float *restrict x = io[1].data, *restrict factors = p->factors.data;
  int8_t *restrict y = io[0].data;
  const int64_t count = ar_elements(&io[0]), channels = p->channels;
  const float zero = (float)p->zero, low = (float)p->activation_min;
  const float high = (float)p->activation_max, factor = factors[0];
  if (channels == 1) {
    for (int64_t i = 0; i < count; ++i)
      y[i] = (int8_t)ar_mnn_rounded(ar_mnn_clamped(x[i] * factor + zero, low, high));
    return AR_OK;
  }
  for (int64_t i = 0; i < count; i += channels)
    for (int64_t c = 0; c < channels; ++c)
      y[i + c] = (int8_t)ar_mnn_rounded(ar_mnn_clamped(x[i + c] * factors[c] + zero, low, high));
  return AR_OK;
}

/* -- to floats */

static ar_status measure_to_float(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const MnnInt8ToFloatParams *p = opaque;
  if (p->factors.count < 1 || p->factors.count < p->channels) return AR_UNSUPPORTED;
  return measure(io, AR_INT8, AR_FLOAT32, p->channels);
}

static ar_status run_to_float(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const MnnInt8ToFloatParams *p = opaque;
  const int8_t *restrict x = io[1].data;
  const float *restrict factors = p->factors.data;
  float *restrict y = io[0].data;
  const int64_t count = ar_elements(&io[0]), channels = p->channels;
  const float zero = (float)p->zero, factor = factors[0];
  if (channels == 1) {
    for (int64_t i = 0; i < count; ++i) y[i] = ((float)x[i] - zero) * factor;
    return AR_OK;
  }
  for (int64_t i = 0; i < count; i += channels)
    for (int64_t c = 0; c < channels; ++c) y[i + c] = ((float)x[i + c] - zero) * factors[c];
  return AR_OK;
}

/* -- tables */

static ar_status measure_lookup(const void *params, const ar_tensor *io, ar_sizes *) {
  const MnnLookupParams *p = params;
  return p->table.count >= 256 ? measure(io, AR_INT8, AR_INT8, 1) : AR_UNSUPPORTED;
}

static ar_status run_lookup(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const MnnLookupParams *p = opaque;
  ar_lookup(p->table.data, io[1].data, io[0].data, ar_elements(&io[0]));
  return AR_OK;
}

AR_PORTABLE_KERNEL(MNN_FLOAT_TO_INT8, measure_to_int8, ar_plan_nothing, run_to_int8)
AR_PORTABLE_KERNEL(MNN_INT8_TO_FLOAT, measure_to_float, ar_plan_nothing, run_to_float)
AR_PORTABLE_KERNEL(MNN_LOOKUP, measure_lookup, ar_plan_nothing, run_lookup)
