"""CMSIS-NN, modelled: paths, scratch memory, and int8 convolution instruction by instruction.

CMSIS-NN is Arm's library of kernels for Cortex-M; TFLM calls it where it is built with
``OPTIMIZED_KERNEL_DIR=cmsis_nn``. Memory, paths and results here are those of that build (July
2026). Results are the same as those of TFLM's reference kernels for int8 networks as converters
write them; where they differ, ``operators/`` says how and computes CMSIS-NN's: LSTM, SVDF,
FULLY_CONNECTED, CONV_2D of int16 without a bias, SOFTMAX of one int16, TRANSPOSE of two dimensions.

The reference's are computed where CMSIS-NN reads behind a tensor's end, so that it has no results
of its own, and in corners that are not modelled:

- CONV_2D with groups and int4 weights or int16 activations, or with int8 and no bias;
  FULLY_CONNECTED of int16 with an int32 bias (not defined);
- TRANSPOSE_CONV with paddings, strides and output shapes whose rows do not follow from each other;
- 64-bit sums of int16 whose rescaled value leaves 31 bits, which clamps in the reference;
- DEPTHWISE_CONV_2D of int4 weights without a bias, and of int16 with a dilation;
- on targets with vectors: CONV_2D along some lines with steps, see ``operators/conv_2d.py``;
  SVDF whose state has a zero point; FULLY_CONNECTED with a scale per unit and weights with a zero
  point.
"""
