/* Walks a program's steps, and those of the subgraphs that they call. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <string.h>

#include "clock.h"
#include "thread_pool.h"

enum { PAUSE_NS = 50 * 1000 * 1000, SHORT_NS = 1000 * 1000, LONG_NS = 10 * 1000 * 1000 };
enum { MOST_ROUNDS = 256 };

/* Whether it is time to pause. Looks at the clock every so many rounds, which take a
 * millisecond or more, but are few. */
static int is_time_to_pause(ar_program *p) {
  if (--p->rounds > 0) return 0;
  const int64_t now = ar_now_ns();
  if (p->since == 0) p->since = p->last = now;
  if (now - p->last < SHORT_NS && p->interval < MOST_ROUNDS) p->interval *= 2;
  if (now - p->last > LONG_NS) p->interval = 1;
  p->last = now;
  p->rounds = p->interval;
  if (now - p->since < PAUSE_NS) return 0;
  p->since = now;
  return 1;
}

static void copy_tensors(const ar_program *p, const ar_copies *copies) {
  for (int64_t i = 0; i < copies->count; ++i) {
    const ar_copy *c = &copies->data[i];
    memmove(p->tensors[c->to].data, p->tensors[c->from].data, (size_t)c->bytes);
  }
}

static uint8_t *flag_of(const ar_program *p, const ar_control *c) {
  return p->tensors[c->flag].data;
}

static ar_status enter_steps(ar_program *p, const ar_control *c, int part) {
  if (p->depth + 1 >= p->frame_count) return AR_BAD_ARGUMENT;
  p->frames[++p->depth] = (ar_frame){c->parts[part].begin, c->parts[part].end, part};
  return AR_OK;
}

static ar_status enter(ar_program *p, const ar_control *c, int part) {
  if (p->calls && --*p->calls < 0) return AR_SPENT;
  return enter_steps(p, c, part);
}

static ar_status copy_and_enter(ar_program *p, const ar_control *c, int part) {
  copy_tensors(p, &c->parts[part].before);
  return enter(p, c, part);
}

/* A control's turn: enters the part that it begins with, or is through. */
static ar_status begin_control(ar_program *p, const ar_control *c) {
  switch (c->kind) {
    case AR_IF: return copy_and_enter(p, c, *flag_of(p, c) ? 0 : 1);
    case AR_WHILE: return copy_and_enter(p, c, 0);
    case AR_CALL_ONCE:
      if (!*flag_of(p, c)) return enter(p, c, 0);
      break;
    case AR_STEPS: return enter_steps(p, c, 0);
    default: break;
  }
  ++p->frames[p->depth].next;
  return AR_OK;
}

/* A part of the current frame's control has run: enters the next one, or the control is through. */
static ar_status end_part(ar_program *p, const ar_control *c, int part) {
  copy_tensors(p, &c->parts[part].after);
  if (c->kind == AR_WHILE) {
    if (part == 1) {
      const ar_status status = enter(p, c, 0);
      return status == AR_OK && is_time_to_pause(p) ? AR_PAUSED : status;
    }
    if (*flag_of(p, c)) return copy_and_enter(p, c, 1);
  }
  if (c->kind == AR_CALL_ONCE) *flag_of(p, c) = 1;
  ++p->frames[p->depth].next;
  return AR_OK;
}

static ar_status run_step(const ar_program *p, const ar_step *step, const ar_tensor *io) {
  if (p->team && step->part) return ar_team_run(p->team, step, io, p->workspace);
  return step->run(step->params, step->plan, io, p->workspace);
}

/* Whether that did what two steps do. */
static int run_both(const ar_program *p, const ar_step *both) {
  return run_step(p, both, p->tensors + both->first_tensor) == AR_OK;
}

/* Runs kernels up to the end of the current subgraph, or to a step that is none. */
static ar_status run_kernels(ar_program *p, ar_frame *frame) {
  const ar_step *step = p->steps + frame->next, *end = p->steps + frame->end;
  const ar_tensor *tensors = p->tensors;
  ar_status status = AR_OK;
  for (; step < end; ++step) {
    if (step->both && step + 1 < end && run_both(p, step->both)) {
      ++step;
      continue;
    }
    if (!step->run) {
      status = step->control ? AR_OK : AR_UNSUPPORTED;
      break;
    }
    if (step->before.count) copy_tensors(p, &step->before);
    status = run_step(p, step, tensors + step->first_tensor);
    if (status != AR_OK) break;
  }
  frame->next = (int32_t)(step - p->steps);
  return status;
}

ar_status ar_resume(ar_program *p) {
  for (;;) {
    ar_frame *frame = &p->frames[p->depth];
    ar_status status = run_kernels(p, frame);
    if (status != AR_OK) return status;
    if (frame->next < frame->end) {
      status = begin_control(p, p->steps[frame->next].control);
    } else {
      if (p->depth == 0) return AR_OK;
      --p->depth;
      status = end_part(p, p->steps[frame[-1].next].control, frame->part);
    }
    if (status != AR_OK) return status;
  }
}

static ar_status run_elsewhere(const void *, const void *, const ar_tensor *, uint8_t *) {
  return AR_UNSUPPORTED;
}

int32_t ar_pack(ar_parcels *parcels) {
  int32_t failed = 0;
  for (int32_t i = 0; i < parcels->count; ++i) {
    const ar_parcel *p = &parcels->parcels[i];
    if (p->kernel->plan(p->params, p->tensors, p->plan) == AR_OK) continue;
    parcels->steps[p->step].run = run_elsewhere;
    parcels->steps[p->step].part = 0;
    ++failed;
  }
  parcels->count = 0;
  return failed;
}

ar_status ar_run(ar_program *p, int32_t begin, int32_t end) {
  if (p->parcels && p->parcels->count) ar_pack(p->parcels);
  p->depth = 0;
  p->frames[0] = (ar_frame){begin, end, 0};
  p->rounds = p->interval = 1;
  p->since = p->last = 0;
  if (p->team) ar_team_call(p->team);
  return ar_resume(p);
}

int32_t ar_invoke(ar_program *program) { return ar_run(program, 0, program->count); }

static int is_at_end(ar_status status) { return status == AR_OK || status == AR_ABORTED; }

ar_status ar_call(ar_program *program, const void *x, void *y) {
  const ar_port *in = program->inputs, *out = program->outputs;
  memcpy(in->data, x, (size_t)in->bytes);
  ar_status status = ar_run(program, 0, program->count);
  if (is_at_end(status) && y) memcpy(y, out->data, (size_t)out->bytes);
  return status;
}

/* The inputs, from sample `number` of x. */
static ar_status give_inputs(const ar_program *program, const uint8_t *const *x, int64_t number) {
  for (int32_t i = 0; i < program->input_count; ++i) {
    const ar_port *in = &program->inputs[i];
    const uint8_t *sample = x[i] + number * in->bytes;
    if (!in->convert) {
      memcpy(in->data, sample, (size_t)in->bytes);
      continue;
    }
    in->io[1].data = (void *)sample;
    if (in->convert(in->params, 0, in->io, 0) != AR_OK) return AR_REFUSED;
  }
  return AR_OK;
}

void ar_take_outputs(const ar_program *program, uint8_t *const *y, int64_t number) {
  for (int32_t i = 0; i < program->output_count; ++i) {
    const ar_port *out = &program->outputs[i];
    uint8_t *sample = y[i] + number * out->bytes;
    if (!out->convert) {
      memcpy(sample, out->data, (size_t)out->bytes);
      continue;
    }
    out->io[0].data = sample;
    out->convert(out->params, 0, out->io, 0);
  }
}

static void start_over(const ar_program *program) {
  for (int32_t i = 0; i < program->state_count; ++i) {
    const ar_state *state = &program->states[i];
    memcpy(state->memory, state->first, (size_t)state->bytes);
  }
}

ar_status ar_predict(ar_program *program, const uint8_t *const *x, uint8_t *const *y,
                     int64_t samples, int64_t *done) {
  for (*done = 0; *done < samples; ++*done) {
    start_over(program);
    ar_status status = give_inputs(program, x, *done);
    if (status != AR_OK) return status;
    status = ar_run(program, 0, program->count);
    if (!is_at_end(status)) return status;
    ar_take_outputs(program, y, *done);
  }
  return AR_OK;
}
