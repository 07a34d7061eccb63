/* Walks a program's steps. */
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
