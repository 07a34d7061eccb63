/* MNN_CONV_INT8 on the engine's int8 convolutions, dense or depthwise. */
#pragma once

#include "interleaved_depthwise.h"
#include "gemm_conv.h"

ar_status ar_mnn_conv_measure(const ar_depthwise_isa *isa, const void *params, const ar_tensor *io,
                              ar_sizes *sizes);
ar_status ar_mnn_conv_plan(const ar_depthwise_isa *isa, const void *params, const ar_tensor *io,
                           void *plan);
ar_status ar_mnn_conv_run(const void *params, const void *plan, const ar_tensor *io,
                          uint8_t *workspace);
ar_status ar_mnn_conv_part(const void *params, const void *plan, const ar_tensor *io,
                           uint8_t *workspace, ar_share share);
