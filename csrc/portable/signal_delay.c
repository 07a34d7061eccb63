/* SignalDelay: a line of samples per row, oldest first. */
#include "records/signal_delay.h"
#include "signal.h"

enum { X = 1, STATE };

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const SignalDelayParams *p = params;
  const int64_t samples = ar_times(p->rows, p->frame_size);
  const int fits = io[0].type == AR_INT16 && ar_alike(&io[0], &io[X]) && p->frame_size > 0 &&
                   ar_elements(&io[X]) == samples &&
                   ar_have_states(&io[STATE], p->rows, ar_times(p->delay_length, 2));
  return fits ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const SignalDelayParams *p = params;
  const int64_t n = p->frame_size, late = p->delay_length, kept = late < n ? late : n;
  for (int64_t row = 0; row < p->rows; ++row) {
    const int16_t *x = (const int16_t *)io[X].data + row * n;
    int16_t *y = (int16_t *)io[0].data + row * n, *line = io[STATE + row].data;
    memcpy(y, line, (size_t)kept * 2);
    memmove(y + kept, x, (size_t)(n - kept) * 2);
    memmove(line, line + kept, (size_t)(late - kept) * 2);
    memcpy(line + late - kept, x + n - kept, (size_t)kept * 2);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalDelay, measure, ar_plan_nothing, run)
