#include "../mnn_conv_int8.h"
#include "isa.h"
#include "lanes.h"

static const ar_gemm_isa gemm = {
    .int8_bytes = 1,
    .vectors = AR_VECTORS,
    .find_tile = ar_gemm_tile_avx512vnni,
    .plan_lane = ar_plan_real_lane,
    .stage = ar_stage,
};
static const ar_depthwise_isa depthwise = {
    .group = 4,
    .lanes = 64, /* of one store */
    .workspace = ar_depthwise_workspace_avx512vnni,
    .run = ar_depthwise_avx512vnni,
    .gemm = &gemm,
};

AR_MNN_CONV_KERNEL(ar_mnn_conv_int8_avx512vnni, &depthwise)
