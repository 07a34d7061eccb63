/* The portable kernels, as compiled for one instruction set. A new kernel is one line here. */
#include "name.h"

#define AR_PORTABLE_KERNELS(K) \
  K(add) \
  K(cast) \
  K(dequantize) \
  K(div) \
  K(expand_dims) \
  K(hard_swish) \
  K(leaky_relu) \
  K(logistic) \
  K(maximum) \
  K(minimum) \
  K(mul) \
  K(quantize) \
  K(relu) \
  K(relu6) \
  K(reshape) \
  K(softmax) \
  K(squeeze) \
  K(sub) \
  K(tanh)

#define DECLARE(name) extern const ar_kernel AR_NAME(name);
#define ENTRY(name) &AR_NAME(name),
AR_PORTABLE_KERNELS(DECLARE)

const ar_kernel *const AR_NAME(kernels)[] = {AR_PORTABLE_KERNELS(ENTRY) 0};
