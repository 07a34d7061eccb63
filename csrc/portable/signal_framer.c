/* SignalFramer: overlapping frames of a signal, whose last samples wait in a queue. */
#include "records/signal_framer.h"
#include "signal.h"

enum { FRAMES, VALID, X, STATE };

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const SignalFramerParams *p = params;
  const int64_t frames = ar_times(p->rows, p->frames);
  const int fits = io[FRAMES].type == AR_INT16 && io[X].type == AR_INT16 &&
                   ar_is_number(&io[VALID], AR_BOOL) && p->frame_size > 0 && p->frame_step > 0 &&
                   ar_elements(&io[X]) == ar_times(frames, p->frame_step) &&
                   ar_elements(&io[FRAMES]) == ar_times(frames, p->frame_size) &&
                   ar_have_states(&io[STATE], p->rows, ar_queue_bytes(p->frame_size));
  return fits ? AR_OK : AR_UNSUPPORTED;
}

/* Takes a step of samples; whether that makes a frame. */
static int make_frame(ar_queue *queue, const int16_t *x, int32_t step, int16_t *frame,
                      int32_t size) {
  const int32_t count = ar_queue_count(queue, size - 1);
  int16_t *waiting = queue->samples;
  if (step < size - count) {
    memset(frame, 0, (size_t)size * 2);
    memcpy(waiting + count, x, (size_t)step * 2);
    queue->count = count + step;
    return 0;
  }
  memcpy(frame, waiting, (size_t)count * 2);
  memmove(frame + count, x, (size_t)(size - count) * 2);
  const int32_t leaving = step < count ? step : count;
  memmove(waiting, waiting + leaving, (size_t)(count - leaving) * 2);
  memcpy(waiting + count - leaving, x + step - leaving, (size_t)leaving * 2);
  queue->count = count;
  return 1;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const SignalFramerParams *p = params;
  const int16_t *x = io[X].data;
  int16_t *y = io[FRAMES].data;
  int are_there = 1;
  for (int64_t row = 0; row < p->rows; ++row)
    for (int64_t frame = 0; frame < p->frames; ++frame) {
      are_there &= make_frame(io[STATE + row].data, x, p->frame_step, y, p->frame_size);
      x += p->frame_step;
      y += p->frame_size;
    }
  *(uint8_t *)io[VALID].data = (uint8_t)are_there;
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalFramer, measure, ar_plan_nothing, run)
