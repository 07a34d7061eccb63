#include "../mnn_conv_int8.h"
#include "isa.h"
#include "lanes.h"

static const ar_gemm_isa gemm = {
    .int8_bytes = 2,
    .vectors = AR_VECTORS,
    .find_tile = ar_gemm_tile_avx2,
    .plan_lane = ar_plan_real_lane,
    .stage = ar_stage_int16,
};
static const ar_depthwise_isa depthwise = {
    .group = 2,
    .lanes = AR_BLOCK,
    .workspace = ar_depthwise_workspace_avx2,
    .run = ar_depthwise_avx2,
    .stage = ar_stage,
    .gemm = &gemm,
};

AR_MNN_CONV_KERNEL(ar_mnn_conv_int8_avx2, &depthwise)

static const ar_gemm_isa vnni_gemm = {
    .int8_bytes = 1,
    .vectors = AR_VECTORS,
    .find_tile = ar_gemm_tile_avxvnni,
    .plan_lane = ar_plan_real_lane,
    .stage = ar_stage,
};
static const ar_depthwise_isa vnni_depthwise = {
    .group = 4,
    .lanes = AR_BLOCK,
    .workspace = ar_depthwise_workspace_avxvnni,
    .run = ar_depthwise_avxvnni,
    .stage = ar_stage,
    .gemm = &vnni_gemm,
};

AR_MNN_CONV_KERNEL(ar_mnn_conv_int8_avxvnni, &vnni_depthwise)
