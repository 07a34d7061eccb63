/* The portable kernels, as compiled for one instruction set. A new kernel is one line here. */
#include "name.h"

#define AR_PORTABLE_KERNELS(K) \
  K(add) \
  K(arg_max) \
  K(arg_min) \
  K(average_pool_2d) \
  K(batch_matmul) \
  K(cast) \
  K(concatenation) \
  K(conv_2d) \
  K(depthwise_conv_2d) \
  K(dequantize) \
  K(div) \
  K(elu) \
  K(expand_dims) \
  K(fully_connected) \
  K(gather) \
  K(gather_nd) \
  K(hard_swish) \
  K(leaky_relu) \
  K(log_softmax) \
  K(logistic) \
  K(max_pool_2d) \
  K(maximum) \
  K(mean) \
  K(minimum) \
  K(mnn_average_pool) \
  K(mnn_binary_int8) \
  K(mnn_conv_int8) \
  K(mnn_float_to_int8) \
  K(mnn_int8_to_float) \
  K(mnn_lookup) \
  K(mnn_raster) \
  K(mnn_resize_bilinear_int8) \
  K(mul) \
  K(pack) \
  K(pad) \
  K(padv2) \
  K(prelu) \
  K(quantize) \
  K(relu) \
  K(relu6) \
  K(reshape) \
  K(resize_bilinear) \
  K(resize_nearest_neighbor) \
  K(softmax) \
  K(split) \
  K(squeeze) \
  K(strided_slice) \
  K(sub) \
  K(svdf) \
  K(tanh) \
  K(tile) \
  K(transpose) \
  K(transpose_conv) \
  K(unidirectional_sequence_lstm) \
  K(unpack)

#define DECLARE(name) extern const ar_kernel AR_NAME(name);
#define ENTRY(name) &AR_NAME(name),
AR_PORTABLE_KERNELS(DECLARE)

const ar_kernel *const AR_NAME(kernels)[] = {AR_PORTABLE_KERNELS(ENTRY) 0};
