/* SignalStacker: frames side by side; those of the next stack wait in a queue. */
#include "records/signal_stacker.h"
#include "signal.h"

enum { STACK, VALID, X, STATE };

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const SignalStackerParams *p = params;
  const int64_t size = ar_times(p->frames, p->num_channels);
  const int fits = p->num_channels > 0 && p->repeats >= 0 && p->repeats < p->frames &&
                   p->step > 0 && p->step <= p->frames && io[X].type == AR_INT16 &&
                   ar_elements(&io[X]) >= p->num_channels &&
                   ar_is_vector(&io[STACK], AR_INT16, size) && ar_is_number(&io[VALID], AR_BOOL) &&
                   ar_have_states(&io[STATE], 1, ar_queue_bytes(size));
  return fits ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const SignalStackerParams *p = params;
  const int32_t channels = p->num_channels, size = p->frames * channels;
  const size_t frame_bytes = (size_t)channels * 2;
  ar_queue *queue = io[STATE].data;
  int16_t *waiting = queue->samples, *stack = io[STACK].data;
  int32_t copies = 1, count = ar_queue_count(queue, size - channels);
  if (!queue->has_begun) {
    copies += p->repeats;
    count = 0;
  }
  for (; copies > 0; --copies, count += channels) memcpy(waiting + count, io[X].data, frame_bytes);
  const int is_there = count >= size;
  if (is_there) {
    const int32_t leaving = p->step * channels;
    memcpy(stack, waiting, (size_t)size * 2);
    memmove(waiting, waiting + leaving, (size_t)(count - leaving) * 2);
    count -= leaving;
  } else {
    memset(stack, 0, (size_t)size * 2);
  }
  queue->count = count;
  queue->has_begun = 1;
  *(uint8_t *)io[VALID].data = (uint8_t)is_there;
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalStacker, measure, ar_plan_nothing, run)
