/* The convolutions of this instruction set: its parts, and the operators that use them. */
#include "lanes.h"

#include "engine/kernel.h"
#include "convolution/gemm_conv.h"
#include "convolution/mnn_conv_on_lanes.h"
#include "simd/templates/line_search.h"
#include "simd/templates/nan_flag.h"
#include "isa.h"

/* AVX2 has no instructions that round down: the lines are found, and used, while the control
 * register says so. */
static uint32_t round_down(void) {
  const uint32_t before = _mm_getcsr();
  _mm_setcsr((before & ~(uint32_t)_MM_ROUND_MASK) | _MM_ROUND_DOWN);
  return before;
}

static void restore_rounding(uint32_t before) { _mm_setcsr(before); }

static const ar_gemm_isa gemm = {
    .int8_bytes = 2,
    .vectors = AR_VECTORS,
    .find_tile = ar_gemm_tile_avx2,
    .find_float_tile = ar_gemm_float_tile_avx2,
    .floats_in_flight = AR_FLOATS_IN_FLIGHT,
    .forget_nan = forget_nan,
    .met_nan = met_nan,
    .plan_lane = plan_by_line,
    .stage = ar_stage_int16,
    .enter = round_down,
    .leave = restore_rounding,
};
static const ar_gemm_isa grouped_gemm = {
    .int8_bytes = 1,
    .vectors = AR_VECTORS,
    .groups = 1,
    .find_tile = ar_gemm_tile_grouped_avx2,
    .plan_lane = plan_by_line,
    .stage = ar_stage,
    .enter = round_down,
    .leave = restore_rounding,
};
static const ar_depthwise_isa depthwise = {
    .group = 2,
    .lanes = AR_BLOCK,
    .workspace = ar_depthwise_workspace_avx2,
    .run = ar_depthwise_avx2,
    .stage = ar_stage,
    .gemm = &gemm,
};

static const ar_winograd_isa winograd = {.direct = 1, .run = ar_winograd_avx2, .gemm = &gemm};

#include "simd/templates/mul.h"
#include "simd/templates/mul_float.h"

AR_FAMILY_KERNEL(avx2, 1, CONV_2D, ar_winograd, &winograd)
AR_FAMILY_KERNEL(avx2, 3, CONV_2D, ar_gemm, &grouped_gemm, ar_conv_2d_problem)
AR_FAMILY_KERNEL(avx2, 4, CONV_2D, ar_gemm, &gemm, ar_conv_2d_problem)
AR_FAMILY_KERNEL(avx2, 1, DEPTHWISE_CONV_2D, ar_depthwise, &depthwise)
AR_FAMILY_KERNEL(avx2, 3, DEPTHWISE_CONV_2D, ar_gemm, &gemm, ar_depthwise_problem)
AR_FAMILY_KERNEL(avx2, 1, FULLY_CONNECTED, ar_gemm, &grouped_gemm, ar_fully_connected_problem)
AR_FAMILY_KERNEL(avx2, 2, FULLY_CONNECTED, ar_gemm, &gemm, ar_fully_connected_problem)
AR_FAMILY_KERNEL(avx2, 1, MNN_CONV_INT8, ar_mnn_conv, &depthwise)
AR_FLAT_KERNEL(avx2, 1, MUL, 3, MUL_WORK, mul_measure, mul_make_plan, mul_run)
AR_FLAT_KERNEL(avx2, 2, MUL, 3, MUL_FLOAT_WORK, mul_float_measure, mul_float_plan, mul_float_run)

static const ar_gemm_isa vnni_gemm = {
    .int8_bytes = 1,
    .vectors = AR_VECTORS,
    .find_tile = ar_gemm_tile_avxvnni,
    .find_float_tile = ar_gemm_float_tile_avx2,
    .floats_in_flight = AR_FLOATS_IN_FLIGHT,
    .forget_nan = forget_nan,
    .met_nan = met_nan,
    .plan_lane = plan_by_line,
    .stage = ar_stage,
    .enter = round_down,
    .leave = restore_rounding,
};
static const ar_depthwise_isa vnni_depthwise = {
    .group = 4,
    .lanes = AR_BLOCK,
    .workspace = ar_depthwise_workspace_avxvnni,
    .run = ar_depthwise_avxvnni,
    .stage = ar_stage,
    .gemm = &vnni_gemm,
};

/* Sums of int16 products are no faster with AVX-VNNI, but the direct way is. */
static const ar_winograd_isa vnni_winograd = {
    .direct = 2, .run = ar_winograd_avx2, .gemm = &vnni_gemm};

AR_FAMILY_KERNEL(avxvnni, 1, CONV_2D, ar_winograd, &vnni_winograd)
AR_FAMILY_KERNEL(avxvnni, 3, CONV_2D, ar_gemm, &vnni_gemm, ar_conv_2d_problem)
AR_FAMILY_KERNEL(avxvnni, 1, DEPTHWISE_CONV_2D, ar_depthwise, &vnni_depthwise)
AR_FAMILY_KERNEL(avxvnni, 1, FULLY_CONNECTED, ar_gemm, &vnni_gemm, ar_fully_connected_problem)
AR_FAMILY_KERNEL(avxvnni, 1, MNN_CONV_INT8, ar_mnn_conv, &vnni_depthwise)
