/* Comparisons of tensors that broadcast: numbers as they are, or on a common scale. */
#include "arithmetic/fixedpoint.h"
#include "broadcast.h"
#include "records/comparison.h"

typedef struct {
  ar_broadcast rows;
  int32_t as_they_are; /* the common scale changes no comparison */
} comparison;

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  const ComparisonParams *p = params;
  ar_broadcast unused;
  if (io[0].type != AR_BOOL || io[1].type != io[2].type) return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(io[1].type, AR_INT8, AR_INT16, AR_INT32, AR_INT64, AR_FLOAT32, AR_BOOL))
    return AR_UNSUPPORTED;
  if (p->is_scaled) {
    if (!AR_IS_ONE_OF(io[1].type, AR_INT8, AR_INT16)) return AR_UNSUPPORTED;
    if (!ar_is_small(p->input1_offset) || !ar_is_small(p->input2_offset)) return AR_UNSUPPORTED;
    if (p->left_shift < 0 || p->left_shift > 31) return AR_UNSUPPORTED;
    if (!ar_is_rescale(p->input1_shift) || !ar_is_rescale(p->input2_shift)) return AR_UNSUPPORTED;
    if (ar_rounds_once(p->input1_shift) != ar_rounds_once(p->input2_shift)) return AR_UNSUPPORTED;
  }
  sizes->plan = sizeof(comparison);
  return ar_broadcast_of(&io[0], &io[1], &io[2], &unused);
}

static inline int32_t scaled(const int once, int32_t x, int32_t offset, int32_t left_shift,
                             int32_t multiplier, int32_t shift) {
  const uint32_t wide = (uint32_t)(x + offset) << left_shift;
  return ar_scale(once, (int32_t)wide, multiplier, shift);
}

static inline int32_t first(const int once, const ComparisonParams *p, int32_t x) {
  return scaled(once, x, p->input1_offset, p->left_shift, p->input1_multiplier, p->input1_shift);
}

static inline int32_t second(const int once, const ComparisonParams *p, int32_t x) {
  return scaled(once, x, p->input2_offset, p->left_shift, p->input2_multiplier, p->input2_shift);
}

/* Whether both inputs of int8 are scaled alike, and larger values are larger when scaled. */
static int scale_keeps_order(const ComparisonParams *p) {
  const int once = ar_rounds_once(p->input1_shift);
  for (int32_t x = -128; x <= 127; ++x) {
    if (first(once, p, x) != second(once, p, x)) return 0;
    if (x < 127 && first(once, p, x) >= first(once, p, x + 1)) return 0;
  }
  return 1;
}

static ar_status plan(const void *params, const ar_tensor *io, void *memory) {
  const ComparisonParams *p = params;
  comparison *made = memory;
  made->as_they_are = !p->is_scaled || (io[1].type == AR_INT8 && scale_keeps_order(p));
  return ar_broadcast_of(&io[0], &io[1], &io[2], &made->rows);
}

#define AR_COMPARED(NAME, OP)                                                                   \
  static inline int NAME##_twice(const ComparisonParams *p, int32_t a, int32_t b) {             \
    return first(0, p, a) OP second(0, p, b);                                                   \
  }                                                                                             \
  static inline int NAME##_once(const ComparisonParams *p, int32_t a, int32_t b) {              \
    return first(1, p, a) OP second(1, p, b);                                                   \
  }                                                                                             \
  AR_SCALED_COMPARISON(NAME##_int8, int8_t, NAME)                                               \
  AR_SCALED_COMPARISON(NAME##_int16, int16_t, NAME)                                             \
  AR_PLAIN_COMPARISONS(NAME, OP)                                                                \
  static ar_status NAME(const void *params, const void *plan, const ar_tensor *io, uint8_t *) { \
    const comparison *made = plan;                                                              \
    const ComparisonParams *p = params;                                                         \
    const ar_broadcast *rows = &made->rows;                                                     \
    const int once = ar_rounds_once(p->input1_shift);                                           \
    if (!made->as_they_are && io[1].type == AR_INT8)                                            \
      (once ? NAME##_int8_once : NAME##_int8_twice)(rows, p, io);                               \
    else if (!made->as_they_are) (once ? NAME##_int16_once : NAME##_int16_twice)(rows, p, io);  \
    else NAME##_plain(rows, p, io);                                                             \
    return AR_OK;                                                                               \
  }

#define AR_SCALED_COMPARISON(PREFIX, T, NAME)                                    \
  AR_MIXED_BINARY(PREFIX##_twice, uint8_t, T, T, ComparisonParams, NAME##_twice) \
  AR_MIXED_BINARY(PREFIX##_once, uint8_t, T, T, ComparisonParams, NAME##_once)

/* A bool is a byte, and true unless that is 0. */
#define AR_PLAIN_COMPARISONS(NAME, OP)                                          \
  AR_PLAIN_COMPARISON(NAME##_bools, uint8_t, (a != 0) OP(b != 0))               \
  AR_PLAIN_COMPARISON(NAME##_int8s, int8_t, a OP b)                             \
  AR_PLAIN_COMPARISON(NAME##_int16s, int16_t, a OP b)                           \
  AR_PLAIN_COMPARISON(NAME##_int32s, int32_t, a OP b)                           \
  AR_PLAIN_COMPARISON(NAME##_int64s, int64_t, a OP b)                           \
  AR_PLAIN_COMPARISON(NAME##_floats, float, a OP b)                             \
  static void NAME##_plain(const ar_broadcast *rows, const ComparisonParams *p, \
                           const ar_tensor *io) {                               \
    switch (io[1].type) {                                                       \
      case AR_BOOL: NAME##_bools(rows, p, io); break;                           \
      case AR_INT8: NAME##_int8s(rows, p, io); break;                           \
      case AR_INT16: NAME##_int16s(rows, p, io); break;                         \
      case AR_INT32: NAME##_int32s(rows, p, io); break;                         \
      case AR_INT64: NAME##_int64s(rows, p, io); break;                         \
      default: NAME##_floats(rows, p, io);                                      \
    }                                                                           \
  }

#define AR_PLAIN_COMPARISON(NAME, T, VALUE)                                         \
  static inline int NAME##_of(const ComparisonParams *, T a, T b) { return VALUE; } \
  AR_MIXED_BINARY(NAME, uint8_t, T, T, ComparisonParams, NAME##_of)

AR_COMPARED(equal, ==)
AR_COMPARED(not_equal, !=)
AR_COMPARED(greater, >)
AR_COMPARED(greater_equal, >=)
AR_COMPARED(less, <)
AR_COMPARED(less_equal, <=)

AR_PORTABLE_KERNEL(EQUAL, measure, plan, equal)
AR_PORTABLE_KERNEL(NOT_EQUAL, measure, plan, not_equal)
AR_PORTABLE_KERNEL(GREATER, measure, plan, greater)
AR_PORTABLE_KERNEL(GREATER_EQUAL, measure, plan, greater_equal)
AR_PORTABLE_KERNEL(LESS, measure, plan, less)
AR_PORTABLE_KERNEL(LESS_EQUAL, measure, plan, less_equal)
