/* ADD on int8: two fused multiply-adds per element, where planning has proven them on all 65,536 pairs
 * of inputs; the reference's integers elsewhere. Include an instruction set's lanes.h before. */
#include <math.h>
#include <string.h>

#include "engine/proof.h"
#include "requantize.h"
#include "records/add_sub.h"

enum { ADD_WORK = 16 };

typedef struct {
  float scale1, scale2, offset;
  int8_t low, high;
  int8_t is_line; /* whether the floats are the reference's outputs */
} add_plan;

/* The reference: the output stage, both inputs scaled, for q from -128 to 127, and the outputs. */
typedef struct {
  ar_requantize_integers output;
  _Alignas(64) int32_t scaled1[256];
  _Alignas(64) int32_t scaled2[256];
  _Alignas(64) int8_t wanted[256][256];
} add_reference;

static int same_shape(const ar_tensor *a, const ar_tensor *b) {
  if (a->rank != b->rank) return 0;
  for (int32_t i = 0; i < a->rank; ++i)
    if (a->dims[i] != b->dims[i]) return 0;
  return 1;
}

static int32_t scaled_first(const AddSubParams *p, int32_t q) {
  return ar_rescale((int32_t)((uint32_t)(q + p->input1_offset) << p->left_shift),
                    p->input1_multiplier, p->input1_shift);
}

static int32_t scaled_second(const AddSubParams *p, int32_t q) {
  return ar_rescale((int32_t)((uint32_t)(q + p->input2_offset) << p->left_shift),
                    p->input2_multiplier, p->input2_shift);
}

static double real_scale(int32_t multiplier, int32_t shift) {
  return ldexp((double)multiplier, ar_bare_shift(shift) - 31);
}

/* Sums to outputs, in integers: whether the 64-bit form takes them. */
static int plan_output(const AddSubParams *p, ar_requantize_integers *output) {
  memset(output, 0, sizeof *output);
  for (int lane = 0; lane < AR_BLOCK; ++lane)
    if (ar_requantize_integer_plan(output, lane, p->output_multiplier, p->output_shift,
                                   p->output_offset) != AR_REQUANT_INTEGER)
      return 0;
  return 1;
}

/* The reference, its outputs clamped, for all input1 = a - 128 and input2 = b - 128. */
static void make_reference(const AddSubParams *p, const add_plan *plan, add_reference *reference) {
  plan_output(p, &reference->output); /* as measure() has seen */
  for (int32_t q = -128; q < 128; ++q) {
    reference->scaled1[q + 128] = scaled_first(p, q);
    reference->scaled2[q + 128] = scaled_second(p, q);
  }
  for (int a = 0; a < 256; ++a) {
    const ar_i32 scaled1 = ar_set_i32(reference->scaled1[a]);
    for (int b = 0; b < 256; b += 16) {
      _Alignas(64) int32_t y[16];
      const ar_i32 sum = ar_add_i32(scaled1, ar_load_i32(reference->scaled2 + b));
      ar_save_i32(y, ar_on_integers(sum, &reference->output));
      for (int i = 0; i < 16; ++i)
        reference->wanted[a][b + i] = (int8_t)ar_clamp(y[i], plan->low, plan->high);
    }
  }
}

/* The offsets with which the line through (scale1, scale2) meets the reference everywhere:
 * their middle, or 0 where there is none. */
static int middle_offset(const add_reference *reference, add_plan *plan) {
  double least[16], most[16];
  for (int i = 0; i < 16; ++i) least[i] = -1e30, most[i] = 1e30;
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; b += 16) {
      const int8_t *y = &reference->wanted[a][b];
      const double a_term = (double)plan->scale1 * (a - 128);
      for (int i = 0; i < 16; ++i) {
        const double gap = y[i] - (a_term + (double)plan->scale2 * (b + i - 128));
        const double low = y[i] > plan->low ? gap - 0.5 : -1e30;
        const double high = y[i] < plan->high ? gap + 0.5 : 1e30;
        least[i] = low > least[i] ? low : least[i];
        most[i] = high < most[i] ? high : most[i];
      }
    }
  for (int i = 1; i < 16; ++i) {
    least[0] = least[i] > least[0] ? least[i] : least[0];
    most[0] = most[i] < most[0] ? most[i] : most[0];
  }
  plan->offset = (float)(0.5 * (least[0] + most[0]));
  return least[0] < most[0];
}

/* Sixteen sums before they are clamped. */
AR_INLINE ar_i32 sums(ar_f32 a, ar_f32 b, ar_f32 scale1, ar_f32 scale2, ar_f32 offset) {
  return ar_to_int(ar_multiply_add(b, scale2, ar_multiply_add(a, scale1, offset)));
}

static void add_on_line(const add_plan *plan, const int8_t *a, const int8_t *b, int8_t *out,
                        int64_t count) {
  enum { AT_ONCE = 16 * AR_STORE_BLOCKS };
  const ar_f32 scale1 = ar_set_f32(plan->scale1), scale2 = ar_set_f32(plan->scale2);
  const ar_f32 offset = ar_set_f32(plan->offset);
  const ar_bounds to = ar_set_bounds(plan->low, plan->high);
  int64_t i = 0;
  for (; i + AT_ONCE <= count; i += AT_ONCE) {
    ar_i32 v[AR_STORE_BLOCKS];
#pragma clang loop unroll(full)
    for (int k = 0; k < AR_STORE_BLOCKS; ++k)
      v[k] = sums(ar_load_bytes(a + i + 16 * k), ar_load_bytes(b + i + 16 * k), scale1, scale2,
                  offset);
    ar_store_blocks(out + i, v, to);
  }
  for (; i < count; ++i) {
    const float sum = fmaf(b[i], plan->scale2, fmaf(a[i], plan->scale1, plan->offset));
    out[i] = (int8_t)ar_clamp((int32_t)rintf(sum), plan->low, plan->high);
  }
}

/* Runs the line on all pairs. */
static int proven(const add_reference *reference, const add_plan *plan) {
  int8_t a[256], b[256], got[256];
  for (int i = 0; i < 256; ++i) b[i] = (int8_t)(i - 128);
  for (int i = 0; i < 256; ++i) {
    memset(a, i - 128, sizeof a);
    add_on_line(plan, a, b, got, sizeof got);
    if (memcmp(got, reference->wanted[i], sizeof got) != 0) return 0;
  }
  return 1;
}

/* Tries the line that the real numbers give, then lines of neighbouring scales with all offsets
 * that they allow, until one is proven. */
static int find(const AddSubParams *p, add_plan *plan) {
  add_reference reference;
  make_reference(p, plan, &reference);
  const double common = ldexp(real_scale(p->output_multiplier, p->output_shift), p->left_shift);
  const float k1 = (float)(common * real_scale(p->input1_multiplier, p->input1_shift));
  const float k2 = (float)(common * real_scale(p->input2_multiplier, p->input2_shift));
  plan->scale1 = k1, plan->scale2 = k2;
  plan->offset =
      (float)((double)k1 * p->input1_offset + (double)k2 * p->input2_offset + p->output_offset);
  if (proven(&reference, plan)) return 1;
  for (int attempt = 0; attempt < 9; ++attempt) {
    const int s1 = (int[]){0, 1, -1, 0, 0, 1, -1, 1, -1}[attempt];
    const int s2 = (int[]){0, 0, 0, 1, -1, 1, -1, -1, 1}[attempt];
    plan->scale1 = s1 ? nextafterf(k1, s1 > 0 ? INFINITY : 0.0f) : k1;
    plan->scale2 = s2 ? nextafterf(k2, s2 > 0 ? INFINITY : 0.0f) : k2;
    if (middle_offset(&reference, plan) && proven(&reference, plan)) return 1;
  }
  return 0;
}

/* Whether the arithmetic is defined for all inputs. */
static int can_be_planned(const AddSubParams *p) {
  ar_requantize_integers unused;
  if (!ar_is_small(p->input1_offset) || !ar_is_small(p->input2_offset)) return 0;
  if (!ar_is_rescale(p->input1_shift) || !ar_is_rescale(p->input2_shift) || p->left_shift < 0 ||
      p->left_shift > 31)
    return 0;
  return p->sign == 1 && plan_output(p, &unused);
}

static ar_status add_measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  const ar_tensor *y = &io[0], *a = &io[1], *b = &io[2];
  if (a->type != AR_INT8 || b->type != AR_INT8 || y->type != AR_INT8) return AR_UNSUPPORTED;
  if (!same_shape(a, b) || ar_elements(a) != ar_elements(y)) return AR_UNSUPPORTED;
  if (!can_be_planned(params)) return AR_UNSUPPORTED;
  sizes->plan = sizeof(add_plan);
  return AR_OK;
}

static ar_status add_make_plan(const void *params, const ar_tensor *, void *memory) {
  const AddSubParams *p = params;
  add_plan *plan = memory;
  plan->low = (int8_t)p->activation_min;
  plan->high = (int8_t)p->activation_max;
  plan->is_line = (int8_t)find(p, plan);
  return AR_OK;
}

/* The reference's integers, one output after the other. The parameters are the loop's own: what it
 * writes might be a caller's. */
static __attribute__((noinline)) void exact_add(const AddSubParams *params, const add_plan plan,
                                                const int8_t *a, const int8_t *b, int8_t *out,
                                                int64_t count) {
  const AddSubParams own = *params, *p = &own;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t sum = (uint32_t)scaled_first(p, a[i]) + (uint32_t)scaled_second(p, b[i]);
    const int32_t y = ar_rescale((int32_t)sum, p->output_multiplier, p->output_shift);
    out[i] = (int8_t)ar_clamp_offset(y, p->output_offset, plan.low, plan.high);
  }
}

static ar_status add_run(const void *params, const void *memory, const ar_tensor *io, uint8_t *) {
  const add_plan *plan = memory;
  const int8_t *a = io[1].data, *b = io[2].data;
  const int64_t count = ar_elements(&io[0]);
  if (plan->is_line) add_on_line(plan, a, b, io[0].data, count);
  else exact_add(params, *plan, a, b, io[0].data, count);
  return AR_OK;
}
