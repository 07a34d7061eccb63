"""CMSIS-NN, modelled: paths, scratch memory, and int8 convolution instruction by instruction.

CMSIS-NN is Arm's library of kernels for Cortex-M; TFLM calls it where it is built with
``OPTIMIZED_KERNEL_DIR=cmsis_nn``. Memory and paths here are those of that build. Results are
those of TFLM's reference kernels. CMSIS-NN's own (July 2026) are the same for int8 networks as
converters write them; in corners they differ:

- CONV_2D with groups and int4 weights, int16 activations, or int8 and no bias;
- int4 weights of some other shapes; FULLY_CONNECTED with int16 activations and an int32 bias,
  or with weights whose zero point is not 0;
- TRANSPOSE_CONV with many paddings, strides and batches;
- UNIDIRECTIONAL_SEQUENCE_LSTM, whose states begin empty in every inference;
- SVDF whose state has a zero point, or is int8 and too narrow for a filter's results (``svdf.py``);
- TRANSPOSE of two int8 dimensions to their own order; SOFTMAX of int16 rows of one value;
- on targets with vectors CONV_2D along some lines with steps, see ``operators/conv_2d.py``.
"""
