/* Boxes: elements of one tensor that go to a regular place of another. */
#include "boxes.h"

typedef struct {
  uint8_t bytes[16];
} ar_16_bytes;

typedef struct {
  uint8_t bytes[32];
} ar_32_bytes;

/* Tensors are aligned to their elements only; a run of several may lie anywhere. */
#define AR_MOVE(T, TO, FROM)          \
  do {                                \
    T one;                            \
    memcpy(&one, (FROM), sizeof one); \
    memcpy((TO), &one, sizeof one);   \
  } while (0)

#define AR_MOVE_ALL(T)                                                        \
  do {                                                                        \
    for (int64_t i = 0; i < count; ++i) AR_MOVE(T, y + i * to, x + i * from); \
  } while (0)

/* The same with steps that the compiler knows, for vectors. */
#define AR_MOVE_DENSE(T, FROM_STEP)                                   \
  do {                                                                \
    uint8_t *restrict out = y;                                        \
    const uint8_t *restrict in = x;                                   \
    for (int64_t i = 0; i < count; ++i)                               \
      AR_MOVE(T, out + i * (int64_t)sizeof(T), in + i * (FROM_STEP)); \
  } while (0)

/* Runs longer than T and not longer than two: two that overlap. Both are read before they are
 * written. */
#define AR_MOVE_ENDS(T)                                    \
  do {                                                     \
    const int64_t last = run - (int64_t)sizeof(T);         \
    for (int64_t i = 0; i < count; ++i) {                  \
      T first, second;                                     \
      memcpy(&first, x + i * from, sizeof first);          \
      memcpy(&second, x + i * from + last, sizeof second); \
      memcpy(y + i * to, &first, sizeof first);            \
      memcpy(y + i * to + last, &second, sizeof second);   \
    }                                                      \
  } while (0)

#define AR_MOVE_RUNS(T)                                                  \
  do {                                                                   \
    if (to == (int64_t)sizeof(T) && from == -(int64_t)sizeof(T))         \
      AR_MOVE_DENSE(T, -(int64_t)sizeof(T));                             \
    else if (to == (int64_t)sizeof(T) && from == 2 * (int64_t)sizeof(T)) \
      AR_MOVE_DENSE(T, 2 * (int64_t)sizeof(T));                          \
    else AR_MOVE_ALL(T);                                                 \
  } while (0)

void ar_copy_runs(uint8_t *y, int64_t to, const uint8_t *x, int64_t from, int64_t count,
                  int64_t run) {
  if (count < 1 || run < 1) return;
  if (to == run && from == run) {
    memmove(y, x, (size_t)(count * run));
    return;
  }
  if (run == 1) AR_MOVE_RUNS(uint8_t);
  else if (run == 2) AR_MOVE_RUNS(uint16_t);
  else if (run == 4) AR_MOVE_RUNS(uint32_t);
  else if (run == 8) AR_MOVE_RUNS(uint64_t);
  else if (run == 16) AR_MOVE_ALL(ar_16_bytes);
  else if (run == 3) AR_MOVE_ENDS(uint16_t);
  else if (run < 8) AR_MOVE_ENDS(uint32_t);
  else if (run < 16) AR_MOVE_ENDS(uint64_t);
  else if (run <= 32) AR_MOVE_ENDS(ar_16_bytes);
  else if (run <= 64) AR_MOVE_ENDS(ar_32_bytes);
  else
    for (int64_t i = 0; i < count; ++i) ar_copy_run(y + i * to, x + i * from, run);
}

void ar_copy_box(const ar_box *box, const uint8_t *x, uint8_t *y) {
  int64_t index[AR_BOX_RANK] = {0}, from = 0, to = 0;
  for (int32_t i = 0; i < box->rank; ++i)
    if (box->size[i] < 1) return;
  const int64_t count = box->rank ? box->size[0] : 1;
  const int64_t from_step = box->rank ? box->from[0] : box->run;
  const int64_t to_step = box->rank ? box->to[0] : box->run;
  for (;;) {
    ar_copy_runs(y + to, to_step, x + from, from_step, count, box->run);
    int32_t i = 1;
    for (; i < box->rank; ++i) {
      from += box->from[i];
      to += box->to[i];
      if (++index[i] < box->size[i]) break;
      from -= box->from[i] * box->size[i];
      to -= box->to[i] * box->size[i];
      index[i] = 0;
    }
    if (i >= box->rank) return;
  }
}
