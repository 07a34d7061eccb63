/* Walks a program's steps. */
#include <string.h>

#include "engine.h"

ar_status ar_run(const ar_step *steps, int32_t begin, int32_t end, const ar_tensor *tensors,
                 uint8_t *workspace, int32_t *failed) {
  for (int32_t i = begin; i < end; ++i) {
    const ar_step *step = &steps[i];
    ar_status status =
        step->run(step->params, step->plan, tensors + step->first_tensor, workspace);
    if (status != AR_OK) {
      *failed = i;
      return status;
    }
  }
  return AR_OK;
}

static ar_status run_all(ar_program *program) {
  return ar_run(program->steps, 0, program->count, program->tensors, program->workspace,
                &program->failed);
}

ar_status ar_call(ar_program *program, const void *x, void *y) {
  const ar_port *in = program->inputs, *out = program->outputs;
  memcpy(in->data, x, (size_t)in->bytes);
  ar_status status = run_all(program);
  if (status == AR_OK && y) memcpy(y, out->data, (size_t)out->bytes);
  return status;
}

ar_status ar_predict(ar_program *program, const uint8_t *const *x, uint8_t *const *y,
                     int64_t samples, int64_t *done) {
  for (*done = 0; *done < samples; ++*done) {
    for (int32_t i = 0; i < program->input_count; ++i) {
      const ar_port *in = &program->inputs[i];
      memcpy(in->data, x[i] + *done * in->bytes, (size_t)in->bytes);
    }
    ar_status status = run_all(program);
    if (status != AR_OK) return status;
    for (int32_t i = 0; i < program->output_count; ++i) {
      const ar_port *out = &program->outputs[i];
      memcpy(y[i] + *done * out->bytes, out->data, (size_t)out->bytes);
    }
  }
  return AR_OK;
}
