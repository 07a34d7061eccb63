/* MUL on int8: products as a convolution's sums, on the line that replaces both roundings where one
 * is proven. Include an instruction set's line_search.h before, and define its ar_gemm_isa `gemm`. */
#include "engine/proof.h"
#include "records/mul_div.h"

typedef struct {
  ar_requantize_block block; /* all lanes alike */
  ar_requantize_integers integers;
  int32_t offset1, offset2;
  int8_t low, high;
} mul_plan;

enum { MUL_AT_ONCE = AR_BLOCK * AR_STORE_BLOCKS, MUL_WORK = 24 };

static int is_byte(double x) { return x >= -128 && x <= 127; }

static ar_status mul_measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  const MulDivParams *p = params;
  const ar_tensor *y = &io[0], *a = &io[1], *b = &io[2];
  if (y->type != AR_INT8 || !ar_alike(a, y) || !ar_alike(b, y)) return AR_UNSUPPORTED;
  if (!is_byte(-p->input1_offset) || !is_byte(-p->input2_offset)) return AR_UNSUPPORTED;
  if (!is_byte(p->output_offset) || !is_byte(p->activation_min) || !is_byte(p->activation_max) ||
      p->activation_min > p->activation_max || !ar_is_rescale(p->output_shift))
    return AR_UNSUPPORTED;
  sizes->plan = sizeof(mul_plan);
  return AR_OK;
}

/* Products of (a + offset1) and (b + offset2). */
static ar_range products_of(int32_t offset1, int32_t offset2) {
  const int32_t a[2] = {offset1 - 128, offset1 + 127}, b[2] = {offset2 - 128, offset2 + 127};
  ar_range range = {a[0] * b[0], a[0] * b[0]};
  for (int i = 1; i < 4; ++i) {
    const int32_t product = a[i % 2] * b[i / 2];
    if (product < range.low) range.low = product;
    if (product > range.high) range.high = product;
  }
  return range;
}

/* What lane 0 has for all of them. */
static void repeat_lane(ar_requantize_block *block) {
  ar_requantize_integers *way = block->integers;
  for (int i = 1; i < AR_BLOCK; ++i) {
    block->bias[i] = block->bias[0];
    block->scale[i] = block->scale[0];
    block->offset[i] = block->offset[0];
    block->negative_offset[i] = block->negative_offset[0];
    way->center[i] = way->center[0];
    way->multiplier[i] = way->multiplier[0];
    way->shift[i] = way->shift[0];
    way->high_shift[i] = way->high_shift[0];
    way->constant[i] = way->constant[0];
  }
}

static ar_status mul_make_plan(const void *params, const ar_tensor *, void *memory) {
  const MulDivParams *p = params;
  mul_plan *plan = memory;
  plan->offset1 = p->input1_offset, plan->offset2 = p->input2_offset;
  plan->low = (int8_t)p->activation_min, plan->high = (int8_t)p->activation_max;
  ar_clear_blocks(&plan->block, &plan->integers, 1);
  const ar_rescaling rescaling = {.multiplier = {&p->output_multiplier, 1},
                                  .shift = {&p->output_shift, 1}};
  const uint32_t before = gemm.enter ? gemm.enter() : 0;
  plan->block.mode = plan_by_line(&plan->block, 0, &rescaling, 0, p->output_offset, plan->low,
                                  plan->high, products_of(p->input1_offset, p->input2_offset));
  if (gemm.leave) gemm.leave(before);
  repeat_lane(&plan->block);
  return AR_OK;
}

/* AR_STORE_BLOCKS blocks of elements. */
AR_INLINE void mul_blocks(const int mode, const mul_plan *plan, ar_bounds to, const int8_t *a,
                          const int8_t *b, int8_t *out) {
  const ar_requantize_block *block = &plan->block;
  const ar_i32 offset1 = ar_set_i32(plan->offset1), offset2 = ar_set_i32(plan->offset2);
  const ar_i32 bias = ar_load_i32(block->bias);
  const ar_f32 scale = ar_load_f32(block->scale), offset = ar_load_f32(block->offset);
  const ar_f32 negative = ar_load_f32(block->negative_offset);
  ar_i32 v[AR_STORE_BLOCKS];
#pragma clang loop unroll(full)
  for (int k = 0; k < AR_STORE_BLOCKS; ++k) {
    const ar_i32 left = ar_add_i32(ar_load_integers(a + AR_BLOCK * k), offset1);
    const ar_i32 right = ar_add_i32(ar_load_integers(b + AR_BLOCK * k), offset2);
    v[k] = ar_add_i32(ar_multiply_i32(left, right), bias);
    v[k] = mode == AR_REQUANT_FLOAT    ? ar_on_line(v[k], scale, offset)
           : mode == AR_REQUANT_SIGNED ? ar_on_signed_line(v[k], scale, offset, negative)
                                       : ar_requantize_exact(v[k], block);
  }
  ar_store_blocks(out, v, to);
}

AR_INLINE void mul_all(const int mode, const mul_plan *plan, const int8_t *a, const int8_t *b,
                       int8_t *out, int64_t count) {
  const ar_bounds to = ar_set_bounds(plan->low, plan->high);
  int64_t i = 0;
  for (; i + MUL_AT_ONCE <= count; i += MUL_AT_ONCE)
    mul_blocks(mode, plan, to, a + i, b + i, out + i);
  if (i == count) return;
  int8_t left[MUL_AT_ONCE] = {0}, right[MUL_AT_ONCE] = {0}, products[MUL_AT_ONCE];
  memcpy(left, a + i, (size_t)(count - i));
  memcpy(right, b + i, (size_t)(count - i));
  mul_blocks(mode, plan, to, left, right, products);
  memcpy(out + i, products, (size_t)(count - i));
}

/* The reference's integers. */
static __attribute__((noinline)) void exact_mul(const mul_plan *plan, const int8_t *a,
                                                const int8_t *b, int8_t *out, int64_t count) {
  mul_all(AR_REQUANT_INTEGER, plan, a, b, out, count);
}

static ar_status mul_run(const void *, const void *memory, const ar_tensor *io, uint8_t *) {
  const mul_plan *plan = memory;
  const int8_t *a = io[1].data, *b = io[2].data;
  const int64_t count = ar_elements(&io[0]);
  const uint32_t before = gemm.enter ? gemm.enter() : 0;
  switch (plan->block.mode) {
    case AR_REQUANT_FLOAT: mul_all(AR_REQUANT_FLOAT, plan, a, b, io[0].data, count); break;
    case AR_REQUANT_SIGNED: mul_all(AR_REQUANT_SIGNED, plan, a, b, io[0].data, count); break;
    default: exact_mul(plan, a, b, io[0].data, count);
  }
  if (gemm.leave) gemm.leave(before);
  return AR_OK;
}
