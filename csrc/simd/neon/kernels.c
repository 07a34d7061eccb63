/* The convolutions of these instruction sets: their parts, and the operators that use them. */
#include "lanes.h"

#include "engine/kernel.h"
#include "convolution/gemm_conv.h"
#include "convolution/mnn_conv_on_lanes.h"
#include "simd/templates/line_search.h"
#include "isa.h"
#include "rounded_products.h"

/* FPCR and FPSR: Arm Architecture Reference Manual, C5.2. */
AR_INLINE uint64_t fpcr(void) {
  uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
AR_INLINE void set_fpcr(uint64_t value) {
  __asm__ volatile("msr fpcr, %0" : : "r"(value) : "memory");
}

/* Products and sums have no rounding of their own: the lines are found, and used, while the control
 * register says down. */
static uint32_t round_down(void) {
  const uint64_t before = fpcr(), mode = UINT64_C(3) << 22, down = UINT64_C(2) << 22;
  set_fpcr((before & ~mode) | down);
  return (uint32_t)before;
}

static void restore_rounding(uint32_t before) { set_fpcr(before); }

/* Invalid operations: a product that made a NaN, or a store that compared one with its bounds. */
static void forget_nan(void) {
  uint64_t flags;
  __asm__ volatile("mrs %0, fpsr" : "=r"(flags));
  __asm__ volatile("msr fpsr, %0" : : "r"(flags & ~UINT64_C(1)) : "memory");
}
static int met_nan(void) {
  uint64_t flags;
  __asm__ volatile("mrs %0, fpsr" : "=r"(flags) : : "memory");
  return flags & 1;
}

/* What the instruction sets share. */
#define AR_GEMM_PARTS                                                                       \
  .int8_bytes = 1, .is_signed = 1, .vectors = AR_VECTORS,                                   \
  .find_float_tile = ar_gemm_float_tile_neon, .forget_nan = forget_nan, .met_nan = met_nan, \
  .plan_lane = plan_by_line, .plan_bare = plan_rounded, .stage = ar_stage_signed,           \
  .enter = round_down, .leave = restore_rounding
#define AR_DEPTHWISE_PARTS                                                 \
  .group = 4, .lanes = AR_BLOCK, .stage = ar_stage_signed, .in_place = 32, \
  .arranged_bytes = ar_depthwise_arranged_neon, .arrange = ar_depthwise_arrange_neon

static const ar_gemm_isa gemm = {AR_GEMM_PARTS, .at_once = {2, 5}, .find_tile = ar_gemm_tile_neon};
static const ar_depthwise_isa depthwise = {AR_DEPTHWISE_PARTS,
                                           .workspace = ar_depthwise_workspace_neon,
                                           .run = ar_depthwise_neon, .gemm = &gemm};

#include "simd/templates/mul.h"
#include "simd/templates/mul_float.h"

AR_FAMILY_KERNEL(neon, 1, CONV_2D, ar_gemm, &gemm, ar_conv_2d_problem)
AR_FAMILY_KERNEL(neon, 1, DEPTHWISE_CONV_2D, ar_depthwise, &depthwise)
AR_FAMILY_KERNEL(neon, 3, DEPTHWISE_CONV_2D, ar_gemm, &gemm, ar_depthwise_problem)
AR_FAMILY_KERNEL(neon, 1, FULLY_CONNECTED, ar_gemm, &gemm, ar_fully_connected_problem)
AR_FAMILY_KERNEL(neon, 1, MNN_CONV_INT8, ar_mnn_conv, &depthwise)
AR_FLAT_KERNEL(neon, 1, MUL, 3, MUL_WORK, mul_measure, mul_make_plan, mul_run)
AR_FLAT_KERNEL(neon, 2, MUL, 3, MUL_FLOAT_WORK, mul_float_measure, mul_float_plan, mul_float_run)

static const ar_gemm_isa dot_gemm = {AR_GEMM_PARTS, .at_once = {5, 5}, .run_dwords = 4,
                                     .find_tile = ar_gemm_tile_neondot};
static const ar_depthwise_isa dot_depthwise = {AR_DEPTHWISE_PARTS,
                                               .workspace = ar_depthwise_workspace_neondot,
                                               .run = ar_depthwise_neondot, .gemm = &dot_gemm};

AR_FAMILY_KERNEL(neondot, 1, CONV_2D, ar_gemm, &dot_gemm, ar_conv_2d_problem)
AR_FAMILY_KERNEL(neondot, 1, DEPTHWISE_CONV_2D, ar_depthwise, &dot_depthwise)
AR_FAMILY_KERNEL(neondot, 1, FULLY_CONNECTED, ar_gemm, &dot_gemm, ar_fully_connected_problem)
AR_FAMILY_KERNEL(neondot, 1, MNN_CONV_INT8, ar_mnn_conv, &dot_depthwise)

/* Pairs of positions; what has none of them is left to the kernels above. */
static const ar_gemm_isa i8mm_gemm = {AR_GEMM_PARTS, .wide = 1, .pair = ar_pair_neoni8mm,
                                      .at_once = {6, 5}, .find_tile = ar_gemm_tile_neoni8mm};
static const ar_depthwise_isa i8mm_depthwise = {AR_DEPTHWISE_PARTS,
                                                .workspace = ar_depthwise_workspace_neondot,
                                                .run = ar_depthwise_neondot, .gemm = &i8mm_gemm};

AR_FAMILY_KERNEL(neoni8mm, 1, CONV_2D, ar_gemm, &i8mm_gemm, ar_conv_2d_problem)
AR_FAMILY_KERNEL(neoni8mm, 1, FULLY_CONNECTED, ar_gemm, &i8mm_gemm, ar_fully_connected_problem)
AR_FAMILY_KERNEL(neoni8mm, 1, MNN_CONV_INT8, ar_mnn_conv, &i8mm_depthwise)
