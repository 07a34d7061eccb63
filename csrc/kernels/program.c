/* Walks a program's steps. */
#include <string.h>

#include "../include/arenite.h"

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

ar_status ar_call(ar_program *program, const void *x, void *y) {
  memcpy(program->input, x, (size_t)program->input_bytes);
  ar_status status = ar_run(program->steps, 0, program->count, program->tensors,
                            program->workspace, &program->failed);
  if (status == AR_OK) memcpy(y, program->output, (size_t)program->output_bytes);
  return status;
}

ar_status ar_predict(ar_program *program, const uint8_t *x, uint8_t *y, int64_t samples,
                     int64_t *done) {
  for (*done = 0; *done < samples; ++*done) {
    ar_status status = ar_call(program, x, y);
    if (status != AR_OK) return status;
    x += program->input_bytes;
    y += program->output_bytes;
  }
  return AR_OK;
}
