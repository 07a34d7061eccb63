/* Steps out of drafts, once it is known what all of them take. */
#include "engine.h"

enum { ALIGNMENT = 64 };

static int64_t aligned(int64_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

void ar_add_up(const ar_draft *drafts, int32_t count, ar_sizes *total) {
  *total = (ar_sizes){0};
  for (int32_t i = 0; i < count; ++i) {
    const ar_sizes *sizes = &drafts[i].sizes;
    total->plan += aligned(sizes->plan);
    total->work += sizes->work;
    if (sizes->workspace > total->workspace) total->workspace = sizes->workspace;
  }
}

static ar_step step_of(const ar_draft *draft, uint8_t *plan) {
  ar_step step = {.params = draft->params,
                  .plan = plan,
                  .first_tensor = draft->first_tensor,
                  .control = draft->control,
                  .before = draft->before,
                  .parts = 1};
  if (draft->kernel) step.run = draft->kernel->run;
  return step;
}

int32_t ar_lay_out(const ar_draft *drafts, int32_t count, uint8_t *plan, ar_step *steps,
                   ar_parcel *parcels) {
  int32_t packed = 0;
  for (int32_t i = 0; i < count; ++i) {
    const ar_draft *d = &drafts[i];
    steps[i] = step_of(d, plan);
    if (!d->sizes.plan) continue;
    parcels[packed++] = (ar_parcel){d->kernel, d->params, d->tensors, plan, i};
    plan += aligned(d->sizes.plan);
  }
  return packed;
}
