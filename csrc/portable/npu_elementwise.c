/* An NPU's functions of one or two elements in their place. */
#include "npu.h"

enum { MOST_LEFT = 20 };
/* As in npu/operations.py. */
enum { MUL, ADD, SUB, MIN, MAX, LRELU, ABS, CLZ, SHR, SHL };
enum { LEAKY = SHL + 1, LSR, DIV, EQ, NE, GE, GT, AND, OR, XOR, NOT, AND_NOT };

static int is_unary(int32_t function) {
  return AR_IS_ONE_OF(function, LRELU, ABS, CLZ, LEAKY, NOT);
}

static int is_operand(const NpuOperandParams *o) {
  return o->shift >= 0 && o->shift <= AR_NPU_MOST_SHIFT + MOST_LEFT && o->left >= 0 &&
         o->left <= MOST_LEFT && o->rounding <= AR_NPU_NATURAL;
}

/* Whether the second input is one or as large as the first along every axis. */
static int broadcasts(const ar_tensor *x, const ar_tensor *other) {
  if (other->rank != 4) return 0;
  for (int i = 0; i < 4; ++i)
    if (other->dims[i] != 1 && other->dims[i] != x->dims[i]) return 0;
  return 1;
}

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const NpuElementwiseParams *p = opaque;
  const ar_tensor *x = &io[1], *other = &io[2];
  if (p->function < MUL || p->function > AND_NOT || x->rank != 4 || !ar_npu_is_type(x->type))
    return AR_UNSUPPORTED;
  if (!AR_HAS_SHAPE(&io[0], x->dims[0], x->dims[1], x->dims[2], x->dims[3]) ||
      !AR_NAME(npu_check)(&p->result, &io[0]))
    return AR_UNSUPPORTED;
  if (other->type != AR_ABSENT && (!ar_npu_is_type(other->type) || !broadcasts(x, other)))
    return AR_UNSUPPORTED;
  return is_operand(&p->first) && is_operand(&p->second) ? AR_OK : AR_UNSUPPORTED;
}

/* -- functions of lines: x becomes the result */

static void scale_operand(const NpuOperandParams *o, int64_t *restrict x, int64_t n) {
  if (!o->left && o->multiplier == 1 && o->rounding < 0) return;
  for (int64_t i = 0; i < n; ++i) x[i] = ar_npu_left(x[i], o->left);
  if (o->rounding >= 0) {
    ar_npu_rescale(x, n, o->multiplier, o->shift, o->rounding);
    return;
  }
  for (int64_t i = 0; i < n; ++i) x[i] = ar_npu_times(x[i], o->multiplier);
}

/* x / 2^shift of a product of int32. */
static int64_t shifted(int64_t x, int32_t shift, int32_t rounding) {
  if (shift == 0) return x;
  const int64_t half = INT64_C(1) << (shift - 1);
  if (rounding == AR_NPU_DOUBLE) x = ar_npu_add(x, x >= 0 ? half : 1 - half);
  return ar_npu_divided(x, shift, rounding == AR_NPU_ASYMMETRIC ? AR_NPU_NATURAL : rounding);
}

static int64_t shifted_right(int64_t x, int64_t y, int32_t rounding) {
  const int32_t shift = (int32_t)(y < 0 ? 0 : y > AR_NPU_MOST_SHIFT ? AR_NPU_MOST_SHIFT : y);
  if (shift == 0 || rounding == AR_NPU_TRUNCATE || rounding == AR_NPU_LOWER) return x >> shift;
  const int64_t half = INT64_C(1) << (shift - 1);
  const int is_mirrored = rounding == AR_NPU_DOUBLE || rounding == AR_NPU_SYMMETRIC;
  return ar_npu_add(x, is_mirrored ? half - (x < 0) : half) >> shift;
}

/* Wraps at 32 bits. */
static int64_t shifted_left(int64_t x, int64_t y) {
  const int32_t shift = (int32_t)(y < 0 ? 0 : y > AR_NPU_MOST_SHIFT ? AR_NPU_MOST_SHIFT : y);
  return (int32_t)ar_npu_left(x, shift);
}

static int64_t leading_zeros(int64_t x) {
  const uint32_t bits = (uint32_t)x;
  return bits ? __builtin_clz(bits) : 32;
}

/* What is below zero has a scale of its own. */
static void leak(const NpuElementwiseParams *p, int64_t *restrict x, int64_t *restrict y,
                 int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? x[i] : 0;
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] < 0 ? 0 : x[i];
  scale_operand(&p->first, x, n);
  scale_operand(&p->second, y, n);
  for (int64_t i = 0; i < n; ++i) x[i] = ar_npu_add(x[i], y[i]);
}

static int64_t logical_right(int64_t x, int64_t y) {
  return (int64_t)(uint32_t)x >> (y < 0 ? 0 : y > AR_NPU_MOST_SHIFT ? AR_NPU_MOST_SHIFT : y);
}

/* Of numbers of 32 bits. */
static int64_t quotient(int64_t x, int64_t y) { return y ? x / y : 0; }

/* Functions of U85 alone. */
static void compare(int32_t function, int64_t *restrict x, const int64_t *restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) switch (function) {
      case LSR: x[i] = logical_right(x[i], y[i]); break;
      case DIV: x[i] = quotient((int32_t)x[i], (int32_t)y[i]); break;
      case EQ: x[i] = x[i] == y[i]; break;
      case NE: x[i] = x[i] != y[i]; break;
      case GE: x[i] = x[i] >= y[i]; break;
      case GT: x[i] = x[i] > y[i]; break;
      case AND: x[i] &= y[i]; break;
      case OR: x[i] |= y[i]; break;
      case XOR: x[i] ^= y[i]; break;
      case NOT: x[i] = ~x[i]; break;
      default: x[i] &= ~y[i]; break;
    }
}

/* Functions that no output scale follows, or one of their own. */
static int has_own_scale(const NpuElementwiseParams *p) {
  return p->function == LRELU || (p->function == MUL && p->is_wide && p->result.has_scale);
}

static void compute(const NpuElementwiseParams *p, int64_t *restrict x, int64_t *restrict y,
                    int64_t n) {
  const NpuResultParams *r = &p->result;
  if (p->function != LEAKY) scale_operand(&p->first, x, n);
  if (!is_unary(p->function)) scale_operand(&p->second, y, n);
  switch (p->function) {
    case MUL:
      for (int64_t i = 0; i < n; ++i) x[i] = ar_npu_times(x[i], y[i]);
      if (has_own_scale(p))
        for (int64_t i = 0; i < n; ++i) x[i] = shifted(x[i], r->shift, r->rounding);
      break;
    case ADD:
      for (int64_t i = 0; i < n; ++i) x[i] = ar_npu_add(x[i], y[i]);
      break;
    case SUB:
      for (int64_t i = 0; i < n; ++i) x[i] = ar_npu_add(x[i], ar_npu_minus(y[i]));
      break;
    case MIN:
      for (int64_t i = 0; i < n; ++i) x[i] = y[i] < x[i] ? y[i] : x[i];
      break;
    case MAX:
      for (int64_t i = 0; i < n; ++i) x[i] = y[i] > x[i] ? y[i] : x[i];
      break;
    case LRELU:
      for (int64_t i = 0; i < n; ++i) y[i] = x[i];
      ar_npu_rescale(y, n, r->multiplier, r->shift, r->rounding);
      for (int64_t i = 0; i < n; ++i) x[i] = x[i] < 0 ? y[i] : x[i];
      break;
    case ABS:
      for (int64_t i = 0; i < n; ++i) x[i] = x[i] < 0 ? -x[i] : x[i];
      break;
    case CLZ:
      for (int64_t i = 0; i < n; ++i) x[i] = leading_zeros(x[i]);
      break;
    case SHR:
      for (int64_t i = 0; i < n; ++i) x[i] = shifted_right(x[i], y[i], r->rounding);
      break;
    case SHL:
      for (int64_t i = 0; i < n; ++i) x[i] = shifted_left(x[i], y[i]);
      break;
    case LEAKY: leak(p, x, y, n); break;
    default: compare(p->function, x, y, n); break;
  }
}

/* -- elements */

/* Elements of x and of the result from `first` on; of the second input from `second` on, 0 or 1
 * apart. */
static void run_row(const NpuElementwiseParams *p, const ar_tensor *io, int64_t first,
                    int64_t count, int64_t second, int32_t step) {
  int64_t x[AR_NPU_LINE], y[AR_NPU_LINE];
  for (int64_t i = 0; i < count; i += AR_NPU_LINE) {
    const int64_t n = count - i < AR_NPU_LINE ? count - i : AR_NPU_LINE;
    AR_NAME(npu_load)(&io[1], first + i, 1, n, p->zero_point, x);
    if (io[2].type == AR_ABSENT)
      for (int64_t k = 0; k < n; ++k) y[k] = p->number;
    else AR_NAME(npu_load)(&io[2], second + step * i, step, n, p->other_zero_point, y);
    int64_t *a = p->is_reversed && !is_unary(p->function) ? y : x, *b = a == x ? y : x;
    compute(p, a, b, n);
    if (!has_own_scale(p)) ar_npu_scale(&p->result, a, n);
    AR_NAME(npu_finish)(&p->result, a, n, io[0], first + i);
  }
}

static ar_status run(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const NpuElementwiseParams *p = opaque;
  const int64_t count = ar_elements(&io[0]), depth = io[0].dims[3];
  const int64_t seconds = io[2].type == AR_ABSENT ? 1 : ar_elements(&io[2]);
  if (seconds == 1 || seconds == count) {
    run_row(p, io, 0, count, 0, seconds == count);
    return AR_OK;
  }
  const int32_t *dims = io[2].dims, step = dims[3] != 1;
  for (int64_t row = 0; row < io[0].dims[1]; ++row)
    for (int64_t column = 0; column < io[0].dims[2]; ++column) {
      const int64_t i = dims[1] == 1 ? 0 : row, j = dims[2] == 1 ? 0 : column;
      run_row(p, io, (row * io[0].dims[2] + column) * depth, depth, (i * dims[2] + j) * dims[3],
              step);
    }
  return AR_OK;
}

AR_PORTABLE_KERNEL(NPU_ELEMENTWISE, measure, ar_plan_nothing, run)
