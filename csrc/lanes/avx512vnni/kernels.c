/* The convolutions of this instruction set: its parts, and the operators that use them. */
#include "lanes.h"

#include "convolution/gemm_conv.h"
#include "convolution/mnn_conv_int8.h"
#include "lanes/templates/line_search.h"
#include "isa.h"

static const ar_gemm_isa gemm = {
    .int8_bytes = 1,
    .vectors = AR_VECTORS,
    .find_tile = ar_gemm_tile_avx512vnni,
    .find_float_tile = ar_gemm_float_tile_avx512,
    .plan_lane = plan_lane,
    .stage = ar_stage,
};
static const ar_depthwise_isa depthwise = {
    .group = 4,
    .lanes = 64, /* of one store */
    .workspace = ar_depthwise_workspace_avx512vnni,
    .run = ar_depthwise_avx512vnni,
    .arranged_bytes = ar_depthwise_arranged_bytes_avx512vnni,
    .arrange = ar_depthwise_arrange_avx512vnni,
    .gemm = &gemm,
};

AR_GEMM_KERNEL(ar_conv_2d_avx512vnni, "CONV_2D", ar_conv_2d_problem, &gemm)
AR_GEMM_KERNEL(ar_fully_connected_avx512vnni, "FULLY_CONNECTED", ar_fully_connected_problem, &gemm)
AR_DEPTHWISE_KERNEL(ar_depthwise_conv_2d_avx512vnni, &depthwise)
AR_MNN_CONV_KERNEL(ar_mnn_conv_int8_avx512vnni, &depthwise)
