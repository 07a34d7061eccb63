/* USER_KERNEL: a kernel that somebody else has compiled. No operator of a model: whichever it stands
 * for, src/arenite/kernels/ knows. */
#include "name.h"
#include "records/kernels_instance.h"

/* As ak_library.step, and what it answers. */
typedef int32_t step_fn(void *node, void *const *data);
enum { DONE = 0, ABORTED = 15, MOST_TENSORS = 1 << 16 };

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *sizes) {
  const UserKernelParams *p = opaque;
  if (!p->step || !p->node || p->tensors < 0 || p->tensors > MOST_TENSORS) return AR_UNSUPPORTED;
  for (int32_t i = 0; i < p->tensors; ++i)
    if (io[i].type == AR_END) return AR_UNSUPPORTED;
  sizes->workspace = p->tensors * (int64_t)sizeof(void *);
  return AR_OK;
}

/* AR_UNSUPPORTED where the node is to be run in Python, which also says what went wrong. */
static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *workspace) {
  const UserKernelParams *p = params;
  void **data = (void **)(void *)workspace;
  for (int32_t i = 0; i < p->tensors; ++i) data[i] = io[i].data;
  switch (((step_fn *)(intptr_t)p->step)((void *)(intptr_t)p->node, data)) {
    case DONE: return AR_OK;
    case ABORTED: return AR_ABORTED;
    default: return AR_UNSUPPORTED;
  }
}

AR_PORTABLE_KERNEL(USER_KERNEL, measure, ar_plan_nothing, run)
