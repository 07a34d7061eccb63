/* PAIR: two steps as a table of what they make of every byte. No operator of a model, see ar_pair. */
#include "lookup.h"
#include "name.h"

enum { BYTES = 256 };

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  (void)params;
  if (io[0].type != AR_INT8 || !ar_alike(&io[0], &io[1])) return AR_UNSUPPORTED;
  sizes->plan = BYTES;
  return AR_OK;
}

/* Runs the two steps, which have been planned, on every byte. */
static ar_status plan(const void *params, const ar_tensor *io, void *table) {
  (void)io;
  const ar_pair *pair = params;
  const ar_step *first = pair->first, *second = first + 1;
  int8_t every[BYTES], made[BYTES];
  for (int i = 0; i < BYTES; ++i) every[i] = (int8_t)i;
  const ar_tensor x = {every, AR_INT8, 1, {BYTES}}, y = {made, AR_INT8, 1, {BYTES}};
  const ar_tensor z = {table, AR_INT8, 1, {BYTES}};
  const ar_tensor of_first[] = {y, x};
  const ar_tensor of_second[] = {z, pair->reads_y[0] ? y : x, pair->reads_y[1] ? y : x};
  const ar_status status = first->run(first->params, first->plan, of_first, 0);
  if (status != AR_OK) return status;
  return second->run(second->params, second->plan, of_second, 0);
}

static ar_status run(const void *params, const void *table, const ar_tensor *io,
                     uint8_t *workspace) {
  (void)params, (void)workspace;
  ar_lookup(table, io[1].data, io[0].data, ar_elements(&io[0]));
  return AR_OK;
}

AR_FLAT_PORTABLE_KERNEL(PAIR, AR_LOOKUP_WORK, measure, plan, run)
