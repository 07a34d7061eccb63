/* PAIR: two steps in one pass, on bytes as a table of what they make of every one, on floats block by block.
 * No operator of a model, see ar_pair. */
#include "lookup.h"
#include "name.h"

/* Floats at once: what the first step makes of them stays in the first cache. */
enum { BYTES = 256, AT_ONCE = 1024 };

static ar_status measure(const void *, const ar_tensor *io, ar_sizes *sizes) {
  if (!AR_IS_ONE_OF(io[0].type, AR_INT8, AR_FLOAT32) || !ar_alike(&io[0], &io[1]))
    return AR_UNSUPPORTED;
  if (io[0].type == AR_INT8) sizes->plan = BYTES;
  return AR_OK;
}

/* Runs the two steps, which have been planned, on some elements. */
static ar_status run_both(const ar_pair *pair, const ar_tensor x, const ar_tensor y,
                          const ar_tensor z) {
  const ar_step *first = pair->first, *second = first + 1;
  const ar_tensor of_first[] = {y, x};
  const ar_tensor of_second[] = {z, pair->reads_y[0] ? y : x, pair->reads_y[1] ? y : x};
  const ar_status status = first->run(first->params, first->plan, of_first, 0);
  if (status != AR_OK) return status;
  return second->run(second->params, second->plan, of_second, 0);
}

/* The table, of every byte. */
static ar_status plan(const void *params, const ar_tensor *io, void *table) {
  if (io[0].type != AR_INT8) return AR_OK;
  int8_t every[BYTES], made[BYTES];
  for (int i = 0; i < BYTES; ++i) every[i] = (int8_t)i;
  const ar_tensor x = {every, AR_INT8, 1, {BYTES}}, y = {made, AR_INT8, 1, {BYTES}};
  const ar_tensor z = {table, AR_INT8, 1, {BYTES}};
  return run_both(params, x, y, z);
}

static ar_status run_float(const ar_pair *pair, const float *from, float *to, int64_t count) {
  float made[AT_ONCE];
  for (int64_t i = 0; i < count; i += AT_ONCE) {
    const int32_t some = (int32_t)(count - i < AT_ONCE ? count - i : AT_ONCE);
    const ar_tensor x = {(void *)(from + i), AR_FLOAT32, 1, {some}};
    const ar_tensor y = {made, AR_FLOAT32, 1, {some}}, z = {to + i, AR_FLOAT32, 1, {some}};
    const ar_status status = run_both(pair, x, y, z);
    if (status != AR_OK) return status;
  }
  return AR_OK;
}

static ar_status run(const void *params, const void *table, const ar_tensor *io, uint8_t *) {
  const int64_t count = ar_elements(&io[0]);
  if (io[0].type == AR_FLOAT32) return run_float(params, io[1].data, io[0].data, count);
  ar_lookup(table, io[1].data, io[0].data, count);
  return AR_OK;
}

AR_FLAT_PORTABLE_KERNEL(PAIR, AR_LOOKUP_WORK, measure, plan, run)
