/* SignalOverlapAdd: int16, saturated, and float32. The state is what frames left to later ones. */
#include "records/signal_overlap_add.h"
#include "signal.h"

enum { X = 1, STATE };

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const SignalOverlapAddParams *p = params;
  const int32_t type = io[0].type;
  const int64_t frames = ar_times(p->rows, p->frames);
  const int fits =
      AR_IS_ONE_OF(type, AR_INT16, AR_FLOAT32) && io[X].type == type && p->frame_step > 0 &&
      p->frame_step <= p->frame_size && ar_elements(&io[X]) == ar_times(frames, p->frame_size) &&
      ar_elements(&io[0]) == ar_times(frames, p->frame_step) &&
      ar_have_states(&io[STATE], p->rows, ar_times(p->frame_size, ar_element_bytes(type)));
  return fits ? AR_OK : AR_UNSUPPORTED;
}

static void add_int16(int16_t *sum, const int16_t *x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sum[i] = ar_saturate_int16(sum[i] + x[i]);
}

static void add_float(float *sum, const float *x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sum[i] += x[i];
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const SignalOverlapAddParams *p = params;
  const int64_t bytes = ar_element_bytes(io[0].type);
  const int64_t size = p->frame_size * bytes, step = p->frame_step * bytes;
  const uint8_t *x = io[X].data;
  uint8_t *y = io[0].data;
  for (int64_t row = 0; row < p->rows; ++row) {
    uint8_t *sum = io[STATE + row].data;
    for (int64_t frame = 0; frame < p->frames; ++frame, x += size, y += step) {
      if (bytes == 2) add_int16((int16_t *)sum, (const int16_t *)x, p->frame_size);
      else add_float((float *)sum, (const float *)x, p->frame_size);
      memcpy(y, sum, (size_t)step);
      memmove(sum, sum + step, (size_t)(size - step));
      memset(sum + size - step, 0, (size_t)step);
    }
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalOverlapAdd, measure, ar_plan_nothing, run)
