/* The convolutions of this instruction set: its parts, and the operators that use them. */
#include "lanes.h"

#include "engine/kernel.h"
#include "convolution/gemm_conv.h"
#include "convolution/mnn_conv_on_lanes.h"
#include "simd/templates/line_search.h"
#include "bare_lines.h"
#include "stage.h"
#include "simd/templates/nan_flag.h"
#include "isa.h"

static const ar_gemm_isa gemm = {
    .int8_bytes = 1,
    .one_is_signed = 1,
    .vectors = AR_VECTORS,
    .find_tile = ar_gemm_tile_avx512vnni,
    .find_float_tile = ar_gemm_float_tile_avx512,
    .floats_in_flight = AR_FLOATS_IN_FLIGHT,
    .find_transposed = ar_gemm_transposed_avx512vnni,
    .forget_nan = forget_nan,
    .met_nan = met_nan,
    .plan_lane = plan_by_line,
    .plan_bare = plan_bare,
    .stage = stage_narrow,
};
/* A product of pairs takes the time of one of four bytes. */
static const ar_winograd_isa winograd = {.direct = 2, .run = ar_winograd_avx512vnni, .gemm = &gemm};
static const ar_depthwise_isa depthwise = {
    .group = 4,
    .lanes = 64, /* of one store */
    .workspace = ar_depthwise_workspace_avx512vnni,
    .channel = ar_depthwise_channel_avx512vnni,
    .run = ar_depthwise_avx512vnni,
    .arranged_bytes = ar_depthwise_arranged_bytes_avx512vnni,
    .arrange = ar_depthwise_arrange_avx512vnni,
    .gemm = &gemm,
};

#include "simd/templates/mul.h"
#include "simd/templates/mul_float.h"

AR_FAMILY_KERNEL(avx512vnni, 2, CONV_2D, ar_winograd, &winograd)
AR_FAMILY_KERNEL(avx512vnni, 3, CONV_2D, ar_gemm, &gemm, ar_conv_2d_problem)
AR_FAMILY_KERNEL(avx512vnni, 1, DEPTHWISE_CONV_2D, ar_depthwise, &depthwise)
AR_FAMILY_KERNEL(avx512vnni, 3, DEPTHWISE_CONV_2D, ar_gemm, &gemm, ar_depthwise_problem)
AR_FAMILY_KERNEL(avx512vnni, 1, FULLY_CONNECTED, ar_gemm, &gemm, ar_fully_connected_problem)
AR_FAMILY_KERNEL(avx512vnni, 1, MNN_CONV_INT8, ar_mnn_conv, &depthwise)
AR_FLAT_KERNEL(avx512vnni, 1, MUL, 3, MUL_WORK, mul_measure, mul_make_plan, mul_run)
AR_FLAT_KERNEL(avx512vnni, 2, MUL, 3, MUL_FLOAT_WORK, mul_float_measure, mul_float_plan,
               mul_float_run)
